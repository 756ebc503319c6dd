// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/stream.hpp>

#include "backend/device_api.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace deed::gpu {

/// Keeps what was given up under work in flight, until the work is done.
/// Threads: `bury` any; the rest belongs to the device step.
class reaper : public std::enable_shared_from_this<reaper> {
 public:
  explicit reaper(device_api& api, int ordinal) noexcept : api_(&api), ordinal_(ordinal) {}

  /// A stream of the current device.
  status open(bool urgent, std::vector<stream>& into) {
    void* native = nullptr;
    const status made = api_->create_stream(urgent, native);
    if (made.ok())
      into.push_back(stream(shared_from_this(), stream_ref(native, device_id{ordinal_})));
    return made;
  }
  void bury(stream_ref dead) {
    const std::lock_guard lock(mutex_);
    if (api_) buried_.push_back(dead);
  }
  /// Destroys what is idle by now; `all` if the device has been waited for.
  void reap(bool all) {
    const std::lock_guard lock(mutex_);
    std::erase_if(buried_, [&](stream_ref dead) {
      bool idle = all;
      if (!all && !api_->query_stream(dead, idle).ok()) return false;
      return idle && api_->destroy_stream(dead).ok();
    });
  }
  [[nodiscard]] bool empty() const {
    const std::lock_guard lock(mutex_);
    return buried_.empty();
  }
  /// The driver goes; streams that still live are the vendor's to clean up.
  void close() {
    reap(true);
    const std::lock_guard lock(mutex_);
    api_ = nullptr;
  }

 private:
  mutable std::mutex mutex_;
  device_api* api_;
  int ordinal_;
  std::vector<stream_ref> buried_;
};

}  // namespace deed::gpu
