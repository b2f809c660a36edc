#include "optimizer/importers/mksch_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace str::optimizer {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 62;
// More than any list in a file could hold that fits in memory.
constexpr int64_t kMostEntries = 10000000;

// Goes through the lines and knows where it is.
class Lines {
 public:
  explicit Lines(absl::string_view text) : lines_(absl::StrSplit(text, '\n')) {
    while (!lines_.empty() && absl::StripAsciiWhitespace(lines_.back()).empty()) lines_.pop_back();
  }

  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("line ", number_, ": ", what));
  }

  bool AtEnd() const { return number_ >= lines_.size(); }

  absl::StatusOr<absl::string_view> Next(absl::string_view expected) {
    if (AtEnd()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number_ + 1, ": the file ends where ", expected, " should be"));
    }
    return absl::StripAsciiWhitespace(lines_[number_++]);
  }

  // The line has just these whole numbers, each from 0 to `most`.
  absl::StatusOr<std::vector<int64_t>> NextNumbers(size_t count, int64_t most, absl::string_view expected) {
    const absl::StatusOr<absl::string_view> line = Next(expected);
    if (!line.ok()) return line.status();
    const std::vector<absl::string_view> words = absl::StrSplit(*line, ' ', absl::SkipEmpty());
    std::vector<int64_t> numbers(words.size());
    bool good = words.size() == count;
    for (size_t i = 0; i < words.size() && good; ++i) {
      good = absl::SimpleAtoi(words[i], &numbers[i]) && numbers[i] >= 0 && numbers[i] <= most;
    }
    if (!good) return Error(absl::StrCat("\"", *line, "\" is not ", expected));
    return numbers;
  }

  size_t number() const { return number_; }

 private:
  std::vector<absl::string_view> lines_;
  size_t number_ = 0;
};

absl::Status ParseVariable(Lines* lines, MkschGraph* graph, std::vector<bool>* seen) {
  constexpr char kExpected[] = "a variable: id, bytes, name";
  const absl::StatusOr<absl::string_view> line = lines->Next(kExpected);
  if (!line.ok()) return line.status();
  const std::vector<absl::string_view> words = absl::StrSplit(*line, absl::MaxSplits(' ', 2));
  int64_t id = 0, bytes = 0;
  if (words.size() != 3 || !absl::SimpleAtoi(words[0], &id) || !absl::SimpleAtoi(words[1], &bytes)) {
    return lines->Error(absl::StrCat("\"", *line, "\" is not ", kExpected));
  }
  const int64_t count = static_cast<int64_t>(graph->variables.size());
  if (id < 0 || id >= count) {
    return lines->Error(absl::StrCat("variable ", id, ", but the ", count, " variables are counted from 0"));
  }
  if ((*seen)[id]) return lines->Error(absl::StrCat("a second variable ", id));
  if (bytes < 0 || bytes > kMostBytes) {
    return lines->Error(
        absl::StrCat("variable ", id, " has ", bytes, " bytes; from 0 to ", kMostBytes, " are possible"));
  }
  (*seen)[id] = true;
  graph->variables[id].bytes = bytes;
  graph->variables[id].name = std::string(absl::StripAsciiWhitespace(words[2]));
  return absl::OkStatus();
}

absl::StatusOr<int> ParseId(absl::string_view word, const MkschGraph& graph, const Lines& lines) {
  int id = 0;
  if (!absl::SimpleAtoi(word, &id) || id < 0 || id >= static_cast<int>(graph.variables.size())) {
    return lines.Error(absl::StrCat("there is no variable \"", word, "\""));
  }
  return id;
}

absl::Status ParseInput(Lines* lines, bool backward, const MkschGraph& graph, MkschFunction* function) {
  const absl::StatusOr<absl::string_view> line = lines->Next("an input: variable and kind");
  if (!line.ok()) return line.status();
  const std::vector<absl::string_view> words = absl::StrSplit(*line, ' ', absl::SkipEmpty());
  if (words.size() != 2) return lines->Error(absl::StrCat("\"", *line, "\" is not an input: variable and kind"));
  const absl::StatusOr<int> id = ParseId(words[0], graph, *lines);
  if (!id.ok()) return id.status();
  const absl::string_view kind = words[1];
  const bool known = backward ? kind == "gradient" || kind == "input" || kind == "output" : kind == "_";
  if (!known) {
    return lines->Error(
        absl::StrCat("\"", kind, "\" is no kind of input; a ",
                     backward ? "backward function has gradient, input and output" : "forward function has only _"));
  }
  function->inputs.push_back({*id, kind == "gradient"});
  return absl::OkStatus();
}

absl::StatusOr<MkschFunction> ParseFunction(Lines* lines, bool backward, const MkschGraph& graph) {
  const absl::string_view wanted = backward ? "backward" : "forward";
  const absl::StatusOr<absl::string_view> direction = lines->Next(absl::StrCat("\"", wanted, "\""));
  if (!direction.ok()) return direction.status();
  if (*direction != wanted) {
    return lines->Error(absl::StrCat("\"", *direction, "\" where \"", wanted, "\" should be: function ",
                                     graph.functions.size(), " (the first half are forward, the second backward)"));
  }
  MkschFunction function;
  const absl::StatusOr<std::vector<int64_t>> counts =
      lines->NextNumbers(2, kMostEntries, "how many inputs and outputs the function has");
  if (!counts.ok()) return counts.status();
  for (int64_t i = 0; i < (*counts)[0]; ++i) {
    if (absl::Status status = ParseInput(lines, backward, graph, &function); !status.ok()) return status;
  }
  for (int64_t i = 0; i < (*counts)[1]; ++i) {
    const absl::StatusOr<absl::string_view> line = lines->Next("an output: a variable");
    if (!line.ok()) return line.status();
    const absl::StatusOr<int> id = ParseId(*line, graph, *lines);
    if (!id.ok()) return id.status();
    function.outputs.push_back(*id);
  }
  const absl::StatusOr<absl::string_view> type = lines->Next("the function's type");
  if (!type.ok()) return type.status();
  if (type->empty()) return lines->Error("an empty line where the function's type should be");
  function.type = std::string(*type);
  const absl::StatusOr<absl::string_view> attributes = lines->Next("the function's attributes");
  if (!attributes.ok()) return attributes.status();
  if (attributes->empty() || attributes->front() != '{' || attributes->back() != '}') {
    return lines->Error("no JSON object where the function's attributes should be");
  }
  return function;
}

// What a forward function must be like, and who makes its output.
absl::Status AddProducer(const Lines& lines, const MkschFunction& function, int id, MkschGraph* graph) {
  if (function.outputs.size() != 1) {
    return lines.Error(absl::StrCat("forward function ", id, " has ", function.outputs.size(),
                                    " outputs; every forward function has 1"));
  }
  MkschVariable& made = graph->variables[function.outputs[0]];
  if (made.producer >= 0) {
    return lines.Error(absl::StrCat("variable ", function.outputs[0], " is made by function ", made.producer,
                                    " and again by function ", id));
  }
  made.producer = id;
  return absl::OkStatus();
}

absl::Status CheckBackward(const Lines& lines, const MkschFunction& function, const MkschFunction& forward, int id) {
  const auto who = [&] { return absl::StrCat("backward function ", id, ": "); };
  for (const MkschInput& input : function.inputs) {
    if (input.gradient && input.variable != forward.outputs[0]) {
      return lines.Error(absl::StrCat(who(), "takes the gradient of variable ", input.variable,
                                      ", but its forward function makes variable ", forward.outputs[0]));
    }
  }
  for (const int output : function.outputs) {
    const bool taken = std::any_of(forward.inputs.begin(), forward.inputs.end(),
                                   [&](const MkschInput& input) { return input.variable == output; });
    if (!taken) {
      return lines.Error(
          absl::StrCat(who(), "makes the gradient of variable ", output, ", which its forward function does not take"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool LooksLikeMksch(absl::string_view text) {
  const absl::string_view start = absl::StripLeadingAsciiWhitespace(text);
  const std::vector<absl::string_view> words =
      absl::StrSplit(start.substr(0, start.find('\n')), ' ', absl::SkipEmpty());
  int64_t number = 0;
  return words.size() == 2 && absl::SimpleAtoi(words[0], &number) && absl::SimpleAtoi(words[1], &number);
}

std::vector<int> ForwardOrder(const MkschGraph& graph) {
  std::vector<std::vector<int>> consumers(graph.forward_functions());
  for (int f = 0; f < graph.forward_functions(); ++f) {
    for (const MkschInput& input : graph.functions[f].inputs) {
      const int producer = graph.variables[input.variable].producer;
      if (producer >= 0) consumers[producer].push_back(f);
    }
  }
  // Depth first, so that a value is used soon after it was made; each function when all that follow from it are listed.
  std::vector<int> backwards;
  std::vector<bool> reached(consumers.size(), false);
  std::vector<std::pair<int, size_t>> path;
  const auto reach = [&](int f) {
    if (reached[f]) return;
    reached[f] = true;
    path.push_back({f, 0});
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (next == consumers[at].size()) {
        backwards.push_back(at);
        path.pop_back();
        continue;
      }
      const int to = consumers[at][next++];
      if (reached[to]) continue;
      reached[to] = true;
      path.push_back({to, 0});
    }
  };
  for (const MkschVariable& variable : graph.variables) {
    if (!variable.leaf()) reach(variable.producer);
  }
  return std::vector<int>(backwards.rbegin(), backwards.rend());
}

absl::StatusOr<MkschGraph> ParseMksch(absl::string_view text) {
  Lines lines(text);
  const absl::StatusOr<std::vector<int64_t>> counts =
      lines.NextNumbers(2, kMostEntries, "how many variables and functions the graph has");
  if (!counts.ok()) return counts.status();
  const int64_t functions = (*counts)[1];
  if (functions % 2 != 0) {
    return lines.Error(absl::StrCat(functions, " functions; for every forward function there must be a backward one"));
  }
  MkschGraph graph;
  graph.variables.resize((*counts)[0]);
  std::vector<bool> seen(graph.variables.size(), false);
  for (size_t i = 0; i < graph.variables.size(); ++i) {
    if (absl::Status status = ParseVariable(&lines, &graph, &seen); !status.ok()) return status;
  }
  std::vector<size_t> first_line;
  for (int id = 0; id < functions; ++id) {
    const bool backward = id >= functions / 2;
    first_line.push_back(lines.number() + 1);
    absl::StatusOr<MkschFunction> function = ParseFunction(&lines, backward, graph);
    if (!function.ok()) return function.status();
    absl::Status fits = backward ? CheckBackward(lines, *function, graph.functions[id - functions / 2], id)
                                 : AddProducer(lines, *function, id, &graph);
    if (!fits.ok()) return fits;
    graph.functions.push_back(*std::move(function));
  }
  if (!lines.AtEnd()) {
    return absl::InvalidArgumentError(
        absl::StrCat("line ", lines.number() + 1, ": there is more than the ", functions, " functions"));
  }
  std::vector<int> position(graph.forward_functions());
  const std::vector<int> order = ForwardOrder(graph);
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<int>(i);
  for (int f = 0; f < graph.forward_functions(); ++f) {
    for (const MkschInput& input : graph.functions[f].inputs) {
      const int producer = graph.variables[input.variable].producer;
      if (producer >= 0 && position[producer] >= position[f]) {
        return absl::InvalidArgumentError(absl::StrCat("line ", first_line[f], ": function ", f, " takes variable ",
                                                       input.variable, ", which follows from its own output"));
      }
    }
  }
  return graph;
}

}  // namespace str::optimizer
