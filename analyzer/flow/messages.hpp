// SPDX-License-Identifier: MIT
#pragma once

#include "flow/ranks.hpp"

#include <optional>
#include <vector>

/// @file
/// Messages of all ranks, matched: by peer and tag, first in, first out.

namespace deed::check {

/// One end of a message.
struct message_end {
  const occurrence* post = nullptr;
  int rank = 0;  // where it is posted
  std::int64_t peer = 0, tag = 0;
  std::size_t position = 0;  // in the calls of the rank
  const datum_use* use = nullptr;
};

enum class mismatch { never_received, never_sent, tag, peer, type, size };

struct unmatched {
  mismatch what;
  message_end one;                   // the receive where both are known
  std::optional<message_end> other;  // the other end, or the closest to it
};

struct matching {
  bool known = false;  // every rank reached its end, and every peer and tag is a number
  std::vector<std::pair<message_end, message_end>> pairs;  // send, receive
  std::vector<unmatched> left;
};

[[nodiscard]] matching match_messages(const std::vector<rank_run>& ranks);

/// A rank that waits, and for whom.
struct waiting {
  int rank = 0;
  const occurrence* at = nullptr;
  int peer = 0;
  // Of a wait: the message, posted before. Of a send: the receive whose value it passes on.
  const occurrence* behind = nullptr;
};
/// The ranks that wait for each other for ever. `buffered`: a send is done once it is posted.
[[nodiscard]] std::vector<waiting> circle_of_waits(const std::vector<rank_run>& ranks,
                                                   const matching& messages, bool buffered);

/// The sends that pass on what is received from each other: none of them has a value to send.
[[nodiscard]] std::vector<waiting> circle_of_values(const matching& messages);

}  // namespace deed::check
