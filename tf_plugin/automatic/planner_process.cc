#include "tf_plugin/automatic/planner_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace str::automatic {
namespace {

// From the folder of the plugin's payload to the root of the checkout: .build/site-packages/tensorflow-plugins/str.
constexpr char kLauncherFromPayload[] = "../../../../str";

absl::Status Errno(int error, absl::string_view what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(error)));
}

// Calls `line` for each whole line, and keeps everything.
void ReadLines(int descriptor, std::string& all, absl::FunctionRef<void(absl::string_view)> line) {
  char buffer[4096];
  size_t begin = 0;
  while (true) {
    const ssize_t bytes = read(descriptor, buffer, sizeof(buffer));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return;
    all.append(buffer, bytes);
    for (size_t end = all.find('\n', begin); end != std::string::npos; end = all.find('\n', begin)) {
      line(absl::string_view(all).substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

absl::StatusOr<int> WaitFor(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return Errno(errno, "no exit code of the planner");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

absl::StatusOr<ProcessResult> RunProcess(const std::vector<std::string>& command,
                                         absl::FunctionRef<void(absl::string_view)> line) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Errno(errno, "no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t process = 0;
  const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return Errno(error, command[0]);
  }
  ProcessResult result;
  ReadLines(ends[0], result.errors, line);
  close(ends[0]);
  const absl::StatusOr<int> exit_code = WaitFor(process);
  if (!exit_code.ok()) return exit_code.status();
  result.exit_code = *exit_code;
  return result;
}

std::string PlannerCommand() {
  if (const char* const named = std::getenv("STR_PLANNER"); named != nullptr && *named != '\0') return named;
  Dl_info payload;
  if (dladdr(reinterpret_cast<const void*>(&PlannerCommand), &payload) != 0 && payload.dli_fname != nullptr) {
    const std::filesystem::path launcher =
        (std::filesystem::path(payload.dli_fname).parent_path() / kLauncherFromPayload).lexically_normal();
    std::error_code error;
    if (std::filesystem::is_regular_file(launcher, error)) return launcher.string();
  }
  return "str";
}

}  // namespace str::automatic
