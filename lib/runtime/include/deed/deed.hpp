// SPDX-License-Identifier: MIT
#pragma once

// What refuses a wrong program comes first: the compiler then prints one line of includes, not
// five, above the sentence that the user needs. clang-format off
#include <deed/base/identity.hpp>
#include <deed/ownership/contract.hpp>
#include <deed/ownership/handle.hpp>
#include <deed/runtime/in_place.hpp>
#include <deed/runtime/insert.hpp>
#include <deed/runtime/session.hpp>
// clang-format on
#include <deed/runtime/collectives.hpp>
#include <deed/runtime/for_each_tile.hpp>
#include <deed/runtime/partition.hpp>
#include <deed/runtime/pinned_buffer.hpp>
#include <deed/runtime/prepared_task.hpp>
#include <deed/runtime/recorded.hpp>
#include <deed/runtime/run.hpp>
#include <deed/runtime/tiled_matrix.hpp>

/// @file
/// All that a program includes.
