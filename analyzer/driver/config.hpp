// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

/// @file
/// `.deed-check.yaml`: what a project always says on the command line.

namespace deed::check {

/// The arguments that the file stands for: `strict: true` is `--strict`, `root: src` is
/// `--root=src`, and a list gives one argument for each entry. A plain subset of YAML: `name:
/// value`, `- entry` below a name, comments. On a mistake `error` names the line.
[[nodiscard]] std::vector<std::string> arguments_in(const std::string& text, std::string& error);

/// The text of `.deed-check.yaml` in this folder or one above it; empty if there is none.
[[nodiscard]] std::string find_config(std::string& file);

}  // namespace deed::check
