// SPDX-License-Identifier: MIT
#include <deed/gpu/driver.hpp>

#include "driver/core.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace deed::gpu {
namespace {

constexpr std::size_t slab_share = 16;
constexpr std::size_t largest_slab = std::size_t{256} << 20;
constexpr std::size_t smallest_slab = std::size_t{64} << 10;
constexpr std::size_t pinned_limit = std::size_t{256} << 20;

/// Adopts the devices, waiting for whoever has them.
class adoption {
 public:
  explicit adoption(driver::core& core) : core_(core) {
    while (!core_.adopt()) std::this_thread::yield();
  }
  adoption(const adoption&) = delete;
  adoption& operator=(const adoption&) = delete;
  ~adoption() { core_.leave(); }

 private:
  driver::core& core_;
};

void check_operands(std::span<const operand> operands, const std::string& name) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (operands[i].datum != operands[j].datum) continue;
      throw error(error_code::read_and_written,
                  "`" + operands[i].datum->name() + "` stands twice in `" + name + "`", {},
                  "name it once, as `read_write`");
    }
  }
}

}  // namespace

bool datum_core::loading_elsewhere(int node) const noexcept {
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    if (static_cast<int>(i) != node && replicas[i].state == replica_state::loading) return true;
  }
  return false;
}

bool datum_core::valid_elsewhere(int node) const noexcept {
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    if (static_cast<int>(i) != node && replicas[i].valid()) return true;
  }
  return false;
}

coherent_datum::~coherent_datum() {
  if (!core_) return;
  core_->incoming->post([datum = core_](driver::core& self) { self.retire(datum, {}); });
}
const std::string& coherent_datum::name() const noexcept { return core_->name; }
std::size_t coherent_datum::bytes() const noexcept { return core_->bytes(); }

host_lease::~host_lease() {
  if (read_) {
    driver::core::end_read(std::move(read_));
  } else if (request_ && request_->end) {
    request_->end();
  }
}
bool host_lease::ready() const noexcept {
  return read_ || request_->now.load(std::memory_order_acquire) != host_request::pending;
}
std::exception_ptr host_lease::error() const noexcept {
  if (read_) return nullptr;
  return request_->now.load(std::memory_order_acquire) == host_request::failed ? request_->error
                                                                               : nullptr;
}
std::span<const memory_block> host_lease::memory() const noexcept {
  if (read_) return {&home_, 1};
  if (request_->now.load(std::memory_order_acquire) != host_request::granted) return {};
  return request_->memory;
}

std::size_t host_lease::arrived() const noexcept {
  if (read_) return home_.bytes();
  // Acquire; pairs with the release where a piece arrives.
  return request_->arrived.load(std::memory_order_acquire);
}

driver::core::core(device_set found, driver_options wanted)
    : set(std::move(found)), options(wanted) {
  for (int i = 0; i < set.size(); ++i) {
    auto made = std::make_unique<device_node>();
    device_node& device = *made;
    opened_backend& opened =
        set.parts_->backends[set.parts_->backend_of[static_cast<std::size_t>(i)]];
    device.node = i + 1;
    device.info = set[device_id{i}];
    device.ordinal = device.info.ordinal;
    device.api = opened.api.get();
    device.check = opened.check;
    incoming->order_checked = incoming->order_checked || device.check != nullptr;
    devices.push_back(std::move(made));

    const std::size_t limit = device.info.limit_bytes;
    const std::size_t slab = std::clamp(limit / slab_share, smallest_slab, largest_slab);
    device.graves = std::make_shared<reaper>(*device.api, device.ordinal);
    // Both are asked for with the device entered.
    device.memory = std::make_unique<arena>(
        [&device](std::size_t bytes, void*& address) {
          return device.api->allocate(bytes, address);
        },
        [this, &device](void* address) {
          const status there = device.api->set_device(device.ordinal);
          current_device = -1;
          const status gone = device.api->release(address);
          return there.ok() ? gone : there;
        },
        limit, slab);
    device.pinned = std::make_unique<arena>(
        [&device](std::size_t bytes, void*& address) {
          return device.api->allocate_pinned(bytes, address);
        },
        [&device](void* address) { return device.api->release_pinned(address); }, pinned_limit,
        options.chunk_bytes);

    const auto open_lane = [&](bool urgent) {
      enter(device);
      void* native = nullptr;
      const status made_stream = device.api->create_stream(urgent, native);
      if (!made_stream.ok()) throw call_failed{made_stream};
      return lane{stream_ref(native, device_id{device.ordinal})};
    };
    try {
      device.in.emplace(open_lane(true));
      device.out.emplace(open_lane(true));
      for (int k = 0; k < options.depth; ++k) device.compute.push_back(open_lane(false));
      for (const auto& other : devices) {
        bool can = false;
        if (other->api != device.api || other.get() == &device) continue;
        if (!device.api->can_access_peer(device.ordinal, other->ordinal, can).ok() || !can)
          continue;
        if (device.api->enable_peer(other->ordinal).ok()) device.peers.insert(other->node);
        enter(*other);
        if (other->api->enable_peer(device.ordinal).ok()) other->peers.insert(device.node);
        enter(device);
      }
      begin_times(device);
    } catch (const call_failed& failed) {
      lose(device, failed.what);
    }
  }
}

driver::core::~core() {
  {
    const std::lock_guard lock(incoming->mutex);
    incoming->closed = true;
    incoming->messages.clear();
  }
  current_api = nullptr;
  for (const auto& device : devices) {
    // Twice, since a refusal need not last.
    bool waited = device->dead;
    for (int i = 0; i < 2 && !waited; ++i) {
      waited = device->api->set_device(device->ordinal).ok() && device->api->sync_device().ok();
    }
    device->events.all_complete();
    device->epoch = {};
  }
  host_queue.clear();
  host_running.clear();
  callbacks.clear();
  for (const auto& device : devices) {
    device->queue.clear();
    device->running.clear();
    device->to_device.clear();
    device->to_host.clear();
  }
  for (const auto& datum : data) {
    for (const auto& [waiting, mode] : datum->tickets) (void)waiting, (void)mode;
    datum->tickets.clear();
    datum->replicas.clear();
  }
  data.clear();
  retiring.clear();
  for (const auto& device : devices) {
    const auto shut = [&](lane& one) {
      one.outstanding.clear();
      (void)device->api->destroy_stream(one.ref).ok();
    };
    (void)device->api->set_device(device->ordinal).ok();
    if (device->in) shut(*device->in);
    if (device->out) shut(*device->out);
    for (lane& one : device->compute) shut(one);
    device->graves->close();
    device->memory.reset();
    device->pinned.reset();
    for (const event_pool* pool : {&device->events, &device->timers}) {
      for (const pooled_event& event : pool->all())
        (void)device->api->destroy_event(event.ref).ok();
    }
  }
  pinned.unpin_all();
}

bool driver::core::take_messages() {
  std::vector<message> messages;
  {
    const std::lock_guard lock(incoming->mutex);
    messages.swap(incoming->messages);
    incoming->any.store(false, std::memory_order_release);
  }
  for (const message& one : messages) one.fresh ? accept(one.fresh) : one.run(*this);
  return !messages.empty();
}

bool driver::core::step() {
  if (!adopt()) return false;
  current_device = -1;  // Another thread may have stepped before.
  bool moved = take_messages();
  for (const auto& device : devices) moved |= poll(*device);
  for (const auto& device : devices) moved |= complete(*device);
  for (const auto& device : devices) moved |= move_data(*device);
  moved |= schedule_host();
  for (const auto& device : devices) {
    moved |= schedule(*device);
    look_ahead(*device);
    clean(*device);
    moved |= move_data(*device);
  }
  for (const auto& device : devices) moved |= clear_up(*device);
  for (const auto& device : devices) {
    if (!device->dead && !device->failing && !device->graves->empty() &&
        device->api->set_device(device->ordinal).ok()) {
      device->graves->reap(false);
      current_device = -1;
    }
  }
  forget_gone_data();
  std::vector<callback> ready;
  ready.swap(callbacks);
  leave();
  for (const callback& one : ready) tell(one);
  return moved || !ready.empty();
}

void driver::core::tell(const callback& one) {
  if (one.call) return one.call();
  if (one.done) one.done(one.error);
  open.fetch_sub(1, std::memory_order_acq_rel);
}

void driver::core::retire(const std::shared_ptr<datum_core>& datum, std::function<void()> gone) {
  datum->gone = std::move(gone);
  retiring.push_back(datum);
}

void driver::core::forget_gone_data() {
  std::erase_if(retiring, [this](const std::shared_ptr<datum_core>& datum) {
    const bool used =
        std::any_of(datum->replicas.begin(), datum->replicas.end(),
                    [](const replica& r) { return r.pins != 0 || r.loading != nullptr; });
    if (used || !datum->tickets.empty() || !all_done(datum->replicas[0].readers) ||
        datum->readers_at_home.must_wait())
      return false;
    for (const auto& device : devices) {
      if (!device->dead) give_block(*device, *datum);
    }
    if (datum->pinned_here) pinned.unpin(datum->home.address);  // Before its memory ends.
    if (datum->gone) tell_later(std::move(datum->gone));
    data.erase(datum);
    return true;
  });
}

bool driver::core::quiet() const {
  if (open.load(std::memory_order_acquire) != 0) return false;
  {
    const std::lock_guard lock(incoming->mutex);
    if (!incoming->messages.empty()) return false;
  }
  if (std::ranges::any_of(data, [](const auto& datum) { return datum->readers_at_home.any(); }))
    return false;
  return std::all_of(devices.begin(), devices.end(), [](const auto& device) {
    return device->to_device.empty() && device->to_host.empty() && device->running.empty();
  });
}

void driver::core::note_host(const datum_core& datum, bool written, std::string_view task) {
  for (const auto& device : devices) {
    if (!device->check) continue;
    device->check->note_host({datum.home.address, datum.bytes(), written}, {task, datum.name});
  }
}

driver::driver(device_set devices, driver_options options)
    : core_(std::make_unique<core>(std::move(devices), options)) {}
driver::~driver() = default;

const device_set& driver::devices() const noexcept { return core_->set; }

coherent_datum driver::hold(memory_block home, std::string name, place where, std::uint64_t number,
                            bool stays) {
  if (!home.contiguous()) {
    throw error(error_code::impossible_extent, "the home of `" + name + "` has gaps",
                {{"registered", deed::to_string(where)}}, "hold contiguous memory");
  }
  auto datum = std::make_shared<datum_core>();
  datum->name = std::move(name);
  datum->where = where;
  datum->number = number;
  datum->home = home;
  datum->stays = stays;
  if (core_->pinned.has(home)) datum->home.space = memory_space::pinned;
  datum->incoming = core_->incoming;
  datum->replicas.resize(core_->devices.size() + 1);
  datum->replicas[0].state = replica_state::modified;
  core_->incoming->post([datum](driver::core& self) { self.data.insert(datum); });
  return coherent_datum(std::move(datum));
}

void driver::retire(coherent_datum datum, std::function<void()> gone) {
  auto held = std::move(datum.core_);
  core_->incoming->post([held, gone = std::move(gone)](core& self) { self.retire(held, gone); });
}

void driver::submit(device_task task) {
  check_operands(task.operands, task.name);
  if (task.device.value < 0 || task.device.value >= core_->set.size()) {
    throw error(error_code::no_worker_can_run, "nothing here can run `" + task.name + "`",
                {{"inserted", deed::to_string(task.where)}, {"devices", core_->set.summary()}},
                "add a `cpu` body");
  }
  auto fresh = std::make_shared<request>();
  fresh->node = task.device.value + 1;
  fresh->name = std::move(task.name);
  fresh->where = task.where;
  fresh->of_caller = task.number;
  fresh->timed = task.timed && core_->options.watch != nullptr;
  fresh->uses.reserve(task.operands.size());
  for (const auto& [datum, mode, version] : task.operands)
    fresh->uses.push_back({datum->core_, mode, version});
  fresh->body = std::move(task.body);
  fresh->on_host = std::move(task.on_host);
  fresh->done = std::move(task.done);
  core_->open.fetch_add(1, std::memory_order_acq_rel);
  core_->incoming->post({std::move(fresh), {}});
}

host_lease driver::acquire(std::span<const operand> operands, std::string name,
                           std::function<void()> granted, place where) {
  if (memory_block home; operands.size() == 1) {
    if (auto lent = core_->lend_at_once(operands.front(), name, home)) {
      host_lease lease(std::move(lent), home);
      if (granted) {
        core_->incoming->post([granted = std::move(granted)](driver::core& self) mutable {
          self.tell_later(std::move(granted));
        });
      }
      return lease;
    }
  }
  check_operands(operands, name);
  auto fresh = std::make_shared<request>();
  fresh->name = std::move(name);
  fresh->where = where;
  for (const auto& [datum, mode, version] : operands)
    fresh->uses.push_back({datum->core_, mode, version});
  return core_->lend(std::move(fresh), std::move(granted));
}

host_lease driver::acquire_to_send(const coherent_datum& datum, std::uint64_t devices,
                                   std::string name, std::function<void()> granted, place where) {
  auto fresh = std::make_shared<request>();
  fresh->name = std::move(name);
  fresh->where = where;
  fresh->uses.push_back({datum.core_, access_mode::read, no_number});
  fresh->to_network_from = devices;
  const std::size_t least = core_->options.pieces_from_bytes;
  fresh->in_pieces = least != 0 && datum.bytes() >= least;
  return core_->lend(std::move(fresh), std::move(granted));
}

host_lease driver::core::lend(std::shared_ptr<request> fresh, std::function<void()> granted) {
  fresh->lease = std::make_shared<host_request>();
  fresh->lease->on_granted = std::move(granted);
  fresh->lease->end = [weak = std::weak_ptr(fresh), in = incoming] {
    in->post([weak](driver::core& self) {
      if (const auto ended = weak.lock()) self.end_host(ended, nullptr);
    });
  };
  open.fetch_add(1, std::memory_order_acq_rel);
  incoming->post({fresh, {}});
  return host_lease(fresh->lease);
}

void driver::prefetch(const coherent_datum& datum, device_id device) {
  core_->incoming->post([held = datum.core_, node = device.value + 1](driver::core& self) {
    if (held->tickets.empty() && !held->poisoned()) self.load(*held, node, copy_reason::prefetch);
  });
}

stream driver::open_stream(device_id device) {
  const adoption mine(*core_);
  device_node& on = core_->node(device.value + 1);
  core_->current_device = -1;
  std::vector<stream> made;
  status outcome{};
  try {
    core_->enter(on);
    outcome = on.graves->open(false, made);
  } catch (const call_failed& refused) {
    outcome = refused.what;
  }
  if (made.empty()) std::rethrow_exception(core_->error_of(on, outcome, nullptr, nullptr));
  return std::move(made.front());
}

bool driver::pin(std::span<std::byte> memory) {
  if (memory.empty()) return false;
  const adoption mine(*core_);
  core_->current_device = -1;
  return core_->pin(memory);
}

void driver::unpin(const std::byte* address) noexcept { core_->pinned.unpin(address); }

bool driver::step() { return core_->step(); }

std::optional<std::chrono::nanoseconds> driver::next_change() const {
  std::optional<std::chrono::nanoseconds> first;
  for (const auto& device : core_->devices) {
    const auto next = device->api->next_change();
    if (next && (!first || *next < *first)) first = next;
  }
  return first;
}

bool driver::asked() const noexcept { return core_->incoming->any.load(std::memory_order_acquire); }

bool driver::idle() const {
  const adoption mine(*core_);
  return core_->quiet();
}

statistics driver::stats() const {
  const adoption mine(*core_);
  statistics all = core_->counters;
  for (const auto& device : core_->devices) {
    all.slabs_allocated += device->memory->slabs_made() + device->pinned->slabs_made();
    all.events_created += device->events.all().size() + device->timers.all().size();
  }
  return all;
}

residency driver::usage(device_id device) const {
  const adoption mine(*core_);
  const arena& memory = *core_->node(device.value + 1).memory;
  return {memory.limit(), memory.reserved(), memory.used(), memory.peak()};
}

bool driver::usable(device_id device) const { return !core_->node(device.value + 1).dead; }

replica_state driver::state(const coherent_datum& datum) const {
  const adoption mine(*core_);
  return datum.core_->replicas[0].state;
}

replica_state driver::state(const coherent_datum& datum, device_id device) const {
  const adoption mine(*core_);
  return datum.core_->replicas[static_cast<std::size_t>(device.value) + 1].state;
}

std::string driver::report() const {
  const adoption mine(*core_);
  constexpr const char* states[] = {"invalid", "loading", "shared", "modified"};
  std::string text;
  for (const auto& device : core_->devices) {
    for (const datum_core* datum : device->residents) {
      const replica& here = datum->replicas[static_cast<std::size_t>(device->node)];
      text += std::to_string(here.block.bytes) + " bytes on " + device->info.name + ": `" +
              datum->name + "`, " + states[static_cast<int>(here.state)] + ", " +
              (here.made_for.empty() ? "fetched ahead" : "for `" + here.made_for + "`") +
              ", registered at " + deed::to_string(datum->where) + "\n";
    }
  }
  return text;
}

}  // namespace deed::gpu
