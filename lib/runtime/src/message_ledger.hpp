// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Verify mode, `messages`: what each rank sent and received explicitly, so that a report names
/// both ends of what did not match.

namespace deed::runtime {

struct statement;
struct verdict;

/// Messages of one direction, peer, tag and line.
struct message_use {
  bool sends = false;
  int peer = 0;
  std::uint64_t channel = 0;  ///< Of a group; 0: the session.
  std::uint64_t tag = 0;
  std::string type, datum, where;
  std::string registered;  ///< "`a` at x.cpp:3".
  std::uint64_t count = 0;
};

/// Those of one rank.
struct rank_messages {
  int rank = 0;
  std::vector<message_use> uses;
};

/// Threads: the submitter.
class message_ledger {
 public:
  struct entry {
    bool sends = false;
    int peer = 0;
    std::uint64_t channel = 0;
    std::uint64_t tag = 0;
    std::string_view type, datum;  ///< Live as long as the session.
    place where, registered;
  };
  /// Cost: a search among the lines that send or receive.
  void add(const entry& one);
  /// A receive that was taken back.
  void take_back(int peer, std::uint64_t tag, place where) noexcept;
  [[nodiscard]] std::vector<message_use> told() const;

 private:
  struct counted_entry : entry {
    std::uint64_t count = 0;
  };
  std::vector<counted_entry> entries_;
};

/// What to say of a message that nobody received. Nothing: all were.
[[nodiscard]] std::optional<verdict> unmatched_message(const std::vector<rank_messages>& all);

/// Where the data were registered that a report names; each once, and not too many.
class registrations {
 public:
  void note(const std::string& registered);
  void add_to(verdict& report) const;

 private:
  std::vector<std::string> noted_;
};

/// Adds the lines of both ends to the report of a deadlock for want of messages.
void name_ends(verdict& result, const std::vector<statement>& ranks, registrations& named);

}  // namespace deed::runtime
