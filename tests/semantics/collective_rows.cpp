// SPDX-License-Identifier: MIT
// Collectives: rows R83 to R86 on lists of data, R90 to R102 on per-rank data, values and spans.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace {

using deed::from;
using deed::message_tag;
using deed::read;
using deed::to;
using deed::write;
using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;
using numbers = std::vector<int>;

constexpr deed::codelet increase{"increase", [](int& x) { ++x; }};
constexpr deed::codelet fill{"fill", [](numbers& all, int value) {
                               for (int& each : all) each = value;
                             }};

int last(const deed::session& session) { return session.size() - 1; }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

numbers counted(int count, int first = 0) {
  numbers all(at(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

// ---- by owners

TEST(semantics_R83, each_block_goes_from_the_root_to_its_owner) {
  run([](deed::session& session) {
    for (const int count : {0, 1, 7, 20}) {
      std::vector<deed::handle<numbers>> blocks;
      for (int i = 0; i < count; ++i) {
        blocks.push_back(session.register_data<numbers>(deed::owner{i % session.size()},
                                                        deed::uninitialised, {.name = "block"}));
      }
      std::vector<numbers> values;
      if (session.rank() == last(session)) {
        for (int i = 0; i < count; ++i)
          values.push_back(counted(i % 5, i));  // Of any size, also 0.
      }
      session.scatter(write(blocks), from{last(session)}, values);
      for (int i = 0; i < count; ++i) {
        if (!session.owns(blocks[at(i)])) continue;
        EXPECT_EQ(*session.borrow(read(blocks[at(i)])), counted(i % 5, i));
      }
    }
  });
}

TEST(semantics_R83, a_wrong_number_of_values_is_refused_before_anything_moves) {
  EXPECT_THAT(reports_of(
                  [](deed::session& session) {
                    std::vector<deed::handle<int>> blocks;
                    for (int i = 0; i < 4; ++i)
                      blocks.push_back(session.register_data(deed::owner{0}, i));
                    session.scatter(write(blocks), from{0}, numbers{1, 2, 3});
                  },
                  1),
              HasSubstr("deed[D509] the root scatters 3 values over blocks for 4"));
}

TEST(semantics_R84, the_callback_of_a_scatter_runs_once_on_every_rank) {
  run([](deed::session& session) {
    std::vector<deed::handle<int>> blocks;  // All of one owner: the others have nothing to move.
    for (int i = 0; i < 5; ++i) blocks.push_back(session.register_data(deed::owner{0}, 0));
    std::atomic<int> called = 0;
    session.scatter(write(blocks), from{last(session)}, counted(5),
                    deed::when_done([&] { ++called; }));
    session.wait();
    EXPECT_EQ(called, 1);
    session.scatter(write(std::span{blocks}.first(0)), from{0}, numbers{},
                    deed::when_done([&] { ++called; }));
    session.wait();
    EXPECT_EQ(called, 2);
  });
}

TEST(semantics_R85, the_root_gets_what_the_owners_have) {
  run([](deed::session& session) {
    std::vector<deed::handle<int>> blocks;
    for (int i = 0; i < 20; ++i)
      blocks.push_back(
          session.register_data(deed::owner{i % session.size()}, i, {.name = "block"}));
    for (auto& block : blocks) session.insert_task(increase, deed::read_write(block));
    numbers values;
    session.gather(read(blocks), to{last(session)}, values);
    session.wait();
    if (session.rank() == last(session)) {
      EXPECT_EQ(values, counted(20, 1));
    } else {
      EXPECT_TRUE(values.empty());
    }
    numbers again;
    session.igather(read(blocks), to{last(session)}, again).wait();
    EXPECT_EQ(again, values);
    // Without values: current copies, and nothing moves twice.
    const auto before_it = session.statistics().sent_to[last(session)].transfers;
    session.gather(read(blocks), to{last(session)});
    session.wait();
    EXPECT_EQ(session.statistics().sent_to[last(session)].transfers, before_it);
  });
}

TEST(semantics_R85, a_datum_that_stands_twice_in_a_list_comes_twice) {
  run([](deed::session& session) {
    std::vector<deed::handle<int>> blocks;
    for (int i = 0; i < 3; ++i)
      blocks.push_back(session.register_data(deed::owner{i % session.size()}, 10 * i));
    const std::vector<std::size_t> order{2, 0, 2, 1, 1};
    const auto listed = order | std::views::transform(
                                    [&](std::size_t i) -> deed::handle<int>& { return blocks[i]; });
    std::atomic<int> called = 0;
    const auto count = [&] { return deed::when_done([&] { ++called; }); };
    numbers values;
    session.gather(read(listed), to{0}, values, count());
    session.wait();
    EXPECT_EQ(called, 1);
    EXPECT_EQ(values, session.rank() == 0 ? (numbers{20, 0, 20, 10, 10}) : numbers{});
    session.scatter(write(listed), from{0}, session.rank() == 0 ? counted(5) : numbers{}, count());
    session.wait();
    EXPECT_EQ(called, 2);
    for (auto& block : blocks) session.fetch(read(block), deed::everywhere);
    const numbers last_of_each{1, 4, 2};  // In the order of the list.
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(*session.borrow(read(blocks[i])), last_of_each[i]);
    }
  });
}

TEST(semantics_R86, the_callback_of_a_gather_runs_once_on_every_rank) {
  run([](deed::session& session) {
    std::vector<deed::handle<int>> blocks;
    for (int i = 0; i < 6; ++i) blocks.push_back(session.register_data(deed::owner{0}, i));
    std::atomic<int> called = 0;
    numbers values, seen;
    session.gather(read(blocks), to{last(session)}, values, deed::when_done([&] {
                     ++called;
                     seen = values;  // They are there.
                   }));
    session.wait();
    EXPECT_EQ(called, 1);
    if (session.rank() == last(session)) {
      EXPECT_EQ(seen, counted(6));
    }
  });
}

TEST(semantics_R89, scatter_one_task_per_block_and_gather) {
  run([](deed::session& session) {
    constexpr int blocks_wanted = 6, length = 5;
    std::vector<deed::handle<std::span<float>>> blocks;
    std::vector<std::vector<float>> memory(blocks_wanted, std::vector<float>(length));
    for (int i = 0; i < blocks_wanted; ++i) {
      blocks.push_back(session.register_data(deed::owner{i % session.size()},
                                             deed::in_place(memory[at(i)]), {.name = "block"}));
    }
    std::vector<float> vector;
    if (session.rank() == 0) {
      vector.resize(blocks_wanted * length);
      std::iota(vector.begin(), vector.end(), 0.0f);
    }
    constexpr deed::codelet twice{"twice", [](std::span<float> x) {
                                    for (float& each : x) each *= 2;
                                  }};
    session.scatter(write(blocks), from{0}, vector);
    for (auto& block : blocks) session.insert_task(twice, deed::read_write(block));
    session.gather(read(blocks), to{0}, vector);
    session.wait();
    for (std::size_t i = 0; i < vector.size(); ++i)
      EXPECT_EQ(vector[i], 2.0f * static_cast<float>(i));
  });
}

// ---- the MPI_Gather page

TEST(semantics_R90, every_rank_gives_and_the_root_has_all_in_order) {
  run([](deed::session& session) {
    for (int root = 0; root < session.size(); ++root) {
      auto mine = session.register_data(deed::per_rank, counted(3, 3 * session.rank()));
      auto all = session.register_data<numbers>(deed::owner{root}, deed::uninitialised);
      session.igather(read(mine), write(all), to{root}).wait();
      // By hand, as the page says it.
      auto by_hand = session.register_data(deed::per_rank, numbers(), {.name = "by hand"});
      session.send(read(mine), to{root}, message_tag{root});
      if (session.rank() != root) continue;
      numbers expected;
      for (int r = 0; r < session.size(); ++r) {
        session.receive(write(by_hand), from{r}, message_tag{root});
        const auto part = session.borrow(read(by_hand));
        expected.insert(expected.end(), part->begin(), part->end());
      }
      EXPECT_EQ(*session.borrow(read(all)), expected);
    }
  });
}

TEST(semantics_R91, tasks_run_while_a_gather_is_under_way_and_writers_wait) {
  run([](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, counted(1000, session.rank()));
    auto all = session.register_data<numbers>(deed::owner{0}, deed::uninitialised);
    auto other = session.register_data(deed::per_rank, 0);
    auto gathered = session.igather(read(mine), write(all), to{0});
    session.insert_task(increase, deed::read_write(other));
    session.insert_task(fill, deed::read_write(mine), deed::value(-1));  // Behind the gather.
    EXPECT_EQ(*session.borrow(read(other)), 1);
    gathered.wait();
    session.wait();
    EXPECT_EQ(session.borrow(read(mine))->front(), -1);
    if (session.rank() == 0) {
      const auto whole = session.borrow(read(all));
      ASSERT_EQ(whole->size(), 1000 * at(session.size()));
      for (int r = 0; r < session.size(); ++r) EXPECT_EQ((*whole)[at(1000 * r + 7)], r + 7);
    }
  });
}

TEST(semantics_R92, a_hundred_numbers_of_every_rank) {
  run([](deed::session& session) {
    // Examples 1 and 2 of the page: int sendarray[100], into memory of the program.
    std::array<int, 100> mine;
    for (int i = 0; i < 100; ++i) mine[at(i)] = 100 * session.rank() + i;
    numbers all(session.rank() == 0 ? 100 * at(session.size()) : 0);
    session.igather(std::span<const int>(mine), std::span<int>(all), to{0}).wait();
    if (session.rank() == 0) {
      EXPECT_EQ(all, counted(100 * session.size()));
    }
  });
}

TEST(semantics_R93, ends_that_differ_are_named_before_a_byte_is_stored) {
  EXPECT_THAT(reports_of([](deed::session& session) {
                numbers mine(session.rank() == 1 ? 3 : 2), all(4);
                session.igather(std::span<const int>(mine), std::span<int>(all), to{0}).wait();
                session.wait();
              }),
              HasSubstr("deed[D509]"));
  EXPECT_THAT(
      reports_of([](deed::session& session) {
        std::vector<double> all(4);
        if (session.rank() == 0) {
          const std::vector<double> mine(2);
          session.igather(std::span<const double>(mine), std::span<double>(all), to{0}).wait();
        } else {
          numbers mine(4), none;
          session.igather(std::span<const int>(mine), std::span<int>(none), to{0}).wait();
        }
        session.wait();
      }),
      HasSubstr("deed[D510]"));
}

TEST(semantics_R94, strided_parts_make_a_contiguous_whole_and_back) {
  run([](deed::session& session) {
    // Example 3: a column of a matrix of 10 x 15 of every rank.
    std::vector<double> matrix(150);
    std::iota(matrix.begin(), matrix.end(), 1000.0 * session.rank());
    auto column = session.register_data(
        deed::per_rank, deed::in_place(deed::tile<double>(matrix.data() + 4, 10, 1, 15)));
    auto all = session.register_data<std::vector<double>>(deed::owner{0}, deed::uninitialised);
    session.gather(read(column), write(all), to{0});
    if (session.rank() == 0) {
      const auto whole = session.borrow(read(all));
      ASSERT_EQ(whole->size(), 10 * at(session.size()));
      for (int r = 0; r < session.size(); ++r) {
        for (int i = 0; i < 10; ++i) EXPECT_EQ((*whole)[at(10 * r + i)], 1000.0 * r + 15 * i + 4);
      }
    }
    constexpr deed::codelet negate{"negate", [](std::vector<double>& x) {
                                     for (double& each : x) each = -each;
                                   }};
    session.insert_task(negate, deed::read_write(all));
    session.scatter(read(all), write(column), from{0});
    session.wait();
    EXPECT_EQ(matrix[4], -(1000.0 * session.rank() + 4));
    EXPECT_EQ(matrix[19], -(1000.0 * session.rank() + 19));
    EXPECT_EQ(matrix[5], 1000.0 * session.rank() + 5);  // Beside the column nothing changed.
  });
}

TEST(semantics_R95, only_the_root_has_storage_for_the_whole) {
  run([](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, session.rank());
    std::vector<int> memory(at(session.size()), -1);
    auto all = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "all"});
    session.gather(read(mine), write(all), to{0});
    session.wait();
    EXPECT_EQ(memory, session.rank() == 0 ? counted(session.size())
                                          : std::vector<int>(at(session.size()), -1));
    if (session.rank() != 0) {
      EXPECT_THROW((void)session.borrow(read(all)), deed::error);
    }
  });
}

TEST(semantics_R96, different_roots_and_different_calls_are_named) {
  EXPECT_THAT(reports_of([](deed::session& session) {
                (void)session.gather(deed::value(1), to{session.rank()});
                session.wait();
              }),
              HasSubstr("deed[D608]"));
  EXPECT_THAT(reports_of([](deed::session& session) {
                if (session.rank() == 0)
                  (void)session.gather(deed::value(1), to{0});
                else
                  (void)session.scatter(numbers{1, 2}, from{0});
                session.wait();
              }),
              HasSubstr("deed[D609]"));
  EXPECT_THAT(reports_of([](deed::session& session) {
                if (session.rank() == 0) (void)session.gather(deed::value(1), to{0});
                session.wait();
              }),
              HasSubstr("deed[D404] "));
}

TEST(semantics_R97, places_are_checked_before_anything_moves) {
  run([](deed::session& session) {
    const int me = session.rank(), size = session.size();
    // Rank r has r numbers, and they lie with a gap of two, the last rank's first.
    auto mine = session.register_data(deed::per_rank, numbers(at(me), me), {.name = "mine"});
    auto all = session.register_data(deed::owner{0}, numbers(200, -1), {.name = "all"});
    deed::placed where;
    std::size_t next_place = 0;
    where.counts.resize(at(size)), where.displacements.resize(at(size));
    for (int r = size; r-- > 0;) {
      where.counts[at(r)] = at(r);
      where.displacements[at(r)] = next_place;
      next_place += at(r) + 2;
    }
    deed::placed wrong = where;
    wrong.displacements.assign(at(size), 0);
    wrong.counts.assign(at(size), 1);
    if (size > 1 && me == 0) {
      try {
        session.gather(read(mine), write(all), to{0}, wrong);
        FAIL() << "places that overlap were taken";
      } catch (const deed::error& refused) {
        EXPECT_EQ(refused.code(), deed::error_code::parts_overlap);
        EXPECT_THAT(refused.what(), HasSubstr("elements 0 to 1"));
      }
      EXPECT_EQ(*session.borrow(read(all)), numbers(200, -1));
    }
    session.gather(read(mine), write(all), to{0}, where);
    if (me == 0) {
      numbers expected(200, -1);
      for (int r = 0; r < size; ++r)
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(where.displacements[at(r)]), r,
                    r);
      EXPECT_EQ(*session.borrow(read(all)), expected);
    }
    // And back, each to the neighbour: a scatter may read a place twice.
    deed::placed turned{where.counts, where.displacements};
    std::rotate(turned.counts.begin(), turned.counts.begin() + 1, turned.counts.end());
    std::rotate(turned.displacements.begin(), turned.displacements.begin() + 1,
                turned.displacements.end());
    session.scatter(read(all), write(mine), from{0}, turned);
    const int other = (me + 1) % size;
    EXPECT_EQ(*session.borrow(read(mine)), numbers(at(other), other));
  });
}

TEST(semantics_R98, the_part_of_the_root_may_lie_in_the_whole_already) {
  run([](deed::session& session) {
    const int root = last(session);
    auto mine = session.register_data(deed::per_rank, counted(4, 4 * session.rank()));
    auto all =
        session.register_data(deed::owner{root}, counted(4 * session.size()), {.name = "all"});
    if (session.rank() == root) {
      session.gather(deed::keep_own_part, deed::read_write(all), to{root});
      EXPECT_EQ(*session.borrow(read(all)), counted(4 * session.size()));
    } else {
      session.gather(read(mine), write(all), to{root});
    }
    numbers whole(session.rank() == 0 ? at(session.size()) : 0, 0);
    const numbers one{session.rank()};
    auto gathered = session.rank() == 0
                        ? session.igather(deed::keep_own_part, std::span<int>(whole), to{0})
                        : session.igather(std::span<const int>(one), std::span<int>(whole), to{0});
    gathered.wait();
    if (session.rank() == 0) {
      EXPECT_EQ(whole, counted(session.size()));
    }
  });
}

TEST(semantics_R99, the_root_may_stand_outside_of_those_that_give) {
  run([](deed::session& session) {
    const int me = session.rank(), size = session.size();
    std::vector<deed::rank> odd;  // The other group; rank 0 is in none of it.
    for (int r = 1; r < size; r += 2) odd.emplace_back(r);
    auto givers = session.group(odd);
    const int count = givers.size();
    auto mine = session.register_data(deed::per_rank, numbers(2, me), {.name = "mine"});
    auto all = session.register_data(deed::owner{0}, numbers{-1}, {.name = "all"});
    std::atomic<int> called = 0;
    for (int i = 0; i < 3; ++i)  // Every rank calls; bystanders pass nothing.
      session.gather(read(mine), write(all), to{0}, deed::among(givers),
                     deed::when_done([&] { ++called; }));
    if (me == 0) {
      numbers expected;
      for (int r = 1; r < size; r += 2) expected.insert(expected.end(), 2, r);
      EXPECT_EQ(*session.borrow(read(all)), expected);
      *session.borrow(write(all)) = counted(4 * count);
    } else if (session.relevant(write(all))) {
      ADD_FAILURE() << "a bystander";
    }
    session.scatter(read(all), write(mine), from{0}, deed::among(givers));
    EXPECT_EQ(*session.borrow(read(mine)),
              givers.rank() >= 0 ? counted(4, 4 * givers.rank()) : numbers(2, me));
    auto word = session.register_data(deed::per_rank, me, {.name = "word"});
    session.broadcast(deed::read_write(word), from{0}, deed::among(givers));
    EXPECT_EQ(*session.borrow(read(word)), me % 2 == 1 ? 0 : me);
    session.wait();
    EXPECT_EQ(called, 3);
    EXPECT_THROW(session.all_gather(read(word), write(mine), deed::among(givers)), deed::error);
  });
}

TEST(semantics_R100, a_callers_mistake_is_an_exception_and_changes_nothing) {
  run([](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, session.rank());
    auto all = session.register_data(deed::owner{0}, numbers{7}, {.name = "all"});
    const auto code = [](auto&& call) {
      try {
        call();
      } catch (const deed::error& refused) {
        return refused.code();
      }
      return deed::error_code{};
    };
    EXPECT_EQ(code([&] { session.gather(read(mine), write(all), to{session.size()}); }),
              deed::error_code::no_such_peer);
    EXPECT_EQ(code([&] { (void)session.gather(deed::value(1), to{-1}); }),
              deed::error_code::no_such_peer);
    if (session.size() > 1) {
      EXPECT_EQ(code([&] { session.gather(read(mine), write(all), to{1}); }),
                deed::error_code::not_on_this_rank);
    }
    EXPECT_EQ(code([&] { session.all_gather(read(mine), write(all)); }),
              deed::error_code::not_on_this_rank);
    session.wait();
    if (session.rank() == 0) {
      EXPECT_EQ(*session.borrow(read(all)), numbers{7});
    }
    EXPECT_EQ(session.all_gather(deed::value(session.rank())), counted(session.size()));
  });
}

TEST(semantics_R101, parts_may_be_of_any_length) {
  run([](deed::session& session) {
    // Rank r has r numbers: 0, 1, 2, …
    const int me = session.rank(), size = session.size();
    auto mine = session.register_data(deed::per_rank, numbers(at(me), me), {.name = "mine"});
    auto all = session.register_data<numbers>(deed::owner{0}, deed::uninitialised);
    session.gather(read(mine), write(all), to{0});
    numbers expected;
    for (int r = 0; r < size; ++r) expected.insert(expected.end(), at(r), r);
    if (me == 0) {
      EXPECT_EQ(*session.borrow(read(all)), expected);
    }
    // The inverse: 10 numbers over all ranks, as evenly as may be.
    auto whole = session.register_data(deed::owner{0}, counted(10), {.name = "whole"});
    session.scatter(read(whole), write(mine), from{0});
    const int length = 10 / size + (me < 10 % size ? 1 : 0);
    const int first = me * (10 / size) + std::min(me, 10 % size);
    EXPECT_EQ(*session.borrow(read(mine)), counted(length, first));
    // Values that are packed, of any length each.
    const auto texts = session.gather(deed::value(std::string(at(me), 'x')), to{size - 1});
    ASSERT_EQ(texts.size(), me == size - 1 ? at(size) : 0u);
    for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::string(r, 'x'));
  });
}

TEST(semantics_R102, what_is_given_cannot_be_written_before_the_end) {
  run([](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, numbers(50'000, session.rank()));
    auto all = session.register_data<numbers>(deed::owner{0}, deed::uninitialised);
    auto gathered = session.igather(read(mine), write(all), to{0});
    session.insert_task(fill, deed::read_write(mine), deed::value(-1));
    {
      *session.borrow(write(mine)) = numbers{1};
    }  // Waits for the gather, and for the task.
    gathered.wait();
    if (session.rank() != 0) return;
    const auto whole = session.borrow(read(all));
    for (int r = 0; r < session.size(); ++r) EXPECT_EQ((*whole)[at(50'000 * r + 1)], r);
  });
}

// ---- one datum to one rank

TEST(semantics_R69, a_value_is_brought_once_and_the_request_says_when) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, counted(1000), {.name = "x"});
    session.ifetch(read(x), to{last(session)}).wait();
    session.ifetch(read(x), to{last(session)}).wait();
    if (session.rank() == last(session)) {
      EXPECT_EQ(session.borrow(read(x))->back(), 999);
    }
    session.wait();
    EXPECT_EQ(session.statistics().sent_to[last(session)].transfers,
              session.rank() == 0 && session.size() > 1 ? 1u : 0u);
  });
}

TEST(semantics_R70, the_callback_of_a_fetch_runs_also_when_nothing_moves) {
  run([](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 5, {.name = "x"});
    std::atomic<int> called = 0;
    for (int i = 0; i < 3; ++i)
      session.fetch(read(x), to{last(session)}, deed::when_done([&] { ++called; }));
    session.wait();
    EXPECT_EQ(called, 3);
  });
}

// ---- the others

TEST(collectives, broadcast_reduce_and_all_of_them_on_per_rank_data) {
  run([](deed::session& session) {
    const int me = session.rank(), size = session.size();
    auto mine = session.register_data(deed::per_rank, me, {.name = "mine"});
    auto whole = session.register_data<numbers>(deed::per_rank, deed::uninitialised);
    auto sum = session.register_data<int>(deed::per_rank, deed::uninitialised);
    auto at_root = session.register_data<int>(deed::owner{last(session)}, deed::uninitialised);
    session.all_gather(read(mine), write(whole));
    EXPECT_EQ(*session.borrow(read(whole)), counted(size));
    session.all_reduce(read(mine), write(sum), std::plus<>{});
    EXPECT_EQ(*session.borrow(read(sum)), size * (size - 1) / 2);
    session.reduce(read(mine), write(at_root), to{last(session)}, std::plus<>{});
    if (me == last(session)) {
      EXPECT_EQ(*session.borrow(read(at_root)), size * (size - 1) / 2);
    }
    session.broadcast(deed::read_write(mine), from{last(session)});
    EXPECT_EQ(*session.borrow(read(mine)), last(session));
    auto rows = session.register_data(deed::per_rank, counted(2 * size, 100 * me));
    auto columns = session.register_data<numbers>(deed::per_rank, deed::uninitialised);
    session.all_to_all(read(rows), write(columns));
    const auto got = session.borrow(read(columns));
    ASSERT_EQ(got->size(), 2 * at(size));
    for (int r = 0; r < size; ++r) {
      EXPECT_EQ((*got)[at(2 * r)], 100 * r + 2 * me);
      EXPECT_EQ((*got)[at(2 * r + 1)], 100 * r + 2 * me + 1);
    }
  });
}

TEST(collectives, values_of_every_kind) {
  run([](deed::session& session) {
    const int me = session.rank(), size = session.size();
    EXPECT_EQ(session.all_reduce(deed::value(me), std::plus<>{}), size * (size - 1) / 2);
    EXPECT_EQ(session.broadcast(deed::value(std::to_string(me)), from{size - 1}),
              std::to_string(size - 1));
    EXPECT_EQ(session.scatter(me == 0 ? counted(size, 5) : numbers{}, from{0}), me + 5);
    // Ranks meet in their order: an operation that does not commute sees it.
    const auto joined =
        session.reduce(deed::value(std::to_string(me % 10)), to{size / 2},
                       [](const std::string& a, const std::string& b) { return a + b; });
    EXPECT_EQ(joined.has_value(), me == size / 2);
    std::string expected;
    for (int r = 0; r < size; ++r) expected += std::to_string(r % 10);
    if (joined) {
      EXPECT_EQ(*joined, expected);
    }
    // Elements of vectors, one by one.
    EXPECT_EQ(session.all_reduce(deed::value(numbers{me, 1}), std::plus<>{}),
              (numbers{size * (size - 1) / 2, size}));
    numbers mine(at(size));
    for (int r = 0; r < size; ++r) mine[at(r)] = 10 * me + r;
    const numbers theirs = session.all_to_all(deed::value(mine));
    for (int r = 0; r < size; ++r) EXPECT_EQ(theirs[at(r)], 10 * r + me);
    const auto lists = session.all_gather(deed::value(numbers(at(me), me)));
    for (int r = 0; r < size; ++r) EXPECT_EQ(lists[at(r)], numbers(at(r), r));
  });
}

TEST(collectives, doubles_are_the_same_bits_on_all_ranks_and_in_all_runs) {
  std::vector<double> seen;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reports_of(
                  [&](deed::session& session) {
                    const double sum =
                        session.all_reduce(deed::value(0.1 * (1 + session.rank())), std::plus<>{});
                    EXPECT_EQ(session.all_gather(deed::value(sum)),
                              std::vector<double>(at(session.size()), sum));
                    if (session.rank() == 0) seen.push_back(sum);
                  },
                  7),
              "");
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[1], seen[2]);
}

}  // namespace
