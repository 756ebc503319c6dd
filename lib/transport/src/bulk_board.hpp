// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

/// @file
/// Where bulk sends and receives of one receiver find each other.

namespace deed::transport::detail {

/// One end of a bulk operation.
struct bulk_end {
  int peer;  // The sending rank.
  std::uint32_t tag;
  memory_block room;          // Of a receive.
  const_memory_block source;  // Of a send.
  std::uint64_t cookie;
};

/// Ends that wait for the other one, in order. Few wait at a time: the engine limits them.
class bulk_board {
 public:
  /// The receive that waits for this send, taken out; or the send is kept.
  std::optional<bulk_end> offer(const bulk_end& send) { return meet(send, receives_, sends_); }
  /// The send that waits for this receive, taken out; or the receive is kept.
  std::optional<bulk_end> expect(const bulk_end& receive) {
    return meet(receive, sends_, receives_);
  }
  /// Takes out a receive of `cookie`. @return false: none waits.
  bool cancel_receive(std::uint64_t cookie) { return cancel(receives_, cookie); }
  bool cancel_send(std::uint64_t cookie, int peer) {
    for (auto at = sends_.begin(); at != sends_.end(); ++at) {
      if (at->cookie != cookie || at->peer != peer) continue;
      sends_.erase(at);
      return true;
    }
    return false;
  }
  /// Takes out all that the receiver waits for.
  void forget_receives() noexcept { receives_.clear(); }
  /// Takes out what `peer` wants to send. @return how many.
  std::size_t forget_sends(int peer) {
    return std::erase_if(sends_, [&](const bulk_end& send) { return send.peer == peer; });
  }
  [[nodiscard]] const std::deque<bulk_end>& receives() const noexcept { return receives_; }

 private:
  static std::optional<bulk_end> meet(const bulk_end& mine, std::deque<bulk_end>& theirs,
                                      std::deque<bulk_end>& waiting) {
    for (auto at = theirs.begin(); at != theirs.end(); ++at) {
      if (at->peer != mine.peer || at->tag != mine.tag) continue;
      const bulk_end found = *at;
      theirs.erase(at);
      return found;
    }
    waiting.push_back(mine);
    return std::nullopt;
  }
  static bool cancel(std::deque<bulk_end>& among, std::uint64_t cookie) {
    for (auto at = among.begin(); at != among.end(); ++at) {
      if (at->cookie != cookie) continue;
      among.erase(at);
      return true;
    }
    return false;
  }

  std::deque<bulk_end> receives_, sends_;
};

}  // namespace deed::transport::detail
