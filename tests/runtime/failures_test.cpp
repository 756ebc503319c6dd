// SPDX-License-Identifier: MIT
// Tasks that throw and types that throw while they travel, under both policies.
#include <deed/base/random.hpp>
#include <deed/deed.hpp>

#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using test::each_world;
using test::outcome;
using test::simulated_world;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const deed::session_options propagate{.exceptions = deed::on_exception::propagate};

constexpr deed::codelet root{"root", [](double& x) {
                               if (x < 0) throw std::domain_error("x < 0");
                             }};
constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet set{"set", [](double& x, double value) { x = value; }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

std::string here(int line) { return "failures_test.cpp:" + std::to_string(line); }

/// A type that throws where it is told to.
struct touchy {
  enum class where : int { nowhere, saving, loading, making };
  static std::atomic<where>& making_fails() {  // The default constructor knows nothing else.
    static std::atomic<where> now{where::nowhere};
    return now;
  }
  where fails = where::nowhere;
  std::vector<int> values;

  touchy() {
    if (making_fails() == where::making) throw std::runtime_error("cannot be made");
  }
  explicit touchy(where at) : fails(at), values(3, 7) {}
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    if (Archive::is_saving::value && fails == where::saving)
      throw std::runtime_error("cannot be saved");
    ar & fails & values;
    if (Archive::is_loading::value && fails == where::loading)
      throw std::runtime_error("cannot be loaded");
  }
};
constexpr deed::codelet look{"look", [](const touchy& one) {
                               if (one.values.empty())
                                 throw std::logic_error("it ran without its value");
                             }};
constexpr deed::codelet refill{"refill", [](touchy& one) { one = touchy(touchy::where::nowhere); }};

class a_type_that_throws : public testing::TestWithParam<touchy::where> {
 protected:
  void SetUp() override {
    if (GetParam() == touchy::where::making) touchy::making_fails() = GetParam();
  }
  void TearDown() override { touchy::making_fails() = touchy::where::nowhere; }
  /// Whoever throws at bytes calls them damaged.
  static deed::error_code wanted() {
    return GetParam() == touchy::where::loading ? deed::error_code::message_damaged
                                                : deed::error_code::serialize_threw;
  }
};

TEST_P(a_type_that_throws, ends_the_run_in_a_report) {
  simulated_world([](const test::world& in) {
    int needed = 0;
    const std::vector<outcome> all = in.run(2, [&](deed::session& session) {
      auto one =
          session.register_data(deed::owner{0}, [] { return touchy(GetParam()); }, {.name = "one"});
      session.insert_task(look, deed::read(one), deed::on(deed::rank{1}));
      if (session.rank() == 0) needed = __LINE__ - 1;
      session.wait();
    });
    const std::size_t where = GetParam() == touchy::where::saving ? 0 : 1;
    EXPECT_EQ(all[where].code, wanted());
    EXPECT_TRUE(all[where].printed);
    const std::string& text = all[where].text;
    EXPECT_THAT(text, HasSubstr("`one`"));
    EXPECT_THAT(text, HasSubstr("cannot be "));
    EXPECT_THAT(text, ContainsRegex("needed by +" + here(needed)));
    EXPECT_THAT(text, ContainsRegex("registered +failures_test.cpp:"));
    EXPECT_THAT(text, HasSubstr("on rank " + std::to_string(where)));
    EXPECT_THAT(text, HasSubstr("touchy"));
    EXPECT_THAT(text, Not(HasSubstr("without its value")));
  });
}

TEST_P(a_type_that_throws, cancels_what_needs_it_under_propagate) {
  each_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        3,
        [](deed::session& session) {
          auto one = session.register_data(deed::owner{0}, [] { return touchy(GetParam()); },
                                           {.name = "one"});
          auto other = session.register_data(deed::owner{2}, 1.0);
          session.insert_task(look, deed::read(one), deed::on(deed::rank{1}));
          session.insert_task(bump, deed::read_write(other));
          try {
            session.wait();
            ADD_FAILURE() << "nothing was thrown on rank " << session.rank();
          } catch (const deed::error& thrown) {
            EXPECT_EQ(thrown.code(), wanted());
            EXPECT_THAT(thrown.what(), ContainsRegex("cancelled +1 task that would have read it"));
          }
          EXPECT_EQ(session.statistics().tasks_cancelled, session.rank() == 1 ? 1u : 0u);
          if (session.rank() == 2) {
            EXPECT_EQ(*session.borrow(deed::read(other)), 2.0);
          }
          touchy::making_fails() = touchy::where::nowhere;
          session.insert_task(refill, deed::write(one));
          session.insert_task(look, deed::read(one), deed::on(deed::rank{1}));
          session.wait();
        },
        propagate);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
    if (GetParam() == touchy::where::making) touchy::making_fails() = GetParam();
  });
}

INSTANTIATE_TEST_SUITE_P(, a_type_that_throws,
                         testing::Values(touchy::where::saving, touchy::where::loading,
                                         touchy::where::making),
                         [](const auto& of) {
                           return of.param == touchy::where::saving    ? "while_it_is_packed"
                                  : of.param == touchy::where::loading ? "while_it_is_unpacked"
                                                                       : "while_it_is_made";
                         });

TEST(a_task_without_memory, says_what_it_was_to_write_and_how_much_was_wanted) {
  static constexpr deed::codelet clear{"clear", [](deed::tile<double> all) { all(0, 0) = 0; }};
  simulated_world([](const test::world& in) {
    constexpr std::ptrdiff_t edge = std::ptrdiff_t{1} << 27;
    int inserted = 0;
    const std::vector<outcome> all = in.run(2, [&](deed::session& session) {
      deed::tiled_matrix<double> m{session,
                                   {.rows = edge,
                                    .cols = edge,
                                    .tile_rows = edge,
                                    .tile_cols = edge,
                                    .owners = [](std::size_t, std::size_t) { return 1; },
                                    .name = "m"}};
      auto far = session.register_data(deed::owner{0}, std::array<double, 128>{}, {.name = "far"});
      session.fetch(deed::read(far), deed::to{1});
      session.wait();
      session.insert_task(clear, deed::write(m(0, 0)));
      if (session.rank() == 0) inserted = __LINE__ - 1;
      session.wait();
    });
    EXPECT_EQ(all[1].code, deed::error_code::host_memory_exhausted);
    EXPECT_TRUE(all[1].printed);
    EXPECT_THAT(all[1].text, HasSubstr("deed[D008] no memory for what task `clear` writes"));
    EXPECT_THAT(all[1].text, ContainsRegex("wanted +144115188075855872 bytes"));
    EXPECT_THAT(all[1].text, ContainsRegex("inserted +" + here(inserted)));
    EXPECT_THAT(all[1].text, ContainsRegex("ran on +rank 1"));
    EXPECT_THAT(all[1].text, ContainsRegex("writes +`m\\(0,0\\)`"));
    EXPECT_THAT(all[1].text, ContainsRegex("copies here +1.0 KiB of other ranks' values"));
  });
}

TEST(a_task_without_memory, that_its_body_asked_for_is_told_what_to_do_about_that) {
  static constexpr deed::codelet greedy{"greedy", [](double& /*x*/) { throw std::bad_alloc(); }};
  simulated_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(1, [](deed::session& session) {
      auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
      session.insert_task(greedy, deed::read_write(x));
      session.wait();
    });
    EXPECT_EQ(all[0].code, deed::error_code::task_threw);
    EXPECT_THAT(all[0].text, HasSubstr("deed[D807] task `greedy` threw: std::bad_alloc"));
    EXPECT_THAT(all[0].text, HasSubstr("help: let its body take less memory, give each rank more, "
                                       "or run fewer tasks at once: DEED_WORKERS"));
  });
}

TEST(a_task_without_memory, that_its_body_told_of_itself_had_begun) {
  static constexpr deed::codelet solve{
      "solve", [](double& /*x*/) {
        throw deed::error(deed::error_code::host_memory_exhausted, "no memory for the factors",
                          {{"wanted", "96 bytes"}}, "take fewer of them");
      }};
  simulated_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(1, [](deed::session& session) {
      auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
      session.insert_task(solve, deed::read_write(x));
      session.wait();
    });
    EXPECT_EQ(all[0].code, deed::error_code::task_threw);
    EXPECT_THAT(all[0].text, HasSubstr("deed[D807] task `solve` threw: deed[D008] no memory for "
                                       "the factors"));
    EXPECT_THAT(all[0].text, HasSubstr("\n  help: let its body take less memory"));
  });
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(a_task_that_calls_the_session, is_told_what_it_called_and_one_help) {
  static deed::session* all = nullptr;
  // deed-check: allow(D806) reason: it is refused
  static constexpr deed::codelet inserts{"inserts", [](double& /*x*/) { all->flush(); }};
  // deed-check: allow(D705) reason: it is refused
  static constexpr deed::codelet waits{"waits", [](double& /*x*/) { all->wait(); }};
  simulated_world([](const test::world& in) {
    const auto told_of = [&](const auto& task) {
      return in
          .run(1,
               [&](deed::session& session) {
                 all = &session;
                 auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
                 session.insert_task(task, deed::read_write(x));
                 session.wait();
               })[0]
          .text;
    };
    const std::string inserted = told_of(inserts), waited = told_of(waits);
    EXPECT_THAT(inserted, HasSubstr("deed[D807] task `inserts` threw: deed[D806] the session is "
                                    "used inside a task\n  called    failures_test.cpp:"));
    EXPECT_THAT(inserted, HasSubstr("\n  help: return, and call it in the program"));
    EXPECT_EQ(count_of("help: ", inserted), 1u) << inserted;
    EXPECT_THAT(waited, HasSubstr("threw: deed[D705] waiting inside a task\n  called    `wait()`"));
    EXPECT_THAT(waited, HasSubstr("\n  help: return, wait in the program"));
    EXPECT_EQ(count_of("help: ", waited), 1u) << waited;
  });
}

TEST(a_task_that_throws, is_told_on_every_rank_with_what_it_cancelled) {
  each_world([](const test::world& in) {
    int line = 0;
    const std::vector<outcome> all = in.run(
        3,
        [&](deed::session& session) {
          auto a = session.register_data(deed::owner{1}, -1.0, {.name = "a"});
          auto b = session.register_data(deed::owner{2}, 1.0, {.name = "b"});
          auto c = session.register_data(deed::owner{0}, 1.0, {.name = "c"});
          session.insert_task(root, deed::read_write(a));
          if (session.rank() == 1) line = __LINE__ - 1;
          session.insert_task(add, deed::read_write(b), deed::read(a));  // Cancelled on rank 2.
          session.insert_task(add, deed::read_write(c), deed::read(b));  // Cancelled on rank 0.
          session.wait();
        },
        propagate);
    for (const outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::task_threw);
      EXPECT_EQ(each.text, all[0].text);
      EXPECT_THAT(each.text, HasSubstr("deed[D807] task `root` threw: x < 0"));
      EXPECT_THAT(each.text, HasSubstr("inserted   " + here(line)));
      EXPECT_THAT(each.text, HasSubstr("ran on     rank 1"));
      EXPECT_THAT(each.text, HasSubstr("cancelled  2 tasks"));
    }
  });
}

TEST(a_task_that_throws, leaves_the_session_usable_and_its_data_without_value_until_written) {
  each_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        2,
        [](deed::session& session) {
          auto a = session.register_data(deed::owner{1}, -1.0, {.name = "a"});
          auto b = session.register_data(deed::owner{0}, 5.0, {.name = "b"});
          session.insert_task(root, deed::read_write(a));
          session.insert_task(bump, deed::read_write(b));
          EXPECT_THROW(session.wait(), deed::task_error);
          if (session.rank() == 1) {
            EXPECT_THROW(static_cast<void>(*session.borrow(deed::read(a))), deed::task_error);
          } else {
            EXPECT_EQ(*session.borrow(deed::read(b)), 6.0);
          }
          session.insert_task(bump, deed::read_write(a));  // It still has no value.
          EXPECT_THROW(session.wait(), deed::task_error);
          session.insert_task(set, deed::write(a), deed::value(3.0));
          session.insert_task(add, deed::read_write(b), deed::read(a));
          session.wait();
          if (session.rank() == 0) {
            EXPECT_EQ(*session.borrow(deed::read(b)), 9.0);
          }
        },
        propagate);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

TEST(a_task_that_throws, is_listed_with_all_others_the_first_inserted_first) {
  each_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        3,
        [](deed::session& session) {
          std::vector<deed::handle<double>> each;
          for (int r = 0; r < 3; ++r) {
            each.push_back(session.register_data(deed::owner{2 - r}, -1.0));
            session.insert_task(root, deed::read_write(each.back()));
          }
          try {
            session.wait();
          } catch (const deed::task_error& thrown) {
            EXPECT_EQ(thrown.number(), 0u);
            EXPECT_EQ(thrown.rank(), 2);
            ASSERT_EQ(thrown.others().size(), 2u);
            EXPECT_EQ(thrown.others()[0].number, 1u);
            EXPECT_EQ(thrown.others()[1].rank, 0);
            throw;
          }
        },
        propagate);
    for (const outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::task_threw);
      EXPECT_THAT(each.text, HasSubstr("task `root` threw: x < 0, on rank 0, inserted at"));
    }
  });
}

TEST(a_task_that_throws, reaches_the_other_end_of_an_explicit_message) {
  each_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        2,
        [](deed::session& session) {
          auto mine = session.register_data(deed::per_rank, session.rank() == 0 ? -1.0 : 1.0);
          if (session.rank() == 0) {
            session.insert_task(root, deed::read_write(mine));
            session.send(deed::read(mine), deed::to{1}, deed::message_tag{4});
          } else {
            // deed-check: allow(D506) reason: two ranks run this
            session.receive(deed::write(mine), deed::from{0}, deed::message_tag{4});
            session.insert_task(bump, deed::read_write(mine));
          }
          EXPECT_THROW(session.wait(), deed::task_error);
          EXPECT_EQ(session.statistics().tasks_cancelled, session.rank() == 1 ? 1u : 0u);
        },
        propagate);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

TEST(a_task_that_throws, is_told_by_the_request_of_who_receives_its_value) {
  each_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(
        2,
        [](deed::session& session) {
          auto mine = session.register_data(deed::per_rank, session.rank() == 0 ? -1.0 : 1.0);
          if (session.rank() == 0) {
            session.insert_task(root, deed::read_write(mine));
            session.send(deed::read(mine), deed::to{1}, deed::message_tag{4});
          } else {
            // deed-check: allow(D506) reason: two ranks run this
            auto request = session.ireceive(deed::write(mine), deed::from{0}, deed::message_tag{4});
            try {
              static_cast<void>(request.wait());
              ADD_FAILURE() << "it has no value";
            } catch (const deed::task_error& thrown) {
              EXPECT_EQ(thrown.codelet(), "root");
              EXPECT_EQ(thrown.rank(), 0);
            }
          }
          EXPECT_THROW(session.wait(), deed::task_error);
          // The request is done, and the datum may be written again.
          session.insert_task(set, deed::write(mine), deed::value(2.0));
          session.wait();
        },
        propagate);
    for (const outcome& each : all) EXPECT_EQ(each.text, "");
  });
}

TEST(a_task_that_throws, ends_the_run_on_the_ranks_that_need_it_too) {
  simulated_world([](const test::world& in) {
    const std::vector<outcome> all = in.run(2, [](deed::session& session) {
      auto a = session.register_data(deed::owner{0}, -1.0);
      session.insert_task(root, deed::read_write(a));
      session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{1}));
      session.wait();
    });
    EXPECT_EQ(all[0].code, deed::error_code::task_threw);
    EXPECT_TRUE(all[0].printed);
  });
}

/// A random program of tasks of which some throw, and what must come of it.
struct random_program {
  struct task {
    std::size_t writes, reads;
    int rank;
    bool overwrites, throws;
  };
  static constexpr std::size_t data = 6;
  std::vector<task> tasks;

  random_program(std::uint64_t seed, int ranks) {
    deed::random_source draw(seed);
    const std::size_t count = 5 + draw.below(40);
    for (std::size_t i = 0; i < count; ++i) {
      task drawn{draw.below(data), draw.below(data),
                 static_cast<int>(draw.below(static_cast<std::uint64_t>(ranks))), draw.one_in(4),
                 draw.one_in(8)};
      if (drawn.reads == drawn.writes) drawn.reads = (drawn.reads + 1) % data;
      tasks.push_back(drawn);
    }
  }
  /// Which tasks run, and the values at the end; negative: none.
  [[nodiscard]] std::pair<std::set<std::size_t>, std::vector<long>> shadow() const {
    std::vector<long> values(data, 1);
    std::set<std::size_t> ran;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const task& at = tasks[i];
      const bool lacks = values[at.reads] < 0 || (!at.overwrites && values[at.writes] < 0);
      if (!lacks) ran.insert(i);
      long& into = values[at.writes];
      into = lacks || at.throws
                 ? -1
                 : ((at.overwrites ? 0 : into) * 31 + values[at.reads] * 7 + long(i)) % 1000003;
    }
    return {ran, values};
  }
};

/// What a task of a random program needs beside its data.
struct note {
  std::size_t number;
  bool overwrites, throws;
};
struct diary {
  std::mutex mutex;
  std::set<std::size_t> ran;
};

TEST(random_programs_with_tasks_that_throw, run_what_can_run_and_nothing_else) {
  static diary* book = nullptr;  // Codelets hold nothing.
  const auto step = [](long& into, const long& from, const note& what) {
    {
      const std::lock_guard lock(book->mutex);
      book->ran.insert(what.number);
    }
    if (what.throws) throw std::runtime_error("drawn");
    into = ((what.overwrites ? 0 : into) * 31 + from * 7 + long(what.number)) % 1000003;
  };
  static constexpr deed::codelet update{"update", [](long& into, const long& from, note what) {
                                          decltype(step)()(into, from, what);
                                        }};
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const int ranks = 1 + static_cast<int>(seed % 4);
    const random_program program(seed, ranks);
    const auto [ran, values] = program.shadow();
    const test::world in{seed % 10 == 0 ? test::world::kind::threads : test::world::kind::simulated,
                         seed};
    diary fresh;
    book = &fresh;
    std::vector<long> found(random_program::data, -1);
    const std::vector<outcome> all = in.run(
        ranks,
        [&](deed::session& session) {
          std::vector<deed::handle<long>> each;
          for (std::size_t d = 0; d < random_program::data; ++d)
            each.push_back(session.register_data(deed::owner{int(d) % ranks}, 1L));
          for (std::size_t i = 0; i < program.tasks.size(); ++i) {
            const auto& at = program.tasks[i];
            const note what{i, at.overwrites, at.throws};
            if (at.overwrites) {
              // deed-check: allow(D207) reason: a task that overwrites does not read first
              session.insert_task(update, deed::write(each[at.writes]), deed::read(each[at.reads]),
                                  deed::value(what), deed::on(deed::rank{at.rank}));
            } else {
              session.insert_task(update, deed::read_write(each[at.writes]),
                                  deed::read(each[at.reads]), deed::value(what),
                                  deed::on(deed::rank{at.rank}));
            }
          }
          bool failed = false;
          try {
            session.wait();
          } catch (const deed::task_error&) {
            failed = true;
          }
          EXPECT_EQ(failed, ran.size() < program.tasks.size() ||
                                std::ranges::any_of(program.tasks, &random_program::task::throws));
          for (std::size_t d = 0; d < each.size(); ++d) {
            if (!session.owns(each[d])) continue;
            try {
              found[d] = *session.borrow(deed::read(each[d]));
            } catch (const deed::task_error&) {
            }
          }
          session.wait();
        },
        propagate);
    for (const outcome& each : all) EXPECT_EQ(each.text, "") << "seed " << seed;
    EXPECT_EQ(fresh.ran, ran) << "seed " << seed;
    EXPECT_EQ(found, values) << "seed " << seed;
  }
}

}  // namespace
