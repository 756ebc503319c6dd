// SPDX-License-Identifier: MIT
#pragma once

#include "report/diagnostic.hpp"
#include "report/text.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace deed::check {

/// Takes out what a comment on the line allows, or one above that has no statement before it:
/// `// deed-check: allow(D305) reason: halo cells are disjoint`; and what `DEED_ALLOW` does.
/// Adds W001 for a comment that allows nothing, W002 for one without a known code or a reason.
void apply_suppressions(std::vector<diagnostic>& found, const std::vector<int>& known_codes,
                        const file_table& files, source_lines& lines);

/// W001 and W002.
[[nodiscard]] std::vector<rule_text> texts_of_permissions();

/// The fingerprints in a baseline file; nothing if it cannot be read.
[[nodiscard]] std::optional<std::set<std::string>> read_baseline(const std::string& file);
/// One line per finding, before they are grouped: fingerprint, code, file. Only the fingerprint is
/// read again.
[[nodiscard]] std::string as_baseline(const std::vector<diagnostic>& found,
                                      const file_table& files);

}  // namespace deed::check
