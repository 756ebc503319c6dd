// SPDX-License-Identifier: MIT
#include "sim_scheduler.hpp"

#include <deed/base/error.hpp>

#include "blocks.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace deed::transport {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

error deadlock(int self, std::int64_t now) {
  return error(error_code::circular_wait, "every rank waits for another",
               {{"rank", std::to_string(self)},
                {"found", "nothing is on its way, at " + std::to_string(now) + " ns"}},
               "look for a receive without a send, or a task that was not inserted");
}

std::exception_ptr bulk_failed() {
  return std::make_exception_ptr(error(error_code::mpi_failed, "a bulk transfer failed",
                                       {{"cause", "the fault plan, or a rank that is lost"}},
                                       "look at the fault plan"));
}

/// As a thread has, while that many of them are no burden.
std::size_t stack_for(int ranks) {
  return std::size_t{1} << (ranks <= 64 ? 23 : ranks <= 4096 ? 20 : 18);
}

std::unique_ptr<sim_carrier> make_carrier(const sim_options& options, int ranks) {
  const std::size_t stack = options.stack_bytes != 0 ? options.stack_bytes : stack_for(ranks);
  std::unique_ptr<sim_carrier> made;
  if (options.carrier != sim_carriers::threads) made = make_fiber_carrier(stack);
  return made != nullptr ? std::move(made) : make_thread_carrier();
}

bool later(const sim_event& a, const sim_event& b) { return a.due() > b.due(); }

}  // namespace

sim_world::scheduler::scheduler(int ranks, const sim_options& given)
    : options(given), fault_draw(mix(given.seed, 2)), order_draw_(mix(given.seed, 1)) {
  for (int r = 0; r < ranks; ++r) ranks_.push_back(std::make_unique<sim_rank>(now_));
  for (const auto& [rank, ahead] : given.faults.skews) {
    if (rank < ranks) at(rank).time.ahead = ahead;
  }
}

void sim_world::scheduler::run(const std::function<void(rank, endpoint&)>& program) {
  carrier_ = make_carrier(options, size());
  for (int r = 0; r < size(); ++r) runnable_.push_back(r);
  carrier_->run(size(), take_runnable(), [&](int r) { rank_main(r, program); });
  const auto first_of = [&](bool with_deadlocks) {
    for (const auto& r : ranks_) {
      if (r->error && (with_deadlocks || !r->deadlocked)) std::rethrow_exception(r->error);
    }
  };
  first_of(false);
  first_of(true);
}

void sim_world::scheduler::rank_main(int self,
                                     const std::function<void(rank, endpoint&)>& program) {
  sim_rank& me = at(self);
  try {
    program(rank{self}, *me.end);
  } catch (const rank_killed&) {
  } catch (const error& thrown) {
    me.error = std::current_exception();
    me.deadlocked = dead_ && thrown.code() == error_code::circular_wait;
  } catch (...) {
    me.error = std::current_exception();
  }
  me.is = sim_rank::state::ended;
  note(1, static_cast<std::uint64_t>(self));
  carrier_->leave(self, ++ended_ == size() ? -1 : choose_after_end());
}

/// Nobody is above who could hear of lack of memory: every other rank does, at its next rest.
int sim_world::scheduler::choose_after_end() noexcept {
  try {
    return choose();
  } catch (...) {
    why_dead_ = std::current_exception();
    dead_ = true;
    for (int r = 0; r < size(); ++r) make_runnable(r);
    return take_runnable();
  }
}

void sim_world::scheduler::give_way(int self) {
  const int next = choose();
  if (next != self) carrier_->hand_over(self, next);
}

int sim_world::scheduler::choose() {
  for (;;) {
    if (options.order == sim_order::random) {
      while (!on_its_way_.empty() && order_draw_.one_in(2)) deliver_next();
    } else {
      while (!on_its_way_.empty() && on_its_way_.front().time <= now_) deliver_next();
    }
    if (!runnable_.empty()) {
      const int next = take_runnable();
      if (!stalled(next)) return next;
    } else if (!deliver_next() && !fire_timer()) {
      stop();
    }
  }
}

int sim_world::scheduler::take_runnable() {
  const auto i = static_cast<std::size_t>(order_draw_.below(runnable_.size()));
  const int next = runnable_[i];
  runnable_[i] = runnable_.back();
  runnable_.pop_back();
  at(next).is = sim_rank::state::running;
  note(2, static_cast<std::uint64_t>(next));
  return next;
}

/// A rank that the plan holds back waits on a timer instead.
bool sim_world::scheduler::stalled(int r) {
  for (const auto& [rank, from, lasts] : options.faults.stalls) {
    const std::int64_t end = (from + lasts).count();
    if (rank != r || now_ < from.count() || now_ >= end) continue;
    at(r).is = sim_rank::state::resting;
    at(r).deadline = end;
    timers_.insert({end, r});
    return true;
  }
  return false;
}

bool sim_world::scheduler::deliver_next() {
  if (on_its_way_.empty()) return false;
  if (options.order == sim_order::by_time) {
    // A timer that is due earlier goes first, if nobody can run.
    if (runnable_.empty() && !timers_.empty() &&
        timers_.begin()->first < on_its_way_.front().time) {
      return false;
    }
    std::ranges::pop_heap(on_its_way_, later);
  } else {
    std::swap(on_its_way_[order_draw_.below(on_its_way_.size())], on_its_way_.back());
  }
  sim_event next = std::move(on_its_way_.back());
  on_its_way_.pop_back();
  now_ = std::max(now_, next.time);
  deliver(std::move(next));
  return true;
}

bool sim_world::scheduler::fire_timer() {
  if (timers_.empty()) return false;
  const auto [when, r] = *timers_.begin();
  now_ = std::max(now_, when);
  note(3, static_cast<std::uint64_t>(r));
  make_runnable(r);
  return true;
}

/// Nobody can run and nothing will come.
void sim_world::scheduler::stop() {
  if (deadlock_handler && !std::exchange(handler_ran_, true)) {
    deadlock_handler();
    if (!runnable_.empty()) return;
  }
  dead_ = true;
  for (int r = 0; r < size(); ++r) make_runnable(r);
}

void sim_world::scheduler::deliver(sim_event&& what) {
  note(4 + static_cast<std::uint64_t>(what.what), what.number);
  sim_rank& to = at(what.to);
  if (what.what == sim_event::type::copy) return carry_out(std::move(what));
  if (what.what == sim_event::type::resume) return make_runnable(what.to);
  const int target = what.to;
  to.arrived.push_back(std::move(what));
  wake(target);
}

void sim_world::scheduler::carry_out(sim_event&& copy) {
  const int from = copy.send.peer, to = copy.to;
  const bool killed = at(from).killed || at(to).killed;
  if (!killed && (at(from).closed || at(to).closed)) {  // It failed, and says so itself.
    --at(from).bulk_sends;
    return;
  }
  const auto& plan = options.faults.failed_bulk;
  const bool fails = killed || copy.send.source.bytes() != copy.receive.room.bytes() ||
                     std::ranges::find(plan, ++bulks) != plan.end();
  if (!fails) detail::copy(copy.send.source, copy.receive.room);
  const auto error = fails ? bulk_failed() : nullptr;
  const auto tell = [&](int whom, event_kind kind, int peer, std::uint64_t cookie,
                        std::int64_t when) {
    sim_event news;
    news.what = sim_event::type::ended;
    news.time = when;
    news.to = whom;
    news.news = {fails ? event_kind::bulk_failed : kind, rank{peer}, {}, cookie, error};
    post(std::move(news));
  };
  --at(from).bulk_sends;
  tell(from, event_kind::bulk_sent, to, copy.send.cookie, now_);
  tell(to, event_kind::bulk_received, from, copy.receive.cookie,
       now_ + options.network.latency.count());
}

void sim_world::scheduler::post(sim_event what) {
  what.number = ++next_number_;
  on_its_way_.push_back(std::move(what));
  if (options.order == sim_order::by_time) std::ranges::push_heap(on_its_way_, later);
}

std::int64_t sim_world::scheduler::arrival_time(int from, int to, std::size_t bytes) {
  const network_cost& cost = options.network;
  const std::int64_t per_bytes =
      static_cast<std::int64_t>(bytes * cost.picoseconds_per_byte / 1000);
  sim_rank& sender = at(from);
  const std::int64_t start = std::max(now_, sender.free_at);
  sender.free_at = start + std::max(cost.gap.count(), per_bytes);
  const bool inside = from / cost.ranks_per_node == to / cost.ranks_per_node;
  const auto latency = inside ? cost.latency_inside : cost.latency;
  return start + 2 * cost.overhead.count() + latency.count() + per_bytes;
}

void sim_world::scheduler::rest(int self, std::chrono::nanoseconds at_most, std::uint64_t seen) {
  sim_rank& me = at(self);
  if (me.killed) throw rank_killed{};
  if (dead_) throw_end(self);
  me.fruitless_polls = 0;
  if (me.signals != seen) return;
  me.is = sim_rank::state::resting;
  me.deadline = at_most.count() > never - now_ ? never : now_ + at_most.count();
  if (me.deadline != never) timers_.insert({me.deadline, self});
  give_way(self);
  if (dead_ && me.signals == seen) throw_end(self);
}

void sim_world::scheduler::throw_end(int self) const {
  if (why_dead_ != nullptr) std::rethrow_exception(why_dead_);
  throw deadlock(self, now_);
}

void sim_world::scheduler::pass(int self) {
  at(self).is = sim_rank::state::runnable;
  runnable_.push_back(self);
  give_way(self);
}

void sim_world::scheduler::spend(int self, std::chrono::nanoseconds time) {
  while (time.count() > 0) time = spend_until_news(self, time);
}

std::chrono::nanoseconds sim_world::scheduler::spend_until_news(int self,
                                                                std::chrono::nanoseconds time) {
  const std::int64_t until = now_ + time.count();
  at(self).is = sim_rank::state::resting;
  at(self).deadline = until;
  timers_.insert({until, self});
  give_way(self);
  return std::chrono::nanoseconds{until - now_};
}

void sim_world::scheduler::wake(int to) {
  ++at(to).signals;
  make_runnable(to);
}

void sim_world::scheduler::make_runnable(int r) {
  sim_rank& it = at(r);
  if (it.is != sim_rank::state::resting) return;
  timers_.erase({it.deadline, r});
  it.is = sim_rank::state::runnable;
  runnable_.push_back(r);
}

void sim_world::scheduler::note(std::uint64_t a, std::uint64_t b) {
  hash = mix(mix(hash, a + 16 * b), static_cast<std::uint64_t>(now_));
}

/// The rank is gone: its peers hear of it, and its memory is not touched any more. Its program ends
/// at its next `poll` or `rest`; not here, where it may be inside a function that must not throw.
void sim_world::scheduler::kill(int self) {
  at(self).killed = true;
  for (int r = 0; r < size(); ++r) {
    if (r == self) continue;
    sim_event news;
    news.what = sim_event::type::ended;
    news.time = now_ + options.network.latency.count();
    news.to = r;
    news.news = {event_kind::peer_lost, rank{self}, {}, 0, nullptr};
    post(std::move(news));
  }
}

}  // namespace deed::transport
