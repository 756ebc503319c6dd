// SPDX-License-Identifier: MIT
#include "analysis/read/json.hpp"

#include "analysis/read/utf8.hpp"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace deed::viewer {
namespace {

using parser = nlohmann::json;

/// Builds the value while the text is read, and stops where it nests too deeply: the library's own
/// values would be there, all of them, before anybody could count.
class builder final : public nlohmann::json_sax<parser> {
 public:
  json take() { return std::move(whole_); }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  bool null() override { return add(json::kind::nothing, {}); }
  bool boolean(bool value) override { return add(json::kind::boolean, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return add(json::kind::number, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(json::kind::number, std::to_string(value));
  }
  bool number_float(number_float_t /*value*/, const string_t& as_written) override {
    return add(json::kind::number, as_written);
  }
  bool string(string_t& value) override { return add(json::kind::text, std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*members*/) override { return open(json::kind::object); }
  bool start_array(std::size_t /*items*/) override { return open(json::kind::list); }
  bool key(string_t& name) override {
    name_ = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t at, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*why*/) override {
    why_not_ = "no JSON at byte " + std::to_string(at);
    return false;
  }

 private:
  static constexpr std::size_t deepest = 64;
  static constexpr std::size_t most_bytes = 64u << 20;  // Of values, beside their texts.

  /// Whether one more fits, also while those before move to a larger place.
  template <class Items>
  bool has_room(const Items& in) {
    if (in.size() < in.capacity()) return true;
    constexpr std::size_t each = sizeof(typename Items::value_type);
    const std::size_t grown = std::max<std::size_t>(1, 2 * in.capacity()) * each;
    if (used_ + grown > most_bytes) return false;
    used_ += grown - in.capacity() * each;
    return true;
  }
  /// Null if there are too many values.
  json* place() {
    if (open_.empty()) return &whole_;
    json& in = *open_.back();
    if (in.is == json::kind::list) return has_room(in.items) ? &in.items.emplace_back() : nullptr;
    if (!has_room(in.members)) return nullptr;
    return &in.members.emplace_back(std::move(name_), json{}).value;
  }
  bool add(json::kind is, std::string text) {
    json* const into = place();
    if (into == nullptr) return false;
    into->is = is;
    into->text = std::move(text);
    return true;
  }
  bool open(json::kind is) {
    json* const into = open_.size() > deepest ? nullptr : place();
    if (into == nullptr) return false;
    into->is = is;
    open_.push_back(into);  // Stays where it is: nothing is added beside it until it is closed.
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json whole_;
  std::string name_;
  std::vector<json*> open_;
  std::size_t used_ = 0;
  std::string why_not_ = "it nests too deeply, or has too many values";
};

}  // namespace

const json* json::find(std::string_view name) const {
  for (const auto& [key, value] : members)
    if (key == name) return &value;
  return nullptr;
}

std::string json::text_of(std::string_view name, std::string_view otherwise) const {
  const json* const found = find(name);
  const bool said = found != nullptr && (found->is == kind::text || found->is == kind::number);
  return said ? found->text : std::string(otherwise);
}

std::int64_t json::number_of(std::string_view name, std::int64_t otherwise) const {
  const json* const found = find(name);
  if (found == nullptr || found->is != kind::number) return otherwise;
  std::int64_t value = 0;
  const char* const end = found->text.data() + found->text.size();
  const auto [read, failed] = std::from_chars(found->text.data(), end, value);
  return failed == std::errc{} && read == end ? value : otherwise;
}

const std::vector<json>& json::list_of(std::string_view name) const {
  static const std::vector<json> none;
  const json* const found = find(name);
  return found != nullptr && found->is == kind::list ? found->items : none;
}

std::optional<json> json::parse(std::string_view from, std::string* why) {
  builder building;
  if (parser::sax_parse(from.begin(), from.end(), &building)) return building.take();
  if (why != nullptr) *why = building.why_not();
  return std::nullopt;
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : valid_utf8(text)) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      quoted += code.data();
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace deed::viewer
