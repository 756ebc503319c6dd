// SPDX-License-Identifier: MIT
#pragma once

#include "report/diagnostic.hpp"

#include <vector>

namespace deed::check {

/// One diagnostic for each cause: that of the place that is surest and nearest, which says in how
/// many more places it shows. For what is left when nobody allows any of it: a place that is taken
/// out takes no other with it.
[[nodiscard]] std::vector<diagnostic> grouped(std::vector<diagnostic> found);

}  // namespace deed::check
