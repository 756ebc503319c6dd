// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace deed::runtime {

/// Writes `text` under the name `file`, where never half of it is seen. A link stays one. To what
/// is no regular file (a device, a pipe), or is open already (`/dev/stderr`), it is appended.
/// @return whether all of it was written; if not, `errno` says why.
bool write_whole(const std::string& file, const std::string& text);

}  // namespace deed::runtime
