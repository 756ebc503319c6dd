// SPDX-License-Identifier: MIT
#include <deed/runtime/run.hpp>
#include <deed/runtime/session.hpp>
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/replay/ledger_replay.hpp"
#include "change_record.hpp"
#include "generate.hpp"
#include "tests/scratch_folder.hpp"
#include "worlds.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

// The viewer decides again what the runtime decided, with the runtime's own ledger: every rank
// records a hash of its ledger after every change, and the replay has to come to the same.

namespace {

using namespace deed::viewer;

deed::trace::recorder_options every_change(const scratch_folder& folder) {
  deed::trace::recorder_options options;
  options.path = folder.path() + "/run.deed";
  options.packet_bytes = 64 << 10;
  options.set("events", "task,access,xfer,cache,owner,wait,place,digest");
  return options;
}

oracle::plan program_of(std::uint64_t seed) {
  return oracle::generate(seed, {.most_ranks = 6, .fewest_tasks = 20, .most_tasks = 300});
}

struct recorded {
  explicit recorded(const std::string& path) : events(path), things(events), ledger(things) {}
  run events;
  model things;
  ledger_replay ledger;
};

class each_world : public testing::TestWithParam<oracle::world> {};

TEST_P(each_world, decides_as_the_runtime_did_in_random_programs) {
  const bool threads = GetParam() == oracle::world::threads;
  const std::uint64_t programs = threads ? 20 : 150;
  std::uint64_t changes = 0, digests = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const scratch_folder folder;
    const auto options = every_change(folder);
    const oracle::verdict verdict = oracle::run(GetParam(), program_of(seed), options);
    ASSERT_EQ(verdict.wrong, "");
    recorded seen(options.path);
    for (const finding& each : check(seen.things)) ADD_FAILURE() << each.sentence;
    static_cast<void>(seen.ledger.compare());
    EXPECT_EQ(seen.ledger.replayed(), seen.ledger.recorded());
    changes += seen.ledger.replayed();
    digests += seen.ledger.digests_compared();
    if (HasFailure()) return;
  }
  EXPECT_GT(changes, programs * 20);
  EXPECT_GE(digests, changes) << "every rank after every change that it knows of";
}

INSTANTIATE_TEST_SUITE_P(same_ledger, each_world,
                         testing::Values(oracle::world::simulated, oracle::world::threads));

TEST(same_ledger, is_the_same_at_any_step_whatever_was_asked_before) {
  const scratch_folder folder;
  const auto options = every_change(folder);
  const auto program =
      oracle::generate(11, {.most_ranks = 6, .fewest_tasks = 100, .most_tasks = 300});
  ASSERT_EQ(oracle::run(oracle::world::simulated, program, options).wrong, "");
  recorded seen(options.path), again(options.path);
  const std::uint64_t last = seen.ledger.recorded();
  ASSERT_GT(last, 10u);
  for (const std::uint64_t step :
       {last, last / 2, last / 3, last / 2, std::uint64_t{0}, last - 1}) {
    const deed::ownership::ledger straight = recorded(options.path).ledger.at(step);
    EXPECT_EQ(seen.ledger.at(step), straight) << "at " << step;
  }
}

struct mutation {
  record what;
  field which;
  int only = -1;  // The value to change; -1: any.
};

class one_changed_record : public testing::TestWithParam<mutation> {};

TEST_P(one_changed_record, is_found) {
  int found = 0;
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    const scratch_folder folder;
    const auto options = every_change(folder);
    ASSERT_EQ(oracle::run(oracle::world::simulated, program_of(seed), options).wrong, "");
    bool changed = false;
    {
      const recorded seen(options.path);
      const auto& events = seen.events.events();
      // Tasks whose accesses are no change of the ledger: it is told of each by itself.
      std::set<std::pair<int, std::uint64_t>> apart;
      for (const event& each : events) {
        if (each.what == record::task_submit &&
            seen.events.get(each, field::step, deed::trace::no_step) == deed::trace::no_step)
          apart.emplace(seen.events.rank_of(each), seen.events.get(each, field::task));
      }
      for (auto at = events.begin() + static_cast<std::ptrdiff_t>(events.size() / 2);
           at != events.end() && !changed; ++at) {
        const bool shared = seen.events.get(*at, field::handle, 0) < seen.things.data().size();
        const bool of_start = seen.events.get(*at, field::step, 1) == 0;  // Names no handle.
        const bool is_access = at->what == record::task_access;
        const std::uint64_t task =
            seen.events.get(*at, is_access ? field::task : field::for_task, deed::trace::no_task);
        const bool replayed = !apart.contains({seen.events.rank_of(*at), task});
        if (at->what == GetParam().what && shared && !of_start && replayed &&
            seen.things.data()[seen.events.get32(*at, field::handle)].home !=
                deed::trace::every_rank &&
            (GetParam().only < 0 || seen.events.get32(*at, GetParam().which) ==
                                        static_cast<std::uint32_t>(GetParam().only)))
          changed = change_record(options.path, seen.events, *at, GetParam().which);
      }
    }
    if (!changed) continue;
    const recorded damaged(options.path);
    const auto findings = check(damaged.things);
    EXPECT_FALSE(findings.empty()) << "seed " << seed;
    ++found;
  }
  EXPECT_GT(found, 3) << "nothing to change";
}

INSTANTIATE_TEST_SUITE_P(same_ledger, one_changed_record,
                         testing::Values(mutation{record::task_access, field::ver_in},
                                         mutation{record::task_access, field::mode, 0},
                                         mutation{record::ledger_step, field::version},
                                         mutation{record::ledger_step, field::slot},
                                         mutation{record::ledger_digest, field::common},
                                         mutation{record::ledger_digest, field::own},
                                         mutation{record::cache_lookup, field::result, 0}));

}  // namespace
