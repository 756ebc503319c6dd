// SPDX-License-Identifier: MIT
// `for_each_tile` with `deed::index` against the same with `std::size_t`: random programs have the
// values of one thread, the same messages, and on each rank the same holders of all tiles.
#include <deed/deed.hpp>

#include "core.hpp"
#include "outcomes.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using deed::read;
using deed::read_write;
using deed::write;
using testing::HasSubstr;

using matrix = deed::tiled_matrix<std::uint64_t>;
using tile = deed::tile<std::uint64_t>;
using const_tile = deed::tile<const std::uint64_t>;

std::uint64_t mixed(std::uint64_t x, std::uint64_t y) {
  return (x ^ (y * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u + (x >> 29);
}
constexpr deed::codelet set{"set", [](tile x, std::uint64_t to) { x(0, 0) = to; }};
constexpr deed::codelet change{"change",
                               [](tile x, std::uint64_t by) { x(0, 0) = mixed(x(0, 0), by); }};
constexpr deed::codelet copy{"copy", [](tile x, const_tile y) { x(0, 0) = mixed(1, y(0, 0)); }};
constexpr deed::codelet join{"join", [](tile x, const_tile y, const_tile z) {
                               x(0, 0) = mixed(mixed(x(0, 0), y(0, 0)), z(0, 0));
                             }};

/// A row or a column of tiles: a constant, or one of the indices and an offset.
struct line {
  int of = 0;
  std::int64_t offset = 0;
  [[nodiscard]] std::int64_t at(std::int64_t i, std::int64_t j) const {
    return offset + (of == 1 ? i : of == 2 ? j : 0);
  }
};
struct named_tile {
  std::size_t matrix = 0;
  line row, col;
};

/// One call of `for_each_tile`.
struct described {
  deed::runtime::tile_region region;
  std::size_t kind;
  named_tile x, y, z;
  std::uint64_t by;
};

/// The handle, or the pattern.
template <class Index>
decltype(auto) tile_of(matrix& m, const named_tile& named, Index i, Index j) {
  const auto with = [&](auto row, auto col) -> decltype(auto) { return m(row, col); };
  const auto& [_, row, col] = named;
  const auto r = static_cast<std::size_t>(row.offset), c = static_cast<std::size_t>(col.offset);
  if constexpr (std::is_same_v<Index, deed::index>) {
    if (row.of == 0) return col.of == 1 ? with(r, i + col.offset) : with(r, j + col.offset);
    const Index first = (row.of == 1 ? i : j) + row.offset;
    if (col.of == 0) return with(first, c);
    return with(first, (col.of == 1 ? i : j) + col.offset);
  } else {
    return with(static_cast<std::size_t>(
                    row.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j))),
                static_cast<std::size_t>(
                    col.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j))));
  }
}

enum class form : std::uint8_t { by_rule, scanned };

/// What a rank saw of a program.
struct seen {
  int wrong = 0;
  std::map<int, std::uint64_t> sent;
  std::uint64_t submitted = 0, calls = 0;
  std::vector<std::vector<std::uint32_t>> holders;  // Of each tile beside its owner, in order.
  friend bool operator==(const seen&, const seen&) = default;
};

class random_program {
 public:
  random_program(deed::session& session, form how, std::uint64_t seed)
      : session_(session), how_(how), random_(seed) {
    const std::size_t count = 1 + upto(1);
    for (std::size_t m = 0; m < count; ++m) add_matrix();
  }

  seen run(int steps) {
    const auto before = session_.statistics();
    for (int n = 0; n < steps; ++n) step();
    // Whoever reads these gets them from whoever holds them: all must agree on that to the last.
    for (int n = 0; n < 10; ++n) one_task();
    session_.wait();
    seen all{.sent = {},
             .submitted = session_.statistics().tasks_submitted - before.tasks_submitted,
             .calls = calls_,
             .holders = {}};
    for (const auto& [peer, sent] : session_.statistics().sent_to) all.sent[peer] = sent.transfers;
    for (std::size_t m = 0; m < matrices_.size(); ++m) {
      for (auto [i, j] : matrices_[m].indices()) {
        const auto datum = matrices_[m](i, j).untyped().datum(deed::place::current());
        const auto others = session_.untyped().books().others(datum);
        all.holders.emplace_back(others.begin(), others.end());
        if (!session_.owns(matrices_[m](i, j))) continue;
        all.wrong += (*session_.borrow(read(matrices_[m](i, j))))(0, 0) != value(m, i, j);
      }
    }
    return all;
  }

 private:
  std::size_t upto(std::size_t most) { return random_() % (most + 1); }
  std::uint64_t& value(std::size_t m, std::size_t i, std::size_t j) {
    return values_[m][i * matrices_[m].tile_cols() + j];
  }
  std::uint64_t& value(const named_tile& named, std::int64_t i, std::int64_t j) {
    return value(named.matrix, static_cast<std::size_t>(named.row.at(i, j)),
                 static_cast<std::size_t>(named.col.at(i, j)));
  }

  void add_matrix() {
    const int ranks = session_.size();
    std::optional<deed::owner_rule> owners;
    switch (upto(3)) {
      case 0:
        owners = deed::block{ranks};
        break;
      case 1:
        owners = [ranks](std::size_t i, std::size_t j) {
          return static_cast<int>((i * 5 + j * j) % static_cast<std::size_t>(ranks));
        };
        break;
      case 2:
        owners = deed::block_cyclic{2, ranks / 2};
        break;
      default:
        break;  // As square as possible.
    }
    const auto extent = [&] { return static_cast<std::ptrdiff_t>(3 + upto(9)); };
    matrices_.emplace_back(
        session_, deed::matrix_options<std::uint64_t>{.rows = extent(),
                                                      .cols = extent(),
                                                      .tile_rows = 1,
                                                      .tile_cols = 1,
                                                      .owners = owners,
                                                      .initial = 1,
                                                      .name = matrices_.empty() ? "a" : "b"});
    values_.emplace_back(matrices_.back().tile_rows() * matrices_.back().tile_cols(), 1);
  }

  void step() {
    const std::size_t kind = upto(22);
    if (kind < 8) return call_all(some_calls(1));
    if (kind < 12) return loop();
    if (kind < 15) return one_task();
    if (kind == 15) return session_.wait();
    if (kind == 16) {
      auto& fetched = any_tile(any_matrix());
      return session_.fetch(read(fetched), deed::to{any_rank()});
    }
    if (kind == 17) return session_.flush();
    if (kind == 18) return repeat();
    if (kind == 19) return look();
    if (upto(3) != 0) return;
    if (kind == 20) {
      session_.set_cache(false);
      call_all(some_calls(1));
      return session_.set_cache(true);
    }
    if (kind == 21) {
      auto& moved = any_tile(any_matrix());
      return session_.migrate(moved, deed::owner{any_rank()});
    }
    auto& preferred = any_tile(any_matrix());
    session_.expect_readers(preferred, 5);
    session_.prefer_source(preferred, deed::rank{any_rank()});
  }
  int any_rank() { return static_cast<int>(upto(static_cast<std::size_t>(session_.size() - 1))); }

  void call_all(const std::vector<described>& calls) {
    for (const described& each : calls) call(each);
  }
  void loop() {
    const auto calls = some_calls(1 + upto(2));
    const std::size_t times = 2 + upto(2);
    for (std::size_t n = 0; n < times; ++n) {
      call_all(calls);
      if (upto(2) == 0) one_task();
    }
  }
  void repeat() {
    const auto calls = some_calls(1 + upto(1));
    session_.repeat(4, [&] {
      for (const described& each : calls) submit(each);
    });
    for (int n = 0; n < 4; ++n) {
      for (const described& each : calls) compute(each);
    }
  }
  /// Some ranks look at every task for a while: they have to see each, and the others not.
  void look() {
    const std::size_t who = upto(2);
    if (static_cast<std::size_t>(session_.rank()) % 3 == who) session_.observe([](const auto&) {});
    call_all(some_calls(1));
    session_.observe({});
  }

  matrix& any_matrix() { return matrices_[upto(matrices_.size() - 1)]; }
  deed::handle<tile>& any_tile(matrix& m) {
    const std::size_t i = upto(m.tile_rows() - 1), j = upto(m.tile_cols() - 1);
    return m(i, j);
  }

  void one_task() {
    const std::size_t m = upto(matrices_.size() - 1), n = upto(matrices_.size() - 1);
    const std::size_t i = upto(matrices_[m].tile_rows() - 1);
    const std::size_t j = upto(matrices_[m].tile_cols() - 1);
    const std::size_t k = upto(matrices_[n].tile_rows() - 1);
    const std::size_t l = upto(matrices_[n].tile_cols() - 1);
    if (m == n && i == k && j == l) return;
    value(m, i, j) = mixed(1, value(n, k, l));
    session_.insert_task(copy, write(matrices_[m](i, j)), read(matrices_[n](k, l)));
  }

  deed::runtime::tile_region any_region() {
    const std::size_t i = upto(4), j = upto(4);
    if (upto(2) == 0) return deed::lower_triangle(i, i + upto(9)).region();
    const std::size_t rows = upto(3) == 0 ? 1 : upto(9), cols = upto(3) == 0 ? 1 : upto(9);
    return deed::tile_box(i, i + rows, j, j + cols).region();
  }
  line any_line(std::size_t tiles) {
    const int of = static_cast<int>(upto(2));
    if (of == 0) return {0, static_cast<std::int64_t>(upto(tiles - 1))};
    return {of,
            static_cast<std::int64_t>(upto(upto(1) == 0 ? 0 : 4)) - 2 * static_cast<int>(upto(1))};
  }
  named_tile any_name() {
    for (;;) {
      const std::size_t m = upto(matrices_.size() - 1);
      const named_tile made{m, any_line(matrices_[m].tile_rows()),
                            any_line(matrices_[m].tile_cols())};
      if (made.row.of != 0 || made.col.of != 0) return made;
    }
  }

  template <class Each>
  void for_all(const deed::runtime::tile_region& region, Each&& each) {
    for (std::int64_t i = region.first_row; i < region.last_row; ++i) {
      for (std::int64_t j = region.first_col; j < region.row_end(i); ++j) each(i, j);
    }
  }
  bool is_right(const deed::runtime::tile_region& region, const std::vector<named_tile>& named) {
    bool right = true;
    for_all(region, [&](std::int64_t i, std::int64_t j) {
      const auto at = [&](const named_tile& of) {
        return std::tuple(of.matrix, of.row.at(i, j), of.col.at(i, j));
      };
      for (const named_tile& each : named) {
        const auto [m, r, c] = at(each);
        right = right && r >= 0 && c >= 0 &&
                r < static_cast<std::int64_t>(matrices_[m].tile_rows()) &&
                c < static_cast<std::int64_t>(matrices_[m].tile_cols());
        right = right && (&each == named.data() || at(each) != at(named.front()));
      }
    });
    return right;
  }

  template <class Arguments, class Codelet>
  void for_each(const deed::runtime::tile_region& region, const Codelet& task,
                const Arguments& arguments_of) {
    const auto whole = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const auto call = [&](const auto& space) {
      if (how_ == form::by_rule) {
        deed::for_each_tile(session_, space, task,
                            [&](deed::index i, deed::index j) { return arguments_of(i, j); });
      } else {
        deed::for_each_tile(session_, space, task,
                            [&](std::size_t i, std::size_t j) { return arguments_of(i, j); });
      }
    };
    if (region.below)
      return call(deed::lower_triangle(whole(region.first_col), whole(region.last_row)));
    call(deed::tile_box(whole(region.first_row), whole(region.last_row), whole(region.first_col),
                        whole(region.last_col)));
  }

  std::vector<described> some_calls(std::size_t most) {
    std::vector<described> all;
    for (std::size_t tries = 0; tries < 3 * most && all.size() < most; ++tries) {
      const auto region = any_region();
      const std::size_t kind = upto(4);
      const named_tile x = any_name(), y = any_name(), z = kind == 3 ? one_tile() : any_name();
      if (is_right(region, {x, y, z})) all.push_back({region, kind, x, y, z, random_()});
    }
    return all;
  }
  named_tile one_tile() {
    const std::size_t m = upto(matrices_.size() - 1);
    const auto constant = [&](std::size_t most) {
      return line{0, static_cast<std::int64_t>(upto(most - 1))};
    };
    return {m, constant(matrices_[m].tile_rows()), constant(matrices_[m].tile_cols())};
  }

  void call(const described& made) {
    ++calls_;
    submit(made);
    compute(made);
  }
  void submit(const described& made) {
    const auto& [region, kind, x, y, z, by] = made;
    const auto at = [&](const named_tile& named, auto i, auto j) -> decltype(auto) {
      return tile_of(matrices_[named.matrix], named, i, j);
    };
    switch (kind) {
      case 0:
        return for_each(region, set, [&](auto i, auto j) {
          return std::tuple{write(at(x, i, j)), deed::value(by), deed::priority{1}};
        });
      case 1:
        return for_each(region, change, [&](auto i, auto j) {
          return std::tuple{read_write(at(x, i, j)), deed::value(by)};
        });
      case 2:
        return for_each(region, copy, [&](auto i, auto j) {
          return std::tuple{write(at(x, i, j)), read(at(y, i, j))};
        });
      case 3: {
        auto& same = matrices_[z.matrix](static_cast<std::size_t>(z.row.offset),
                                         static_cast<std::size_t>(z.col.offset));
        return for_each(region, join, [&](auto i, auto j) {
          return std::tuple{read_write(at(x, i, j)), read(at(y, i, j)), read(same)};
        });
      }
      default:
        return for_each(region, join, [&](auto i, auto j) {
          return std::tuple{read_write(at(x, i, j)), read(at(y, i, j)), read(at(z, i, j))};
        });
    }
  }
  /// The same in one thread.
  void compute(const described& made) {
    const auto& [region, kind, x, y, z, by] = made;
    for_all(region, [&, kind = kind, by = by](std::int64_t i, std::int64_t j) {
      std::uint64_t& now = value(made.x, i, j);
      if (kind == 0) now = by;
      if (kind == 1) now = mixed(now, by);
      if (kind == 2) now = mixed(1, value(made.y, i, j));
      if (kind > 2) now = mixed(mixed(now, value(made.y, i, j)), value(made.z, i, j));
    });
  }

  deed::session& session_;
  const form how_;
  std::mt19937_64 random_;
  std::vector<matrix> matrices_;
  std::vector<std::vector<std::uint64_t>> values_;
  std::uint64_t calls_ = 0;
};

std::vector<seen> seen_by_all(int ranks, form how, std::uint64_t seed, std::string& failures) {
  std::vector<seen> all(static_cast<std::size_t>(ranks));
  using enum test::world::kind;
  const auto ended = test::world{seed % 8 == 0 ? threads : simulated, seed}.run(
      ranks, [&](deed::session& session) {
        random_program made(session, how, seed);
        all[static_cast<std::size_t>(session.rank())] = made.run(seed % 20 == 0 ? 300 : 40);
      });
  for (const test::outcome& each : ended) failures += each.text;
  return all;
}

TEST(tiles_by_rule, have_the_values_of_one_thread_and_the_messages_of_a_scan) {
  const char* const wanted = std::getenv("SEEDS");
  const std::uint64_t seeds = wanted != nullptr ? std::stoull(wanted) : 40;
  std::uint64_t calls = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const int ranks : {4, 9, 16}) {
      std::string failures;
      const auto by_rule = seen_by_all(ranks, form::by_rule, seed, failures);
      const auto scanned = seen_by_all(ranks, form::scanned, seed, failures);
      ASSERT_EQ(failures, "") << ranks << " ranks, seed " << seed;
      for (int rank = 0; rank < ranks; ++rank) {
        const seen& one = by_rule[static_cast<std::size_t>(rank)];
        const seen& other = scanned[static_cast<std::size_t>(rank)];
        ASSERT_EQ(one.wrong, 0) << "rank " << rank << " of " << ranks << ", seed " << seed;
        ASSERT_EQ(one, other) << "rank " << rank << " of " << ranks << ", seed " << seed;
        calls += one.calls;
      }
    }
  }
  EXPECT_GT(calls, seeds * 50);
}

deed::matrix_options<std::uint64_t> square(std::string_view name) {
  return {.rows = 6, .cols = 6, .tile_rows = 1, .tile_cols = 1, .initial = 1, .name = name};
}

/// What `call` threw on each of some ranks, and that it inserted nothing.
template <class Call>
std::vector<test::outcome> refusals(int ranks, Call&& call) {
  return test::world{}.run(ranks, [&](deed::session& session) {
    matrix a(session, square("a")), b(session, square("b"));
    const auto before = session.statistics().tasks_submitted;
    try {
      call(session, a, b);
    } catch (...) {
      EXPECT_EQ(session.statistics().tasks_submitted, before);
      throw;
    }
  });
}

TEST(tiles_by_rule, are_refused_where_one_does_not_exist_and_the_task_is_named) {
  for (const int ranks : {1, 4}) {
    const auto all = refusals(ranks, [](deed::session& session, matrix& a, matrix& b) {
      deed::for_each_tile(session, a.indices(), copy, [&](deed::index i, deed::index j) {
        return std::tuple{write(a(i, j)), read(b(i, j - 1))};
      });
    });
    for (const test::outcome& each : all) {
      EXPECT_EQ(each.code, deed::error_code::index_out_of_range);
      EXPECT_THAT(each.text, HasSubstr("`b` has no tile (0, -1)"));
      EXPECT_THAT(each.text, HasSubstr("of (0, 0)"));
    }
  }
}

TEST(tiles_by_rule, are_refused_where_a_task_names_one_twice_and_writes_it) {
  const auto all = refusals(4, [](deed::session& session, matrix& a, matrix&) {
    deed::for_each_tile(
        session, deed::tile_box(2, 5, 2, 5), copy,
        [&](deed::index i, deed::index j) { return std::tuple{write(a(i, j)), read(a(j, i))}; });
  });
  for (const test::outcome& each : all) {
    EXPECT_EQ(each.code, deed::error_code::read_and_written);
    EXPECT_THAT(each.text, HasSubstr("`a(2,2)`"));
  }
}

TEST(tiles_by_rule, are_refused_where_the_one_that_is_the_same_in_all_tasks_is_written) {
  const auto all = refusals(4, [](deed::session& session, matrix& a, matrix&) {
    deed::for_each_tile(
        session, deed::tile_box(0, 6, 0, 1), copy,
        [&](deed::index i, deed::index j) { return std::tuple{write(a(i, j)), read(a(0, 0))}; });
  });
  for (const test::outcome& each : all)
    EXPECT_EQ(each.code, deed::error_code::read_and_written) << each.text;
}

TEST(tiles_by_rule, are_refused_where_they_are_of_another_session) {
  const auto all = refusals(2, [](deed::session& session, matrix& a, matrix&) {
    deed::transport::inproc_world made(1);
    const deed::real_clock time;
    deed::session other({.rank = 0, .size = 1, .door = &made.at(deed::rank{0}), .time = &time});
    matrix c(other, square("c"));
    deed::for_each_tile(session, a.indices(), copy, [&](deed::index i, deed::index j) {
      return std::tuple{write(a(i, j)), read(c(i, j))};
    });
  });
  for (const test::outcome& each : all)
    EXPECT_EQ(each.code, deed::error_code::foreign_session) << each.text;
}

TEST(tiles_by_rule, are_refused_where_the_matrix_or_the_tile_was_moved) {
  const auto call = [](deed::session& session, matrix& a) {
    deed::for_each_tile(session, a.indices(), set, [&](deed::index i, deed::index j) {
      return std::tuple{write(a(i, j)), deed::value(std::uint64_t{1})};
    });
  };
  auto all = refusals(4, [&](deed::session& session, matrix& a, matrix&) {
    const matrix taken = std::move(a);
    call(session, a);
  });
  for (const test::outcome& each : all) EXPECT_EQ(each.code, deed::error_code::moved_handle);
  all = refusals(4, [&](deed::session& session, matrix& a, matrix&) {
    const auto taken = std::move(a(0, 0));
    call(session, a);
  });
  for (const test::outcome& each : all) EXPECT_EQ(each.code, deed::error_code::moved_handle);
}

TEST(tiles_by_rule, have_their_past_where_calls_repeat_what_was_written_over) {
  const auto all = test::world{}.run(3, [](deed::session& session) {
    const auto on = [&](int owner, std::string_view name) {
      auto options = square(name);
      options.owners = [owner](std::size_t, std::size_t) { return owner; };
      return matrix(session, options);
    };
    matrix a = on(0, "a"), b = on(1, "b");
    const auto copy_all = [&] {
      deed::for_each_tile(session, a.indices(), copy, [&](deed::index i, deed::index j) {
        return std::tuple{write(b(i, j)), read(a(i, j))};
      });
    };
    for (int n = 0; n < 3; ++n) copy_all();
    deed::for_each_tile(session, a.indices(), set, [&](deed::index i, deed::index j) {
      return std::tuple{write(a(i, j)), deed::value(std::uint64_t{2})};
    });
    EXPECT_FALSE(session.holds(a(1, 1), deed::rank{1}));
    copy_all();
    EXPECT_TRUE(session.holds(a(2, 2), deed::rank{1}));
    session.flush();
    EXPECT_FALSE(session.holds(a(3, 3), deed::rank{1}));
    copy_all();
    EXPECT_TRUE(session.holds(a(4, 4), deed::rank{1}));
    session.wait();
  });
  for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
}

TEST(tiles_by_rule, are_those_of_a_scan_where_a_matrix_ends_whose_owners_said_who_runs_what) {
  const auto all = test::world{}.run(4, [](deed::session& session) {
    auto options = square("a");
    options.owners = [](std::size_t i, std::size_t j) { return static_cast<int>((i * j) % 4); };
    matrix a(session, options);
    {
      matrix b(session, options);
      deed::for_each_tile(session, a.indices(), copy, [&](deed::index i, deed::index j) {
        return std::tuple{write(b(i, j)), read(a(j, i))};
      });
    }
    // Holders of each tile, by what the call before says, beside this: D402 where ranks differ.
    for (auto [i, j] : a.indices()) session.fetch(read(a(i, j)), deed::everywhere);
    session.wait();
    for (auto [i, j] : a.indices()) EXPECT_EQ((*session.borrow(read(a(i, j))))(0, 0), 1U);
  });
  for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
}

TEST(tiles_by_rule, have_gates_and_callbacks_and_places_of_each_task) {
  const auto all = test::world{}.run(4, [](deed::session& session) {
    matrix a(session, square("a"));
    auto gate = session.make_gate("gate");
    deed::for_each_tile(session, a.indices(), change, [&](deed::index i, deed::index j) {
      return std::tuple{read_write(a(i, j)), deed::value(std::uint64_t{2}), deed::behind(gate)};
    });
    deed::for_each_tile(session, a.interior(), change, [&](deed::index i, deed::index j) {
      return std::tuple{read_write(a(i, j)), deed::value(std::uint64_t{3}),
                        deed::on(deed::rank{1})};
    });
    gate.open();
    session.wait();
    for (auto [i, j] : a.indices()) {
      if (!session.owns(a(i, j))) continue;
      const bool inside = i > 0 && j > 0 && i < 5 && j < 5;
      const std::uint64_t once = mixed(1, 2);
      EXPECT_EQ((*session.borrow(read(a(i, j))))(0, 0), inside ? mixed(once, 3) : once);
    }
  });
  for (const test::outcome& each : all) EXPECT_EQ(each.text, "");
}

}  // namespace
