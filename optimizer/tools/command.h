// The subcommands of `str`. Each is added to the application with its flags and help, and sets the exit code when run.
#ifndef STR_OPTIMIZER_TOOLS_COMMAND_H_
#define STR_OPTIMIZER_TOOLS_COMMAND_H_

#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"

namespace str::tools {

inline constexpr int kExitDone = 0;
inline constexpr int kExitBadInput = 1;
inline constexpr int kExitInfeasible = 2;
inline constexpr int kExitLimit = 3;

void AddPlanCommand(CLI::App* app, int* exit_code);
void AddSimulateCommand(CLI::App* app, int* exit_code);
void AddReplayCommand(CLI::App* app, int* exit_code);
void AddPlaceCommand(CLI::App* app, int* exit_code);
void AddExplainCommand(CLI::App* app, int* exit_code);
void AddCheckCommand(CLI::App* app, int* exit_code);
void AddStrategiesCommand(CLI::App* app, int* exit_code);
void AddDevicesCommand(CLI::App* app, int* exit_code);
void AddCalibrateCommand(CLI::App* app, int* exit_code);
void AddCompareCommand(CLI::App* app, int* exit_code);
void AddMaxBatchCommand(CLI::App* app, int* exit_code);
void AddImportCommand(CLI::App* app, int* exit_code);
void AddVersionCommand(CLI::App* app, int* exit_code);

// --cost-unit, for commands that read a graph.
void AddCostUnitOption(CLI::App* command, std::string* text);

// Says on stderr what is wrong; the exit code for it.
int Refuse(const absl::Status& status);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_COMMAND_H_
