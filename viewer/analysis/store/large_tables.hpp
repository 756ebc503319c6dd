// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Memory for tables of millions of events. Programs that hold such tables compile
/// large_tables.cpp, which replaces `operator new`: those of 2 MiB and more lie in huge pages.

namespace deed::viewer {

/// What is smaller lies in huge pages, too, up to a gigabyte of it, and serves all threads. Tables
/// that are freed go back to the system at once: otherwise the C library comes to keep tables below
/// 32 MiB, in each thread's memory, where nothing makes it give them back: 4 bytes per event of a
/// long run. Before there is a second thread.
void share_memory() noexcept;

}  // namespace deed::viewer
