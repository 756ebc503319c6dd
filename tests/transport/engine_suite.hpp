// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/transport/engine.hpp>

#include "conformance.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

/// @file
/// What the engine has to do on every endpoint, as programs that each rank runs.

namespace transport_test {

using deed::error_code;
using deed::transport::any_size;
using deed::transport::engine;
using deed::transport::engine_options;
using deed::transport::outcome;
using deed::transport::receive_operation;
using deed::transport::reduce_with;
using deed::transport::send_operation;
using deed::transport::transfer;
using deed::transport::transfer_kind;

/// The code of what an operation failed with; nothing if it went well.
inline std::optional<error_code> code_of(const std::exception_ptr& failure) {
  if (!failure) return std::nullopt;
  try {
    std::rethrow_exception(failure);
  } catch (const deed::error& thrown) {
    return thrown.code();
  }
}

inline bool is_refused_by_peer(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const deed::transport::refused_by_peer&) {
    return true;
  } catch (...) {
  }
  return false;
}

/// A send or a receive with its memory.
template <class Operation>
struct held {
  Operation operation;
  std::vector<std::byte> bytes;
  std::atomic<bool> done{false};
  std::exception_ptr error;
  int order = 0;  // Of completion.

  held() { operation.context = this; }
  static void completed(Operation& of, const outcome& how) noexcept {
    auto& self = *static_cast<held*>(of.context);
    self.error = how.error;
    self.done.store(true, std::memory_order_release);
  }
  static deed::memory_block room(Operation& of, std::uint64_t bytes) {
    auto& self = *static_cast<held*>(of.context);
    self.bytes.assign(bytes, std::byte{0});
    return {.address = self.bytes.data(), .row_bytes = bytes};
  }
};
using held_send = held<send_operation>;
using held_receive = held<receive_operation>;

/// A rank with its engine, as a test sees it.
class member {
 public:
  member(endpoint& end, const deed::clock& time, const engine_options& options = {})
      : self(end.limits().self.value), ranks(end.limits().ranks), wire(end, options, time) {
    wire.on_fault([this](rank, std::exception_ptr what) { faults.push_back(what); });
  }

  held_send& send(int to, const transfer& what, std::vector<std::byte> bytes,
                  bool synchronous = false, bool more = false) {
    held_send& made = sends.emplace_back();
    made.bytes = std::move(bytes);
    made.operation.what = what;
    made.operation.what.bytes = made.bytes.size();
    made.operation.peer = rank{to};
    made.operation.source = {made.bytes.data(), made.bytes.size()};
    made.operation.synchronous = synchronous;
    made.operation.more = more;
    made.operation.completed = held_send::completed;
    wire.send(made.operation);
    return made;
  }
  held_receive& receive(int from, const transfer& what) {
    held_receive& made = receives.emplace_back();
    made.operation.what = what;
    made.operation.peer = rank{from};
    made.operation.destination = held_receive::room;
    made.operation.completed = held_receive::completed;
    wire.receive(made.operation);
    return made;
  }

  template <class Enough>
  void until(Enough enough) {
    while (!enough()) {
      if (!wire.progress() && !enough()) wire.rest(std::chrono::milliseconds{5});
    }
  }
  void until_done() {
    until([&] {
      const auto done = [](const auto& at) { return at.done.load(std::memory_order_acquire); };
      return std::ranges::all_of(sends, done) && std::ranges::all_of(receives, done);
    });
  }
  void barrier() {
    bool there = false;
    const std::array<std::uint64_t, 1> one{1};
    wire.all_reduce(one, reduce_with::sum, [&](std::span<const std::uint64_t> all) {
      EXPECT_EQ(all[0], static_cast<std::uint64_t>(ranks));
      there = true;
    });
    until([&] { return there; });
  }

  int self, ranks;
  engine wire;
  std::deque<held_send> sends;
  std::deque<held_receive> receives;
  std::vector<std::exception_ptr> faults;
};

inline transfer message(int from, std::uint64_t tag, std::uint64_t bytes = any_size,
                        std::uint64_t type = 1) {
  return {.kind = transfer_kind::message,
          .origin = static_cast<std::uint32_t>(from),
          .tag = tag,
          .type_hash = type,
          .bytes = bytes};
}
inline transfer datum(int owner, std::uint64_t tag, std::uint64_t version,
                      std::uint64_t bytes = any_size, std::uint64_t type = 1) {
  return {.kind = transfer_kind::datum,
          .origin = static_cast<std::uint32_t>(owner),
          .tag = tag,
          .version = version,
          .type_hash = type,
          .bytes = bytes};
}

/// Small options, so that small transfers take every path.
inline engine_options tiny() {
  return {.eager_bytes = 256, .chunk_log2 = 10, .credits = 3, .bulk_sends = 2, .bulk_receives = 2};
}

inline const std::array<std::size_t, 9>& sizes() {
  static constexpr std::array<std::size_t, 9> all{0, 1, 8, 191, 192, 193, 1024, 5000, 20000};
  return all;
}

/// Everyone to everyone, itself included, sizes on all paths, receives before and after.
inline void all_transfers_arrive(endpoint& end, const deed::clock& time,
                                 const engine_options& options) {
  member me(end, time, options);
  const auto expect_from = [&](int from, std::size_t i) {
    me.receive(from, message(from, 7, i % 2 == 0 ? sizes()[i] : any_size));
    me.receive(from, datum(from, 100, i, sizes()[i]));
  };
  const bool first = me.self % 2 == 0;
  for (std::size_t i = 0; i < sizes().size(); ++i) {
    for (int r = 0; r < me.ranks && first; ++r) expect_from(r, i);
    for (int r = 0; r < me.ranks; ++r) {
      const int seed = me.self * 31 + r + static_cast<int>(i);
      me.send(r, message(me.self, 7), pattern(sizes()[i], seed));
      me.send(r, datum(me.self, 100, i), pattern(sizes()[i], seed + 1), i % 3 == 0);
    }
  }
  for (std::size_t i = 0; i < sizes().size() && !first; ++i) {
    for (int r = 0; r < me.ranks; ++r) expect_from(r, i);
  }
  me.until_done();
  std::size_t n = 0;
  for (const held_receive& at : me.receives) {
    const std::size_t i = n / 2 / static_cast<std::size_t>(me.ranks);
    const int from = at.operation.peer.value;
    const int seed = from * 31 + me.self + static_cast<int>(i) + static_cast<int>(n % 2);
    EXPECT_EQ(code_of(at.error), std::nullopt);
    EXPECT_EQ(at.bytes, pattern(sizes()[i], seed)) << "size " << sizes()[i] << " from " << from;
    ++n;
  }
  for (const held_send& at : me.sends) EXPECT_EQ(code_of(at.error), std::nullopt);
  me.barrier();
  EXPECT_TRUE(me.wire.left_over().empty());
  EXPECT_TRUE(me.faults.empty());
  me.wire.close();
}

inline void all_transfers_arrive_on_all_paths(endpoint& end, const deed::clock& time) {
  all_transfers_arrive(end, time, tiny());
}

/// Messages of one tag keep their order, whatever path each takes.
inline void one_tag_keeps_its_order(endpoint& end, const deed::clock& time) {
  member me(end, time, tiny());
  constexpr int many = 200;
  const int next = (me.self + 1) % me.ranks, before = (me.self + me.ranks - 1) % me.ranks;
  for (int i = 0; i < many; ++i) {
    const std::size_t size = i % 5 == 0 ? 3000 : i % 3 == 0 ? 300 : 8;
    me.send(next, message(me.self, 1), pattern(size, i));
    if (i % 2 == 0) me.receive(before, message(before, 1));
    me.wire.progress();
  }
  for (int i = 0; i < many / 2; ++i) me.receive(before, message(before, 1));
  me.until_done();
  int i = 0;
  for (const held_receive& at : me.receives) {
    const std::size_t size = i % 5 == 0 ? 3000 : i % 3 == 0 ? 300 : 8;
    EXPECT_EQ(at.bytes, pattern(size, i++));
  }
  me.wire.close();
}

/// Small ones that are sent together are one message, however many; large ones go alone.
inline void small_ones_leave_together(endpoint& end, const deed::clock& time) {
  engine_options options;
  options.credits = 32;
  member me(end, time, options);
  constexpr int many = 30;
  const auto size_of = [](int i) { return static_cast<std::size_t>(i == 20 ? 6000 : 3 * i); };
  me.barrier();
  const std::uint64_t before = me.wire.counts().messages;
  if (me.ranks >= 2 && me.self == 0) {
    for (int i = 0; i < many; ++i) me.send(1, message(0, 1), pattern(size_of(i), i), false, true);
    EXPECT_EQ(me.wire.counts().messages, before);
    me.wire.progress();
    const auto counts = me.wire.counts();
    EXPECT_EQ(counts.messages, before + 3);  // Those before the large one, it, and those behind it.
    EXPECT_EQ(counts.total.data_frames, std::uint64_t{many});
  }
  if (me.self == 1) {
    for (int i = 0; i < many; ++i) me.receive(0, message(0, 1));
  }
  me.until_done();
  int i = 0;
  for (const held_receive& at : me.receives) {
    EXPECT_EQ(at.bytes, pattern(size_of(i), i));
    ++i;
  }
  me.wire.close();
}

/// A size or type that differs fails both ends and stores nothing; the rest goes on.
inline void ends_that_differ_both_fail(endpoint& end, const deed::clock& time) {
  member me(end, time, tiny());
  const auto big = pattern(4000, 1);
  struct pair {
    transfer sent, expected;
    error_code code;
  };
  const std::array<pair, 4> cases{{
      {message(0, 1), message(0, 1, 4001), error_code::message_sizes_differ},
      {message(0, 2, 0, 5), message(0, 2, 4000, 6), error_code::message_types_differ},
      {datum(0, 3, 1), datum(0, 3, 1, 3999), error_code::sizes_differ},
      {datum(0, 4, 1, 0, 7), datum(0, 4, 1, 4000, 8), error_code::types_differ},
  }};
  if (me.ranks >= 2 && me.self < 2) {
    for (const pair& at : cases) {
      if (me.self == 0) me.send(1, at.sent, big);
      if (me.self == 1) me.receive(0, at.expected);
    }
    me.until_done();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto& error = me.self == 0 ? me.sends[i].error : me.receives[i].error;
      EXPECT_EQ(code_of(error), cases[i].code);
      EXPECT_EQ(is_refused_by_peer(error), me.self == 0);
      if (me.self == 1) {
        EXPECT_TRUE(me.receives[i].bytes.empty());
      }
    }
  }
  me.barrier();
  if (me.ranks >= 2) {
    // An eager send had completed: its refusal is a fault here.
    if (me.self == 0) me.send(1, message(0, 9), pattern(8, 0));
    if (me.self == 1) me.receive(0, message(0, 9, 16));
    me.until_done();
    if (me.self == 0) {
      me.until([&] { return !me.faults.empty(); });
      EXPECT_EQ(code_of(me.faults[0]), error_code::message_sizes_differ);
      EXPECT_TRUE(is_refused_by_peer(me.faults[0]));
    }
  }
  me.wire.close();
}

/// A version older than the one expected is refused at once, in whatever order things happen.
inline void an_older_version_is_refused(endpoint& end, const deed::clock& time) {
  member me(end, time, tiny());
  if (me.ranks >= 2) {
    if (me.self == 0) {
      me.send(1, datum(0, 5, 3), pattern(4000, 0), true);
      me.until_done();
      EXPECT_EQ(code_of(me.sends[0].error), error_code::version_mismatch);
    }
    if (me.self == 1) {
      me.receive(0, datum(0, 5, 4));
      me.until_done();
      EXPECT_EQ(code_of(me.receives[0].error), error_code::version_mismatch);
    }
  }
  me.wire.close();
}

/// Control messages of any length, in order, also to itself.
inline void controls_arrive_in_order(endpoint& end, const deed::clock& time) {
  member me(end, time);
  std::map<int, int> next;
  int arrived = 0;
  me.wire.on_control([&](rank from, std::uint16_t what, std::span<const std::byte> bytes) {
    EXPECT_EQ(int{what}, next[from.value]++);
    const auto wanted = pattern(std::size_t{what} * 1500, what);
    EXPECT_TRUE(std::ranges::equal(bytes, wanted));
    ++arrived;
  });
  constexpr int each = 20;
  for (int i = 0; i < each; ++i) {
    const auto bytes = pattern(static_cast<std::size_t>(i) * 1500, i);
    for (int r = 0; r < me.ranks; ++r) {
      me.wire.send_control(rank{r}, static_cast<std::uint16_t>(i), bytes);
    }
  }
  me.until([&] { return arrived == each * me.ranks; });
  me.wire.close();
}

/// Reductions of several words, several at a time.
inline void reductions_agree(endpoint& end, const deed::clock& time) {
  member me(end, time);
  const auto mine = static_cast<std::uint64_t>(me.self), all = static_cast<std::uint64_t>(me.ranks);
  int done = 0;
  const std::array<std::uint64_t, 2> words{mine + 10, 1};
  const auto expect = [&](std::uint64_t a, std::uint64_t b) {
    return [&done, a, b](std::span<const std::uint64_t> result) {
      ASSERT_EQ(result.size(), 2u);
      EXPECT_EQ(result[0], a);
      EXPECT_EQ(result[1], b);
      ++done;
    };
  };
  for (int i = 0; i < 5; ++i) {
    me.wire.all_reduce(words, reduce_with::min, expect(10, 1));
    me.wire.all_reduce(words, reduce_with::max, expect(9 + all, 1));
    me.wire.all_reduce(words, reduce_with::sum, expect(all * (all - 1) / 2 + 10 * all, all));
  }
  me.until([&] { return done == 15; });
  me.wire.close();
}

/// Cards are compared; the field and a rank of each side are named.
inline void hello_names_the_odd_one(endpoint& end, const deed::clock& time) {
  member me(end, time);
  int done = 0;
  me.wire.hello({.build_id = 7}, [&](std::exception_ptr error) {
    EXPECT_EQ(code_of(error), std::nullopt);
    ++done;
  });
  me.until([&] { return done == 1; });
  me.wire.hello({.build_id = me.self == me.ranks - 1 ? 8u : 7u}, [&](std::exception_ptr error) {
    if (me.ranks > 1) {
      EXPECT_EQ(code_of(error), error_code::programs_differ);
      try {
        std::rethrow_exception(error);
      } catch (const deed::error& thrown) {
        EXPECT_NE(std::string(thrown.what()).find("build 8"), std::string::npos);
        EXPECT_EQ(thrown.facts()[1].label, "rank " + std::to_string(me.ranks - 1));
      }
    }
    ++done;
  });
  me.until([&] { return done == 2; });
  me.wire.close();
}

/// The proof comes once on every rank, after all work and not before; then again for new work.
inline void quiescence_is_proved(endpoint& end, const deed::clock& time) {
  engine_options options = tiny();
  options.idle_before_probe = std::chrono::milliseconds{1};
  member me(end, time, options);
  int proved = 0, hops = 0;
  me.wire.on_quiescence([&] { ++proved; });
  // A token that hops on: between hops every rank looks idle.
  const int next = (me.self + 1) % me.ranks;
  me.wire.on_control([&](rank, std::uint16_t left, std::span<const std::byte>) {
    ++hops;
    EXPECT_LE(proved, 1);
    if (left > 0) me.wire.send_control(rank{next}, static_cast<std::uint16_t>(left - 1), {});
  });
  const int laps = 5;
  for (int epoch = 1; epoch <= 2; ++epoch) {
    me.wire.set_idle(false);
    me.barrier();
    if (me.self == 0) {
      me.wire.send_control(rank{next}, static_cast<std::uint16_t>(laps * me.ranks - 1), {});
    }
    me.wire.set_idle(true);
    me.until([&] { return proved == epoch; });
    EXPECT_EQ(hops, laps * epoch);
  }
  me.wire.close();
  EXPECT_EQ(proved, 2);
}

/// What has no other end is listed, and fails at the end.
inline void left_over_is_listed(endpoint& end, const deed::clock& time) {
  member me(end, time, tiny());
  if (me.ranks >= 2) {
    if (me.self == 0) {
      me.send(1, message(0, 41), pattern(8, 0));
      me.send(1, message(0, 42), pattern(4000, 0));
    }
    if (me.self == 1) me.receive(0, message(0, 43));
    if (me.self == 1) me.until([&] { return me.wire.left_over().size() == 3; });
  }
  me.wire.close();
  if (me.ranks >= 2 && me.self == 0) {
    EXPECT_EQ(code_of(me.sends[0].error), std::nullopt);
    EXPECT_EQ(code_of(me.sends[1].error), error_code::message_never_received);
  }
  if (me.ranks >= 2 && me.self == 1) {
    EXPECT_EQ(code_of(me.receives[0].error), error_code::receive_never_matched);
  }
}

}  // namespace transport_test
