// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace deed::check {

/// `work(i)` for every i below `count`, in up to `processes` processes, in the order of i. Where
/// the process of one died, nothing comes back for what it had not done.
[[nodiscard]] std::vector<std::string> in_processes(
    std::size_t count, int processes, const std::function<std::string(std::size_t)>& work);

}  // namespace deed::check
