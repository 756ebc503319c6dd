// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/identity.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/registrar.hpp>
#include <deed/ownership/value.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// @file
/// `deed::handle<T>`: the one deed to one datum.

namespace deed {

namespace ownership {

/// The part of a handle that does not depend on its type.
///
/// | state      | used in a token | moved from      | `unregister()` | destroyed       |
/// |------------|-----------------|-----------------|----------------|-----------------|
/// | live       | the datum       | moved           | ended          | ends the datum  |
/// | moved      | D101, or D116   | moved           | D101, or D116  | nothing         |
/// | ended      | D102            | ended           | D102           | nothing         |
///
/// D116 while the datum is partitioned: then the partition has the handle.
class untyped_handle {
 public:
  untyped_handle(registrar& session, slot datum, registration registered) noexcept
      : session_(&session), registered_(registered), datum_(datum) {
    session.keep();
  }
  untyped_handle(untyped_handle&& other) noexcept
      : session_(other.session_),
        registered_(other.registered_),
        datum_(other.datum_),
        state_(std::exchange(other.state_, moved_or(other.state_))) {
    session_->keep();  // The one moved from can still name the datum in a report.
  }
  untyped_handle& operator=(untyped_handle&& other) noexcept {
    untyped_handle taken(std::move(other));
    if (state_ == state::live && session_->open()) session_->overwritten(datum_);
    std::swap(session_, taken.session_);
    std::swap(registered_, taken.registered_);
    std::swap(datum_, taken.datum_);
    std::swap(state_, taken.state_);
    return *this;
  }
  ~untyped_handle();

  /// The datum, for a token.
  /// @throws deed::error D101, D102, D116 by the table; D801 if the session has ended.
  [[nodiscard]] slot datum(place wanted) const {
    if (state_ != state::live || !session_->open()) refuse(wanted);
    return datum_;
  }
  [[nodiscard]] registrar& session() const noexcept { return *session_; }
  [[nodiscard]] registration registered() const noexcept { return registered_; }
  void unregister(place where);

 private:
  enum class state : std::uint8_t { live, moved, ended };
  static constexpr state moved_or(state before) noexcept {
    return before == state::live ? state::moved : before;
  }
  [[noreturn]] void refuse(place wanted) const;

  registrar* session_;
  registration registered_;  // A copy: it names the datum also after the end.
  slot datum_;
  state state_ = state::live;
};

}  // namespace ownership

/// The only deed to one datum: who holds it decides what tasks do with it.
///
/// Made by `session.register_data`, equal on all ranks; the owner holds the value. Not for host
/// memory that tasks never touch: a plain variable is enough there.
///
/// States: see `ownership::untyped_handle`.
/// Keeps: nothing; the session keeps the value until the last task on it has run, also when the
///   handle is gone by then.
/// Blocks: never; but the end of a datum in place waits for its last use and for its last value,
///   where the memory is: that is the program's own afterwards.
/// Threads: the one that made the session.
/// Cost: 40 bytes; moving is O(1) and allocates nothing.
template <class T>
class [[nodiscard]] DEED_MODEL("type", "handle") handle {
  static_assert(!std::is_pointer_v<T>,
                "deed[D903] handle<T*> holds an address, which means nothing on another rank; "
                "make the data the value");

 public:
  using value_type = T;

  handle(ownership::registrar& session, ownership::slot datum,
         ownership::registration registered) noexcept
      : inner_(session, datum, registered) {}

  handle(handle&&) noexcept = default;
  handle& operator=(handle&&) noexcept = default;
  // The compilers print these lines: each says why in itself.
  handle() = delete;               // deed[D110] a handle is made by `session.register_data(…)`
  handle(const handle&) = delete;  // deed[D101] a handle is the only deed to its data: move it
  handle& operator=(const handle&) = delete;  // deed[D101] a handle is the only deed: move it

  /// Ends the datum here instead of at the end of the scope; no task can name it any more.
  /// Collective: every rank, at the same place in its sequence.
  /// Blocks: only for a datum in place, as above.
  /// @throws deed::error D101, D102 if there is nothing to end.
  DEED_MODEL("consumes", "this")
  DEED_MODEL("step", "unregister") void unregister(place where = place::current()) && {
    inner_.unregister(where);
  }

  /// The rank that owns the datum now. Not for a datum that is per rank.
  [[nodiscard]] DEED_MODEL("owner_of", "this") DEED_MODEL("pure") deed::owner
      owner(place where = place::current()) const {
    const auto datum = inner_.datum(where);
    return deed::owner{inner_.session().owner_of(datum)};
  }
  /// The name of the datum between ranks.
  [[nodiscard]] DEED_MODEL("pure") deed::tag tag(place where = place::current()) const {
    const auto datum = inner_.datum(where);
    return deed::tag{inner_.session().tag_of(datum)};
  }
  /// Bytes of a value, by type and extents, so equal on all ranks: of a type whose values have
  /// lengths of their own (`std::vector`), the object without what it refers to.
  [[nodiscard]] DEED_MODEL("uniform") DEED_MODEL("pure") std::uint64_t
      bytes(place where = place::current()) const {
    const auto datum = inner_.datum(where);
    return inner_.session().bytes_of(datum);
  }

  /// For the library: the handle without its type.
  [[nodiscard]] const ownership::untyped_handle& untyped() const noexcept { return inner_; }

 private:
  ownership::untyped_handle inner_;
};

}  // namespace deed
