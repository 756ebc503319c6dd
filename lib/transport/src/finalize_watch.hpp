// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <functional>
#include <utility>

/// @file
/// The last moment at which MPI may be called.

namespace deed::transport::detail {

/// Runs `before` inside MPI_Finalize, while MPI still works, if this lives then.
/// Source: MPI 4.1, 11.2.4: attributes of MPI_COMM_SELF are deleted first.
class finalize_watch {
 public:
  explicit finalize_watch(std::function<void()> before) : before_(std::move(before)) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key_, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key_, this);
  }
  ~finalize_watch() {
    if (!before_) return;
    before_ = nullptr;  // It runs once, and not here.
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
  }
  finalize_watch(const finalize_watch&) = delete;
  finalize_watch& operator=(const finalize_watch&) = delete;

 private:
  static int deleted(MPI_Comm, int, void* attribute, void*) {
    auto& self = *static_cast<finalize_watch*>(attribute);
    if (const auto before = std::exchange(self.before_, nullptr)) before();
    return MPI_SUCCESS;
  }

  std::function<void()> before_;  // Empty: it ran, or shall not.
  int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace deed::transport::detail
