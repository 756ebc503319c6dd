// SPDX-License-Identifier: MIT
// The manual's token ring, in each way to send: row R87.
#include "worlds.hpp"
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

using semantics::before;
using semantics::next;

constexpr deed::codelet increment{"increment", [](int& token) { ++token; }};
constexpr int rounds = 4;

/// How the token is handed on.
enum class way : std::uint8_t { plain, blocking, requests, synchronous, gates };
constexpr std::array ways{way::plain, way::blocking, way::requests, way::synchronous, way::gates};

void take(deed::session& session, deed::handle<int>& token, way how, deed::message_tag tag) {
  const deed::from peer{before(session)};
  if (how == way::blocking) {
    session.ireceive(deed::write(token), peer, tag).wait();
    return;
  }
  if (how == way::requests) {
    auto arrives = session.ireceive(deed::write(token), peer, tag);
    while (!arrives.test()) {
    }
    return;
  }
  session.receive(deed::write(token), peer, tag);
}

void hand_on(deed::session& session, deed::handle<int>& token, way how, deed::message_tag tag) {
  const deed::to peer{next(session)};
  // A rank that is alone would wait for its own receive.
  if (session.size() == 1) return session.send(deed::read(token), peer, tag);
  switch (how) {
    case way::plain:
    case way::gates:
      return session.send(deed::read(token), peer, tag);
    case way::blocking:
      session.isend(deed::read(token), peer, tag).wait();
      return;
    case way::requests: {
      auto leaves = session.isend(deed::read(token), peer, tag);  // Dropped: detached.
      return;
    }
    case way::synchronous:
      return session.send(deed::read(token), peer, tag, deed::synchronous);
  }
}

void ring(deed::session& session, way how) {
  const int rank = session.rank(), size = session.size();
  auto token = session.register_data(deed::per_rank, 0, {.name = "token"});
  for (int round = 0; round < rounds; ++round) {
    const bool first = round == 0 && rank == 0, last = round == rounds - 1 && rank == size - 1;
    if (!first && how == way::gates) {
      auto arrived = session.make_gate("arrived");
      session.receive(deed::write(token), deed::from{before(session)}, deed::message_tag{round},
                      deed::opens(arrived));
      session.insert_task(increment, deed::read_write(token), deed::behind(arrived));
    } else {
      if (!first) take(session, token, how, deed::message_tag{round});
      session.insert_task(increment, deed::read_write(token));
    }
    const int next_round = rank == size - 1 ? round + 1 : round;
    if (!last) hand_on(session, token, how, deed::message_tag{next_round});
  }
  session.wait();
  if (rank == size - 1) {
    EXPECT_EQ(*session.borrow(deed::read(token)), rounds * size);
  }
}

TEST(semantics_R87, the_token_goes_round_in_every_way_to_send) {
  for (const way how : ways) {
    semantics::run([how](deed::session& session) { ring(session, how); });
  }
}

TEST(semantics_R87, a_token_goes_round_on_1_to_64_ranks) {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    for (const way how : ways) {
      const auto program = [how](deed::session& session) { ring(session, how); };
      ASSERT_EQ(semantics::reports_of(program, ranks), "") << ranks << " ranks";
    }
  }
}

}  // namespace
