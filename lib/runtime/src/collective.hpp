// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/packed_buffer.hpp>
#include <deed/runtime/collective_call.hpp>

#include "node.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// One rank's part in a collective: a node of the graph that, once its data are free, goes from
/// stage to stage, each as many messages as it needs.

namespace deed::runtime {

class core;
class collective_run;

/// Complete when this rank's part is.
struct collective_node : node {
  std::array<node_access, 2> uses;
  std::unique_ptr<collective_run> run;
  request_state* request = nullptr;
  after_node* after = nullptr;
  place where;
  [[nodiscard]] std::span<node_access> accesses() noexcept {
    return std::span(uses).first(access_count);
  }
};

/// Which collective a message belongs to; in the place of its version.
struct collective_channel {
  collective_kind kind;
  int root;
  std::uint32_t group = 0;
  [[nodiscard]] std::uint64_t word() const noexcept;
  [[nodiscard]] static bool is(std::uint64_t word) noexcept { return (word >> 63) != 0; }
  [[nodiscard]] static collective_channel of(std::uint64_t word) noexcept;
  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] std::uint64_t recorded() const noexcept;
  /// "`gather` to rank 2".
  [[nodiscard]] std::string text() const;
};

/// The state machine. Reductions go up a binomial tree of contiguous ranks, so that values meet in
/// the order of ranks, and the same in each run; broadcasts go down one. Each of n ranks sends
/// log2(n) messages of an all_gather, not n.
/// Source: Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in
/// MPICH, 2005 (binomial trees); Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient algorithms for
/// all-to-all communications in multiport message-passing systems, 1997, section 4 (all_gather).
/// Threads: one at a time; completions of its messages from any.
class collective_run {
 public:
  /// `given`, `taken`: this rank's copies, if the sides are data and it has to do with them.
  collective_run(core& home, collective_node& node, transport::engine& engine, std::uint64_t number,
                 collective_description&& what, replica* given, replica* taken,
                 const group_state* group);
  ~collective_run();

  /// Whether a message is a part of it.
  [[nodiscard]] bool is(const transport::transfer& part) const noexcept {
    return part.version == channel() && part.tag == number_;
  }
  /// In recordings: which call it is, and its number among those of its group.
  [[nodiscard]] std::uint64_t recorded() const noexcept;
  [[nodiscard]] std::uint32_t recorded_number() const noexcept {
    return static_cast<std::uint32_t>(number_);
  }
  /// Whether it went on before.
  [[nodiscard]] bool has_begun() const noexcept { return next_ != &collective_run::begin; }
  /// Goes on until messages are awaited, or to the end. @return whether it is complete.
  bool go_on();
  [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
  [[nodiscard]] message_status status() const noexcept;
  /// Complete: why there is no value, if somebody had none to give or the operation threw.
  [[nodiscard]] const shared_failure& why_missing() const noexcept { return why_; }
  /// Whether this rank was to get something.
  [[nodiscard]] bool takes() const noexcept;
  /// This rank's copy of what it was to get; null: none, or memory of the program.
  [[nodiscard]] replica* taken() const noexcept { return taken_; }

 private:
  using stage = void (collective_run::*)();
  struct message;

  void begin();
  void gather();
  void scatter();
  void broadcast();
  void reduce();
  void all_gather();
  void pass_on();
  void take_parts();
  void all_to_all();
  void assemble();
  void take_part();
  void fold();
  void spread();
  void finish_reduction();
  void hear();
  void combine(void* into, const void* from);

  void send(int peer, part_bytes bytes);
  message& receive(int peer);
  [[nodiscard]] part_bytes given(data::packed_buffer& room) const;
  void unpack_taken(part_bytes bytes);
  [[nodiscard]] int parent() const noexcept;
  [[nodiscard]] deed::rank in_session(int peer) const noexcept;
  /// Members with a part: all, or all but the root.
  [[nodiscard]] int parts() const noexcept { return size_ - (what_.root_apart ? 1 : 0); }
  /// What is combined comes to all.
  [[nodiscard]] bool reduces_for_all() const noexcept;
  [[nodiscard]] std::uint64_t channel() const noexcept;
  void done(const std::exception_ptr& error) noexcept;

  core& home_;
  collective_node& node_;
  transport::engine& engine_;
  const group_state* const group_;
  const int rank_, size_;  // In the group.
  const std::uint64_t number_;
  const collective_description what_;
  replica* const given_;
  replica* const taken_;
  void* give_storage_ = nullptr;
  void* take_storage_ = nullptr;
  std::deque<message> messages_;
  std::vector<message*> parts_;  // By rank; null: this rank's own, or none.
  data::packed_buffer own_;
  // all_gather: the parts of this rank, the next one, …, as far as they are here.
  data::packed_buffer gathered_;
  std::vector<std::uint64_t> lengths_;
  std::atomic<int> pending_{0};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  shared_failure why_;
  stage next_ = &collective_run::begin;
  std::uint64_t moved_ = 0;
};

}  // namespace deed::runtime
