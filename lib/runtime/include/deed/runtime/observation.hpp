// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/identity.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/access_mode.hpp>
#include <deed/ownership/registrar.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

/// @file
/// What `session.observe(f)` shows of each task, before it is inserted.

namespace deed {

namespace runtime {
class core;
struct task_description;
struct access_description;
}  // namespace runtime

/// One access of a task that is about to be inserted.
class observed_access {
 public:
  [[nodiscard]] access_mode mode() const noexcept;
  /// The name of the datum between ranks.
  [[nodiscard]] deed::tag tag() const;
  /// As reports name it: `now(3,2)`.
  [[nodiscard]] std::string name() const;
  /// Who owns it now; of per-rank data, this rank.
  [[nodiscard]] deed::rank owner() const;
  /// As `handle::bytes()`.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  friend class observed_task;
  observed_access(const runtime::core& home, const runtime::access_description& what) noexcept
      : home_(&home), what_(&what) {}

  const runtime::core* home_;
  const runtime::access_description* what_;
};

/// A task that is about to be inserted. Not to be kept: it ends with the call of the observer.
class observed_task {
 public:
  observed_task(const runtime::core& home, const runtime::task_description& what,
                std::span<const deed::rank> ranks) noexcept
      : home_(&home), what_(&what), ranks_(ranks) {}
  observed_task(const observed_task&) = delete;

  /// The name of the codelet.
  [[nodiscard]] std::string_view name() const noexcept;
  /// Of the call in the program.
  [[nodiscard]] place where() const noexcept;
  /// Who runs it: one rank, but for `on_each`; on per-rank data, this one.
  [[nodiscard]] std::span<const deed::rank> ranks() const noexcept { return ranks_; }
  [[nodiscard]] bool runs_on(deed::rank who) const noexcept;
  /// Accesses, in the order of the call, lists spread out.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The access number `i` in [0, size()).
  [[nodiscard]] observed_access operator[](std::size_t i) const noexcept;
  /// What `flops{n}` said; 0 if nothing.
  [[nodiscard]] std::uint64_t flops() const noexcept;

 private:
  const runtime::core* home_;
  const runtime::task_description* what_;
  std::span<const deed::rank> ranks_;
};

/// Looks at tasks. Empty: nobody does.
using task_observer = std::function<void(const observed_task&)>;

namespace runtime {

void observe(core& home, task_observer&& look, place where);

}  // namespace runtime
}  // namespace deed
