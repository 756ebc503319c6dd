// SPDX-License-Identifier: MIT
#pragma once

#include "rules/left_out.hpp"
#include "rules/rule.hpp"

namespace deed::check {

/// Runs a function on 1 to 4 ranks, and lets the rules compare what these do. Where they cannot be
/// followed to the end, the functions that are called behind are run by themselves, too, if they
/// can be. Says what is left out.
void look_across(const whole_function& whole, left_out& what, const sink& keep);

}  // namespace deed::check
