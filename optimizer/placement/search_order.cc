#include "optimizer/placement/search_order.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>

namespace str::optimizer {
namespace {

// Exponents of a product: a large one comes first whatever the others say, a small one only breaks ties.
struct Preference {
  double load = 0, steps_held = 0, sections_held = 0, bytes = 0, failures = 0;
};

constexpr double kFirst = 1000, kTie = 0.001;

// Each twice: time is counted in steps, then in sections.
constexpr Preference kFixed[] = {
    // The longest held, then the largest.
    {kTie * kTie, 1, 0, kTie},
    {kTie * kTie, 0, 1, kTie},
    // At the highest load, then by bytes times time.
    {kFirst, 1, 0, 1},
    {kFirst, 0, 1, 1},
    // At the highest load, then the longest held.
    {kFirst, 1, 0, kTie},
    {kFirst, 0, 1, kTie},
    // By bytes times time.
    {kTie, 1, 0, 1},
    {kTie, 0, 1, 1},
};
constexpr int64_t kFixedCount = std::size(kFixed);

// What caused failures goes before everything else.
Preference FailuresFirst(int64_t fixed) {
  Preference preference = kFixed[fixed % kFixedCount];
  preference.failures = kFirst * kFirst;
  return preference;
}

Preference PreferenceOf(int64_t round) {
  if (round < kFixedCount) return kFixed[round];
  if (round < 2 * kFixedCount || round % 4 == 3) return FailuresFirst(round < 2 * kFixedCount ? round : round / 4);
  // The engine's numbers are the same everywhere; the standard's distributions are not.
  std::mt19937_64 engine(static_cast<uint64_t>(round));
  const auto draw = [&] { return static_cast<double>(engine() >> 11) / static_cast<double>(1LL << 53); };
  Preference drawn;
  drawn.load = 4 * draw();
  drawn.sections_held = draw();
  drawn.bytes = draw();
  drawn.failures = (round % 4 == 1 ? 10 : 1) * draw();
  return drawn;
}

}  // namespace

std::vector<int32_t> RankBuffers(const std::vector<BufferTraits>& traits, const std::vector<double>& failures,
                                 int64_t round) {
  const Preference preference = PreferenceOf(round);
  std::vector<double> values;
  for (size_t i = 0; i < traits.size(); ++i) {
    values.push_back(preference.load * std::log(traits[i].load) +
                     preference.steps_held * std::log(traits[i].steps_held) +
                     preference.sections_held * std::log(traits[i].sections_held) +
                     preference.bytes * std::log(traits[i].bytes) + preference.failures * std::log(failures[i]));
  }
  std::vector<int32_t> order(traits.size()), ranks(traits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return values[a] > values[b]; });
  for (size_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = static_cast<int32_t>(rank);
  return ranks;
}

}  // namespace str::optimizer
