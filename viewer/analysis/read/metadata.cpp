// SPDX-License-Identifier: MIT
#include "analysis/read/metadata.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace deed::viewer {
namespace {

constexpr std::size_t most_events = 4096;
constexpr std::size_t most_fields = 256;
constexpr std::size_t most_bytes = 1u << 20;  // A recorder's is of some 30 KiB.

/// Words, numbers, quoted texts and signs; comments and blanks between them do not count.
class lexer {
 public:
  explicit lexer(std::string_view text) : text_(text) { advance(); }

  [[nodiscard]] std::string_view word() const { return word_; }
  [[nodiscard]] bool at_end() const { return word_.empty() && !quoted_; }
  std::string take() {
    std::string taken(word_);
    advance();
    return taken;
  }
  bool accept(std::string_view wanted) {
    if (quoted_ || word_ != wanted) return false;
    advance();
    return true;
  }
  void expect(std::string_view wanted) {
    if (!accept(wanted)) fail("`" + std::string(wanted) + "` was expected");
  }
  [[noreturn]] void fail(const std::string& what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(start_), '\n');
    throw unreadable("metadata, line " + std::to_string(line) + ": " + what + ", found `" +
                     std::string(word_.substr(0, 40)) + "`");
  }

 private:
  void skip_blanks() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      if (!text_.substr(at_).starts_with("/*")) return;
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    }
  }
  void advance() {
    skip_blanks();
    start_ = at_;
    quoted_ = at_ < text_.size() && text_[at_] == '"';
    if (quoted_) {
      const std::size_t first = ++at_;
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
      at_ = std::min(at_, text_.size());
      word_ = text_.substr(first, at_ - first);
      at_ = std::min(at_ + 1, text_.size());
      return;
    }
    const auto in_word = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
    };
    while (at_ < text_.size() && in_word(at_)) ++at_;
    if (at_ == start_ && at_ < text_.size()) at_ += text_.substr(at_).starts_with(":=") ? 2U : 1U;
    word_ = text_.substr(start_, at_ - start_);
  }

  std::string_view text_;
  std::string_view word_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  bool quoted_ = false;
};

std::int64_t number(lexer& in) {
  std::int64_t value = 0;
  const std::string_view word = in.word();
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size()) in.fail("a number was expected");
  in.take();
  return value;
}

/// After "integer": { signed = false; size = 32; … }
field_layout integer(lexer& in) {
  field_layout field;
  in.expect("{");
  while (!in.accept("}")) {
    const std::string key = in.take();
    in.expect("=");
    if (key == "size" || key == "align") {
      const std::int64_t value = number(in);
      if (value < 1 || value > 64 || value % 8 != 0) in.fail("sizes are whole bytes, at most 8");
      (key == "size" ? field.bits : field.align) = static_cast<std::uint16_t>(value);
    } else if (key == "signed") {
      field.is_signed = in.take() == "true";
    } else {
      in.take();  // The byte order is checked once, the base is for people.
    }
    in.expect(";");
  }
  if (field.bits == 0) in.fail("an integer has no size");
  return field;
}

/// After "struct": { TYPE NAME; … } [align(N)]
structure members(lexer& in) {
  structure all;
  in.expect("{");
  while (!in.accept("}")) {
    if (all.size() == most_fields) in.fail("too many fields");
    field_layout field;
    if (in.accept("integer")) {
      field = integer(in);
    } else if (in.accept("string")) {
      if (in.accept("{"))
        while (!in.accept("}") && !in.at_end()) in.take();
    } else {
      in.fail("`integer` or `string` was expected");
    }
    field.name = in.take();
    if (field.name.starts_with('_')) field.name.erase(0, 1);
    in.expect(";");
    all.push_back(std::move(field));
  }
  if (in.accept("align")) {
    in.expect("(");
    in.take();
    in.expect(")");
  }
  return all;
}

struct block {
  std::int64_t id = 0;
  std::int64_t stream = 0;
  std::string name;
  std::map<std::string, structure> structures;
  std::map<std::string, std::string> values;
};

/// `{ key = value; key := struct {…}; … };`
block body(lexer& in) {
  block read;
  in.expect("{");
  while (!in.accept("}")) {
    if (in.at_end()) in.fail("`}` was expected");
    const std::string key = in.take();
    if (in.accept(":=")) {
      in.expect("struct");
      read.structures[key] = members(in);
    } else {
      in.expect("=");
      if (key == "id" || key == "stream_id") {
        (key == "id" ? read.id : read.stream) = number(in);
      } else {
        read.values[key] = in.take();
      }
    }
    in.expect(";");
  }
  in.accept(";");
  return read;
}

std::int64_t value_of(const block& read, const std::string& key, std::int64_t otherwise) {
  const auto found = read.values.find(key);
  if (found == read.values.end()) return otherwise;
  std::int64_t value = otherwise;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

}  // namespace

trace_layout parse_metadata(std::string_view text) {
  if (text.size() > most_bytes) throw unreadable("metadata: longer than any recorder writes it");
  trace_layout layout;
  lexer in(text);
  while (!in.at_end()) {
    const std::string what = in.take();
    const block read = body(in);
    if (what == "trace") {
      const auto order = read.values.find("byte_order");
      if (order == read.values.end() || order->second != "le")
        throw unreadable("metadata: only little-endian traces can be read");
      layout.packet_header = read.structures.contains("packet.header")
                                 ? read.structures.at("packet.header")
                                 : structure{};
    } else if (what == "env") {
      layout.environment = read.values;
    } else if (what == "clock") {
      layout.hertz =
          static_cast<std::uint64_t>(std::max<std::int64_t>(1, value_of(read, "freq", 1)));
      layout.offset_seconds = value_of(read, "offset_s", 0);
      layout.offset_stamps = value_of(read, "offset", 0);
    } else if (what == "stream") {
      stream_layout& stream = layout.streams[static_cast<std::uint64_t>(read.id)];
      for (const auto& [name, fields] : read.structures) {
        if (name == "packet.context") stream.packet_context = fields;
        if (name == "event.header") stream.event_header = fields;
      }
    } else if (what == "event") {
      stream_layout& stream = layout.streams[static_cast<std::uint64_t>(read.stream)];
      if (stream.events.size() == most_events) in.fail("too many event types");
      event_layout& event = stream.events[static_cast<std::uint64_t>(read.id)];
      const auto name = read.values.find("name");
      event.name = name == read.values.end() ? "" : name->second;
      const auto fields = read.structures.find("fields");
      if (fields != read.structures.end()) event.payload = fields->second;
    }
  }
  if (layout.streams.empty()) throw unreadable("metadata: no stream is described");
  return layout;
}

}  // namespace deed::viewer
