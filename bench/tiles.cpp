// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "nobody.h"
#include "shapes.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

/// What the submission of a Cholesky factorisation costs one of many ranks, whose peers are not
/// there: seconds, megabytes and tasks, with `for_each_tile` and with plain loops. TILES and GRID
/// (ranks along each side) are variables of the environment, and LOOPS, which asks for plain loops.
/// One more rank than the grid has owns nothing and runs nothing: what it keeps is what a rank
/// knows of the tiles of others. With plain loops, floors beside: loops that only compare the
/// owners of a task's tiles with the rank, and such that note versions and readers, too.

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

const auto potrf = deed::codelet("potrf", [](tile) {});
const auto trsm = deed::codelet("trsm", [](tile, const_tile) {});
const auto syrk = deed::codelet("syrk", [](tile, const_tile) {});
const auto gemm = deed::codelet("gemm", [](tile, const_tile, const_tile) {});

/// The steps of a factorisation; `insert` gets a codelet, a space and the arguments of its tasks.
void submit(deed::tiled_matrix<double>& a, const auto& insert) {
  using deed::read;
  using deed::read_write;
  const std::size_t end = a.tile_rows();
  for (std::size_t k = 0; k < end; ++k) {
    const deed::tile_box below(k + 1, end, k, k + 1);
    insert(potrf, deed::tile_box(k, k + 1, k, k + 1),
           [&](auto i, auto j) { return std::tuple{read_write(a(i, j))}; });
    insert(trsm, below,
           [&](auto i, auto j) { return std::tuple{read_write(a(i, j)), read(a(j, j))}; });
    insert(syrk, below,
           [&](auto i, auto j) { return std::tuple{read_write(a(i, i)), read(a(i, j))}; });
    insert(gemm, deed::lower_triangle(k + 1, end), [&](auto i, auto j) {
      return std::tuple{read_write(a(i, j)), read(a(i, k)), read(a(j, k))};
    });
  }
}

void submit(deed::session& session, deed::tiled_matrix<double>& a, bool loops) {
  if (loops) {
    submit(a, [&](const auto& task, const auto& space, const auto& arguments_of) {
      for (auto [i, j] : space)
        std::apply([&](const auto&... each) { session.insert_task(task, each...); },
                   arguments_of(i, j));
    });
  } else {
    submit(a, [&](const auto& task, const auto& space, const auto& arguments_of) {
      deed::for_each_tile(session, space, task,
                          [&](deed::index i, deed::index j) { return arguments_of(i, j); });
    });
  }
}

void measure(deed::session& session, const std::string& who) {
  const long tiles = setting("TILES", 512), grid = setting("GRID", 32);
  const bool loops = setting("LOOPS", 0) != 0;
  const std::string how = loops ? "plain loops" : "for_each_tile";
  const auto owners = deed::block_cyclic{static_cast<int>(grid), static_cast<int>(grid)};
  const long before = resident_bytes();
  deed::tiled_matrix<double> a{session,
                               {.rows = tiles,
                                .cols = tiles,
                                .tile_rows = 1,
                                .tile_cols = 1,
                                .owners = owners,
                                .initial = 0.0,
                                .name = "a"}};
  const double begin = seconds_now();
  submit(session, a, loops);
  figure("cholesky submitted, seconds", how.c_str(), who.c_str(), seconds_now() - begin);
  figure("cholesky submitted, megabytes", how.c_str(), who.c_str(),
         1e-6 * static_cast<double>(resident_bytes() - before));
}

/// The least that a rank can know of a tile, and still say who has to send it to whom: tasks come
/// to it without a request, so that it follows who reads which version.
struct least_known {
  std::uint32_t owner, version;
  std::uint64_t readers;  // A bit each, where 64 have one place: a floor, not a set.
};

/// Seconds of loops over the updates of a factorisation, which are all but a hundredth of its
/// tasks.
double by_a_bare_scan(long tiles, long grid, std::uint32_t me, bool follows_readers) {
  const auto n = static_cast<std::size_t>(tiles), side = static_cast<std::size_t>(grid);
  std::vector<least_known> known(follows_readers ? n * n : 0);
  const auto owner = [&](std::size_t i, std::size_t j) {
    return static_cast<std::uint32_t>(i % side * side + j % side);
  };
  for (std::size_t t = 0; t < known.size(); ++t) known[t].owner = owner(t / n, t % n);
  std::uint64_t concern_me = 0;
  const double begin = seconds_now();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < i; ++j) {
        if (!follows_readers) {
          if (owner(i, j) == me || owner(i, k) == me || owner(j, k) == me) ++concern_me;
          continue;
        }
        least_known &c = known[i * n + j], &a = known[i * n + k], &b = known[j * n + k];
        if (c.owner == me || a.owner == me || b.owner == me) ++concern_me;
        a.readers |= std::uint64_t{1} << c.owner % 64;
        b.readers |= std::uint64_t{1} << c.owner % 64;
        ++c.version;
        c.readers = 0;
      }
    }
  }
  const double seconds = seconds_now() - begin;
  if (concern_me == 0) std::puts("none");  // Else nothing would be computed.
  return seconds;
}

void measure_floors(std::uint32_t me) {
  const long tiles = setting("TILES", 512), grid = setting("GRID", 32);
  figure("cholesky submitted, seconds", "plain loops", "owners alone",
         by_a_bare_scan(tiles, grid, me, false));
  figure("cholesky submitted, seconds", "plain loops", "and readers",
         by_a_bare_scan(tiles, grid, me, true));
}

}  // namespace

int main() {
  const int ranks = static_cast<int>(setting("GRID", 32) * setting("GRID", 32));
  // Nothing that comes from others comes, so that all waits here that is inserted here.
  const deed::session_options options{.workers = 1, .window = std::size_t{1} << 40};
  run_alone(ranks - 1, ranks + 1, options, [](deed::session& s) { measure(s, "a rank"); });
  run_alone(ranks, ranks + 1, options, [](deed::session& s) { measure(s, "without tiles"); });
  if (setting("LOOPS", 0) != 0) measure_floors(static_cast<std::uint32_t>(ranks) - 1);
}
