// SPDX-License-Identifier: MIT
#include "flow/state.hpp"

#include <gtest/gtest.h>

namespace deed::check {
namespace {

fact moved(variable_id id, const event* because) {
  fact f;
  f.what = about::moved;
  f.subject_path = {id, {}};
  f.subject = key(f.subject_path);
  f.because = because;
  return f;
}

TEST(state, keeps_what_holds_on_both_paths_certain) {
  const event one, other;
  state a, b;
  a.add(moved(1, &one));
  b.add(moved(1, &other));
  a.join(b);
  ASSERT_NE(a.find(about::moved, "v1"), nullptr);
  EXPECT_TRUE(a.find(about::moved, "v1")->certain);
}

TEST(state, makes_what_holds_on_one_path_uncertain) {
  const event one;
  state a;
  a.add(moved(1, &one));
  EXPECT_TRUE(a.join(state{}));
  EXPECT_FALSE(a.find(about::moved, "v1")->certain);
  EXPECT_FALSE(a.join(state{})) << "nothing changes any more";
}

TEST(state, drops_a_fact_of_the_other_branch_when_the_condition_comes_again) {
  const event one;
  state then, otherwise;
  then.assume({"v7", true});
  then.add(moved(1, &one));
  otherwise.assume({"v7", false});
  then.join(otherwise);
  state again = then;
  again.assume({"v7", false});
  EXPECT_EQ(again.find(about::moved, "v1"), nullptr);
  then.reconsider("v7");
  then.assume({"v7", false});
  EXPECT_NE(then.find(about::moved, "v1"), nullptr) << "the condition may have changed";
}

TEST(state, renames_an_object_with_its_parts) {
  const event one;
  state s;
  fact f = moved(1, &one);
  f.subject_path.parts.push_back({part::kind::field, "grid", {}});
  f.subject = key(f.subject_path);
  s.add(f);
  s.rename({1, {}}, {2, {}});
  EXPECT_EQ(s.find(about::moved, "v1.grid"), nullptr);
  EXPECT_NE(s.find(about::moved, "v2.grid"), nullptr);
  EXPECT_EQ(s.find_around(about::moved, "v22"), nullptr) << "another variable";
}

}  // namespace
}  // namespace deed::check
