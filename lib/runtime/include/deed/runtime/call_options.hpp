// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/access.hpp>
#include <deed/runtime/gate.hpp>
#include <deed/runtime/group.hpp>
#include <deed/runtime/request.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// What a message, a task or a collective may be told beside its data.

namespace deed {

/// A message has no order with the tasks of its datum but that of the gates that it stands behind.
struct unordered_t {
  explicit unordered_t() = default;
};
inline constexpr unordered_t unordered{};

/// What waits for the same thing goes by falling priority. 0 is usual; of tasks, what is beyond
/// -127 and 127 counts as these.
struct priority {
  constexpr explicit priority(int n) noexcept : value(n) {}
  int value;
  friend constexpr auto operator<=>(priority, priority) = default;
};

/// Made by `when_done`.
struct when_done_argument {
  std::function<void(const message_status&)> call;
};
/// `f()`, or `f(status)`, runs once when the call is complete and its data are free again, on a
/// worker of the rank that completes it, before the call opens its gates and `session.wait()`
/// returns there. Two of them may run at once, also those of one datum: gates alone order them.
/// It may send, receive and insert tasks on per-rank data, and open gates; it must not wait (D705).
template <class Function>
[[nodiscard]] DEED_MODEL("calls", 0) when_done_argument when_done(Function f) {
  if constexpr (std::invocable<Function&, const message_status&>) {
    return {std::move(f)};
  } else {
    static_assert(std::invocable<Function&>,
                  "deed[D202] `when_done` calls a function without arguments, or with a `const "
                  "deed::message_status&`; give it one of these");
    return {[f = std::move(f)](const message_status&) mutable { f(); }};
  }
}

namespace runtime {

/// What comes before and after a call. Empty for most.
struct call_extras {
  std::vector<std::shared_ptr<gate_state>> behind;
  std::vector<std::shared_ptr<gate_state>> opens;
  std::function<void(const message_status&)> done;
  request_state* request = nullptr;  ///< Complete with the call; of lists of data.

  void note(behind_argument argument) { behind.push_back(std::move(argument.what)); }
  void note(opens_argument argument) { opens.push_back(std::move(argument.what)); }
  void note(when_done_argument argument) { done = std::move(argument.call); }
  [[nodiscard]] bool any_after() const noexcept {
    return done != nullptr || request != nullptr || !opens.empty();
  }
};

struct message_options : call_extras {
  bool synchronous = false;
  bool unordered = false;
  int priority = 0;
  std::shared_ptr<group_state> group;  ///< Null: the session.
  std::shared_ptr<group_state> among;  ///< Of collectives with a root outside.

  using call_extras::note;
  void note(within_argument argument) { group = std::move(argument.what); }
  void note(synchronous_t) { synchronous = true; }
  void note(unordered_t) { unordered = true; }
  void note(deed::priority chosen) { priority = chosen.value; }
};

template <class T>
inline constexpr bool is_extra =
    std::is_same_v<T, behind_argument> || std::is_same_v<T, opens_argument> ||
    std::is_same_v<T, when_done_argument>;
template <class T>
inline constexpr bool is_message_option =
    is_extra<T> || std::is_same_v<T, within_argument> || std::is_same_v<T, synchronous_t> ||
    std::is_same_v<T, unordered_t> || std::is_same_v<T, deed::priority>;

/// The options of one message, checked.
template <bool receives, class... Options>
message_options options_of(Options&&... options) {
  static_assert((is_message_option<std::remove_cvref_t<Options>> && ...),
                "deed[D202] an option of the message is none; the options are `synchronous`, "
                "`within(group)`, `priority{n}`, `behind(gate)`, `opens(gate)`, `when_done(f)` and "
                "`unordered`");
  static_assert(!receives || !(std::is_same_v<std::remove_cvref_t<Options>, synchronous_t> || ...),
                "deed[D202] only a send is synchronous; say it there");
  static_assert(!(std::is_same_v<std::remove_cvref_t<Options>, unordered_t> || ...) ||
                    (std::is_same_v<std::remove_cvref_t<Options>, behind_argument> || ...),
                "deed[D209] nothing orders this message with the tasks of its datum; name the gate "
                "that it stands behind, with `deed::behind(gate)`");
  message_options all;
  (all.note(std::forward<Options>(options)), ...);
  return all;
}

}  // namespace runtime
}  // namespace deed
