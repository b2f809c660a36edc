#include "strategies/dtr/log.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/atomic_file.h"
#include "config/file_kind.h"
#include "optimizer/importers/json_fields.h"

namespace str::dtr {
namespace {

using ::google::protobuf::Struct;
using ::google::protobuf::Value;
using optimizer::JsonFields;

absl::Status Invalid(absl::string_view what) { return absl::InvalidArgumentError(what); }

// A whole number from `least`, as a string or as a number.
absl::StatusOr<int64_t> Number(const JsonFields& fields, absl::string_view name, int64_t least) {
  absl::StatusOr<std::string> text = fields.Text(name);
  if (!text.ok()) return text.status();
  int64_t number = 0;
  if (!absl::SimpleAtoi(*text, &number) || number < least) {
    return fields.Error(absl::StrCat("\"", name, "\" is \"", *text, "\", not a whole number from ", least));
  }
  return number;
}

class LogReader {
 public:
  explicit LogReader(std::vector<absl::string_view> lines) : lines_(std::move(lines)) {}

  absl::StatusOr<Log> Read() {
    next_ = FindStart();
    while (SkipBlank()) {
      absl::Status status = ReadInstruction();
      if (!status.ok()) return status;
    }
    if (builder_.op_count() == 0) return Invalid("has no CALL: not a DTR log");
    std::vector<std::pair<int64_t, int32_t>> results;
    for (const auto& [name, binding] : names_) results.emplace_back(binding.age, binding.tensor);
    std::sort(results.begin(), results.end());
    std::vector<int32_t> tensors;
    for (const auto& [age, tensor] : results) tensors.push_back(tensor);
    absl::StatusOr<Trace> trace = std::move(builder_).Build(std::move(tensors));
    if (!trace.ok()) return trace.status();
    log_.trace = *std::move(trace);
    return std::move(log_);
  }

 private:
  struct Binding {
    int32_t tensor = kNone;
    // Results are made again in the order in which their names appeared.
    int64_t age = 0;
  };

  size_t FindStart() const {
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (!absl::StrContains(lines_[i], "\"START\"")) continue;
      const absl::StatusOr<Struct> object = optimizer::ParseJson(lines_[i]);
      if (!object.ok()) continue;
      const absl::StatusOr<std::string> annotation = JsonFields(&*object, "").Text("ANNOTATION");
      if (annotation.ok() && *annotation == "START") return i + 1;
    }
    return 0;
  }

  bool SkipBlank() {
    while (next_ < lines_.size() && absl::StripAsciiWhitespace(lines_[next_]).empty()) ++next_;
    return next_ < lines_.size();
  }

  // The next line; object_ holds it until the next call.
  absl::StatusOr<JsonFields> NextLine() {
    const std::string who = absl::StrCat("line ", next_ + 1);
    absl::StatusOr<Struct> object = optimizer::ParseJson(lines_[next_]);
    if (!object.ok()) return Invalid(absl::StrCat(who, ": ", object.status().message()));
    object_ = *std::move(object);
    ++next_;
    return JsonFields(&object_, who);
  }

  absl::Status ReadInstruction() {
    const absl::StatusOr<JsonFields> fields = NextLine();
    if (!fields.ok()) return fields.status();
    const absl::StatusOr<std::string> instruction = fields->Text("INSTRUCTION");
    if (!instruction.ok()) return instruction.status();
    if (*instruction == "CONSTANT") return ReadConstant(*fields);
    if (*instruction == "CALL") return ReadCall(*fields);
    if (*instruction == "MUTATE") return ReadMutate(*fields);
    if (*instruction == "COPY") return ReadCopy(*fields, false);
    if (*instruction == "COPY_FROM") return ReadCopy(*fields, true);
    if (*instruction == "RELEASE") return ReadRelease(*fields);
    if (*instruction == "ANNOTATE") return absl::OkStatus();
    if (*instruction == "MEMORY" || *instruction == "ALIAS") {
      return fields->Error(absl::StrCat(*instruction, " where no CONSTANT or CALL asks for one"));
    }
    return fields->Error(absl::StrCat("there is no instruction \"", *instruction, "\""));
  }

  absl::Status ReadConstant(const JsonFields& fields) {
    const absl::StatusOr<std::string> name = fields.Text("NAME");
    if (!name.ok()) return name.status();
    if (absl::Status status = CheckNew(fields, *name); !status.ok()) return status;
    const absl::StatusOr<int64_t> bytes = ReadProperty("MEMORY", *name, 0);
    if (!bytes.ok()) return bytes.status();
    Bind(*name, builder_.AddConstant(*bytes));
    return absl::OkStatus();
  }

  absl::Status ReadCall(const JsonFields& fields) {
    absl::StatusOr<Operator> op = ReadOperator(fields);
    if (!op.ok()) return op.status();
    const auto results = fields.List("RESULT");
    if (!results.ok()) return results.status();
    std::vector<std::string> names;
    for (const Value& value : (*results)->values()) {
      if (value.kind_case() != Value::kStringValue) return fields.Error("an entry of \"RESULT\" is no text");
      if (absl::Status status = CheckNew(fields, value.string_value()); !status.ok()) return status;
      if (std::find(names.begin(), names.end(), value.string_value()) != names.end()) {
        return fields.Error(absl::StrCat("\"RESULT\" names \"", value.string_value(), "\" twice"));
      }
      names.push_back(value.string_value());
    }
    std::vector<TraceBuilder::Output> outputs;
    for (const std::string& name : names) {
      const absl::StatusOr<int64_t> bytes = ReadProperty("MEMORY", name, 0);
      if (!bytes.ok()) return bytes.status();
      const absl::StatusOr<int64_t> alias = ReadProperty("ALIAS", name, -1);
      if (!alias.ok()) return alias.status();
      if (*alias >= static_cast<int64_t>(op->inputs.size())) {
        return Invalid(absl::StrCat("line ", next_, ": \"", name, "\" is an alias of argument ", *alias,
                                    ", but the call has ", op->inputs.size()));
      }
      outputs.push_back({*bytes, static_cast<int32_t>(*alias)});
    }
    int32_t tensor = AddOperator(*std::move(op), outputs);
    for (const std::string& name : names) Bind(name, tensor++);
    return absl::OkStatus();
  }

  // What is changed in place is a new storage, for this name only.
  absl::Status ReadMutate(const JsonFields& fields) {
    absl::StatusOr<Operator> op = ReadOperator(fields);
    if (!op.ok()) return op.status();
    const auto positions = fields.List("MUTATE");
    if (!positions.ok()) return positions.status();
    std::vector<std::string> names;
    std::vector<TraceBuilder::Output> outputs;
    for (const Value& value : (*positions)->values()) {
      const int64_t count = static_cast<int64_t>(op->inputs.size());
      int64_t position = -1;
      if (value.kind_case() == Value::kNumberValue) {
        const absl::StatusOr<int64_t> whole = optimizer::WholeNumber(value, "an entry of \"MUTATE\"");
        if (whole.ok()) position = *whole;
      } else if (value.kind_case() == Value::kStringValue && !absl::SimpleAtoi(value.string_value(), &position)) {
        position = -1;
      }
      if (position < 0 || position >= count) {
        return fields.Error(absl::StrCat("an entry of \"MUTATE\" is no position among the ", count, " arguments"));
      }
      names.push_back(op->names[position]);
      outputs.push_back({builder_.StorageBytes(op->inputs[position])});
    }
    int32_t tensor = AddOperator(*std::move(op), outputs);
    for (const std::string& name : names) Rebind(name, tensor++);
    return absl::OkStatus();
  }

  absl::Status ReadCopy(const JsonFields& fields, bool existing) {
    const absl::StatusOr<std::string> source = fields.Text("SRC");
    if (!source.ok()) return source.status();
    const absl::StatusOr<std::string> name = fields.Text("DST");
    if (!name.ok()) return name.status();
    const absl::StatusOr<int32_t> tensor = Find(fields, *source);
    if (!tensor.ok()) return tensor.status();
    if (existing) {
      if (const absl::StatusOr<int32_t> old = Find(fields, *name); !old.ok()) return old.status();
    } else if (absl::Status status = CheckNew(fields, *name); !status.ok()) {
      return status;
    }
    builder_.Reference(*tensor);
    existing ? Rebind(*name, *tensor) : Bind(*name, *tensor);
    return absl::OkStatus();
  }

  absl::Status ReadRelease(const JsonFields& fields) {
    const absl::StatusOr<std::string> name = fields.Text("NAME");
    if (!name.ok()) return name.status();
    const auto found = names_.find(*name);
    if (found == names_.end()) return absl::OkStatus();
    builder_.Release(found->second.tensor);
    names_.erase(found);
    return absl::OkStatus();
  }

  struct Operator {
    std::string name;
    int line = 0;
    std::vector<std::string> names;
    std::vector<int32_t> inputs;
    int64_t cost = 0;
  };

  absl::StatusOr<Operator> ReadOperator(const JsonFields& fields) const {
    Operator op;
    const absl::StatusOr<std::string> name = fields.Text("NAME");
    if (!name.ok()) return name.status();
    op.name = *name;
    op.line = static_cast<int>(next_);
    const absl::StatusOr<int64_t> cost = Number(fields, "TIME", 0);
    if (!cost.ok()) return cost.status();
    op.cost = *cost;
    const auto arguments = fields.List("ARGS");
    if (!arguments.ok()) return arguments.status();
    for (const Value& value : (*arguments)->values()) {
      if (value.kind_case() != Value::kStringValue) return fields.Error("an entry of \"ARGS\" is no text");
      const absl::StatusOr<int32_t> tensor = Find(fields, value.string_value());
      if (!tensor.ok()) return tensor.status();
      op.names.push_back(value.string_value());
      op.inputs.push_back(*tensor);
    }
    return op;
  }

  // The line that must follow: this property of the name.
  absl::StatusOr<int64_t> ReadProperty(absl::string_view instruction, absl::string_view name, int64_t least) {
    if (!SkipBlank()) {
      return Invalid(absl::StrCat("ends where the ", instruction, " of \"", name, "\" should follow: cut off?"));
    }
    const absl::StatusOr<JsonFields> fields = NextLine();
    if (!fields.ok()) return fields.status();
    const absl::StatusOr<std::string> found = fields->Text("INSTRUCTION");
    if (!found.ok()) return found.status();
    const absl::StatusOr<std::string> whose = fields->Text("NAME");
    if (*found != instruction || !whose.ok() || *whose != name) {
      return fields->Error(absl::StrCat("should be the ", instruction, " of \"", name, "\""));
    }
    return Number(*fields, instruction, least);
  }

  int32_t AddOperator(Operator op, const std::vector<TraceBuilder::Output>& outputs) {
    log_.op_names.push_back(std::move(op.name));
    log_.op_lines.push_back(op.line);
    return builder_.AddCall(op.inputs, outputs, op.cost);
  }

  absl::StatusOr<int32_t> Find(const JsonFields& fields, absl::string_view name) const {
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second.tensor;
    return fields.Error(absl::StrCat("\"", name, "\" is not defined here, or was released"));
  }

  absl::Status CheckNew(const JsonFields& fields, absl::string_view name) const {
    return names_.contains(name) ? fields.Error(absl::StrCat("\"", name, "\" is defined already")) : absl::OkStatus();
  }

  void Bind(absl::string_view name, int32_t tensor) { names_[name] = {tensor, age_++}; }

  void Rebind(absl::string_view name, int32_t tensor) {
    Binding& binding = names_[name];
    builder_.Release(binding.tensor);
    binding.tensor = tensor;
  }

  const std::vector<absl::string_view> lines_;
  // Index of the next line, so the number of the one just read.
  size_t next_ = 0;
  Struct object_;
  absl::flat_hash_map<std::string, Binding> names_;
  int64_t age_ = 0;
  TraceBuilder builder_;
  Log log_;
};

}  // namespace

absl::StatusOr<Log> ParseLog(absl::string_view text, absl::string_view source_name) {
  absl::StatusOr<Log> log = LogReader(absl::StrSplit(text, '\n')).Read();
  if (!log.ok()) return Invalid(absl::StrCat(source_name, ": ", log.status().message()));
  return log;
}

absl::StatusOr<Log> ReadLog(const std::string& path) {
  const absl::StatusOr<std::string> text = config::ReadFile(path);
  if (!text.ok()) return text.status();
  using config::FileKind;
  if (const FileKind kind = config::RecogniseFile(*text); kind != FileKind::kJson && kind != FileKind::kUnknown) {
    return Invalid(absl::StrCat(path, ": this is a ", config::FileKindName(kind),
                                ", not a log of DTR's simulator; str plan --strategy=dtr plans a graph"));
  }
  return ParseLog(*text, path);
}

}  // namespace str::dtr
