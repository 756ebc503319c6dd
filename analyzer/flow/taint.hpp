// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace deed::check {

/// Why a value may differ between ranks.
struct rank_dependence {
  enum class kind { rank, local, per_rank_datum };
  kind why = kind::rank;
  span at;           // where the dependence enters
  std::string text;  // of it: "std::rand", "mine"
  /// Of a datum per rank: whether something made it differ, or it is only one of each rank.
  bool seen = true;
};

/// Which values of a function differ between ranks. What it does not know counts as equal. A rank
/// that throws ends the job, so that what follows is the same for all that come there.
class taint {
 public:
  taint(const program& all, const function& f);

  [[nodiscard]] std::optional<rank_dependence> of(const value_ref& v) const;
  /// Whether a datum is registered here, with an owner; and whether it is one per rank.
  [[nodiscard]] bool is_owned(const path& datum) const;

 private:
  void spread(const function& f);
  bool spread_to_data(const event& e);
  [[nodiscard]] bool makes_differ(const event& e) const;
  [[nodiscard]] std::vector<std::optional<rank_dependence>> decided(
      const function& f, const std::vector<std::vector<int>>& decides) const;

  const program& all_;
  std::map<std::string, rank_dependence> variables_;
  std::map<std::string, path> borrows_;     // of which datum
  std::map<std::string, bool> registered_;  // with an owner
  std::set<std::string> agreed_;            // data that a collective makes equal on all ranks
  std::set<std::string> differing_;         // data per rank that something made differ
};

}  // namespace deed::check
