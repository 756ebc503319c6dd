// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>

#include <algorithm>
#include <utility>

namespace deed {
namespace {

std::string render(error_code code, std::string_view happened,
                   const std::vector<error::fact>& facts, std::string_view help) {
  std::size_t width = 0;
  for (const auto& [label, text] : facts) width = std::max(width, label.size());

  std::string report = "deed[" + to_string(code) + "] ";
  report += happened;
  for (const auto& [label, text] : facts) {
    report += "\n  " + label + std::string(width - label.size() + 2, ' ') + text;
  }
  report += "\n  help: ";
  report += help;
  return report;
}

}  // namespace

std::string to_string(error_code code) {
  const std::string digits = std::to_string(static_cast<unsigned>(code));
  return "D" + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits;
}

std::string to_string(place where) {
  const std::string_view path = where.file_name();
  const auto name = path.substr(path.rfind('/') + 1);  // All of it when there is no '/'.
  return std::string(name) + ":" + std::to_string(where.line());
}

[[gnu::noinline]] error::error(error_code code, std::string_view happened, std::vector<fact> facts,
                               std::string_view help)
    : std::runtime_error(render(code, happened, facts, help)),
      code_(code),
      happened_(happened),
      help_(help),
      facts_(std::move(facts)),
      made_at_(call_stack::of_caller()) {}

}  // namespace deed
