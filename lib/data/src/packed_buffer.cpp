// SPDX-License-Identifier: MIT
#include <deed/data/packed_buffer.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

namespace deed::data {

packed_buffer::~packed_buffer() { std::free(data_); }

void packed_buffer::grow_by(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::ptrdiff_t>::max() - size_) throw std::bad_alloc();
  grow_to(std::max({size_ + bytes, 2 * capacity_, std::size_t{256}}));
}

void packed_buffer::grow_to(std::size_t capacity) {
  void* const moved = std::realloc(data_, capacity);
  if (moved == nullptr) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(moved);
  capacity_ = capacity;
}

}  // namespace deed::data
