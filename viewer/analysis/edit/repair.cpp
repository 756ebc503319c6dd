// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"
#include "analysis/edit/packet_edit.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/read/mapped_file.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/rank_folder.hpp"
#include "analysis/read/tail.hpp"
#include "analysis/read/unpacked.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace deed::viewer {
namespace {

namespace files = std::filesystem;

constexpr const char* note_file = "repaired.txt";

/// A file's bytes as they should be, and what was done to them. Nothing: they are well as they are.
struct mended {
  std::vector<std::byte> bytes;
  std::string what;
};

void say(std::string& what, const std::string& more) { what += (what.empty() ? "" : "; ") + more; }

/// A packet that ends before its file says: the events that are whole, and nothing behind them.
std::vector<std::byte> filled_up(const rank_layout& layout, const packet_head& head,
                                 std::span<const std::byte> rest, std::size_t position) {
  const whole_events kept = find_whole_events(layout, head, rest, position);
  std::vector<std::byte> packet(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(kept.end));
  packet.resize(head.packet_bits / 8);
  store(layout, head.stream_id, packet, head_field::content_bits, kept.end * 8);
  store(layout, head.stream_id, packet, head_field::end, std::max(head.begin, kept.last_stamp));
  return packet;
}

/// What is lost of a packet, as far as its head tells.
std::string say_lost(const packet_head& head, std::size_t kept) {
  const std::uint64_t had = head.content_bits / 8;
  return had <= kept ? "" : ": " + say_bytes(had - kept) + " of events behind it are lost";
}

std::optional<mended> mend(const rank_layout& layout, std::span<const std::byte> file) {
  mended result;
  std::size_t whole = 0;  // Bytes that are well as they are.
  bool used = false;      // There is a packet with events.
  std::size_t empty_from = 0;
  for (std::size_t start = 0; start < file.size();) {
    const auto rest = file.subspan(start);
    packet_head head;
    std::size_t position = 0;
    const char* why = nullptr;
    if (!read_head(layout, rest, position, head, why)) {
      say(result.what, std::to_string(rest.size()) + " bytes that are no packet are cut off");
      break;
    }
    const bool empty = head.content_bits / 8 <= position;
    if (!empty || !used) empty_from = start + head.packet_bits / 8;
    used |= !empty;
    const whole_events kept = find_whole_events(layout, head, rest, position);
    if (head.packet_bits / 8 > rest.size() || kept.damaged) {
      result.bytes.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(start));
      const auto packet = filled_up(layout, head, rest, position);
      result.bytes.insert(result.bytes.end(), packet.begin(), packet.end());
      say(result.what, "the packet at byte " + std::to_string(start) +
                           " ends behind its last whole event" + say_lost(head, kept.end));
      if (head.packet_bits / 8 <= rest.size()) {  // Damaged inside: go on behind it.
        const auto behind = rest.subspan(head.packet_bits / 8);
        result.bytes.insert(result.bytes.end(), behind.begin(), behind.end());
        auto again = mend(layout, result.bytes);
        if (again) {
          again->what = result.what + "; " + again->what;
          return again;
        }
      }
      return result;
    }
    start += head.packet_bits / 8;
    whole = start;
  }
  if (used && empty_from < whole) {
    say(result.what, std::to_string(whole - empty_from) + " bytes of packets without events go");
    whole = empty_from;
  }
  if (result.what.empty()) return {};
  result.bytes.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(whole));
  return result;
}

void write(const std::string& name, const std::vector<std::byte>& bytes) {
  const std::string beside = name + ".mended";  // The name stays whole until all is written.
  std::ofstream out(beside, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.flush();
  std::error_code failed;
  if (out) files::rename(beside, name, failed);
  if (!out || failed) throw unwritable("`" + name + "` cannot be written");
}

void take_away(const files::path& file) {
  std::error_code failed;
  files::remove(file, failed);
  if (failed) throw unwritable("`" + file.string() + "` cannot be removed: " + failed.message());
}

/// Files that are mended would not have the last packets of a run that was killed.
void say_elsewhere(const files::path& folder, const rank_layout& layout, repairs& all) {
  const std::string tail = tail_of(layout.metadata.environment);
  const auto left = left_in(tail, folder);
  if (left.empty()) return;
  const std::string run = folder.parent_path().string();
  all.elsewhere.push_back(folder.filename().string() + ": " + say_some(left.size(), "file") +
                          " of it in " + tail + ": `deed-trace collect " + run +
                          " -o whole.deed` brings them along, and then repair whole.deed");
}

void repair_rank(const files::path& folder, bool dry_run, repairs& all) {
  const rank_layout layout(parse_metadata(metadata_text(folder.string())), 0);
  say_elsewhere(folder, layout, all);
  std::vector<files::path> listed;
  for (const auto& entry : files::directory_iterator(folder)) listed.push_back(entry.path());
  std::sort(listed.begin(), listed.end());
  for (const files::path& each : listed) {
    const std::string name = each.filename().string();
    if (name == "metadata") continue;
    const std::string shown = folder.filename().string() + "/" + name + ": ";
    if (is_packed(name)) {  // What was whole then; nothing can be made of a part.
      if (files::exists(each.parent_path() / each.stem())) continue;  // Which is what is read.
      ++all.files;
      if (!unpack(mapped_file(each.string()).bytes()))
        all.left.push_back(shown + "zstd cannot unpack it; it is left as it is");
      continue;
    }
    if (name.starts_with('.')) {  // Its recorder ended before it was ready: it holds no event.
      if (!dry_run) take_away(each);
      all.done.push_back(shown + "was not ready, and goes");
      continue;
    }
    ++all.files;
    const mapped_file file(each.string());
    auto better = mend(layout, file.bytes());
    if (!better) continue;
    if (!dry_run) better->bytes.empty() ? take_away(each) : write(each.string(), better->bytes);
    all.done.push_back(shown + better->what);
  }
}

}  // namespace

repairs repair(const std::string& path, bool dry_run) {
  repairs all;
  std::error_code failed;
  std::vector<files::path> ranks;
  for (const auto& entry : files::directory_iterator(path, failed))
    if (entry.path().filename().string().starts_with("rank-") && entry.is_directory())
      ranks.push_back(entry.path());
  if (failed) throw unreadable("`" + path + "` cannot be opened: " + failed.message());
  if (ranks.empty()) throw unreadable("`" + path + "` is no run: it has no folder rank-000000");
  if (!dry_run) refuse_while_recorded(path);
  std::sort(ranks.begin(), ranks.end());
  for (const files::path& each : ranks) {
    const auto leave = [&](const std::exception& wrong) {
      all.left.push_back(each.filename().string() + ": left as it is: " + wrong.what());
    };
    try {
      repair_rank(each, dry_run, all);
    } catch (const unreadable& wrong) {
      leave(wrong);
    } catch (const unwritable& wrong) {
      all.unwritten = true;
      leave(wrong);
    }
  }
  if (!dry_run && !all.done.empty()) {
    std::ofstream notes(files::path(path) / note_file, std::ios::app);
    for (const std::string& each : all.done) notes << each << '\n';
    notes.flush();
    if (!notes) {
      all.unwritten = true;
      all.left.push_back(std::string(note_file) + " cannot be written");
    }
  }
  return all;
}

bool is_repaired(const std::vector<std::string>& before, int rank) {
  return std::ranges::any_of(before, [&](const std::string& each) {
    return each.starts_with("rank-") &&
           static_cast<int>(to_number(each.substr(std::string_view("rank-").size()))) == rank;
  });
}

void copy_repairs(const std::string& from, const std::string& to, const std::set<int>& ranks) {
  const std::vector<std::string> known = repaired_before(to);
  std::multiset<std::string> said(known.begin(), known.end());
  std::string lines;
  for (const std::string& line : repaired_before(from)) {
    if (const auto same = said.find(line); same != said.end())
      said.erase(same);
    else if (std::ranges::any_of(ranks, [&](int rank) { return is_repaired({line}, rank); }))
      lines += line + '\n';
  }
  if (lines.empty()) return;
  std::ofstream out(files::path(to) / note_file, std::ios::app);
  out << lines << std::flush;
  if (!out) throw unwritable("`" + to + "/" + note_file + "` cannot be written");
}

std::vector<std::string> repaired_before(const std::string& path) {
  std::ifstream notes(files::path(path) / note_file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(notes, line);) lines.push_back(line);
  return lines;
}

}  // namespace deed::viewer
