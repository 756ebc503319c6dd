// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <matching.hpp>

#include <cstdint>
#include <vector>

namespace {

using deed::transport::transfer_kind;
using deed::transport::detail::arrival_pool;
using deed::transport::detail::lane;
using deed::transport::detail::lane_table;

int lanes_in(const lane_table& table) {
  int count = 0;
  table.for_each([&](const lane&) { ++count; });
  return count;
}

/// A program that makes and ends data all the time leaves nothing behind, of whatever kind.
TEST(lanes, are_forgotten_when_nothing_waits_in_them) {
  lane_table table;
  arrival_pool arrivals;
  for (std::uint64_t tag = 0; tag < 1000; ++tag) {
    for (const transfer_kind kind : {transfer_kind::message, transfer_kind::datum}) {
      lane& there = table.at(kind, 1, tag);
      deed::transport::detail::arrival& came = *arrivals.take();
      there.push(came);
      table.tidy(there);
      ASSERT_EQ(lanes_in(table), 1) << "something waits in it";
      ASSERT_EQ(there.take(came.head.version), &came);
      arrivals.give_back(&came);
      table.tidy(there);
      ASSERT_EQ(lanes_in(table), 0);
    }
  }
}

/// Lanes that share a hash's neighbourhood are found again after others went.
TEST(lanes, stay_apart_while_others_come_and_go) {
  lane_table table;
  arrival_pool arrivals;
  std::vector<lane*> kept;
  for (std::uint64_t tag = 0; tag < 300; ++tag) {
    lane& there = table.at(transfer_kind::datum, 2, tag);
    if (tag % 3 == 0) {
      there.push(*arrivals.take());
      kept.push_back(&there);
    }
    table.tidy(there);
  }
  EXPECT_EQ(lanes_in(table), 100);
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(&table.at(transfer_kind::datum, 2, 3 * i), kept[i]);
}

}  // namespace
