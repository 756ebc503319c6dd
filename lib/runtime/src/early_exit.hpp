// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// `exit` while ranks of this process are at work.

namespace deed::runtime {

/// From now on, for the life of this process: who leaves it by `exit` inside a task is told (D808),
/// and ends it with 70, before destructors run beside other workers; likewise a program that leaves
/// with 0, as if all were done, while a session is open (D405). Another status outside of tasks
/// is the program's own word, and stays. Not for the process's children.
void watch_exits() noexcept;

}  // namespace deed::runtime
