// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Small files of JSON that a run leaves beside its trace. They are untrusted: nesting is limited,
/// and so is memory, to 64 MiB beside that of the texts in them.

namespace deed::viewer {

struct json {
  struct member;
  enum class kind : unsigned char { nothing, boolean, number, text, list, object };
  kind is = kind::nothing;
  std::string text;  ///< Of a text; of a number as it was written; "true" or "false".
  std::vector<json> items;
  std::vector<member> members;

  /// A member of an object; null if there is none.
  [[nodiscard]] const json* find(std::string_view name) const;
  /// The member's text or number; `otherwise` where it is absent or something else.
  [[nodiscard]] std::string text_of(std::string_view name, std::string_view otherwise = "") const;
  [[nodiscard]] std::int64_t number_of(std::string_view name, std::int64_t otherwise) const;
  /// The items of a member that is a list; none where it is absent or something else.
  [[nodiscard]] const std::vector<json>& list_of(std::string_view name) const;

  /// Nothing if `from` is no JSON, nests deeper than 64, or has too many values; `why` says which,
  /// and at which byte it is no JSON.
  [[nodiscard]] static std::optional<json> parse(std::string_view from, std::string* why = nullptr);
};

struct json::member {
  std::string name;
  json value;
};

/// `text` as JSON, with its quotes; see `valid_utf8`.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace deed::viewer
