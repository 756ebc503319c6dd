// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/environment.hpp>
#include <deed/trace/options.hpp>

#include "execute.hpp"
#include "plan.hpp"

#include <cstdint>
#include <functional>
#include <string>

/// @file
/// Runs a plan on all its ranks, and says what went wrong.

namespace oracle {

struct verdict {
  std::string wrong;             ///< Empty: all as the model says.
  std::uint64_t event_hash = 0;  ///< Of a simulated run.
  std::uint64_t on_devices = 0;  ///< Tasks that ran there.
  std::uint64_t evictions = 0;
  std::uint64_t sent_from_devices = 0;  ///< Bytes.
};

enum class world { simulated, threads };

/// Calls `body` as each rank of a world that is as hard as the settings say.
/// @return what went wrong with the world itself, and the hash of its events.
[[nodiscard]] verdict in_world(
    world where, const settings& how,
    const std::function<void(const deed::runtime::rank_environment&)>& body);

/// Of the session of each rank.
[[nodiscard]] deed::session_options options_of(const settings& how);

/// One rank of a run, in whatever world. What is thrown goes into `log`. With a path in
/// `recording`, the run is recorded there.
void run_rank(const deed::runtime::rank_environment& environment, const plan& program,
              const expectation& expected, rank_log& log,
              const deed::trace::recorder_options& recording = {},
              const group_maker& make_group = {});

[[nodiscard]] verdict run(world where, const plan& program,
                          const deed::trace::recorder_options& recording = {});

}  // namespace oracle
