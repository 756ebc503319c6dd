// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error_code.hpp>
#include <deed/transport/engine.hpp>

#include "collectives.hpp"
#include "inbox.hpp"
#include "matching.hpp"
#include "open_work.hpp"
#include "operation_list.hpp"
#include "peers.hpp"
#include "progress_lock.hpp"
#include "quiescence.hpp"
#include "turns.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

/// @file
/// Everything behind `engine`. Cut by idea into core_*.cpp.

namespace deed::transport {

namespace detail {

constexpr int chunks_under_way = 3;  // Of one bulk transfer.

/// What the endpoint knows a bulk transfer by.
[[nodiscard]] inline std::uint64_t cookie_of(const operation_state& operation) noexcept {
  return reinterpret_cast<std::uint64_t>(&operation);
}

/// A transfer that has just come to its receive, in whatever way.
struct incoming {
  const header& head;
  int peer;
  const std::byte* payload;  // Eager.
  std::uint64_t checksum;
  send_operation* own;  // A send of this rank to itself.
};

[[nodiscard]] transfer transfer_of(const header& h) noexcept;
[[nodiscard]] header header_of(const transfer& what, frame_kind kind) noexcept;

/// Sends that wait for an answer, by number. A number comes back only after 1,024 others.
class announced_sends {
 public:
  [[nodiscard]] std::uint32_t add(operation_state& operation);
  /// Null if there is none of this number.
  [[nodiscard]] operation_state* find(std::uint32_t number) const noexcept;
  void remove(std::uint32_t number) noexcept;
  template <class F>
  void for_each(F f) const {
    for (const slot& at : slots_) {
      if (at.operation != nullptr) f(*at.operation);
    }
  }

 private:
  static constexpr unsigned index_bits = 22;
  struct slot {
    operation_state* operation = nullptr;
    std::uint32_t generation = 0;
  };
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace detail

class engine::core {
 public:
  core(endpoint& door, const engine_options& options, const clock& time);

  // core_progress.cpp: queue, lock, turns, sleep.
  void submit(detail::operation_state& operation);
  bool cancel(receive_operation& operation);
  bool progress();
  bool flush();
  bool looks_again();
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen);
  [[nodiscard]] bool quiet() const noexcept;
  void close();
  void abandon() noexcept;

  // core_control.cpp: controls, collectives, proofs, counts.
  void hold_door(const std::function<void()>& use);
  void send_control(rank peer, std::uint16_t what, std::span<const std::byte> bytes);
  void all_reduce(std::span<const std::uint64_t> words, reduce_with with,
                  std::function<void(std::span<const std::uint64_t>)> done);
  void set_idle(bool idle);
  [[nodiscard]] std::vector<unmatched> left_over() const;
  [[nodiscard]] statistics counts() const;
  void check_peer(rank peer) const;
  [[nodiscard]] const engine_options& options() const noexcept { return options_; }

  endpoint& door;
  const clock& time;
  const endpoint_limits limits;
  std::atomic<std::uint64_t> last_seen{0};  // signals() when the newest rest ended.
  std::function<void(rank, std::uint16_t, std::span<const std::byte>)> control_handler;
  void on_packed(std::function<void(rank, std::uint32_t, std::size_t)> handler) {
    peers_.on_packed = std::move(handler);
  }
  std::function<void(rank, std::exception_ptr)> fault_handler;
  std::function<void()> quiescence_handler;

 private:
  using state = detail::operation_state;

  // Inside the lock, all of these.
  bool turn(bool looks);
  void drain();
  void start(state& operation);
  bool poll();
  void handle(const event& what);
  void look_at_quiescence();
  void finish(state& operation);
  void fail(state& operation, std::exception_ptr error);
  void fault(int peer, std::exception_ptr error);
  void emit(int peer, detail::header& h, const_memory_block payload = {});

  // core_send.cpp
  void start_send(state& operation);
  void send_to_self(state& operation);
  void send_eager(state& operation, detail::peer_state& peer, bool rides);
  void announce(state& operation, detail::peer_state& peer);
  void cleared(detail::peer_state& peer, const detail::header& h);
  void stream(state& operation);
  void stream_more(state& operation);
  bool grow();
  void lose_source(state& operation, std::exception_ptr why);
  void bulk_send_ended(state& operation, const std::exception_ptr& error);
  void end_send(state& operation);
  void forget_announced(const state& operation) noexcept;
  void tell_receiver(const state& operation, error_code why);

  // core_receive.cpp
  void start_receive(state& operation);
  void refuse_older(state& operation, detail::lane& there);
  void transfer_arrived(detail::peer_state& peer, const detail::decoded& frame);
  void keep(detail::lane& there, const detail::incoming& came);
  void give_back(detail::arrival& kept) noexcept;
  void refuse_stale(detail::lane& there, const detail::incoming& came, std::uint64_t expected);
  void match(state& operation, const detail::incoming& came);
  [[nodiscard]] std::exception_ptr find_room(state& operation, const detail::incoming& came);
  void refuse(const detail::incoming& came, error_code code, const transfer& expected,
              const std::exception_ptr& error);
  void fill(state& operation);
  void fill_more(state& operation);
  void bulk_receive_ended(state& operation, const std::exception_ptr& error);
  void end_receive(state& operation);
  void give_back_credit(detail::peer_state& peer);

  // core_frames.cpp
  void message_arrived(int peer, std::span<const std::byte> bytes);
  void frame_arrived(int peer, const detail::decoded& frame, std::span<const std::byte> bytes);
  void dispatch(detail::peer_state& peer, const detail::decoded& frame);
  void refused(detail::peer_state& peer, const detail::header& h);
  void peer_lost(int peer);
  void control_arrived(detail::peer_state& peer, const detail::decoded& frame);

  // Outside the lock.
  bool take_turns(bool looks);
  bool complete(detail::operation_list done);
  void settle(bool& orderly);
  [[nodiscard]] std::array<std::uint64_t, 3> still_open();
  void fail_left_over();
  [[nodiscard]] bool idle_inside() const noexcept;
  [[nodiscard]] bool nothing_open() const noexcept;
  [[nodiscard]] bool is_gone() const noexcept { return gone_.load(std::memory_order_acquire); }
  [[nodiscard]] std::chrono::nanoseconds sleep_step() const;

  engine_options options_;
  mutable detail::progress_lock lock_;
  detail::turns turns_{lock_};
  detail::submission_queue submitted_;
  detail::inbox calls_;
  detail::operation_list done_;  // Their completions wait to run.

  detail::peer_table peers_;
  detail::lane_table lanes_;
  detail::arrival_pool arrivals_;
  detail::announced_sends announced_;
  std::int64_t unmatched_sends_ = 0;            // Announced and not cleared, or to itself and kept.
  std::vector<detail::arrival*> late_credits_;  // Stored beyond the limit; a credit each is due.
  detail::operation_list parked_sends_, parked_receives_;
  std::vector<state*> filling_;
  std::vector<state*> growing_;  // Sends under way whose source is filled meanwhile.
  int streaming_ = 0;
  detail::collectives collectives_;
  detail::quiescence quiescence_;
  std::array<event, 16> events_;
  std::uint64_t unexpected_ = 0;
  bool closing_ = false;
  std::atomic<bool> gone_{false};  // The endpoint is closed: nothing is sent, nor looked for.

  detail::open_work open_;
  std::atomic<std::size_t> in_flight_{0};  // door.pending() after the newest turn.
  std::atomic<bool> idle_{false};
  std::atomic<std::int64_t> next_look_;  // When the proof wants a turn, in ns of the clock.
  std::atomic<bool> happened_{true};
  std::atomic<int> resting_{0};
  std::atomic<std::int64_t> calm_since_{0};  // `never`: only for a few looks.
  std::atomic<int> calm_looks_{0};
};

}  // namespace deed::transport
