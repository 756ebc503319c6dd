// SPDX-License-Identifier: MIT
#include "memory_reserve.hpp"

#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace deed::runtime {
namespace {

struct kept_memory {
  std::mutex lock;
  void* memory = nullptr;

  void give_back() noexcept {
    const std::scoped_lock held(lock);
    std::free(std::exchange(memory, nullptr));
  }
};

/// What a handler of `new` can reach, which is called without arguments.
kept_memory& kept() noexcept {
  static kept_memory memory;
  return memory;
}

/// A thread that meets the end beside another waits here until there is room for its report too.
void give_back() {
  kept().give_back();
  std::set_new_handler(nullptr);
  throw std::bad_alloc();  // Not tried again: what is left is for the report.
}

}  // namespace

memory_reserve::memory_reserve() noexcept {
  if (std::get_new_handler() != nullptr) return;
  kept().memory = std::malloc(bytes);
  if (kept().memory != nullptr) std::set_new_handler(&give_back);
}

memory_reserve::~memory_reserve() {
  if (std::get_new_handler() == &give_back) std::set_new_handler(nullptr);
  kept().give_back();
}

}  // namespace deed::runtime
