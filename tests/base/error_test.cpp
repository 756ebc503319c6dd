// SPDX-License-Identifier: MIT
#include <deed/base/call_stack.hpp>
#include <deed/base/error.hpp>
#include <deed/base/identity.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

static_assert(!std::convertible_to<int, deed::rank>, "an int is no rank");
static_assert(!std::convertible_to<int, deed::owner>, "an int is no owner");
static_assert(!std::convertible_to<int, deed::tag>, "an int is no tag");
static_assert(!std::constructible_from<deed::message_tag, deed::tag>, "a tag is no message tag");
static_assert(!std::constructible_from<deed::owner, bool>, "a condition is no owner");

TEST(error, prints_code_facts_and_help_in_aligned_lines) {
  const deed::error refused(deed::error_code::borrowed_twice, "`grid` is borrowed twice",
                            {{"wanted", "a write"}, {"registered", "heat.cpp:11"}},
                            "end the first borrow before: close its scope");
  EXPECT_STREQ(refused.what(),
               "deed[D307] `grid` is borrowed twice\n"
               "  wanted      a write\n"
               "  registered  heat.cpp:11\n"
               "  help: end the first borrow before: close its scope");
  EXPECT_EQ(refused.code(), deed::error_code::borrowed_twice);
  EXPECT_EQ(refused.facts().size(), 2u);
}

[[gnu::noinline]] deed::error made_here() {
  return deed::error(deed::error_code::borrowed_twice, "", {}, "");
}

TEST(error, knows_who_made_it_also_as_a_copy) {
  const deed::error made = made_here(), copied = made;
  const auto from = copied.made_at().addresses();
  ASSERT_GE(from.size(), 2u) << "and who called that";
  EXPECT_TRUE(std::ranges::equal(from, made.made_at().addresses()));
  constexpr std::uintptr_t most = 4096;  // Of one function.
  const auto begin = reinterpret_cast<std::uintptr_t>(&made_here);
  EXPECT_LT(reinterpret_cast<std::uintptr_t>(from.front()) - begin, most);
}

[[gnu::noinline]] std::size_t frames_at(int depth) {
  const std::size_t found =
      depth == 0 ? deed::call_stack::of_caller().addresses().size() : frames_at(depth - 1);
  asm volatile("" ::: "memory");  // No loop instead of calls.
  return found;
}

TEST(call_stack, keeps_the_innermost_of_many) {
  EXPECT_EQ(frames_at(100), deed::call_stack::most);
  EXPECT_EQ(frames_at(4), frames_at(3) + 1);
}

TEST(error_code, has_three_digits) {
  EXPECT_EQ(to_string(deed::error_code::mpi_failed), "D001");
  EXPECT_EQ(to_string(deed::error_code::device_lost), "D011");
  EXPECT_EQ(to_string(deed::error_code::moved_handle), "D101");
}

TEST(title, is_the_one_of_the_catalogue) {
  EXPECT_EQ(deed::title(deed::error_code::borrowed_twice), "`{h}` is borrowed twice");
  EXPECT_EQ(deed::title(deed::error_code{108}), "") << "a retired number has no title";
}

TEST(place, shows_the_file_without_its_folders) {
  EXPECT_EQ(deed::to_string(deed::place::current()), "error_test.cpp:" + std::to_string(__LINE__));
}

}  // namespace
