// SPDX-License-Identifier: MIT
#include "asymmetric_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace deed::runtime {

asymmetric_barrier::asymmetric_barrier(bool needed) noexcept
    : needed_(needed),
      one_sided_(!needed ||
                 ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) {}

void asymmetric_barrier::heavy() const noexcept {
  if (!needed_) return;
  // Once registered, the command cannot fail.
  if (one_sided_) ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace deed::runtime
