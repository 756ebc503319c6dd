// SPDX-License-Identifier: MIT
#include <deed/data/buffer_pool.hpp>

#include <new>
#include <utility>

namespace deed::data {

packed_buffer buffer_pool::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return {};
  packed_buffer buffer = std::move(idle_.back());
  idle_.pop_back();
  idle_bytes_ -= buffer.capacity();
  return buffer;
}

void buffer_pool::give_back(packed_buffer&& buffer) noexcept {
  packed_buffer given = std::move(buffer);
  given.clear();
  const std::lock_guard lock(mutex_);
  if (given.capacity() > most_bytes_ - idle_bytes_) return;
  try {
    const std::size_t bytes = given.capacity();
    idle_.push_back(std::move(given));
    idle_bytes_ += bytes;
  } catch (const std::bad_alloc&) {  // Then the buffer is freed, which is what was short.
  }
}

std::size_t buffer_pool::idle_bytes() const {
  const std::lock_guard lock(mutex_);
  return idle_bytes_;
}

}  // namespace deed::data
