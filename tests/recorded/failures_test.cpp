// SPDX-License-Identifier: MIT
// What ends a run is in its recording, as it is printed and with the datum that it is about.
#include <deed/deed.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/say/sentence.hpp"
#include "ended_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace deed::viewer;
using deed::exit_code;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::string text_of(const answer& said) { return render(said, style::text, {}, 100); }

/// A run that ended with `code`, and what its recording says.
class failed {
 public:
  failed(exit_code code, const std::function<void(deed::session&)>& program,
         const std::vector<std::string>& words = {"--deed-ranks=2"})
      : left_(run_until_it_ends(folder_, code, program, words)),
        events_(left_.path),
        things_(events_) {}

  [[nodiscard]] const std::string& printed() const { return left_.printed; }
  [[nodiscard]] const model& things() const { return things_; }
  [[nodiscard]] answer first_error() const { return at_first_error(things_, {}); }
  [[nodiscard]] std::string who_owned() const { return text_of(first_error()); }
  [[nodiscard]] std::string print() const {
    return text_of(deed::viewer::print(things_, {}, {}, 1'000));
  }
  /// Of one kind.
  [[nodiscard]] std::vector<event> all(record what) const {
    std::vector<event> found;
    for (const event& e : events_.events())
      if (e.what == what) found.push_back(e);
    return found;
  }
  [[nodiscard]] std::vector<std::string> said(record what) const {
    std::vector<std::string> sentences;
    for (const event& e : all(what)) sentences.push_back(say_event(things_, e));
    return sentences;
  }
  /// Of the one error that is recorded.
  [[nodiscard]] std::uint64_t of_error(field f) const {
    const std::vector<event> errors = all(record::error);
    EXPECT_EQ(errors.size(), 1u);
    return errors.empty() ? 0 : events_.get(errors.front(), f);
  }
  [[nodiscard]] std::string datum_of_error() const {
    const auto handle = static_cast<std::uint32_t>(of_error(field::handle));
    return handle == none ? "none" : things_.handle_name(handle);
  }

 private:
  scratch_folder folder_;
  ended_run left_;
  run events_;
  model things_;
};

/// Of rank 1; rank 0 waits for it.
std::function<void(deed::session&)> that_throws(const std::function<void()>& thrown) {
  return [thrown](deed::session& session) {
    if (session.rank() == 1) thrown();
    session.wait();
  };
}

TEST(an_exception_of_the_program, is_recorded_without_a_code) {
  for (const char* world : {"--deed-ranks=2", "--deed-ranks=inproc:2"}) {
    const failed it(exit_code::codelet_threw,
                    that_throws([] { throw std::runtime_error("no such lattice\nin the file"); }),
                    {world});
    EXPECT_EQ(it.printed(), "rank 1: no such lattice\nin the file\n");
    EXPECT_EQ(it.of_error(field::code), 0u);
    EXPECT_THAT(it.said(record::error),
                ElementsAre("rank 1: an exception leaves the program: no such lattice"));
    EXPECT_THAT(it.print(), AllOf(HasSubstr("code=none"), Not(HasSubstr("D000"))));
    EXPECT_THAT(it.who_owned(),
                AllOf(HasSubstr("rank 1: an exception leaves the program: no such lattice\n"),
                      Not(HasSubstr("D000")), Not(HasSubstr("names no datum"))));
    EXPECT_TRUE(it.first_error().findings);
  }
}

std::atomic<int>& ran_here() {
  static std::atomic<int> tasks{0};
  return tasks;
}

/// Says with one letter that it has run.
constexpr deed::codelet take_a_while{"take_a_while", [](double& x) {
                                       const auto until = std::chrono::steady_clock::now() +
                                                          std::chrono::microseconds(200);
                                       while (std::chrono::steady_clock::now() < until) x += 1.0;
                                       std::fputc('.', stderr);
                                       ++ran_here();
                                     }};

TEST(an_exception_of_the_program, leaves_no_task_out_that_still_ran) {
  const failed it(exit_code::codelet_threw,
                  [](deed::session& session) {
                    std::vector<deed::handle<double>> data;
                    for (int i = 0; i < 400; ++i)
                      data.push_back(session.register_data(deed::owner{0}, 0.0));
                    for (auto& each : data)
                      session.insert_task(take_a_while, deed::read_write(each));
                    while (ran_here() == 0) std::this_thread::yield();
                    throw std::runtime_error("no such lattice");
                  },
                  {"--deed-ranks=inproc:1", "--deed-workers=2"});
  const auto ran = std::ranges::count(it.printed(), '.');
  EXPECT_GT(ran, 0) << it.printed();
  EXPECT_EQ(std::ranges::ssize(it.all(record::task_begin)), ran);
  EXPECT_EQ(std::ranges::ssize(it.all(record::task_end)), ran);
}

TEST(an_exception_of_the_program, may_be_of_any_type) {
  const failed it(exit_code::codelet_threw, that_throws([] { throw 7; }));
  EXPECT_THAT(it.said(record::error), ElementsAre("rank 1: an exception leaves the program: "
                                                  "an exception that is no std::exception"));
  EXPECT_THAT(it.printed(), HasSubstr("rank 1: an exception that is no std::exception"));
}

TEST(an_exception_of_the_program, that_says_that_memory_has_ended_has_its_code) {
  const failed it(exit_code::codelet_threw, that_throws([] { throw std::bad_alloc(); }));
  EXPECT_EQ(it.of_error(field::code), 8u);
  EXPECT_THAT(it.said(record::error),
              ElementsAre("rank 1 reports deed[D008] there is too little memory"));
}

TEST(a_stop_of_the_program, is_no_error) {
  const failed it(exit_code::cannot_write, that_throws([] {
                    throw deed::stop_run(exit_code::cannot_write, "the disk is full\nof tables");
                  }));
  EXPECT_EQ(it.printed(), "the disk is full\nof tables\n");
  const std::string stop = "rank 1 stops the run on purpose, with exit code 74: the disk is full";
  EXPECT_THAT(it.said(record::stop_run), ElementsAre(stop));
  EXPECT_THAT(it.said(record::error), IsEmpty());
  EXPECT_THAT(it.things().failures(), IsEmpty());
  const answer said = it.first_error();
  EXPECT_FALSE(said.findings);
  ASSERT_GE(said.sentences.size(), 2u);
  EXPECT_EQ(said.sentences[0], "no error was recorded");
  EXPECT_THAT(said.sentences[1], testing::EndsWith(": " + stop));
  EXPECT_THAT(it.print(), AllOf(HasSubstr("exit_code=74"), HasSubstr("the disk is full")));
  EXPECT_THAT(
      text_of(info(it.things())),
      AllOf(HasSubstr(": " + stop), HasSubstr("not closed, after rank 1 had stopped the run"),
            Not(HasSubstr("killed"))));
  EXPECT_THAT(text_of(say_check(it.things(), {})),
              AllOf(HasSubstr("the run ended early, "), HasSubstr(": " + stop)));
}

constexpr deed::codelet show{"show", [](const double&) {}};

/// `x` is the one that the error is about; `other` was registered before.
void is_about_x(exit_code code, deed::error_code wanted,
                const std::function<void(deed::session&)>& program,
                const std::vector<std::string>& words = {"--deed-ranks=2"}) {
  const failed it(
      code,
      [&](deed::session& session) {
        const auto other = session.register_data(deed::owner{0}, 1.0, {.name = "other"});
        program(session);
      },
      words);
  SCOPED_TRACE(it.printed());
  EXPECT_EQ(it.of_error(field::code), static_cast<std::uint64_t>(wanted));
  EXPECT_EQ(it.datum_of_error(), "x");
  EXPECT_THAT(it.who_owned(), AllOf(HasSubstr("x at "), HasSubstr("owner"), HasSubstr("registered"),
                                    Not(HasSubstr("names no datum"))));
}

TEST(an_error_about_a_datum, names_what_is_read_before_it_is_written) {
  is_about_x(
      exit_code::codelet_threw, deed::error_code::read_before_written, [](deed::session& session) {
        auto x = session.register_data<double>(deed::owner{0}, deed::uninitialised, {.name = "x"});
        session.insert_task(show, deed::read(x));
      });
}

/// The exception ends the datum before the error is recorded.
TEST(an_error_about_a_datum, is_told_as_of_the_refused_insertion) {
  for (const char* world : {"--deed-ranks=2", "--deed-ranks=inproc:1"}) {
    const failed it(exit_code::codelet_threw,
                    [](deed::session& session) {
                      auto x = session.register_data<double>(deed::owner{0}, deed::uninitialised,
                                                             {.name = "x"});
                      session.insert_task(show, deed::read(x));
                    },
                    {world});
    SCOPED_TRACE(it.printed());
    EXPECT_THAT(it.who_owned(),
                AllOf(testing::ContainsRegex("owner +rank 0"),
                      HasSubstr("none: it has no value yet"), Not(HasSubstr("unregistered"))));
  }
}

TEST(an_error_about_a_datum, names_what_is_borrowed_on_another_rank) {
  is_about_x(exit_code::codelet_threw, deed::error_code::not_on_this_rank,
             [](deed::session& session) {
               auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
               if (session.rank() == 1) static_cast<void>(*session.borrow(deed::read(x)));
               session.wait();
             });
}

TEST(an_error_about_a_datum, names_what_is_borrowed_twice) {
  is_about_x(exit_code::codelet_threw, deed::error_code::borrowed_twice,
             [](deed::session& session) {
               auto x = session.register_data(deed::per_rank, 1.0, {.name = "x"});
               const auto first = session.borrow(deed::write(x));
               static_cast<void>(session.borrow(deed::read(x)));
             });
}

constexpr deed::codelet refuse_one{"refuse_one", deed::cpu{[](double& x) {
                                     if (x == 1) throw std::runtime_error("it is one");
                                   }}};

/// Beside what a worker records: what a device does with a body is told to whoever looks.
TEST(an_error_of_a_task, names_it_and_its_datum_wherever_it_ran) {
  for (const char* devices : {"none", "emulated:2"}) {
    const failed it(exit_code::codelet_threw,
                    [](deed::session& session) {
                      auto x = session.register_data(deed::owner{1}, 1.0, {.name = "x"});
                      session.insert_task(refuse_one, deed::read_write(x));
                      session.wait();
                    },
                    {"--deed-ranks=2", std::string("--deed-devices=") + devices});
    SCOPED_TRACE(it.printed());
    EXPECT_EQ(it.datum_of_error(), "x") << devices;
    EXPECT_NE(it.things().find_task(1, it.of_error(field::task)), none) << devices;
    EXPECT_THAT(it.who_owned(), AllOf(HasSubstr("the task is refuse_one#"), HasSubstr("x at "),
                                      Not(HasSubstr("names no datum"))));
  }
}

[[gnu::noinline]] void write_there(const double* place) {
  *const_cast<double*>(place) = 2;
  asm volatile("" ::: "memory");
}

constexpr deed::codelet poke{"poke",
                             [](const std::vector<double>& v) { write_there(&v[v.size() / 2]); }};

std::function<void(deed::session&)> that_pokes(std::size_t size) {
  return [size](deed::session& session) {
    auto x = session.register_data(deed::owner{1}, std::vector<double>(size), {.name = "x"});
    session.insert_task(poke, deed::read(x));
    session.wait();
  };
}

const std::vector<std::string> with_pages{"--deed-ranks=2", "--deed-checks=pages"};

constexpr deed::codelet add_up{"add_up", [](double& sum, const double& x) { sum += x; }};

/// The README's: rank 2 leaves out the task that reads its datum.
TEST(an_error_of_a_deadlock, has_a_circle_through_the_task_that_waits) {
  const failed it(exit_code::deadlock,
                  [](deed::session& session) {
                    auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
                    auto b = session.register_data(deed::owner{2}, 2.0, {.name = "b"});
                    if (session.rank() != 2)
                      session.insert_task(add_up, deed::read_write(a), deed::read(b));
                  },
                  {"--deed-ranks=3"});
  const auto circle_at = [&](std::int64_t when) {
    std::vector<std::string> found;
    for (const wait_edge& each : wait_graph(it.things(), when))
      if (each.in_cycle) found.push_back(each.from + " for " + each.to);
    return found;
  };
  EXPECT_THAT(
      circle_at(it.things().events().end()),
      UnorderedElementsAre("rank 0 for add_up#0", "add_up#0 for rank 2", "rank 2 for rank 0"));
  EXPECT_THAT(text_of(waits(it.things(), {})), HasSubstr("3 of them in a circle: a deadlock"));
}

constexpr deed::codelet count_up{"count_up", [](int& x) { ++x; }};
constexpr deed::codelet fail_at_two{"fail_at_two", [](int& x) {
                                      if (++x == 2) throw std::runtime_error("no");
                                    }};
constexpr deed::codelet take_over{"take_over", [](int& to, const int& from) { to = from; }};

/// In its second step a task of rank 0 throws; two of rank 1 would have read what comes of it.
void program_that_goes_on(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 0, {.name = "x"});
  auto y = session.register_data(deed::owner{1}, 0, {.name = "y"});
  auto z = session.register_data(deed::owner{1}, 0, {.name = "z"});
  for (int i = 0; i < 2; ++i) {
    const deed::phase step(session, "step", i);
    session.insert_task(fail_at_two, deed::read_write(x));
    session.insert_task(take_over, deed::write(y), deed::read(x));
    session.insert_task(count_up, deed::read_write(y));
    session.insert_task(count_up, deed::read_write(z));
  }
  session.wait();
}

TEST(a_task_that_throws, is_told_with_those_that_are_cancelled_where_the_rest_goes_on) {
  for (const char* world : {"--deed-ranks=2", "--deed-ranks=inproc:2"}) {
    const failed it(exit_code::codelet_threw, program_that_goes_on,
                    {world, "--deed-on-exception=propagate"});
    EXPECT_THAT(text_of(info(it.things())),
                HasSubstr("8 tasks, 5 finished, 1 threw, 2 cancelled;"));
    EXPECT_THAT(it.who_owned(),
                AllOf(testing::ContainsRegex("fail_at_two#4 threw on rank 0 [a-z0-9]+\n"),
                      testing::ContainsRegex("inserted at failures_test.cpp:[0-9]+, in step 1\n"),
                      testing::ContainsRegex("not written +v2: fail_at_two#4 on rank 0 threw at"),
                      Not(HasSubstr("in flight     v2"))));
    EXPECT_THAT(check(it.things(), {}), IsEmpty());
    EXPECT_THAT(text_of(say_check(it.things(), {})), HasSubstr("that is no proof: the run failed"));
    EXPECT_THAT(text_of(waits(it.things(), {})),
                HasSubstr("nobody waits for data that has not left, or for another rank"));
    const std::uint32_t y = *it.things().find_handle("y");
    const std::string life = text_of(history(it.things(), y));
    EXPECT_THAT(life, HasSubstr("take_over#5 was cancelled on rank 1"));
    EXPECT_THAT(life, HasSubstr("count_up#6 was cancelled on rank 1"));
  }
}

TEST(an_error_of_the_page_guard, is_recorded_before_the_process_ends) {
  is_about_x(exit_code::codelet_threw, deed::error_code::write_through_read, that_pokes(4'096),
             with_pages);
  const failed it(exit_code::codelet_threw, that_pokes(4'096), with_pages);
  EXPECT_THAT(it.said(record::error),
              ElementsAre("rank 1 reports deed[D201] task `poke` writes `x`, which it declares as "
                          "read"));
  EXPECT_THAT(it.first_error().backtrace, testing::Contains(HasSubstr("write_there")));
  EXPECT_NE(it.things().find_task(1, it.of_error(field::task)), none);
}

TEST(an_error_of_the_page_guard, is_recorded_where_no_page_is_whole) {
  is_about_x(exit_code::codelet_threw, deed::error_code::write_through_read, that_pokes(8),
             with_pages);
}

std::atomic<const double*>& shown() {
  static std::atomic<const double*> place{nullptr};
  return place;
}

/// Until the process ends.
constexpr deed::codelet show_and_stay{"show_and_stay", [](const std::vector<double>& v) {
                                        shown() = &v[v.size() / 2];
                                        for (;;) std::this_thread::yield();
                                      }};

TEST(an_error_of_the_page_guard, is_recorded_of_another_thread_too) {
  is_about_x(exit_code::codelet_threw, deed::error_code::undeclared_access,
             [](deed::session& session) {
               auto x =
                   session.register_data(deed::owner{0}, std::vector<double>(4'096), {.name = "x"});
               session.insert_task(show_and_stay, deed::read(x));
               while (shown() == nullptr) std::this_thread::yield();
               write_there(shown());
             },
             {"--deed-ranks=inproc:1", "--deed-workers=2", "--deed-checks=pages"});
}

}  // namespace
