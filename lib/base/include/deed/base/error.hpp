// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/call_stack.hpp>
#include <deed/base/error_code.hpp>
#include <deed/base/place.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The one form in which the library reports a mistake or a fault.

namespace deed {

/// A mistake of the caller, or a fault of a peer, a device or a file.
///
/// Text: what happened on one line; one fact per line, aligned; one line with what to do.
class error : public std::runtime_error {
 public:
  struct fact {
    std::string label;  ///< "wanted", "lent to", "registered", …
    std::string text;
  };

  error(error_code code, std::string_view happened, std::vector<fact> facts, std::string_view help);

  [[nodiscard]] error_code code() const noexcept { return code_; }
  /// The first line, without the code.
  [[nodiscard]] const std::string& happened() const noexcept { return happened_; }
  [[nodiscard]] const std::vector<fact>& facts() const noexcept { return facts_; }
  [[nodiscard]] const std::string& help() const noexcept { return help_; }
  /// Where it was made; no part of the text.
  [[nodiscard]] const call_stack& made_at() const noexcept { return made_at_; }

 private:
  error_code code_;
  std::string happened_, help_;
  std::vector<fact> facts_;
  call_stack made_at_;
};

/// What a program's process ends with; the numbers are fixed.
enum class exit_code : int {
  success = 0,
  bad_option = 64,     ///< A bad option or setting.
  damaged_input = 65,  ///< An input file is there and damaged.
  missing_input = 66,  ///< An input file is missing.
  codelet_threw = 70,  ///< A codelet threw; also any other unhandled error.
  deadlock = 71,       ///< A deadlock was proved.
  ranks_diverge = 72,  ///< Ranks submitted different programs.
  messages_left = 73,  ///< Messages were left over at the end.
  cannot_write = 74,   ///< Output cannot be written.
  interrupted = 75,    ///< Ctrl-C or a signal of the batch system.
  peer_lost = 76,      ///< MPI failed, or a peer was lost or silent.
  builds_differ = 77,  ///< Ranks run different builds or settings.
};

}  // namespace deed
