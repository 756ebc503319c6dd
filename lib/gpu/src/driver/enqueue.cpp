// SPDX-License-Identifier: MIT
#include <deed/gpu/launch.hpp>

#include "driver/core.hpp"

#include <utility>

namespace deed::gpu {

void detail::task_queue::check(const status& outcome) const {
  if (outcome.ok()) return;
  std::rethrow_exception(core_.error_of(device_, outcome, &task_, nullptr));
}

device_id enqueue::device() const noexcept { return queue_->device_.info.id; }
backend enqueue::made_by() const noexcept { return queue_->device_.info.made_by; }
stream_ref enqueue::stream() const noexcept {
  return {queue_->lane_.ref.native(), queue_->device_.info.id};
}

void* enqueue::native() const noexcept {
  queue_->used_ = true;  // From here on, nobody can tell.
  return queue_->lane_.ref.native();
}

void enqueue::join_native(void* event) {
  queue_->check(
      queue_->device_.api->wait(queue_->lane_.ref, event_ref(event, queue_->lane_.ref.device())));
}

void enqueue::emulate(std::vector<touched> memory,
                      std::function<void(std::span<std::byte* const>)> run,
                      std::chrono::nanoseconds takes) {
  auto error = std::make_shared<std::exception_ptr>();
  auto guarded = [error, run = std::move(run)](std::span<std::byte* const> addresses) {
    try {
      run(addresses);
    } catch (...) {
      *error = std::current_exception();  // Read when the task's event is seen.
    }
  };
  queue_->check(queue_->device_.api->launch(queue_->lane_.ref,
                                            {std::move(memory), std::move(guarded), takes}));
  queue_->used_ = true;
  queue_->task_.kernel_error = std::move(error);
}

void enqueue::copy_bytes(const_memory_block source, memory_block destination) {
  if (source.bytes() != destination.bytes()) {
    throw error(error_code::sizes_differ,
                "a copy of " + std::to_string(source.bytes()) + " bytes into " +
                    std::to_string(destination.bytes()),
                {{"task", "`" + queue_->task_.name + "`"}}, "copy equal numbers of elements");
  }
  const int ordinal = queue_->device_.ordinal;
  queue_->check(queue_->device_.api->copy(
      queue_->lane_.ref, {destination.address, destination.bytes(), destination.space, ordinal},
      {const_cast<std::byte*>(source.address), source.bytes(), source.space, ordinal}));
  queue_->used_ = true;
}

void enqueue::fill_bytes(memory_block destination, unsigned char value) {
  queue_->check(queue_->device_.api->fill(
      queue_->lane_.ref,
      {destination.address, destination.bytes(), destination.space, queue_->device_.ordinal},
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
