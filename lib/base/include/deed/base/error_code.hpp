// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

/// @file
/// The catalogue of mistakes and faults, as numbers. docs/errors/ holds a page for each.

namespace deed {

/// Stable codes, printed as `deed[D307]`. A code keeps its meaning for ever; a retired one is never
/// used for another mistake.
enum class error_code : std::uint16_t {
  // D0: faults that no program is to blame for.
  mpi_failed = 1,
  peer_lost = 2,
  peer_silent = 3,
  message_damaged = 4,
  file_damaged = 5,
  cannot_write = 6,
  bad_setting = 7,
  host_memory_exhausted = 8,
  device_memory_exhausted = 9,
  launch_failed = 10,
  device_lost = 11,
  // D1: identity and lifecycle of handles.
  moved_handle = 101,
  unregistered_handle = 102,
  write_never_used = 103,
  memory_registered_twice = 104,
  live_handle_overwritten = 105,
  tag_in_use = 106,
  registrations_differ = 107,
  no_such_owner = 109,
  handle_never_registered = 110,
  owners_differ = 111,
  foreign_session = 112,
  handle_outlives_session = 113,
  storage_dies_first = 114,
  storage_grows = 115,
  partitioned_handle = 116,
  parts_overlap = 117,
  // D2: access modes and declared accesses.
  write_through_read = 201,
  contract_mismatch = 202,
  const_handle = 203,
  undeclared_access = 204,
  unused_access = 205,
  write_only_read = 206,
  write_is_read_first = 207,
  read_before_written = 208,
  read_and_written = 209,
  view_escapes = 211,
  sizes_differ = 212,
  types_differ = 213,
  index_out_of_range = 214,
  does_not_commute = 215,
  scratch_read_first = 216,
  // D3: lifetimes, captures, host memory.
  codelet_captures = 301,
  value_carries_pointer = 303,
  memory_in_use = 305,
  wait_for_ever = 306,
  borrowed_twice = 307,
  view_outlives_borrow = 308,
  not_on_this_rank = 309,
  temporary_registered = 311,
  name_not_literal = 312,
  // D4: ranks diverge.
  rank_must_take_part = 401,
  guard_forgets = 402,
  order_differs = 403,
  step_not_reached = 404,
  rank_leaves_early = 405,
  task_counts_differ = 406,
  iteration_order_differs = 407,
  argument_differs = 408,
  placement_differs = 409,
  no_such_rank = 410,
  no_runner = 411,
  writes_of_several_owners = 412,
  owned_in_per_rank_task = 413,
  handle_absent = 414,
  // D5: messages and requests.
  request_dropped = 501,
  request_completed = 502,
  message_never_received = 505,
  receive_never_matched = 506,
  message_tags_differ = 507,
  message_peers_differ = 508,
  message_sizes_differ = 509,
  message_types_differ = 510,
  circular_wait = 511,
  needs_buffering = 512,
  no_such_peer = 514,
  // D6: reductions, collectives, cache, migration.
  no_reduction = 601,
  does_not_reduce = 602,
  reduction_open = 603,
  combine_signature = 605,
  list_lengths_differ = 606,
  roots_differ = 608,
  collectives_differ = 609,
  flush_differs = 610,
  migration_differs = 611,
  ends_away_from_home = 612,
  version_mismatch = 613,
  // D7: waiting, gates, progress.
  gate_never_opens = 702,
  gate_opened_twice = 703,
  gates_circular = 704,
  wait_inside_task = 705,
  task_blocks_worker = 706,
  too_many_workers = 707,
  busy_loop = 710,
  // D8: session, threads, devices, exceptions.
  session_closed = 801,
  mpi_finalised = 802,
  mpi_not_ready = 803,
  wrong_thread = 806,
  task_threw = 807,
  task_leaves_process = 808,
  codelet_keeps_state = 809,
  race_on_global = 810,
  device_memory_on_host = 811,
  no_worker_can_run = 812,
  enqueue_outlives_task = 813,
  mpi_without_devices = 814,
  static_session = 815,
  used_after_fork = 816,
  spaces_mixed = 817,
  stream_copied = 818,
  integer_as_stream = 819,
  // D9: layout, serialisation, limits.
  cannot_travel = 901,
  save_and_load_differ = 902,
  pointer_would_travel = 903,
  padding_travels = 904,
  impossible_extent = 906,
  strided_as_contiguous = 907,
  layouts_differ = 908,
  too_many_accesses = 909,
  programs_differ = 910,
  name_used_twice = 911,
};

/// "D307", "D006".
[[nodiscard]] std::string to_string(error_code code);

}  // namespace deed
