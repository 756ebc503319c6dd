// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/base/error_code.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/registrar.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

/// @file
/// Verify mode, `leaks`: what the program made and did not use to its end. Told once, at the end of
/// the session, and no reason to fail.

namespace deed::runtime {

struct leak {
  std::uint16_t code = 0;
  std::string happened;
  std::vector<error::fact> facts;
  std::string help;

  [[nodiscard]] bool same_as(const leak& other) const;
};

/// Those of one rank.
struct rank_leaks {
  int rank = 0;
  std::vector<leak> found;
};

/// Threads: any, but for what notes uses, which is the submitter's.
class leak_list {
 public:
  void add(error_code code, std::string happened, std::vector<error::fact> facts, std::string help);
  [[nodiscard]] std::vector<leak> all() const;

  /// A task or a message of this rank uses the datum.
  void used(ownership::slot datum, bool writes, bool may_be_last) {
    if (datum >= unread_.size()) unread_.resize(std::size_t{datum} + 1);
    unread_[datum] = writes && may_be_last;
  }
  /// Whether nobody has read what was written last; from now on it is another datum.
  [[nodiscard]] bool take_unread(ownership::slot datum) {
    if (datum >= unread_.size() || !unread_[datum]) return false;
    unread_[datum] = false;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<leak> found_;
  std::vector<bool> unread_;  // By slot.
};

/// Each once, with the ranks on which it was found.
[[nodiscard]] std::vector<error> reports_of(const std::vector<rank_leaks>& all);

}  // namespace deed::runtime
