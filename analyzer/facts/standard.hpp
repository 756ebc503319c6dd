// SPDX-License-Identifier: MIT
#pragma once

#include "flow/event.hpp"
#include <clang/AST/DeclCXX.h>

/// @file
/// What is known of the C++ and C standard libraries, which carry no words of deed.

namespace deed::check {

/// The standard library's part of the model: what may differ between ranks, what blocks, what ends
/// the process, what keeps a state of its own.
struct standard_effect {
  bool rank_local = false, blocks = false, ends_process = false, keeps_state = false;
};

[[nodiscard]] bool in_standard_library(const clang::Decl& declaration);
/// A thread, or `std::async`: what it is given runs beside the caller.
[[nodiscard]] bool starts_thread(const clang::FunctionDecl& callee);
[[nodiscard]] standard_effect standard_effect_of(const clang::FunctionDecl& callee);
/// Whether a member function of a standard container may move its elements.
[[nodiscard]] bool may_move_elements(const clang::CXXMethodDecl& callee);
/// Whether an object of the standard library holds afterwards what a member function is given.
[[nodiscard]] bool keeps_arguments(const clang::CXXMethodDecl& callee);
/// `reset()` of an optional or of a pointer that owns alone, and an assignment of nothing.
[[nodiscard]] bool ends_what_it_owns(const clang::CXXMethodDecl& callee, const clang::Expr* given);
/// A function of a standard container or view whose result points to the elements.
[[nodiscard]] bool points_into_its_object(const clang::FunctionDecl& callee);
/// What an algorithm of the library does to the elements that an argument points to, or to all of a
/// range: `none` of another function.
[[nodiscard]] effect effect_on_elements(const clang::FunctionDecl& callee,
                                        llvm::ArrayRef<const clang::Expr*> arguments,
                                        std::size_t which);
/// A type whose objects read files or draw random numbers.
[[nodiscard]] bool is_rank_local_type(clang::QualType type);
/// A container whose order depends on hashes or addresses.
[[nodiscard]] bool is_unordered(clang::QualType type);
/// An atomic, a mutex, a condition variable, and what has no other parts.
[[nodiscard]] bool is_synchronised(clang::QualType type);
[[nodiscard]] bool is_standard_span(clang::QualType type);
/// A span, a view, an iterator or a pointer: a copy reaches the same memory.
[[nodiscard]] bool is_view(clang::QualType type);

}  // namespace deed::check
