// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/error.hpp>
#include <deed/runtime/session.hpp>

#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

/// @file
/// A task in two steps: its data go ahead, the task follows.

namespace deed {

namespace runtime {

prepared_data prepare(core& home, std::span<const access_description> accesses,
                      const placement& asked, place where);
/// @throws deed::error D102 if one of the data has ended.
void check_prepared(core& home, std::span<const access_description> accesses,
                    const prepared_data& known, place where);

}  // namespace runtime

/// A task whose data are on their way to the rank that will run it. Made by `session.prepare_task`,
/// and handed to `session.submit`.
///
/// Dropped by all ranks, it leaves copies behind and nothing else.
/// Keeps: the arguments of the task; not the data, which may be written or end before it runs: then
///   the task brings the new version, or is refused.
template <class Codelet, class... Arguments>
class [[nodiscard]] prepared_task {
 public:
  prepared_task(prepared_task&& other) noexcept(
      std::is_nothrow_move_constructible_v<std::tuple<Arguments...>>)
      : task_(other.task_),
        arguments_(std::move(other.arguments_)),
        known_(std::move(other.known_)),
        lives_(std::exchange(other.lives_, false)) {}
  prepared_task& operator=(prepared_task&&) = delete;

  /// The rank that runs it; the same everywhere.
  [[nodiscard]] deed::rank executor() const noexcept { return deed::rank{known_.executor}; }

 private:
  friend class session;
  prepared_task(const Codelet& task, std::tuple<Arguments...>&& arguments)
      : task_(task), arguments_(std::move(arguments)) {}

  Codelet task_;
  std::tuple<Arguments...> arguments_;
  runtime::prepared_data known_;
  bool lives_ = true;
};

template <class... Bodies, class... Arguments>
prepared_task<codelet<Bodies...>, std::remove_cvref_t<Arguments>...> session::prepare_task(
    const codelet<Bodies...>& task, Arguments&&... arguments) {
  static_assert((!std::is_same_v<std::remove_cvref_t<Arguments>, on_each> && ...),
                "deed[D410] a prepared task runs on one rank; `on_each` needs no preparation");
  prepared_task<codelet<Bodies...>, std::remove_cvref_t<Arguments>...> made(
      task, {std::forward<Arguments>(arguments)...});
  runtime::placement asked;
  place where;
  std::apply(
      [&](const auto&... each) {
        (runtime::call_arguments::note(asked, where, each), ...);
        made.known_ = runtime::prepare(*core_, runtime::accesses_of(each...), asked, where);
      },
      made.arguments_);
  return made;
}

template <class Codelet, class... Arguments>
void session::submit(prepared_task<Codelet, Arguments...>&& part, place where) {
  if (!std::exchange(part.lives_, false)) {
    throw error(error_code::moved_handle, "a prepared task is submitted again",
                {{"submitted", to_string(where)}}, "prepare another one");
  }
  std::apply(
      [&](const auto&... each) {
        runtime::check_prepared(*core_, runtime::accesses_of(each...), part.known_, where);
      },
      part.arguments_);
  // It is placed already.
  const auto kept = []<class Argument>(Argument& argument) {
    if constexpr (runtime::is_placement<Argument>::value) {
      return std::tuple<>{};
    } else {
      return std::tuple<Argument>(std::move(argument));
    }
  };
  std::apply(
      [&](auto&... each) {
        auto arguments = std::tuple_cat(kept(each)...);
        std::apply(
            [&](auto&... all) { insert_task(part.task_, all..., on(part.executor(), where)); },
            arguments);
      },
      part.arguments_);
}

}  // namespace deed
