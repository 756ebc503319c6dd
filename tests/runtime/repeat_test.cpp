// SPDX-License-Identifier: MIT
// Iterations whose graph is kept, beside the same program that inserts each of them.
#include <deed/base/random.hpp>
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace {

using test::each_world;
using test::simulated_world;
using row = std::vector<double>;

constexpr deed::codelet mean{"mean", [](row& next, const row& left, const row& right) {
                               next.resize(left.size());
                               for (std::size_t i = 0; i < next.size(); ++i)
                                 next[i] = 0.25 * left[i] + 0.75 * right[i];
                             }};
constexpr deed::codelet copy_row{"copy_row", [](row& to, const row& from, double more) {
                                   for (std::size_t i = 0; i < to.size(); ++i)
                                     to[i] = from[i] + more;
                                 }};

constexpr deed::codelet bump{"bump", [](row& all, double more) {
                               for (double& each : all) each = 0.5 * each + more;
                             }};
constexpr deed::codelet add_row{"add_row", [](row& to, const row& from, double more) {
                                  for (std::size_t i = 0; i < to.size(); ++i)
                                    to[i] = 0.5 * (to[i] + from[i]) + more;
                                }};
constexpr deed::codelet look{"look", [](const row&) {}};

/// What a rank saw of a program.
struct seen {
  std::vector<row> values;
  int bodies = 0;
  deed::statistics counts;
};

enum class how { repeated, inserted };

void iterate(deed::session& session, how way, std::uint64_t times, const auto& body) {
  if (way == how::repeated) return session.repeat(times, body);
  for (std::uint64_t i = 0; i < times; ++i) body();
}

/// Jacobi's iteration on a ring of rows, two of each rank; some tasks run away from the owner.
seen ring(deed::session& session, how way, std::uint64_t times) {
  seen mine;
  const auto rows = static_cast<std::size_t>(2 * session.size());
  std::vector<deed::handle<row>> now, next;
  for (std::size_t i = 0; i < rows; ++i) {
    const deed::owner owner{static_cast<int>(i) % session.size()};
    now.push_back(session.register_data(owner, row(8, static_cast<double>(i))));
    next.push_back(session.register_data(owner, row(8, 0.0)));
  }
  const auto body = [&] {
    ++mine.bodies;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t left = (i + 3) % rows, right = (i + rows - 3) % rows;
      session.insert_task(mean, deed::write(next[i]), deed::read(now[left]),
                          deed::read(now[right]));
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const deed::rank other{static_cast<int>(i + i % 2) % session.size()};
      session.insert_task(copy_row, deed::read_write(now[i]), deed::read(next[i]), deed::value(0.5),
                          deed::on(other));
    }
  };
  iterate(session, way, times, body);
  body();  // The books are as insertion would have left them.
  session.wait();
  for (const auto& each : now) {
    session.fetch(deed::read(each), deed::everywhere);
    mine.values.push_back(*session.borrow(deed::read(each)));
  }
  session.wait();  // What this rank sends of its values to others is counted then.
  mine.counts = session.statistics();
  return mine;
}

void expect_alike(const seen& one, const seen& other) {
  EXPECT_EQ(one.values, other.values);
  EXPECT_EQ(one.counts.tasks_submitted, other.counts.tasks_submitted);
  EXPECT_EQ(one.counts.tasks_run, other.counts.tasks_run);
  EXPECT_EQ(one.counts.cache_hits, other.counts.cache_hits);
  EXPECT_EQ(one.counts.cache_misses, other.counts.cache_misses);
  EXPECT_EQ(one.counts.cache_bytes_saved, other.counts.cache_bytes_saved);
  for (const auto& [rank, sent] : other.counts.sent_to) {
    EXPECT_EQ(one.counts.sent_to.at(rank).transfers, sent.transfers);
    EXPECT_EQ(one.counts.sent_to.at(rank).payload_bytes, sent.payload_bytes);
  }
}

TEST(repeat, is_as_many_insertions) {
  each_world([](const test::world& in) {
    for (const int ranks : {1, 2, 4}) {
      for (const std::uint64_t times : std::array<std::uint64_t, 4>{1, 2, 3, 20}) {
        std::vector<seen> repeated(4), inserted(4);
        const auto program = [&](how way, std::vector<seen>& all) {
          for (const test::outcome& each : in.run(ranks, [&](deed::session& session) {
                 all[static_cast<std::size_t>(session.rank())] = ring(session, way, times);
               }))
            EXPECT_EQ(each.text, "");
        };
        program(how::repeated, repeated);
        program(how::inserted, inserted);
        for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
          expect_alike(repeated[r], inserted[r]);
          EXPECT_LE(repeated[r].bodies, 4) << "the graph is kept";
        }
      }
    }
  });
}

/// Bodies drawn by a seed. In some the graph cannot be kept.
class drawn_body {
 public:
  drawn_body(std::uint64_t seed, int ranks) : random_{seed}, ranks_(ranks) {
    const std::size_t data = 1 + random_.below(5);
    for (std::size_t i = 0; i < data; ++i)
      owners_.push_back(static_cast<int>(random_.below(static_cast<std::uint64_t>(ranks))));
    large_ = random_.below(4) == 0;
    const std::size_t tasks = 1 + random_.below(12);
    for (std::size_t i = 0; i < tasks; ++i) tasks_.push_back(draw());
    if (random_.below(6) == 0) tasks_[random_.below(tasks)].beside = 1 + random_.below(4);
  }
  /// On any rank: of the calls beside tasks, one is made by a rank alone.
  [[nodiscard]] bool may_be_kept() const {
    return std::ranges::all_of(
        tasks_, [](const drawn& each) { return each.beside == 0 || each.beside == 3; });
  }

  seen run(deed::session& session, how way, std::uint64_t times) const {
    seen mine;
    std::vector<deed::handle<row>> data;
    for (const int owner : owners_) {
      data.push_back(
          session.register_data(deed::owner{owner}, row(large_ ? 3000 : 4, 1.0 + owner)));
    }
    const auto body = [&] {
      ++mine.bodies;
      for (const drawn& each : tasks_) insert(session, each, data);
    };
    iterate(session, way, times, body);
    body();
    session.wait();
    for (const auto& each : data) {
      session.fetch(deed::read(each), deed::everywhere);
      mine.values.push_back(*session.borrow(deed::read(each)));
    }
    session.wait();  // As above.
    mine.counts = session.statistics();
    return mine;
  }

 private:
  struct drawn {
    std::uint64_t kind = 0, beside = 0;
    std::array<std::size_t, 3> uses{};
    deed::rank runs{0};
    double value = 0;
  };
  drawn draw() {
    drawn one;
    one.kind = random_.below(5);
    for (std::size_t& each : one.uses) each = random_.below(owners_.size());
    one.runs = deed::rank{static_cast<int>(random_.below(static_cast<std::uint64_t>(ranks_)))};
    one.value = static_cast<double>(random_.below(100)) / 128;
    return one;
  }
  static void insert(deed::session& session, const drawn& one,
                     std::vector<deed::handle<row>>& data) {
    auto &first = data[one.uses[0]], &second = data[one.uses[1]], &third = data[one.uses[2]];
    const bool apart = one.uses[0] != one.uses[1] && one.uses[0] != one.uses[2];
    if (one.kind == 0) {
      session.insert_task(bump, deed::read_write(first), deed::value(one.value));
    } else if (one.kind == 1) {
      session.insert_task(bump, deed::read_write(first), deed::value(one.value),
                          deed::on(one.runs));
    } else if (one.kind == 2 && apart) {
      session.insert_task(mean, deed::write(first), deed::read(second), deed::read(third),
                          deed::on(one.runs));
    } else if (one.kind == 3 && apart) {
      session.insert_task(add_row, deed::read_write(first), deed::read(second),
                          deed::value(one.value));
    } else {
      session.insert_task(look, deed::read(first), deed::on(one.runs), deed::priority{1});
    }
    if (one.beside == 1) session.flush(first);
    if (one.beside == 2) session.barrier();
    if (one.beside == 3 && first.owner().value == session.rank())
      static_cast<void>(*session.borrow(deed::read(first)));
    if (one.beside == 4) session.fetch(deed::read(first), deed::everywhere);
  }

  deed::random_source random_;
  int ranks_;
  std::vector<int> owners_;
  bool large_ = false;
  std::vector<drawn> tasks_;
};

TEST(repeat, is_as_many_insertions_of_any_body) {
  int kept = 0;
  for (std::uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const int ranks = 1 + static_cast<int>(seed % 4);
    const std::uint64_t times = 3 + seed % 11;
    const drawn_body drawn(seed, ranks);
    const test::world in{seed % 5 == 0 ? test::world::kind::threads : test::world::kind::simulated,
                         seed};
    std::array<std::vector<seen>, 2> all;
    for (const how way : {how::repeated, how::inserted}) {
      auto& seen_by = all[static_cast<std::size_t>(way)];
      seen_by.resize(static_cast<std::size_t>(ranks));
      deed::session_options options;
      options.workers = 1 + static_cast<int>(seed / 5 % 3);
      for (const test::outcome& each : in.run(
               ranks,
               [&](deed::session& session) {
                 seen_by[static_cast<std::size_t>(session.rank())] = drawn.run(session, way, times);
               },
               options))
        EXPECT_EQ(each.text, "");
    }
    for (std::size_t r = 0; r < all[0].size(); ++r) {
      expect_alike(all[0][r], all[1][r]);
      kept += all[0][r].bodies < static_cast<int>(times) ? 1 : 0;
      if (!drawn.may_be_kept()) {
        EXPECT_EQ(all[0][r].bodies, static_cast<int>(times) + 1);
      }
    }
  }
  EXPECT_GT(kept, 300);
}

constexpr deed::codelet count_to{"count_to", [](int& x, int last) {
                                   if (++x == last) throw std::domain_error("enough");
                                 }};
constexpr deed::codelet follow{"follow", [](int& x, const int& first) { x = first; }};

constexpr deed::codelet one_more{"one_more", [](int& next, const int& now) { next = now + 1; }};

/// Each row is read by two others; who has nothing to do with a task leaves it out.
seen pruned_ring(deed::session& session, how way) {
  seen mine;
  const auto rows = static_cast<std::size_t>(2 * session.size());
  std::vector<deed::handle<row>> now;
  for (std::size_t i = 0; i < rows; ++i) {
    const deed::owner owner{static_cast<int>(i) % session.size()};
    now.push_back(session.register_data(owner, row(8, static_cast<double>(i))));
  }
  const auto body = [&] {
    ++mine.bodies;
    for (std::size_t i = 0; i < rows; ++i) {
      auto here = deed::read_write(now[i]);
      auto there = deed::read(now[(i + 1) % rows]);
      if (session.relevant(here, there))
        session.insert_task(add_row, here, there, deed::value(0.25));
    }
  };
  iterate(session, way, 12, body);
  body();
  session.wait();
  for (const auto& each : now) {
    session.fetch(deed::read(each), deed::everywhere);
    mine.values.push_back(*session.borrow(deed::read(each)));
  }
  mine.counts = session.statistics();
  return mine;
}

TEST(repeat, keeps_the_graph_where_a_rank_leaves_tasks_out) {
  each_world([](const test::world& in) {
    std::vector<seen> kept(4), inserted(4);
    for (auto* const all : {&kept, &inserted}) {
      const how way = all == &kept ? how::repeated : how::inserted;
      for (const test::outcome& each : in.run(4, [&](deed::session& session) {
             (*all)[static_cast<std::size_t>(session.rank())] = pruned_ring(session, way);
           }))
        EXPECT_EQ(each.text, "");
    }
    for (std::size_t r = 0; r < 4; ++r) {
      expect_alike(kept[r], inserted[r]);
      EXPECT_LE(kept[r].bodies, 4);
    }
  });
}

/// The report names the task by its number, as if it had been inserted, and counts what it cost.
TEST(repeat, a_task_that_throws_in_a_later_iteration_is_named) {
  simulated_world([](const test::world& in) {
    for (const auto policy : {deed::on_exception::abort, deed::on_exception::propagate}) {
      deed::session_options options;
      options.exceptions = policy;
      std::array<int, 2> bodies{};
      const auto all = in.run(
          2,
          [&](deed::session& session) {
            auto x = session.register_data(deed::owner{0}, 0);
            auto y = session.register_data(deed::owner{1}, 0);
            session.repeat(8, [&] {
              ++bodies[static_cast<std::size_t>(session.rank())];
              session.insert_task(count_to, deed::read_write(x), deed::value(5));
              session.insert_task(follow, deed::write(y), deed::read(x));
            });
            session.wait();
          },
          options);
      EXPECT_EQ(bodies, (std::array<int, 2>{2, 2}));
      EXPECT_THAT(all[0].text, testing::HasSubstr("insertion #8"));
      EXPECT_THAT(all[0].text, testing::HasSubstr("enough"));
      if (policy == deed::on_exception::propagate) {
        EXPECT_EQ(all[1].text, all[0].text);
      }
    }
  });
}

TEST(repeat, what_the_body_inserted_before_it_threw_runs) {
  each_world([](const test::world& in) {
    for (const int iteration : {1, 2, 3}) {
      const auto all = in.run(2, [&](deed::session& session) {
        auto x = session.register_data(deed::owner{1}, 0);
        int done = 0;
        const auto body = [&] {
          session.insert_task(count_to, deed::read_write(x), deed::value(100),
                              deed::on(deed::rank{0}));
          if (++done == iteration) throw std::runtime_error("no more");
        };
        bool thrown = false;
        try {
          session.repeat(10, body);
        } catch (const std::runtime_error&) {
          thrown = true;
        }
        session.fetch(deed::read(x), deed::everywhere);
        session.wait();
        EXPECT_EQ(thrown, iteration < 3) << "the body runs twice";
        EXPECT_EQ(*session.borrow(deed::read(x)), thrown ? iteration : 10);
      });
      for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
    }
  });
}

TEST(repeat, ranks_that_repeat_differently_are_told) {
  simulated_world([](const test::world& in) {
    const auto all = in.run(2, [](deed::session& session) {
      auto x = session.register_data(deed::owner{0}, 0);
      auto y = session.register_data(deed::owner{1}, 0);
      session.repeat(session.rank() == 0 ? 8 : 9, [&] {
        session.insert_task(count_to, deed::read_write(x), deed::value(100));
        session.insert_task(follow, deed::write(y), deed::read(x));
      });
      session.wait();
    });
    EXPECT_THAT(all[1].text, testing::HasSubstr("task `follow` #17, inserted at"));
  });
}

/// What the second iteration asks for is not what the third would.
TEST(repeat, data_that_take_turns) {
  each_world([](const test::world& in) {
    for (const bool leaves_out : {false, true}) {  // The last rank has nothing to do with them.
      const auto all = in.run(3, [&](deed::session& session) {
        auto now = session.register_data(deed::owner{0}, 0);
        auto next = session.register_data(deed::owner{1}, 0);
        int bodies = 0;
        session.repeat(9, [&] {
          ++bodies;
          auto there = deed::write(next);
          auto here = deed::read(now);
          if (!leaves_out || session.relevant(there, here))
            session.insert_task(one_more, there, here);
          std::swap(now, next);
        });
        session.fetch(deed::read(now), deed::everywhere);
        session.wait();
        EXPECT_EQ(*session.borrow(deed::read(now)), 9);
        EXPECT_EQ(bodies, 9);
      });
      for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
    }
  });
}

TEST(repeat, one_inside_another_and_no_iteration_at_all) {
  each_world([](const test::world& in) {
    const auto all = in.run(2, [](deed::session& session) {
      auto x = session.register_data(deed::owner{0}, 0);
      const auto body = [&] {
        session.insert_task(count_to, deed::read_write(x), deed::value(1000),
                            deed::on(deed::rank{1}));
      };
      session.repeat(0, body);
      session.repeat(5, [&] { session.repeat(7, body); });
      session.fetch(deed::read(x), deed::everywhere);
      session.wait();
      EXPECT_EQ(*session.borrow(deed::read(x)), 35);
      EXPECT_EQ(session.statistics().tasks_submitted, 35u);
    });
    for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

}  // namespace
