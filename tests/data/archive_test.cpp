// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/data/archive.hpp>

#include "../support/available_memory.hpp"
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdlib>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

namespace {

struct particles {
  std::vector<double> x, y, z;
  std::map<int, std::string> species;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & x & y & z & species;
  }
  bool operator==(const particles&) const = default;
};

struct plain {
  std::string name;
  std::vector<std::vector<int>> rows;
  double origin[3];
  bool periodic;
  bool operator==(const plain&) const = default;
};

struct tree {
  int value = 0;
  std::vector<tree> children;
  bool operator==(const tree&) const = default;
};

struct chain {
  std::unique_ptr<chain> next;
};

class split {
 public:
  int value = 0;
  template <class Archive>
  void save(Archive& ar, unsigned) const {
    ar << value << value;
  }
  template <class Archive>
  void load(Archive& ar, unsigned) {
    int again = 0;
    ar >> value >> again;
  }
  bool operator==(const split&) const = default;

 private:
  [[maybe_unused]] double cache_ = 0;
};

}  // namespace

namespace elsewhere {

class point {
 public:
  point() = default;
  explicit point(std::string name) : name_(std::move(name)) {}
  bool operator==(const point&) const = default;
  std::string name_;
};
template <class Archive>
void serialize(Archive& ar, point& p, unsigned) {
  ar & p.name_;
}

}  // namespace elsewhere

namespace {

template <class T>
T round_trip(const T& value) {
  deed::data::packed_buffer buffer;
  deed::data::pack(value, buffer);
  T copy{};
  deed::data::unpack(copy, buffer.bytes());
  return copy;
}

template <class T>
void expect_round_trip(const T& value) {
  EXPECT_EQ(round_trip(value), value);
}

TEST(archive, brings_back_numbers_texts_and_containers) {
  expect_round_trip(42);
  expect_round_trip(true);
  expect_round_trip(std::complex<double>{1, -2});
  expect_round_trip(std::string("a text, with \0 inside", 21));
  expect_round_trip(std::vector<double>{1, 2, 3});
  expect_round_trip(std::vector<bool>{true, false, true});
  expect_round_trip(std::vector<std::string>{"a", "", "c"});
  expect_round_trip(std::map<int, std::string>{{1, "one"}, {2, "two"}});
  expect_round_trip(std::multimap<int, int>{{1, 2}, {1, 3}});
  expect_round_trip(std::map<int, double>{{1, 2.0}, {3, 4.0}});  // Gaps in a pair; see below.
  expect_round_trip(std::vector<std::pair<int, double>>{{1, 2.0}, {3, 4.0}});
  expect_round_trip(std::set<std::string>{"x", "y"});
  expect_round_trip(std::unordered_map<std::string, std::vector<int>>{{"k", {1, 2}}, {"l", {}}});
  expect_round_trip(std::unordered_set<int>{1, 2, 3});
  expect_round_trip(std::list<int>{3, 1, 2});
  expect_round_trip(std::deque<std::string>{"front", "back"});
  expect_round_trip(std::optional<std::string>{"there"});
  expect_round_trip(std::optional<int>{});
  expect_round_trip(std::variant<int, std::string>{"text"});
  expect_round_trip(std::pair<int, std::string>{1, "one"});
  expect_round_trip(std::tuple<int, std::string, double>{1, "one", 1.0});
  expect_round_trip(std::array<std::string, 2>{"a", "b"});
  expect_round_trip(std::forward_list<int>{3, 1, 2});
  expect_round_trip(std::wstring(L"wide"));
  expect_round_trip(std::bitset<70>(0x5a5a));
  expect_round_trip(std::chrono::nanoseconds(7));
  EXPECT_EQ(round_trip(std::valarray<double>{1, 2, 3}).sum(), 6);
  EXPECT_EQ(*round_trip(std::make_unique<std::string>("owned")), "owned");
}

TEST(archive, uses_serialize_where_the_type_brings_it) {
  expect_round_trip(particles{{1, 2}, {3, 4}, {5, 6}, {{1, "electron"}}});
  expect_round_trip(elsewhere::point("north"));
  split value;
  value.value = 7;
  expect_round_trip(value);
}

TEST(archive, writes_plain_aggregates_member_by_member) {
  expect_round_trip(plain{"grid", {{1, 2}, {}}, {0, 1, 2}, true});
  expect_round_trip(tree{1, {{2, {}}, {3, {{4, {}}}}}});
}

TEST(archive, refuses_a_count_that_is_larger_than_what_follows) {
  deed::data::packed_buffer buffer;
  deed::data::pack(std::uint64_t{1} << 60, buffer);
  std::vector<double> value;
  try {
    deed::data::unpack(value, buffer.bytes());
    FAIL() << "a count of 2^60 was believed";
  } catch (const deed::error& refused) {
    EXPECT_EQ(refused.code(), deed::error_code::message_damaged);
    EXPECT_NE(std::string(refused.what()).find("at byte  8 of 8"), std::string::npos)
        << refused.what();
  }
}

TEST(archive, refuses_bytes_that_are_left_over) {
  deed::data::packed_buffer buffer;
  deed::data::pack(std::pair(1, 2), buffer);
  int value;
  EXPECT_THROW(deed::data::unpack(value, buffer.bytes()), deed::error);
}

TEST(archive, refuses_values_that_nest_too_deep_on_both_sides) {
  chain long_chain;
  for (chain* last = &long_chain; auto n : std::vector<int>(300)) {
    last->next = std::make_unique<chain>();
    last = last->next.get() + n;
  }
  deed::data::packed_buffer buffer;
  EXPECT_THROW(deed::data::pack(long_chain, buffer), deed::error);
  const std::vector<std::byte> ones(300, std::byte{1});
  EXPECT_THROW(deed::data::unpack(long_chain, ones), deed::error);
}

TEST(archive, counts_in_64_bits) {
  if (std::getenv("LARGE") == nullptr || available_memory() < (std::size_t{10} << 30)) {
    GTEST_SKIP() << "needs 9 GiB; LARGE=1 runs it";
  }
  std::string text((std::size_t{1} << 32) + 4096, 'a');
  text.back() = 'z';
  deed::data::packed_buffer buffer;
  deed::data::pack(text, buffer);
  EXPECT_EQ(buffer.size(), text.size() + 8);
  text = {};
  text.shrink_to_fit();
  deed::data::unpack(text, buffer.bytes());
  EXPECT_EQ(text.size(), (std::size_t{1} << 32) + 4096);
  EXPECT_EQ(text.back(), 'z');
}

}  // namespace
