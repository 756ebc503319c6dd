// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "devices.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>

/// @file
/// Which devices there are, here and on the other ranks, and whether a task can run at all.

namespace deed::runtime {
namespace {

constexpr bool may_find_devices() {
#if defined(DEED_WITH_CUDA) || defined(DEED_WITH_HIP)
  return true;
#else
  return false;
#endif
}

}  // namespace

std::unique_ptr<devices> devices::open(core& home, const rank_environment& environment,
                                       const session_options& options, std::string& summary) {
  gpu::device_options wanted = options.devices;
  const std::uint64_t seed = mix(environment.seed, static_cast<std::uint64_t>(environment.rank));
  if (environment.simulated) {
    wanted.cuda = wanted.hip = false;
    wanted.emulated.seed = mix(wanted.emulated.seed, seed);
    if (wanted.emulated.schedule == gpu::emulated_schedule::threaded)
      wanted.emulated.schedule = gpu::emulated_schedule::stepped;
    if (wanted.emulated.schedule == gpu::emulated_schedule::timed)
      wanted.emulated.time = environment.time;
  }
  wanted.emulated.windows = wanted.emulated.windows || options.checks.pages;
  gpu::device_set found(wanted);
  summary = found.summary();
  if (found.size() == 0) return nullptr;
  return std::unique_ptr<devices>(new devices(home, std::move(found), environment, options, seed));
}

std::string devices::unordered() const {
  std::string text;
  for (const gpu::order_report& report : driver_.devices().order_reports()) {
    text += "deed: two accesses on a device were not ordered, which is an error of deed: " +
            report.first + " and " + report.second + "\n";
  }
  return text;
}

std::string devices::residency() const {
  const gpu::device_set& all = driver_.devices();
  const std::string here = "deed: rank " + std::to_string(home_.rank()) + ": ";
  std::string text;
  for (int i = 0; i < all.size(); ++i) {
    const gpu::residency held = driver_.usage(gpu::device_id{i});
    text += here + all[gpu::device_id{i}].name + " held at most " + amount(held.peak_bytes) +
            " of " + amount(held.limit_bytes) + ", and " + amount(held.used_bytes) +
            " at the end of the session\n";
  }
  return text + driver_.report();
}

bool devices::have(gpu::backend kind) const {
  const gpu::device_set& all = driver_.devices();
  for (int i = 0; i < all.size(); ++i) {
    if (all[gpu::device_id{i}].made_by == kind) return true;
  }
  return false;
}

void core::start_devices() {
  if (environment_.dry != nullptr) return;
  devices_ = devices::open(*this, environment_, options_, device_summary_);
  // Simulated ranks have none of these, and builds without them neither: all ranks know that.
  if (may_find_devices() && !environment_.simulated) {
    kinds_.cuda = agree_on_kind(devices_ != nullptr && devices_->have(gpu::backend::cuda));
    kinds_.hip = agree_on_kind(devices_ != nullptr && devices_->have(gpu::backend::hip));
  }
  start_network();
}

/// What lies in memory of the program is there when its session has ended; all else is given up.
void core::bring_home_from_devices() {
  if (devices_ == nullptr || broken_) return;
  if (verify_ != nullptr && verify_->on.leaks) std::cerr << devices_->residency();
  std::exception_ptr lost;
  for (const datum_info& info : data_) {
    if (info.here == nullptr) continue;
    try {
      devices_->bring_home(team_->main(), *info.here);
    } catch (...) {
      lost = std::current_exception();
    }
  }
  if (lost) std::rethrow_exception(lost);
}

void core::end_devices() {
  if (devices_ == nullptr) return;
  const std::string unordered = devices_->unordered();
  devices_.reset();
  if (!unordered.empty()) throw std::logic_error(unordered);
}

device_kinds::kind core::agree_on_kind(bool here) {
  const place where = place::current();
  device_kinds::kind known;
  known.somewhere = agree(collective::start, here ? 1 : 0, where) != 0;
  if (!known.somewhere) return known;
  known.everywhere = agree(collective::start, here ? 0 : 1, where) == 0;
  if (known.everywhere) return known;
  // Machines of several kinds: 64 ranks at a time, each of which knows its own bit.
  constexpr int at_a_time = 64;
  for (int first = 0; first < size(); first += at_a_time) {
    const int mine = rank_ - first;
    const bool has_bit = here && mine >= 0 && mine < at_a_time;
    const std::uint64_t word = has_bit ? std::uint64_t{1} << static_cast<unsigned>(mine) : 0;
    const std::uint64_t bits = reduce({word}, transport::reduce_with::sum).front();
    for (int i = 0; i < at_a_time && first + i < size(); ++i)
      known.on.push_back((bits >> static_cast<unsigned>(i) & 1) != 0);
  }
  return known;
}

void core::check_workers(const task_description& task, std::uint32_t executor) {
  const body_operations& body = *task.body;
  if (!told_of_devices_ && rank_ == 0 && devices_ == nullptr && logs(log_level::info)) {
    std::cerr << "deed: " + device_summary_ + "; tasks run on the cpu\n";
  }
  told_of_devices_ = true;
  if (body.run != nullptr) return;
  if (body.enqueue_cuda != nullptr && kinds_.cuda.at(executor)) return;
  if (body.enqueue_hip != nullptr && kinds_.hip.at(executor)) return;
  std::string needs = body.enqueue_cuda != nullptr ? "cuda" : "";
  if (body.enqueue_hip != nullptr) needs += needs.empty() ? "hip" : " or hip";
  std::string workers = "cpu";
  if (kinds_.cuda.at(executor)) workers += ", cuda";
  if (kinds_.hip.at(executor)) workers += ", hip";
  throw error(error_code::no_worker_can_run, "nothing here can run " + quoted(task.codelet.name),
              {{"needs", needs},
               {"workers", "of rank " + std::to_string(executor) + ": " + workers},
               {"inserted", to_string(task.where)},
               {"codelet", to_string(task.codelet.where)}},
              "add a body for processors: `deed::cpu{…}`");
}

}  // namespace deed::runtime
