// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

/// @file
/// How many tasks this rank inserted for each rank. Whoever runs a task inserts it, so no rank may
/// have inserted more of them than their runner: the others were inserted in vain, and nothing
/// else tells. (Fewer are right: a rank may leave out what does not concern it.)

namespace deed::runtime {

/// Threads: the submitter; others while it waits for them.
/// Cost: an addition and a store per task; 16 bytes per rank.
class census {
 public:
  /// What ranks exchange grows with their number: more of them count nothing.
  static constexpr int most_ranks = 256;

  struct inserted {
    std::uint64_t count = 0;
    place newest;
  };
  /// Of one runner's tasks.
  struct most {
    std::uint64_t count = 0;
    int by = 0;  ///< The runner if it inserted so many, else the first that did.
  };

  explicit census(int ranks)
      : by_runner_(ranks > 1 && ranks <= most_ranks ? static_cast<std::size_t>(ranks) : 0) {}

  [[nodiscard]] bool counts() const noexcept { return !by_runner_.empty(); }
  void add(std::uint32_t runner, place where) noexcept {
    if (!counts()) return;
    inserted& those = by_runner_[runner];
    ++those.count;
    those.newest = where;
  }
  /// What was inserted since `before` is inserted `times` times more.
  void advance_since(const census& before, std::uint64_t times) noexcept {
    for (std::size_t i = 0; i < by_runner_.size(); ++i)
      by_runner_[i].count += (by_runner_[i].count - before.by_runner_[i].count) * times;
  }
  [[nodiscard]] const inserted& of(int runner) const noexcept {
    return by_runner_[static_cast<std::size_t>(runner)];
  }
  /// One per runner. The largest of all ranks' says who inserted most of its tasks.
  [[nodiscard]] std::vector<std::uint64_t> words(int rank) const {
    std::vector<std::uint64_t> all;
    for (const inserted& each : by_runner_) {
      const bool runs = all.size() == static_cast<std::size_t>(rank);
      all.push_back(each.count * base +
                    (runs ? by_runner : static_cast<std::uint64_t>(most_ranks - rank)));
    }
    return all;
  }
  /// Those who inserted more than the runner did, by runner.
  [[nodiscard]] static std::map<int, most> in_vain(std::span<const std::uint64_t> largest) {
    std::map<int, most> found;
    for (std::size_t of = 0; of < largest.size(); ++of) {
      if (largest[of] % base == by_runner) continue;
      found[static_cast<int>(of)] = {largest[of] / base,
                                     most_ranks - static_cast<int>(largest[of] % base)};
    }
    return found;
  }

 private:
  static constexpr std::uint64_t base = 2 * most_ranks, by_runner = base - 1;  // Runners win ties.
  std::vector<inserted> by_runner_;
};

}  // namespace deed::runtime
