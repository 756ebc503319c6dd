// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>

#include "checkpoint_store.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// @file
/// Checkpoints on a disk that tests may put in place of the real one.

namespace deed {
class session;
}

namespace deed::runtime {

class core;

/// As `session::checkpoint`.
bool checkpoint(session& all, core& home, disk& on, std::string_view folder, std::uint64_t epoch,
                place where);

/// As `session::resume`.
std::optional<std::uint64_t> resume(session& all, core& home, std::string_view folder, place where);

/// As `session::checkpoint(epoch)`.
bool checkpoint_by_plan(session& all, core& home, std::uint64_t epoch, place where);

}  // namespace deed::runtime
