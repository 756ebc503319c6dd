// SPDX-License-Identifier: MIT
#include <deed/runtime/for_each_tile.hpp>
#include <deed/runtime/prepared_task.hpp>

#include "tasks.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

namespace oracle {
namespace {

/// A value that is no plain bytes, to be moved into the task and destroyed with it.
using ballast = std::vector<std::uint64_t>;

void check(const ballast& carried, const task_card& card) {
  if (carried != ballast(static_cast<std::size_t>(card.task) % 5, 7)) {
    throw std::runtime_error("the value of a task was lost");
  }
}

/// Whoever else writes there while the task runs is found.
void fill(std::span<std::uint64_t> room, const task_card& card) {
  std::ranges::fill(room, static_cast<std::uint64_t>(card.task));
}
void check(std::span<const std::uint64_t> room, const task_card& card) {
  if (std::ranges::count(room, static_cast<std::uint64_t>(card.task)) != std::ssize(room)) {
    throw std::runtime_error("the scratch of a task was written by another");
  }
}

template <class A>
void body_of_one(A a, const task_card& card, const ballast& carried,
                 std::span<std::uint64_t> room) {
  check(carried, card);
  fill(room, card);
  const seen values[] = {seen_of(a)};
  run_kernel(card, values);
  check(room, card);
}
template <class A, class B>
void body_of_two(A a, B b, const task_card& card, const ballast& carried) {
  check(carried, card);
  const seen values[] = {seen_of(a), seen_of(b)};
  run_kernel(card, values);
}

template <class A>
constexpr deed::codelet one{"one", &body_of_one<A>};
template <class A, class B>
constexpr deed::codelet two{"two", &body_of_two<A, B>};

template <class T, access_mode Mode>
struct parameter {
  using type = typename deed::ownership::views<T>::write;
};
template <class T>
struct parameter<T, access_mode::read> {
  using type = typename deed::ownership::views<T>::read;
};

/// Calls `use` with the token of a handle.
template <class T, class Use>
void with_token(deed::handle<T>& h, access_mode mode, Use&& use_token) {
  switch (mode) {
    case access_mode::read:
      return use_token(deed::read(h));
    case access_mode::write:
      return use_token(deed::write(h));
    case access_mode::read_write:
      return use_token(deed::read_write(h));
    case access_mode::commute:
      return use_token(deed::commute(h));
    case access_mode::reduce:
      throw std::runtime_error("a typed task of a plan contributes to nothing");
  }
}

/// Calls `call` with the codelet and the arguments of a task.
template <class T, class Call>
void with_arguments(const step& s, std::vector<any_handle>& handles, const task_card& card,
                    Call&& call) {
  const auto handle = [&](std::size_t i) -> deed::handle<T>& {
    return std::get<deed::handle<T>>(handles[static_cast<std::size_t>(s.uses[i].datum)]);
  };
  const ballast carried(static_cast<std::size_t>(s.task) % 5, 7);
  with_token(handle(0), s.uses[0].mode, [&](auto first) {
    using A = typename parameter<T, decltype(first)::mode>::type;
    if (s.uses.size() == 1) {
      return call(one<A>, first, deed::value(card), deed::value(carried),
                  deed::scratch<std::uint64_t>(static_cast<std::size_t>(s.task) % 7));
    }
    with_token(handle(1), s.uses[1].mode, [&](auto second) {
      using B = typename parameter<T, decltype(second)::mode>::type;
      call(two<A, B>, first, second, deed::value(card), deed::value(carried));
    });
  });
}

template <class Call>
void with_types(const step& s, std::vector<any_handle>& handles, const task_card& card,
                Call&& call) {
  std::visit(
      [&](auto& h) {
        if constexpr (is_handle<decltype(h)>) {
          with_arguments<typename std::remove_cvref_t<decltype(h)>::value_type>(s, handles, card,
                                                                                call);
        }
      },
      handles[static_cast<std::size_t>(s.uses.front().datum)]);
}

}  // namespace

void insert_typed(deed::session& session, const step& s, std::vector<any_handle>& handles,
                  const task_card& card) {
  with_types(s, handles, card, [&](const auto& task, auto... arguments) {
    if (!s.pruned) return session.insert_task(task, arguments...);
    const std::pair<std::size_t, std::size_t> only[] = {{0, 0}};
    deed::for_each_tile(session, only, task,
                        [&](std::size_t, std::size_t) { return std::tuple{arguments...}; });
  });
}

std::function<void()> prepare_typed(deed::session& session, const step& s,
                                    std::vector<any_handle>& handles, const task_card& card) {
  std::function<void()> later;
  with_types(s, handles, card, [&](const auto& task, auto... arguments) {
    auto made = std::make_shared<decltype(session.prepare_task(task, arguments...))>(
        session.prepare_task(task, arguments...));
    later = [&session, made] { session.submit(std::move(*made)); };
  });
  return later;
}

}  // namespace oracle
