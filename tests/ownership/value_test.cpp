// SPDX-License-Identifier: MIT
#include <deed/ownership/value.hpp>

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace {

using deed::ownership::holds_address;
using deed::ownership::member_count;
using deed::ownership::member_types;
using deed::ownership::visible_aggregate;

struct particle {
  double position[3];
  int id;
};
static_assert(member_count<particle> == 2, "an array is one member");
static_assert(std::is_same_v<member_types<particle>, std::tuple<double[3], int>>);
struct matrix {
  double element[4][4];
};
static_assert(member_count<matrix> == 1);
struct flags {
  unsigned low : 3;
  unsigned high : 5;
};
static_assert(member_count<flags> == 2);
struct link {
  int& target;
  int count;
};
static_assert(member_count<link> == 2);
struct mixed {
  std::string name;
  particle pair[2];
  std::unique_ptr<int> owned;
  std::map<int, std::string> species;
  std::variant<int, std::string> either;
  const double fixed;
};
static_assert(member_count<mixed> == 6);
struct no_default {
  explicit no_default(int);
  int v;
};
struct holds_no_default {
  no_default x;
  int y;
};
static_assert(member_count<holds_no_default> == 2);
struct empty {};
static_assert(member_count<empty> == 0);
struct derived : particle {
  int more;
};
static_assert(!visible_aggregate<derived>, "members of a base cannot be named");
static_assert(!visible_aggregate<no_default>, "a class with a constructor is no aggregate");
struct tree {
  std::vector<tree> children;
  int value;
};
static_assert(member_count<tree> == 2);

static_assert(!holds_address<double> && !holds_address<particle> && !holds_address<flags>);
static_assert(!holds_address<std::string> && !holds_address<tree>);
static_assert(holds_address<int*> && holds_address<const int* const> && holds_address<int&>);
static_assert(holds_address<void (*)()> && holds_address<int particle::*>);
static_assert(holds_address<std::span<int>> && holds_address<std::string_view>);
static_assert(holds_address<std::reference_wrapper<int>> && holds_address<std::shared_ptr<int>>);
static_assert(holds_address<deed::tile<double>>, "also where tile is only declared");
static_assert(holds_address<std::weak_ptr<int>> && holds_address<std::function<void()>>);
static_assert(holds_address<link>);
struct node {
  double x;
  node* next;
};
struct nested {
  particle p;
  std::array<node, 2> nodes;
};
static_assert(holds_address<node> && holds_address<node[2]> && holds_address<nested>);
static_assert(holds_address<std::pair<int, std::tuple<char, int*>>>);

TEST(members, are_visited_in_the_order_of_their_declaration) {
  particle p{{1, 2, 3}, 4};
  deed::ownership::apply_to_members(p, [](auto& position, int& id) {
    position[1] = 20;
    id = 40;
  });
  EXPECT_EQ(p.position[1], 20);
  EXPECT_EQ(p.id, 40);
}

}  // namespace
