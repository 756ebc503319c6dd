// SPDX-License-Identifier: MIT
// `y += a x`, tile by tile: one functor for processors and for the devices of each vendor. Which of
// a rank's workers runs a tile follows from where its numbers are and how long such tiles took.
#include <deed/deed.hpp>
#include <deed/gpu/for_each.hpp>

#include "kernels/axpy.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>

namespace {

using tile = deed::tile<float>;
using const_tile = deed::tile<const float>;

constexpr int rounds = 10;
constexpr std::size_t edge = 64, tiles = 4;
constexpr float factor = 0.3F;

constexpr deed::codelet fill{"fill", [](tile t, float first, std::size_t number) {
                               for (std::size_t i = 0; i < t.rows(); ++i)
                                 for (std::size_t j = 0; j < t.cols(); ++j)
                                   t(i, j) =
                                       first + static_cast<float>((i * 37 + j + number) % 101);
                             }};
constexpr deed::codelet saxpy{"saxpy",
#ifdef SAMPLE_CUDA
                              deed::cuda{cuda::saxpy},
#endif
#ifdef SAMPLE_HIP
                              deed::hip{hip::saxpy},
#endif
                              deed::cpu{[](tile y, const_tile x, float a) {
                                deed::gpu::for_each(y.size(), saxpy_element{}, y, x, a);
                              }}};

/// The largest relative difference to a loop on this processor.
float difference(const_tile found, std::size_t number) {
  const auto value = [&](float first, std::size_t i, std::size_t j) {
    return first + static_cast<float>((i * 37 + j + number) % 101);
  };
  float largest = 0;
  for (std::size_t i = 0; i < edge; ++i) {
    for (std::size_t j = 0; j < edge; ++j) {
      float y = value(1, i, j);
      for (int round = 0; round < rounds; ++round) y += factor * value(0, i, j);
      largest = std::max(largest, std::abs(found(i, j) - y) / y);
    }
  }
  return largest;
}

void program(deed::session& session) {
  constexpr std::ptrdiff_t whole = edge * tiles, part = edge;
  deed::tiled_matrix<float> x{
      session, {.rows = whole, .cols = whole, .tile_rows = part, .tile_cols = part, .name = "x"}};
  auto y = x.like("y");
  for (auto [i, j] : x.indices()) {
    const std::size_t number = i * tiles + j;
    session.insert_task(fill, deed::write(x(i, j)), deed::value(0.0F), deed::value(number));
    session.insert_task(fill, deed::write(y(i, j)), deed::value(1.0F), deed::value(number));
  }
  for (int round = 0; round < rounds; ++round) {
    for (auto [i, j] : x.indices())
      session.insert_task(saxpy, deed::read_write(y(i, j)), deed::read(x(i, j)),
                          deed::value(factor));
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.
  if (const auto on_devices = session.statistics().tasks_on_devices; on_devices != 0)
    std::cout << "tasks on devices of rank " << session.rank() << ": " << on_devices << '\n';

  // A device may round once where a processor rounds product and sum, in each round.
  constexpr float allowed = rounds * std::numeric_limits<float>::epsilon();
  bool differs = false;
  for (auto [i, j] : y.indices()) {
    if (session.owns(y(i, j)))
      differs |= !(difference(*session.borrow(deed::read(y(i, j))), i * tiles + j) <= allowed);
  }
  if (session.any(differs))
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the result differs from the sequential one");
  if (session.rank() == 0)
    std::cout << whole * whole << " numbers, within " << allowed << " of the sequential ones\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
