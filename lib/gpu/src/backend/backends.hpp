// SPDX-License-Identifier: MIT
#pragma once

#include "backend/device_api.hpp"

#include <memory>

namespace deed::gpu {

/// The vendors' runtimes. Only those that were built exist; making one loads nothing and starts
/// nothing.
[[nodiscard]] std::unique_ptr<device_api> make_cuda_api();
[[nodiscard]] std::unique_ptr<device_api> make_hip_api();

}  // namespace deed::gpu
