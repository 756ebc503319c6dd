// SPDX-License-Identifier: MIT
#pragma once

#include "facts/extract.hpp"
#include <clang/Tooling/CompilationDatabase.h>

#include <memory>
#include <string>

/// @file
/// How the files of a run are compiled.

namespace deed::check {

/// The commands of `build_folder`/compile_commands.json, or the one that stands behind `--`, with
/// or without its compiler. Folders in them are absolute: a relative one is meant from the folder
/// of the database. Null, and why, if there are none.
[[nodiscard]] std::unique_ptr<clang::tooling::CompilationDatabase> commands_of(
    const compilation& what, std::string& error);

/// Where the commands of `what` are written.
[[nodiscard]] std::string database_of(const compilation& what);

/// The name of a file from the root, without `.` and `..`. Relative ones are meant from `folder`,
/// or, without it, from the current one.
[[nodiscard]] std::string full_name(const std::string& file, const std::string& folder = {});

}  // namespace deed::check
