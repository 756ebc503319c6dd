// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// `exit` while ranks of this process are at work.

namespace deed::runtime {

/// From now on, for the life of this process: who leaves it by `exit` inside a task is told (D808),
/// and ends it with 70, before what was there before the first session is destroyed beside other
/// workers (`thread_local` and later statics are). Likewise a program that leaves with 0, as if all
/// were done, while a session is open (D405): inside `deed::run` at once, else after the
/// destructors of globals, which may close it. Another status outside of tasks is the program's own
/// word, and stays. A recording has either of it. Not for children of the process, if they make no
/// session of their own.
void watch_exits() noexcept;

}  // namespace deed::runtime
