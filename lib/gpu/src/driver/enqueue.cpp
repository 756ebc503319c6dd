// SPDX-License-Identifier: MIT
#include <deed/gpu/launch.hpp>

#include "driver/core.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace deed::gpu {

namespace {

bool holds(const arena::block& block, const std::byte* address, std::size_t bytes) {
  return block && block.address <= address && address + bytes <= block.address + block.bytes;
}

std::string with_place(std::string text, place where) {
  return where.line() == 0 ? text : text + ", inserted at " + deed::to_string(where);
}

}  // namespace

detail::task_queue& driver::core::lend_right(device_node& device, lane& on, request& task) {
  const std::size_t slot = launches++ % most_rights;
  if (slot == rights.size()) rights.push_back(std::make_unique<detail::task_queue>(*this));
  rights[slot]->begin(device, on, task, launches);
  return *rights[slot];
}

void detail::task_queue::begin(device_node& device, lane& on, request& task, std::uint64_t launch) {
  device_ = &device;
  lane_ = &on;
  task_ = &task;
  used_ = false;
  launch_ = launch;
  name_ = task.name;
  where_ = task.where;
}

std::string detail::task_queue::described() const { return with_place("`" + name_ + "`", where_); }

void detail::task_queue::check_time() const {
  if (task_ != nullptr) return;
  throw error(error_code::enqueue_outlives_task,
              "right to enqueue of `" + name_ + "` outlives its task",
              {{"task", described()}, {"device", device_->info.name}}, "use it in the task only");
}

/// The launch that had a datum last, as long as it is known. 0: there was none.
const detail::task_queue* detail::task_queue::lent_last(std::uint64_t launch) const {
  if (launch == 0) return nullptr;
  const task_queue& last = *core_.rights[(launch - 1) % most_rights];
  return last.launch_ == launch ? &last : nullptr;
}

error detail::task_queue::escaped(const std::string& datum, place registered,
                                  std::uint64_t lent) const {
  const task_queue* const last = lent_last(lent);
  std::vector<error::fact> facts;
  if (last != nullptr) facts.push_back({"task", last->described()});
  facts.push_back({"used by", described() + ", which does not declare it"});
  if (registered.line() != 0) facts.push_back({"registered", deed::to_string(registered)});
  facts.push_back({"device", device_->info.name});
  return {error_code::view_escapes,
          "view of `" + datum + "` escapes " +
              (last != nullptr ? "task `" + last->name_ + "`" : "its task"),
          std::move(facts), "declare it in the task that uses it, or copy the values"};
}

/// Nothing lies there now. Who was there last counts: addresses come again.
error detail::task_queue::escaped_what_left(const std::byte* address) const {
  const auto& left = device_->left;
  for (std::size_t back = 1; back <= std::min<std::uint64_t>(left.size(), device_->departures);
       ++back) {
    const departed& each = left[(device_->departures - back) % left.size()];
    if (holds(each.block, address, 1)) return escaped(each.name, each.where, each.lent);
  }
  return {error_code::view_escapes,
          "view of a datum that has left the device escapes its task",
          {{"used by", described()}, {"device", device_->info.name}},
          "declare it in the task that uses it, or copy the values"};
}

void detail::task_queue::check_lent(const std::byte* address, std::size_t bytes) const {
  if (bytes == 0) return;
  const auto here = static_cast<std::size_t>(device_->node);
  for (const auto& use : task_->uses) {
    if (holds(use.datum->replicas[here].block, address, bytes)) return;
  }
  for (const datum_core* const other : device_->residents) {
    const replica& lies = other->replicas[here];
    if (holds(lies.block, address, 1)) throw escaped(other->name, other->where, lies.lent);
  }
  if (!device_->memory->owns(address)) return;  // The body's own: a vendor's runtime gave it.
  throw escaped_what_left(address);
}

void detail::task_queue::check_lent(const memory_block& memory) const {
  if (memory.space == memory_space::device) check_lent(memory.address, memory.bytes());
}

void detail::task_queue::check(const status& outcome) const {
  if (outcome.ok()) return;
  std::rethrow_exception(core_.error_of(*device_, outcome, task_, nullptr));
}

/// Who wants to know is told of each view when the kernel has ended.
void detail::task_queue::tell_views(emulated_kernel& kernel) const {
  if (!core_.options.view_ended) return;
  std::vector<ended_view> views;
  for (const touched& part : kernel.memory) {
    ended_view& view = views.emplace_back();
    view.task = name_;
    view.number = task_->of_caller;
    view.inserted = where_;
    view.device = device_->info.name;
    for (const auto& use : task_->uses) {
      const replica& here = use.datum->replicas[static_cast<std::size_t>(device_->node)];
      if (!holds(here.block, part.address, part.bytes)) continue;
      view.handle = use.datum->name;
      view.registered = use.datum->where;
    }
  }
  kernel.ended = [tell = core_.options.view_ended, views = std::move(views)](
                     std::size_t part, std::span<const std::byte> pages) mutable {
    views[part].pages = pages;
    tell(views[part]);
  };
}

device_id enqueue::device() const {
  queue_->check_time();
  return queue_->device_->info.id;
}
backend enqueue::made_by() const {
  queue_->check_time();
  return queue_->device_->info.made_by;
}
stream_ref enqueue::stream() const {
  queue_->check_time();
  return {queue_->lane_->ref.native(), queue_->device_->info.id};
}

void* enqueue::native() const {
  queue_->check_time();
  queue_->used_ = true;  // From here on, nobody can tell.
  return queue_->lane_->ref.native();
}

void enqueue::check_lent(const void* address, std::size_t bytes) const {
  queue_->check_time();
  queue_->check_lent(static_cast<const std::byte*>(address), bytes);
}

void enqueue::join_native(void* event) {
  queue_->check_time();
  queue_->check(queue_->device_->api->wait(queue_->lane_->ref,
                                           event_ref(event, queue_->lane_->ref.device())));
}

void enqueue::emulate(std::vector<touched> memory,
                      std::function<void(std::span<std::byte* const>)> run,
                      std::chrono::nanoseconds takes) {
  queue_->check_time();
  for (const touched& part : memory) queue_->check_lent(part.address, part.bytes);
  auto error = std::make_shared<std::exception_ptr>();
  auto guarded = [error, run = std::move(run)](std::span<std::byte* const> addresses) {
    try {
      run(addresses);
    } catch (...) {
      *error = std::current_exception();  // Read when the task's event is seen.
    }
  };
  emulated_kernel kernel{std::move(memory), std::move(guarded), takes, {}};
  queue_->tell_views(kernel);
  queue_->check(queue_->device_->api->launch(queue_->lane_->ref, std::move(kernel)));
  queue_->used_ = true;
  queue_->task_->kernel_error = std::move(error);
}

void enqueue::copy_bytes(const_memory_block source, memory_block destination) {
  queue_->check_time();
  if (source.bytes() != destination.bytes()) {
    throw error(error_code::sizes_differ,
                "a copy of " + std::to_string(source.bytes()) + " bytes into " +
                    std::to_string(destination.bytes()),
                {{"task", "`" + queue_->task_->name + "`"}}, "copy equal numbers of elements");
  }
  const memory_block from{const_cast<std::byte*>(source.address), source.bytes(), 1, source.bytes(),
                          source.space};
  queue_->check_lent(from);
  queue_->check_lent(destination);
  const int ordinal = queue_->device_->ordinal;
  queue_->check(queue_->device_->api->copy(
      queue_->lane_->ref, {destination.address, destination.bytes(), destination.space, ordinal},
      {from.address, from.bytes(), from.space, ordinal}));
  queue_->used_ = true;
}

void enqueue::fill_bytes(memory_block destination, unsigned char value) {
  queue_->check_time();
  queue_->check_lent(destination);
  queue_->check(queue_->device_->api->fill(
      queue_->lane_->ref,
      {destination.address, destination.bytes(), destination.space, queue_->device_->ordinal},
      value));
  queue_->used_ = true;
}

std::function<void(enqueue&, std::span<const device_memory>)> emulated_body(
    std::function<void(std::span<const memory_block>)> on_host, std::chrono::nanoseconds takes) {
  return
      [on_host = std::move(on_host), takes](enqueue& queue, std::span<const device_memory> memory) {
        std::vector<touched> all;
        for (const device_memory& part : memory)
          all.push_back({part.address, part.bytes, part.written});
        queue.emulate(
            all,
            [on_host, all](std::span<std::byte* const> addresses) {
              std::vector<memory_block> blocks;
              for (std::size_t i = 0; i < all.size(); ++i) {
                blocks.push_back({addresses[i], all[i].bytes, 1, all[i].bytes, memory_space::host});
              }
              on_host(blocks);
            },
            takes);
      };
}

}  // namespace deed::gpu
