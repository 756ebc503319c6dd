// SPDX-License-Identifier: MIT
#pragma once

#include "settings.hpp"

#include <span>
#include <string>
#include <string_view>

/// @file
/// The one table of settings: the parser, `DEED_HELP=1`, the manual's page and the tests are made
/// from it.

namespace deed::runtime {

struct setting {
  std::string_view name;      ///< As in `--deed-name`.
  std::string_view type;      ///< With its unit.
  std::string_view standard;  ///< What holds if nobody says anything.
  std::string_view sentence;
  std::string_view example;  ///< Another value than the standard one, as `show` shows it.
  bool (*read)(settings&, std::string_view);  ///< False, or D007, for what is no such value.
  std::string (*show)(const settings&);       ///< Empty where the standard is no value.
  bool of_run = false;  ///< Means nothing to a session in a program that starts itself.
};

[[nodiscard]] std::span<const setting> settings_table() noexcept;

/// "DEED_GPU_MEM" of "gpu-mem".
[[nodiscard]] std::string variable_of(std::string_view name);
[[nodiscard]] std::string option_of(std::string_view name);

}  // namespace deed::runtime
