#include "strategies/disk_moves.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "optimizer/simulator/bindings.h"
#include "optimizer/simulator/simulator.h"

namespace str::strategies {
namespace {

using optimizer::Action;
using optimizer::kNone;
using optimizer::Program;
using optimizer::Simulation;
using optimizer::Tier;

// Of the copies that could go to the disk, so many are tried by simulation: those with most time to spare.
constexpr int kTried = 6;

class DiskMover {
 public:
  DiskMover(const PlanRequest& request, const Limit& limit, const Program& program)
      : request_(request), limit_(limit), program_(program), simulator_(request.graph, request.costs) {}

  absl::StatusOr<bool> Run();
  Program TakeProgram() { return std::move(program_); }

 private:
  struct Copy {
    // Steps.
    int32_t out = kNone;
    int32_t first_in = kNone;
    // It takes room at its own swap_out and at those of the copies after it, up to this one.
    int room_until = 0;
    int64_t bytes = 0;
    bool on_disk = false;
  };

  absl::Status FindCopies();
  absl::Status Simulate();
  // Bytes on the tier right after the swap_out of each copy, which is when they can be most.
  std::vector<int64_t> Loads(bool disk) const;
  int64_t HostPeak() const;
  void Put(Copy* copy, bool on_disk);
  // How much longer than its copies it lies idle, if it goes to the disk.
  double Spare(const Copy& copy) const;
  // The copies that take room at the swap_out of this one and may be moved, those with most time to spare first.
  std::vector<int> Candidates(int fullest) const;
  absl::StatusOr<int> Cheapest(const std::vector<int>& candidates, int64_t excess);
  void TakeBack();

  const PlanRequest& request_;
  const Limit& limit_;
  Program program_;
  optimizer::Simulator simulator_;
  // In the order of their swap_outs.
  std::vector<Copy> copies_;
  // Of program_ as it is now, with its timeline.
  Simulation now_;
};

absl::Status DiskMover::FindCopies() {
  optimizer::Bindings bindings(request_.graph);
  if (absl::Status status = bindings.Bind(program_); !status.ok()) return status;
  copies_.resize(bindings.host_copies().size());
  for (size_t i = 0; i < copies_.size(); ++i) {
    const optimizer::Bindings::HostCopy& from = bindings.host_copies()[i];
    copies_[i].bytes = request_.graph->tensor(from.tensor).bytes;
    copies_[i].on_disk = from.tier == Tier::kDisk;
  }
  for (int32_t step = 0; step < static_cast<int32_t>(program_.size()); ++step) {
    const int32_t index = bindings.copy(step);
    if (index == kNone) continue;
    Copy& copy = copies_[index];
    if (program_[step].action == Action::kSwapOut) copy.out = step;
    if (program_[step].action == Action::kSwapIn && copy.first_in == kNone) copy.first_in = step;
  }
  for (size_t i = 0; i < copies_.size(); ++i) {
    const int32_t last_in = bindings.host_copies()[i].last_swap_in;
    int& until = copies_[i].room_until;
    until = static_cast<int>(i) + 1;
    while (until < static_cast<int>(copies_.size()) && (last_in == kNone || copies_[until].out < last_in)) ++until;
  }
  return absl::OkStatus();
}

absl::Status DiskMover::Simulate() {
  optimizer::SimulationDetail detail;
  detail.timeline = true;
  return simulator_.Run(program_, detail, &now_);
}

std::vector<int64_t> DiskMover::Loads(bool disk) const {
  std::vector<int64_t> loads(copies_.size() + 1, 0);
  for (size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].on_disk != disk) continue;
    loads[i] += copies_[i].bytes;
    loads[copies_[i].room_until] -= copies_[i].bytes;
  }
  std::partial_sum(loads.begin(), loads.end(), loads.begin());
  return loads;
}

int64_t DiskMover::HostPeak() const {
  const std::vector<int64_t> loads = Loads(/*disk=*/false);
  return *std::max_element(loads.begin(), loads.end());
}

void DiskMover::Put(Copy* copy, bool on_disk) {
  copy->on_disk = on_disk;
  program_[copy->out].tier = on_disk ? Tier::kDisk : Tier::kHost;
}

double DiskMover::Spare(const Copy& copy) const {
  const optimizer::Costs& costs = *request_.costs;
  const double copying = costs.CopyOutSeconds(copy.bytes, Tier::kDisk) + costs.CopyInSeconds(copy.bytes, Tier::kDisk);
  const double end = copy.first_in == kNone ? now_.seconds : now_.timeline[copy.first_in].end;
  return end - now_.timeline[copy.out].start - copying;
}

std::vector<int> DiskMover::Candidates(int fullest) const {
  const std::vector<int64_t> on_disk = Loads(/*disk=*/true);
  std::vector<std::pair<double, int>> by_spare;
  for (int i = 0; i <= fullest; ++i) {
    const Copy& copy = copies_[i];
    if (copy.on_disk || copy.bytes == 0 || copy.room_until <= fullest) continue;
    const int64_t most = *std::max_element(on_disk.begin() + i, on_disk.begin() + copy.room_until);
    if (copy.bytes > request_.disk_limit_bytes - most) continue;
    by_spare.push_back({-Spare(copy), i});
  }
  std::sort(by_spare.begin(), by_spare.end());
  std::vector<int> candidates;
  for (const auto& [spare, index] : by_spare) candidates.push_back(index);
  return candidates;
}

absl::StatusOr<int> DiskMover::Cheapest(const std::vector<int>& candidates, int64_t excess) {
  int best = candidates.front();
  // In a hurry, the one with most time to spare will do.
  if (limit_.Reached()) return best;
  double best_price = 0;
  const int tried = std::min<int>(kTried, static_cast<int>(candidates.size()));
  for (int i = 0; i < tried; ++i) {
    Copy& copy = copies_[candidates[i]];
    Simulation simulation;
    Put(&copy, /*on_disk=*/true);
    absl::Status status = simulator_.Run(program_, {}, &simulation);
    Put(&copy, /*on_disk=*/false);
    if (!status.ok()) return status;
    const double price = (simulation.seconds - now_.seconds) / static_cast<double>(std::min(excess, copy.bytes));
    if (i > 0 && price >= best_price) continue;
    best = candidates[i];
    best_price = price;
  }
  return best;
}

// One move may have made another one needless.
void DiskMover::TakeBack() {
  std::vector<int> on_disk;
  for (size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].on_disk) on_disk.push_back(static_cast<int>(i));
  }
  std::stable_sort(on_disk.begin(), on_disk.end(), [&](int a, int b) { return Spare(copies_[a]) < Spare(copies_[b]); });
  for (const int index : on_disk) {
    Put(&copies_[index], /*on_disk=*/false);
    if (HostPeak() > request_.host_limit_bytes) Put(&copies_[index], /*on_disk=*/true);
  }
}

absl::StatusOr<bool> DiskMover::Run() {
  if (absl::Status status = FindCopies(); !status.ok()) return status;
  if (copies_.empty()) return true;
  for (;;) {
    const std::vector<int64_t> loads = Loads(/*disk=*/false);
    const int fullest = static_cast<int>(std::max_element(loads.begin(), loads.end()) - loads.begin());
    const int64_t excess = loads[fullest] - request_.host_limit_bytes;
    if (absl::Status status = Simulate(); !status.ok()) return status;
    if (excess <= 0) break;
    const std::vector<int> candidates = Candidates(fullest);
    if (candidates.empty()) return false;
    const absl::StatusOr<int> chosen = Cheapest(candidates, excess);
    if (!chosen.ok()) return chosen.status();
    Put(&copies_[*chosen], /*on_disk=*/true);
  }
  TakeBack();
  return true;
}

}  // namespace

absl::StatusOr<bool> MoveToDisk(const PlanRequest& request, const Limit& limit, optimizer::Program* program) {
  DiskMover mover(request, limit, *program);
  const absl::StatusOr<bool> moved = mover.Run();
  if (moved.ok() && *moved) *program = mover.TakeProgram();
  return moved;
}

}  // namespace str::strategies
