// SPDX-License-Identifier: MIT
#include "exercise.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace deed::doctor {
namespace {

using word = std::uint64_t;

word next_of(word left, word self, word right) { return 3 * self + left + 5 * right + 1; }

constexpr codelet add_one{"add one", [](word& token) { ++token; }};
constexpr codelet renew{"renew", [](word& to, const word& left, const word& self,
                                    const word& right) { to = next_of(left, self, right); }};
constexpr codelet compare{"compare", [](const word& got, word wanted) {
                            if (got == wanted) return;
                            throw std::runtime_error("a value is " + std::to_string(got) +
                                                     " and should be " + std::to_string(wanted));
                          }};
constexpr codelet fill{"fill", [](std::vector<word>& values, word first) {
                         std::iota(values.begin(), values.end(), first);
                       }};
constexpr codelet sum{"sum", [](const std::vector<word>& values, word& total) {
                        total = std::accumulate(values.begin(), values.end(), word{0});
                      }};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A ring of cells, each with its neighbours' values of the step before, against a plain loop.
long run_stencil(session& session) {
  constexpr int cells = 64, steps = 20;
  std::vector<word> plain(cells);
  std::iota(plain.begin(), plain.end(), word{1});
  std::vector<handle<word>> now, then;
  for (int i = 0; i < cells; ++i) {
    const owner who{i * session.size() / cells};
    now.push_back(session.register_data(who, plain[static_cast<std::size_t>(i)]));
    then.push_back(session.register_data(who, word{0}));
  }
  const auto at = [](int i) { return static_cast<std::size_t>((i + cells) % cells); };
  for (int step = 0; step < steps; ++step) {
    std::vector<word> after(cells);
    for (int i = 0; i < cells; ++i) {
      session.insert_task(renew, write(then[at(i)]), read(now[at(i - 1)]), read(now[at(i)]),
                          read(now[at(i + 1)]));
      after[at(i)] = next_of(plain[at(i - 1)], plain[at(i)], plain[at(i + 1)]);
    }
    std::swap(now, then);
    std::swap(plain, after);
  }
  for (int i = 0; i < cells; ++i)
    session.insert_task(compare, read(now[at(i)]), value(plain[at(i)]), on_owner_of(now[at(i)]));
  session.wait();
  return cells * steps;
}

double time_hops(session& session) {
  constexpr int hops = 500;
  auto token = session.register_data(owner{0}, word{0});
  const auto go_round = [&](int count) {
    const double begin = seconds();
    for (int i = 0; i < count; ++i)
      session.insert_task(add_one, read_write(token), on(rank{i % session.size()}));
    session.wait();
    return seconds() - begin;
  };
  go_round(2 * session.size());  // Who has not met has no connection yet.
  return 1e6 * go_round(hops) / hops;
}

double time_large(session& session) {
  constexpr std::size_t count = (std::size_t{16} << 20) / sizeof(word);
  auto values = session.register_data(owner{0}, std::vector<word>(count));
  auto total = session.register_data(owner{session.size() - 1}, word{0});
  double best = 1e9;
  for (word round = 0; round < 4; ++round) {
    session.insert_task(fill, read_write(values), value(round));
    session.wait();
    const double begin = seconds();
    session.insert_task(sum, read(values), write(total));
    session.wait();
    best = std::min(best, seconds() - begin);
    const word wanted = count * round + count * (count - 1) / 2;
    session.insert_task(compare, read(total), value(wanted), on_owner_of(total));
  }
  session.wait();
  return static_cast<double>(count * sizeof(word)) / best / 1e9;
}

}  // namespace

exercise_result exercise(session& session) {
  exercise_result result;
  result.tasks = run_stencil(session);
  if (session.size() == 1) return result;
  result.hop_us = time_hops(session);
  result.large_gbps = time_large(session);
  return result;
}

}  // namespace deed::doctor
