// SPDX-License-Identifier: MIT
// A plate in bands, of which the first quarter is dear to compute. Once the bands stay where they
// are, once the session moves them by what their tasks took. Prints both times and checks that the
// values are those of the sequential loop. `--deed-ranks=4`: in virtual time.
#include <deed/deed.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <vector>

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

constexpr std::size_t bands = 32, rows = 8, cols = 128;
constexpr int steps = 40;

/// How many steps each element of a band takes towards its neighbours.
constexpr int effort(std::size_t band) { return band < bands / 4 ? 40 : 2; }

double settled(double here, double above, double below, int times) {
  const double mean = (above + below) / 2;
  for (int i = 0; i < times; ++i) here += (mean - here) / 16;
  return here;
}

constexpr deed::codelet relax{
    "relax", [](tile next, const_tile now, const_tile north, const_tile south, int times) {
      for (std::size_t i = 0; i < now.rows(); ++i) {
        for (std::size_t j = 0; j < now.cols(); ++j) {
          const double above = i > 0 ? now(i - 1, j) : north(now.rows() - 1, j);
          const double below = i + 1 < now.rows() ? now(i + 1, j) : south(0, j);
          next(i, j) = settled(now(i, j), above, below, times);
        }
      }
    }};
constexpr deed::codelet warm{"warm", [](tile first) { first(0, 0) = 1000; }};

/// The neighbour of a band; at the end itself.
std::size_t north_of(std::size_t i) { return i == 0 ? 0 : i - 1; }
std::size_t south_of(std::size_t i) { return std::min(i + 1, bands - 1); }

struct outcome {
  std::chrono::nanoseconds took{};
  std::vector<double> column;  // On rank 0: of each band its third row.
};

outcome heat(deed::session& session, bool balanced) {
  session.barrier();
  const auto begin = session.elapsed();
  deed::tiled_matrix<double> now{session,
                                 {.rows = bands * rows,
                                  .cols = cols,
                                  .tile_rows = rows,
                                  .tile_cols = cols,
                                  .owners = deed::block{session.size()},
                                  .initial = 0.0,
                                  .name = "now"}};
  auto next = now.like("next");
  session.insert_task(warm, deed::read_write(now(0, 0)));
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < bands; ++i) {
      const auto operations = 3 * rows * cols * static_cast<std::uint64_t>(effort(i));
      session.insert_task(relax, deed::write(next(i, 0)), deed::read(now(i, 0)),
                          deed::read(now(north_of(i), 0)), deed::read(now(south_of(i), 0)),
                          deed::value(effort(i)), deed::flops{operations});
    }
    std::swap(now, next);
    if (balanced && (step == 0 || step == 4)) {  // The first call starts to measure.
      session.rebalance(now, deed::in_pieces);
      next.migrate(now.owners());
    }
  }
  session.wait();
  session.barrier();
  outcome result{session.elapsed() - begin, {}};
  for (std::size_t i = 0; i < bands; ++i) {
    session.fetch(deed::read(now(i, 0)), deed::to{0});
    if (session.rank() == 0)
      result.column.push_back((*session.borrow(deed::read(now(i, 0))))(2, 0));
  }
  return result;
}

std::vector<double> sequential() {
  constexpr std::size_t all = bands * rows;
  std::vector<double> now(all, 0.0), next(all);  // One column; they do not mix.
  now[0] = 1000;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < all; ++i) {
      // As the tiles do it, also at both ends.
      const double above = i > 0 ? now[i - 1] : now[rows - 1];
      const double below = i + 1 < all ? now[i + 1] : now[all - rows];
      next[i] = settled(now[i], above, below, effort(i / rows));
    }
    std::swap(now, next);
  }
  std::vector<double> column;
  for (std::size_t i = 0; i < bands; ++i) column.push_back(now[i * rows + 2]);
  return column;
}

void uneven(deed::session& session) {
  const outcome left = heat(session, false), moved = heat(session, true);
  if (session.is_dry() || session.rank() != 0) return;
  if (left.column != sequential() || moved.column != sequential()) {
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the result differs from the sequential one");
  }
  const auto milliseconds = [](std::chrono::nanoseconds time) {
    return static_cast<double>(time.count()) / 1e6;
  };
  std::cout << std::fixed << std::setprecision(2) << milliseconds(left.took) << " ms as it is, "
            << milliseconds(moved.took)
            << " ms balanced: " << milliseconds(left.took) / milliseconds(moved.took)
            << " times shorter\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, uneven); }
