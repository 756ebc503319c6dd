// SPDX-License-Identifier: MIT
#pragma once

#include "flow/event.hpp"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// What is known at one point of a function: a set of facts, each true on every path or on some.

namespace deed::check {

enum class about {
  live,         // subject: handle; since its registration
  moved,        // subject: handle
  ended,        // subject: handle; by the user, not by its scope
  partitioned,  // subject: handle
  unset,        // subject: handle; registered without a value
  per_rank,     // subject: handle
  of_session,   // subject: handle, request or gate, other: session
  in_place,     // subject: handle, other: memory
  unread,       // subject: handle; the last write that nothing has looked at
  reducing,     // subject: handle; contributions are open
  migrated,     // subject: handle
  borrowed,     // subject: borrow, other: handle
  returned,     // subject: borrow that has ended
  reaches,      // subject: pointer or view, other: the borrow whose datum it points into
  pending,      // subject: handle; a task or message that is not known to be done
  blocked,      // subject: borrow; the task that waits for it
  walks,        // subject: iterator, other: container that it goes over from the beginning
  visited,      // subject: iterator; the task that takes the element where it is
  closed_gate,  // subject: gate; since it was made
  open_gate,    // subject: gate; opened here
  given_gate,   // subject: gate; given to what is not looked into, which may open it
  behind,       // subject: gate; the task that waits for it
  opener,       // subject: gate; pending work that will open it
  leads,        // subject: gate that a task waits for, other: gate that it opens
  started,      // subject: request
  completed,    // subject: request
  closed,       // subject: session
  open,         // subject: session; since it was made here
};

/// A condition and how it came out, for paths that exclude each other.
using assumption = std::pair<std::string, bool>;

struct fact {
  about what = about::live;
  std::string subject, other;      // keys of paths
  const event* because = nullptr;  // where it became true
  mode access = mode::none;
  path subject_path, other_path;
  bool certain = true;           // on every path to here
  std::set<assumption> assumed;  // on which paths, where that is known
};

class state {
 public:
  /// Facts of one kind about one subject; several when paths differ.
  [[nodiscard]] std::vector<const fact*> all(about what, const std::string& subject) const;
  [[nodiscard]] std::vector<const fact*> all(about what) const;
  /// The one that is most certain. Null if there is none.
  [[nodiscard]] const fact* find(about what, const std::string& subject) const;
  /// The same for the subject or an object that it is a part of.
  [[nodiscard]] const fact* find_around(about what, const std::string& subject) const;

  void add(fact f);
  void remove(about what, const std::string& subject);
  template <class Condition>
  void remove_if(const Condition& condition) {
    std::erase_if(facts_, [&](const entry& one) { return condition(*one); });
  }
  /// Everything about this object and its parts, as subject or other.
  void forget(const std::string& object);
  /// What is known of an object, which is another one from now on, or of its parts alone. It stays
  /// the memory of what is registered in place.
  void forget_states(const std::string& object);
  void forget_parts(const std::string& object);
  /// Facts about `from` and its parts are facts about `to` now.
  void rename(const path& from, const path& to);

  void assume(const assumption& a);
  void reconsider(const std::string& variable);

  /// Takes in what is known on another path to the same point. Whether anything changed.
  bool join(const state& other);
  [[nodiscard]] std::size_t size() const { return facts_.size(); }

 private:
  /// Shared by the states that it holds in: a state is copied at every branch of a function.
  using entry = std::shared_ptr<const fact>;
  using entries = std::vector<entry>;
  [[nodiscard]] entries::const_iterator first_of(about what, std::string_view subject) const;

  entries facts_;  // by kind, subject, other, and event where there may be several
  std::set<assumption> assumed_;
};

}  // namespace deed::check
