// SPDX-License-Identifier: MIT
// The temperature of a heated plate with cold edges, by multigrid: a few relaxations smooth what is
// wrong, and a grid of cells that are twice as wide finds the smooth rest, by the same means.
// Source: Briggs, Henson, McCormick, A Multigrid Tutorial (SIAM 2000), chapter 3.
#include <deed/deed.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

namespace {

using strip = deed::tile<double>;  // Some rows of a grid, each over its whole width.
using const_strip = deed::tile<const double>;

constexpr std::size_t finest = 128, strips = 8, grids = 5;  // The coarsest strips have one row.
constexpr int cycles = 10, relaxations = 2, on_coarsest = 24;

double heating(std::size_t i, std::size_t j) { return (i / 16 + j / 32) % 3 == 0 ? 100.0 : 0.0; }

/// A strip and those around it: at an edge of the plate itself. Edges are cold: beyond is a mirror.
struct surrounded {
  const_strip here, above, below;

  [[nodiscard]] bool is(const_strip other) const { return other.data() == here.data(); }
  [[nodiscard]] double north(std::size_t i, std::size_t j) const {
    return i > 0 ? here(i - 1, j) : is(above) ? -here(i, j) : above(above.rows() - 1, j);
  }
  [[nodiscard]] double south(std::size_t i, std::size_t j) const {
    return i + 1 < here.rows() ? here(i + 1, j) : is(below) ? -here(i, j) : below(0, j);
  }
  [[nodiscard]] double west(std::size_t i, std::size_t j) const {
    return j > 0 ? here(i, j - 1) : -here(i, j);
  }
  [[nodiscard]] double east(std::size_t i, std::size_t j) const {
    return j + 1 < here.cols() ? here(i, j + 1) : -here(i, j);
  }
  /// What is wrong in a cell: what comes in by heating `f` and from its neighbours, and stays.
  [[nodiscard]] double excess(const_strip f, std::size_t i, std::size_t j) const {
    const double width = 1.0 / static_cast<double>(here.cols());
    return f(i, j) * width * width + north(i, j) + south(i, j) + west(i, j) + east(i, j) -
           4 * here(i, j);
  }
};

void relax_strip(strip next, const_strip f, const surrounded& u) {
  for (std::size_t i = 0; i < next.rows(); ++i)
    for (std::size_t j = 0; j < next.cols(); ++j)
      next(i, j) = u.here(i, j) + 0.2 * u.excess(f, i, j);
}
/// What is wrong heats the coarser grid, which begins cold.
void coarsen_strip(strip coarse_f, strip coarse_u, const_strip f, const surrounded& u) {
  const auto cells = static_cast<double>(f.cols() * f.cols());
  for (std::size_t i = 0; i < coarse_f.rows(); ++i) {
    for (std::size_t j = 0; j < coarse_f.cols(); ++j) {
      const double sum = u.excess(f, 2 * i, 2 * j) + u.excess(f, 2 * i, 2 * j + 1) +
                         u.excess(f, 2 * i + 1, 2 * j) + u.excess(f, 2 * i + 1, 2 * j + 1);
      coarse_f(i, j) = sum * cells / 4;
      coarse_u(i, j) = 0;
    }
  }
}
void correct_strip(strip u, const_strip coarse) {
  for (std::size_t i = 0; i < u.rows(); ++i)
    for (std::size_t j = 0; j < u.cols(); ++j) u(i, j) += coarse(i / 2, j / 2);
}

constexpr deed::codelet heat{"heat", [](strip f, std::size_t row) {
                               for (std::size_t i = 0; i < f.rows(); ++i)
                                 for (std::size_t j = 0; j < f.cols(); ++j)
                                   f(i, j) = heating(row + i, j);
                             }};
constexpr deed::codelet relax{
    "relax", [](strip next, const_strip f, const_strip u, const_strip above, const_strip below) {
      relax_strip(next, f, {u, above, below});
    }};
constexpr deed::codelet coarsen{
    "coarsen", [](strip coarse_f, strip coarse_u, const_strip f, const_strip u, const_strip above,
                  const_strip below) { coarsen_strip(coarse_f, coarse_u, f, {u, above, below}); }};
constexpr deed::codelet correct{"correct", correct_strip};

/// One grid of the plate: temperatures now, after the next relaxation, and what heats.
struct grid {
  deed::tiled_matrix<double> u, next, f;
};

std::size_t above(std::size_t s) { return s > 0 ? s - 1 : s; }
std::size_t below(std::size_t s) { return s + 1 < strips ? s + 1 : s; }

void relax_all(deed::session& session, grid& on, int times) {
  const std::size_t cells = on.u.rows() * on.u.cols() / strips;  // For the time of virtual ranks.
  for (int k = 0; k < times; ++k, std::swap(on.u, on.next))
    for (std::size_t s = 0; s < strips; ++s)
      session.insert_task(relax, deed::write(on.next(s, 0)), deed::read(on.f(s, 0)),
                          deed::read(on.u(s, 0)), deed::read(on.u(above(s), 0)),
                          deed::read(on.u(below(s), 0)), deed::flops{10 * cells});
}

void cycle(deed::session& session, std::vector<grid>& plate, std::size_t level) {
  grid& fine = plate[level];
  if (level + 1 == grids) return relax_all(session, fine, on_coarsest);
  grid& coarse = plate[level + 1];
  relax_all(session, fine, relaxations);
  for (std::size_t s = 0; s < strips; ++s)
    session.insert_task(coarsen, deed::write(coarse.f(s, 0)), deed::write(coarse.u(s, 0)),
                        deed::read(fine.f(s, 0)), deed::read(fine.u(s, 0)),
                        deed::read(fine.u(above(s), 0)), deed::read(fine.u(below(s), 0)));
  cycle(session, plate, level + 1);
  for (std::size_t s = 0; s < strips; ++s)
    session.insert_task(correct, deed::read_write(fine.u(s, 0)), deed::read(coarse.u(s, 0)));
  relax_all(session, fine, relaxations);
}

/// The same without tasks: one strip that is the whole plate.
struct plain_grid {
  std::size_t width;
  std::vector<double> u = std::vector<double>(width * width), next = u, f = u;

  strip whole(std::vector<double>& of) { return {of.data(), width, width}; }
  surrounded plate() { return {whole(u), whole(u), whole(u)}; }
  void relax(int times) {
    for (int k = 0; k < times; ++k, std::swap(u, next)) relax_strip(whole(next), whole(f), plate());
  }
};
void cycle(std::vector<plain_grid>& plate, std::size_t level) {
  plain_grid& fine = plate[level];
  if (level + 1 == grids) return fine.relax(on_coarsest);
  plain_grid& coarse = plate[level + 1];
  fine.relax(relaxations);
  coarsen_strip(coarse.whole(coarse.f), coarse.whole(coarse.u), fine.whole(fine.f), fine.plate());
  cycle(plate, level + 1);
  correct_strip(fine.whole(fine.u), coarse.whole(coarse.u));
  fine.relax(relaxations);
}
plain_grid sequential() {
  std::vector<plain_grid> plate;
  for (std::size_t level = 0; level < grids; ++level) plate.push_back({finest >> level});
  for (std::size_t i = 0; i < finest; ++i)
    for (std::size_t j = 0; j < finest; ++j) plate[0].f[i * finest + j] = heating(i, j);
  for (int k = 0; k < cycles; ++k) cycle(plate, 0);
  return plate[0];
}

/// What is still wrong in the worst cell, of what was wrong there when the plate was cold.
double rest(plain_grid& of) {
  const surrounded plate = of.plate();
  double largest = 0;
  for (std::size_t i = 0; i < finest; ++i)
    for (std::size_t j = 0; j < finest; ++j)
      largest = std::max(largest, std::abs(plate.excess(of.whole(of.f), i, j)));
  return largest * finest * finest / 100;
}

void multigrid(deed::session& session) {
  std::vector<grid> plate;
  for (std::size_t level = 0; level < grids; ++level) {
    const auto width = static_cast<std::ptrdiff_t>(finest >> level);
    deed::tiled_matrix<double> u{session,
                                 {.rows = width,
                                  .cols = width,
                                  .tile_rows = width / static_cast<std::ptrdiff_t>(strips),
                                  .tile_cols = width,
                                  .owners = deed::block{session.size()},
                                  .initial = 0.0,
                                  .name = "u"}};
    auto next = u.like("next"), f = u.like("f");
    plate.push_back({std::move(u), std::move(next), std::move(f)});
  }
  for (std::size_t s = 0; s < strips; ++s)
    session.insert_task(heat, deed::write(plate[0].f(s, 0)), deed::value(s * finest / strips));
  for (int k = 0; k < cycles; ++k) cycle(session, plate, 0);
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  std::vector<plain_grid> expected;  // Of ranks that have something to compare.
  bool wrong = false;
  for (std::size_t s = 0; s < strips; ++s) {
    if (!session.owns(plate[0].u(s, 0))) continue;
    if (expected.empty()) expected.push_back(sequential());
    const auto ours = session.borrow(deed::read(plate[0].u(s, 0)));
    for (std::size_t i = 0; i < (*ours).rows(); ++i)
      for (std::size_t j = 0; j < finest; ++j)
        wrong = wrong || (*ours)(i, j) != expected[0].u[(s * (*ours).rows() + i) * finest + j];
  }
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "the plate is not the sequential one");
  if (session.rank() == 0)
    std::cout << finest << " x " << finest << " cells, equal, bit for bit, to the sequential ones; "
              << cycles << " cycles leave " << rest(expected[0]) << " of what was wrong\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, multigrid); }
