// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

/// @file
/// JSON of what is reported, in the order in which it is put.

namespace deed::runtime {

[[nodiscard]] inline std::string quoted_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(byte));
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// The members of one object.
class json_object {
 public:
  json_object& put(std::string_view name, std::string_view text) {
    return put_raw(name, quoted_json(text));
  }
  json_object& put(std::string_view name, std::integral auto number) {
    return put_raw(name, std::to_string(number));
  }
  json_object& put_raw(std::string_view name, std::string_view json) {
    text_ += (text_.empty() ? "" : ", ") + quoted_json(name) + ": " + std::string(json);
    return *this;
  }
  [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

/// One line for each of these things.
template <class Things, class Say>
[[nodiscard]] std::string json_list(const Things& things, const Say& say) {
  std::string text = "[";
  for (const auto& each : things) text += (text.size() > 1 ? ",\n    " : "\n    ") + say(each);
  return text + "]";
}

}  // namespace deed::runtime
