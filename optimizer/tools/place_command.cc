// str place FILE --capacity=SIZE: places the buffers of a CSV file with the placer of plans.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/atomic_file.h"
#include "optimizer/placement/placer.h"
#include "optimizer/tools/buffer_csv.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/json.h"
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/result_row.h"

namespace str::tools {
namespace {

struct PlaceOptions {
  std::string file, capacity, output, json;
  // About 40 s.
  int64_t search_limit = 4000000000;
};

struct Places {
  int64_t buffers = 0;
  // 0: none was given.
  int64_t capacity_bytes = 0;
  int64_t lower_bound_bytes = 0;
  // What was found, if it was looked for.
  std::optional<int64_t> used_bytes;
  double seconds = 0;
  int exit_code = kExitDone;
};

const char* StatusName(int exit_code) {
  if (exit_code == kExitDone) return "fits";
  return exit_code == kExitInfeasible ? "does-not-fit" : "limit";
}

std::string StatusText(const Places& places) {
  if (places.exit_code == kExitLimit) return "no placement was found within --search-limit";
  if (places.lower_bound_bytes > places.capacity_bytes && places.exit_code == kExitInfeasible) {
    return "does not fit: more bytes are held at once than the capacity";
  }
  if (places.exit_code == kExitInfeasible) return "does not fit: the search went through all placements";
  if (places.used_bytes == places.lower_bound_bytes) return "fits; no placement is smaller";
  return places.capacity_bytes > 0 ? "fits" : "the smallest found";
}

void Print(const Places& places) {
  const auto print = [](const char* name, int64_t bytes) {
    std::printf("%-12s %lld bytes\n", name, static_cast<long long>(bytes));
  };
  std::printf("%-12s %lld\n", "buffers", static_cast<long long>(places.buffers));
  if (places.capacity_bytes > 0) print("capacity", places.capacity_bytes);
  print("lower bound", places.lower_bound_bytes);
  if (places.used_bytes.has_value()) print("used", *places.used_bytes);
  std::printf("%-12s %s\n", "status", StatusText(places).c_str());
  std::printf("%-12s %.3f s\n", "time", places.seconds);
}

JsonObject Json(const PlaceOptions& options, const Places& places) {
  JsonObject json;
  json.Add("command", "place");
  json.Add("file", options.file);
  json.Add("status", StatusName(places.exit_code));
  json.Add("buffers", places.buffers);
  json.Add("capacity_bytes", places.capacity_bytes > 0 ? std::optional<int64_t>(places.capacity_bytes) : std::nullopt);
  json.Add("lower_bound_bytes", places.lower_bound_bytes);
  json.Add("used_bytes", places.used_bytes);
  json.Add("place_seconds", places.seconds);
  return json;
}

absl::StatusOr<int> Place(const PlaceOptions& options) {
  if (absl::Status status = CheckOutputFile("--json", options.json); !status.ok()) return status;
  if (absl::Status status = CheckOutputFile("--output", options.output); !status.ok()) return status;
  Places places;
  if (!options.capacity.empty()) {
    // The sizes of the file have no unit, so the capacity needs none.
    const absl::StatusOr<int64_t> capacity = ParseBudgetBytes("--capacity", options.capacity, /*peak_bytes=*/0);
    if (!capacity.ok()) return capacity.status();
    places.capacity_bytes = *capacity;
  }
  const absl::StatusOr<std::string> text = config::ReadFile(options.file);
  if (!text.ok()) return text.status();
  const absl::StatusOr<std::vector<BufferRow>> rows = ParseBufferCsv(*text, options.file, places.capacity_bytes);
  if (!rows.ok()) return rows.status();
  const std::vector<optimizer::TimedBuffer> buffers = TimedBuffers(*rows);
  places.buffers = static_cast<int64_t>(buffers.size());
  places.lower_bound_bytes = optimizer::HighestLoad(buffers);

  if (places.capacity_bytes > 0 && places.lower_bound_bytes > places.capacity_bytes) {
    places.exit_code = kExitInfeasible;
  } else {
    const auto start = std::chrono::steady_clock::now();
    const optimizer::PlacedBuffers placed =
        optimizer::PlaceBuffers(buffers, places.capacity_bytes, options.search_limit);
    places.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (absl::Status status = CheckOffsets(*rows, placed.offsets, placed.arena_bytes); !status.ok()) return status;
    places.used_bytes = placed.arena_bytes;
    if (places.capacity_bytes > 0 && placed.arena_bytes > places.capacity_bytes) {
      places.exit_code = placed.enough_is_impossible ? kExitInfeasible : kExitLimit;
    } else if (!options.output.empty()) {
      absl::Status status = WriteOut(BufferCsv(*rows, placed.offsets), options.output);
      if (!status.ok()) return status;
    }
  }
  if (options.json != "-" && options.output != "-") Print(places);
  if (!options.json.empty()) {
    if (absl::Status status = WriteOut(Json(options, places).Pretty(), options.json); !status.ok()) return status;
  }
  return places.exit_code;
}

}  // namespace

void AddPlaceCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<PlaceOptions>();
  CLI::App* command = app->add_subcommand("place", "Places buffers with known times in one arena, as plans do");
  command->add_option("FILE", options->file, "CSV with the columns id,lower,upper,size, as MiniMalloc's")->required();
  command->add_option("--capacity", options->capacity, "SIZE of the arena (default: the smallest that is found)");
  command->add_option("--output", options->output, "Write the CSV with a column offset to this file, - for stdout");
  command->add_option("--json", options->json, "Write the result as JSON to this file, - for stdout");
  command
      ->add_option("--search-limit", options->search_limit,
                   "Work of the exact search, in units of about 10 ns; a count, so that results are reproducible")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->footer(
      "Exit: 0 fits; 1 bad input or usage; 2 proven not to fit; 3 not found within the limit.\n"
      "Example: str place buffers.csv --capacity=1048576 --output=placed.csv --json=-");
  command->callback([options, exit_code] {
    const absl::StatusOr<int> code = Place(*options);
    *exit_code = code.ok() ? *code : Refuse(code.status());
  });
}

}  // namespace str::tools
