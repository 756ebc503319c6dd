// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstddef>
#include <vector>

/// The looks of each codelet, for `Theme::codeletLooks`: the colour that was recorded of it or that
/// its name chooses, so that it has the same in each run and each window. Where two want the same
/// one, the name that sorts first has it and the other a free one; when all are used, they come
/// again with a hatch.
std::vector<std::size_t> codeletLooks(const std::vector<deed::viewer::codelet> &codelets);
