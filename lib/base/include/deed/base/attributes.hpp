// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Attributes that only Clang knows: for its own warnings, and the model that `deed-check` reads.
///
/// `DEED_MODEL("word", operands…)` says what a type is or what a function does, in a closed
/// vocabulary; GCC would warn about it, so it is nothing there.
///
/// `DEED_ALLOW(D305, "halo cells are disjoint")` in front of a function lets `deed-check` say
/// nothing of that code in it. The reason is required.

#if defined(__clang__)
#define DEED_LIFETIMEBOUND [[clang::lifetimebound]]
#define DEED_VIEW [[gsl::Pointer]]  // A type whose copies refer to memory of others.
#define DEED_ALLOW(code, reason) [[clang::annotate("deed-check", "allow", #code, reason)]]
#define DEED_MODEL(...) [[clang::annotate("deed", __VA_ARGS__)]]
#define DEED_REFUSE_IF(condition, text) __attribute__((diagnose_if(condition, text, "error")))
#else
#define DEED_LIFETIMEBOUND
#define DEED_VIEW
#define DEED_ALLOW(code, reason)
#define DEED_MODEL(...)
#define DEED_REFUSE_IF(condition, text)
#endif
