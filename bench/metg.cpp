// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "shapes.h"
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

/// The smallest granularity at which half of the best rate of computation is reached, METG(50 %),
/// of a one-dimensional stencil of width 2: each of two points is computed from both of the step
/// before. With one rank by deed, with two by deed and by plain MPI. Microseconds, elapsed time by
/// two cores per task. Also the efficiency at tasks of 65 microseconds.
/// Usage: mpirun -n 1 metg --deed-workers=2; mpirun -n 2 metg --deed-workers=1
/// Source of the definition: Slaughter et al., Task Bench, SC 2020.

namespace {

constexpr int width = 2;
constexpr std::size_t lanes = 64;

struct point {
  std::array<double, 2> payload{};
};

/// 2 x 64 x `iterations` operations that nothing can be left out of.
double compute(long iterations, double seed) {
  std::array<double, lanes> a;
  a.fill(seed);
  for (long i = 0; i < iterations; ++i)
    for (double& x : a) x = x * x * 0.25 + 0.5;
  double sum = 0;
  for (const double x : a) sum += x;
  return sum / lanes;
}

const auto step =
    deed::codelet("step", [](point& next, const point& left, const point& right, long iterations) {
      next.payload[0] = compute(iterations, 0.5 * (left.payload[0] + right.payload[0]));
    });

struct sample {
  double granularity;  // Microseconds.
  double rate;         // Operations per second.
};

class by_deed {
 public:
  explicit by_deed(deed::session& session) : session_(session) {
    const int last = session.size() - 1;
    for (int parity = 0; parity < 2; ++parity)
      for (int i = 0; i < width; ++i)
        points_.push_back(session.register_data(deed::owner{i == 0 ? 0 : last}, point{}));
  }
  /// An even number of steps; repeated: the graph of two of them is kept.
  double run(long steps, long iterations, bool repeated) {
    session_.barrier();
    const double begin = seconds_now();
    const auto two = [&] {
      for (const long t : {0, 1}) insert(t, iterations);
    };
    if (repeated) {
      session_.repeat(static_cast<std::uint64_t>(steps / 2), two);
    } else {
      for (long t = 0; t < steps; t += 2) two();
    }
    session_.wait();
    session_.barrier();
    return seconds_now() - begin;
  }

 private:
  void insert(long t, long iterations) {
    for (int i = 0; i < width; ++i) {
      session_.insert_task(step, deed::write(at(t + 1, i)), deed::read(at(t, 0)),
                           deed::read(at(t, 1)), deed::value(iterations));
    }
  }
  deed::handle<point>& at(long t, int i) {
    return points_[static_cast<std::size_t>(width * (t % 2) + i)];
  }
  deed::session& session_;
  std::vector<deed::handle<point>> points_;
};

double by_mpi(int rank, long steps, long iterations) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = seconds_now();
  point mine, other;
  for (long t = 0; t < steps; ++t) {
    const point before = mine;
    std::array<MPI_Request, 2> both;
    MPI_Irecv(&other, 2, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(&before, 2, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
    mine.payload[0] = compute(iterations, 0.5 * (before.payload[0] + other.payload[0]));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return seconds_now() - begin;
}

/// Of each granularity the median of three runs: one in which the system took a core away would
/// be the one where the rate crosses its half.
std::vector<sample> sweep(const std::function<double(long steps, long iterations)>& run) {
  std::vector<sample> found;
  for (long iterations = 1; iterations <= 1 << 14; iterations *= 2) {
    const long steps = std::clamp(100'000 / iterations, 50L, 1'000L) * 2;
    static_cast<void>(run(steps / 20 * 2, iterations));
    std::array<double, 3> times{};
    for (double& each : times) each = run(steps, iterations);
    std::ranges::sort(times);
    const double time = times[1];
    const auto tasks = static_cast<double>(steps * width);
    found.push_back(
        {1e6 * time * width / tasks, tasks * 3 * lanes * static_cast<double>(iterations) / time});
  }
  return found;
}

/// Where the rate crosses `share` of the best, between two samples by the logarithm.
double crossing(const std::vector<sample>& all, double share) {
  double best = 0;
  for (const sample& each : all) best = std::max(best, each.rate);
  for (std::size_t i = all.size(); i-- > 1;) {
    const double above = all[i].rate / best, below = all[i - 1].rate / best;
    if (above < share || below >= share) continue;
    const double part = (share - below) / (above - below);
    return std::exp(std::log(all[i - 1].granularity) +
                    part * std::log(all[i].granularity / all[i - 1].granularity));
  }
  return all.front().granularity;
}

double efficiency_at(const std::vector<sample>& all, double granularity) {
  double best = 0;
  for (const sample& each : all) best = std::max(best, each.rate);
  const auto nearest = std::ranges::min_element(all, {}, [&](const sample& each) {
    return std::abs(std::log(each.granularity / granularity));
  });
  return nearest->rate / best;
}

void measure(deed::session& session) {
  const bool alone = session.size() == 1;
  const auto tell = [&](const char* system, const std::vector<sample>& all) {
    if (session.rank() != 0) return;
    figure("metg", system, alone ? "1 rank, 2 workers" : "2 ranks", crossing(all, 0.5));
    figure("efficiency at 65 us", system, alone ? "1 rank, 2 workers" : "2 ranks",
           efficiency_at(all, 65));
  };
  for (long round = 0; round < setting("ROUNDS", 1); ++round) {
    by_deed tasks(session);
    for (const bool repeated : {false, true}) {
      tell(repeated ? "deed, repeated" : "deed", sweep([&](long steps, long iterations) {
             return tasks.run(steps, iterations, repeated);
           }));
    }
    if (alone) continue;
    tell("MPI", sweep([&](long steps, long iterations) {
           return by_mpi(session.rank(), steps, iterations);
         }));
  }
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, measure); }
