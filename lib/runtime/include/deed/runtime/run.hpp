// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/error.hpp>
#include <deed/runtime/session.hpp>

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

/// @file
/// `deed::run`: one program, three ways to run it.

namespace deed {

/// Thrown by a program that cannot go on through no fault of deed: a missing input, an output that
/// cannot be written. All ranks end, `what()` is printed once, and the process ends with `code()`.
class stop_run : public std::runtime_error {
 public:
  stop_run(exit_code code, const std::string& line) : std::runtime_error(line), code_(code) {}
  [[nodiscard]] exit_code code() const noexcept { return code_; }

 private:
  exit_code code_;
};

/// The program's own arguments, without those of deed and without the program's name.
using arguments DEED_MODEL("type", "arguments") = std::span<const std::string>;

namespace runtime {

int run(int argc, char** argv, const std::function<void(session&, arguments)>& program,
        const session_options& options);
int run_without_arguments(int argc, char** argv, const std::function<void(session&)>& program,
                          const session_options& options);

}  // namespace runtime

/// Runs `program(session)` or `program(session, arguments)` once per rank, and returns what `main`
/// returns: 0, or an `exit_code`.
///
/// Under `mpirun` or `srun` the ranks are those of the launcher. Else they are virtual: 4, as
/// threads in real time; `--deed-ranks=N` (`DEED_RANKS`): N, simulated, in virtual time and an
/// order that `--deed-seed=S` (`DEED_SEED`) chooses; `--deed-ranks=inproc:N`: N, as threads.
/// Over `options` hold the environment's settings, over those the command line's; `DEED_HELP=1`
/// prints all of them.
///
/// A `program(session)` takes no arguments: with any, it is not run, and the first is named
/// (`exit_code::bad_option`). One whose `main` reads `argv` itself takes `arguments`, unnamed.
/// Collective: every process of the launch.
template <class Program>
[[nodiscard]] int run(int argc, char** argv, Program&& program,
                      const session_options& options = {}) {
  if constexpr (std::is_invocable_v<Program&, session&, arguments>) {
    return runtime::run(argc, argv, std::forward<Program>(program), options);
  } else {
    return runtime::run_without_arguments(argc, argv, std::forward<Program>(program), options);
  }
}

}  // namespace deed
