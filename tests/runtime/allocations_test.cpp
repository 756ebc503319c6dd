// SPDX-License-Identifier: MIT
// A program of its own: it replaces the allocation functions.
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>
#include <tuple>
#include <vector>

namespace {

std::atomic<bool> counting{false};
std::atomic<std::uint64_t> allocations{0}, allocated_bytes{0};
std::atomic<std::thread::id> counted_thread{};
std::atomic<std::int64_t> memory_ends{-1};  // After so many allocations of that thread; -1: never.

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counting.load(std::memory_order_relaxed) &&
      counted_thread.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    allocated_bytes.fetch_add(bytes, std::memory_order_relaxed);
    if (memory_ends.load(std::memory_order_relaxed) >= 0 && memory_ends.fetch_sub(1) == 0) {
      memory_ends = 0;
      throw std::bad_alloc();
    }
  }
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes == 0 ? 1 : bytes)
                           : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

static_assert(sizeof(deed::handle<std::vector<double>>) <= 256);

constexpr std::uint64_t tasks = 100'000;
constexpr deed::codelet one{"one", [](double& a) { a += 1; }};
constexpr deed::codelet two{"two", [](double& a, const double& b) { a += b; }};
constexpr deed::codelet three{"three", [](double& a, const double& b, double by) { a += b * by; }};
constexpr deed::codelet six{
    "six", [](double& a, const double& b, const double& c, const double& d, const double& e,
              const double& f) { a += b + c + d + e + f; }};

/// Inserts `tasks` of them over eight data of `session.size()` owners, and waits.
void insert_all(deed::session& session, std::vector<deed::handle<double>>& x) {
  for (std::uint64_t i = 0; i < tasks; i += 4) {
    const auto at = [&](std::uint64_t k) -> deed::handle<double>& { return x[(i / 4 + k) % 8]; };
    session.insert_task(one, deed::read_write(at(0)));
    session.insert_task(two, deed::read_write(at(1)), deed::read(at(2)));
    session.insert_task(three, deed::read_write(at(3)), deed::read(at(4)), deed::value(0.5));
    session.insert_task(six, deed::read_write(at(0)), deed::read(at(1)), deed::read(at(2)),
                        deed::read(at(3)), deed::read(at(4)), deed::read(at(5)));
  }
}

/// Allocations of the submitting thread of rank 0 while it inserts, when all has been used once.
std::uint64_t counted(const test::world& in, int ranks, deed::session_options options) {
  allocations = 0;
  options.window = 4 * tasks;  // So that nothing runs inside `insert_task`.
  const auto ended = in.run(
      ranks,
      [](deed::session& session) {
        std::vector<deed::handle<double>> x;
        for (int i = 0; i < 8; ++i)
          x.push_back(session.register_data(deed::owner{i % session.size()}, 1.0));
        for (int warm = 0; warm < 2; ++warm) {
          insert_all(session, x);
          session.wait();
        }
        session.barrier();
        if (session.rank() == 0) {
          counted_thread = std::this_thread::get_id();
          counting = true;
        }
        insert_all(session, x);
        if (session.rank() == 0) counting = false;
        session.wait();
      },
      options);
  for (const test::outcome& each : ended) EXPECT_EQ(each.text, "");
  return allocations;
}

TEST(the_submit_path, allocates_nothing_for_tasks_that_run_here) {
  EXPECT_EQ(counted({test::world::kind::simulated, 1}, 1, {}), 0u);
}

TEST(the_submit_path, allocates_nothing_where_data_and_tasks_are_elsewhere) {
  EXPECT_EQ(counted({test::world::kind::simulated, 1}, 3, {}), 0u);
}

// Free nodes come back in batches, so how many are new depends on who is ahead: a few slabs.
TEST(the_submit_path, allocates_next_to_nothing_while_workers_run) {
  EXPECT_LT(counted({test::world::kind::threads, 1}, 2, {.workers = 2}), tasks / 100);
}

/// Bytes that rank 1 of three asks for while a matrix of `tiles` is registered of which it owns
/// none, and one of which it owns a third.
std::uint64_t bytes_per_tile(bool owns_some, std::ptrdiff_t tiles, std::ptrdiff_t tile_bytes) {
  allocated_bytes = 0;
  const auto ended = test::world{test::world::kind::simulated, 1}.run(3, [&](deed::session& s) {
    s.barrier();
    if (s.rank() == 1) {
      counted_thread = std::this_thread::get_id();
      counting = true;
    }
    {
      const auto owner = [&](std::size_t i) { return owns_some ? static_cast<int>(i % 3) : 0; };
      deed::tiled_matrix<std::byte> all{s,
                                        {.rows = tiles,
                                         .cols = tile_bytes,
                                         .tile_rows = 1,
                                         .tile_cols = tile_bytes,
                                         .owners = deed::owner_rule(owner),
                                         .initial = std::byte{1},
                                         .name = "all"}};
      if (s.rank() == 1) counting = false;
    }
    s.wait();
  });
  for (const test::outcome& each : ended) EXPECT_EQ(each.text, "");
  return allocated_bytes / static_cast<std::uint64_t>(tiles);
}

// Row R14: who leaves a datum alone registers it, too, and has no memory for it but its record.
TEST(a_datum_of_another_rank, costs_a_record_and_no_storage) {
  constexpr std::ptrdiff_t tiles = 4096, tile_bytes = 8192;
  const std::uint64_t record = bytes_per_tile(false, tiles, tile_bytes);
  EXPECT_LT(record, 1024u) << "with what vectors ask for while they grow";
  EXPECT_GT(bytes_per_tile(true, tiles, tile_bytes), record + tile_bytes / 4);
}

/// Bytes that are in use, of all threads; 0 where a sanitizer has the allocator.
std::uint64_t bytes_in_use() {
  const auto all = ::mallinfo2();
  return all.uordblks + all.hblkhd;
}

/// Bytes in use for each of `ranks` ranks by a matrix of a million tiles, of which a rank owns its
/// share and names, beside these, `named` of others.
std::uint64_t bytes_of_a_million_tiles(int ranks, std::size_t named) {
  constexpr std::ptrdiff_t tiles = 1000;  // In each direction.
  std::uint64_t before = 0, after = 0;
  const auto ended = test::world{test::world::kind::simulated, 1}.run(ranks, [&](auto& session) {
    session.barrier();
    if (session.rank() == 0) before = bytes_in_use();
    session.barrier();
    const deed::tiled_matrix<double> all{session,
                                         {.rows = tiles * 100,
                                          .cols = tiles * 100,
                                          .tile_rows = 100,
                                          .tile_cols = 100,
                                          .name = "all"}};
    const auto me = static_cast<std::size_t>(session.rank());
    std::uint64_t tags = 0;
    for (std::size_t k = 0; k < named; ++k)
      tags += all((me + k) % 1000, (me * 7 + k) % 1000).tag().value;
    EXPECT_TRUE(named == 0 || tags > 0);
    session.barrier();
    if (session.rank() == 0) after = bytes_in_use();
    session.barrier();
  });
  for (const test::outcome& each : ended) EXPECT_EQ(each.text, "");
  return (after - before) / static_cast<std::uint64_t>(ranks);
}

// Row R14: a million tiles on 1,024 ranks cost a rank what it owns and names; of the rest it has a
// rule.
TEST(a_tile, costs_nothing_where_it_is_not_used) {
  if (std::getenv("LARGE") == nullptr) GTEST_SKIP() << "takes long; LARGE=1 runs it";
  if (bytes_in_use() == 0) GTEST_SKIP() << "this allocator does not say what is in use";
  constexpr std::uint64_t tiles = 1'000'000, fixed = 64 * 1024, of_one = 300;
  const auto bound = [](std::uint64_t ranks, std::uint64_t named) {
    return fixed + of_one * (tiles / ranks + 1 + named);
  };
  ASSERT_LT(bytes_of_a_million_tiles(4, 0), bound(4, 0));
  const std::uint64_t least = bytes_of_a_million_tiles(1024, 0);
  EXPECT_LT(least, bound(1024, 0));
  const std::uint64_t more = bytes_of_a_million_tiles(1024, 1000);
  EXPECT_LT(more, bound(1024, 1000));
  EXPECT_GT(more, least + 100'000) << "what is named is not free";
}

constexpr deed::codelet from_below{
    "from_below", [](deed::tile<double> x, deed::tile<const double> y) { x(0, 0) += y(0, 0); }};

// Row R71: of tasks that are found by rule, who has no part in them knows the call.
TEST(a_call_by_rule, costs_a_rank_that_has_no_part_in_it_a_line) {
  if (bytes_in_use() == 0) GTEST_SKIP() << "this allocator does not say what is in use";
  constexpr std::size_t side = 200, calls = 100;
  const auto ended = test::world{test::world::kind::simulated, 1}.run(5, [&](auto& session) {
    const auto owners = [](std::size_t i, std::size_t j) { return static_cast<int>((i + j) % 4); };
    deed::tiled_matrix<double> all{session,
                                   {.rows = side,
                                    .cols = side,
                                    .tile_rows = 1,
                                    .tile_cols = 1,
                                    .owners = owners,
                                    .initial = 0.0,
                                    .name = "all"}};
    const auto submit = [&](auto i, auto j) {
      return std::tuple{deed::read_write(all(i, j)), deed::read(all(i - 1, j))};
    };
    const deed::tile_box below(1, side, 0, side);
    if (session.rank() == 4) {  // Nothing of it concerns this rank: it could leave it out.
      const std::uint64_t before = bytes_in_use();
      for (std::size_t n = 0; n < calls; ++n) {
        deed::for_each_tile(session, below, from_below,
                            [&](deed::index i, deed::index j) { return submit(i, j); });
      }
      EXPECT_LT(bytes_in_use(), before + 300 * calls + side * side / 8 * 2 + 1024);
      deed::for_each_tile(session, below, from_below,
                          [&](std::size_t i, std::size_t j) { return submit(i, j); });
      EXPECT_GT(bytes_in_use(), before + 200 * side * side) << "a scan knows all tiles";
    }
    session.wait();
  });
  for (const test::outcome& each : ended) EXPECT_EQ(each.text, "");
}

constexpr deed::codelet fill{"fill", [](std::vector<double>& x) { x.assign(100, 1.0); }};

// Row N30.
TEST(temporaries, need_no_more_memory_the_more_there_were) {
  if (bytes_in_use() == 0) GTEST_SKIP() << "this allocator does not say what is in use";
  const auto ended = test::world{test::world::kind::simulated, 1}.run(2, [](auto& session) {
    const auto many = [&] {
      for (int i = 0; i < 100'000; ++i) {
        auto temporary = session.template register_data<std::vector<double>>(deed::owner{i % 2},
                                                                             deed::uninitialised);
        session.insert_task(fill, deed::write(temporary), deed::on(deed::rank{i % 3 % 2}));
      }
      session.wait();
      session.barrier();
    };
    many();  // Logs and pools are as large as they will be.
    const std::uint64_t before = bytes_in_use();
    session.barrier();
    many();
    EXPECT_LT(bytes_in_use(), before + (std::uint64_t{1} << 20));
    session.barrier();
  });
  for (const test::outcome& each : ended) EXPECT_EQ(each.text, "");
}

constexpr deed::codelet needs_memory{"needs_memory", [](double& /*x*/, std::int64_t more) {
                                       counted_thread = std::this_thread::get_id();
                                       memory_ends = more;
                                       counting = true;
                                       throw std::bad_alloc();
                                     }};

// Row F2. The worker's thread finds so much more memory, and then none, whatever it says of the
// task.
TEST(the_end_of_memory, ends_a_run_wherever_its_report_has_no_memory_either) {
  for (const auto exceptions : {deed::on_exception::abort, deed::on_exception::propagate})
    for (std::int64_t more = 0; more < 80; ++more) {
      const auto ended = test::world{test::world::kind::threads, 1}.run(
          1,
          [more](deed::session& session) {
            auto x = session.register_data(deed::owner{0}, 1.0);
            session.insert_task(needs_memory, deed::read_write(x), deed::value(more));
            session.wait();
          },
          {.exceptions = exceptions});
      counting = false;
      memory_ends = -1;
      ASSERT_NE(ended[0].text, "") << more;
    }
}

TEST(the_submit_path, is_counted_by_a_counter_that_counts) {
  counted_thread = std::this_thread::get_id();
  allocations = 0;
  counting = true;
  delete new std::vector<int>(100);
  counting = false;
  EXPECT_EQ(allocations, 2u);
}

}  // namespace
