// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>
#include <deed/trace/events.hpp>

#include <cstdint>
#include <unordered_map>

/// @file
/// What a recording remembers of one event for a later one.

namespace deed::runtime {

/// The name of a transfer in a recording; the rest of it lies in the transfer itself.
struct recorded_transfer {
  std::uint16_t sequence = 0;  ///< Among those that are alike but for it.
  trace::transfer_reason reason = trace::transfer_reason::task;
  bool started = false;
};

/// Counts the transfers that are alike, so that both ends name each of them alike.
/// Threads: the submitter.
class transfer_numbers {
 public:
  /// The next one with a peer of this version of a datum.
  [[nodiscard]] std::uint16_t of_version(trace::direction way, std::uint32_t peer,
                                         std::uint32_t handle, std::uint32_t version) {
    count& known = versions_[{way, peer, handle}];
    if (known.version != version) known = {version, 0};
    return known.next++;
  }
  /// The next message with a peer and a message tag, in a group: the peer may take those of another
  /// group before.
  [[nodiscard]] std::uint16_t of_message(trace::direction way, std::uint32_t peer,
                                         std::uint64_t tag, std::uint32_t group) {
    return messages_[{way, peer, tag, group}]++;
  }

 private:
  struct line {
    trace::direction way;
    std::uint32_t peer;
    std::uint64_t what;
    std::uint32_t group = 0;
    friend bool operator==(const line&, const line&) = default;
  };
  struct line_hash {
    std::size_t operator()(const line& of) const noexcept {
      return mix(of.what, (std::uint64_t{of.group} << 33) + 2 * std::uint64_t{of.peer} +
                              static_cast<std::uint64_t>(of.way));
    }
  };
  struct count {
    std::uint32_t version = 0;
    std::uint16_t next = 0;
  };

  std::unordered_map<line, count, line_hash> versions_;
  std::unordered_map<line, std::uint16_t, line_hash> messages_;
};

/// What was said last of a thread that runs no task: only changes are recorded.
enum class thread_activity : std::uint8_t { running, scheduling, no_task, dependency, fetch };

}  // namespace deed::runtime
