// SPDX-License-Identifier: MIT
#include "node.hpp"

#include <deed/data/lacks_memory.hpp>

#include "report.hpp"

#include <algorithm>
#include <new>

namespace deed::runtime {

namespace {

template <class Construct>
std::byte* constructed(const data::type_operations& type, Construct&& construct) {
  const std::align_val_t alignment{type.storage_alignment};
  auto* const fresh = static_cast<std::byte*>(::operator new(type.storage_bytes, alignment));
  try {
    construct(fresh);
  } catch (...) {
    ::operator delete(fresh, alignment);
    throw;
  }
  return fresh;
}

}  // namespace

std::string replica::full_name() const { return label_of(name, i, j); }

void* replica::make_storage(data::block_pool* blocks) {
  if (storage == nullptr) {
    try {
      storage = constructed(*type, [&](void* fresh) { type->construct(fresh, shape, blocks); });
    } catch (const std::bad_alloc&) {
      const std::uint64_t shaped = type->element_bytes * shape.rows * shape.cols;
      throw data::lacks_memory(std::max<std::uint64_t>(type->storage_bytes, shaped));
    }
    if (counted != nullptr) counted->add(bytes);
  }
  return storage;
}

void replica::adopt(void (*make)(void*, void*), void* source) {
  storage = constructed(*type, [&](void* fresh) { make(fresh, source); });
}

void replica::free_storage() noexcept {
  if (storage == nullptr) return;
  type->destroy(storage);
  ::operator delete(storage, std::align_val_t{type->storage_alignment});
  storage = nullptr;
  if (counted != nullptr) counted->remove(bytes);
}

void replica::count_in(copy_meter* meter) noexcept {
  if (in_place || counted == meter) return;
  if (storage != nullptr && counted != nullptr) counted->remove(bytes);
  counted = meter;
  if (storage != nullptr && counted != nullptr) counted->add(bytes);
}

void task_node::furnish() {
  const std::size_t align = body->closure_alignment;
  const std::size_t before = before_closure();
  spilled = align > alignof(std::uint64_t) || before + body->closure_bytes > room_bytes;
  if (spilled) {
    const std::align_val_t alignment{std::max(align, alignof(node_access))};
    *reinterpret_cast<void**>(room) = ::operator new(before + body->closure_bytes, alignment);
  }
  for (node_access* at = accesses().data(); at != accesses().data() + access_count; ++at) {
    new (at) node_access;
  }
}

void task_node::free_spilled() noexcept {
  if (!spilled) return;
  const std::size_t align = body->closure_alignment;
  ::operator delete(contents(), std::align_val_t{std::max(align, alignof(node_access))});
}

}  // namespace deed::runtime
