// SPDX-License-Identifier: MIT
#include "worlds.hpp"

#include <deed/runtime/environment.hpp>
#include <deed/transport/inproc.hpp>
#include <deed/transport/sim.hpp>

#include "execute.hpp"

#include <chrono>
#include <deque>
#include <stdexcept>
#include <thread>

namespace oracle {
namespace {

using deed::transport::endpoint;

/// A door of a simulated rank that cuts large messages into chunks, and ends a run which does not
/// end by itself: ranks without work sleep in steps, so virtual time goes by although nothing
/// happens any more.
class watched_door final : public endpoint {
 public:
  watched_door(endpoint& inner, const deed::clock& time, std::size_t bulk)
      : inner_(inner), time_(time), limits_(inner.limits()) {
    limits_.bulk_bytes = bulk;
  }

  const deed::transport::endpoint_limits& limits() const noexcept override { return limits_; }
  void send_frame(deed::rank peer, std::span<const std::byte> header,
                  deed::const_memory_block payload) override {
    inner_.send_frame(peer, header, payload);
  }
  void receive_bulk(deed::rank peer, std::uint32_t tag, deed::memory_block room,
                    std::uint64_t cookie) override {
    inner_.receive_bulk(peer, tag, room, cookie);
  }
  void send_bulk(deed::rank peer, std::uint32_t tag, deed::const_memory_block source,
                 std::uint64_t cookie) override {
    inner_.send_bulk(peer, tag, source, cookie);
  }
  void cancel_bulk(std::uint64_t cookie) override { inner_.cancel_bulk(cookie); }
  std::size_t poll(std::span<deed::transport::event> events) override {
    return inner_.poll(events);
  }
  std::size_t pending() const noexcept override { return inner_.pending(); }
  std::uint64_t signals() const noexcept override { return inner_.signals(); }
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen) override {
    if (time_.now() > std::chrono::seconds(10))
      throw std::runtime_error("nothing happens any more");
    inner_.rest(at_most, seen);
  }
  void wake() noexcept override { inner_.wake(); }
  void close(bool orderly) noexcept override { inner_.close(orderly); }

 private:
  endpoint& inner_;
  const deed::clock& time_;
  deed::transport::endpoint_limits limits_;
};

std::string judge(const plan& program, const expectation& expected,
                  const std::deque<rank_log>& logs) {
  std::string wrong;
  for (std::size_t r = 0; r < logs.size(); ++r) {
    if (!logs[r].thrown.empty())
      wrong += "rank " + std::to_string(r) + " threw: " + logs[r].thrown + "\n";
  }
  for (std::size_t r = 0; r < logs.size(); ++r) {
    wrong += difference(static_cast<int>(r), program, expected, logs[r]);
  }
  return wrong;
}

using body_type = std::function<void(const deed::runtime::rank_environment&)>;

verdict in_simulation(const settings& how, const body_type& body) {
  deed::transport::sim_options options{.seed = how.seed, .frame_bytes = how.frame};
  options.order =
      how.by_time ? deed::transport::sim_order::by_time : deed::transport::sim_order::random;
  options.faults.delay_one_in = how.delay_one_in;
  options.faults.delay_up_to = std::chrono::microseconds(20);
  deed::transport::sim_world made(how.ranks, options);
  verdict result;
  try {
    made.run([&](deed::rank self, endpoint& inner) {
      watched_door door(inner, made.time(), how.bulk);
      body({.rank = self.value,
            .size = how.ranks,
            .door = &door,
            .time = &made.time(),
            .simulated = true,
            .seed = how.seed,
            .pass = [&made, self] { made.pass(self); }});
    });
  } catch (const std::exception& thrown) {
    result.wrong = std::string("the world ended with: ") + thrown.what() + "\n";
  }
  result.event_hash = made.event_hash();
  return result;
}

verdict on_threads(const settings& how, const body_type& body) {
  deed::transport::inproc_world made(how.ranks, how.frame);
  const deed::real_clock time;
  std::vector<std::jthread> ranks;
  for (int r = 0; r < how.ranks; ++r) {
    ranks.emplace_back([&, r] {
      body({.rank = r,
            .size = how.ranks,
            .door = &made.at(deed::rank{r}),
            .time = &time,
            .pass = {},
            .cores = 1,
            .by_data = how.seed / 64 % 2 == 0});
    });
  }
  ranks.clear();
  return {};
}

}  // namespace

verdict in_world(world where, const settings& how, const body_type& body) {
  return where == world::simulated ? in_simulation(how, body) : on_threads(how, body);
}

/// One in eight of those that say so lies: the trial at the start finds it out.
deed::gpu::emulated_network network_of(const settings& how) {
  if (!how.direct) return deed::gpu::emulated_network::none;
  return how.seed % 8 == 0 ? deed::gpu::emulated_network::lies : deed::gpu::emulated_network::reads;
}

deed::session_options options_of(const settings& how) {
  deed::session_options options{.workers = how.workers, .window = how.window, .cache = how.cache};
  if (how.budget != 0) options.cache_bytes = how.budget;
  options.devices.cuda = options.devices.hip = false;
  options.devices.emulated = {.devices = how.devices,
                              .memory_bytes = how.device_bytes,
                              .seed = how.seed,
                              .network = network_of(how),
                              .leftovers = nullptr};
  options.devices.check_order = how.devices > 0;
  // One program in 32 in verify mode, which has nothing to say of it: it is right.
  if (how.seed % 32 == 0) options.checks = {.global = true, .pages = true};
  // On threads, one in two runs what waits for nothing where it is inserted.
  if (how.seed / 32 % 2 == 0) options.defer = deed::deferral::off;
  return options;
}

void run_rank(const deed::runtime::rank_environment& environment, const plan& program,
              const expectation& expected, rank_log& log,
              const deed::trace::recorder_options& recording, const group_maker& make_group) {
  deed::session_options options = options_of(program.how);
  options.trace = recording;
  deed::gpu::emulated_leftovers left;
  options.devices.emulated.leftovers = &left;
  deed::session joined(environment, options);
  try {
    execute(joined, program, expected, log, make_group);
  } catch (const std::exception& thrown) {
    log.thrown = thrown.what();
  }
  try {
    joined.close();
  } catch (const std::exception& thrown) {
    if (log.thrown.empty()) log.thrown = thrown.what();
  }
  if (log.thrown.empty() && left != deed::gpu::emulated_leftovers{})
    log.thrown = "a device was not given back all that was taken of it";
}

verdict run(world where, const plan& program, const deed::trace::recorder_options& recording) {
  const expectation expected = predict(program);
  if (!expected.refused.empty()) return {.wrong = "no program: " + expected.refused + "\n"};
  std::deque<rank_log> logs(static_cast<std::size_t>(program.how.ranks));
  verdict result = in_world(where, program.how, [&](const auto& environment) {
    run_rank(environment, program, expected, logs[static_cast<std::size_t>(environment.rank)],
             recording);
  });
  result.wrong += judge(program, expected, logs);
  for (const rank_log& log : logs) {
    result.on_devices += log.counts.tasks_on_devices;
    result.sent_from_devices += log.counts.bytes_sent_from_devices;
    result.evictions += log.counts.device_evictions;
  }
  return result;
}

}  // namespace oracle
