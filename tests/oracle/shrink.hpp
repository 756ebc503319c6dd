// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"
#include "worlds.hpp"

#include <chrono>
#include <functional>
#include <string>

/// @file
/// Makes a failing plan small, and a C++ test of it.

namespace oracle {

/// Whether a plan still fails. Of a plan that is no program: false.
using still_fails = std::function<bool(const plan&)>;

/// Runs the plan in a process of its own, so that a crash or a hang is a failure like others.
[[nodiscard]] bool fails_apart(world where, const plan& program, std::chrono::seconds patience);

/// Fewer steps (ddmin), fewer ranks, fewer accesses, merged data, a gentler run; never more.
/// Source of ddmin: Zeller, Hildebrandt, Simplifying and isolating failure-inducing input, 2002.
[[nodiscard]] plan shrink(plan program, const still_fails& fails);

/// A program that does the plan and compares with what the model says, to be compiled as it is.
[[nodiscard]] std::string reproducer(const plan& program);

/// Shrinks and prints.
void report_shrunk(world where, const plan& program, std::chrono::seconds patience);

}  // namespace oracle
