// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "faults.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace deed::transport {
namespace {

using hold = std::unique_lock<detail::progress_lock>;

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Counts who is between here and the end of the scope.
class counted_in {
 public:
  explicit counted_in(std::atomic<int>& count) noexcept : count_(count) {
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  ~counted_in() { count_.fetch_sub(1, std::memory_order_relaxed); }
  counted_in(const counted_in&) = delete;
  counted_in& operator=(const counted_in&) = delete;

 private:
  std::atomic<int>& count_;
};

int credits_for(const engine_options& options, int ranks) {
  return options.credits > 0 ? options.credits : std::max(1, std::min(32, 4096 / ranks));
}

engine_options fitting(engine_options options, const endpoint_limits& limits) {
  options.eager_bytes = std::min(options.eager_bytes, limits.frame_bytes);
  while ((std::uint64_t{1} << options.chunk_log2) > limits.bulk_bytes) --options.chunk_log2;
  // What fits one frame fits one chunk: with or without credit, it counts as one data frame.
  while ((std::uint64_t{1} << options.chunk_log2) < options.eager_bytes) ++options.chunk_log2;
  return options;
}

}  // namespace

engine::core::core(endpoint& end, const engine_options& options, const clock& clock)
    : door(end),
      time(clock),
      limits(end.limits()),
      options_(fitting(options, limits)),
      peers_(end, credits_for(options, limits.ranks)),
      collectives_(peers_, calls_, limits.self.value, limits.ranks),
      quiescence_(peers_, limits.self.value, limits.ranks, options.idle_before_probe),
      next_look_(never) {}

void engine::core::submit(state& operation) {
  if (is_gone()) return;
  if (operation.sending != nullptr && operation.sending->more) return submitted_.push(operation);
  // Where arrivals do not wake, a sleeper shall look for the answer sooner. If he is missed here,
  // he sleeps one step longer; so this needs no order, and costs nothing while nobody rests.
  const bool anybody = limits.wakes || resting_.load(std::memory_order_relaxed) > 0;
  bool signal = !limits.wakes;
  if (const hold here(lock_, std::try_to_lock); here) {
    if (is_gone()) return;  // It ended meanwhile.
    drain();
    start(operation);
    signal = signal || !done_.empty();
    in_flight_.store(door.pending(), std::memory_order_relaxed);
  } else {
    submitted_.push(operation);
    signal = true;  // The holder may be past its drain.
  }
  happened_.store(true, std::memory_order_relaxed);
  if (signal && anybody) door.wake();
}

bool engine::core::cancel(receive_operation& operation) {
  const hold here(lock_);
  if (is_gone()) return true;
  drain();
  const transfer& what = operation.what;
  detail::lane& there = lanes_.at(what.kind, operation.peer.value, what.tag);
  const bool taken =
      there.expected.take([&](const state& at) { return &at == &operation.state; }) != nullptr;
  lanes_.tidy(there);
  return taken;
}

bool engine::core::progress() { return take_turns(true); }

bool engine::core::flush() { return take_turns(false); }

bool engine::core::take_turns(bool looks) {
  detail::operation_list done;
  bool happened = turns_.take(
      looks,
      [&](bool looks_now) {
        const bool moved = turn(looks_now);
        done = std::exchange(done_, {});
        return moved;
      },
      [&] { return complete(std::move(done)); },
      [&] {
        if (!submitted_.empty()) door.wake();  // The holder may be past its drain.
      });
  happened |= calls_.run();
  if (happened) happened_.store(true, std::memory_order_relaxed);
  return happened;
}

bool engine::core::turn(bool looks) {
  if (is_gone()) return false;
  bool happened = !submitted_.empty();
  drain();
  if (looks) {
    happened |= poll();
    happened |= grow();
    look_at_quiescence();
  }
  in_flight_.store(door.pending(), std::memory_order_relaxed);
  return happened;
}

void engine::core::drain() {
  if (submitted_.empty()) return;
  open_.drains();
  state* at = submitted_.take();
  if (at != nullptr && at->next != nullptr) peers_.pack();  // Of one alone nothing is to be packed.
  while (at != nullptr) {
    state* const next = at->next;
    start(*at);
    at = next;
  }
  peers_.send_packed();
  open_.drained();
}

void engine::core::start(state& operation) {
  operation.sending != nullptr ? start_send(operation) : start_receive(operation);
}

bool engine::core::poll() {
  const std::size_t count = door.poll(events_);
  for (std::size_t i = 0; i < count; ++i) handle(events_[i]);
  return count > 0;
}

void engine::core::handle(const event& what) {
  // A cookie is the address of the operation's state.
  auto* const operation = reinterpret_cast<state*>(what.cookie);
  switch (what.kind) {
    case event_kind::frame:
      message_arrived(what.peer.value, what.frame);
      break;
    case event_kind::bulk_sent:
    case event_kind::bulk_received:
    case event_kind::bulk_failed:
      operation->sending != nullptr ? bulk_send_ended(*operation, what.error)
                                    : bulk_receive_ended(*operation, what.error);
      break;
    case event_kind::frame_failed:
      fault(what.peer.value, what.error);
      break;
    case event_kind::peer_lost:
      peer_lost(what.peer.value);
      break;
  }
}

void engine::core::look_at_quiescence() {
  std::int64_t next = never;
  if (quiescence_handler && !closing_) {
    const bool idle = idle_inside();
    // Who is not idle need not know the time, which costs as much as all the rest here.
    const auto now = idle ? time.now() : std::chrono::nanoseconds(0);
    if (quiescence_.turn(idle, now)) calls_.push(quiescence_handler);
    if (const auto look = quiescence_.next_look()) next = look->count();
  }
  next_look_.store(next, std::memory_order_relaxed);
}

/// Frames under way do not count: the proof compares their numbers, and sends some itself.
/// Nor do sends that their receivers have not matched: they wait, as a receive does.
bool engine::core::idle_inside() const noexcept {
  if (!idle_.load(std::memory_order_acquire)) return false;
  if (nothing_open()) return true;
  return open_.is(unmatched_sends_, submitted_, calls_);
}

void engine::core::finish(state& operation) { done_.push_back(operation); }

void engine::core::fail(state& operation, std::exception_ptr error) {
  operation.error = std::move(error);
  finish(operation);
}

void engine::core::fault(int peer, std::exception_ptr error) {
  calls_.push([this, peer, error = std::move(error)] {
    if (fault_handler) fault_handler(rank{peer}, error);
  });
}

bool engine::core::complete(detail::operation_list done) {
  std::int64_t count = 0;
  while (state* const at = done.pop_front()) {
    const outcome how{std::move(at->error), at->bytes, rank{at->source}};
    at->error = nullptr;
    if (at->sending != nullptr) {
      at->sending->completed(*at->sending, how);
    } else {
      at->receiving->completed(*at->receiving, how);
    }
    ++count;
  }
  // Only now may `quiet` say yes.
  if (count > 0) open_.completed(count);
  return count > 0;
}

bool engine::core::nothing_open() const noexcept { return open_.is(0, submitted_, calls_); }

bool engine::core::quiet() const noexcept {
  return nothing_open() && in_flight_.load(std::memory_order_relaxed) == 0;
}

bool engine::core::looks_again() {
  if (limits.wakes) return false;
  if (happened_.load(std::memory_order_relaxed)) {
    happened_.store(false, std::memory_order_relaxed);
    calm_looks_.store(0, std::memory_order_relaxed);
    calm_since_.store(never, std::memory_order_relaxed);
    return true;
  }
  // A look at the clock takes half as long as one at the network, while the next message may come.
  constexpr int without_clock = 32;
  const std::int64_t since = calm_since_.load(std::memory_order_relaxed);
  if (since == never) {
    const int looks = calm_looks_.load(std::memory_order_relaxed) + 1;
    calm_looks_.store(looks, std::memory_order_relaxed);
    if (looks >= without_clock) calm_since_.store(time.now().count(), std::memory_order_relaxed);
    return true;
  }
  const bool transfers = in_flight_.load(std::memory_order_relaxed) > 0;
  const auto enough = transfers ? options_.looks_for_transfers : options_.looks_for;
  return time.now().count() - since < enough.count();
}

std::chrono::nanoseconds engine::core::sleep_step() const {
  const std::chrono::nanoseconds calm{time.now().count() -
                                      calm_since_.load(std::memory_order_relaxed)};
  return std::clamp(calm / 10, options_.shortest_sleep, options_.longest_sleep);
}

void engine::core::rest(std::chrono::nanoseconds at_most, std::uint64_t seen) {
  if (!submitted_.empty() || !calls_.empty()) return;
  if (looks_again()) return;
  if (!limits.wakes) at_most = std::min(at_most, sleep_step());
  const std::int64_t look = next_look_.load(std::memory_order_relaxed);
  if (look != never) {
    at_most = std::min(at_most, std::chrono::nanoseconds{look} - time.now());
  }
  if (at_most.count() <= 0) return;
  const counted_in here(resting_);
  door.rest(at_most, seen);
}

void engine::core::close() {
  bool orderly = true;
  {
    const hold here(lock_);
    closing_ = true;
    quiescence_.disarm();
    orderly = !peers_.any_lost();
  }
  settle(orderly);
  fail_left_over();
  const hold here(lock_);
  gone_.store(true, std::memory_order_release);
  door.close(orderly);
}

void engine::core::abandon() noexcept {
  const hold here(lock_);
  if (gone_.exchange(true, std::memory_order_acq_rel)) return;
  closing_ = true;
  quiescence_.disarm();
  door.close(false);
}

/// Turns until all ranks are here and what they sent has arrived.
void engine::core::settle(bool& orderly) {
  struct sums {
    std::uint64_t sent = 0, received = 0, busy = 0;
    bool there = false;
  };
  const auto turn_once = [&] {
    const std::uint64_t seen = door.signals();
    if (!progress()) return rest(std::chrono::nanoseconds::max(), seen);
    const hold here(lock_);
    orderly = !peers_.any_lost();
  };
  for (auto now = std::make_shared<sums>(); orderly; now = std::make_shared<sums>()) {
    while (orderly && door.pending() > 0) turn_once();
    all_reduce(still_open(), reduce_with::sum, [now](std::span<const std::uint64_t> all) {
      *now = {all[0], all[1], all[2], true};
    });
    while (orderly && !now->there) turn_once();
    if (now->there && now->sent == now->received && now->busy == 0) break;
  }
  while (orderly && door.pending() > 0) turn_once();
}

/// Frames sent and received but for collectives, and large transfers under way.
std::array<std::uint64_t, 3> engine::core::still_open() {
  const hold here(lock_);
  drain();
  return {peers_.frames_sent, peers_.frames_received,
          static_cast<std::uint64_t>(streaming_) + filling_.size()};
}

void engine::core::fail_left_over() {
  hold here(lock_);
  std::vector<state*> alone;
  announced_.for_each([&](state& at) { alone.push_back(&at); });
  for (state* const at : alone) {
    forget_announced(*at);
    fail(*at, detail::never_received(at->sending->what, at->sending->peer));
  }
  lanes_.for_each([&](detail::lane& there) {
    for (detail::arrival* at = there.first; at != nullptr; at = at->next) {
      if (at->own == nullptr) continue;
      fail(at->own->state, detail::never_received(at->own->what, at->own->peer));
      at->own = nullptr;
      --unmatched_sends_;
    }
    while (state* const at = there.expected.pop_front()) {
      open_.opened();
      fail(*at, detail::never_matched(at->receiving->what, at->receiving->peer));
    }
  });
  detail::operation_list done = std::exchange(done_, {});
  here.unlock();
  complete(std::move(done));
  calls_.run();
}

}  // namespace deed::transport
