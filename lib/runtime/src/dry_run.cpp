// SPDX-License-Identifier: MIT
#include "dry_run.hpp"

#include <deed/base/error.hpp>
#include <deed/transport/sim.hpp>

#include "core.hpp"
#include "virtual_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

namespace deed::runtime {
namespace {

dry_value& value_of(void* storage) { return *static_cast<dry_value*>(storage); }

void construct_dry(void* storage, const data::extents&, data::block_pool*) {
  new (storage) dry_value;
}
void destroy_dry(void*) noexcept {}
std::uint64_t bytes_of_dry(const void*) { return sizeof(path_length); }
const_memory_block source_of_dry(const void* storage) {
  return {static_cast<const std::byte*>(storage), sizeof(path_length)};
}
memory_block prepare_dry(void* storage, std::uint64_t bytes) {
  if (bytes != sizeof(path_length))
    throw error(error_code::message_damaged, "a message of a dry run is damaged", {},
                "run it again");
  return {
      .address = static_cast<std::byte*>(storage), .row_bytes = bytes, .rows = 1, .pitch = bytes};
}
void pack_dry(const void* storage, data::packed_buffer& to) {
  std::memcpy(to.extend(sizeof(path_length)), storage, sizeof(path_length));
}
void unpack_dry(void* storage, std::span<const std::byte> from) {
  std::memcpy(storage, from.data(), std::min(from.size(), sizeof(path_length)));
}

}  // namespace

dry_record::~dry_record() {
  for (const auto& [_, each] : lent_) end(each);
}

const data::type_operations& dry_record::stand_in(const data::type_operations& real) {
  auto& made = types_[&real];
  if (made != nullptr) return *made;
  made = std::make_unique<stand_in_type>();
  static_cast<data::type_operations&>(*made) = {.type_hash = real.type_hash,
                                                .type_name = real.type_name,
                                                .form = data::wire_form::resizable,
                                                .storage_bytes = sizeof(dry_value),
                                                .storage_alignment = alignof(dry_value),
                                                .element_bytes = real.element_bytes,
                                                .construct = construct_dry,
                                                .destroy = destroy_dry,
                                                .bytes = bytes_of_dry,
                                                .source = source_of_dry,
                                                .prepare = prepare_dry,
                                                .pack = pack_dry,
                                                .unpack = unpack_dry,
                                                .is_payload = false,
                                                .wrap = nullptr};
  made->real = &real;
  return *made;
}

void dry_record::sent(int peer, const replica& what) {
  planned_traffic& to = done_.sent_to[peer];
  ++to.transfers;
  to.bytes += planned_bytes(what);
  const auto& type = *static_cast<const stand_in_type*>(what.type)->real;
  if (type.form != data::wire_form::fixed) ++to.unsized;
}

path_length dry_record::run(std::string_view codelet, path_length before, std::uint64_t flops) {
  ++done_.tasks;
  done_.flops += flops;
  ++done_.tasks_of[std::string(codelet)];
  const path_length now{before.tasks + 1, before.flops + flops};
  longest_ = longer(longest_, now);
  return now;
}

void* dry_record::lend(const borrow_node& held) {
  const auto [at, fresh] = lent_.try_emplace(&held);
  if (!fresh) return at->second.storage;
  const replica& copy = held.only.datum();
  const auto& type = *static_cast<const stand_in_type*>(copy.type)->real;
  auto* const storage = static_cast<std::byte*>(
      ::operator new(type.storage_bytes, std::align_val_t{type.storage_alignment}));
  type.construct(storage, copy.shape, nullptr);
  at->second = {&type, storage};
  if (type.form != data::wire_form::fixed) return storage;
  // A tile has its memory from here on, for who only reads it.
  const memory_block room = type.prepare(storage, planned_bytes(copy));
  for (std::size_t row = 0; room.address != nullptr && row < room.rows; ++row)
    std::fill_n(room.address + row * room.pitch, room.row_bytes, std::byte{});
  return storage;
}

void dry_record::give_back(const borrow_node& held) noexcept {
  const auto known = lent_.extract(&held);
  if (!known.empty()) end(known.mapped());
}

void dry_record::end(const lent& what) noexcept {
  what.type->destroy(what.storage);
  ::operator delete(what.storage, std::align_val_t{what.type->storage_alignment});
}

path_length longer(path_length one, path_length other) noexcept {
  return {std::max(one.tasks, other.tasks), std::max(one.flops, other.flops)};
}

std::uint64_t planned_bytes(const replica& copy) noexcept {
  return copy.type->element_bytes * copy.shape.rows * copy.shape.cols;
}

/// In the place of its body: the chain gets one longer.
void core::pretend(context& self, task_node& task) {
  path_length before;
  for (node_access& each : task.accesses()) {
    const dry_value& value = value_of(each.datum().make_storage());
    before = longer(before, each.writes() ? longer(value.written, value.read) : value.written);
  }
  const auto flops = flops_.find(task.number);
  self.events->task_begin(task.number, task.codelet->number);
  const path_length now =
      environment_.dry->run(task.codelet->name, before, flops == flops_.end() ? 0 : flops->second);
  for (node_access& each : task.accesses()) {
    dry_value& value = value_of(each.datum().storage);
    if (each.writes()) {
      value = {now, {}};
    } else {
      value.read = longer(value.read, now);
    }
  }
  heal(task.accesses());
  spend_time_of(self, task.number);
  count(self.tasks_run, std::uint64_t{1});
  static_cast<void>(self.times.runs(*task.codelet));
  self.events->task_end(task.number, trace::task_status::ok);
  retire(self, task);
}

void core::pretend_to_combine(borrow_node& sum) {
  dry_value& into = value_of(sum.only.datum().make_storage());
  if (sum.from != nullptr && sum.from->storage != nullptr)
    into.written = longer(into.written, value_of(sum.from->storage).written);
}

void core::note_memory() {
  planned_memory now{.copies = copies_here_.bytes(), .most_copies = copies_here_.most()};
  for (ownership::slot datum = 0; datum < data_.size(); ++datum) {
    const bool mine =
        data_[datum].type != nullptr && (ledger_.is_per_rank(datum) || owner_of(datum) == rank_);
    if (mine) now.owned += bytes_of(datum);
  }
  environment_.dry->epoch(now);
}

namespace {

plan gathered(const std::vector<dry_record>& records) {
  plan all;
  for (const dry_record& each : records) {
    all.ranks.push_back(each.done());
    all.critical_path = longer(all.critical_path, each.longest());
  }
  return all;
}

}  // namespace

plan run_dry(
    int ranks, std::uint64_t seed, const std::function<void(session&, arguments)>& program,
    arguments given, session_options options,
    const std::function<void(int rank, const std::exception& thrown, const plan& so_far)>& failed) {
  constexpr int most = 1 << 20;
  if (ranks < 1 || ranks > most)
    throw error(error_code::bad_setting, "a dry run of " + std::to_string(ranks) + " ranks",
                {{"wanted", "from 1 to " + std::to_string(most)}},
                "give the number of ranks that it is to be submitted as");
  if (const std::string wrong = too_many_virtual_ranks(ranks); !wrong.empty())
    throw error(error_code::bad_setting, wrong, {}, "ask for fewer, or raise it with sysctl");
  options.devices = {.cuda = false, .hip = false};  // Nothing runs there, either.
  options.summary.clear();  // It would count what stands in for the data: other bytes, no time.
  transport::sim_world world(ranks, {.seed = seed});
  std::vector<dry_record> records(static_cast<std::size_t>(ranks));
  world.run([&](rank self, transport::endpoint& door) {
    const rank_environment environment{
        .rank = self.value,
        .size = ranks,
        .door = &door,
        .time = &world.time(),
        .simulated = true,
        .seed = seed,
        .pass = [&world, self] { world.pass(self); },
        .spend = [&world, self](std::chrono::nanoseconds time) { world.spend(self, time); },
        .dry = &records[static_cast<std::size_t>(self.value)]};
    try {
      session joined(environment, options);
      program(joined, given);
      joined.close();
    } catch (const std::exception& thrown) {
      if (failed) failed(self.value, thrown, gathered(records));
      throw;
    }
  });
  return gathered(records);
}

plan dry_run(int ranks, const std::function<void(session&, arguments)>& program,
             std::span<const std::string> given, const session_options& options) {
  return run_dry(ranks, 1, program, given, options, {});
}

}  // namespace deed::runtime
