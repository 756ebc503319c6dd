// SPDX-License-Identifier: MIT
// Tasks that take lists of data: row N29.
#include <deed/base/error.hpp>

#include "worlds.hpp"
#include <gmock/gmock.h>

#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

using semantics::reports_of;
using semantics::run;
using ::testing::HasSubstr;

using const_list = std::span<const long* const>;
using list = std::span<long* const>;

constexpr deed::codelet collect{"collect", [](long& sum, const_list all) {
                                  for (const long* each : all) sum += *each;
                                }};
constexpr deed::codelet number{"number", [](list all, long first) {
                                 for (long* each : all) *each = first++;
                               }};
constexpr deed::codelet add_each{"add_each", [](long by, list to, const_list from, long& count) {
                                   for (std::size_t i = 0; i < to.size(); ++i)
                                     *to[i] += by * *from[i % from.size()];
                                   count += static_cast<long>(to.size() + from.size());
                                 }};

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;
constexpr deed::codelet corners{"corners",
                                [](std::span<const tile> to, std::span<const const_tile> from) {
                                  for (std::size_t i = 0; i < to.size(); ++i)
                                    to[i](0, 0) = from[i](0, 0) + static_cast<double>(i);
                                }};

/// `count` data, spread over the ranks: the numbers from 0.
std::vector<deed::handle<long>> spread(deed::session& session, int count) {
  std::vector<deed::handle<long>> all;
  for (int i = 0; i < count; ++i)
    all.push_back(session.register_data(deed::owner{i % session.size()}, long{i}, {.name = "x"}));
  return all;
}

TEST(semantics_N29, a_thousand_data_in_one_task) {
  run([](deed::session& session) {
    auto parts = spread(session, 1000);
    auto sum = session.register_data(deed::owner{0}, 0L, {.name = "sum"});
    session.insert_task(collect, deed::read_write(sum), deed::read(parts));
    session.insert_task(number, deed::write(parts), deed::value(5L), deed::on(deed::rank{0}));
    session.insert_task(collect, deed::read_write(sum), deed::read(parts));
    session.fetch(deed::read(sum), deed::everywhere);
    EXPECT_EQ(*session.borrow(deed::read(sum)), 999 * 500 + 999 * 500 + 5000);
  });
}

TEST(semantics_N29, lists_stand_among_values_and_data_in_any_order) {
  run([](deed::session& session) {
    auto to = spread(session, 7), from = spread(session, 3);
    auto count = session.register_data(deed::owner{session.size() - 1}, 0L);
    const auto insert = [&] {
      session.insert_task(add_each, deed::value(10L), deed::read_write(to), deed::read(from),
                          deed::read_write(count), deed::on_owner_of(count));
    };
    insert();
    auto part =
        session.prepare_task(add_each, deed::value(10L), deed::read_write(to), deed::read(from),
                             deed::read_write(count), deed::on(deed::rank{0}));
    session.submit(std::move(part));
    if (session.relevant(deed::read_write(to), deed::read(from), deed::read_write(count),
                         deed::on_owner_of(count))) {
      insert();
    }
    const deed::on_each all(deed::everywhere);
    session.insert_task(add_each, deed::value(1L), deed::read_write(to), deed::read(from),
                        deed::read_write(count), all);
    session.wait();
    for (std::size_t i = 0; i < to.size(); ++i) {
      EXPECT_EQ(*session.borrow(deed::read(to[i])),
                static_cast<long>(i) + 31 * static_cast<long>(i % 3));
    }
    EXPECT_EQ(*session.borrow(deed::read(count)), 40);
  });
}

TEST(semantics_N29, tiles_of_a_list_are_seen_as_tiles) {
  run([](deed::session& session) {
    std::vector<deed::handle<tile>> from, to;
    deed::tiled_matrix<double> a{
        session,
        {.rows = 6, .cols = 2, .tile_rows = 2, .tile_cols = 2, .initial = 1.0, .name = "a"}};
    auto b = a.like("b");
    for (std::size_t i = 0; i < 3; ++i) {
      from.push_back(std::move(a(i, 0)));
      to.push_back(std::move(b(i, 0)));
    }
    session.insert_task(corners, deed::write(to), deed::read(from), deed::on(deed::rank{0}));
    session.fetch(deed::read(to[2]), deed::everywhere);
    const auto seen = session.borrow(deed::read(to[2]));
    EXPECT_EQ((*seen)(0, 0), 3.0);
  });
}

TEST(semantics_N29, a_list_of_nothing_needs_a_place_and_one_datum_stands_there_once) {
  run([](deed::session& session) {
    std::vector<deed::handle<long>> none;
    auto sum = session.register_data(deed::owner{0}, 1L, {.name = "sum"});
    session.insert_task(collect, deed::read_write(sum), deed::read(none));
    session.insert_task(number, deed::write(none), deed::value(5L), deed::on(deed::rank{0}));
    const auto code = [&](auto&& call) {
      try {
        call();
      } catch (const deed::error& refused) {
        return refused.code();
      }
      return deed::error_code{};
    };
    EXPECT_EQ(code([&] { session.insert_task(number, deed::write(none), deed::value(5L)); }),
              deed::error_code::no_runner);
    auto parts = spread(session, 3);
    EXPECT_EQ(
        code([&] { session.insert_task(collect, deed::read_write(parts[1]), deed::read(parts)); }),
        deed::error_code::read_and_written);
    session.wait();
  });
}

TEST(semantics_N29, a_list_that_is_too_long_is_refused) {
  const std::string said = reports_of(
      [](deed::session& session) {
        auto parts = spread(session, 65'536);
        auto sum = session.register_data(deed::owner{0}, 0L, {.name = "sum"});
        session.insert_task(collect, deed::read_write(sum), deed::read(parts));
      },
      1);
  EXPECT_THAT(said, HasSubstr("deed[D909] task `collect` names 65537 data"));
}

}  // namespace
