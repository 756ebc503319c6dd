// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Attributes that only Clang knows: for its own warnings, and the model that `deed-check` reads.
///
/// `DEED_MODEL("word", operands…)` says what a type is or what a function does, in a closed
/// vocabulary; GCC would warn about it, so it is nothing there.

#if defined(__clang__)
#define DEED_LIFETIMEBOUND [[clang::lifetimebound]]
#define DEED_MODEL(...) [[clang::annotate("deed", __VA_ARGS__)]]
#define DEED_REFUSE_IF(condition, text) __attribute__((diagnose_if(condition, text, "error")))
#else
#define DEED_LIFETIMEBOUND
#define DEED_MODEL(...)
#define DEED_REFUSE_IF(condition, text)
#endif
