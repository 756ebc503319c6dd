// SPDX-License-Identifier: MIT
#include <deed/base/random.hpp>

#include "backend/decorators/decorators.hpp"

#include <algorithm>
#include <numeric>

namespace deed::gpu {
namespace {

bool fits(const fault_rule& rule, operation op) {
  return rule.on.empty() || std::find(rule.on.begin(), rule.on.end(), op) != rule.on.end();
}

bool due(const fault_rule& rule, std::uint64_t call) noexcept {
  if (rule.nth != 0 && call == rule.nth) return true;
  if (rule.every != 0 && call % rule.every == 0) return true;
  const double drawn = static_cast<double>(mix(rule.seed, call) >> 11) * 0x1p-53;
  return drawn < rule.probability;
}

}  // namespace

fault_api::fault_api(std::unique_ptr<device_api> inner, fault_plan plan)
    : forwarding_api(std::move(inner)), plan_(std::move(plan)), seen_(plan_.rules.size()) {}

fault_api::~fault_api() {
  if (plan_.calls == nullptr) return;
  const auto made = calls();
  *plan_.calls = std::accumulate(made.begin(), made.end(), *plan_.calls);
}

std::array<std::uint64_t, operations> fault_api::calls() const {
  std::array<std::uint64_t, operations> all{};
  std::ranges::transform(calls_, all.begin(),
                         [](const auto& each) { return each.load(std::memory_order_relaxed); });
  return all;
}

std::uint64_t fault_api::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

bool fault_api::before(operation op, int device, status& instead) noexcept {
  // Relaxed: a count, and nobody concludes anything else from it.
  calls_[static_cast<std::size_t>(op)].fetch_add(1, std::memory_order_relaxed);
  return plan_.rules.empty() || by_plan(op, device, instead);
}

bool fault_api::by_plan(operation op, int device, status& instead) noexcept {
  const std::lock_guard lock(mutex_);
  if (device < 0 && !inner().get_device(device).ok()) device = -1;
  const auto lost = [&] { instead = {error_kind::device_lost, 0, op}; };
  const auto lose = [&] {
    int before = 0;
    if (!inner().get_device(before).ok() || !inner().set_device(device).ok()) return;
    inner().disturb({.what = fault::effect::device_lost});
    if (before != device && !inner().set_device(before).ok()) return;
  };
  // Counting and giving back work on a lost device as far as the vendor lets them.
  const bool gives_back = op == operation::release || op == operation::release_pinned ||
                          op == operation::destroy_event || op == operation::destroy_stream ||
                          op == operation::allocate_pinned || op == operation::count ||
                          op == operation::get_device;
  if (lost_.contains(device) && !gives_back) {
    lost();
    return false;
  }
  for (std::size_t i = 0; i < plan_.rules.size(); ++i) {
    const fault_rule& rule = plan_.rules[i];
    if (!fits(rule, op) || !due(rule, ++seen_[i])) continue;
    ++made_;
    switch (rule.make.what) {
      case fault::effect::fail:
        instead = {rule.make.kind, 0, op};
        if (is_sticky(rule.make.kind)) {
          lost_.insert(device);
          lose();
        }
        return false;
      case fault::effect::drop:
        instead = {error_kind::none, 0, op};
        return false;
      case fault::effect::device_lost:
        lost_.insert(device);
        lose();
        lost();
        return false;
      default:
        inner().disturb(rule.make);
    }
  }
  return true;
}

}  // namespace deed::gpu
