// SPDX-License-Identifier: MIT
// What threads stood and waited for.
#include "analysis/ask/late_transfers.hpp"

#include "analysis/query/query.hpp"
#include "late_run.hpp"
#include "scratch_folder.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace deed::viewer;

TEST(late_transfers, are_those_for_which_a_thread_waited_long) {
  for (const told_by who : {told_by::thread, told_by::next_task, told_by::program}) {
    const scratch_folder folder;
    record_late_transfer(folder.path() + "/run.deed", who);
    const run events(folder.path() + "/run.deed");
    const model things(events);
    const std::vector<late_transfer> late = late_transfers(things);
    ASSERT_EQ(late.size(), 1u) << static_cast<int>(who);
    EXPECT_EQ(things.transfers()[late[0].transfer].version, 1u);
    EXPECT_EQ(late[0].waited(), 300'000);
  }
}

TEST(late_transfers, are_found_by_that_word) {
  const scratch_folder folder;
  record_late_transfer(folder.path() + "/run.deed");
  const run events(folder.path() + "/run.deed");
  const model things(events);
  EXPECT_EQ(find(things, "late").size(), 3u) << "its three records";
  EXPECT_EQ(find(things, "late ver:1").size(), 3u);
}

}  // namespace
