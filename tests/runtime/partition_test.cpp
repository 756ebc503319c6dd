// SPDX-License-Identifier: MIT
// What is refused of parts, and of memory that two data would lie in.
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using testing::HasSubstr;
using numbers = std::vector<double>;

constexpr deed::codelet clear{"clear", [](numbers& all) {
                                for (double& each : all) each = 0;
                              }};
constexpr deed::codelet clear_span{"clear_span", [](std::span<double> all) {
                                     for (double& each : all) each = 0;
                                   }};

std::string here(int line) { return "partition_test.cpp:" + std::to_string(line); }

template <class Call>
std::string refused(deed::error_code code, Call&& call) {
  try {
    call();
  } catch (const deed::error& wrong) {
    EXPECT_EQ(wrong.code(), code) << wrong.what();
    return wrong.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

template <class Program>
void on_two_ranks(Program&& program) {
  test::on_virtual_ranks(2, [&](deed::session& session) {
    auto all = session.register_data(deed::owner{0}, numbers(8, 1.0), {.name = "all"});
    program(session, all);
    session.insert_task(clear, deed::write(all));
    session.wait();
  });
}

TEST(partition, refuses_the_whole_also_by_a_token_of_before) {
  on_two_ranks([](deed::session& session, deed::handle<numbers>& all) {
    auto token = deed::write(all);
    auto parts = session.partition(std::move(all), deed::row_blocks{2});
    const int cut = __LINE__ - 1;
    const std::string told =
        refused(deed::error_code::partitioned_handle, [&] { session.insert_task(clear, token); });
    EXPECT_THAT(told, HasSubstr("deed[D116] `all` is used while it is partitioned"));
    EXPECT_THAT(told, HasSubstr(here(cut) + ", into 2 parts"));
    refused(deed::error_code::partitioned_handle, [&] { session.flush(all); });
    all = session.unite(std::move(parts));
    session.insert_task(clear, deed::write(all));
  });
}

TEST(partition, says_moved_of_a_whole_that_is_united_elsewhere) {
  on_two_ranks([](deed::session& session, deed::handle<numbers>& all) {
    auto parts = session.partition(std::move(all), deed::row_blocks{2});
    auto whole = session.unite(std::move(parts));
    refused(deed::error_code::moved_handle, [&] { session.insert_task(clear, deed::write(all)); });
    all = std::move(whole);
  });
}

TEST(partition, refuses_ranges_that_overlap_or_leave_a_gap) {
  on_two_ranks([](deed::session& session, deed::handle<numbers>& all) {
    const auto cut = [&](deed::row_ranges ranges) {
      return refused(deed::error_code::parts_overlap, [&] {
        static_cast<void>(session.partition(std::move(all), std::move(ranges)));
      });
    };
    EXPECT_THAT(cut({{0, 5}, {3, 8}}), HasSubstr("rows [0, 5): both hold [3, 5)"));
    EXPECT_THAT(cut({{0, 3}, {4, 8}}), HasSubstr("rows [0, 3): nobody holds [3, 4)"));
    EXPECT_THAT(cut({{1, 8}}), HasSubstr("begins with row 0"));
    EXPECT_THAT(cut({{0, 5}, {5, 3}}), HasSubstr("ends before it begins"));
  });
}

TEST(partition, refuses_ranges_that_do_not_end_with_the_whole) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    deed::tiled_matrix<double> m{
        session,
        {.rows = 4, .cols = 4, .tile_rows = 4, .tile_cols = 4, .initial = 0.0, .name = "m"}};
    const std::string told = refused(deed::error_code::parts_overlap, [&] {
      static_cast<void>(session.partition(std::move(m(0, 0)), deed::row_ranges{{0, 2}, {2, 5}}));
    });
    EXPECT_THAT(told, HasSubstr("rows [0, 4)"));
    session.wait();
  });
}

TEST(partition, refuses_more_parts_than_rows_and_owners_that_do_not_exist) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    std::vector<double> memory(3);
    auto all = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "all"});
    auto mine = session.register_data(deed::per_rank, numbers(3), {.name = "mine"});
    const auto away = [](std::size_t) { return 7; };
    EXPECT_THAT(
        refused(deed::error_code::impossible_extent,
                [&] { static_cast<void>(session.partition(std::move(all), deed::row_blocks{4})); }),
        HasSubstr("`all` cannot be cut into 4 by 1 parts"));
    refused(deed::error_code::impossible_extent,
            [&] { static_cast<void>(session.partition(std::move(all), deed::grid_blocks{1, 2})); });
    refused(deed::error_code::impossible_extent,
            [&] { static_cast<void>(session.partition(std::move(mine), deed::row_blocks{0})); });
    EXPECT_THAT(
        refused(deed::error_code::no_such_owner,
                [&] {
                  static_cast<void>(session.partition(std::move(all), deed::row_blocks{2}, away));
                }),
        HasSubstr("owner 7 of `all[0]` does not exist"));
    refused(deed::error_code::owned_in_per_rank_task, [&] {
      static_cast<void>(session.partition(std::move(mine), deed::row_blocks{2}, away));
    });
    session.insert_task(clear_span, deed::write(all));
    session.wait();
  });
}

TEST(partition, refuses_parts_that_do_not_exist) {
  on_two_ranks([](deed::session& session, deed::handle<numbers>& all) {
    auto parts = session.partition(std::move(all), deed::row_blocks{2});
    const auto expect = [](const std::string& part, const std::string& told) {
      EXPECT_THAT(told, HasSubstr("deed[D214] `all` has no part " + part));
      EXPECT_THAT(told, HasSubstr("registered  partition_test.cpp:"));
      EXPECT_THAT(told, HasSubstr("cut into    2 by 1 parts"));
    };
    const auto code = deed::error_code::index_out_of_range;
    expect("2", refused(code, [&] { static_cast<void>(parts[2]); }));
    expect("(0, 1)", refused(code, [&] { static_cast<void>(parts(0, 1)); }));
    expect("(-1, 0)", refused(code, [&] { static_cast<void>(parts(std::size_t{0} - 1, 0)); }));
    static_cast<void>(parts(1, 0));
    all = session.unite(std::move(parts));
  });
}

TEST(partition, refuses_parts_that_were_exchanged) {
  on_two_ranks([](deed::session& session, deed::handle<numbers>& all) {
    auto parts = session.partition(std::move(all), deed::row_ranges{{0, 1}, {1, 8}});
    std::swap(parts[0], parts[1]);
    const std::string said =
        refused(deed::error_code::parts_overlap, [&] { all = session.unite(std::move(parts)); });
    EXPECT_THAT(said, HasSubstr("parts of `all` were exchanged"));
    std::swap(parts[0], parts[1]);
    all = session.unite(std::move(parts));
  });
}

TEST(partition, dropped_without_an_end_leaves_the_old_value) {
  test::on_virtual_ranks(2, [](deed::session& session) {
    std::vector<double> memory(4, 1.0);
    {
      auto all = session.register_data(deed::owner{0}, deed::in_place(memory), {.name = "all"});
      auto parts = session.partition(std::move(all), deed::row_blocks{2});
      session.insert_task(clear_span, deed::write(parts[0]));
    }
    session.wait();
    EXPECT_EQ(memory, numbers(4, 1.0));
  });
}

TEST(memory_in_place, has_one_handle_for_each_byte) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    numbers buffer(100);
    auto all = session.register_data(deed::owner{0}, deed::in_place(buffer), {.name = "all"});
    const int first = __LINE__ - 1;
    auto upper = std::span(buffer).subspan(50);
    const std::string told = refused(deed::error_code::memory_registered_twice, [&] {
      auto half = session.register_data(deed::owner{0}, deed::in_place(upper), {.name = "half"});
    });
    EXPECT_THAT(told, HasSubstr("`half` at "));
    EXPECT_THAT(told, HasSubstr("elements [50, 100)"));
    EXPECT_THAT(told, HasSubstr("`all` at " + here(first) + ", elements [0, 100)"));
    std::move(all).unregister();
    auto half = session.register_data(deed::owner{0}, deed::in_place(upper), {.name = "half"});
    auto lower = std::span(buffer).first(50);
    auto rest = session.register_data(deed::owner{0}, deed::in_place(lower), {.name = "rest"});
    session.wait();
  });
}

TEST(memory_in_place, may_be_tiles_side_by_side) {
  test::on_virtual_ranks(1, [](deed::session& session) {
    numbers buffer(4 * 6);
    const auto tile = [&](std::size_t i, std::size_t j, std::size_t cols) {
      return deed::tile<double>(buffer.data() + i * 6 + j, 2, cols, 6);
    };
    auto left = session.register_data(deed::owner{0}, deed::in_place(tile(0, 0, 3)));
    auto right = session.register_data(deed::owner{0}, deed::in_place(tile(0, 3, 3)));
    auto below = session.register_data(deed::owner{0}, deed::in_place(tile(2, 0, 6)));
    refused(deed::error_code::memory_registered_twice, [&] {
      auto twice = session.register_data(deed::owner{0}, deed::in_place(tile(1, 2, 2)));
    });
    session.wait();
  });
}

}  // namespace
