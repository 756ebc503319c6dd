// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>
#include <deed/deed.hpp>

#include "tasks.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

/// @file
/// What a program that the shrinker printed needs beside the library itself: values with a known
/// content, and comparisons with what the model says.

namespace oracle {

/// @throws std::runtime_error that says `what` is wrong.
void expect(std::uint64_t found, std::uint64_t wanted, std::string_view what);

/// The value that the plan registers a datum with.
template <class T>
[[nodiscard]] T first(int datum, int rank, bool large) {
  T value{};
  assign(&value, first_seed(datum, rank), large);
  return value;
}

template <class T>
[[nodiscard]] T from_seed(std::uint64_t seed, bool large) {
  T value{};
  assign(&value, seed, large);
  return value;
}

/// What a task reads on this rank.
[[nodiscard]] inline std::uint64_t on_ranks(
    int rank, std::initializer_list<std::pair<int, std::uint64_t>> wanted) {
  for (const auto& [each, inputs] : wanted) {
    if (each == rank) return inputs;
  }
  return 0;
}
/// The place of a rank of the session in a group.
[[nodiscard]] inline int member(const deed::group& all, int rank) {
  for (int i = 0; i < all.size(); ++i) {
    if (all.in_session(i).value == rank) return i;
  }
  return -1;
}
/// Data as the list that a call takes.
template <class T>
[[nodiscard]] auto listed(std::vector<deed::handle<T>*> data) {
  return std::views::transform(std::views::all(std::move(data)),
                               [](deed::handle<T>* each) -> deed::handle<T>& { return *each; });
}

/// The body of a task: compares what it reads, and writes what follows from it. In a repetition it
/// reads something else each time.
void compute(int task, std::optional<std::uint64_t> wanted,
             std::initializer_list<operand> operands);

/// What a borrow sees.
template <class View>
void look(const View& value, std::uint64_t wanted) {
  expect(hash_of(seen_of(value)), wanted, "what a borrow sees");
}

template <class T>
void look_at_all(const std::vector<T>& values, std::uint64_t wanted) {
  std::uint64_t hash = 0;
  for (const T& each : values) hash = deed::mix(hash, hash_of(seen_of(each)));
  expect(hash, wanted, "what a list of data has");
}

/// Counts the callbacks that run, and those that have to.
class callbacks {
 public:
  /// For a call whose callback runs on this rank, or not.
  [[nodiscard]] auto one(bool here = true) {
    wanted_ += here ? 1 : 0;
    return deed::when_done([this] { done_.fetch_add(1, std::memory_order_relaxed); });
  }
  void check() const { expect(done_.load(), wanted_, "the number of callbacks"); }

 private:
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t wanted_ = 0;
};

/// Waits for half of the requests, one by one, and for all with the session.
void finish(deed::session& session, std::vector<deed::request>& requests, const callbacks& calls);

struct traffic_to {
  int peer;
  std::uint64_t transfers, bytes;
};
/// What this rank has done since its session began, after a `wait()`.
void expect_counts(const deed::session& session, std::uint64_t tasks, std::uint64_t cache_hits,
                   std::initializer_list<traffic_to> sent);

/// Runs the program on simulated ranks, with `--threads` on threads; with `--planted=NAME` the bug
/// of that name is in, where the build has them. Prints what is wrong. Ends within a minute.
/// @return what `main` returns: 0 if all is as the model says.
int reproduce(int argc, char** argv, const settings& how, void (*program)(deed::session&));

}  // namespace oracle
