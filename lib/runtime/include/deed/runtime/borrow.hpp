// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/checked.hpp>
#include <deed/data/datum.hpp>

#include <memory>
#include <type_traits>
#include <utility>

/// @file
/// `deed::borrow<T>`: host access to a datum, for as long as a scope lasts.

namespace deed {

namespace runtime {

class core;
struct borrow_node;

/// The part of a borrow that does not depend on its type. Ends once, also when it was moved.
class untyped_borrow {
 public:
  untyped_borrow(core& home, borrow_node& held);
  untyped_borrow(untyped_borrow&& other) noexcept
      : home_(other.home_),
        held_(std::exchange(other.held_, nullptr)),
        storage_(other.storage_),
        begun_(other.begun_) {}
  untyped_borrow& operator=(untyped_borrow&&) = delete;
  ~untyped_borrow() { release(); }

  void release() noexcept;
  /// What is lent. In builds that check it, while it is.
  [[nodiscard]] void* storage(unchecked_place) const noexcept { return storage_; }
  [[nodiscard]] void* storage(place) const {
    if (held_ == nullptr) [[unlikely]]
      refuse_use();
    return storage_;
  }

 private:
  /// @throws deed::error D308.
  [[noreturn]] void refuse_use() const;

  core* home_;
  borrow_node* held_;
  void* storage_;
  place begun_;
};

}  // namespace runtime

/// Access to a datum from the program itself. `borrow<const T>` reads, `borrow<T>` writes.
/// Made by `session.borrow(read(h))` and `session.borrow(write(h))`, which wait for the tasks that
/// conflict; tasks inserted later wait for the borrow to end.
///
/// | state   | `read(h)`     | `write(h)` | a task on `h` inserted | `wait()`                     |
/// |---------|---------------|------------|------------------------|------------------------------|
/// | none    | read          | written    | runs                   | waits                        |
/// | read    | read together | D307       | writers wait for it    | D306 if a writer waits       |
/// | written | D307          | D307       | waits for it           | D306 if a task waits         |
///
/// Keeps: the value, until it ends. @throws deed::error D308 if it is used after it was released or
/// moved, in builds without `NDEBUG` and those with `DEED_HARDENED`.
/// Threads: the one that made the session.
template <class T>
class [[nodiscard]] DEED_MODEL("type", "borrow") borrow {
  using traits = data::datum_traits<std::remove_const_t<T>>;
  using storage = typename traits::storage;

  [[nodiscard]] decltype(auto) view() const {
    if constexpr (std::is_const_v<T>) {
      return traits::read_view(*static_cast<const storage*>(inner_.storage(checked_place())));
    } else {
      return traits::write_view(*static_cast<storage*>(inner_.storage(checked_place())));
    }
  }

 public:
  borrow(runtime::core& home, runtime::borrow_node& held) noexcept : inner_(home, held) {}

  /// The value, or its view.
  [[nodiscard]] decltype(auto) operator*() const DEED_LIFETIMEBOUND { return view(); }
  [[nodiscard]] auto operator->() const DEED_LIFETIMEBOUND {
    using seen = decltype(this->view());
    if constexpr (std::is_reference_v<seen>) {
      return std::addressof(view());
    } else {
      struct held_view {
        seen value;
        seen* operator->() { return std::addressof(value); }
      };
      return held_view{view()};
    }
  }
  /// Ends the borrow here instead of at the end of the scope.
  DEED_MODEL("releases", "this") void release() noexcept { inner_.release(); }

 private:
  runtime::untyped_borrow inner_;
};

}  // namespace deed
