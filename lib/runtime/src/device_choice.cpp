// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "devices.hpp"
#include "emulated_task.hpp"
#include "page_guard.hpp"
#include "report.hpp"

#include <algorithm>
#include <functional>
#include <iostream>

/// @file
/// Who of this rank's workers runs a task.

namespace deed::runtime {
namespace {

std::string kind_of(const gpu::device_info& device) {
  switch (device.made_by) {
    case gpu::backend::cuda:
      return "cuda:" + device.name;
    case gpu::backend::hip:
      return "hip:" + device.name;
    case gpu::backend::emulated:
      break;
  }
  return "emulated";
}

std::vector<std::string> kinds_of(const gpu::device_set& all) {
  std::vector<std::string> kinds;
  for (int i = 0; i < all.size(); ++i) kinds.push_back(kind_of(all[gpu::device_id{i}]));
  return kinds;
}

/// Whether emulated devices live in the session's time; the others count one of their own.
bool lives_in(const rank_environment& environment, const session_options& options) {
  return environment.simulated &&
         options.devices.emulated.schedule == gpu::emulated_schedule::timed;
}

std::function<void(const gpu::ended_view&)> listener(kept_views* to) {
  if (to == nullptr) return {};
  return [to](const gpu::ended_view& ended) { to->add(ended); };
}

bool records_devices(const trace::recorder_options& wanted) {
  constexpr auto of_devices = static_cast<std::uint32_t>(trace::category::gpu) |
                              static_cast<std::uint32_t>(trace::category::memory);
  return !wanted.path.empty() && (wanted.categories & of_devices) != 0;
}

}  // namespace

gpu::driver_watch* devices::watcher() const noexcept {
  if (recording_ != nullptr) return recording_.get();
  return choice_.get();
}

devices::rule devices::rule_for(const gpu::device_set& found, const rank_environment& environment,
                                const session_options& options) {
  if (options.worker_rule) return rule::by_program;
  const gpu::emulated_options& emulated = options.devices.emulated;
  if (emulated.devices == 0 || emulated.schedule == gpu::emulated_schedule::timed)
    return rule::by_cost;
  if (environment.simulated) return rule::at_random;
  for (int i = 0; i < found.size(); ++i) {
    if (found[gpu::device_id{i}].made_by != gpu::backend::emulated) return rule::by_cost;
  }
  return rule::spread;
}

devices::devices(core& home, gpu::device_set found, const rank_environment& environment,
                 const session_options& options, std::uint64_t seed)
    : home_(home),
      time_(*environment.time),
      rule_(rule_for(found, environment, options)),
      program_(options.worker_rule),
      costs_(options.devices.emulated.costs),
      emulated_readable_(options.devices.emulated.network != gpu::emulated_network::none),
      random_(seed),
      choice_(rule_ != rule::by_cost ? nullptr
                                     : std::make_unique<worker_choice>(
                                           time_,
                                           static_cast<int>(home.team_->contexts().size()) -
                                               (home.team_->main_runs_tasks() ? 0 : 1),
                                           kinds_of(found))),
      recording_(records_devices(options.trace)
                     ? std::make_unique<device_recording>(time_, choice_.get(),
                                                          lives_in(environment, options))
                     : nullptr),
      waiting_(static_cast<std::size_t>(found.size())),
      kept_views_(options.checks.pages ? std::make_unique<kept_views>(home.rank()) : nullptr),
      driver_(std::move(found), {.synchronous = options.device_sync,
                                 .time = &time_,
                                 .watch = watcher(),
                                 .view_ended = listener(kept_views_.get())}) {
  if (choice_ == nullptr) return;
  const bool by_default = options.history == "auto";
  if (options.history == "off" || (by_default && environment.simulated)) return;
  const std::string line = choice_->remember(by_default ? default_history_path() : options.history);
  if (!line.empty() && home.logs(log_level::info)) std::cerr << "deed: " + line + "\n";
}

devices::~devices() {
  if (choice_ != nullptr && !choice_->save(home_.rank()) && home_.logs(log_level::warning))
    std::cerr << "deed: the history of costs cannot be written; `DEED_HISTORY` names a file\n";
}

bool devices::can_run(const task_node& task, const gpu::device_info& device) const {
  const body_operations& body = *task.body;
  if (device.made_by == gpu::backend::cuda) return body.enqueue_cuda != nullptr;
  if (device.made_by == gpu::backend::hip) return body.enqueue_hip != nullptr;
  return body.run != nullptr && !body.stays_here &&
         can_emulate(const_cast<task_node&>(task).accesses());
}

std::vector<choice_operand> devices::operands_of(task_node& task) const {
  std::vector<choice_operand> operands;
  for (node_access& each : task.accesses()) {
    held_datum* const held = each.datum().on_devices.load(std::memory_order_acquire);
    operands.push_back({.plan = held != nullptr ? &held->plan : nullptr,
                        .bytes = held != nullptr ? held->datum.bytes() : each.datum().bytes,
                        .reads = each.reads(),
                        .writes = each.writes()});
  }
  return operands;
}

devices::way devices::choose(task_node& task) {
  const gpu::device_set& all = driver_.devices();
  std::vector<int> able;
  for (int i = 0; i < all.size(); ++i) {
    const gpu::device_id device{i};
    if (can_run(task, all[device]) && driver_.usable(device)) able.push_back(i);
  }
  if (able.empty()) return {};
  switch (rule_) {
    case rule::by_program:
      return choose_by_program(task, able);
    case rule::spread:
      return spread(task, able);
    case rule::at_random: {
      const std::lock_guard lock(random_mutex_);
      const std::size_t drawn = random_.below(able.size() + (task.body->run != nullptr ? 1 : 0));
      return {.worker = drawn == able.size() ? -1 : able[drawn]};
    }
    case rule::by_cost:
      break;
  }
  const auto held = [](const node_access& each) { return can_hold(each.datum()); };
  if (!std::ranges::all_of(task.accesses(), held)) return {};
  const std::vector<choice_operand> operands = operands_of(task);
  const choice_question question{.number = task.number,
                                 .codelet = task.codelet->name,
                                 .operands = operands,
                                 .devices = able,
                                 .here_too = task.body->run != nullptr};
  const worker_choice::decision taken = choice_->choose(question);
  if (taken.worker < 0) choice_->commit(question, taken);
  return {taken.worker, true, taken};
}

devices::way devices::choose_by_program(task_node& task, const std::vector<int>& able) {
  std::vector<gpu::device_id> offered;
  for (const int device : able) offered.push_back(gpu::device_id{device});
  const worker_request request{task.number, task.codelet->name, task.body->run != nullptr, offered};
  const std::optional<gpu::device_id> wanted = program_(request);
  if (!wanted && request.processor) return {};
  if (wanted && std::ranges::find(offered, *wanted) != offered.end())
    return {.worker = wanted->value};
  home_.fail(std::make_exception_ptr(
      error(error_code::no_worker_can_run,
            (wanted ? "device " + std::to_string(wanted->value) : "a processor") + " cannot run " +
                quoted(task.codelet->name),
            {{"chosen", "by the session's `worker_rule`"}, {"inserted", to_string(task.where)}},
            "let the rule return one of the request's devices, or nothing if "
            "`request.processor`")));
  return {.worker = able.front()};
}

devices::way devices::spread(const task_node& task, const std::vector<int>& able) const {
  constexpr int enough = 16;  // Waiting on one device: it is busy for a while.
  const auto queued = [&](int device) {
    return waiting_[static_cast<std::size_t>(device)].load(std::memory_order_relaxed);
  };
  const int least = *std::ranges::min_element(able, {}, queued);
  if (task.body->run != nullptr && queued(least) >= enough) return {};
  return {.worker = least};
}

void devices::commit(task_node& task, const way& to) {
  const std::vector<choice_operand> operands = operands_of(task);
  choice_->commit({.number = task.number,
                   .codelet = task.codelet->name,
                   .operands = operands,
                   .devices = {},
                   .here_too = false},
                  to.costs);
}

void devices::park(task_node& task) {
  {
    const std::lock_guard lock(parked_mutex_);
    parked_.push_back(&task);
    std::ranges::push_heap(parked_, std::greater(), &task_node::number);
    parked_count_.store(parked_.size(), std::memory_order_release);
  }
  home_.team_->call_for_help();
}

task_node* devices::next_parked() {
  if (!any_parked()) return nullptr;
  const std::lock_guard lock(parked_mutex_);
  if (parked_.empty()) return nullptr;
  std::ranges::pop_heap(parked_, std::greater(), &task_node::number);
  task_node* const first = parked_.back();  // The oldest: others wait for it.
  parked_.pop_back();
  parked_count_.store(parked_.size(), std::memory_order_release);
  return first;
}

void devices::ran_here(const task_node& task, std::chrono::nanoseconds took) {
  choice_->ran_here(task.number, took);
}

std::chrono::nanoseconds devices::until_next() const {
  constexpr std::chrono::microseconds short_while{50};  // Devices wake nobody.
  const auto next = driver_.next_change();
  if (!next) return short_while;
  return std::max(std::chrono::nanoseconds(1), *next - time_.now());
}

}  // namespace deed::runtime
