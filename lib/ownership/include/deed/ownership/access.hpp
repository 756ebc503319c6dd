// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/access_mode.hpp>
#include <deed/ownership/handle.hpp>

#include <type_traits>

/// @file
/// Access tokens, the typed proof of what a call may do with a datum: `read(h)`, `write(h)`, …

namespace deed {

/// A transfer completes only when its receive has begun: `send(…, synchronous)`, and
/// `read(h, synchronous)` for what one task's use of a datum moves.
struct synchronous_t {
  explicit synchronous_t() = default;
};
inline constexpr synchronous_t synchronous{};

/// Says that a call may use one datum in one way, and where the user asked for it.
/// Made by `read`, `write`, `read_write` and `commute`; the currency of `insert_task`, `borrow`,
/// `send`, `receive` and all others. Good until the end of the statement.
template <class T, access_mode Mode>
struct [[nodiscard]] DEED_MODEL("type", "token") access {
  using value_type = T;
  static constexpr access_mode mode = Mode;

  ownership::registrar* session;
  ownership::slot datum;
  place where;
  bool synchronous = false;  ///< Its transfers are: `read(h, synchronous)`.
};

namespace ownership {

template <access_mode Mode, class T>
access<T, Mode> make_access(const handle<T>& h, place where) {
  const untyped_handle& untyped = h.untyped();
  return {&untyped.session(), untyped.datum(where), where};
}

}  // namespace ownership

/// Asks to read the current version.
/// @throws deed::error D101, D102, D801 if `h` names no datum any more.
template <class T>
DEED_MODEL("accesses", "read")
access<T, access_mode::read> read(const handle<T>& h, place where = place::current()) {
  return ownership::make_access<access_mode::read>(h, where);
}
/// As above; what the task's use of it moves is sent in synchronous mode.
template <class T>
DEED_MODEL("accesses", "read")
access<T, access_mode::read> read(const handle<T>& h, synchronous_t,
                                  place where = place::current()) {
  access<T, access_mode::read> token = read(h, where);
  token.synchronous = true;
  return token;
}
template <class T>
access<T, access_mode::read> read(const handle<T>&&) {
  static_assert(
      sizeof(T) == 0,
      "deed[D101] the handle is a temporary and ends with this statement; keep it in a variable");
}

/// Asks to overwrite the whole datum: the old value is not brought.
/// @throws as `read`.
template <class T>
DEED_MODEL("accesses", "write")
access<T, access_mode::write> write(handle<T>& h, place where = place::current()) {
  return ownership::make_access<access_mode::write>(h, where);
}
/// As above; what the task's use of it moves is sent in synchronous mode.
template <class T>
DEED_MODEL("accesses", "write")
access<T, access_mode::write> write(handle<T>& h, synchronous_t, place where = place::current()) {
  access<T, access_mode::write> token = write(h, where);
  token.synchronous = true;
  return token;
}
template <class T>
access<T, access_mode::write> write(const handle<T>&) {
  static_assert(sizeof(T) == 0, "deed[D203] the handle is const here; take `deed::handle<T>&`");
}
template <class T>
access<T, access_mode::write> write(const handle<T>&&) {
  static_assert(
      sizeof(T) == 0,
      "deed[D101] the handle is a temporary and ends with this statement; keep it in a variable");
}

/// Asks to read the current version and make the next.
/// @throws as `read`.
template <class T>
DEED_MODEL("accesses", "read_write")
access<T, access_mode::read_write> read_write(handle<T>& h, place where = place::current()) {
  return ownership::make_access<access_mode::read_write>(h, where);
}
/// As above; what the task's use of it moves is sent in synchronous mode.
template <class T>
DEED_MODEL("accesses", "read_write")
access<T, access_mode::read_write> read_write(handle<T>& h, synchronous_t,
                                              place where = place::current()) {
  access<T, access_mode::read_write> token = read_write(h, where);
  token.synchronous = true;
  return token;
}
template <class T>
access<T, access_mode::read_write> read_write(const handle<T>&) {
  static_assert(sizeof(T) == 0, "deed[D203] the handle is const here; take `deed::handle<T>&`");
}
template <class T>
access<T, access_mode::read_write> read_write(const handle<T>&&) {
  static_assert(
      sizeof(T) == 0,
      "deed[D101] the handle is a temporary and ends with this statement; keep it in a variable");
}

/// As `read_write`, for tasks whose order among each other does not matter.
/// @throws as `read`.
template <class T>
DEED_MODEL("accesses", "commute")
access<T, access_mode::commute> commute(handle<T>& h, place where = place::current()) {
  return ownership::make_access<access_mode::commute>(h, where);
}
template <class T>
access<T, access_mode::commute> commute(const handle<T>&) {
  static_assert(sizeof(T) == 0, "deed[D203] the handle is const here; take `deed::handle<T>&`");
}
template <class T>
access<T, access_mode::commute> commute(const handle<T>&&) {
  static_assert(
      sizeof(T) == 0,
      "deed[D101] the handle is a temporary and ends with this statement; keep it in a variable");
}

}  // namespace deed
