// SPDX-License-Identifier: MIT
#include "analysis/clock/time_errors.hpp"

#include "analysis/say/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace deed::viewer {

time_errors::time_errors(const model& of)
    : origin_(of.events().origin()), half_(of.events().end() / 2) {
  const run& r = of.events();
  const bool is_simulated = std::ranges::any_of(
      r.ranks(), [](const rank_info& each) { return each.clock_kind == "virtual"; });
  if (is_simulated || r.ranks().size() < 2) return;
  clock_fit fit = fit_clocks(of, clock_correction::sync_and_messages);
  if (!read_one_clock(r) || fit.all_early() != 0) fit_ = std::move(fit);
}

bool time_errors::knows(int rank) const {
  return rank >= 0 && static_cast<std::size_t>(rank) < fit_.errors.size();
}

/// From both up to the rank by whose clock both are known: only what lies between counts.
std::int64_t time_errors::not_known_of(int one, int other) const {
  const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
  if (one == 0 || other == 0) return fit_.errors[at(std::max(one, other))];  // By whom all are.
  std::vector<bool> above(fit_.errors.size());
  const auto up = [&](int rank) { return fit_.known_by[at(rank)]; };
  for (int rank = one; !above[at(rank)]; rank = up(rank)) above[at(rank)] = true;
  int both = other;
  while (!above[at(both)]) both = up(both);
  return fit_.errors[at(one)] + fit_.errors[at(other)] - 2 * fit_.errors[at(both)];
}

std::int64_t time_errors::between(int one, int other) const {
  if (one == other || !knows(one) || !knows(other)) return 0;
  const auto a = static_cast<std::size_t>(one), b = static_cast<std::size_t>(other);
  if (fit_.errors[a] == never || fit_.errors[b] == never) return never;
  const clock_shift &mine = fit_.shifts[a], &theirs = fit_.shifts[b];
  const double drifted = std::abs(mine.rate - theirs.rate) * static_cast<double>(half_);
  return not_known_of(one, other) + std::abs(mine.ahead - theirs.ahead) +
         static_cast<std::int64_t>(drifted);
}

std::int64_t time_errors::worst() const {
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank < fit_.errors.size(); ++rank) {
    const std::int64_t mine = of(static_cast<int>(rank));
    if (mine == never) return never;
    most = std::max(most, mine);
  }
  return most;
}

bool time_errors::tell(int from, int to, std::int64_t took) const {
  const std::int64_t error = between(from, to);
  return error == 0 || (error != never && 2 * error <= took);
}

std::int64_t time_errors::corrected(int rank, std::int64_t time) const {
  if (!knows(rank)) return time;
  const clock_shift& mine = fit_.shifts[static_cast<std::size_t>(rank)];
  const double drifted = mine.rate * static_cast<double>(origin_ + time - mine.at);
  return time - mine.ahead - static_cast<std::int64_t>(drifted);
}

bool time_errors::can_be_corrected(int one, int other) const {
  const std::int64_t error = between(one, other);
  return error > 0 && 2 * not_known_of(one, other) <= error;
}

std::string say_time_error(std::int64_t error) {
  return error == 0 ? "" : error == never ? "±?" : "±" + say_time(error);
}

std::string say_clocks_apart(int one, int other, std::int64_t error) {
  const std::string both =
      "clocks of rank " + std::to_string(one) + " and rank " + std::to_string(other);
  return error == never ? "how far " + both + " are apart, nothing tells"
                        : both + " may be " + say_time(error) + " apart";
}

}  // namespace deed::viewer
