// SPDX-License-Identifier: MIT
#include <deed/data/block_pool.hpp>
#include <deed/data/detail/sizes.hpp>
#include <deed/data/tile_block.hpp>

#include "heap_block.hpp"

#include <limits>
#include <string>

namespace deed::data::detail {
namespace {

std::size_t checked_product(std::size_t a, std::size_t b, extents shape) {
  if (b != 0 && a > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / b) {
    throw error(error_code::impossible_extent, "a tile is larger than any memory",
                {{"rows", std::to_string(shape.rows)}, {"cols", std::to_string(shape.cols)}},
                "give positive extents whose product fits the machine");
  }
  return a * b;
}

}  // namespace

block::block(extents shape, std::size_t element_bytes, block_pool* pool)
    : shape_(shape),
      row_bytes_(checked_product(shape.cols, element_bytes, shape)),
      pitch_(row_bytes_),
      pool_(pool) {
  checked_product(shape.rows, row_bytes_, shape);
}

block::block(extents shape, std::size_t element_bytes, void* memory, std::size_t pitch) noexcept
    : shape_(shape), row_bytes_(shape.cols * element_bytes), pitch_(pitch), memory_(memory) {}

block::block(block&& other) noexcept
    : shape_(other.shape_),
      row_bytes_(other.row_bytes_),
      pitch_(other.pitch_),
      memory_(std::exchange(other.memory_, nullptr)),
      owned_(std::exchange(other.owned_, nullptr)),
      pool_(other.pool_) {}

block& block::operator=(block&& other) noexcept {
  std::swap(shape_, other.shape_);
  std::swap(row_bytes_, other.row_bytes_);
  std::swap(pitch_, other.pitch_);
  std::swap(memory_, other.memory_);
  std::swap(owned_, other.owned_);
  std::swap(pool_, other.pool_);
  return *this;
}

block::~block() {
  if (pool_ != nullptr) {
    pool_->give_back(owned_, bytes());
  } else {
    free_heap_block(owned_);
  }
}

/// Zero: the same on every run, also where a task forgets an element.
void block::take() { take(filling::zeros); }

void block::take(filling with) {
  if (bytes() == 0) return;
  owned_ = pool_ != nullptr ? pool_->take(bytes(), with) : take_heap_block(bytes(), with);
  if (owned_ == nullptr) refuse_memory(bytes());
  memory_ = owned_;
}

const_memory_block block::source() const noexcept {
  const_memory_block where(static_cast<const std::byte*>(memory_), memory_ ? row_bytes_ : 0);
  where.rows = shape_.rows;
  where.pitch = pitch_;
  return where;
}

memory_block block::prepare(std::uint64_t wanted) {
  if (wanted != bytes()) refuse_size(wanted, bytes());
  if (memory_ == nullptr) take(filling::anything);
  return {static_cast<std::byte*>(memory_), row_bytes_, shape_.rows, pitch_};
}

}  // namespace deed::data::detail
