#include "optimizer/ilp/line_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

extern char** environ;

namespace str::optimizer {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(2);

absl::Status Ended() { return absl::UnavailableError("the process has ended"); }

}  // namespace

absl::StatusOr<std::unique_ptr<LineProcess>> LineProcess::Start(const std::vector<std::string>& arguments) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::InternalError(absl::StrCat("no socket pair: ", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawnp(&process, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return absl::NotFoundError(absl::StrCat("cannot start ", arguments[0], ": ", std::strerror(error)));
  }
  return std::unique_ptr<LineProcess>(new LineProcess(process, ends[0]));
}

LineProcess::~LineProcess() {
  close(channel_);
  const absl::Time deadline = absl::Now() + kPatience;
  while (waitpid(process_, nullptr, WNOHANG) == 0) {
    if (absl::Now() > deadline) kill(process_, SIGKILL);
    absl::SleepFor(absl::Milliseconds(2));
  }
}

absl::Status LineProcess::Write(absl::string_view line) {
  const std::string text = absl::StrCat(line, "\n");
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(channel_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Ended();
    sent += static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> LineProcess::Read(absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  size_t searched = 0;
  while (true) {
    const size_t end = pending_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return std::optional<std::string>(std::move(line));
    }
    searched = pending_.size();
    const int64_t wait = std::max<int64_t>(0, absl::ToInt64Milliseconds(deadline - absl::Now()));
    pollfd wanted = {channel_, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(wait));
    if (ready == 0 || (ready < 0 && errno == EINTR)) return std::optional<std::string>();
    char buffer[1 << 16];
    const ssize_t count = recv(channel_, buffer, sizeof(buffer), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Ended();
    pending_.append(buffer, static_cast<size_t>(count));
  }
}

}  // namespace str::optimizer
