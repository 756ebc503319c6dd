// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/engine.hpp>

#include "inbox.hpp"
#include "peers.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

/// @file
/// Non-blocking reductions, up and down a binary tree of ranks.

namespace deed::transport::detail {

/// A rank's place in the binary tree: its parent is (rank - 1) / 2.
struct tree_place {
  int parent;                   // -1 at the root.
  std::array<int, 2> children;  // -1: none.
  int number_of_children;
  tree_place(int self, int ranks) noexcept;
};

/// All calls inside the progress lock.
class collectives {
 public:
  using done_function = std::function<void(std::span<const std::uint64_t>)>;
  collectives(peer_table& peers, inbox& calls, int self, int ranks)
      : peers_(peers), calls_(calls), place_(self, ranks) {}

  void start(std::span<const std::uint64_t> words, reduce_with with, done_function done);
  /// @return null, or what differs between the ranks.
  std::exception_ptr arrived(int peer, const decoded& frame);

 private:
  struct reduction {
    std::vector<std::uint64_t> words;
    int missing = 0;  // Children and this rank itself.
    std::uint16_t with = 0;
    bool begun = false;
    done_function done;
  };
  reduction& at(std::uint64_t number, std::size_t words, std::uint16_t with);
  void add(std::uint64_t number, reduction& into, std::span<const std::uint64_t> words);
  void finish(std::uint64_t number, std::vector<std::uint64_t> result);
  void emit(frame_kind kind, int to, std::uint64_t number, std::uint16_t with,
            std::span<const std::uint64_t> words);

  peer_table& peers_;
  inbox& calls_;
  tree_place place_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, reduction> open_;
};

}  // namespace deed::transport::detail
