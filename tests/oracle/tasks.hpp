// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/handle.hpp>

#include "execute.hpp"
#include "values.hpp"

#include <functional>
#include <type_traits>
#include <variant>
#include <vector>

/// @file
/// Tasks of a plan, inserted through the typed interface or through the core behind it.

namespace oracle {

using any_handle = std::variant<std::monostate, deed::handle<number>, deed::handle<list>,
                                deed::handle<record>, deed::handle<tile>>;
template <class T>
inline constexpr bool is_handle = !std::is_same_v<std::remove_cvref_t<T>, std::monostate>;

/// A value as the kernel takes it; what is only read is not written through it.
inline seen seen_of(const number& x) { return const_cast<number*>(&x); }
inline seen seen_of(const list& x) { return const_cast<list*>(&x); }
inline seen seen_of(const record& x) { return const_cast<record*>(&x); }
inline seen seen_of(deed::tile<const double> x) {
  return tile(const_cast<double*>(x.data()), x.rows(), x.cols(), x.row_stride());
}

/// A step: registers a tile, which has extents and so no call of its own.
[[nodiscard]] deed::handle<tile> register_tile(deed::session& session, int index, const datum& d);

/// Inserts a task, unless it is pruned and does not concern this rank.
void insert(deed::session& session, const plan& program, const step& s,
            std::vector<any_handle>& handles, rank_log& log,
            deed::runtime::call_extras* extras = nullptr);

/// A step: brings the data of a task to the rank that will run it. @return what submits it, a step.
[[nodiscard]] std::function<void()> prepare(deed::session& session, const plan& program,
                                            const step& s, std::vector<any_handle>& handles,
                                            rank_log& log);

/// As a value of a task: no pointers may travel, and these do not, for tasks stay in their process.
struct task_card {
  int task;
  std::uintptr_t step;
  std::uintptr_t program;
  std::uintptr_t log;
};

/// What every body does.
void run_kernel(const task_card& card, std::span<const seen> values);

/// The typed interface, for tasks with one or two accesses of one type.
void insert_typed(deed::session& session, const step& s, std::vector<any_handle>& handles,
                  const task_card& card);
/// The same, for tasks that take lists.
void insert_listed(deed::session& session, const step& s, std::vector<any_handle>& handles,
                   const task_card& card);
[[nodiscard]] std::function<void()> prepare_typed(deed::session& session, const step& s,
                                                  std::vector<any_handle>& handles,
                                                  const task_card& card);

}  // namespace oracle
