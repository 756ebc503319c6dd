// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/transport/endpoint.hpp>
#include <deed/transport/engine_options.hpp>
#include <deed/transport/statistics.hpp>
#include <deed/transport/transfer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

/// @file
/// The wire engine: matching, protocol, credits and counters, one code for all endpoints.

namespace deed::transport {

enum class reduce_with : std::uint8_t { min, max, sum };

/// Moves transfers between the memory of ranks. One per rank.
///
/// States of a send: queued → (fits and has credit) copied, **done** · (else) announced → on the
///   receiver's answer streaming → **done**. Of a receive: expected → matched → filled, **done**;
///   or matched and both ends differ → **failed**, here and at the sender.
/// Keeps: nothing of the caller's beyond `completed`; endpoint and clock outlive the engine.
/// Blocks: only `rest` and `close`.
/// Threads: any, unless a function says otherwise. Completions and handlers run on whichever
///   thread makes progress, outside the progress lock.
/// Cost: no allocation per transfer that is expected when it arrives.
class engine {
 public:
  engine(endpoint& door, const engine_options& options, const clock& time);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Sends; at once when the progress lock is free.
  /// @throws deed::error D514 if the peer does not exist; then nothing was taken.
  void send(send_operation& operation);
  /// Receives. Receives of one datum from one peer come in rising order of versions.
  /// @throws deed::error D514 if the peer does not exist; then nothing was taken.
  void receive(receive_operation& operation);
  /// Takes a receive back. @return true: it will not complete any more; false: it has matched, and
  /// will complete or has.
  bool cancel(receive_operation& operation);

  /// One turn. Never waits: if another thread holds the lock, that one makes the progress.
  /// @return whether anything happened.
  bool progress();
  /// The part of a turn that needs no look at the network: what was held back for others leaves
  /// (see `send_operation::more`), and completions run. Never waits.
  /// @return whether anything happened.
  bool flush();
  /// The one place to sleep. Returns on an arrival, a local submission, `wake`, or at the end of
  /// the time; `nanoseconds::max()` is for ever. A signal since the last `rest` of this engine
  /// ends it at once, so one thread per engine loses none. With several, each passes the
  /// `signals()` it read before it looked for work.
  void rest(std::chrono::nanoseconds at_most);
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen);
  /// Whether `rest` would return at once, because something happened a moment ago and more may
  /// follow: then another look is cheaper than all that a sleep takes. Counts as that rest.
  /// Cost: a reading of the clock where arrivals do not wake; else nothing.
  [[nodiscard]] bool looks_again();
  [[nodiscard]] std::uint64_t signals() const noexcept;
  /// Ends `rest` on every thread. Cheap when nobody rests.
  void wake() noexcept;
  /// Nothing queued, being sent, being filled, or waiting for its completion to run. Receives
  /// that wait do not count.
  [[nodiscard]] bool quiet() const noexcept;

  /// Calls `use` while no other thread is in the endpoint: for what shares its library.
  /// Blocks: for one turn of the thread that makes progress.
  void hold_door(const std::function<void()>& use);

  /// A small message beside the transfers, in order per peer, of any length; also to itself.
  void send_control(rank peer, std::uint16_t what, std::span<const std::byte> bytes);
  /// Handlers are set before the first `progress`. They run one at a time and in order.
  void on_control(std::function<void(rank, std::uint16_t, std::span<const std::byte>)> handler);
  /// What no operation can carry: a peer lost, a damaged message, a send that had completed here
  /// and that its receiver refused. The engine goes on with the others.
  void on_fault(std::function<void(rank peer, std::exception_ptr)> handler);
  /// Small transfers to one peer may leave in one message: how many did, and its bytes. `handler`
  /// runs on whichever thread sends, inside the engine: it must not call it.
  void on_packed(
      std::function<void(rank peer, std::uint32_t transfers, std::size_t bytes)> handler);

  /// Collective: every rank, in the same order, with the same operation and as many words, up to
  /// `max_words()`. `done` runs like a handler. As a barrier: one word.
  /// Cost: 2 (ranks - 1) frames in all, depth 2 log2 ranks.
  void all_reduce(std::span<const std::uint64_t> words, reduce_with with,
                  std::function<void(std::span<const std::uint64_t>)> done);
  [[nodiscard]] std::size_t max_words() const noexcept;
  /// Collective: compares one card of each rank, field by field. `done` gets nothing if they are
  /// equal, else `deed::error` D910 that names the field and a rank of each side; on every rank.
  void hello(const hello_card& mine, std::function<void(std::exception_ptr)> done);

  /// Says whether this rank has nothing to do but wait for others. `false`, then `true`, arms
  /// the proof anew after each time it was given.
  void set_idle(bool idle);
  /// `proved` runs on every rank once it is proved that all are idle at the same time and nothing
  /// is on its way. Source: F. Mattern, Algorithms for distributed termination detection, 1987
  /// (four counters), over a tree.
  void on_quiescence(std::function<void()> proved);

  [[nodiscard]] std::vector<unmatched> left_over() const;
  [[nodiscard]] statistics counts() const;

  /// Ends the engine: waits until nothing is on its way, fails with D505 and D506 what has no
  /// other end, and closes the endpoint. Collective, unless a peer was lost.
  /// Blocks: until every rank has called it.
  void close();
  /// Ends the engine without the others, after a fault that it cannot go on from; its destructor
  /// does so, too, unless it was closed. What is open is never completed, and what comes later is
  /// dropped; nothing of the caller's is touched any more but by a network that still has it.
  /// Blocks: until what is being copied to or from memory of this rank is done.
  void abandon() noexcept;

 private:
  class core;
  std::unique_ptr<core> core_;
};

}  // namespace deed::transport
