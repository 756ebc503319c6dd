// SPDX-License-Identifier: MIT
#include "report/diagnostic.hpp"

namespace deed::check {

std::string code_name(int code) {
  const std::string digits = std::to_string(code < 0 ? -code : code);
  return (code < 0 ? "W" : "D") + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') +
         digits;
}

const char* severity_name(severity s) {
  switch (s) {
    case severity::error:
      return "error";
    case severity::warning:
      return "warning";
    case severity::performance:
      return "performance";
    case severity::doubtful:
      return "note";
  }
  return "error";
}

std::string quoted(const std::string& name) { return "`" + name + "`"; }

const span& cause_of(const diagnostic& d) { return d.origin.known() ? d.origin : d.primary.at; }

}  // namespace deed::check
