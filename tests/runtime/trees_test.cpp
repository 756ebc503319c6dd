// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>

#include "../support/virtual_ranks.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace {

constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
constexpr deed::codelet increase{"increase", [](double& x) { x += 1; }};

std::uint64_t transfers(const deed::session& session) {
  std::uint64_t sum = 0;
  for (const auto& [peer, sent] : session.statistics().sent_to) sum += sent.transfers;
  return sum;
}

TEST(trees, a_thousand_readers_cost_the_owner_ten_sends) {
  constexpr int ranks = 1024;
  std::atomic<std::uint64_t> most{0};
  test::on_virtual_ranks(ranks, [&](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1.0);
    auto mine = session.register_data(deed::per_rank, 0.0);
    session.fetch(deed::read(x), deed::everywhere);
    session.wait();
    EXPECT_EQ(*session.borrow(deed::read(x)), 1.0);
    const std::uint64_t sent = transfers(session);
    if (session.rank() == 0) {
      EXPECT_EQ(sent, 10u);
    }
    most = std::max(most.load(), sent);
  });
  EXPECT_LE(most, 10u);
}

TEST(trees, tasks_that_read_on_many_ranks_are_served_by_those_before_them) {
  constexpr int ranks = 64;
  test::on_virtual_ranks(
      ranks,
      [](deed::session& session) {
        // deed-check: allow(D109) reason: so many ranks run this
        auto x = session.register_data(deed::owner{5}, 1.0);
        std::vector<deed::handle<double>> sums;
        // deed-check: allow(D109) reason: so many ranks run this
        for (int r = 0; r < ranks; ++r) sums.push_back(session.register_data(deed::owner{r}, 0.0));
        for (int round = 0; round < 3; ++round) {
          for (int r = ranks - 1; r >= 0; --r) {
            auto& sum = sums[static_cast<std::size_t>(r)];
            if (session.relevant(deed::read_write(sum), deed::read(x)))
              session.insert_task(add, deed::read_write(sum), deed::read(x));
          }
          session.insert_task(increase, deed::read_write(x));
        }
        session.wait();
        const auto& mine = sums[static_cast<std::size_t>(session.rank())];
        EXPECT_EQ(*session.borrow(deed::read(mine)), 6.0);
        if (session.rank() == 5) {
          EXPECT_EQ(transfers(session), 3u * 6u);
        }
      },
      11);
}

TEST(trees, an_all_gather_of_a_thousand_ranks_costs_each_ten_sends) {
  constexpr int ranks = 1024;
  std::vector<int> wanted(ranks);
  std::iota(wanted.begin(), wanted.end(), 0);
  std::atomic<std::uint64_t> most{0};
  test::on_virtual_ranks(ranks, [&](deed::session& session) {
    auto mine = session.register_data(deed::per_rank, session.rank());
    auto all = session.register_data(deed::per_rank, std::vector<int>{});
    session.all_gather(deed::read(mine), deed::write(all));
    session.wait();
    EXPECT_EQ(*session.borrow(deed::read(all)), wanted);
    most = std::max(most.load(), transfers(session));
  });
  EXPECT_EQ(most, 10u);
}

}  // namespace
