// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Words for libraries that carry none: a file of redeclarations that stands before each unit.

namespace deed::check {

inline constexpr const char* overlay_name = "/deed-check/overlay.hpp";
/// The texts of analyzer/overlays, made part of the program when it is built.
extern const char* const overlay_text;

}  // namespace deed::check
