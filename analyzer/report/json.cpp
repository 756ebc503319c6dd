// SPDX-License-Identifier: MIT
#include "report/json.hpp"

namespace deed::check {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          constexpr const char* digits = "0123456789abcdef";
          result += "\\u00";
          result += digits[static_cast<unsigned char>(c) >> 4];
          result += digits[static_cast<unsigned char>(c) & 15];
        } else {
          result += c;
        }
    }
  }
  return result + "\"";
}

}  // namespace deed::check
