// SPDX-License-Identifier: MIT
#include "checkpoint_store.hpp"

#include <deed/base/error.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <utility>

namespace deed::runtime {
namespace {

namespace files = std::filesystem;

constexpr std::string_view first_line = "deed checkpoint 1\n";
constexpr std::string_view generation_prefix = "generation-";
constexpr std::uint32_t most_ranks = 1u << 20;

constexpr std::size_t last_line_bytes = 4 + 16 + 1;  // "end", a tab, a hash, the end of the line.
constexpr std::size_t shortest_copy_line = std::string_view("copy\t0\n").size();

/// What the last line has the hash of.
std::string_view content_of(std::string_view manifest_text) {
  return manifest_text.substr(0, manifest_text.size() - last_line_bytes);
}

std::string hex(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) text[i] = "0123456789abcdef"[number & 15];
  return text;
}

[[noreturn]] void damaged(std::string_view path, std::string_view at, std::string_view wanted,
                          std::string_view found) {
  throw error(
      error_code::file_damaged, "file `" + std::string(path) + "` is damaged",
      {{"at", std::string(at)}, {"wanted", std::string(wanted)}, {"found", std::string(found)}},
      "use the generation before it, or write the file anew");
}

/// A field of a line: without what ends fields and lines.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\t') {
      safe += "\\t";
    } else if (c == '\n') {
      safe += "\\n";
    } else if (c == '\\') {
      safe += "\\\\";
    } else {
      safe += c;
    }
  }
  return safe;
}
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    ++i;
    plain += text[i] == 't' ? '\t' : text[i] == 'n' ? '\n' : text[i];
  }
  return plain;
}

/// Takes a manifest apart.
class line_reader {
 public:
  line_reader(std::string_view text, std::string_view path) : left_(text), path_(path) {}

  [[nodiscard]] bool at_end() const { return left_.empty(); }
  void next_line() {
    const std::size_t end = std::min(left_.find('\n'), left_.size());
    line_ = left_.substr(0, end);
    left_.remove_prefix(std::min(end + 1, left_.size()));
    ++number_;
  }
  std::string_view word() {
    const std::size_t end = std::min(line_.find('\t'), line_.size());
    const std::string_view found = line_.substr(0, end);
    line_.remove_prefix(std::min(end + 1, line_.size()));
    return found;
  }
  template <class Number>
  Number number(int base = 10) {
    const std::string_view text = word();
    Number value{};
    const auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (failure != std::errc{} || end != text.data() + text.size()) refuse("a number", text);
    return value;
  }
  void expect(std::string_view wanted) { expect(wanted, word()); }
  void expect(std::string_view wanted, std::string_view found) const {
    if (found != wanted) refuse(wanted, found);
  }
  [[noreturn]] void refuse(std::string_view wanted, std::string_view found) const {
    damaged(path_, "line " + std::to_string(number_), wanted, found);
  }

 private:
  std::string_view left_, path_, line_;
  std::size_t number_ = 0;
};

/// A line of a value behind its first word. Of another rank than `wanted`, no more than whose it
/// is.
std::optional<saved_value> read_value_line(line_reader& lines,
                                           std::optional<std::uint32_t> wanted = std::nullopt) {
  saved_value value;
  value.tag = lines.number<std::uint64_t>();
  value.file = lines.number<std::uint32_t>();
  if (wanted && *wanted != value.file) return std::nullopt;
  value.per_rank = lines.number<int>() != 0;
  value.present = lines.number<int>() != 0;
  value.type_hash = lines.number<std::uint64_t>(16);
  value.shape.rows = lines.number<std::size_t>();
  value.shape.cols = lines.number<std::size_t>();
  value.offset = lines.number<std::uint64_t>();
  value.bytes = lines.number<std::uint64_t>();
  value.hash = lines.number<std::uint64_t>(16);
  value.name = unescaped(lines.word());
  value.type_name = unescaped(lines.word());
  value.where = unescaped(lines.word());
  return value;
}

void check_value(const saved_value& value, std::span<const std::byte> bytes,
                 const std::string& path) {
  if (bytes.size() == value.bytes && hash_of(bytes) == value.hash) return;
  damaged(path, "byte " + std::to_string(value.offset),
          std::to_string(value.bytes) + " bytes of `" + value.name + "`, hash " + hex(value.hash),
          std::to_string(bytes.size()) + " bytes, hash " + hex(hash_of(bytes)));
}

std::uint64_t size_of(std::ifstream& file) {
  file.seekg(0, std::ios::end);
  return static_cast<std::uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
}

/// Waits for nobody, as it would at a pipe.
std::ifstream open_file(const std::string& path) {
  std::ifstream file;
  std::error_code failure;
  if (files::is_regular_file(path, failure)) file.open(path, std::ios::binary);
  if (!file.is_open()) damaged(path, "the start", "a file", "none that can be read");
  return file;
}

std::string whole_file(const std::string& path) {
  std::ifstream file = open_file(path);
  std::string text(size_of(file), '\0');
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

/// What is there of a value: less than all of it where the file is too short.
std::vector<std::byte> read_part(std::ifstream& file, const saved_value& value) {
  const std::uint64_t size = size_of(file);
  const std::uint64_t there = value.offset < size ? size - value.offset : 0;
  std::vector<std::byte> bytes(std::min(value.bytes, there));
  file.seekg(static_cast<std::streamoff>(value.offset));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  file.clear();
  return bytes;
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string lines_of(std::span<const saved_value> values) {
  std::string text;
  const auto add = [&](const auto& field) {
    text += '\t';
    text += field;
  };
  for (const saved_value& each : values) {
    text += "value";
    add(std::to_string(each.tag));
    add(std::to_string(each.file));
    add(each.per_rank ? "1" : "0");
    add(each.present ? "1" : "0");
    add(hex(each.type_hash));
    add(std::to_string(each.shape.rows));
    add(std::to_string(each.shape.cols));
    add(std::to_string(each.offset));
    add(std::to_string(each.bytes));
    add(hex(each.hash));
    add(escaped(each.name));
    add(escaped(each.type_name));
    add(escaped(each.where));
    text += '\n';
  }
  return text;
}

std::string text_of(const manifest_head& head, std::string_view lines) {
  std::string text(first_line);
  text += "generation\t" + std::to_string(head.generation) + "\n";
  text += "epoch\t" + std::to_string(head.epoch) + "\n";
  text += "ranks\t" + std::to_string(head.ranks) + "\n";
  for (const std::uint32_t keeper : head.copies) text += "copy\t" + std::to_string(keeper) + "\n";
  text += lines;
  text += "end\t" + hex(hash_of(std::as_bytes(std::span(text)))) + "\n";
  return text;
}

manifest parse_manifest(std::string text, std::string_view path) {
  if (!text.starts_with(first_line))
    damaged(path, "line 1", first_line.substr(0, first_line.size() - 1),
            text.empty() ? "an empty file" : "something else");
  if (text.size() < first_line.size() + last_line_bytes)
    damaged(path, "the end", "the hash of what stands before", "none");
  const std::string_view content = content_of(text);
  const std::string wanted = "end\t" + hex(hash_of(std::as_bytes(std::span(content)))) + "\n";
  if (text.substr(content.size()) != wanted)
    damaged(path, "the end", "the hash of what stands before", "another");

  line_reader lines(content, path);
  manifest all;
  lines.next_line();  // Its first.
  lines.next_line();
  lines.expect("generation");
  all.generation = lines.number<std::uint64_t>();
  lines.next_line();
  lines.expect("epoch");
  all.epoch = lines.number<std::uint64_t>();
  lines.next_line();
  lines.expect("ranks");
  all.ranks = lines.number<std::uint32_t>();
  if (all.ranks == 0 || all.ranks > most_ranks)
    lines.refuse("from 1 to " + std::to_string(most_ranks) + " ranks", std::to_string(all.ranks));
  bool in_values = false;
  while (!lines.at_end()) {
    lines.next_line();
    const std::string_view what = lines.word();
    if (what == "copy" && !in_values) {
      if (all.copies.empty())
        all.copies.reserve(std::min<std::size_t>(all.ranks, content.size() / shortest_copy_line));
      all.copies.push_back(lines.number<std::uint32_t>());
    } else {
      in_values = true;
      lines.expect("value", what);
      const std::uint32_t file = read_value_line(lines)->file;
      if (file >= all.ranks)
        lines.refuse("a rank below " + std::to_string(all.ranks), std::to_string(file));
    }
  }
  if (!all.copies.empty())
    lines.expect(std::to_string(all.ranks), std::to_string(all.copies.size()));
  all.text = std::move(text);
  return all;
}

namespace {

void visit_lines(const manifest& all, std::optional<std::uint32_t> file,
                 const value_visitor& visit) {
  line_reader lines(content_of(all.text), "the manifest");
  while (!lines.at_end()) {
    lines.next_line();
    if (lines.word() != "value") continue;
    if (const std::optional<saved_value> value = read_value_line(lines, file)) visit(*value);
  }
}

}  // namespace

void visit_values(const manifest& all, const value_visitor& visit) {
  visit_lines(all, std::nullopt, visit);
}
void visit_values(const manifest& all, std::uint32_t file, const value_visitor& visit) {
  visit_lines(all, file, visit);
}

std::string folder_of(std::string_view folder, std::uint64_t generation) {
  return std::string(folder) + "/" + std::string(generation_prefix) + std::to_string(generation);
}
std::string file_of(std::string_view folder, std::uint64_t generation, std::uint32_t rank) {
  return folder_of(folder, generation) + "/rank-" + std::to_string(rank);
}
std::string copy_of(std::string_view folder, std::uint64_t generation, std::uint32_t rank) {
  return folder_of(folder, generation) + "/copy-of-rank-" + std::to_string(rank);
}
std::string manifest_of(std::string_view folder, std::uint64_t generation) {
  return folder_of(folder, generation) + "/manifest";
}

std::vector<std::uint64_t> generations_in(std::string_view folder) {
  std::vector<std::uint64_t> found;
  std::error_code failure;
  for (const auto& each : files::directory_iterator(files::path(folder), failure)) {
    const std::string name = each.path().filename().string();
    if (!name.starts_with(generation_prefix)) continue;
    std::uint64_t number = 0;
    const char* const first = name.data() + generation_prefix.size();
    const char* const end = name.data() + name.size();
    if (std::from_chars(first, end, number).ptr == end) found.push_back(number);
  }
  std::ranges::sort(found, std::greater{});
  return found;
}

std::string why_closed(std::string_view folder) {
  std::error_code failure;
  const files::directory_iterator opened(files::path(folder), failure);
  if (!failure || failure == std::errc::no_such_file_or_directory) return {};
  return "`" + std::string(folder) + "` cannot be looked into: " + failure.message();
}

value_writer::value_writer(disk& on, std::string_view folder, std::uint64_t generation,
                           std::uint32_t rank)
    : file_(on, folder_of(folder, generation), file_of(folder, generation, rank)) {}

void value_writer::append(std::span<const std::byte> bytes, saved_value& to) {
  constexpr std::size_t at_once = std::size_t{1} << 20;
  constexpr std::size_t large = std::size_t{1} << 16;  // Not worth a copy.
  to.present = true;
  to.offset = written_;
  to.bytes = bytes.size();
  to.hash = hash_of(bytes);
  written_ += bytes.size();
  if (bytes.size() >= large || waiting_.size() + bytes.size() > at_once) flush();
  if (bytes.size() >= large) {
    file_.write(bytes);
  } else {
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  }
}

void value_writer::flush() {
  file_.write(waiting_);
  waiting_.clear();
}

void value_writer::finish() {
  flush();
  file_.finish();
}

void commit(disk& on, std::string_view folder, std::uint64_t generation, std::string_view text) {
  check_disk(on.make_folder(folder_of(folder, generation)), folder_of(folder, generation));
  const std::string final_path = manifest_of(folder, generation);
  const std::string path = final_path + ".new";
  int file = -1;
  check_disk(on.create(path, file), path);
  int result = on.write(file, std::as_bytes(std::span(text)));
  if (result == 0) result = on.sync(file);
  const int closed = on.close(file);
  check_disk(result != 0 ? result : closed, path);
  check_disk(on.rename(path, final_path), final_path);
  check_disk(on.sync_folder(folder_of(folder, generation)), final_path);
  check_disk(on.sync_folder(std::string(folder)), std::string(folder));
}

/// The manifest first: what is half gone must not look whole.
void remove_generation(disk& on, std::string_view folder, std::uint64_t generation) {
  static_cast<void>(on.remove(manifest_of(folder, generation)));
  const std::string gone = folder_of(folder, generation);
  std::error_code failure;
  for (const auto& each : files::directory_iterator(gone, failure))
    static_cast<void>(on.remove(each.path().string()));
  static_cast<void>(on.remove(gone));
}

std::uint64_t prune(disk& on, std::string_view folder, generation_range own, std::size_t keep) {
  std::size_t kept = 0;
  std::uint64_t oldest = own.last;
  for (const std::uint64_t generation : generations_in(folder)) {
    if (generation > own.last) continue;
    if (generation < own.first || (is_whole(folder, generation) && kept++ < keep)) {
      oldest = generation;
    } else {
      remove_generation(on, folder, generation);
    }
  }
  return oldest;
}

void prune_older(disk& on, std::string_view folder, std::uint64_t oldest) {
  for (const std::uint64_t generation : generations_in(folder)) {
    if (generation < oldest) remove_generation(on, folder, generation);
  }
}

void set_aside(disk& on, std::string_view folder, std::uint64_t generation) {
  const std::string aside = std::string(folder) + "/damaged-" + std::to_string(generation);
  static_cast<void>(on.rename(folder_of(folder, generation), aside));
}

bool is_whole(std::string_view folder, std::uint64_t generation) {
  std::error_code failure;
  return files::exists(manifest_of(folder, generation), failure);
}

manifest read_manifest(std::string_view folder, std::uint64_t generation) {
  const std::string path = manifest_of(folder, generation);
  manifest all = parse_manifest(whole_file(path), path);
  if (all.generation != generation)
    damaged(path, "line 2", "generation " + std::to_string(generation),
            "generation " + std::to_string(all.generation));
  return all;
}

void verify_file(const std::string& path, const manifest& all, std::uint32_t file) {
  std::ifstream opened;
  std::uint64_t end = 0;
  visit_values(all, file, [&](const saved_value& each) {
    if (!each.present) return;
    if (!opened.is_open()) opened = open_file(path);
    check_value(each, read_part(opened, each), path);
    end = std::max(end, each.offset + each.bytes);
  });
  if (!opened.is_open()) return;  // A rank without values writes no file.
  if (size_of(opened) != end)
    damaged(path, "byte " + std::to_string(end), "the end of the file",
            std::to_string(size_of(opened)) + " bytes in all");
}

std::vector<std::byte> read_value(std::string_view folder, const manifest& all,
                                  const saved_value& value) {
  const std::string path = file_of(folder, all.generation, value.file);
  std::ifstream opened = open_file(path);
  std::vector<std::byte> bytes = read_part(opened, value);
  check_value(value, bytes, path);
  return bytes;
}

}  // namespace deed::runtime
