// SPDX-License-Identifier: MIT
#include "flow/evaluate.hpp"

#include "support/events.hpp"
#include <gtest/gtest.h>

namespace deed::check {
namespace {

using testing::of_kind;
using testing::operation;
using testing::variable_value;
using testing::writer;

TEST(numbers, knows_the_neighbour_in_a_ring) {
  writer w;
  numbers last(w.all, 2, 3);
  const auto right = operation("%", {operation("+", {of_kind(value::kind::rank), constant(1)}),
                                     of_kind(value::kind::ranks)});
  EXPECT_EQ(last.evaluate(right).number, 0);
  EXPECT_FALSE(last.evaluate(right).uniform);
}

TEST(numbers, lets_one_side_decide_a_conjunction) {
  writer w;
  numbers one(w.all, 0, 2);
  const auto both = operation("&&", {constant(0), of_kind(value::kind::unknown)});
  EXPECT_EQ(one.evaluate(both).number, 0);
  EXPECT_EQ(one.evaluate(operation("||", {constant(0), of_kind(value::kind::unknown)})).number,
            std::nullopt);
}

TEST(numbers, does_not_divide_by_zero) {
  writer w;
  numbers one(w.all, 0, 2);
  EXPECT_EQ(one.evaluate(operation("/", {constant(1), constant(0)})).number, std::nullopt);
}

TEST(numbers, counts_what_a_container_holds) {
  writer w;
  const path parts = w.variable("parts", noun::none);
  numbers one(w.all, 0, 2);
  path size = parts;
  size.parts.push_back({part::kind::field, "#", {}});
  one.set(size, {0, true});
  EXPECT_EQ(one.resolved(one.grow(parts, true)), "v1[operator[],0]");
  EXPECT_EQ(one.evaluate(operation("std size", {variable_value(parts)})).number, 1);
  EXPECT_FALSE(one.grow(parts, false).known());
  EXPECT_FALSE(one.grow(parts, true).known()) << "after an unknown change nothing is known";
}

TEST(numbers, gives_a_copy_what_is_known_of_the_parts) {
  writer w;
  const path one = w.variable("one", noun::none), two = w.variable("two", noun::none);
  path rows = one, copied = two;
  rows.parts.push_back({part::kind::field, "rows", {}});
  copied.parts.push_back({part::kind::field, "rows", {}});
  numbers on(w.all, 0, 2);
  on.give(one, operation("members", {operation(".rows", {constant(5)})}));
  EXPECT_EQ(on.evaluate(variable_value(rows)).number, 5);
  on.give(two, operation("copy", {variable_value(one)}));
  EXPECT_EQ(on.evaluate(variable_value(copied)).number, 5);
  on.set(copied, {std::nullopt, true});
  on.may_differ(two);
  EXPECT_FALSE(on.evaluate(variable_value(copied)).uniform) << "each rank chose its own";
}

TEST(numbers, knows_how_long_a_list_is_and_not_what_stands_in_it_later) {
  writer w;
  const path list = w.variable("list", noun::none);
  numbers on(w.all, 0, 2);
  on.give(list, operation("list", {constant(7), constant(8), constant(9)}));
  EXPECT_EQ(on.evaluate(operation("std size", {variable_value(list)})).number, 3);
  EXPECT_EQ(on.evaluate(operation("std operator[]", {variable_value(list), constant(1)})).number,
            std::nullopt)
      << "an iterator may have written it";
}

TEST(numbers, follows_the_parts_of_what_is_equal_on_all_ranks) {
  writer w;
  const path given = w.variable("given", noun::none);
  path tile = given, steps = given;
  tile.parts.push_back({part::kind::field, "tile", {}});
  steps.parts.push_back({part::kind::field, "steps", {}});
  numbers one(w.all, 0, 2);
  EXPECT_FALSE(one.evaluate(variable_value(tile)).uniform);
  one.set(given, {std::nullopt, true, true});
  EXPECT_TRUE(one.evaluate(variable_value(tile)).uniform);
  EXPECT_TRUE(one.evaluate(operation("copy", {variable_value(given)})).whole);
  EXPECT_FALSE(one.evaluate(operation("make", {variable_value(given)})).whole)
      << "a constructor may ask for the rank";
  one.set(steps, {0, false});
  EXPECT_FALSE(one.evaluate(variable_value(given)).whole);
  EXPECT_FALSE(one.evaluate(variable_value(tile)).uniform) << "it may have been set with the other";
}

TEST(numbers, forgets_one_member_alone_and_of_a_list_every_element) {
  writer w;
  const path place = w.variable("place", noun::none);
  path rank = place, size = place, first = place;
  rank.parts.push_back({part::kind::field, "rank", {}});
  size.parts.push_back({part::kind::field, "size", {}});
  first.parts.push_back({part::kind::field, "parts", {}});
  path parts = numbers::length_of(first);
  first.parts.push_back({part::kind::index, "operator[]", {constant(0)}});
  numbers one(w.all, 1, 2);
  one.set(place, {std::nullopt, true, true});
  one.set(rank, {1, false});
  one.set(parts, {4, true});
  one.forget(size);
  EXPECT_EQ(one.evaluate(variable_value(rank)).number, 1);
  EXPECT_FALSE(one.evaluate(variable_value(size)).uniform) << "it was written";
  one.forget(first);
  EXPECT_EQ(one.evaluate(variable_value(parts)).number, std::nullopt) << "&x[0] reaches all of x";
  EXPECT_EQ(one.evaluate(variable_value(rank)).number, 1);
}

TEST(numbers, counts_what_an_element_holds_that_was_made_of_nothing) {
  writer w;
  const path rows = w.variable("rows", noun::none);
  numbers one(w.all, 0, 2);
  one.set(numbers::length_of(rows), {1, true});
  one.begin_element(one.grow(rows, true));
  path last = rows;
  last.parts.push_back({part::kind::index, "back", {}});
  EXPECT_EQ(one.resolved(last), "v1[operator[],1]");
  EXPECT_EQ(one.resolved(one.grow(last, true)), "v1[operator[],1][operator[],0]");
  EXPECT_EQ(one.evaluate(variable_value(numbers::length_of(last))).number, 1);
  EXPECT_FALSE(one.grow(last, false).known());
  EXPECT_FALSE(one.grow(last, true).known()) << "it is not empty any more";
}

}  // namespace
}  // namespace deed::check
