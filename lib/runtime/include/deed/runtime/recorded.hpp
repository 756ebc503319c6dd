// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/place.hpp>
#include <deed/runtime/session.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>

/// @file
/// What a program says of itself in its recording: `deed::phase` and `deed::record_value`.

namespace deed {

namespace trace {
class stream;
}

/// A named part of the program, from where it stands to the end of its scope: a step, a solver.
/// Phases may lie in each other. Of this rank alone; the tasks that it inserts run when they can,
/// also behind it.
///
/// Threads: the one that made the session, outside of tasks, and its callbacks.
/// Cost: a record at each end; where nothing is recorded, a look.
/// @throws deed::error D806 from elsewhere, only while it is recorded.
///
/// @code{.cpp}
/// for (int i = 0; i < steps; ++i) {
///   const deed::phase step(session, "step", i);
/// @endcode
class [[nodiscard]] phase {
 public:
  DEED_MODEL("pure")
  phase(session& of, std::string_view name, std::int64_t index = 0, place where = place::current());
  DEED_MODEL("pure") ~phase();
  phase(const phase&) = delete;
  phase& operator=(const phase&) = delete;

 private:
  runtime::core* home_;          // Kept until its end; null: nothing is recorded.
  trace::stream* to_ = nullptr;  // Of this thread.
  std::uint32_t name_ = 0;
  std::int64_t index_;
};

/// A value over time, a whole number: particles of this rank, a residual in some unit. At most
/// 65,535 names.
///
/// Threads, cost and errors: as of a phase.
DEED_MODEL("pure")
void record_value(session& of, std::string_view name, std::int64_t value,
                  place where = place::current());

/// A number with a fraction would lose it, and a residual become 0.
template <std::floating_point F>
void record_value(session& /*of*/, std::string_view /*name*/, F /*value*/,
                  place /*where*/ = place::current()) {
  static_assert(
      sizeof(F) == 0,
      "deed[D202] a recorded value is a whole number: of a fraction, say in which unit, as "
      "in `std::llround(1e9 * residual)`");
}

}  // namespace deed
