// str strategies
#include <cstdio>
#include <string>

#include "optimizer/tools/command.h"
#include "strategies/registry.h"

namespace str::tools {

void AddStrategiesCommand(CLI::App* app, int* exit_code) {
  app->add_subcommand("strategies", "Lists what --strategy of the plan command takes")->callback([] {
    for (const strategies::Planner* planner : strategies::AllPlanners()) {
      std::printf("%-16s %s\n", std::string(planner->name()).c_str(), std::string(planner->description()).c_str());
    }
  });
}

}  // namespace str::tools
