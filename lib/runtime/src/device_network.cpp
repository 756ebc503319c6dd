// SPDX-License-Identifier: MIT
#include "device_network.hpp"

#include "core.hpp"
#include "devices.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

/// @file
/// Whether messages may leave the memory of devices: what the network says of itself, and a trial.

namespace deed::runtime {
namespace {

constexpr std::size_t trial_bytes = std::size_t{64} << 10;
// Below it, a stop on the host costs less than what the network does to reach a device.
constexpr std::size_t least_direct = std::size_t{16} << 10;
constexpr std::uint64_t trial_tag = ~std::uint64_t{0};

/// No two ranks, devices or places have the same.
std::vector<std::byte> pattern_of(int rank, int device) {
  random_source words(mix(static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(device)));
  std::vector<std::byte> bytes(trial_bytes);
  for (std::byte& each : bytes) each = static_cast<std::byte>(words.below(256));
  return bytes;
}

transport::transfer trial_of(int from, int device) {
  return {.kind = transport::transfer_kind::contribution,
          .origin = static_cast<std::uint32_t>(from),
          .tag = trial_tag,
          .version = static_cast<std::uint64_t>(device),
          .bytes = trial_bytes};
}

}  // namespace

std::uint64_t devices::readable(const transport::endpoint_limits& network) const {
  const gpu::device_set& all = driver_.devices();
  std::uint64_t found = 0;
  for (int i = 0; i < std::min(all.size(), 64); ++i) {
    const gpu::backend maker = all[gpu::device_id{i}].made_by;
    const bool reads = maker == gpu::backend::cuda  ? network.reads_cuda
                       : maker == gpu::backend::hip ? network.reads_hip
                                                    : network.reads_emulated && emulated_readable_;
    if (reads) found |= std::uint64_t{1} << i;
  }
  return found;
}

/// A task that does nothing, and says that it writes: from then on the value is there alone.
std::unique_ptr<trial_value> devices::make_trial(int device, std::vector<std::byte> bytes) {
  auto made = std::make_unique<trial_value>();
  made->home = std::move(bytes);
  made->datum.emplace(driver_.hold({made->home.data(), made->home.size(), 1, made->home.size()},
                                   "a trial of the network"));
  bool done = false;
  const auto wait_for = [&](const auto& ended) {
    while (!ended()) {
      if (!driver_.step()) home_.engine_->rest(std::chrono::microseconds(50));
    }
  };
  gpu::device_task task;
  task.device = gpu::device_id{device};
  task.name = "a trial of the network";
  task.operands = {{&*made->datum, gpu::access_mode::read_write}};
  task.body = [](gpu::enqueue&, std::span<const gpu::device_memory>) {};
  task.done = [&](const std::exception_ptr&) { done = true; };
  driver_.submit(std::move(task));
  wait_for([&] { return done; });
  std::ranges::fill(made->home, std::byte{0});
  made->lease.emplace(driver_.acquire_to_send(*made->datum, std::uint64_t{1} << device));
  wait_for([&] { return made->lease->ready(); });
  return made;
}

void devices::end_trial(std::vector<std::unique_ptr<trial_value>>& values) {
  for (const auto& each : values) {
    if (each == nullptr) continue;
    bool gone = false;
    each->lease.reset();
    driver_.retire(std::move(*each->datum), [&gone] { gone = true; });
    while (!gone) {
      if (!driver_.step()) home_.engine_->rest(std::chrono::microseconds(50));
    }
  }
}

bool devices::may_go_early(const node& wanting) const {
  if (wanting.kind != node_kind::send || home_.options_.checksums) return false;
  const auto& message = static_cast<const transfer_node&>(wanting);
  if (message.sending.peer.value == home_.rank()) return false;
  const replica& datum = message.only.datum();
  const const_memory_block lying = datum.type->source(datum.storage);
  const std::size_t least = direct_ != 0 ? least_direct : gpu::driver_options{}.pieces_from_bytes;
  return lying.address != nullptr && lying.contiguous() && lying.bytes() >= least &&
         lying.bytes() == datum.on_devices.load(std::memory_order_acquire)->datum.bytes();
}

const_memory_block devices::to_send(const node& leased) {
  const std::lock_guard lock(leases_mutex_);
  const auto known = leases_.find(&leased);
  if (known == leases_.end()) return {};
  const std::span<const memory_block> memory = known->second.memory();
  const bool there = memory.size() == 1 && memory.front().space == memory_space::device;
  return there ? const_memory_block(memory.front()) : const_memory_block();
}

bool devices::comes_in_pieces(const node& leased) {
  const std::lock_guard lock(leases_mutex_);
  return in_pieces_.contains(&leased);
}

std::uint64_t devices::arrived(const node& leased, std::exception_ptr& lost) noexcept {
  const std::lock_guard lock(leases_mutex_);
  const gpu::host_lease& lease = leases_.at(&leased);
  lost = lease.error();
  return lease.arrived();
}

void network_trial::sent(transport::send_operation& operation,
                         const transport::outcome& result) noexcept {
  static_cast<network_trial*>(operation.context)->end(result.error == nullptr);
}

void network_trial::received(transport::receive_operation& operation,
                             const transport::outcome& result) noexcept {
  static_cast<network_trial*>(operation.context)->end(result.error == nullptr);
}

memory_block network_trial::make_room(transport::receive_operation& operation,
                                      std::uint64_t bytes) {
  auto& self = *static_cast<network_trial*>(operation.context);
  auto& room = self.arrived[operation.what.version];
  room.resize(bytes);
  return {.address = room.data(), .row_bytes = bytes, .rows = 1, .pitch = bytes};
}

network_trial::network_trial(std::size_t count)
    : values(count), given(count), arrived(count), sends(count), receives(count) {}

/// One value of each device to the next rank, and from the one before. Collective.
/// @return whether all that came here was right, and all that left was on a device.
bool core::try_network(int values) {
  const auto count = static_cast<std::size_t>(values);
  trial_ = std::make_unique<network_trial>(count);
  network_trial& all = *trial_;
  all.open = 2 * values;
  const int next = (rank_ + 1) % size(), before = (rank_ + size() - 1) % size();
  const std::uint64_t usable =
      devices_ == nullptr ? 0 : devices_->readable(environment_.door->limits());
  for (std::size_t i = 0; i < count; ++i) {
    const int device = static_cast<int>(i);
    transport::receive_operation& receive = all.receives[i];
    receive.what = trial_of(before, device);
    receive.peer = deed::rank{before};
    receive.destination = &network_trial::make_room;
    receive.completed = &network_trial::received;
    receive.context = &all;
    engine_->receive(receive);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int device = static_cast<int>(i);
    transport::send_operation& send = all.sends[i];
    all.given[i] = pattern_of(rank_, device);
    send.source = {all.given[i].data(), all.given[i].size()};
    if ((usable >> i & 1) != 0) {
      all.values[i] = devices_->make_trial(device, all.given[i]);
      const auto memory = all.values[i]->lease->memory();
      const bool there = memory.size() == 1 && memory.front().space == memory_space::device;
      if (there) send.source = const_memory_block(memory.front());
      all.right = all.right && there;
    }
    send.what = trial_of(rank_, device);
    send.peer = deed::rank{next};
    send.completed = &network_trial::sent;
    send.context = &all;
    engine_->send(send);
  }
  help_until([&] { return all.open.load(std::memory_order_acquire) == 0; });
  for (std::size_t i = 0; i < count; ++i)
    all.right = all.right && all.arrived[i] == pattern_of(before, static_cast<int>(i));
  const bool right = all.right;
  if (devices_ != nullptr) devices_->end_trial(all.values);
  trial_.reset();
  return right;
}

/// Only where there may be such devices: an agreement of all ranks costs a round.
void core::start_network() {
  const device_network wanted = options_.mpi_gpu;
  const bool emulated = options_.devices.emulated.network != gpu::emulated_network::none;
  const bool may = kinds_.cuda.somewhere || kinds_.hip.somewhere || emulated;
  std::string why;
  if (wanted == device_network::off) {
    why = "DEED_MPI_GPU=off";
  } else if (size() == 1) {
    why = "there is no other rank";
  } else if (options_.checksums) {
    why = "DEED_CHECKSUM wants to read what is sent";
  } else if (!may) {
    why = "there is no device whose memory a network could read";
  } else {
    const std::uint64_t usable =
        devices_ == nullptr ? 0 : devices_->readable(environment_.door->limits());
    const int most = static_cast<int>(
        reduce({static_cast<std::uint64_t>(std::bit_width(usable))}, transport::reduce_with::max)
            .front());
    if (most == 0) {
      why = "the network says that it does not read memory of devices";
    } else {
      const bool right = try_network(most);
      // The lowest rank that saw something wrong; all of them if nobody did.
      const auto ranks = static_cast<std::uint64_t>(size());
      const std::uint64_t wrong =
          reduce({right ? ranks : static_cast<std::uint64_t>(rank_)}, transport::reduce_with::min)
              .front();
      if (wrong == ranks) {
        if (devices_ != nullptr) devices_->send_from(usable);
        way_to_network_ = "directly; a trial transfer from each device was right";
        return;
      }
      why = "a trial transfer between devices and the network went wrong on rank " +
            std::to_string(wrong);
    }
  }
  way_to_network_ = "through host memory: " + why;
  if (wanted == device_network::on && rank_ == 0)
    log(log_level::warning, "DEED_MPI_GPU=on, but what leaves a device goes " + way_to_network_);
}

}  // namespace deed::runtime
