// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

namespace deed::gpu {

/// Second addresses for shared memory, each for a while: behind it, nothing lies there any more.
///
/// Threads: any.
/// Cost: a system call to open, one to close. No address comes again before 32 GiB of others came.
class emulated_windows {
 public:
  struct window {
    std::byte* address = nullptr;  ///< Of the first byte that was asked for.
    std::span<std::byte> pages{};  ///< The whole pages around them.
  };

  /// @throws std::bad_alloc if there are not so many addresses.
  emulated_windows();
  emulated_windows(const emulated_windows&) = delete;
  emulated_windows& operator=(const emulated_windows&) = delete;
  ~emulated_windows();

  /// `shared` lies in a mapping that is shared. Without pages, the address is that of `shared`: the
  /// system refused.
  [[nodiscard]] window open(std::span<std::byte> shared) noexcept;
  void close(const window& old) noexcept;

 private:
  std::mutex mutex_;
  std::byte* base_;
  std::size_t next_ = 0;
};

}  // namespace deed::gpu
