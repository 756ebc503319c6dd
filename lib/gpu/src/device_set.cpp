// SPDX-License-Identifier: MIT
#include <deed/gpu/device.hpp>

#include "backend/backends.hpp"
#include "device_parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace deed::gpu {
namespace {

/// Adds the devices of one vendor, or why there are none.
void open(device_set::parts& parts, const char* vendor, std::unique_ptr<device_api> api) {
  opened_backend opened;
  opened.emulated = dynamic_cast<emulated_api*>(api.get());
  if (parts.options.check_order) {
    auto check = std::make_unique<check_api>(std::move(api));
    opened.check = check.get();
    api = std::move(check);
  }
  auto faults = std::make_unique<fault_api>(std::move(api), parts.options.faults);
  opened.faults = faults.get();
  opened.api = std::move(faults);

  int found = 0;
  std::string why;
  const status counted = opened.api->count(found, why);
  if (!counted.ok() && why.empty()) why = to_string(counted.kind);
  std::string refused;
  for (int i = 0; counted.ok() && i < found; ++i) {
    device_attributes attributes;
    std::size_t free_bytes = 0, total_bytes = 0;
    status ready = opened.api->set_device(i);
    if (ready.ok()) ready = opened.api->attributes(i, attributes);
    if (ready.ok()) ready = opened.api->memory_info(free_bytes, total_bytes);
    if (!ready.ok()) {
      refused = "device " + std::to_string(i) + ": " + std::string(to_string(ready.kind));
      continue;
    }
    const std::size_t limit = opened.emulated ? total_bytes : free_bytes - free_bytes / 10;
    const std::size_t wanted = parts.options.memory_limit_bytes;
    parts.devices.push_back({device_id{static_cast<int>(parts.devices.size())},
                             opened.api->made_by(), i, attributes.name, total_bytes,
                             wanted == 0 ? limit : std::min(wanted, limit)});
    parts.backend_of.push_back(parts.backends.size());
  }
  if (!why.empty()) parts.why_none.push_back(std::string(vendor) + ": " + why);
  if (!refused.empty()) parts.why_none.push_back(std::string(vendor) + ": " + refused);
  parts.backends.push_back(std::move(opened));
}

}  // namespace

device_set::device_set(device_options options) : parts_(std::make_unique<parts>()) {
  parts_->options = std::move(options);
  if (parts_->options.cuda) {
#ifdef DEED_WITH_CUDA
    open(*parts_, "cuda", make_cuda_api());
#else
    parts_->why_none.push_back("cuda: not part of this build");
#endif
  }
  if (parts_->options.hip) {
#ifdef DEED_WITH_HIP
    open(
        *parts_, "hip",
        make_hip_api(parts_->options.any_hip_driver ? hip_driver::not_needed : hip_driver::needed));
#else
    parts_->why_none.push_back("hip: not part of this build");
#endif
  }
  if (parts_->options.emulated.devices > 0) {
    open(*parts_, "emulated", std::make_unique<emulated_api>(parts_->options.emulated));
  }
}

device_set::device_set(device_set&&) noexcept = default;
device_set::~device_set() = default;

int device_set::size() const noexcept { return static_cast<int>(parts_->devices.size()); }

const device_info& device_set::operator[](device_id device) const {
  return parts_->devices.at(static_cast<std::size_t>(device.value));
}

std::string device_set::summary() const {
  std::string line = "gpu: ";
  if (parts_->devices.empty()) line += "no devices";
  for (std::size_t i = 0; i < parts_->devices.size(); ++i) {
    const device_info& device = parts_->devices[i];
    line += (i == 0 ? "" : ", ") + device.name + " (" + std::to_string(device.limit_bytes >> 20) +
            " MiB)";
  }
  for (std::size_t i = 0; i < parts_->why_none.size(); ++i) {
    line += (i == 0 ? " (" : "; ") + parts_->why_none[i];
  }
  return parts_->why_none.empty() ? line : line + ")";
}

std::vector<order_report> device_set::order_reports() const {
  std::vector<order_report> reports;
  for (const auto& opened : parts_->backends) {
    if (!opened.check) continue;
    for (const auto& [first, second] : opened.check->conflicts())
      reports.push_back({first, second});
  }
  return reports;
}

std::uint64_t device_set::redundant_waits() const {
  std::uint64_t count = 0;
  for (const auto& opened : parts_->backends) {
    if (opened.check) count += opened.check->redundant_waits();
  }
  return count;
}

std::chrono::nanoseconds device_set::virtual_time() const {
  for (const auto& opened : parts_->backends) {
    if (opened.emulated) return opened.emulated->now();
  }
  return {};
}

std::uint64_t device_set::calls() const {
  std::uint64_t count = 0;
  for (const auto& opened : parts_->backends) {
    const auto calls = opened.faults->calls();
    count = std::accumulate(calls.begin(), calls.end(), count);
  }
  return count;
}

std::uint64_t device_set::faults_made() const {
  std::uint64_t count = 0;
  for (const auto& opened : parts_->backends) count += opened.faults->made();
  return count;
}

std::uint64_t device_set::calls(operation op) const {
  std::uint64_t count = 0;
  for (const auto& opened : parts_->backends) {
    count += opened.faults->calls()[static_cast<std::size_t>(op)];
  }
  return count;
}

}  // namespace deed::gpu
