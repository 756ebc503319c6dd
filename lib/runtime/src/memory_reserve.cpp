// SPDX-License-Identifier: MIT
#include "memory_reserve.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace deed::runtime {
namespace {

/// What a handler of `new` can reach, which is called without arguments.
std::atomic<void*>& held() noexcept {
  static std::atomic<void*> memory{nullptr};
  return memory;
}

void give_back() {
  std::set_new_handler(nullptr);
  std::free(held().exchange(nullptr));
  throw std::bad_alloc();  // Not tried again: what is left is for the report.
}

}  // namespace

memory_reserve::memory_reserve() noexcept {
  if (std::get_new_handler() != nullptr) return;
  held() = std::malloc(bytes);
  if (held() != nullptr) std::set_new_handler(&give_back);
}

memory_reserve::~memory_reserve() {
  if (std::get_new_handler() == &give_back) std::set_new_handler(nullptr);
  std::free(held().exchange(nullptr));
}

}  // namespace deed::runtime
