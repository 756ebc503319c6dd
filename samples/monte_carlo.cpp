// SPDX-License-Identifier: MIT
// Pi from random points: batches of them run anywhere, and their hits are added up. More batches
// are made until the estimate is good enough, which all ranks see in one number.
#include <deed/deed.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

namespace {

constexpr int batches = 16, points = 20000;  // Per round; per batch.

struct random_points {
  std::uint64_t state;
  double next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  }
};

std::int64_t hits_of(int batch) {
  random_points random{static_cast<std::uint64_t>(batch) * 0x9e3779b97f4a7c15u + 1};
  std::int64_t hits = 0;
  for (int i = 0; i < points; ++i) {
    const double x = random.next(), y = random.next();
    if (x * x + y * y < 1) ++hits;
  }
  return hits;
}

constexpr deed::codelet throw_points{"throw_points",
                                     [](std::int64_t& hits, const int& first, int step) {
                                       hits += hits_of(first + step * batches);
                                     }};

/// Half the width of the interval in which pi lies with 95 %.
double doubt(double pi, std::int64_t thrown) {
  return 1.96 * std::sqrt(pi * (4 - pi) / static_cast<double>(thrown));
}

void monte_carlo(deed::session& session) {
  auto hits =
      session.register_data(deed::owner{0}, std::int64_t{0},
                            deed::reduction{std::plus<>{}, std::int64_t{0}}, {.name = "hits"});
  std::vector<deed::handle<int>> batch;  // Spread, so that tasks that read one are spread, too.
  for (int i = 0; i < batches; ++i)
    batch.push_back(session.register_data(deed::owner{i % session.size()}, i, {.name = "batch"}));

  double pi = 0;
  int rounds = 0;
  for (double wanted = 0.005;
       rounds == 0 || doubt(pi, std::int64_t{rounds} * batches * points) > wanted; ++rounds) {
    for (const auto& each : batch)
      session.insert_task(throw_points, deed::reduce(hits), deed::read(each), deed::value(rounds));
    session.fetch(deed::read(hits), deed::everywhere);
    const auto thrown = static_cast<double>(rounds + 1) * batches * points;
    pi = 4 * static_cast<double>(*session.borrow(deed::read(hits))) / thrown;
  }
  if (session.is_dry()) return;  // There is no result to check.

  std::int64_t expected = 0;
  for (int i = 0; i < rounds * batches; ++i) expected += hits_of(i);
  if (*session.borrow(deed::read(hits)) != expected)
    throw deed::stop_run(deed::exit_code::codelet_threw, "the hits differ from sequential ones");
  if (session.rank() == 0) std::cout << "pi is about " << pi << " after " << rounds << " rounds\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, monte_carlo); }
