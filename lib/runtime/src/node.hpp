// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/data/block_pool.hpp>
#include <deed/data/packed_buffer.hpp>
#include <deed/data/type_operations.hpp>
#include <deed/ownership/codelet.hpp>
#include <deed/runtime/call_options.hpp>
#include <deed/runtime/task_description.hpp>
#include <deed/tasks/graph.hpp>
#include <deed/tasks/recycler.hpp>
#include <deed/transport/engine.hpp>

#include "contributions.hpp"
#include "failures.hpp"
#include "groups.hpp"
#include "held_datum.hpp"
#include "known_codelet.hpp"
#include "recording.hpp"
#include "tally.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What lies in the task graph: tasks, messages, borrows, ends of data.

namespace deed::runtime {

struct node;

/// This rank's copy of a datum. Made when the rank first has to do with it.
struct replica {
  tasks::chain order;  // The submitter's.
  // What each task looks at lies side by side. Changed by who has write access:
  std::byte* storage = nullptr;         // Null until the first value.
  std::uint64_t packed_bytes = 0;       // Of a packed type, as it arrived; 0: written here since.
  shared_failure poison;                // Why there is no value.
  std::unique_ptr<contributions> pool;  // Of a replica that holds what this rank contributes.
  /// The seat of the thread that wrote it last, plus one; 0: none, or it is small.
  std::atomic<std::uint16_t> keeper{0};
  bool large = false;  // See `is_large`.
  const data::type_operations* type;
  data::extents shape;
  tasks::chain loose;  // Of messages that have no order; the end of the datum waits for them.
  ownership::slot datum = 0;
  std::string_view name;  // As the user knows it, also when the datum has ended.
  int i = -1, j = -1;
  std::uint64_t tag = 0;
  std::uint32_t number = 0;  // Of the registration, for the recording.
  place where;               // Of the registration.
  bool in_place = false;     // Its storage is a view of the program's memory.
  // Changed by who has write access:
  std::uint64_t bytes = 0;                        // That it counts as a copy.
  copy_meter* counted = nullptr;                  // While it is a copy of what another rank owns.
  int origin = 0;                                 // Who owned it when it arrived.
  std::int64_t took_ns = 0;                       // Tasks that wrote it, while that is measured.
  std::shared_ptr<const contribution_rule> rule;  // Of what is added to another replica.
  // Null until a device first has to do with the datum; from then on `storage` holds the value only
  // for who has a lease of it. Changed by `devices`.
  std::atomic<held_datum*> on_devices{nullptr};
  std::atomic<std::uint32_t> device_uses{1};  // Of tasks that devices have, and one of its end.
  node* last = nullptr;                       // Its end, once that waits for those tasks.

  replica() = default;
  replica(const replica&) = delete;
  ~replica() { delete on_devices.load(std::memory_order_acquire); }

  /// "now(3,4)", and "`now(3,4)`".
  [[nodiscard]] std::string full_name() const;
  [[nodiscard]] std::string label() const { return "`" + full_name() + "`"; }

  /// Memory for a value, constructed empty if it was not there. Tiles and spans take theirs from
  /// `blocks`, or from the heap.
  void* make_storage(data::block_pool* blocks = nullptr);
  /// Memory for a value that `make` constructs from `source`.
  void adopt(void (*make)(void* storage, void* source), void* source);
  void free_storage() noexcept;
  /// From now on its memory counts there, or nowhere.
  void count_in(copy_meter* meter) noexcept;
};

static_assert(sizeof(replica) <= 256);

enum class node_kind : std::uint8_t {
  task,
  send,
  receive,
  borrow,
  end,
  after,       // Gates open, a callback runs.
  collective,  // This rank's part of one.
  // What copies of other ranks' data need, beside their transfers:
  claim,    // Memory, before a task writes what another rank owns.
  drop,     // The memory goes.
  gain,     // This rank owns the datum from now on.
  lose,     // It does not any more.
  combine,  // One value from what was contributed.
};

/// What all nodes share. Recycled, never freed while the session lives.
struct node : tasks::vertex {
  node_kind kind = node_kind::task;
  bool spilled = false;     // Tasks: accesses and closure lie on the heap.
  bool leased = false;      // The values of its data were brought home from devices, for it.
  bool placed = false;      // Tasks: a processor is to run it.
  bool followed = false;    // Tasks: something waits until it has run, not only until it may.
  std::int8_t urgency = 0;  // Tasks: their priority, where it fits.
  std::uint16_t access_count = 0;
  union {
    std::uint64_t number = 0;  // In this rank's sequence of insertions; while it lives.
    node* next;                // In a list of free or of finished nodes.
  };
};

[[nodiscard]] constexpr bool is_transfer(const node& any) noexcept {
  return any.kind == node_kind::send || any.kind == node_kind::receive;
}

/// One access of a node: its place in the graph, the replica, what is done with it, and whether it
/// found a copy whose bytes are to be counted.
class node_access {
 public:
  void set(replica& datum, access_mode mode) noexcept {
    tagged_ = reinterpret_cast<std::uintptr_t>(&datum) | (deed::writes(mode) ? writing : 0) |
              (deed::reads(mode) ? reading : 0);
  }
  void set_hit() noexcept { tagged_ |= found; }
  [[nodiscard]] replica& datum() const noexcept {
    return *reinterpret_cast<replica*>(tagged_ & ~(writing | reading | found));
  }
  [[nodiscard]] bool writes() const noexcept { return (tagged_ & writing) != 0; }
  [[nodiscard]] bool reads() const noexcept { return (tagged_ & reading) != 0; }
  [[nodiscard]] bool hit() const noexcept { return (tagged_ & found) != 0; }

  tasks::link at;

 private:
  static constexpr std::uintptr_t writing = 1, reading = 2, found = 4;
  static_assert(alignof(replica) >= 8);
  std::uintptr_t tagged_ = 0;
};

class core;

/// A task that runs here: 256 bytes, with six accesses or fewer and a closure; more spills.
struct alignas(64) task_node : node {
  static constexpr std::size_t room_bytes = 256 - sizeof(node) - 3 * sizeof(void*);

  const body_operations* body = nullptr;
  const known_codelet* codelet = nullptr;
  place where;
  std::byte room[room_bytes];

  [[nodiscard]] std::byte* contents() noexcept {
    return spilled ? *reinterpret_cast<std::byte**>(room) : room;
  }
  [[nodiscard]] std::span<node_access> accesses() noexcept {
    return {reinterpret_cast<node_access*>(contents()), access_count};
  }
  [[nodiscard]] void* closure() noexcept { return contents() + before_closure(); }
  /// Bytes of the accesses, and of the gap behind them.
  [[nodiscard]] std::size_t before_closure() const noexcept {
    const std::size_t align = body->closure_alignment;  // A power of two: no division.
    return (access_count * sizeof(node_access) + align - 1) & ~(align - 1);
  }
  [[nodiscard]] std::span<const node_access> accesses() const noexcept {
    return const_cast<task_node&>(*this).accesses();
  }
  /// Makes room for its accesses and closure.
  void furnish();
  void clear_closure() noexcept {
    if (body->destroy_closure != nullptr) body->destroy_closure(closure());
  }
  void free_spilled() noexcept;
};
static_assert(sizeof(task_node) == 256);

/// A task that runs in `insert_task`, as a signal handler or `exit` finds it. It has no body: it
/// lies in no graph.
struct task_at_once : task_node {
  const core* home = nullptr;
  const task_description* asked = nullptr;  // While it runs.
};

/// Whoever completes a node other than a task: it has one access at most.
struct small_node : node {
  node_access only;
  tasks::link room;  // Among what takes and gives memory for copies.
  [[nodiscard]] std::span<node_access> accesses() noexcept { return {&only, access_count}; }
};

/// What follows a task or a message when it is complete: gates open, a function of the program
/// runs.
struct after_node : node {
  tasks::edge entry;  // From what it follows.
  std::vector<std::shared_ptr<gate_state>> opens;
  std::function<void(const message_status&)> call;
  request_state* request = nullptr;
  message_status status{deed::rank{0}, message_tag{0}, 0};
  std::string_view what;  // It follows: "send".
  place where;
  trace::gate_cause cause = trace::gate_cause::task;  // Of what it opens, for recordings.
  std::uint64_t by = 0;
};

struct transfer_node;

/// Explicit messages of one direction, peer and tag arrive in order.
struct lane_key {
  node_kind direction = node_kind::send;
  int peer = 0;
  std::uint64_t channel = 0;
  std::uint64_t tag = 0;
  [[nodiscard]] std::size_t hash() const noexcept;
  friend bool operator==(const lane_key&, const lane_key&) = default;
};

/// Those of them that have not started, in the order of submission.
struct message_lane {
  lane_key key;
  message_lane* next = nullptr;  // In its bucket, or in the list of free ones.
  transfer_node *first = nullptr, *last = nullptr;
  bool starts = false;  // A thread is starting one of them.
};

/// A transfer, explicit or implied: one operation of the engine.
struct transfer_node : small_node {
  core* home = nullptr;
  union {
    transport::send_operation sending;
    transport::receive_operation receiving;
  };
  data::packed_buffer packed;        // Of values that are no plain bytes.
  request_state* request = nullptr;  // Null: nobody waits for it.
  after_node* after = nullptr;
  std::uint64_t arrived = 0;           // Bytes that came or left.
  const group_state* group = nullptr;  // In which the status counts; null: the session.
  // Messages, under the lock of their lanes:
  message_lane* lane = nullptr;
  transfer_node* behind = nullptr;  // The next in its lane.
  bool ready = false;               // It waits for those before it only.
  bool has_request = false;         // Since it was submitted; `request` may be gone.
  bool cancellable = false;         // A receive with a request.
  bool started = false;             // The engine has it.
  bool cancelled = false;           // Completes without having moved anything.
  bool loose = false;               // `unordered`.
  bool counted = false;             // Among those of its datum that are under way.
  place where;
  std::exception_ptr failure;  // Of the network, or both ends differ.
  std::exception_ptr thrown;   // By the type of the value.
  std::uint32_t version = 0;   // Of the datum, as this rank counts.
  // In an iteration that runs again, by how much its number and version grow:
  std::uint32_t next_number = 0, next_version = 0;
  recorded_transfer recorded;
  transfer_node() : sending() {}
  ~transfer_node() {}
};

/// Host access: ready when `granted`, complete when the borrow ends. Or the end of a datum.
struct borrow_node : small_node {
  std::atomic<bool> granted{false};
  access_mode mode = access_mode::read;
  ownership::slot datum = 0;
  place where;
  tasks::link loose;        // The end of a datum: behind its messages without order.
  replica* from = nullptr;  // combine: what is added; null: what tasks of this rank contributed.
  node_access other;        // combine: of `from`.
};

/// Nodes of one kind.
template <class Node>
class node_pool : public tasks::recycler<Node> {
 public:
  [[nodiscard]] Node& take() {
    Node& taken = tasks::recycler<Node>::take();
    taken.open();
    return taken;
  }
};

}  // namespace deed::runtime
