// SPDX-License-Identifier: MIT
#include "analysis/read/json.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>

namespace deed::viewer {
namespace {

/// Reads one value; every function returns false at the first thing that is no JSON.
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  bool whole(json& into) {
    const bool read = value(into, 0);
    skip_blanks();
    return read && at_ == text_.size();
  }

 private:
  static constexpr int deepest = 64;

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted, json& into, json::kind is) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    into.is = is;
    into.text = is == json::kind::nothing ? "" : wanted;
    return true;
  }
  bool value(json& into, int depth) {
    skip_blanks();
    if (at_ == text_.size() || depth > deepest) return false;
    switch (text_[at_]) {
      case '{':
        return object(into, depth);
      case '[':
        return list(into, depth);
      case '"':
        into.is = json::kind::text;
        return string(into.text);
      case 't':
        return word("true", into, json::kind::boolean);
      case 'f':
        return word("false", into, json::kind::boolean);
      case 'n':
        return word("null", into, json::kind::nothing);
      default:
        return number(into);
    }
  }
  bool object(json& into, int depth) {
    into.is = json::kind::object;
    ++at_;
    if (take('}')) return true;
    do {
      auto& [name, member] = into.members.emplace_back();
      skip_blanks();
      if (at_ == text_.size() || text_[at_] != '"' || !string(name)) return false;
      if (!take(':') || !value(member, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }
  bool list(json& into, int depth) {
    into.is = json::kind::list;
    ++at_;
    if (take(']')) return true;
    do {
      if (!value(into.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }
  bool number(json& into) {
    const std::size_t end = text_.find_first_not_of("+-.0123456789eE", at_);
    into.is = json::kind::number;
    into.text = text_.substr(at_, end == text_.npos ? end : end - at_);
    at_ += into.text.size();
    double ignored = 0;
    const char* const last = into.text.data() + into.text.size();
    return std::from_chars(into.text.data(), last, ignored).ptr == last && !into.text.empty();
  }
  bool string(std::string& into) {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        into += c;
      } else if (++at_ == text_.size() || !escaped(into)) {
        return false;
      }
    }
    return false;
  }
  bool escaped(std::string& into) {
    constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (const std::size_t known = names.find(text_[at_]); known != names.npos) {
      into += meant[known];
      return true;
    }
    unsigned code = 0;
    if (text_[at_] != 'u' || !four_digits(code)) return false;
    unsigned low = 0;
    if (code >= 0xd800 && code < 0xdc00) {  // The first half of a pair.
      if (text_.substr(at_ + 1, 2) != "\\u") return false;
      at_ += 2;
      if (!four_digits(low) || low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    put(code, into);
    return true;
  }
  bool four_digits(unsigned& code) {
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const char* const end = digits.data() + digits.size();
    if (digits.size() < 4 || std::from_chars(digits.data(), end, code, 16).ptr != end) return false;
    at_ += 4;
    return true;
  }
  static void put(unsigned code, std::string& into) {
    const auto byte = [&](unsigned value) { into += static_cast<char>(value); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
      byte(0xc0 | code >> 6);
    } else {
      if (code < 0x10000) {
        byte(0xe0 | code >> 12);
      } else {
        byte(0xf0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3f));
      }
      byte(0x80 | (code >> 6 & 0x3f));
    }
    byte(0x80 | (code & 0x3f));
  }

  std::string_view text_;
  std::size_t at_ = 0;
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

std::optional<json> json::parse(std::string_view from) {
  json whole;
  if (!reader(from).whole(whole)) return std::nullopt;
  return whole;
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
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
