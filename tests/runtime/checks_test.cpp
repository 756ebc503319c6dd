// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using testing::HasSubstr;

constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { static_cast<void>(x); }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

std::string here(int line) { return "checks_test.cpp:" + std::to_string(line); }

/// What a call refused: its code, and its whole text.
struct refusal {
  deed::error_code code{};
  std::string text;
};
template <class Call>
refusal refused(Call&& call) {
  try {
    call();
  } catch (const deed::error& wrong) {
    return {wrong.code(), wrong.what()};
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

// Each test is one program on two virtual ranks; after the refusal the session works as before.
class a_call : public testing::Test {
 protected:
  template <class Program>
  void on_two_ranks(Program&& program) {
    test::on_virtual_ranks(2, [&](deed::session& session) {
      auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
      program(session, a);
      session.insert_task(bump, deed::read_write(a));
      session.wait();
      if (session.rank() == 0) {
        EXPECT_EQ(*session.borrow(deed::read(a)), 2.0) << "the refused call left something behind";
      }
    });
  }
};

TEST_F(a_call, refuses_a_handle_that_was_moved_from) {
  on_two_ranks([](deed::session& session, deed::handle<double>&) {
    auto first = session.register_data(deed::owner{0}, 1.0, {.name = "first"});
    const int registered = __LINE__ - 1;
    auto second = std::move(first);
    const refusal told = refused([&] { session.insert_task(show, deed::read(first)); });
    const int wanted = __LINE__ - 1;
    EXPECT_EQ(told.code, deed::error_code::moved_handle);
    EXPECT_THAT(told.text, HasSubstr("deed[D101] use of moved handle `first`"));
    EXPECT_THAT(told.text, HasSubstr("wanted      " + here(wanted)));
    EXPECT_THAT(told.text, HasSubstr("registered  " + here(registered)));
  });
}

TEST_F(a_call, refuses_a_handle_that_was_unregistered) {
  on_two_ranks([](deed::session& session, deed::handle<double>&) {
    auto gone = session.register_data(deed::owner{0}, 1.0, {.name = "gone"});
    std::move(gone).unregister();
    const refusal told = refused([&] { session.insert_task(show, deed::read(gone)); });
    EXPECT_EQ(told.code, deed::error_code::unregistered_handle);
    EXPECT_THAT(told.text, HasSubstr("use of unregistered handle `gone`"));
  });
}

TEST_F(a_call, refuses_a_tag_that_is_in_use) {
  on_two_ranks([](deed::session& session, deed::handle<double>&) {
    auto one = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{77}, .name = "one"});
    const int line = __LINE__ - 1;
    const refusal told = refused([&] {
      auto two = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{77}, .name = "two"});
    });
    EXPECT_EQ(told.code, deed::error_code::tag_in_use);
    EXPECT_THAT(told.text, HasSubstr("tag 77 is already in use"));
    EXPECT_THAT(told.text, HasSubstr("`one` at " + here(line)));
  });
}

TEST_F(a_call, refuses_an_owner_that_does_not_exist) {
  on_two_ranks([](deed::session& session, deed::handle<double>&) {
    for (const int owner : {-1, -2, 2, 100}) {
      const refusal told =
          refused([&] { auto c = session.register_data(deed::owner{owner}, 1.0); });
      EXPECT_EQ(told.code, deed::error_code::no_such_owner);
      EXPECT_THAT(told.text, HasSubstr("there are 2"));
    }
  });
}

TEST_F(a_call, refuses_a_handle_of_another_session) {
  test::on_virtual_ranks(1, [](deed::session& fluid) {
    auto pressure = fluid.register_data(deed::owner{0}, 1.0, {.name = "pressure"});
    test::on_virtual_ranks(1, [&](deed::session& solid) {
      const refusal told = refused([&] { solid.insert_task(show, deed::read(pressure)); });
      EXPECT_EQ(told.code, deed::error_code::foreign_session);
    });
  });
}

TEST_F(a_call, refuses_to_read_what_nothing_wrote) {
  on_two_ranks([](deed::session& session, deed::handle<double>&) {
    auto c = session.register_data<double>(deed::owner{0}, deed::uninitialised, {.name = "c"});
    const refusal told = refused([&] { session.insert_task(show, deed::read(c)); });
    EXPECT_EQ(told.code, deed::error_code::read_before_written);
    EXPECT_THAT(told.text, HasSubstr("`c` is read but nothing wrote it"));
    constexpr deed::codelet set{"set", [](double& x) { x = 3; }};
    session.insert_task(set, deed::write(c));
    session.insert_task(show, deed::read(c));
  });
}

TEST_F(a_call, refuses_one_datum_twice_in_a_task_that_writes_it) {
  on_two_ranks([](deed::session& session, deed::handle<double>& a) {
    const refusal told =
        refused([&] { session.insert_task(add, deed::read_write(a), deed::read(a)); });
    EXPECT_EQ(told.code, deed::error_code::read_and_written);
    EXPECT_THAT(told.text, HasSubstr("second use  read at "));
    EXPECT_THAT(told.text, HasSubstr("first use   read_write at "));
  });
}

TEST_F(a_call, refuses_a_rank_that_does_not_exist) {
  on_two_ranks([](deed::session& session, deed::handle<double>& a) {
    const refusal told = refused([&] {
      session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{session.size()}));
    });
    EXPECT_EQ(told.code, deed::error_code::no_such_rank);
    const refusal peer = refused(
        [&] { session.send(deed::read(a), deed::to{session.size()}, deed::message_tag{1}); });
    EXPECT_EQ(peer.code, deed::error_code::no_such_peer);
    EXPECT_THAT(peer.text, HasSubstr("this is rank " + std::to_string(session.rank())));
  });
}

TEST_F(a_call, refuses_an_owned_datum_in_a_per_rank_task) {
  on_two_ranks([](deed::session& session, deed::handle<double>& a) {
    auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
    const refusal told =
        refused([&] { session.insert_task(add, deed::read_write(mine), deed::read(a)); });
    EXPECT_EQ(told.code, deed::error_code::owned_in_per_rank_task);
    EXPECT_THAT(told.text, HasSubstr("`a` has an owner"));
  });
}

TEST_F(a_call, refuses_to_borrow_what_is_not_here) {
  on_two_ranks([](deed::session& session, deed::handle<double>& a) {
    if (session.rank() == 0) return;
    const refusal told = refused([&] { static_cast<void>(*session.borrow(deed::read(a))); });
    EXPECT_EQ(told.code, deed::error_code::not_on_this_rank);
    EXPECT_THAT(told.text, HasSubstr("owner       rank 0"));
  });
}

TEST_F(a_call, refuses_a_second_borrow_if_one_of_them_writes) {
  on_two_ranks([](deed::session& session, deed::handle<double>&) {
    auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
    const auto first = session.borrow(deed::write(mine));
    const refusal told = refused([&] { static_cast<void>(session.borrow(deed::read(mine))); });
    EXPECT_EQ(told.code, deed::error_code::borrowed_twice);
    EXPECT_THAT(told.text, HasSubstr("`mine` is borrowed twice"));
  });
}

TEST_F(a_call, lends_to_many_readers) {
  on_two_ranks([](deed::session& session, deed::handle<double>&) {
    auto mine = session.register_data(deed::per_rank, 5.0, {.name = "mine"});
    const auto first = session.borrow(deed::read(mine));
    const auto second = session.borrow(deed::read(mine));
    EXPECT_EQ(*first + *second, 10.0);
  });
}

TEST_F(a_call, refuses_to_wait_for_a_task_that_waits_for_a_live_borrow) {
  on_two_ranks([](deed::session& session, deed::handle<double>&) {
    auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
    auto view = session.borrow(deed::write(mine));
    session.insert_task(bump, deed::read_write(mine));
    const refusal told = refused([&] { session.wait(); });
    EXPECT_EQ(told.code, deed::error_code::wait_for_ever);
    view.release();
    session.wait();
    EXPECT_EQ(*session.borrow(deed::read(mine)), 1.0);
  });
}

TEST_F(a_call, refuses_a_session_that_is_closed_or_used_from_another_thread) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    auto a = session.register_data(deed::owner{0}, 1.0);
    std::thread([&] {
      const refusal told = refused([&] { session.insert_task(bump, deed::read_write(a)); });
      EXPECT_EQ(told.code, deed::error_code::wrong_thread);
    }).join();
    session.close();
    const refusal told = refused([&] { session.insert_task(bump, deed::read_write(a)); });
    EXPECT_EQ(told.code, deed::error_code::session_closed);
  });
}

TEST_F(a_call, refuses_extents_that_are_not_possible) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    const refusal told = refused([&] {
      deed::tiled_matrix<double> big{session,
                                     {.rows = -1, .cols = 64, .tile_rows = 64, .tile_cols = 64}};
    });
    EXPECT_EQ(told.code, deed::error_code::impossible_extent);
  });
}

TEST_F(a_call, refuses_tiles_that_do_not_exist) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    const deed::matrix_options<double> shape{
        .rows = 128, .cols = 128, .tile_rows = 64, .tile_cols = 64, .name = "m"};
    deed::tiled_matrix<double> m{session, shape};
    const int registered = __LINE__ - 1;  // In one line: of several, compilers tell different ones.
    const auto expect = [&](const std::string& tile, int wanted, const refusal& told) {
      EXPECT_EQ(told.code, deed::error_code::index_out_of_range);
      EXPECT_THAT(told.text, HasSubstr("deed[D214] `m` has no tile " + tile));
      EXPECT_THAT(told.text, HasSubstr("wanted      " + here(wanted)));
      EXPECT_THAT(told.text, HasSubstr("registered  " + here(registered)));
      EXPECT_THAT(told.text, HasSubstr("tiles       2 by 2"));
    };
    const std::size_t i = 0;
    expect("(-1, 0)", __LINE__, refused([&] { static_cast<void>(m(i - 1, 0)); }));
    expect("(2, 0)", __LINE__, refused([&] { static_cast<void>(m(2, 0)); }));
    expect("(0, 2)", __LINE__, refused([&] { static_cast<void>(m(0, 2)); }));  // Not tile (1, 0).
    expect("(1, -1)", __LINE__, refused([&] { static_cast<void>(std::as_const(m)(1, i - 1)); }));
    static_cast<void>(m(1, 1));

    const auto other = std::move(m);
    const int wanted = __LINE__ + 1;
    const refusal told = refused([&] { static_cast<void>(m(0, 0)); });
    EXPECT_EQ(told.code, deed::error_code::moved_handle);
    EXPECT_THAT(told.text, HasSubstr("use of a matrix that was moved from"));
    EXPECT_THAT(told.text, HasSubstr("wanted      " + here(wanted)));
    EXPECT_THAT(told.text, HasSubstr("registered  " + here(registered)));
  });
}

}  // namespace
