// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/type_operations.hpp>
#include <deed/runtime/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

/// @file
/// A dry run: real sessions, decisions and messages, but in the place of each value stands how long
/// the chain of tasks is that made it. Memory and bytes are counted as if the values were there.

namespace deed::runtime {

struct replica;
struct borrow_node;

/// Stands for a value of any type; its first half travels.
struct dry_value {
  path_length written;  ///< The longest chain up to its last writer.
  path_length read;     ///< The longest that ends in a reader of it.
};

/// What one rank of a dry run does.
class dry_record {
 public:
  dry_record() = default;
  dry_record(const dry_record&) = delete;
  ~dry_record();

  /// Has name, hash and size of `real`, and dry values. Lives as long as the record.
  [[nodiscard]] const data::type_operations& stand_in(const data::type_operations& real);

  void sent(int peer, const replica& what);
  /// A task that comes behind all of `before`; how long the chain is then.
  [[nodiscard]] path_length run(std::string_view codelet, path_length before, std::uint64_t flops);
  void epoch(const planned_memory& then) { done_.epochs.push_back(then); }

  /// Memory of the real type, zeros, while the borrow lives.
  [[nodiscard]] void* lend(const borrow_node& held);
  void give_back(const borrow_node& held) noexcept;

  [[nodiscard]] const rank_plan& done() const noexcept { return done_; }
  [[nodiscard]] const path_length& longest() const noexcept { return longest_; }

 private:
  struct stand_in_type : data::type_operations {
    const data::type_operations* real;
  };
  struct lent {
    const data::type_operations* type;
    std::byte* storage;
  };
  static void end(const lent& what) noexcept;

  std::map<const data::type_operations*, std::unique_ptr<stand_in_type>> types_;
  std::map<const borrow_node*, lent> lent_;
  rank_plan done_;
  path_length longest_;
};

[[nodiscard]] path_length longer(path_length one, path_length other) noexcept;
[[nodiscard]] std::uint64_t planned_bytes(const replica& copy) noexcept;

/// The ranks of a dry run. `failed` is called where the program of a rank throws, with the plan as
/// far as it got.
plan run_dry(
    int ranks, std::uint64_t seed, const std::function<void(session&, arguments)>& program,
    arguments given, session_options options,
    const std::function<void(int rank, const std::exception& thrown, const plan& so_far)>& failed);

}  // namespace deed::runtime
