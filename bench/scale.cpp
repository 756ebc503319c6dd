// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "shapes.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Programs on as many virtual ranks as one likes, in the order of virtual time (`--deed-seed=0`):
/// how long they take in that time beside what no scheduler could beat. bench/scale asks for them.

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

/// Of the virtual machine: LogGP as `transport::network_cost` has it, ten operations per
/// nanosecond.
constexpr double latency = 1500, overhead = 250, flops_per_ns = 10;

/// Of all ranks, which are fibers of one process.
struct of_all {
  std::atomic<std::uint64_t> messages{0};
};

double nanoseconds(deed::session& session) {
  return static_cast<double>(session.elapsed().count());
}

std::string ranks_of(const deed::session& session) { return std::to_string(session.size()); }

constexpr deed::codelet relax{
    "relax", [](tile, const_tile, const_tile, const_tile, const_tile, const_tile) {}};

/// Weak scaling of a five-point stencil on a torus: a tile of 32 x 32 per rank, tasks of 100
/// microseconds. A rank inserts the tasks that write its tile or read it, and those of which it may
/// pass a tile on, in the order of all.
void stencil(deed::session& session, of_all&) {
  constexpr std::size_t edge = 16;
  constexpr std::uint64_t work = 1'000'000;
  const int steps = static_cast<int>(setting("STEPS", 20));
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(session.size())));
  const auto whole = static_cast<std::ptrdiff_t>(side * edge);
  const deed::matrix_options<double> options{
      .rows = whole,
      .cols = whole,
      .tile_rows = edge,
      .tile_cols = edge,
      .owners = deed::block_cyclic{int(side), int(side)},
      .initial = 0.0};  // Of both: what writes a tile two steps away is inserted elsewhere only.
  deed::tiled_matrix<double> now{session, options}, next{session, options};
  const std::size_t me = static_cast<std::size_t>(session.rank()), i = me / side, j = me % side;
  const auto before = [&](std::size_t k) { return (k + side - 1) % side; };
  const auto behind = [&](std::size_t k) { return (k + 1) % side; };
  std::set<std::pair<std::size_t, std::size_t>> concern;
  for (const auto& [a, b] :
       {std::pair{i, j}, {before(i), j}, {behind(i), j}, {i, before(j)}, {i, behind(j)}}) {
    concern.insert({{a, b}, {before(a), b}, {behind(a), b}, {a, before(b)}, {a, behind(b)}});
  }
  session.wait();
  const double start = nanoseconds(session);
  for (int step = 0; step < steps; ++step) {
    for (const auto& [a, b] : concern) {
      session.insert_task(relax, deed::write(next(a, b)), deed::read(now(a, b)),
                          deed::read(now(before(a), b)), deed::read(now(behind(a), b)),
                          deed::read(now(a, before(b))), deed::read(now(a, behind(b))),
                          deed::flops{work});
    }
    std::swap(now, next);
  }
  session.wait();
  session.barrier();
  if (session.rank() != 0) return;
  const double bound = steps * static_cast<double>(work) / flops_per_ns;
  figure("weak scaling", "stencil", ranks_of(session).c_str(),
         bound / (nanoseconds(session) - start));
}

constexpr deed::codelet fill{"fill", [](tile) {}};
constexpr deed::codelet potrf{"potrf", [](tile) {}};
constexpr deed::codelet trsm{"trsm", [](tile, const_tile) {}};
constexpr deed::codelet syrk{"syrk", [](tile, const_tile) {}};
constexpr deed::codelet gemm{"gemm", [](tile, const_tile, const_tile) {}};

/// Weak scaling of a tiled Cholesky: as many tiles as give each rank the work that 40 x 40 tiles
/// give each of 16. Every rank inserts every task.
void cholesky(deed::session& session, of_all&) {
  constexpr std::size_t edge = 64;
  constexpr std::uint64_t cube = edge * edge * edge;
  const auto tiles = static_cast<std::size_t>(
      std::lround(static_cast<double>(setting("TILES", 40)) * std::cbrt(session.size() / 16.0)));
  const auto whole = static_cast<std::ptrdiff_t>(tiles * edge);
  deed::tiled_matrix<double> a{
      session, {.rows = whole, .cols = whole, .tile_rows = edge, .tile_cols = edge, .name = "a"}};
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j <= i; ++j) session.insert_task(fill, deed::write(a(i, j)));
  }
  session.wait();
  const double start = nanoseconds(session);
  std::vector<std::uint64_t> work(static_cast<std::size_t>(session.size()));  // Of each rank.
  const auto costs = [&work, grid = deed::block_cyclic{session.size()}](
                         std::size_t i, std::size_t j, std::uint64_t flops) {
    work[static_cast<std::size_t>(grid(i, j, 0, 0))] += flops;
    return deed::flops{flops};
  };
  // What lies on the longest chain first: the earlier a tile is done with, the more waits for it.
  const auto urgent = [tiles](std::size_t k, std::size_t i, std::size_t j) {
    return deed::priority{static_cast<int>(3 * tiles - (k + i + j))};
  };
  for (std::size_t k = 0; k < tiles; ++k) {
    session.insert_task(potrf, deed::read_write(a(k, k)), costs(k, k, cube / 3), urgent(k, k, k));
    for (std::size_t i = k + 1; i < tiles; ++i)
      session.insert_task(trsm, deed::read_write(a(i, k)), deed::read(a(k, k)), costs(i, k, cube),
                          urgent(k, i, k));
    for (std::size_t i = k + 1; i < tiles; ++i) {
      session.insert_task(syrk, deed::read_write(a(i, i)), deed::read(a(i, k)), costs(i, i, cube),
                          urgent(k, i, i));
      for (std::size_t j = k + 1; j < i; ++j)
        session.insert_task(gemm, deed::read_write(a(i, j)), deed::read(a(i, k)),
                            deed::read(a(j, k)), costs(i, j, 2 * cube), urgent(k, i, j));
    }
  }
  session.wait();
  session.barrier();  // A rank waits for its own tasks only.
  if (session.rank() != 0) return;
  const double taken = nanoseconds(session) - start;
  const auto most = static_cast<double>(std::ranges::max(work)) / flops_per_ns;
  const auto all = static_cast<double>(std::accumulate(work.begin(), work.end(), 0ULL));
  const double even = all / flops_per_ns / session.size();
  const double path = static_cast<double>(tiles) * (cube / 3 + 2 * cube) / flops_per_ns;
  const std::string ranks = ranks_of(session);
  figure("weak scaling", "cholesky", ranks.c_str(), std::max(most, path) / taken);
  figure("weak scaling", "even", ranks.c_str(), std::max(even, path) / taken);
}

constexpr deed::codelet set{"set", [](int& x) { ++x; }};
constexpr deed::codelet look{"look", [](const int&) {}};

/// A `wait()` with nothing to wait for, and a version that rank 0 writes and a task on every rank
/// reads: what a `wait()` takes longer for it. Bound: the depth of a binomial tree, a message after
/// the other.
void together(deed::session& session, of_all&) {
  const double begun = nanoseconds(session);
  session.wait();
  const double waited = nanoseconds(session);
  auto x = session.register_data(deed::owner{0}, 0, {.name = "x"});
  session.insert_task(set, deed::read_write(x));
  for (int r = 0; r < session.size(); ++r)
    session.insert_task(look, deed::read(x), deed::on(deed::rank{r}));
  session.wait();
  const double there = nanoseconds(session);
  if (session.rank() != 0) return;
  const double read = there - waited;
  std::uint64_t sends = 0;
  for (const auto& [_, sent] : session.statistics().sent_to) sends += sent.transfers;
  const std::string ranks = ranks_of(session);
  const int depth = static_cast<int>(std::bit_width(static_cast<unsigned>(session.size() - 1)));
  figure("all ranks", "wait, us", ranks.c_str(), (waited - begun) / 1000);
  figure("all ranks", "sends of the owner", ranks.c_str(), static_cast<double>(sends));
  figure("all ranks", "one to all, us", ranks.c_str(), (read - (waited - begun)) / 1000);
  figure("all ranks", "its bound, us", ranks.c_str(), depth * (latency + 2 * overhead) / 1000);
}

/// Every rank receives what the next one never sends: until all ranks know that they wait for
/// ever, without the time that they are idle before anybody asks, and messages per rank.
void deadlock(deed::session& session, of_all& sum) {
  auto x = session.register_data(deed::per_rank, 0, {.name = "x"});
  session.wait();
  const std::uint64_t before = session.statistics().messages_sent;
  const double begun = nanoseconds(session);
  session.receive(deed::write(x), deed::from{(session.rank() + 1) % session.size()},
                  deed::message_tag{1});
  try {
    session.wait();
  } catch (const deed::deadlock_error&) {
    const double idle = 50e6;  // `engine_options::idle_before_probe`.
    sum.messages += session.statistics().messages_sent - before;
    if (session.rank() == 0)
      figure("all ranks", "deadlock, us", ranks_of(session).c_str(),
             (nanoseconds(session) - begun - idle) / 1000);
  }
}

const std::map<std::string, void (*)(deed::session&, of_all&)> programs{
    {"stencil", stencil}, {"cholesky", cholesky}, {"together", together}, {"deadlock", deadlock}};

}  // namespace

int main(int argc, char** argv) {
  of_all sum;
  int ranks = 0;
  const int code = deed::run(argc, argv, [&](deed::session& session, deed::arguments given) {
    const auto wanted = programs.find(given.empty() ? std::string() : std::string(*given.begin()));
    if (wanted == programs.end())
      throw deed::stop_run(deed::exit_code::bad_option,
                           "which: stencil, cholesky, together or deadlock?");
    ranks = session.size();
    wanted->second(session, sum);
  });
  if (sum.messages != 0) {
    figure("all ranks", "messages per rank", std::to_string(ranks).c_str(),
           static_cast<double>(sum.messages) / ranks);
  }
  return code;
}
