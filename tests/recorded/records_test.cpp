// SPDX-License-Identifier: MIT
// Records that a program asks for, and those of gates, packs and misses.
#include <deed/deed.hpp>
#include <deed/trace/events.hpp>

#include "../support/virtual_ranks.hpp"
#include "analysis/ask/ask.hpp"
#include "analysis/ask/sizes.hpp"
#include "analysis/say/sentence.hpp"
#include "ended_run.hpp"
#include "tests/scratch_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int ranks = 2;

constexpr deed::codelet add_one{"add_one", [](int& value) { ++value; }};
constexpr deed::codelet read_one{"read_one", [](const int&) {}};

/// Runs `program` on two virtual ranks.
std::string recorded(const scratch_folder& folder,
                     const std::function<void(deed::session&)>& program, std::uint64_t seed = 1) {
  deed::session_options options;
  options.trace.path = folder.path() + "/run.deed";
  test::on_virtual_ranks(ranks, program, seed, options);
  return options.trace.path;
}

/// What the events of one kind say, of all ranks in the order of time.
std::vector<std::string> said(const model& of, record what) {
  std::vector<std::string> sentences;
  const run& r = of.events();
  for (std::uint32_t i = 0; i < r.events().size(); ++i)
    if (r.events()[i].what == what) sentences.push_back(say_event(of, r.events()[i]));
  return sentences;
}

TEST(records, are_what_a_program_says_of_itself) {
  const scratch_folder folder;
  const run events(recorded(folder, [](deed::session& session) {
    if (session.rank() != 0) return;
    const deed::phase all(session, "solve");
    for (int i = 0; i < 2; ++i) {
      const deed::phase step(session, "step", i);
      deed::record_value(session, "residual", -7 * i);
    }
  }));
  const model things(events);
  EXPECT_THAT(said(things, record::phase_push),
              ElementsAre("rank 0 begins solve", "rank 0 begins step 0", "rank 0 begins step 1"));
  EXPECT_THAT(said(things, record::phase_pop),
              ElementsAre("rank 0 ends step 0", "rank 0 ends step 1", "rank 0 ends solve"));
  EXPECT_THAT(said(things, record::counter),
              ElementsAre("rank 0: residual is 0", "rank 0: residual is -7"));
}

/// Virtual ranks of one seed have one id.
TEST(records, of_runs_into_one_folder_stay_apart) {
  const scratch_folder folder;
  deed::session_options options;
  options.trace.path = folder.path() + "/run.deed";
  for (const int size : {2, 4, 3, 1})
    test::on_virtual_ranks(size, [](deed::session&) {}, 1, options);
  const auto ranks_of = [&](const std::string& more) {
    return run(options.trace.path + more).ranks().size();
  };
  EXPECT_EQ(ranks_of(""), 2u);
  EXPECT_EQ(ranks_of("-00000001"), 4u);
  EXPECT_EQ(ranks_of("-00000001-2"), 3u);
  EXPECT_EQ(ranks_of("-00000001-3"), 1u);
}

TEST(records, of_many_virtual_ranks_lie_in_smaller_packets) {
  const auto bytes_of_a_packet = [](int size) {
    const scratch_folder folder;
    deed::session_options options;
    options.trace.path = folder.path() + "/run.deed";
    test::on_virtual_ranks(size, [](deed::session&) {}, 1, options);
    return std::filesystem::file_size(options.trace.path + "/rank-000000/app.000");
  };
  EXPECT_EQ(bytes_of_a_packet(64), 256u << 10);
  EXPECT_EQ(bytes_of_a_packet(65), 64u << 10);
}

TEST(records, of_a_program_that_is_not_recorded_are_none) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    const deed::phase step(session, "step");
    deed::record_value(session, "residual", 1);
  });
}

TEST(records, of_a_callback_are_its_threads) {
  const scratch_folder folder;
  const run events(recorded(folder, [](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    session.insert_task(add_one, deed::read_write(x), deed::when_done([&] {
                          const deed::phase after(session, "after");
                          deed::record_value(session, "seen", 1);
                        }));
    session.wait();
  }));
  const model things(events);
  EXPECT_THAT(said(things, record::counter), ElementsAre("rank 0: seen is 1"));
  EXPECT_THAT(said(things, record::phase_pop), ElementsAre("rank 0 ends after"));
}

/// Its data end as its exception passes, which no other rank does: that is no common step.
TEST(records, of_a_rank_that_throws_contradict_nobody) {
  const scratch_folder folder;
  const auto leave_alone = [](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    auto y = session.register_data(deed::owner{1}, 1, {.name = "y"});
    session.insert_task(add_one, deed::read_write(x));
    session.wait();
    if (session.rank() == 1) throw std::runtime_error("there is no mesh");
    for (int i = 0; i < 4; ++i) {
      session.insert_task(add_one, deed::read_write(x));
      session.insert_task(add_one, deed::read_write(y));
    }
    session.wait();
  };
  EXPECT_ANY_THROW(recorded(folder, leave_alone));
  const run events(folder.path() + "/run.deed");
  const model things(events);
  for (const finding& each : check(things)) ADD_FAILURE() << each.sentence;
}

TEST(records, of_gates_name_what_opened_them_and_what_they_let_go) {
  const scratch_folder folder;
  const run events(recorded(folder, [](deed::session& session) {
    auto first = session.register_data(deed::owner{0}, 1, {.name = "first"});
    auto second = session.register_data(deed::owner{0}, 1, {.name = "second"});
    deed::gate by_task = session.make_gate("by task");
    deed::gate by_program = session.make_gate("by program");
    session.insert_task(read_one, deed::read(second), deed::behind(by_task));
    session.insert_task(read_one, deed::read(second), deed::behind(by_program));
    session.insert_task(add_one, deed::read_write(first), deed::opens(by_task));
    by_program.open();
    session.wait();
  }));
  const model things(events);
  const auto opened = said(things, record::gate_open);
  EXPECT_THAT(opened, Contains(HasSubstr("rank 0: gate 0 opened, by add_one#2")));
  EXPECT_THAT(opened, Contains("rank 0: gate 1 opened, by the program"));
  EXPECT_THAT(said(things, record::task_ready), Contains(HasSubstr("is ready, after gate 1")));
}

[[gnu::noinline]] void refuse_something(int& value) {
  if (value > 0) throw deed::error(deed::error_code::bad_setting, "no", {}, "nothing");
}

[[gnu::noinline]] void register_for_nobody(deed::session& session, deed::handle<int>&) {
  static_cast<void>(session.register_data(deed::owner{session.size()}, 1));
  asm volatile("" ::: "memory");
}

constexpr deed::codelet refuse{"refuse", refuse_something};
constexpr deed::codelet other{"other", [](int& value) {
                                if (value > 0) throw std::runtime_error("of the program");
                              }};

/// Where the first error of a run that fails was made.
std::vector<std::string> backtrace_of_failure(
    const std::function<void(deed::session&, deed::handle<int>&)>& program) {
  const scratch_folder folder;
  const ended_run left =
      run_until_it_ends(folder, deed::exit_code::codelet_threw, [&](deed::session& session) {
        auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
        program(session, x);
        session.wait();
      });
  const run events(left.path);
  return at_first_error(model(events), {}).backtrace;
}

TEST(records, of_errors_say_where_they_were_made) {
  const auto in_codelet = [](const auto& codelet) {
    return [&codelet](deed::session& session, deed::handle<int>& x) {
      session.insert_task(codelet, deed::read_write(x));
    };
  };
  EXPECT_THAT(backtrace_of_failure(in_codelet(refuse)).at(0), HasSubstr("refuse_something"));
  EXPECT_THAT(backtrace_of_failure(register_for_nobody),
              Contains(HasSubstr("register_for_nobody")));
  EXPECT_THAT(backtrace_of_failure(in_codelet(other)), testing::IsEmpty())
      << "deed meets it when the stack is gone";
}

TEST(records, of_small_messages_say_which_left_together) {
  const scratch_folder folder;
  const run events(recorded(
      folder,
      [](deed::session& session) {
        std::vector<deed::handle<int>> data;
        for (int i = 0; i < 8; ++i) data.push_back(session.register_data(deed::owner{0}, i));
        const deed::codelet all{"all", [](int& a, int& b, int& c, int& d) { a = b = c = d = 1; }};
        session.insert_task(all, deed::write(data[0]), deed::write(data[1]), deed::write(data[2]),
                            deed::write(data[3]));
        for (int i = 0; i < 4; ++i)
          session.insert_task(read_one, deed::read(data[static_cast<std::size_t>(i)]),
                              deed::on(deed::rank{1}));
        session.wait();
      },
      0));  // In the order of time: where all orders are tried, each leaves alone.
  const model things(events);
  EXPECT_THAT(said(things, record::xfer_pack),
              ElementsAre(HasSubstr("rank 0 sent 4 transfers to rank 1 in one message, ")));
}

TEST(records, of_misses_tell_a_copy_that_was_flushed_from_one_that_became_old) {
  const scratch_folder folder;
  const run events(recorded(folder, [](deed::session& session) {
    auto datum = session.register_data(deed::owner{0}, 1, {.name = "datum"});
    const auto read_there = [&] {
      session.insert_task(read_one, deed::read(datum), deed::on(deed::rank{1}));
    };
    read_there();
    session.flush(datum);
    read_there();
    session.insert_task(add_one, deed::read_write(datum));
    read_there();
    session.wait();
  }));
  const model things(events);
  EXPECT_THAT(said(things, record::cache_lookup),
              ElementsAre(HasSubstr("it has had no copy"), HasSubstr("it has dropped its copy"),
                          HasSubstr("its copy is of another version")));
}

TEST(records, of_a_cache_that_is_off_say_so_behind_each_use) {
  const scratch_folder folder;
  const run events(recorded(folder, [](deed::session& session) {
    const auto datum = session.register_data(deed::owner{1}, 5, {.name = "x"});
    session.set_cache(false);
    for (int i = 0; i < 3; ++i)
      session.insert_task(read_one, deed::read(datum), deed::on(deed::rank{0}));
    session.wait();
  }));
  const model things(events);
  EXPECT_THAT(said(things, record::cache_lookup),
              ElementsAre(HasSubstr("it has had no copy"), HasSubstr("it has dropped its copy"),
                          HasSubstr("it has dropped its copy")));
  const std::vector<repeat> twice = repeats(things, {});
  ASSERT_EQ(twice.size(), 2u);
  for (const repeat& each : twice) {
    EXPECT_EQ(each.cause, "cache_off") << each.sentence;
    EXPECT_THAT(each.sentence, HasSubstr("`set_cache(false)` at"));
    EXPECT_THAT(each.place, HasSubstr("records_test.cpp:"));
  }
}

/// What ends the copy that rank 0 has fetched, as the recording tells.
std::vector<std::string> drops_behind_fetch(
    const std::function<void(deed::session&, deed::handle<int>&)>& next, bool cache) {
  const scratch_folder folder;
  const run events(recorded(folder, [&](deed::session& session) {
    auto datum = session.register_data(deed::owner{1}, 5, {.name = "x"});
    if (!cache) session.set_cache(false);
    session.fetch(deed::read(datum), deed::to{0});
    next(session, datum);
    session.wait();
  }));
  return said(model(events), record::cache_drop);
}

TEST(records, of_copies_that_calls_end_are_there_with_and_without_a_cache) {
  for (const bool cache : {true, false}) {
    SCOPED_TRACE(cache);
    EXPECT_THAT(drops_behind_fetch(
                    [](deed::session& session, deed::handle<int>& x) {
                      auto mine = session.register_data(deed::per_rank, 1, {.name = "mine"});
                      session.reduce(deed::read(mine), deed::write(x), deed::to{1}, std::plus<>());
                    },
                    cache),
                ElementsAre(HasSubstr("rank 0")))
        << "a collective call";
    EXPECT_THAT(drops_behind_fetch(
                    [](deed::session& session, deed::handle<int>& x) {
                      session.insert_task(add_one, deed::read_write(x),
                                          deed::on_each{{deed::rank{1}}});
                    },
                    cache),
                ElementsAre(HasSubstr("rank 0")))
        << "a task on each of some ranks";
  }
}

TEST(records, of_a_task_on_each_rank_say_that_nothing_is_kept) {
  const scratch_folder folder;
  const run events(recorded(folder, [](deed::session& session) {
    auto datum = session.register_data(deed::owner{1}, 5, {.name = "x"});
    session.set_cache(false);
    session.insert_task(add_one, deed::read_write(datum), deed::on_each{deed::everywhere});
    session.wait();
  }));
  EXPECT_THAT(said(model(events), record::cache_drop), ElementsAre(HasSubstr("set_cache(false)")));
}

/// Its values are known when they are packed.
struct named_values {
  std::vector<double> values;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & values;
  }
};

TEST(records, of_a_registration_say_how_much_it_holds) {
  const scratch_folder folder;
  const run events(recorded(folder, [](deed::session& session) {
    const auto rows =
        session.register_data(deed::owner{1}, std::vector<double>(1000), {.name = "rows"});
    const auto one = session.register_data(deed::owner{1}, 1.0, {.name = "one"});
    const auto later = session.register_data<std::vector<double>>(
        deed::owner{0}, deed::uninitialised, {.name = "later"});
    const auto packed =
        session.register_data(deed::owner{0}, named_values{{1, 2, 3}}, {.name = "packed"});
    const auto mine = session.register_data(
        deed::per_rank, std::vector<double>(100 + 100 * static_cast<std::size_t>(session.rank())),
        {.name = "mine"});
  }));
  const model things(events);
  std::vector<std::string> told;
  for (const std::string& each : said(things, record::handle_register))
    told.push_back(each.substr(0, each.find(", at ")));
  const std::string sizes[] = {"rows, 8.0 kB", "one, 8 B", "later, 24 B and what it holds",
                               "packed, 24 B and what it holds"};
  for (const std::string rank : {"rank 0", "rank 1"})
    for (const std::string& each : sizes) EXPECT_THAT(told, Contains(rank + " registered " + each));
  EXPECT_THAT(told, Contains("rank 0 registered mine, 800 B"));
  EXPECT_THAT(told, Contains("rank 1 registered mine, 1.6 kB"));
  EXPECT_EQ(sizes_of_data(things)[0], 8000u);
}

}  // namespace
