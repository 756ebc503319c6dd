// SPDX-License-Identifier: MIT
// A part of a run, and what it knows of the whole.
#include <deed/base/place.hpp>
#include <deed/base/random.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/generate/event_log.hpp"
#include "analysis/generate/generate.hpp"
#include "analysis/say/answer.hpp"
#include "analysis/say/units.hpp"
#include "scratch_folder.hpp"
#include "small_run.hpp"
#include "written_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace deed::viewer;
using testing::AllOf;
using testing::HasSubstr;

std::string printed(const std::string& path) {
  const run events(path);
  const model known(events);
  return render(print(known, {}, {}, ~std::size_t{0}), style::csv, {}, ~std::size_t{0});
}

TEST(slice, of_everything_is_the_same_run) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const std::string copy = folder.path() + "/copy.deed";
  EXPECT_EQ(slice(run(path), copy, {}), events_in(path));
  EXPECT_EQ(printed(copy), printed(path));
  EXPECT_THAT(run(copy).incomplete(), testing::IsEmpty());
  EXPECT_EQ(babeltrace(copy), std::pair(events_in(path), true));
}

TEST(slice, keeps_a_range_and_all_definitions) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const run all(path);
  const time_range range{all.end() / 4, all.end() / 2};
  const std::string part = folder.path() + "/part.deed";
  const std::uint64_t kept = slice(all, part, {range, {}});
  const auto inside = std::count_if(all.events().begin(), all.events().end(), [&](const event& e) {
    return e.what <= record::worker || (e.time >= range.from && e.time <= range.to);
  });
  EXPECT_GT(kept, static_cast<std::uint64_t>(inside)) << "and what goes on from before";
  EXPECT_LT(kept, all.events().size());
  EXPECT_TRUE(babeltrace(part).second);
  const run cut(part);
  EXPECT_EQ(model(cut).codelets().size(), model(all).codelets().size());
  EXPECT_THROW(slice(all, part, {}), unwritable) << "it is not written over";
}

/// By the clock of the Unix epoch, which is that of the whole run in its parts, too.
std::string definitions_in(const std::string& path, const std::set<int>& ranks) {
  const std::vector<std::string> kinds(record_names.begin(), record_names.begin() + 9);
  const run events(path);
  const model known(events);
  return render(print(known, kinds, run_part(known, {}, ranks, {}), ~std::size_t{0}, true),
                style::csv, {}, ~std::size_t{0});
}

TEST(slice, has_all_definitions_of_its_ranks_whatever_the_range) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const run all(path);
  const std::string end = folder.path() + "/end.deed", one = folder.path() + "/one.deed";
  slice(all, end, {time_range{all.end(), all.end()}, {}});
  EXPECT_EQ(definitions_in(end, {}), definitions_in(path, {}));
  slice(all, one, {time_range{0, 1}, {1}});
  EXPECT_EQ(definitions_in(one, {}), definitions_in(path, {1}));
  EXPECT_THAT(definitions_in(one, {}), AllOf(HasSubstr("handle_register"), HasSubstr("codelet"),
                                             HasSubstr("src_loc"), HasSubstr("worker")));
}

/// A run and the middle of it.
struct whole_and_part {
  explicit whole_and_part(std::uint64_t seed) : run_of_all(small_run(path_of("run"), seed)) {
    range = {run_of_all.end() / 3, run_of_all.end() / 2};
    slice(run_of_all, path_of("part"), {range, {}});
    run_of_part.emplace(path_of("part"));
    all.emplace(run_of_all);
    part.emplace(*run_of_part);
  }
  [[nodiscard]] std::string path_of(const std::string& name) const {
    return folder.path() + "/" + name + ".deed";
  }
  scratch_folder folder;
  run run_of_all;
  time_range range;
  std::optional<run> run_of_part;
  std::optional<model> all, part;
};

void expect_same_state(const whole_and_part& of, std::uint32_t handle, std::int64_t when) {
  const datum_state is = state_at(*of.all, handle, when), told = state_at(*of.part, handle, when);
  const auto writer = [](const model& m, std::uint32_t task) {
    return task == none ? std::string("nobody") : m.task_name(task);
  };
  EXPECT_TRUE(told.version_known && told.owner_known && told.all_known);
  EXPECT_EQ(told.owner, is.owner);
  EXPECT_EQ(told.version, is.version);
  EXPECT_EQ(writer(*of.part, told.writer), writer(*of.all, is.writer));
  EXPECT_EQ(told.in_flight.size(), is.in_flight.size());
  EXPECT_EQ(told.borrows.size(), is.borrows.size());
  for (std::size_t rank = 0; rank < is.copies.size(); ++rank) {
    EXPECT_EQ(told.copies[rank].kind, is.copies[rank].kind) << "rank " << rank;
    EXPECT_EQ(told.copies[rank].version, is.copies[rank].version) << "rank " << rank;
  }
}

TEST(slice, tells_the_state_of_data_as_the_whole_run_does) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const whole_and_part of(seed);
    EXPECT_TRUE(babeltrace(of.path_of("part")).second);
    deed::random_source draw(seed);
    for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
      const auto handle = static_cast<std::uint32_t>(draw.below(of.all->data().size()));
      const auto length = static_cast<std::uint64_t>(of.range.to - of.range.from);
      const std::int64_t when =
          of.range.from + (i < 20 ? 0 : static_cast<std::int64_t>(draw.below(length)));
      SCOPED_TRACE(of.all->handle_name(handle) + " at " + std::to_string(when) + ", seed " +
                   std::to_string(seed));
      expect_same_state(of, handle, when);
    }
  }
}

std::string tables_of(const answer& said) {
  return render({{}, said.tables}, style::csv, {}, ~std::size_t{0});
}

TEST(slice, answers_as_that_part_of_the_whole_run) {
  const whole_and_part of(3);
  EXPECT_EQ(tables_of(breakdown(*of.part, {})), tables_of(breakdown(*of.all, of.range)));
  EXPECT_EQ(tables_of(comm_square(*of.part, traffic_of::bytes)),
            tables_of(comm_square(*of.all, traffic_of::bytes, of.range)));
  const part_of_both both{of.range, of.range};
  const same_tasks same(*of.all, *of.part, both);
  EXPECT_EQ(same.only_a(), 0u);
  EXPECT_EQ(same.only_b(), 0u);
  const std::int64_t length = of.range.to - of.range.from;
  const std::string path = render(say_critical_path(*of.part), style::text, {}, 0);
  EXPECT_THAT(path, HasSubstr(" of " + say_time(length)));
  for (const auto& row : wait_matrix(*of.part)) {
    std::int64_t waited = 0;
    for (const std::int64_t each : row) waited += each;
    const auto threads = static_cast<std::int64_t>(of.part->events().lanes().size());
    EXPECT_LE(waited, threads * length);
  }
}

/// What a thread did before it said so for the first time, it is known by the end of its last task.
TEST(slice, knows_of_a_thread_that_says_what_it_does_within_it_alone) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/run.deed", part = folder.path() + "/part.deed";
  constexpr std::int64_t ms = 1'000'000;
  event_log log(path, 1, 1, 1);
  log.add(0, 0, event_log::first_worker, record::task_begin,
          {0, log.rank(0).codelet("work", deed::place::current())});
  log.add(1 * ms, 0, event_log::first_worker, record::task_end, {0, 0});
  log.add(9 * ms, 0, event_log::first_worker, record::state, {2, 0, 0});
  log.add(20 * ms, 0, event_log::first_worker, record::state, {0, 0, 0});
  log.close();
  const run all(path);
  const time_range range{3 * ms, 12 * ms};
  slice(all, part, {range, {}});
  const run cut(part);
  const std::string whole = tables_of(breakdown(model(all), range));
  EXPECT_THAT(whole, HasSubstr("scheduling"));
  EXPECT_EQ(tables_of(breakdown(model(cut), {})), whole);
}

TEST(slice, keeps_the_ranks_that_were_asked_for) {
  const scratch_folder folder;
  const std::string path = small_run(folder.path() + "/run.deed");
  const std::string one = folder.path() + "/one.deed";
  slice(run(path), one, {{}, {1}});
  EXPECT_THAT(run(one).incomplete(),
              testing::ElementsAre("no trace from rank 0: it ran, and its files are not here"));
}

TEST(slice, takes_the_events_around_a_moment) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.inject = {{"deadlock", 1}};
  generate(options);
  const run all(options.path);
  const auto when = first_error(all);
  ASSERT_TRUE(when);
  const time_range part = around(all, *when, 200);
  const auto& events = all.events();
  const auto count = [&](auto inside) {
    return std::count_if(events.begin(), events.end(), inside);
  };
  const auto kept = count([&](const event& e) { return e.time >= part.from && e.time <= part.to; });
  EXPECT_GE(kept, 180);
  EXPECT_LE(kept, 260) << "events of one time stay together";
  EXPECT_LE(part.from, *when);
  EXPECT_GE(part.to, *when);
  EXPECT_FALSE(first_error(run(small_run(folder.path() + "/right.deed"))));
  const time_range everything = around(all, *when, 1'000'000'000);
  EXPECT_EQ(everything.from, events.front().time);
  EXPECT_EQ(everything.to, events.back().time);
}

TEST(slice, knows_what_it_is_a_part_of) {
  const scratch_folder folder;
  generator_options options;
  options.path = folder.path() + "/run.deed";
  options.tiles = 8;
  static_cast<void>(generate(options));
  const run all(options.path);
  const model whole(all);
  const time_range range{all.end() / 4, all.end() / 2};
  const std::string part = folder.path() + "/part.deed";
  slice(all, part, {range, {}});
  const run cut(part);
  const model of_cut(cut);
  ASSERT_TRUE(sliced_to(cut));
  EXPECT_EQ(sliced_to(cut)->from, range.from);
  EXPECT_EQ(shares(of_cut, {}).wall, range.to - range.from);
  EXPECT_THAT(text_of(info(of_cut)), HasSubstr("a slice of a run, from "));
  EXPECT_FALSE(sliced_to(all));
  // A task that was over before the range, or begins behind it, has no share.
  const auto before = shares(whole, range), after = shares(of_cut, {});
  for (const auto& [what, time] : after.sums) {
    const auto same = std::ranges::find(before.sums, what, [](const auto& s) { return s.first; });
    if (what == "gemm" || what == "trsm") {
      ASSERT_NE(same, before.sums.end());
      EXPECT_LE(time, same->second) << what;
    }
  }
}

}  // namespace
