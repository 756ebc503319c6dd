// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/device.hpp>

#include "backend/decorators/decorators.hpp"
#include "backend/emulated.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace deed::gpu {

/// One table with its decorators, and the tools' views into it.
struct opened_backend {
  std::unique_ptr<device_api> api;  ///< fault over check over the vendor.
  fault_api* faults = nullptr;
  check_api* check = nullptr;        ///< Null without `check_order`.
  emulated_api* emulated = nullptr;  ///< Null for real ones.
};

struct device_set::parts {
  device_options options;
  std::vector<opened_backend> backends;
  std::vector<device_info> devices;
  std::vector<std::size_t> backend_of;  ///< Of each device.
  std::vector<std::string> why_none;    ///< "cuda: …", where there is none.
};

}  // namespace deed::gpu
