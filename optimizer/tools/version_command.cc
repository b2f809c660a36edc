// str version
#include <cstdio>

#include "optimizer/tools/command.h"
#include "optimizer/tools/version.h"

namespace str::tools {

void AddVersionCommand(CLI::App* app, int* exit_code) {
  app->add_subcommand("version", "Prints the version of STR and of the file formats it reads")->callback([] {
    std::printf("STR %s, file formats: graph 1, strategy 1, device 1\n", kVersion);
  });
}

}  // namespace str::tools
