// SPDX-License-Identifier: MIT
// Heat spreads over a plate whose first state is a picture. Nothing is sent by hand: tasks say what
// they read and write, and the library moves what must move.
#include <deed/deed.hpp>

#include "kernels/relax.hpp"
#include "support/image.hpp"
#include "support/report.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using tile = deed::tile<double>;  // 2-D view, row-major, carries its extents
using const_tile = deed::tile<const double>;

struct extents {
  std::size_t rows, cols;
};

constexpr deed::codelet load{
    "load",
    [](tile now, tile next, const sample::image& picture, std::size_t row, std::size_t col) {
      for (std::size_t i = 0; i < now.rows(); ++i) {
        for (std::size_t j = 0; j < now.cols(); ++j) {
          next(i, j) = now(i, j) = picture.pixels[(row + i) * picture.cols + col + j];
        }
      }
    }};

constexpr deed::codelet relax{
    "relax",
#ifdef SAMPLE_CUDA
    deed::cuda{cuda::relax},
#endif
#ifdef SAMPLE_HIP
    deed::hip{hip::relax},
#endif
    deed::cpu{[](tile next, const_tile now, const_tile north, const_tile south, const_tile west,
                 const_tile east) {
      const std::size_t rows = now.rows(), cols = now.cols();
      for (std::size_t i = 0; i < rows; ++i) {
        const auto here = now.row(i);
        const auto up = i == 0 ? north.row(north.rows() - 1) : now.row(i - 1);
        const auto down = i + 1 == rows ? south.row(0) : now.row(i + 1);
        const auto out = next.row(i);
        out[0] = relaxed(here[0], up[0], down[0], west(i, west.cols() - 1),
                         cols == 1 ? east(i, 0) : here[1]);
        for (std::size_t j = 1; j + 1 < cols; ++j)
          out[j] = relaxed(here[j], up[j], down[j], here[j - 1], here[j + 1]);
        if (cols > 1)
          out[cols - 1] =
              relaxed(here[cols - 1], up[cols - 1], down[cols - 1], here[cols - 2], east(i, 0));
      }
    }}};

struct options {
  std::string in = DEED_SAMPLE_DATA "/plate.pgm", out = "heat.pgm";
  int steps = 100, tile = 64;
};

options read_options(deed::arguments given) {
  options wanted;
  for (const std::string& each : given) {
    if (each == "--help") {
      throw deed::stop_run(deed::exit_code::success,
                           "heat [IMAGE.pgm] [--steps=100] [--tile=64] [--out=heat.pgm]");
    } else if (each.starts_with("--steps=")) {
      wanted.steps = sample::positive(each);
    } else if (each.starts_with("--tile=")) {
      wanted.tile = sample::positive(each);
    } else if (each.starts_with("--out=")) {
      wanted.out = each.substr(6);
    } else if (each.starts_with("-")) {
      throw deed::stop_run(deed::exit_code::bad_option,
                           each + ": no such option; `heat --help` lists them");
    } else {
      wanted.in = each;
    }
  }
  return wanted;
}

/// The same computation without tasks: every point but those of the tiles at the border.
std::vector<double> sequential(const sample::image& first, std::size_t edge, int steps) {
  const std::size_t rows = first.rows, cols = first.cols;
  const std::size_t last_row = (rows - 1) / edge * edge, last_col = (cols - 1) / edge * edge;
  std::vector<double> now(first.pixels.begin(), first.pixels.end()), next = now;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = edge; i < last_row; ++i) {
      for (std::size_t j = edge; j < last_col; ++j) {
        const std::size_t at = i * cols + j;
        next[at] = relaxed(now[at], now[at - cols], now[at + cols], now[at - 1], now[at + 1]);
      }
    }
    std::swap(now, next);
  }
  return now;
}

/// On rank 0: the whole plate, from tiles that were brought here.
std::vector<double> assemble(deed::session& session, const deed::tiled_matrix<double>& now) {
  std::vector<double> plate(now.rows() * now.cols());
  for (auto [i, j] : now.indices()) {
    const auto part = session.borrow(deed::read(now(i, j)));
    const auto [row, col] = now.origin(i, j);
    for (std::size_t k = 0; k < (*part).rows(); ++k) {
      std::ranges::copy((*part).row(k),
                        plate.begin() + static_cast<std::ptrdiff_t>((row + k) * now.cols() + col));
    }
  }
  return plate;
}

void heat(deed::session& session, deed::arguments given) {
  const options wanted = read_options(given);
  const bool first_rank = session.rank() == 0;
  if (first_rank) sample::check_writable(wanted.out);
  sample::phases phases;

  // Each rank gets the picture, and its part of two fields.
  const double bytes_per_pixel =
      sample::ranks_here(session.size()) * (1 + 2.0 * sizeof(double) / session.size());
  sample::image read =
      first_rank ? sample::read_image(wanted.in, bytes_per_pixel) : sample::image{};
  const auto [rows, cols] =
      session.broadcast(deed::value(extents{read.rows, read.cols}), deed::from{0});
  auto picture = session.register_data(  // It goes to who has tiles only.
      deed::owner{0}, [&] { return std::move(read); }, {.name = "picture"});
  phases.end("read");

  deed::tiled_matrix<double> now{session,
                                 {.rows = static_cast<std::ptrdiff_t>(rows),
                                  .cols = static_cast<std::ptrdiff_t>(cols),
                                  .tile_rows = wanted.tile,
                                  .tile_cols = wanted.tile,
                                  .owners = deed::block_cyclic{session.size()},
                                  .name = "now"}};
  auto next = now.like("next");
  for (auto [i, j] : now.indices()) {
    const auto [row, col] = now.origin(i, j);
    session.insert_task(load, deed::write(now(i, j)), deed::write(next(i, j)), deed::read(picture),
                        deed::value(row), deed::value(col));
  }
  for (int step = 0; step < wanted.steps; ++step) {
    for (auto [i, j] :
         now.interior())  // every rank runs the same loop; each keeps what concerns it
      session.insert_task(relax, deed::write(next(i, j)), deed::read(now(i, j)),
                          deed::read(now(i - 1, j)), deed::read(now(i + 1, j)),
                          deed::read(now(i, j - 1)), deed::read(now(i, j + 1)));
    std::swap(now, next);
    if (first_rank && !session.is_dry()) sample::show_progress(step + 1, wanted.steps);
  }
  session.wait();
  phases.end("compute");
  if (session.is_dry()) return;  // There is no plate to look at.

  for (auto [i, j] : now.indices()) session.fetch(deed::read(now(i, j)), deed::to{0});
  session.wait();
  if (first_rank) {
    const std::vector<double> plate = assemble(session, now);
    sample::image result{rows, cols, {}};
    for (const double x : plate) result.pixels.push_back(static_cast<std::uint8_t>(std::lround(x)));
    sample::write_image(wanted.out, result);
    phases.end("write");
    const auto start = session.borrow(deed::read(picture));
    if (plate != sequential(*start, static_cast<std::size_t>(wanted.tile), wanted.steps)) {
      throw deed::stop_run(deed::exit_code::codelet_threw,
                           "the result differs from the sequential one");
    }
    phases.end("check");
  }
  sample::report(session, phases);
  if (first_rank) {
    std::cout << "equal, bit for bit, to the sequential computation; " << wanted.out
              << " holds the plate after " << wanted.steps << " steps\n";
  }
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, heat); }
