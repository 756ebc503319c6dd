// SPDX-License-Identifier: MIT
#pragma once

#include <array>

/// @file
/// Words for libraries that carry none: redeclarations, in a file that stands before each unit, and
/// in headers that stand before those of the libraries.

namespace deed::check {

inline constexpr const char* overlay_name = "/deed-check/overlay.hpp";
/// Where the headers of `overlay_headers` seem to be.
inline constexpr const char* overlay_folder = "/deed-check/include";
/// Defined by the headers, which give a program a model as deed's own do.
inline constexpr const char* overlay_macro = "DEED_OVERLAY";

/// Where `using library::function WORDS;` stands, for functions that cannot be declared again:
/// members, and templates.
inline constexpr const char* overlay_namespace = "deed_overlay";

struct overlay_header {
  const char* name;
  const char* text;
};

/// The texts of analyzer/overlays, made part of the program when it is built.
extern const char* const overlay_text;
extern const std::array<overlay_header, 4> overlay_headers;

}  // namespace deed::check
