// SPDX-License-Identifier: MIT
#pragma once

#include "flow/control.hpp"
#include "flow/function.hpp"

#include <optional>
#include <vector>

/// @file
/// What the body of a codelet does: with its parameters, with the rest of the program, with time.

namespace deed::check {

struct parameter_effects {
  variable_id id = 0;
  bool used = false;                  // the body names it
  bool unknown = false;               // something is done to it that is not seen
  const event* read = nullptr;        // the first one
  const event* write = nullptr;       // the first one
  const event* assignment = nullptr;  // a write that does not look at the old value
  const event* read_first = nullptr;  // a read before which nothing writes
  const event* escape = nullptr;      // its address is stored,
  path kept_in;                       // here
};

struct body_effects {
  std::vector<parameter_effects> parameters;
  std::vector<const event*> global_reads, global_writes;  // of variables that may change
  std::vector<const event*> blocking, ending, remembering;
  const event* always_throws = nullptr;  // every way through the body ends in an exception
  bool locks = false;
};

/// `opened` is the body `own` with its callees opened up; it has to outlive the result.
[[nodiscard]] body_effects effects_of(const program& all, const function& own,
                                      const function& opened);

}  // namespace deed::check
