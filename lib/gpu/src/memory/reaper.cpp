// SPDX-License-Identifier: MIT
#include "memory/reaper.hpp"

namespace deed::gpu {

stream::~stream() {
  if (reaper_) reaper_->bury(ref_);
}

}  // namespace deed::gpu
