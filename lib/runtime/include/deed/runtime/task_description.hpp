// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/identity.hpp>
#include <deed/base/place.hpp>
#include <deed/data/type_operations.hpp>
#include <deed/ownership/access_mode.hpp>
#include <deed/ownership/codelet.hpp>
#include <deed/ownership/registrar.hpp>
#include <deed/runtime/contribution_rule.hpp>
#include <deed/runtime/selection.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The untyped core's view of a call: what the typed skin hands to compiled code.

namespace deed::gpu {
class enqueue;
}

namespace deed::runtime {

struct call_extras;

/// One access token without its type.
struct access_description {
  const ownership::registrar* session;
  ownership::slot datum;
  access_mode mode;
  place where;
  bool synchronous = false;  ///< What a task's use of it moves.
};

/// What a body runs on: the storages of its accesses, in order, its values and its scratch.
struct task_frame {
  void* const* storages;
  void* closure;
  std::byte* scratch = nullptr;
};

/// Where one access of a task lies on a device. `shape` is that of the registration.
struct device_operand {
  std::byte* address;
  std::size_t bytes;
  data::extents shape;
};

/// What a body for devices works on: its accesses, in order, its values and its scratch.
struct device_frame {
  gpu::enqueue& queue;
  const device_operand* operands;
  void* closure;
  std::byte* scratch = nullptr;
};

/// The bodies of a codelet as compiled for one list of arguments; one constant object per
/// instantiation. The closure is what a task carries beside its data: the bodies and its values.
struct body_operations {
  void (*run)(const task_frame&);  ///< Null: no body for processors.
  std::uint32_t closure_bytes;
  std::uint32_t closure_alignment;
  void (*move_closure)(void* to, void* from);
  void (*destroy_closure)(void* closure) noexcept;
  void (*enqueue_cuda)(const device_frame&) = nullptr;  ///< Null: no such body.
  void (*enqueue_hip)(const device_frame&) = nullptr;
  bool stays_here = false;  ///< `run` is for this rank's own storages, which it may only look at.
  /// Its values in words, for ranks to compare; null: it has none.
  void (*tell_values)(const void* closure, std::vector<std::string>& texts) = nullptr;
  /// Of what its frame brings; null: none.
  std::size_t (*scratch_bytes)(const void* closure) = nullptr;
};

/// Who runs a task, if the caller says so: a rank, the owner of a datum, whom a policy chooses, or
/// each of several.
struct placement {
  enum class kind : std::uint8_t { by_rule, on_rank, on_owner_of, by_policy, on_each };
  kind how = kind::by_rule;
  int rank = 0;
  ownership::slot datum = 0;
  const selection_policy* policy = nullptr;        ///< Lives until the call returns.
  const std::vector<deed::rank>* ranks = nullptr;  ///< on_each: null for all; lives as long.
};

struct task_description {
  ownership::codelet_info codelet;
  std::span<const access_description> accesses;
  const body_operations* body;
  void* closure;  ///< Lives until `insert` returns; moved from on the executor only.
  placement where_to_run;
  int priority = 0;
  place where;
  call_extras* extras = nullptr;  ///< Null for most; lives until `insert` returns, moved from.
  std::uint64_t flops = 0;        ///< What it computes, for virtual time.
};

/// Who runs a prepared task, and which data it names: a slot may have another one by then.
struct prepared_data {
  int executor = 0;
  std::vector<std::uint32_t> numbers;  ///< Of their registrations.
};

/// A datum to be registered.
struct registration_description {
  std::optional<int> owner;  ///< None: one on every rank.
  const data::type_operations* type;
  data::extents shape;
  void* source = nullptr;                               ///< Lives until `add_datum` returns.
  void (*make)(void* storage, void* source) = nullptr;  ///< Constructs the first value; null: none.
  std::optional<deed::tag> tag;
  std::string_view name;
  int i = -1, j = -1;                               ///< Place in a collection; -1: none.
  std::shared_ptr<const contribution_rule> rule{};  ///< Of a datum that tasks contribute to.
  bool in_place = false;  ///< `make` makes a view of the program's memory.
  place where;
};

}  // namespace deed::runtime
