// SPDX-License-Identifier: MIT
#include <deed/deed.hpp>
#include <deed/runtime/plan.hpp>

#include "../support/virtual_ranks.hpp"
#include "virtual_ranks.hpp"
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;

constexpr deed::codelet never{"never",
                              [](double&) { throw std::logic_error("a body of a dry run ran"); }};
constexpr deed::codelet scale{"scale", [](double& x) { x *= 2; }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
constexpr deed::codelet relax{"relax", [](tile to, const_tile from, const_tile other) {
                                to(0, 0) = from(0, 0) + other(0, 0);
                              }};
constexpr auto plus = [](double& sum, const double& x) { sum += x; };

/// A stencil on columns of tiles; enough of everything: transfers, cache hits, copies.
void stencil(deed::session& session) {
  deed::tiled_matrix<double> now{session,
                                 {.rows = 64,
                                  .cols = 64,
                                  .tile_rows = 8,
                                  .tile_cols = 8,
                                  .owners = deed::block_cyclic{session.size()},
                                  .initial = 1.0,
                                  .name = "now"}};
  auto next = now.like("next");
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 8; ++j)
        session.insert_task(relax, deed::write(next(i, j)), deed::read(now(i, j)),
                            deed::read(now(i, (j + 1) % 8)));
    }
    std::swap(now, next);
    session.wait();
  }
}

TEST(dry_run, is_refused_of_no_ranks) {
  EXPECT_THROW(static_cast<void>(deed::dry_run(0, [](deed::session&, deed::arguments) {})),
               deed::error);
}

TEST(dry_run, is_refused_of_more_ranks_than_the_process_can_have_stacks) {
  constexpr int ranks = 1'000'000;
  if (deed::runtime::too_many_virtual_ranks(ranks).empty()) GTEST_SKIP() << "it can have them";
  try {
    static_cast<void>(deed::dry_run(ranks, [](deed::session&, deed::arguments) {}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const deed::error& refused) {
    EXPECT_EQ(refused.code(), deed::error_code::bad_setting);
    EXPECT_NE(std::string(refused.what()).find("vm.max_map_count"), std::string::npos);
  }
}

TEST(dry_run, counts_what_a_run_does) {
  constexpr int ranks = 5;
  std::vector<deed::statistics> did(ranks);
  test::on_virtual_ranks(ranks, [&](deed::session& session) {
    stencil(session);
    session.barrier();
    did[static_cast<std::size_t>(session.rank())] = session.statistics();
  });
  const deed::plan found = deed::dry_run(ranks, stencil);
  ASSERT_EQ(found.ranks.size(), did.size());
  for (int r = 0; r < ranks; ++r) {
    const deed::statistics& real = did[static_cast<std::size_t>(r)];
    const deed::rank_plan& one = found.ranks[static_cast<std::size_t>(r)];
    EXPECT_EQ(one.tasks, real.tasks_run) << "rank " << r;
    EXPECT_EQ(one.epochs.size(), 4u);  // Three calls of wait, and the end.
    EXPECT_EQ(one.epochs.back().most_copies, real.most_copies_bytes) << "rank " << r;
    for (int to = 0; to < ranks; ++to) {
      const auto planned = found.between(deed::rank{r}, deed::rank{to});
      const auto sent = real.sent_to.contains(to) ? real.sent_to.at(to) : deed::traffic{};
      EXPECT_EQ(planned.transfers, sent.transfers) << r << " to " << to;
      EXPECT_EQ(planned.bytes, sent.payload_bytes) << r << " to " << to;
    }
  }
  EXPECT_EQ(found.tasks(), 3u * 64);
  EXPECT_EQ(found.critical_path.tasks, 3u);
}

TEST(dry_run, runs_no_body_and_makes_no_value) {
  const deed::plan found = deed::dry_run(3, [](deed::session& session) {
    EXPECT_TRUE(session.is_dry());
    auto x = session.register_data(deed::owner{1}, []() -> double {
      throw std::logic_error("a value of a dry run was made");
    });
    session.insert_task(never, deed::read_write(x), deed::on(deed::rank{2}));
    session.fetch(deed::read(x), deed::everywhere);
    session.wait();
    EXPECT_EQ(*session.borrow(deed::read(x)), 0.0);
  });
  EXPECT_EQ(found.ranks[2].tasks_of.at("never"), 1u);
  // There and back again, and to whoever has not seen it.
  EXPECT_EQ(found.between(deed::rank{1}, deed::rank{2}).transfers, 1u);
  EXPECT_EQ(found.between(deed::rank{2}, deed::rank{1}).transfers, 1u);
  EXPECT_EQ(found.between(deed::rank{1}, deed::rank{0}).bytes, sizeof(double));
}

TEST(dry_run, follows_the_longest_chain_over_ranks) {
  const deed::plan chain = deed::dry_run(4, [](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1.0);
    for (int i = 0; i < 12; ++i)
      session.insert_task(scale, deed::read_write(x), deed::on(deed::rank{i % 4}),
                          deed::flops{100});
  });
  EXPECT_EQ(chain.critical_path.tasks, 12u);
  EXPECT_EQ(chain.critical_path.flops, 1200u);
  const deed::plan wide = deed::dry_run(4, [](deed::session& session) {
    std::vector<deed::handle<double>> all;
    for (int i = 0; i < 12; ++i) all.push_back(session.register_data(deed::owner{i % 4}, 1.0));
    for (auto& x : all) session.insert_task(scale, deed::read_write(x));
    session.wait();
  });
  EXPECT_EQ(wide.critical_path.tasks, 1u);
  EXPECT_EQ(wide.tasks(), 12u);
  EXPECT_DOUBLE_EQ(wide.imbalance(), 1.0);
  // A writer comes behind the readers of what it overwrites.
  const deed::plan overwritten = deed::dry_run(1, [](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1.0);
    auto sum = session.register_data(deed::owner{0}, 0.0);
    session.insert_task(add, deed::read_write(sum), deed::read(x));
    session.insert_task(add, deed::read_write(sum), deed::read(x));
    session.insert_task(scale, deed::read_write(x));
  });
  EXPECT_EQ(overwritten.critical_path.tasks, 3u);
}

TEST(dry_run, knows_when_copies_go) {
  const deed::plan found = deed::dry_run(2, [](deed::session& session) {
    auto x = session.register_data(deed::owner{0}, 1.0);
    auto sum = session.register_data(deed::owner{1}, 0.0);
    session.insert_task(add, deed::read_write(sum), deed::read(x));
    session.wait();
    session.flush();
    session.wait();
  });
  const auto& epochs = found.ranks[1].epochs;
  EXPECT_EQ(epochs[0].copies, sizeof(double));
  EXPECT_EQ(epochs[1].copies, 0u);
  EXPECT_EQ(epochs[1].most_copies, sizeof(double));
  EXPECT_EQ(epochs[1].owned, sizeof(double));
  EXPECT_EQ(found.most_copies_bytes(), sizeof(double));
}

TEST(dry_run, goes_through_messages_reductions_and_collectives) {
  const deed::plan found = deed::dry_run(4, [](deed::session& session) {
    auto token = session.register_data(deed::per_rank, 1.0);
    const int rank = session.rank(), size = session.size();
    if (rank > 0)
      session.receive(deed::write(token), deed::from{rank - 1}, deed::message_tag{rank});
    session.insert_task(scale, deed::read_write(token));
    if (rank + 1 < size)
      session.send(deed::read(token), deed::to{rank + 1}, deed::message_tag{rank + 1});
    auto sum = session.register_data(deed::owner{0}, 0.0, deed::reduction{plus, 0.0});
    auto x = session.register_data(deed::owner{0}, 1.0);
    for (int i = 0; i < 8; ++i)
      session.insert_task(add, deed::reduce(sum), deed::read(x), deed::on(deed::rank{i % size}));
    session.reduce(sum);
    session.wait();
    EXPECT_EQ(session.gather(deed::value(rank), deed::to{0}).size(), rank == 0 ? 4u : 0u);
    EXPECT_EQ(session.all_reduce(deed::value(1), std::plus<>{}), size);  // Real.
    EXPECT_TRUE(session.checkpoint("nowhere", 1));
    EXPECT_EQ(session.resume("nowhere"), std::nullopt);
  });
  EXPECT_GE(found.critical_path.tasks, 4u);
  EXPECT_EQ(found.between(deed::rank{0}, deed::rank{1}).transfers, 2u);  // The message, and `x`.
}

TEST(dry_run, refuses_what_a_run_refuses) {
  const auto reads_nothing = [](deed::session& session) {
    auto x = session.register_data<double>(deed::owner{0}, deed::uninitialised);
    auto y = session.register_data(deed::owner{1}, 0.0);
    session.insert_task(add, deed::read_write(y), deed::read(x));
  };
  EXPECT_THROW(static_cast<void>(deed::dry_run(2, reads_nothing)), deed::error);
}

TEST(dry_run, tells_one_rank_in_detail) {
  const deed::plan found = deed::dry_run(16, stencil);
  const std::string text = found.text(2);
  EXPECT_NE(text.find("deed dry run: 16 ranks, 192 tasks"), std::string::npos) << text;
  EXPECT_NE(text.find("  busiest is rank 0: 1.00 times the mean; most copies on rank "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("and 8 ranks more; DEED_DRY=R/16"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 2\n  relax: 12 tasks\n"), std::string::npos) << text;
  EXPECT_THROW(static_cast<void>(found.text(16)), std::out_of_range);
}

}  // namespace
