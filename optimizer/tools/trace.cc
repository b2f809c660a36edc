#include "optimizer/tools/trace.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "optimizer/tools/json.h"

namespace str::tools {
namespace {

using optimizer::Action;

// To the nanosecond.
double Microseconds(double seconds) { return std::round(seconds * 1e9) / 1e3; }

struct Lane {
  int id;
  absl::string_view name;
};
constexpr Lane kCompute = {1, "compute"};
constexpr Lane kOut = {2, "copies out"};
constexpr Lane kIn = {3, "copies in"};

std::string LaneName(const Lane& lane) {
  JsonObject arguments;
  arguments.Add("name", lane.name);
  JsonObject event;
  event.Add("ph", "M");
  event.Add("name", "thread_name");
  event.Add("pid", 1);
  event.Add("tid", lane.id);
  event.AddRaw("args", arguments.Text());
  return event.Text();
}

std::string Slice(const Lane& lane, absl::string_view name, absl::string_view category,
                  const optimizer::Interval& interval, const std::string& arguments) {
  JsonObject event;
  event.Add("ph", "X");
  event.Add("name", name);
  event.Add("cat", category);
  event.Add("pid", 1);
  event.Add("tid", lane.id);
  event.Add("ts", Microseconds(interval.start));
  event.Add("dur", Microseconds(interval.end - interval.start));
  event.AddRaw("args", arguments);
  return event.Text();
}

std::string MemoryCounter(double time, int64_t bytes) {
  JsonObject arguments;
  arguments.Add("bytes", bytes);
  JsonObject event;
  event.Add("ph", "C");
  event.Add("name", "memory");
  event.Add("pid", 1);
  event.Add("ts", Microseconds(time));
  event.AddRaw("args", arguments.Text());
  return event.Text();
}

}  // namespace

std::string TraceJson(const optimizer::Graph& graph, const optimizer::Program& program,
                      const optimizer::Verdict& verdict) {
  std::vector<std::string> events = {LaneName(kCompute), LaneName(kOut), LaneName(kIn)};
  double now = 0;
  for (size_t i = 0; i < program.size(); ++i) {
    const optimizer::Step& step = program[i];
    const optimizer::Interval& interval = verdict.simulation.timeline[i];
    const absl::string_view action = optimizer::ActionName(step.action);
    JsonObject arguments;
    arguments.Add("step", static_cast<int>(i) + 1);
    if (optimizer::Computes(step.action)) {
      arguments.Add("op", graph.op(step.id));
      events.push_back(Slice(kCompute, graph.name(step.id), action, interval, arguments.Text()));
      now = interval.start;
    } else {
      arguments.Add("bytes", graph.tensor(step.id).bytes);
      if (step.action == Action::kSwapOut) arguments.Add("tier", step.tier == optimizer::Tier::kDisk ? "disk" : "host");
      const Lane& lane = step.action == Action::kSwapOut ? kOut : step.action == Action::kSwapIn ? kIn : kCompute;
      const std::string name = step.action == Action::kSwapOutWait
                                   ? absl::StrCat("wait for ", graph.TensorName(step.id))
                                   : graph.TensorName(step.id);
      // A wait that takes no time would only be in the way.
      if (lane.id != kCompute.id || interval.end > interval.start) {
        events.push_back(Slice(lane, name, action, interval, arguments.Text()));
      }
    }
    events.push_back(MemoryCounter(now, verdict.simulation.profile[i]));
    if (step.action != Action::kSwapOut && step.action != Action::kSwapIn) now = interval.end;
  }
  return absl::StrCat("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", absl::StrJoin(events, ",\n"), "\n]}\n");
}

}  // namespace str::tools
