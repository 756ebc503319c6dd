// SPDX-License-Identifier: MIT
#pragma once

#include "backend/device_api.hpp"

#include <memory>

namespace deed::gpu {

/// Whether AMD's library is loaded where its kernel driver is not: only another one of its name,
/// such as that of the tests over CUDA, has devices then.
enum class hip_driver { needed, not_needed };

/// The vendors' runtimes. Only those that were built exist; making one loads nothing and starts
/// nothing.
[[nodiscard]] std::unique_ptr<device_api> make_cuda_api();
[[nodiscard]] std::unique_ptr<device_api> make_hip_api(hip_driver wanted = hip_driver::needed);

}  // namespace deed::gpu
