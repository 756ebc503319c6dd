// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/transport/inproc.hpp>

#include "blocks.hpp"
#include "bulk_board.hpp"
#include "waker.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace deed::transport {
using detail::bulk_end;

namespace {

struct parcel {
  int from = 0;
  std::size_t bytes = 0;
  std::unique_ptr<std::byte[]> data;
};

std::exception_ptr sizes_differ(int from, std::size_t sent, std::size_t room) {
  return std::make_exception_ptr(error(error_code::message_damaged,
                                       "a bulk transfer has another size than its room",
                                       {{"sender", "rank " + std::to_string(from)},
                                        {"sent", std::to_string(sent) + " bytes"},
                                        {"room", std::to_string(room) + " bytes"}},
                                       "report this: both ends had agreed on the size"));
}

std::exception_ptr cancelled() {
  return std::make_exception_ptr(error(error_code::peer_lost, "a bulk transfer was given up", {},
                                       "look at the other rank's report"));
}

}  // namespace

class inproc_world::door final : public endpoint {
 public:
  door(state& world, const endpoint_limits& limits) : world_(world), limits_(limits) {}

  [[nodiscard]] const endpoint_limits& limits() const noexcept override { return limits_; }
  void send_frame(rank peer, std::span<const std::byte> header,
                  const_memory_block payload) override;
  void receive_bulk(rank peer, std::uint32_t tag, memory_block room, std::uint64_t cookie) override;
  void send_bulk(rank peer, std::uint32_t tag, const_memory_block source,
                 std::uint64_t cookie) override;
  void cancel_bulk(std::uint64_t cookie) override;
  std::size_t poll(std::span<event> events) override;
  [[nodiscard]] std::size_t pending() const noexcept override {
    return bulk_sends_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t signals() const noexcept override { return waker_.signals(); }
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen) override {
    waker_.rest(at_most, seen);
  }
  void wake() noexcept override { waker_.wake(); }
  void close(bool orderly) noexcept override;

 private:
  class moving;

  void deliver(parcel&& frame);
  void end(event_kind kind, int peer, std::uint64_t cookie, std::exception_ptr error);
  static void transfer(door& sender, door& receiver, const bulk_end& send, const bulk_end& receive);
  [[nodiscard]] int self() const noexcept { return limits_.self.value; }

  state& world_;
  endpoint_limits limits_;
  detail::waker waker_;

  std::mutex mutex_;  // The mailbox, which other ranks fill: all up to the next blank line.
  std::deque<parcel> arrived_;
  std::deque<event> ended_;
  std::vector<std::unique_ptr<std::byte[]>> spare_;
  detail::bulk_board board_;
  std::atomic<std::size_t> waiting_{0};  // Arrived and ended: a look without the mutex.

  std::atomic<std::size_t> bulk_sends_{0};
  std::atomic<int> moving_{0};  // Transfers that read or write this rank's memory right now.
  std::vector<parcel> shown_;   // Their frames are valid until the next poll.
};

struct inproc_world::state {
  std::vector<std::unique_ptr<door>> doors;
};

void inproc_world::door::send_frame(rank peer, std::span<const std::byte> header,
                                    const_memory_block payload) {
  door& to = *world_.doors[static_cast<std::size_t>(peer.value)];
  parcel frame{self(), header.size() + payload.bytes(), nullptr};
  {
    const std::scoped_lock hold(to.mutex_);
    if (!to.spare_.empty()) {
      frame.data = std::move(to.spare_.back());
      to.spare_.pop_back();
    }
  }
  if (!frame.data) frame.data = std::make_unique_for_overwrite<std::byte[]>(limits_.frame_bytes);
  std::memcpy(frame.data.get(), header.data(), header.size());
  detail::copy(payload,
               {.address = frame.data.get() + header.size(), .row_bytes = payload.bytes()});
  to.deliver(std::move(frame));
}

void inproc_world::door::deliver(parcel&& frame) {
  {
    const std::scoped_lock hold(mutex_);
    arrived_.push_back(std::move(frame));
    waiting_.fetch_add(1, std::memory_order_release);
  }
  waker_.wake();
}

void inproc_world::door::end(event_kind kind, int peer, std::uint64_t cookie,
                             std::exception_ptr error) {
  {
    const std::scoped_lock hold(mutex_);
    ended_.push_back({error ? event_kind::bulk_failed : kind, rank{peer}, {}, cookie, error});
    waiting_.fetch_add(1, std::memory_order_release);
  }
  waker_.wake();
}

/// Keeps the memory of both ends where it is. Made under the mutex of the board where they met, so
/// that who closes sees it, or has taken out its end before.
class inproc_world::door::moving {
 public:
  moving(door& one, door& other) noexcept : ends_{&one, &other} {
    for (door* const each : ends_) each->moving_.fetch_add(1, std::memory_order_relaxed);
  }
  moving(const moving&) = delete;
  moving& operator=(const moving&) = delete;
  ~moving() {
    for (door* const each : ends_) {
      if (each->moving_.fetch_sub(1, std::memory_order_release) == 1) each->moving_.notify_all();
    }
  }

 private:
  std::array<door*, 2> ends_;
};

void inproc_world::door::transfer(door& sender, door& receiver, const bulk_end& send,
                                  const bulk_end& receive) {
  const std::size_t sent = send.source.bytes(), room = receive.room.bytes();
  std::exception_ptr error;
  if (sent == room) {
    detail::copy(send.source, receive.room);
  } else {
    error = sizes_differ(send.peer, sent, room);
  }
  receiver.end(event_kind::bulk_received, send.peer, receive.cookie, error);
  sender.end(event_kind::bulk_sent, receiver.self(), send.cookie, error);
  sender.bulk_sends_.fetch_sub(1, std::memory_order_release);  // Its event is there already.
}

void inproc_world::door::receive_bulk(rank peer, std::uint32_t tag, memory_block room,
                                      std::uint64_t cookie) {
  door& from = *world_.doors[static_cast<std::size_t>(peer.value)];
  const bulk_end mine{peer.value, tag, room, {}, cookie};
  std::optional<bulk_end> other;
  std::optional<moving> both;
  {
    const std::scoped_lock hold(mutex_);
    other = board_.expect(mine);
    if (other) both.emplace(from, *this);
  }
  if (other) transfer(from, *this, *other, mine);
}

void inproc_world::door::send_bulk(rank peer, std::uint32_t tag, const_memory_block source,
                                   std::uint64_t cookie) {
  door& to = *world_.doors[static_cast<std::size_t>(peer.value)];
  const bulk_end mine{self(), tag, {}, source, cookie};
  bulk_sends_.fetch_add(1, std::memory_order_release);
  std::optional<bulk_end> other;
  std::optional<moving> both;
  {
    const std::scoped_lock hold(to.mutex_);
    other = to.board_.offer(mine);
    if (other) both.emplace(*this, to);
  }
  if (other) transfer(*this, to, mine, *other);
}

void inproc_world::door::cancel_bulk(std::uint64_t cookie) {
  const auto take_receive = [&] {
    const std::scoped_lock hold(mutex_);
    return board_.cancel_receive(cookie);
  };
  while (take_receive()) end(event_kind::bulk_failed, self(), cookie, cancelled());
  for (const auto& to : world_.doors) {
    const auto take_send = [&] {
      const std::scoped_lock hold(to->mutex_);
      return to->board_.cancel_send(cookie, self());
    };
    while (take_send()) {
      end(event_kind::bulk_failed, to->self(), cookie, cancelled());
      bulk_sends_.fetch_sub(1, std::memory_order_release);
    }
  }
}

void inproc_world::door::close(bool) noexcept {
  {
    const std::scoped_lock hold(mutex_);
    board_.forget_receives();
  }
  for (const auto& to : world_.doors) {
    const std::scoped_lock hold(to->mutex_);
    bulk_sends_.fetch_sub(to->board_.forget_sends(self()), std::memory_order_release);
  }
  for (int now = 0; (now = moving_.load(std::memory_order_acquire)) != 0;) moving_.wait(now);
}

std::size_t inproc_world::door::poll(std::span<event> events) {
  if (waiting_.load(std::memory_order_acquire) == 0 && shown_.empty()) return 0;
  const std::scoped_lock hold(mutex_);
  for (parcel& used : shown_) spare_.push_back(std::move(used.data));
  shown_.clear();
  std::size_t count = 0;
  while (count < events.size() && !ended_.empty()) {
    events[count++] = std::move(ended_.front());
    ended_.pop_front();
  }
  while (count < events.size() && !arrived_.empty()) {
    shown_.push_back(std::move(arrived_.front()));
    arrived_.pop_front();
    const parcel& frame = shown_.back();
    events[count++] = {
        event_kind::frame, rank{frame.from}, {frame.data.get(), frame.bytes}, 0, nullptr};
  }
  waiting_.fetch_sub(count, std::memory_order_release);
  return count;
}

inproc_world::inproc_world(int ranks, std::size_t frame_bytes) : state_(std::make_unique<state>()) {
  for (int r = 0; r < ranks; ++r) {
    const endpoint_limits limits{.ranks = ranks,
                                 .self = rank{r},
                                 .frame_bytes = frame_bytes,
                                 .wakes = true,
                                 .reads_emulated = true};
    state_->doors.push_back(std::make_unique<door>(*state_, limits));
  }
}

inproc_world::~inproc_world() = default;
int inproc_world::ranks() const noexcept { return static_cast<int>(state_->doors.size()); }
endpoint& inproc_world::at(rank r) { return *state_->doors[static_cast<std::size_t>(r.value)]; }

}  // namespace deed::transport
