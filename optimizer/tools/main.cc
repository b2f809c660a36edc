// The command line of STR:
//   str plan captured/vgg16.graph --budget=6GiB
//   str plan captured/vgg16.graph --budget=60% --strategy=recompute-only --output=plan.conf --json=-
//   str simulate captured/vgg16.graph plan.conf --trace=step.json
//   str explain captured/vgg16.graph plan.conf --tensor=block1_conv1/Relu:0
//   str check captured/vgg16.graph plan.conf
// Results go to stdout or to files, progress and messages to stderr.
// Exit: 0 done; 1 bad input or usage; 2 no plan fits the budget; 3 limit reached without a plan.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "optimizer/tools/command.h"

namespace str::tools {

int Refuse(const absl::Status& status) {
  std::fprintf(stderr, "str: %s\n", std::string(status.message()).c_str());
  return kExitBadInput;
}

void AddCostUnitOption(CLI::App* command, std::string* text) {
  command->add_option("--cost-unit", *text, "Of costs without a unit, as in node-link JSON (default 100us)");
}

namespace {

// CLI11 only says which arguments were not expected. Most often a pattern such as captured/*.graph stands for more
// files than the command takes. Empty: something else is wrong.
std::string TooManyFiles(const CLI::App& command) {
  std::vector<std::string> names, files;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    names.push_back(option->get_name(/*positional=*/true));
    files.insert(files.end(), option->results().begin(), option->results().end());
  }
  const std::vector<std::string> extra = command.remaining();
  const auto is_option = [](const std::string& argument) { return absl::StartsWith(argument, "-"); };
  if (names.empty() || extra.empty() || std::any_of(extra.begin(), extra.end(), is_option)) return "";
  files.insert(files.end(), extra.begin(), extra.end());
  return absl::StrCat(command.get_name(), " takes one ", absl::StrJoin(names, " and one "), ", but ", files.size(),
                      " arguments were given: ", absl::StrJoin(files, ", "), "; run str ", command.get_name(),
                      " once for each");
}

int Main(int argc, char** argv) {
  CLI::App app("Plans a training step that fits a memory budget: what to keep, swap and recompute.", "str");
  app.footer(
      "Sizes: 6GiB, 22000MB, plain bytes, or 60% of the peak when everything is kept. Durations: 30s, 10m.\n"
      "Exit: 0 done; 1 bad input or usage; 2 no plan fits the budget; 3 limit reached without a plan.\n"
      "Example: str plan captured/vgg16.graph --budget=60%\n"
      "A checkout's ./str has more commands: demo, python, test, bench, report; \"./str help\" lists all.");
  app.require_subcommand(1);
  int exit_code = kExitDone;
  AddPlanCommand(&app, &exit_code);
  AddSimulateCommand(&app, &exit_code);
  AddReplayCommand(&app, &exit_code);
  AddPlaceCommand(&app, &exit_code);
  AddExplainCommand(&app, &exit_code);
  AddCompareCommand(&app, &exit_code);
  AddMaxBatchCommand(&app, &exit_code);
  AddCheckCommand(&app, &exit_code);
  AddImportCommand(&app, &exit_code);
  AddStrategiesCommand(&app, &exit_code);
  AddDevicesCommand(&app, &exit_code);
  AddCalibrateCommand(&app, &exit_code);
  AddVersionCommand(&app, &exit_code);
  // What CLI11 would say of an unknown command is that one is missing.
  const std::vector<CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named)) {
    std::fprintf(stderr, "str: there is no command \"%s\"\n\n%s", argv[1], app.help().c_str());
    return kExitBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help) == 0 ? kExitDone : kExitBadInput;
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> used = app.get_subcommands();
    if (const std::string files = used.empty() ? "" : TooManyFiles(*used.front()); !files.empty()) {
      std::fprintf(stderr, "str: %s\n", files.c_str());
      return kExitBadInput;
    }
    std::fprintf(stderr, "str: %s\n\n%s", error.what(), (used.empty() ? &app : used.front())->help().c_str());
    return kExitBadInput;
  }
  return exit_code;
}

}  // namespace
}  // namespace str::tools

int main(int argc, char** argv) { return str::tools::Main(argc, argv); }
