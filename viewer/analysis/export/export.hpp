// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"

#include <ostream>
#include <string>

/// @file
/// A run in the words of other tools, or a part of it: its tasks, transfers, states, waits, phases,
/// values and what devices copied, whole, with all ranks and threads. The recorded trace stays the
/// master: nothing is read back.

namespace deed::viewer {

/// Chrome's JSON (also read by Perfetto): a process per rank, a thread per lane, tasks as slices,
/// transfers as slices with flows, phases as slices of threads of their own, values as
/// counters of the rank, copies of devices as slices of rows of their own, what failed as instants.
/// Times in microseconds.
void export_chrome(const model& of, std::ostream& out, const run_part& part = {});

/// One table as CSV with a header line; times in nanoseconds.
void export_tasks(const model& of, std::ostream& out, const run_part& part = {});
void export_transfers(const model& of, std::ostream& out, const run_part& part = {});
/// One that did not end has the end of what is known, and 0 as `ended`.
void export_phases(const model& of, std::ostream& out, const run_part& part = {});
void export_values(const model& of, std::ostream& out, const run_part& part = {});

/// Perfetto's own format: as Chrome's, with states and waits; transfers that overlap have rows
/// of their own.
void export_perfetto(const model& of, std::ostream& out, const run_part& part = {});

/// OTF2, for Vampir, Scalasca, ViTE: a new archive `folder`/run.otf2. Tasks, states, waits and
/// phases are regions, values are metrics, transfers are messages with datum, version, reason and
/// task as attributes. Copies of devices are regions of locations of their own.
/// @throws unwritable, also if there is an archive already; unreadable without OTF2.
void export_otf2(const model& of, const std::string& folder, const run_part& part = {});

/// Paje with tasks and phases per worker as states, copies per row of a device, transfers as links
/// between ranks, and values per rank as variables: for ViTE, pj_dump and StarVZ. Times in seconds.
void export_paje(const model& of, std::ostream& out, const run_part& part = {});

/// Who waits for whom at a moment, for Graphviz; a circle is red.
void export_wait_graph(const model& of, std::int64_t when, std::ostream& out);

}  // namespace deed::viewer
