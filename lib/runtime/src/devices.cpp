// SPDX-License-Identifier: MIT
#include "devices.hpp"

#include <deed/data/lacks_memory.hpp>

#include "core.hpp"
#include "device_failures.hpp"
#include "emulated_task.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace deed::runtime {
namespace {

std::span<node_access> accesses_of(node& any) {
  switch (any.kind) {
    case node_kind::task:
      return static_cast<task_node&>(any).accesses();
    case node_kind::collective:
      return static_cast<collective_node&>(any).accesses();
    case node_kind::after:
      return {};
    default:
      return static_cast<small_node&>(any).accesses();
  }
}

/// Whether a node that may write could leave the old value as it is.
bool may_keep(node& any) {
  if (any.kind == node_kind::task) return static_cast<task_node&>(any).body->stays_here;
  return any.kind == node_kind::receive && static_cast<transfer_node&>(any).request != nullptr;
}

gpu::access_mode mode_of(const node_access& access) {
  if (!access.writes()) return gpu::access_mode::read;
  return access.reads() ? gpu::access_mode::read_write : gpu::access_mode::write;
}

/// Of an emulated device; zero where the task does not say what it computes.
std::chrono::nanoseconds time_there(std::uint64_t flops, const gpu::emulated_costs& costs) {
  if (flops == 0) return {};
  const double computing = static_cast<double>(flops) / costs.operations_per_ns;
  return costs.kernel + std::chrono::nanoseconds(static_cast<std::int64_t>(computing));
}

std::string name_of(node& any) {
  switch (any.kind) {
    case node_kind::task:
      return std::string(static_cast<task_node&>(any).codelet->name);
    case node_kind::send:
      return "a message that leaves";
    case node_kind::receive:
      return "a message that arrives";
    case node_kind::borrow:
      return "a borrow";
    case node_kind::collective:
      return "a collective";
    case node_kind::end:
      return "the end of a datum";
    default:
      return "the host";
  }
}

}  // namespace

/// What a task has on its device for its own time: a datum without a value.
struct devices::device_scratch {
  std::shared_ptr<scratch_room> home;  // Touched only where a full device has to move it.
  gpu::coherent_datum datum;
};

/// What driver and graph share of a task: it may be recycled when both are through with it.
struct devices::on_device {
  task_node* task;
  int device;
  std::atomic<int> open{2};
  std::exception_ptr error;               // Set by the driver before it is through.
  std::vector<std::uint16_t> operand_of;  // Of each access: one operand may serve several; scratch.
  std::unique_ptr<device_scratch> scratch;  // Null: it has none.
};

bool devices::take(context& self, node& ready) {
  if (ready.kind == node_kind::task && !ready.leased) {
    auto& task = static_cast<task_node&>(ready);
    const way to = task.placed ? way{} : choose(task);
    if (to.worker >= 0 && start(self, task, to)) return true;
    forget(task);
    if (to.by_cost && to.worker < 0) {
      task.placed = true;
      if (!lease(task)) park(task);  // Its data come while others are placed.
      return true;
    }
  }
  switch (ready.kind) {
    case node_kind::end:
    case node_kind::drop:
      return give_up(ready);
    case node_kind::after:  // These look at no value.
    case node_kind::claim:
    case node_kind::gain:
    case node_kind::lose:
      return false;
    default:
      return !ready.leased && lease(ready);
  }
}

void devices::forget(const task_node& task) {
  if (recording_ != nullptr) static_cast<void>(recording_->take_versions(task.number, 0));
}

/// False if the value has no one place in memory, or is one of several.
bool devices::can_hold(const replica& datum) noexcept {
  const data::type_operations& type = *datum.type;
  return datum.pool == nullptr &&
         (type.is_payload || type.wrap != nullptr || type.form == data::wire_form::resizable);
}

/// Null if it has none now.
held_datum* devices::hold(replica& datum, bool writes) {
  if (!can_hold(datum)) return nullptr;
  if (auto* held = datum.on_devices.load(std::memory_order_acquire)) return held;
  const data::type_operations& type = *datum.type;
  const std::lock_guard lock(holding_);
  if (auto* held = datum.on_devices.load(std::memory_order_acquire)) return held;
  if (writes) datum.make_storage(&home_.blocks());
  if (datum.storage == nullptr) return nullptr;
  const std::uint64_t bytes = type.bytes(datum.storage);
  if (bytes == 0) return nullptr;
  const bool fresh = type.source(datum.storage).address == nullptr;
  const memory_block memory = type.prepare(datum.storage, bytes);
  if (memory.address == nullptr || !memory.contiguous()) return nullptr;
  if (fresh) std::memset(memory.address, 0, bytes);  // For tasks that leave elements out.
  auto held = std::make_unique<held_datum>(held_datum{
      driver_.hold({memory.address, bytes, 1, bytes, memory_space::host}, datum.full_name(),
                   datum.where, datum.number, type.form != data::wire_form::resizable)});
  datum.on_devices.store(held.get(), std::memory_order_release);
  return held.release();
}

bool devices::hold_all(task_node& task) {
  return std::ranges::all_of(task.accesses(), [&](node_access& each) {
    return hold(each.datum(), each.writes()) != nullptr;
  });
}

bool devices::start(context& self, task_node& task, const way& to) {
  std::unique_ptr<device_scratch> scratch;
  try {
    if (!hold_all(task)) return false;
    scratch = scratch_for(task);
  } catch (const data::lacks_memory&) {
    const std::string& device = driver_.devices()[gpu::device_id{to.worker}].name;
    home_.give_up_before(self, task, std::current_exception(), device);
    return true;
  }
  submit(self, task, to, std::move(scratch));
  return true;
}

std::unique_ptr<devices::device_scratch> devices::scratch_for(task_node& task) {
  const std::size_t bytes =
      task.body->scratch_bytes != nullptr ? task.body->scratch_bytes(task.closure()) : 0;
  if (bytes == 0) return nullptr;
  auto home = std::make_shared<scratch_room>();
  const memory_block memory{home->take(bytes), bytes, 1, bytes, memory_space::host};
  auto datum = driver_.hold(memory, "scratch of " + std::string(task.codelet->name), task.where,
                            trace::nothing);
  return std::make_unique<device_scratch>(device_scratch{std::move(home), std::move(datum)});
}

void devices::submit(context& self, task_node& task, const way& to,
                     std::unique_ptr<device_scratch> scratch) {
  const int device = to.worker;
  auto shared = std::make_shared<on_device>();
  shared->task = &task;
  shared->device = device;
  gpu::device_task asked;
  asked.device = gpu::device_id{device};
  asked.name = std::string(task.codelet->name);
  asked.where = task.where;
  asked.number = task.number;
  asked.timed = to.by_cost || recording_ != nullptr;
  std::vector<std::uint64_t> versions;
  if (recording_ != nullptr) versions = recording_->take_versions(task.number, task.access_count);
  for (std::size_t i = 0; i < task.access_count; ++i) {
    node_access& each = task.accesses()[i];
    const auto* const held = &each.datum().on_devices.load(std::memory_order_acquire)->datum;
    const auto known = std::ranges::find(asked.operands, held, &gpu::operand::datum);
    shared->operand_of.push_back(static_cast<std::uint16_t>(known - asked.operands.begin()));
    if (known != asked.operands.end()) continue;
    asked.operands.push_back(
        {held, mode_of(each), versions.empty() ? gpu::no_number : versions[i]});
  }
  if (scratch != nullptr) {
    shared->scratch = std::move(scratch);
    shared->operand_of.push_back(static_cast<std::uint16_t>(asked.operands.size()));
    asked.operands.push_back({&shared->scratch->datum, gpu::access_mode::write});
  }
  const gpu::backend kind = driver_.devices()[asked.device].made_by;
  const auto takes = time_there(home_.take_flops(task.number), costs_);
  // What a body throws becomes known as this task's.
  const auto guarded = [this, shared](const auto& run) {
    try {
      run(*shared->task);
    } catch (const gpu::gpu_error&) {
      throw;
    } catch (...) {
      throw body_failed(home_.failure_of(*shared->task, std::current_exception(), true));
    }
  };
  asked.body = [guarded, shared, kind, takes](gpu::enqueue& queue,
                                              std::span<const gpu::device_memory> memory) {
    if (kind == gpu::backend::emulated)
      return emulate(
          queue, memory,
          [guarded, shared](std::span<std::byte* const> addresses) {
            guarded([&](task_node& there) { run_on_bytes(there, shared->operand_of, addresses); });
          },
          takes);
    guarded([&](task_node& there) {
      std::vector<device_operand> operands;
      for (std::size_t i = 0; i < there.access_count; ++i) {
        const gpu::device_memory& part = memory[shared->operand_of[i]];
        operands.push_back({part.address, part.bytes, there.accesses()[i].datum().shape});
      }
      const auto enqueue =
          kind == gpu::backend::cuda ? there.body->enqueue_cuda : there.body->enqueue_hip;
      std::byte* const room = shared->scratch ? memory[shared->operand_of.back()].address : nullptr;
      enqueue({queue, operands.data(), there.closure(), room});
    });
  };
  if (task.body->run != nullptr) {
    asked.on_host = [guarded](std::span<const memory_block>) {
      guarded(run_on_storages);  // Their memory is what the driver calls their homes.
    };
  }
  const auto through = [this, shared] {
    if (shared->open.fetch_sub(1, std::memory_order_acq_rel) == 1) arrive({shared->task, shared});
  };
  asked.done = [shared, through](std::exception_ptr error) {
    shared->error = std::move(error);
    through();
  };
  if (choice_ != nullptr) commit(task, to);
  for (node_access& each : task.accesses()) {
    replica& datum = each.datum();
    if (each.hit()) self.seen.saved(datum.origin, core::bytes_on_the_wire(datum));
    datum.device_uses.fetch_add(1, std::memory_order_relaxed);
  }
  under_way_.fetch_add(1, std::memory_order_acq_rel);
  waiting_[static_cast<std::size_t>(device)].fetch_add(1, std::memory_order_relaxed);
  driver_.submit(std::move(asked));
  core::heal(task.accesses());
  if (!task.followed) home_.hand_on(self, task, task.accesses());
  through();
  home_.team_->call_for_help();  // This thread may not come back soon.
}

bool devices::lease(node& wanting, bool anew) {
  std::vector<gpu::operand> operands;
  const bool keeps = !anew && may_keep(wanting);
  for (node_access& each : accesses_of(wanting)) {
    held_datum* const place = each.datum().on_devices.load(std::memory_order_acquire);
    if (place == nullptr) continue;
    const gpu::coherent_datum* const held = &place->datum;
    if (std::ranges::find(operands, held, &gpu::operand::datum) != operands.end()) continue;
    if (choice_ != nullptr && wanting.kind != node_kind::task)
      choice_->used_by_host(place->plan, each.writes() && wanting.kind != node_kind::end);
    gpu::access_mode mode = mode_of(each);
    // The end of a datum needs the value only where the program looks at its own memory.
    if (wanting.kind == node_kind::end) mode = gpu::access_mode::read;
    if (mode == gpu::access_mode::write && keeps) mode = gpu::access_mode::read_write;
    operands.push_back({held, mode});
  }
  if (operands.empty()) return false;
  under_way_.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(leases_mutex_);  // It may be granted before it is kept.
  wanting.leased = true;
  const auto granted = [this, &wanting] { arrive({&wanting, nullptr}); };
  leases_.emplace(&wanting, may_go_early(wanting)
                                ? driver_.acquire_to_send(*operands.front().datum, direct_,
                                                          name_of(wanting), granted)
                                : driver_.acquire(operands, name_of(wanting), granted));
  return true;
}

void devices::release(node& done) noexcept {
  done.leased = false;
  {
    const std::lock_guard lock(leases_mutex_);
    leases_.erase(&done);
    if (in_pieces_.erase(&done) != 0) under_way_.fetch_sub(1, std::memory_order_acq_rel);
  }
  if (done.kind == node_kind::end) return;
  for (node_access& each : accesses_of(done)) {
    replica& datum = each.datum();
    if (!each.writes() || datum.type->form != data::wire_form::resizable) continue;
    // Its memory may be elsewhere now; no copy of it is valid.
    const std::unique_ptr<held_datum> old(
        datum.on_devices.exchange(nullptr, std::memory_order_acq_rel));
    if (old) driver_.retire(std::move(old->datum));
  }
}

bool devices::give_up(node& end) {
  replica& datum = static_cast<small_node&>(end).only.datum();
  const bool drops = end.kind == node_kind::drop;
  if (drops && (datum.in_place || datum.on_devices.load(std::memory_order_acquire) == nullptr))
    return false;
  if (datum.on_devices.load(std::memory_order_acquire) == nullptr) {
    // Tasks that a device still runs name the datum: the last of them brings the end back.
    if (datum.last == &end) return false;
    datum.last = &end;
    return datum.device_uses.fetch_sub(1, std::memory_order_acq_rel) != 1;
  }
  if (datum.in_place && !end.leased) return lease(end);
  if (end.leased) release(end);
  const std::unique_ptr<held_datum> last(
      datum.on_devices.exchange(nullptr, std::memory_order_acq_rel));
  under_way_.fetch_add(1, std::memory_order_acq_rel);
  driver_.retire(std::move(last->datum), [this, &end] { arrive({&end, nullptr}); });
  return true;
}

void devices::arrive(arrival news) {
  const std::lock_guard lock(arrivals_mutex_);
  arrivals_.push_back(std::move(news));
}

bool devices::step(context& self, int polls) {
  if (!busy()) return false;
  bool moved = false;
  for (int i = 0; i < polls && !moved; ++i) moved = driver_.step();
  std::vector<arrival> here;
  {
    const std::lock_guard lock(arrivals_mutex_);
    here.swap(arrivals_);
  }
  for (const arrival& news : here) receive(self, news);
  if (!here.empty()) home_.note_work();
  under_way_.fetch_sub(static_cast<std::int64_t>(here.size()), std::memory_order_acq_rel);
  return moved || !here.empty();
}

void devices::receive(context& self, const arrival& news) {
  if (news.ended) return finish(self, *news.ended);
  node& back = *news.which;
  std::exception_ptr error;
  if (back.leased) {
    const std::lock_guard lock(leases_mutex_);
    const gpu::host_lease& lease = leases_.at(&back);
    error = lease.error();
    const auto memory = lease.memory();
    const bool early = back.kind == node_kind::send && memory.size() == 1 &&
                       lease.arrived() < memory.front().bytes();
    // Only steps bring the rest home.
    if (early && in_pieces_.insert(&back).second)
      under_way_.fetch_add(1, std::memory_order_acq_rel);
  }
  if (error) return go_without(self, back, error);
  come_back(self, back);
}

void devices::come_back(context& self, node& ready) {
  if (ready.kind == node_kind::task && static_cast<task_node&>(ready).placed)
    return park(static_cast<task_node&>(ready));
  self.door->push(ready);
  home_.team_->call_for_help();
}

void devices::finish(context& self, on_device& ended) {
  task_node& task = *ended.task;
  waiting_[static_cast<std::size_t>(ended.device)].fetch_sub(1, std::memory_order_relaxed);
  if (choice_ != nullptr) choice_->ended(task.number);
  if (ended.scratch)
    driver_.retire(std::move(ended.scratch->datum), [home = std::move(ended.scratch->home)] {});
  if (ended.error) tell_of(self, task, ended.error);
  for (node_access& each : task.accesses()) {
    replica& datum = each.datum();
    if (datum.device_uses.fetch_sub(1, std::memory_order_acq_rel) == 1)
      come_back(self, *datum.last);
  }
  if (task.followed) home_.hand_on(self, task, task.accesses());
  count(self.tasks_run, std::uint64_t{1});
  self.times.ran_on_device(*task.codelet);
  task.clear_closure();
  count(self.completed, std::uint64_t{1});
  home_.dismiss(self, task);
}

void devices::add_to(deed::statistics& sum) const {
  const gpu::statistics counts = driver_.stats();
  sum.tasks_on_devices = counts.tasks;
  sum.bytes_to_devices = counts.bytes_to_device;
  sum.bytes_from_devices = counts.bytes_to_host;
  sum.bytes_sent_from_devices = counts.bytes_to_network;
  sum.device_evictions = counts.evictions;
}

void devices::bring_home(context& self, replica& datum) {
  const auto* held = datum.on_devices.load(std::memory_order_acquire);
  if (held == nullptr || !datum.in_place) return;
  under_way_.fetch_add(1, std::memory_order_acq_rel);
  const gpu::host_lease lease =
      driver_.acquire({{&held->datum, gpu::access_mode::read}}, "the program");
  while (!lease.ready()) {
    if (!step(self, 50)) home_.engine_->rest(std::chrono::microseconds(50));
  }
  under_way_.fetch_sub(1, std::memory_order_acq_rel);
  if (lease.error()) std::rethrow_exception(lease.error());
}

}  // namespace deed::runtime
