// SPDX-License-Identifier: MIT
#include "worker_choice.hpp"

#include <algorithm>
#include <utility>

namespace deed::runtime {
namespace {

constexpr std::uint32_t samples_wanted = 2;  // Of each kind of worker, before costs decide.
constexpr std::uint64_t copies_enough = 64;
constexpr int enough_waiting = 16;  // On a device: it is busy for a while.

std::uint64_t bytes_of(const choice_question& task) noexcept {
  std::uint64_t sum = 0;
  for (const choice_operand& each : task.operands) sum += each.bytes;
  return sum;
}

/// None for the last of 64 devices: what it has counts as nowhere.
constexpr std::uint64_t bit_of(int worker) noexcept {
  return worker >= 63 ? 0 : std::uint64_t{1} << static_cast<unsigned>(worker + 1);
}

}  // namespace

worker_choice::worker_choice(const clock& time, int processors, std::vector<std::string> kinds)
    : time_(time), processors_(static_cast<std::size_t>(std::max(1, processors))) {
  for (std::string& kind : kinds)
    devices_.push_back({kind, "to " + kind, "from " + kind, {}, {}, {}, {}, 0});
}

std::string worker_choice::remember(std::string path) {
  const std::lock_guard lock(mutex_);
  path_ = std::move(path);
  if (path_.empty()) return {};
  const std::string wrong = history_.read(path_, machine_name());
  return wrong.empty() ? wrong : "the history of costs in " + path_ + " " + wrong + ": ignored";
}

bool worker_choice::save(int writer) const {
  const std::lock_guard lock(mutex_);
  return path_.empty() || history_.write(path_, machine_name(), writer);
}

std::string_view worker_choice::kind_of(int worker) const {
  return worker < 0 ? std::string_view("cpu") : devices_[static_cast<std::size_t>(worker)].kind;
}

measured_time& worker_choice::measured(const choice_question& task, int worker) {
  return history_.task(kind_of(worker), task.codelet, bytes_of(task));
}

int worker_choice::least_open(std::span<const int> devices) const {
  return *std::ranges::min_element(
      devices, {}, [&](int device) { return devices_[static_cast<std::size_t>(device)].open; });
}

/// When what a task reads is there, if it is sent for now; and what the links are busy with then.
worker_choice::arrival worker_choice::arrives(const choice_question& task, int worker,
                                              nanoseconds now) {
  arrival found{.at = now, .to_host = now, .to_device = {}};
  if (worker >= 0) found.to_device = std::max(now, of(worker).to_free_at);
  for (const choice_operand& each : task.operands) {
    if (!each.reads) continue;
    const planned_value plan = each.plan != nullptr ? *each.plan : planned_value{};
    nanoseconds there = std::max(now, plan.ready_at);
    if ((plan.valid & bit_of(worker)) == 0) {
      if ((plan.valid & bit_of(-1)) == 0) {
        const auto source = std::ranges::find_if(devices_, [&](const device_table& device) {
          return (plan.valid & bit_of(static_cast<int>(&device - devices_.data()))) != 0;
        });
        if (source != devices_.end()) {
          const nanoseconds way = history_.link(source->link_from).expected(each.bytes);
          there = std::max({there, found.to_host, source->from_free_at}) + way;
          found.moving += way;
          found.to_host = there;
        }
      }
      if (worker >= 0) {
        const nanoseconds way = history_.link(of(worker).link_to).expected(each.bytes);
        there = std::max(there, found.to_device) + way;
        found.moving += way;
        found.to_device = there;
      }
    }
    found.at = std::max(found.at, there);
  }
  return found;
}

worker_choice::decision worker_choice::try_out(const choice_question& task, int worker) {
  const nanoseconds now = time_.now();
  const nanoseconds there = arrives(task, worker, now).at;
  return {worker, worker < 0 ? there : std::max(there, of(worker).free_at), {}};
}

worker_choice::decision worker_choice::choose(const choice_question& task) {
  const std::lock_guard lock(mutex_);
  const nanoseconds now = time_.now();
  if (open_here_ == 0) std::ranges::fill(processors_, now);
  std::vector<int> workers(task.devices.begin(), task.devices.end());
  if (task.here_too) workers.push_back(-1);
  if (workers.size() == 1) return try_out(task, workers.front());

  const auto seen = [&](int worker) {
    const measured_time& known = measured(task, worker);
    return known.samples + known.promised;
  };
  const int untried = *std::ranges::min_element(workers, {}, [&](int worker) {
    return std::pair(seen(worker), worker < 0 ? 0 : of(worker).open);
  });
  if (seen(untried) < samples_wanted) return try_out(task, untried);

  decision best{.worker = -1, .finish = nanoseconds::max(), .moving = {}};
  for (const int worker : workers) {
    const measured_time& known = measured(task, worker);
    if (known.samples == 0) continue;
    const nanoseconds free =
        worker < 0 ? *std::ranges::min_element(processors_) : of(worker).free_at;
    const arrival data = arrives(task, worker, now);
    const nanoseconds finish =
        std::max(free, data.at) + nanoseconds(static_cast<std::int64_t>(known.mean_ns));
    // What is moved keeps links busy that others need, also while this task waits anyway.
    if (best.finish != nanoseconds::max() && finish + data.moving >= best.finish + best.moving)
      continue;
    best = {worker, finish, data.moving};
  }
  if (best.finish != nanoseconds::max()) return best;
  // Tried, and nothing came back yet.
  if (task.devices.empty()) return try_out(task, -1);
  const int device = least_open(task.devices);
  return try_out(task, task.here_too && of(device).open >= enough_waiting ? -1 : device);
}

void worker_choice::commit(const choice_question& task, const decision& taken) {
  const std::lock_guard lock(mutex_);
  const arrival when = arrives(task, taken.worker, time_.now());
  measured_time& known = measured(task, taken.worker);
  ++known.promised;
  open_.insert_or_assign(task.number, under_way{&known, taken.worker});
  if (taken.worker < 0) {
    ++open_here_;
    *std::ranges::min_element(processors_) = taken.finish;
  } else {
    device_table& device = of(taken.worker);
    ++device.open;
    device.free_at = taken.finish;
    device.to_free_at = std::max(device.to_free_at, when.to_device);
  }
  for (const choice_operand& each : task.operands) {
    if (each.plan == nullptr) continue;
    planned_value& plan = *each.plan;
    if (each.reads && (plan.valid & (bit_of(-1) | bit_of(taken.worker))) == 0) {
      for (device_table& device : devices_) {
        if ((plan.valid & bit_of(static_cast<int>(&device - devices_.data()))) == 0) continue;
        device.from_free_at = std::max(device.from_free_at, when.to_host);
        break;
      }
      plan.valid |= bit_of(-1);  // Its way leads through the host.
    }
    if (each.writes) {
      plan = {.valid = bit_of(taken.worker), .ready_at = taken.finish};
    } else {
      plan.valid |= bit_of(taken.worker);
    }
  }
}

void worker_choice::close(std::uint64_t task) {
  const auto known = open_.find(task);
  if (known == open_.end()) return;
  const auto [measured, worker] = known->second;
  open_.erase(known);
  --measured->promised;
  if (worker < 0) {
    --open_here_;
  } else if (device_table& device = of(worker); --device.open == 0) {
    device.free_at = std::min(device.free_at, time_.now());  // Estimates were too long.
  }
}

void worker_choice::ran_here(std::uint64_t task, std::chrono::nanoseconds took) {
  const std::lock_guard lock(mutex_);
  const auto known = open_.find(task);
  if (known == open_.end()) return;
  if (took > nanoseconds(0)) known->second.measured->add(took);
  close(task);
}

void worker_choice::ended(std::uint64_t task) {
  const std::lock_guard lock(mutex_);
  close(task);
}

void worker_choice::used_by_host(planned_value& plan, bool writes) {
  const std::lock_guard lock(mutex_);
  if (writes) {
    plan = {.valid = bit_of(-1), .ready_at = time_.now()};
  } else {
    plan.valid |= bit_of(-1);
  }
}

bool worker_choice::wants_copies() noexcept {
  const std::lock_guard lock(mutex_);
  const std::uint64_t before = copies_++;
  return before < copies_enough || before % copies_enough == 0;
}

void worker_choice::ran(const gpu::task_seen& what) noexcept {
  const std::lock_guard lock(mutex_);
  device_table& device = of(what.device.value);
  // Tasks of several streams take turns: one's time begins where that of the last one ended.
  const nanoseconds begin = std::max(what.when.begin, device.last_end);
  device.last_end = std::max(device.last_end, what.when.end);
  const auto known = open_.find(what.number);
  if (known != open_.end() && begin < what.when.end)
    known->second.measured->add(what.when.end - begin);
}

void worker_choice::copied(const gpu::copy_seen& what) noexcept {
  const std::lock_guard lock(mutex_);
  if (what.from >= 0 && what.to >= 0) return;  // Between devices: by peer access.
  const device_table& device = of(std::max(what.from, what.to));
  history_.link(what.from < 0 ? device.link_to : device.link_from)
      .add(what.bytes, what.when.length());
}

}  // namespace deed::runtime
