// SPDX-License-Identifier: MIT
#pragma once

#include "report/diagnostic.hpp"
#include "report/text.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace deed::check {

/// Takes out what a comment allows to its statement, or to the next if it stands alone:
/// `// deed-check: allow(D305) reason: halo cells are disjoint`; and what `DEED_ALLOW` allows to a
/// declaration. Adds W002 for one that is not understood, or without a known code or a reason, and,
/// of a `whole` program, W001 for one that allows nothing: what a unit that was not read calls may
/// be why it stands there. Files other than `in` are not read.
void apply_suppressions(std::vector<diagnostic>& found, const std::vector<int>& known_codes,
                        const std::set<std::uint32_t>& in, bool whole, const file_table& files,
                        source_lines& lines);

/// W001 and W002.
[[nodiscard]] std::vector<rule_text> texts_of_permissions();

/// The fingerprints in a baseline file; nothing if it cannot be read.
[[nodiscard]] std::optional<std::set<std::string>> read_baseline(const std::string& file);
/// One line per finding, before they are grouped: fingerprint, code, file. Only the fingerprint is
/// read again.
[[nodiscard]] std::string as_baseline(const std::vector<diagnostic>& found,
                                      const file_table& files);

}  // namespace deed::check
