// SPDX-License-Identifier: MIT
#include "contributions.hpp"

#include <deed/base/error.hpp>

#include <new>
#include <string>

namespace deed::runtime {
namespace {

void drop(const data::type_operations& type, std::byte* value) noexcept {
  type.destroy(value);
  ::operator delete(value, std::align_val_t{type.storage_alignment});
}

}  // namespace

contributions::~contributions() {
  for (std::byte* const each : free_) drop(*type_, each);
}

void* contributions::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::byte* const taken = free_.back();
      free_.pop_back();
      return taken;
    }
    free_.reserve(free_.capacity() + 1);  // So that giving back cannot fail.
  }
  const std::align_val_t alignment{type_->storage_alignment};
  void* fresh = nullptr;
  try {
    fresh = ::operator new(type_->storage_bytes, alignment);
    rule_->construct(fresh);
  } catch (const std::bad_alloc&) {
    ::operator delete(fresh, alignment);
    throw error(error_code::host_memory_exhausted, "no memory for the contribution",
                {{"wanted", std::to_string(type_->storage_bytes) + " bytes and what they hold"}},
                "give each rank more memory, or run fewer tasks at once, each of which has a value "
                "of its own: DEED_WORKERS");
  } catch (...) {
    ::operator delete(fresh, alignment);
    throw;
  }
  return fresh;
}

void contributions::give_back(void* value) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(static_cast<std::byte*>(value));
}

std::byte* contributions::add_up() {
  while (free_.size() > 1) {
    rule_->combine(free_.front(), free_.back());
    drop(*type_, free_.back());
    free_.pop_back();
  }
  if (free_.empty()) return nullptr;
  std::byte* const sum = free_.front();
  free_.clear();
  return sum;
}

}  // namespace deed::runtime
