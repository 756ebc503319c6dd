// SPDX-License-Identifier: MIT
#include "sim_carrier.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define DEED_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DEED_SANITIZED 1
#endif

#if DEED_WITH_FIBERS && !defined(DEED_SANITIZED)

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cxxabi.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace deed::transport {
namespace {

using boost::context::fiber;

/// What the C++ run-time library knows of the exceptions that are caught and in flight. It is the
/// thread's; a rank that gives way inside a handler needs its own back.
/// Source: Itanium C++ ABI, exception handling, section 2.2.2: a pointer and an unsigned int.
class exceptions_in_flight {
 public:
  exceptions_in_flight() noexcept { std::memcpy(kept_, abi::__cxa_get_globals(), sizeof kept_); }
  void restore() const noexcept { std::memcpy(abi::__cxa_get_globals(), kept_, sizeof kept_); }
  static void clear() noexcept { std::memset(abi::__cxa_get_globals(), 0, sizeof kept_); }

 private:
  std::byte kept_[sizeof(void*) + sizeof(unsigned)];
};

class fiber_carrier final : public sim_carrier {
 public:
  explicit fiber_carrier(std::size_t stack_bytes) : stack_bytes_(stack_bytes) {}

  void run(int ranks, int first, const std::function<void(int)>& program) override {
    for (int r = 0; r < ranks; ++r) {
      ranks_.emplace_back(std::allocator_arg,
                          boost::context::protected_fixedsize_stack(stack_bytes_),
                          [this, r, &program](fiber&& caller) {
                            caller_ = std::move(caller);
                            exceptions_in_flight::clear();
                            program(r);
                            return std::move(caller_);
                          });
    }
    const exceptions_in_flight mine;
    for (next_ = first; next_ >= 0;) {
      fiber& going = ranks_[static_cast<std::size_t>(next_)];
      going = std::move(going).resume();
    }
    mine.restore();
  }
  void hand_over(int, int next) override {
    const exceptions_in_flight mine;
    next_ = next;
    caller_ = std::move(caller_).resume();
    mine.restore();
  }
  void leave(int, int next) override { next_ = next; }

 private:
  std::size_t stack_bytes_;
  std::vector<fiber> ranks_;
  fiber caller_;  // The loop in `run`.
  int next_ = -1;
};

}  // namespace

std::unique_ptr<sim_carrier> make_fiber_carrier(std::size_t stack_bytes) {
  return std::make_unique<fiber_carrier>(stack_bytes);
}

}  // namespace deed::transport

#else

namespace deed::transport {

std::unique_ptr<sim_carrier> make_fiber_carrier(std::size_t) { return nullptr; }

}  // namespace deed::transport

#endif
