// SPDX-License-Identifier: MIT
#include "backend/happens_before.hpp"
#include <gtest/gtest.h>

#include <array>

namespace {

using deed::gpu::happens_before;

struct order : testing::Test {
  happens_before seen;
  std::array<std::byte, 64> memory{};
  char one{}, two{}, event{};

  void on(const char& stream, bool written, const char* what) {
    seen.stream_access(&stream, memory.data(), memory.size(), written, what);
  }
  std::size_t conflicts() const { return seen.conflicts().size(); }
};

TEST_F(order, finds_a_read_that_may_come_before_its_write) {
  on(one, true, "write");
  on(two, false, "read");
  ASSERT_EQ(conflicts(), 1u);
  EXPECT_EQ(seen.conflicts()[0].first, "write");
  EXPECT_EQ(seen.conflicts()[0].second, "read");
}
TEST_F(order, finds_a_write_under_a_reader) {
  on(one, false, "read");
  on(two, true, "write");
  EXPECT_EQ(conflicts(), 1u);
}
TEST_F(order, finds_two_writes) {
  on(one, true, "a");
  on(two, true, "b");
  EXPECT_EQ(conflicts(), 1u);
}
TEST_F(order, finds_a_release_under_work) {
  on(one, false, "read");
  seen.released(memory.data(), memory.size(), "release");
  EXPECT_EQ(conflicts(), 1u);
}
TEST_F(order, finds_the_host_under_a_device) {
  on(one, true, "write");
  seen.host_access(memory.data(), 8, false, "host");
  EXPECT_EQ(conflicts(), 1u);
}
TEST_F(order, lets_readers_be) {
  on(one, false, "a");
  on(two, false, "b");
  seen.host_access(memory.data(), 8, false, "host");
  EXPECT_EQ(conflicts(), 0u);
}
TEST_F(order, knows_that_a_stream_is_in_order) {
  on(one, true, "a");
  on(one, true, "b");
  EXPECT_EQ(conflicts(), 0u);
}
TEST_F(order, knows_record_and_wait) {
  on(one, true, "a");
  seen.record(&event, &one);
  EXPECT_FALSE(seen.wait(&two, &event));
  on(two, true, "b");
  EXPECT_EQ(conflicts(), 0u);
}
TEST_F(order, does_not_take_an_early_record_for_a_late_one) {
  seen.record(&event, &one);
  on(one, true, "a");
  seen.wait(&two, &event);
  on(two, true, "b");
  EXPECT_EQ(conflicts(), 1u);
}
TEST_F(order, knows_that_the_host_has_seen_an_event) {
  on(one, true, "a");
  seen.record(&event, &one);
  seen.host_saw_event(&event);
  seen.host_access(memory.data(), 8, true, "host");
  on(two, true, "b");  // Behind the host, who enqueued it.
  EXPECT_EQ(conflicts(), 0u);
}
TEST_F(order, lists_a_wait_that_another_path_orders_as_redundant) {
  on(one, true, "a");
  seen.record(&event, &one);
  EXPECT_FALSE(seen.wait(&two, &event));
  EXPECT_TRUE(seen.wait(&two, &event));
  EXPECT_EQ(seen.redundant_waits(), 1u);
}
TEST_F(order, looks_at_overlap_not_at_the_first_byte) {
  seen.stream_access(&one, memory.data(), 32, true, "a");
  seen.stream_access(&two, memory.data() + 32, 32, true, "b");
  EXPECT_EQ(conflicts(), 0u);
  seen.stream_access(&two, memory.data() + 31, 2, true, "c");
  EXPECT_EQ(conflicts(), 1u);
}

}  // namespace
