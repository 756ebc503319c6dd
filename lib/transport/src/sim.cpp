// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/transport/sim.hpp>

#include "blocks.hpp"
#include "sim_scheduler.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace deed::transport {
namespace {

constexpr int patience = 64;  // Polls without an event and without a rest.

std::exception_ptr dropped(rank peer) {
  return std::make_exception_ptr(error(error_code::mpi_failed, "a message was lost",
                                       {{"to", "rank " + std::to_string(peer.value)}},
                                       "look at the fault plan"));
}

bool listed(const std::vector<std::uint64_t>& numbers, std::uint64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

}  // namespace

class sim_world::door final : public endpoint {
 public:
  door(scheduler& world, const endpoint_limits& limits) : world_(world), limits_(limits) {}

  [[nodiscard]] const endpoint_limits& limits() const noexcept override { return limits_; }
  void send_frame(rank peer, std::span<const std::byte> header,
                  const_memory_block payload) override;
  void receive_bulk(rank peer, std::uint32_t tag, memory_block room, std::uint64_t cookie) override;
  void send_bulk(rank peer, std::uint32_t tag, const_memory_block source,
                 std::uint64_t cookie) override;
  void cancel_bulk(std::uint64_t cookie) override;
  std::size_t poll(std::span<event> events) override;
  [[nodiscard]] std::size_t pending() const noexcept override { return me().bulk_sends; }
  [[nodiscard]] std::uint64_t signals() const noexcept override { return me().signals; }
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen) override {
    world_.rest(self(), at_most, seen);
  }
  void wake() noexcept override { world_.wake(self()); }
  void close(bool orderly) noexcept override;

 private:
  [[nodiscard]] int self() const noexcept { return limits_.self.value; }
  [[nodiscard]] sim_rank& me() const noexcept { return world_.at(self()); }
  void begin_copy(int to, const detail::bulk_end& send, const detail::bulk_end& receive);
  void give_up(int peer, std::uint64_t cookie);

  scheduler& world_;
  endpoint_limits limits_;
};

void sim_world::door::send_frame(rank peer, std::span<const std::byte> header,
                                 const_memory_block payload) {
  sim_rank& mine = me();
  if (mine.killed) return;
  const fault_plan& plan = world_.options.faults;
  for (const auto& [rank, after] : plan.kills) {
    if (rank == self() && mine.frames_sent >= after) return world_.kill(self());
  }
  ++mine.frames_sent;
  sim_event frame;
  frame.to = peer.value;
  frame.news = {event_kind::frame, rank{self()}, {}, 0, nullptr};
  frame.bytes.resize(header.size() + payload.bytes());
  std::memcpy(frame.bytes.data(), header.data(), header.size());
  detail::copy(payload,
               {.address = frame.bytes.data() + header.size(), .row_bytes = payload.bytes()});
  frame.time = world_.arrival_time(self(), peer.value, frame.bytes.size());
  if (plan.delay_one_in != 0 && world_.fault_draw.one_in(plan.delay_one_in)) {
    const auto most = static_cast<std::uint64_t>(plan.delay_up_to.count()) + 1;
    frame.time += static_cast<std::int64_t>(world_.fault_draw.below(most));
  }
  const std::uint64_t number = ++world_.frames;
  if (listed(plan.damaged_frames, number)) {
    const std::uint64_t bit = world_.fault_draw.below(8 * frame.bytes.size());
    frame.bytes[bit / 8] ^= std::byte(1u << bit % 8);
  }
  if (listed(plan.dropped_frames, number)) {
    frame.to = self();
    frame.what = sim_event::type::ended;
    frame.news = {event_kind::frame_failed, peer, {}, 0, dropped(peer)};
  }
  world_.note(9, frame.bytes.size());
  world_.post(std::move(frame));
}

void sim_world::door::receive_bulk(rank peer, std::uint32_t tag, memory_block room,
                                   std::uint64_t cookie) {
  if (me().killed) return;
  const detail::bulk_end mine{peer.value, tag, room, {}, cookie};
  if (world_.at(peer.value).killed) return give_up(peer.value, cookie);
  if (const auto send = me().board.expect(mine)) begin_copy(self(), *send, mine);
}

void sim_world::door::send_bulk(rank peer, std::uint32_t tag, const_memory_block source,
                                std::uint64_t cookie) {
  if (me().killed) return;
  const detail::bulk_end mine{self(), tag, {}, source, cookie};
  if (world_.at(peer.value).killed) return give_up(peer.value, cookie);
  ++me().bulk_sends;
  if (const auto receive = world_.at(peer.value).board.offer(mine)) {
    begin_copy(peer.value, mine, *receive);
  }
}

void sim_world::door::begin_copy(int to, const detail::bulk_end& send,
                                 const detail::bulk_end& receive) {
  sim_event copy;
  copy.what = sim_event::type::copy;
  copy.to = to;
  copy.send = send;
  copy.receive = receive;
  copy.time = world_.arrival_time(send.peer, to, send.source.bytes());
  world_.note(10, send.source.bytes());
  world_.post(std::move(copy));
}

void sim_world::door::give_up(int peer, std::uint64_t cookie) {
  sim_event news;
  news.what = sim_event::type::ended;
  news.to = self();
  news.news = {event_kind::bulk_failed, rank{peer}, {}, cookie, dropped(rank{peer})};
  world_.post(std::move(news));
}

void sim_world::door::cancel_bulk(std::uint64_t cookie) {
  while (me().board.cancel_receive(cookie)) give_up(self(), cookie);
  for (int r = 0; r < world_.size(); ++r) {
    while (world_.at(r).board.cancel_send(cookie, self())) {
      --me().bulk_sends;
      give_up(r, cookie);
    }
  }
}

void sim_world::door::close(bool) noexcept {
  me().closed = true;
  me().board.forget_receives();
  for (int r = 0; r < world_.size(); ++r) world_.at(r).board.forget_sends(self());
}

std::size_t sim_world::door::poll(std::span<event> events) {
  sim_rank& mine = me();
  if (mine.killed) throw rank_killed{};
  mine.shown.clear();
  std::size_t count = 0;
  while (count < events.size() && !mine.arrived.empty()) {
    sim_event next = std::move(mine.arrived.front());
    mine.arrived.pop_front();
    if (next.what == sim_event::type::frame) {
      mine.shown.push_back(std::move(next.bytes));
      next.news.frame = mine.shown.back();
    }
    events[count++] = std::move(next.news);
  }
  mine.fruitless_polls = count == 0 ? mine.fruitless_polls + 1 : 0;
  if (mine.fruitless_polls == patience) {  // A program that spins would keep the baton for ever.
    mine.fruitless_polls = 0;
    world_.spend(self(), std::chrono::microseconds{1});
  }
  return count;
}

sim_world::sim_world(int ranks, const sim_options& options)
    : scheduler_(std::make_unique<scheduler>(ranks, options)) {
  for (int r = 0; r < ranks; ++r) {
    const endpoint_limits limits{.ranks = ranks,
                                 .self = rank{r},
                                 .frame_bytes = options.frame_bytes,
                                 .wakes = true,
                                 .reads_emulated = true};
    scheduler_->at(r).end = std::make_unique<door>(*scheduler_, limits);
  }
}

sim_world::~sim_world() = default;

void sim_world::run(const std::function<void(rank, endpoint&)>& program) {
  scheduler_->run(program);
}
int sim_world::ranks() const noexcept { return scheduler_->size(); }
const clock& sim_world::time() const noexcept { return scheduler_->world_time; }
const clock& sim_world::time(rank r) const noexcept { return scheduler_->at(r.value).time; }
std::uint64_t sim_world::event_hash() const noexcept { return scheduler_->hash; }
void sim_world::pass(rank self) { scheduler_->pass(self.value); }
void sim_world::spend(rank self, std::chrono::nanoseconds time) {
  scheduler_->spend(self.value, time);
}
std::chrono::nanoseconds sim_world::spend_until_news(rank self, std::chrono::nanoseconds time) {
  return scheduler_->spend_until_news(self.value, time);
}
void sim_world::on_deadlock(std::function<void()> found) {
  scheduler_->deadlock_handler = std::move(found);
}

}  // namespace deed::transport
