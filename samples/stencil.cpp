// SPDX-License-Identifier: MIT
// A five-point stencil in place, on a matrix of single elements that a function deals out to the
// ranks; each leaves out the tasks that do not concern it.
#include <deed/deed.hpp>

#include <array>
#include <iostream>
#include <tuple>

namespace {

using element = deed::tile<double>;
using const_element = deed::tile<const double>;

constexpr auto average = [](double centre, double north, double south, double west, double east) {
  return (centre + north + south + west + east) / 5;
};
constexpr deed::codelet stencil5{
    "stencil5", [](element centre, const_element north, const_element south, const_element west,
                   const_element east) {
      centre(0, 0) = average(centre(0, 0), north(0, 0), south(0, 0), west(0, 0), east(0, 0));
    }};
constexpr deed::codelet set{"set", [](element x, double to) { x(0, 0) = to; }};

constexpr std::size_t rows = 12, cols = 14;
constexpr int steps = 8;

double first_value(std::size_t i, std::size_t j) { return static_cast<double>(i * 31 % 17 + j); }

std::array<std::array<double, cols>, rows> sequential() {
  std::array<std::array<double, cols>, rows> x{};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) x[i][j] = first_value(i, j);
  }
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 1; i + 1 < rows; ++i) {
      for (std::size_t j = 1; j + 1 < cols; ++j)
        x[i][j] = average(x[i][j], x[i - 1][j], x[i + 1][j], x[i][j - 1], x[i][j + 1]);
    }
  }
  return x;
}

void stencil(deed::session& session) {
  const int ranks = session.size();
  const auto anti_diagonal = [ranks](std::size_t i, std::size_t j) {
    return static_cast<int>((i + j) % static_cast<std::size_t>(ranks));
  };
  deed::tiled_matrix<double> x{session,
                               {.rows = rows,
                                .cols = cols,
                                .tile_rows = 1,
                                .tile_cols = 1,
                                .owners = anti_diagonal,
                                .name = "x"}};
  deed::for_each_tile(session, x.indices(), set, [&](std::size_t i, std::size_t j) {
    return std::tuple{deed::write(x(i, j)), deed::value(first_value(i, j))};
  });
  for (int step = 0; step < steps; ++step) {
    deed::for_each_tile(session, x.interior(), stencil5, [&](std::size_t i, std::size_t j) {
      return std::tuple{deed::read_write(x(i, j)), deed::read(x(i - 1, j)), deed::read(x(i + 1, j)),
                        deed::read(x(i, j - 1)), deed::read(x(i, j + 1))};
    });
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  const auto expected = sequential();
  bool differs = false;
  for (auto [i, j] : x.indices()) {
    if (session.owns(x(i, j)))
      differs |= (*session.borrow(deed::read(x(i, j))))(0, 0) != expected[i][j];
  }
  if (session.any(differs))
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the result differs from the sequential one");
  if (session.rank() == 0)
    std::cout << steps << " steps, equal, bit for bit, to the sequential loop\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, stencil); }
