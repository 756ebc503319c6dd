// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace deed::check {

class control;

/// Why a value may differ between ranks.
struct rank_dependence {
  /// `own_element`: of a list of data, each rank looks at another one. `own_value`: only some ranks
  /// give it what they have read. `computed`: a number with a fraction, by which nobody is chosen.
  enum class kind { rank, local, per_rank_datum, own_element, own_value, computed };
  kind why = kind::rank;
  span at;           // where the dependence enters
  std::string text;  // of it: "std::rand", "mine"
  /// Of a datum per rank: whether something made it differ, or it is only one of each rank.
  bool seen = true;
  std::string member = {};  // of a datum: the one that is looked at, "view->residual"
};

[[nodiscard]] inline bool is_of_environment(const rank_dependence& why) {
  return why.why == rank_dependence::kind::local && asks_environment(why.text);
}

/// Which values of a function differ between ranks. What it does not know counts as equal. A rank
/// that throws ends the job, so that what follows is the same for all that come there.
class taint {
 public:
  taint(const program& all, const function& f) : taint(all, f, 0) {}

  [[nodiscard]] std::optional<rank_dependence> of(const value_ref& v) const;
  /// Whether the rank, or an owner, has a say in a value: then it may be a guard.
  [[nodiscard]] bool asks_for_rank(const value_ref& v) const;
  /// Why ranks differ where both a rank or an owner, and what is read or known there, decide:
  /// `session.owns(x) && *view > 1`.
  [[nodiscard]] std::optional<rank_dependence> own_reading(const value_ref& v) const;
  /// Whether a datum is registered here, with an owner; of a list, whether all of them are.
  [[nodiscard]] bool is_owned(const path& datum) const;

 private:
  using reason = std::optional<rank_dependence>;
  /// Why a block runs on some ranks, and behind which branch.
  struct decision {
    reason why;
    int split = 0;
  };

  /// What a parameter of a body stands for: what differs as a whole, or in some members.
  struct differing {
    reason whole;
    std::map<std::string, rank_dependence> members;
  };
  using givens = std::map<variable_id, differing>;
  using members = std::set<std::string>;

  taint(const program& all, const function& f, int depth, const givens& begin = {});
  void spread(const function& f);
  bool spread_to_data(const event& e);
  bool spread_to_container(const event& e, const reason& decided);
  bool spread_to_elements(const path& element, const reason& why);
  bool spread_to_call(const event& e);
  bool spread_to_object(const path& to, const path& from, const value_ref& v);
  bool spread_to_copy(const path& from, const path& to);
  bool spread_to_braces(const path& object, const value& list);
  bool spread_to_registered(const event& e);
  bool spread_to_lent(const event& e);
  bool note_differs(const std::string& datum, const std::string& member);
  bool note_variable(const std::string& name, const rank_dependence& why);
  [[nodiscard]] bool is_seen(const path& variable) const;
  bool note_member(const path& object, const std::string& member, const rank_dependence& why);
  void note_calls(const function& f);
  void note_unlike(const event& e);
  void note_return(const event& e);
  void note_settled(const event& e);
  void note_held(const event& e);
  void note_given_anew(const event& e, std::set<std::string>& begun);
  [[nodiscard]] reason of_variable(const path& where) const;
  [[nodiscard]] reason of_length(const value& asked) const;
  [[nodiscard]] reason of_content(const path& borrow, const std::string& member,
                                  const span& at) const;
  [[nodiscard]] bool differs(const std::string& datum, const std::string& member) const;
  [[nodiscard]] differing what_differs(const operand& given_to_task) const;
  [[nodiscard]] members members_of(const std::string& object) const;
  [[nodiscard]] std::optional<members> made_differ(const event& task, const operand& token) const;
  [[nodiscard]] reason of_any(const std::vector<value_ref>& parts) const;
  [[nodiscard]] reason of_call(const value& call) const;
  [[nodiscard]] reason of_function(const std::string& callee) const;
  [[nodiscard]] std::string container_of(const path& element) const;
  [[nodiscard]] reason own_element(const path& datum) const;
  [[nodiscard]] bool is_given_by_some(const function& f, const control& decisions, const event& e,
                                      std::size_t block) const;
  [[nodiscard]] bool makes_differ(const event& e) const;
  [[nodiscard]] std::vector<decision> decided(const function& f,
                                              const std::vector<std::vector<int>>& decides) const;

  const program& all_;
  const int depth_;                                // of calls whose results are looked at
  mutable std::map<std::string, reason> results_;  // of functions
  reason returned_;                                // why what it returns is known to one rank only
  std::map<std::string, std::string> iterators_;   // into which container
  std::map<std::string, rank_dependence> lengths_, elements_;  // of containers
  std::set<std::string> given_;                                // containers that others may fill
  std::map<std::string, rank_dependence> variables_;
  std::set<std::string> settled_;           // variables that a broadcast or its like makes equal
                                            // on all ranks: from where on, is not followed
  std::map<span, rank_dependence> values_;  // of calls whose bodies were looked into, by place
  std::map<span, std::set<span>> returns_;  // where these return
  std::set<span> several_;                  // calls at places that several ways lead to
  std::map<std::string, path> borrows_;     // of which datum
  std::map<std::string, bool> registered_;  // with an owner
  std::map<std::string, std::set<std::string>> held_;  // handles, by the list that they are put in
  std::set<std::string> agreed_;            // data that a collective, or a message of one rank to
                                            // others, makes equal on all ranks
  std::set<std::string> differing_;         // data per rank that something made differ
  std::map<std::string, members> members_;  // those of them of which it is known that these differ
  std::set<std::string> begun_;             // parameters that stand for what differs
  std::set<std::string> unlike_;            // lists of data that are not made alike
};

}  // namespace deed::check
