// SPDX-License-Identifier: MIT
#include "flow/store.hpp"

#include "flow/print.hpp"
#include "flow/same_names.hpp"
#include "support/events.hpp"
#include <gtest/gtest.h>

namespace deed::check {
namespace {

using testing::writer;

/// A unit with one function that borrows, inserts and branches.
struct unit {
  writer w;
  path session = w.variable("session", noun::session);
  path mine = w.variable("mine", noun::handle);

  explicit unit(const std::string& file, const std::string& usr = "f") {
    w.all.files.add(file);
    block first = writer::straight(
        {w.call("insert_task", {{verb::submits, ""}}, {writer::token(mode::read_write, mine)}),
         w.call("wait", {{verb::waits, "all"}}, {writer::number(noun::rank, 3)})},
        {1, 2});
    first.condition = operation("==", {of_kind(value::kind::rank), constant(0)});
    first.how = split::branch;
    function f = writer::of({std::move(first), writer::straight({}, {2}), {}});
    f.usr = usr;
    f.parameters = {session.root};
    w.all.functions[usr] = std::make_unique<function>(std::move(f));
    w.all.codelets.push_back({"bump", {0, 90, 1, 90, 5}, {0, 90, 1, 90, 5}, {"body"}});
  }
  static value_ref of_kind(value::kind k) { return testing::of_kind(k); }
  static value_ref operation(const std::string& text, std::vector<value_ref> arguments) {
    return testing::operation(text, std::move(arguments));
  }
};

/// A function that calls `f`, gives it away and has a value of it, in the unit's file `number`.
function user_of_f(unit& in, const std::string& usr, std::uint32_t number) {
  event call = in.w.call("f", {}, {writer::number(noun::rank, 0)});
  call.function = call.arguments[0].callable = "f";
  value of_call;
  of_call.what = value::kind::call;
  of_call.text = "f";
  call.arguments[0].value =
      testing::operation("+", {constant(1), std::make_shared<const value>(of_call)});
  function made = writer::of({writer::straight({std::move(call)}, {1}), {}});
  made.usr = usr;
  made.at.file = number;
  return made;
}

void add(unit& to, function f) {
  const std::string usr = f.usr;
  to.w.all.functions[usr] = std::make_unique<function>(std::move(f));
}

/// What `user_of_f` of this name calls, gives away and has a value of.
std::vector<const function*> meant_by(const program& all, const std::string& usr) {
  const event& call = all.find(usr)->blocks[0].events[0];
  const operand& given = call.arguments[0];
  return {all.find(call.function), all.find(given.callable),
          all.find(given.value->arguments[1]->text)};
}

/// The one of the functions `f` that stands in this file.
const function* f_of(const program& all, const std::string& file) {
  for (const auto& [usr, f] : all.functions) {
    if (usr.starts_with("f") && all.files.name(f->at.file) == file) return f.get();
  }
  return nullptr;
}

std::string printed_functions(const program& all) {
  std::string text;
  for (const auto& [usr, f] : all.functions) text += printed(all, *f);
  return text;
}

TEST(store, gives_back_what_was_stored) {
  const unit one("a.cpp");
  program again;
  ASSERT_TRUE(absorb(stored(one.w.all), again));
  EXPECT_EQ(printed_functions(again), printed_functions(one.w.all));
  EXPECT_EQ(again.files.name(0), "a.cpp");
  ASSERT_EQ(again.codelets.size(), 1u);
  EXPECT_EQ(again.codelets[0].name, "bump");
}

TEST(store, numbers_variables_files_and_codelets_anew) {
  const unit one("a.cpp"), two("b.cpp", "g");
  program both;
  ASSERT_TRUE(absorb(stored(one.w.all), both));
  ASSERT_TRUE(absorb(stored(two.w.all), both));
  EXPECT_EQ(both.files.size(), 2u);
  EXPECT_EQ(both.codelets.size(), 2u);
  const function& g = *both.find("g");
  EXPECT_NE(g.parameters, both.find("f")->parameters);
  EXPECT_EQ(both.var(g.parameters[0]).name, "session");
  EXPECT_EQ(both.files.name(g.blocks[0].events[0].at.file), "b.cpp");
}

TEST(store, takes_what_two_units_share_once) {
  const unit one("a.hpp"), two("a.hpp");
  program both;
  ASSERT_TRUE(absorb(stored(one.w.all), both));
  ASSERT_TRUE(absorb(stored(two.w.all), both));
  EXPECT_EQ(both.files.size(), 1u);
  EXPECT_EQ(both.functions.size(), 1u);
  EXPECT_EQ(both.codelets.size(), 1u);
}

TEST(store, keeps_functions_of_one_name_apart) {
  unit one("a.cpp"), two("b.cpp"), three("c.cpp", "g");
  for (unit* each : {&one, &two, &three}) each->w.all.files.add("shared.hpp");
  for (unit* each : {&one, &two}) each->w.all.codelets[0].bodies = {"f"};
  add(one, user_of_f(one, "main_of_a", 0));
  add(two, user_of_f(two, "main_of_b", 0));
  add(two, user_of_f(two, "header_of_b", 1));
  for (unit* each : {&one, &two}) add(*each, user_of_f(*each, "header_of_both", 1));
  add(three, user_of_f(three, "main_of_c", 0));

  program all;
  for (const unit* each : {&one, &two, &one, &three}) ASSERT_TRUE(absorb(stored(each->w.all), all));
  tell_apart(all);
  const function* const in_a = f_of(all, "a.cpp");
  const function* const in_b = f_of(all, "b.cpp");
  ASSERT_TRUE(in_a && in_b);
  EXPECT_EQ(all.find(in_a->usr), in_a);
  EXPECT_EQ(all.find(in_b->usr), in_b);
  EXPECT_EQ(all.find("f"), nullptr);
  EXPECT_EQ(all.functions.size(), 8u);

  using functions = std::vector<const function*>;
  const functions none(3, nullptr);
  EXPECT_EQ(meant_by(all, "main_of_a"), functions(3, in_a));
  EXPECT_EQ(meant_by(all, "main_of_b"), functions(3, in_b));
  EXPECT_EQ(meant_by(all, "header_of_b"), functions(3, in_b));
  EXPECT_EQ(meant_by(all, "header_of_both"), none);
  EXPECT_EQ(meant_by(all, "main_of_c"), none);
  EXPECT_EQ(all.find(all.codelets[0].bodies[0]), in_a);
  EXPECT_EQ(all.find(all.codelets[1].bodies[0]), in_b);
}

TEST(store, leaves_the_names_of_functions_that_are_the_same) {
  unit one("a.hpp");
  add(one, user_of_f(one, "user", 0));
  program all;
  for (int times = 0; times < 2; ++times) ASSERT_TRUE(absorb(stored(one.w.all), all));
  tell_apart(all);
  EXPECT_EQ(meant_by(all, "user"), std::vector<const function*>(3, all.find("f")));
  EXPECT_NE(all.find("f"), nullptr);
}

TEST(store, refuses_bytes_that_end_early_or_are_something_else) {
  const std::string bytes = stored(unit("a.cpp").w.all);
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    program out;
    EXPECT_FALSE(absorb(bytes.substr(0, size), out)) << size;
  }
  program out;
  EXPECT_FALSE(absorb("something else", out));
}

}  // namespace
}  // namespace deed::check
