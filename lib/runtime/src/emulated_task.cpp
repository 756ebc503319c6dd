// SPDX-License-Identifier: MIT
#include "emulated_task.hpp"

#include "node.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace deed::runtime {
namespace {

/// A value made of foreign bytes, for as long as a body runs.
class borrowed_value {
 public:
  borrowed_value(const data::type_operations& type, const data::extents& shape, std::byte* memory)
      : type_(type), at_(memory) {
    if (type.is_payload) return;
    at_ = ::operator new(type.storage_bytes, std::align_val_t{type.storage_alignment});
    type.wrap(at_, shape, memory);
  }
  borrowed_value(const borrowed_value&) = delete;
  borrowed_value& operator=(const borrowed_value&) = delete;
  ~borrowed_value() {
    if (type_.is_payload) return;
    type_.destroy(at_);
    ::operator delete(at_, std::align_val_t{type_.storage_alignment});
  }
  [[nodiscard]] void* storage() const noexcept { return at_; }

 private:
  const data::type_operations& type_;
  void* at_;
};

}  // namespace

bool can_emulate(std::span<node_access> accesses) noexcept {
  return std::ranges::all_of(accesses, [](const node_access& each) {
    const data::type_operations& type = *each.datum().type;
    return type.is_payload || type.wrap != nullptr;
  });
}

void emulate(gpu::enqueue& queue, std::span<const gpu::device_memory> memory,
             std::function<void(std::span<std::byte* const>)> run, std::chrono::nanoseconds takes) {
  std::vector<gpu::touched> touched;
  for (const gpu::device_memory& part : memory)
    touched.push_back({part.address, part.bytes, part.written});
  queue.emulate(std::move(touched), std::move(run), takes);
}

void run_on_bytes(task_node& task, const std::vector<std::uint16_t>& operand_of,
                  std::span<std::byte* const> addresses) {
  std::vector<std::unique_ptr<borrowed_value>> values;
  std::vector<void*> storages;
  for (std::size_t i = 0; i < task.access_count; ++i) {
    const replica& datum = task.accesses()[i].datum();
    values.push_back(
        std::make_unique<borrowed_value>(*datum.type, datum.shape, addresses[operand_of[i]]));
    storages.push_back(values.back()->storage());
  }
  const bool more = operand_of.size() > task.access_count;
  task.body->run({storages.data(), task.closure(), more ? addresses[operand_of.back()] : nullptr});
}

void run_on_storages(task_node& task) {
  std::vector<void*> storages;
  for (node_access& each : task.accesses()) {
    replica& datum = each.datum();
    storages.push_back(each.writes() ? datum.make_storage() : datum.storage);
  }
  scratch_room scratch;
  std::byte* const room = task.body->scratch_bytes != nullptr
                              ? scratch.take(task.body->scratch_bytes(task.closure()))
                              : nullptr;
  task.body->run({storages.data(), task.closure(), room});
}

}  // namespace deed::runtime
