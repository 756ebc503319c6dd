// SPDX-License-Identifier: MIT
// What happens when a device is lost: its work fails, its data are poisoned, the rest goes on.
#include "driver/core.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace deed::gpu {
namespace {

constexpr std::size_t most_listed = 8;

/// "`relax` at heat.cpp:57".
std::string described(const request& task) {
  std::string text = "`" + task.name + "`";
  return task.where.line() == 0 ? text : text + " at " + deed::to_string(task.where);
}

/// Each line of the program once.
std::string listed(const std::vector<std::shared_ptr<request>>& tasks) {
  std::vector<std::string> lines;
  for (const auto& task : tasks) {
    std::string line = described(*task);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  std::string all;
  for (std::size_t i = 0; i < std::min(lines.size(), most_listed); ++i)
    all += (i == 0 ? "" : ", ") + lines[i];
  return lines.size() <= most_listed
             ? all
             : all + ", and " + std::to_string(lines.size() - most_listed) + " more";
}

}  // namespace

void driver::core::lose(device_node& device, const status& why) noexcept {
  if (device.failing) return;
  device.failing = true;
  device.why_lost = why;
  if (!is_sticky(why.kind)) device.why_lost.kind = error_kind::device_lost;
  current_device = -1;
}

void driver::core::relocate(const std::shared_ptr<request>& task, std::exception_ptr why) {
  const backend wanted = node(task->node).info.made_by;
  for (const auto& device : devices) {
    if (device->dead || device->failing || device->info.made_by != wanted) continue;
    task->node = device->node;
    task->at = request::stage::queued;
    task->asked_for_loads = false;
    const auto later =
        std::find_if(device->queue.begin(), device->queue.end(),
                     [&](const auto& other) { return other->number > task->number; });
    device->queue.insert(later, task);
    return;
  }
  if (task->on_host) {
    move_to_host(task);
  } else {
    fail(task, std::move(why));
  }
}

/// Nobody knows which of several kernels it was, unless each was waited for.
void driver::core::fail_what_ran(device_node& device) {
  auto lost = std::exchange(device.running, {});
  std::erase_if(lost, [&](const auto& task) {
    if (task->waited_for) finish(device, *task);
    return task->waited_for;
  });
  if (device.culprit == nullptr && lost.size() == 1) device.culprit = lost.front();
  const auto first = std::ranges::find(lost, device.culprit);
  if (first != lost.end()) std::rotate(lost.begin(), first, std::next(first));  // Is told first.
  std::exception_ptr shared;
  if (device.culprit == nullptr) {
    fault_site site = site_of(device, device.why_lost, nullptr, nullptr);
    site.one_of = listed(lost);
    shared = std::make_exception_ptr(gpu_error(device.why_lost, std::move(site)));
  }
  for (const auto& task : lost) {
    if (shared != nullptr) {
      task->result->error = shared;
    } else {
      fault_site site = site_of(device, device.why_lost, task.get(), nullptr);
      if (task != device.culprit) site.after = described(*device.culprit);
      task->result->error = std::make_exception_ptr(gpu_error(device.why_lost, std::move(site)));
    }
    task->result->done = true;
    ++counters.failed_tasks;
    tell_end(*task, task->result->error);
  }
  device.culprit = nullptr;
}

bool driver::core::clear_up(device_node& device) {
  if (!device.failing || device.dead) return false;
  device.dead = true;
  ++counters.devices_lost;
  device.events.all_complete();
  if (device.in) device.in->outstanding.clear();
  if (device.out) device.out->outstanding.clear();
  for (lane& one : device.compute) one.outstanding.clear();

  const auto error = error_of(device, device.why_lost, nullptr, nullptr);
  for (const auto& other : devices) {
    for (auto* list : {&other->to_device, &other->to_host}) {
      for (const auto& copy : *list) {
        if (!copy->over && (copy->from == device.node || copy->to == device.node))
          fail(*copy, error);
      }
      std::erase_if(*list, [](const auto& copy) { return copy->over; });
    }
  }
  fail_what_ran(device);
  for (datum_core* datum : std::exchange(device.residents, {})) {
    replica& here = datum->replicas[static_cast<std::size_t>(device.node)];
    const bool had_it = here.valid();
    here = replica{};
    if (!had_it || datum->valid_anywhere() || datum->poisoned()) continue;
    datum->writer = std::make_shared<ending>();
    datum->writer->done = true;
    datum->writer->error = error;
  }
  device.prefetched_bytes = 0;
  device.memory->forget_all();
  for (const auto& task : std::exchange(device.queue, {})) relocate(task, error);
  return true;
}

}  // namespace deed::gpu
