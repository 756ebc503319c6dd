// SPDX-License-Identifier: MIT
// make_seeds FOLDER: valid inputs for each fuzzer, from which it starts.
#include <deed/transport/detail/header.hpp>

#include "../data/messages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace deed::transport::detail;
using bytes = std::vector<std::byte>;

void write(const std::filesystem::path& folder, const std::string& name,
           std::span<const std::byte> what) {
  std::filesystem::create_directories(folder);
  std::ofstream out(folder / name, std::ios::binary);
  out.write(reinterpret_cast<const char*>(what.data()), static_cast<std::streamsize>(what.size()));
}

void archives(const std::filesystem::path& folder) {
  const auto valid = messages::valid_messages();
  for (std::size_t kind = 0; kind < valid.size(); ++kind) {
    bytes seed{static_cast<std::byte>(kind)};
    const auto packed = valid[kind].bytes();
    seed.insert(seed.end(), packed.begin(), packed.end());
    write(folder, "kind_" + std::to_string(kind), seed);
  }
}

/// A frame as rank 1 sends it, behind its length and the mark that it is complete.
bytes frame(frame_kind kind, std::uint16_t flags, std::size_t payload, std::uint32_t number) {
  header h;
  h.kind = static_cast<std::uint8_t>(kind);
  h.flags = flags;
  h.header_bytes = static_cast<std::uint16_t>(header_bytes +
                                              ((flags & flag_checksum) != 0 ? checksum_bytes : 0));
  h.sequence = number;
  h.origin = 1;
  h.tag = number % 4;
  h.version = (flags & flag_message) != 0 ? 0 : 2;
  h.bytes = kind == frame_kind::announce ? 3000 : payload;
  h.transfer = kind == frame_kind::credit ? 0 : number + 1;
  h.chunk_log2 = kind == frame_kind::announce || kind == frame_kind::clear ? 10 : 0;
  h.credits = kind == frame_kind::credit ? 16 : 0;
  h.members = 1;
  seal(h);
  bytes made{static_cast<std::byte>(h.header_bytes + payload), std::byte{0}};
  const auto head = std::as_bytes(std::span(&h, 1));
  made.insert(made.end(), head.begin(), head.end());
  made.resize(2 + h.header_bytes + payload, std::byte{'x'});
  return made;
}

void frames(const std::filesystem::path& folder) {
  struct seed {
    std::string_view name;
    frame_kind kind;
    std::uint16_t flags;
    std::size_t payload;
  };
  constexpr std::array seeds{
      seed{"eager", frame_kind::eager, 0, 40},
      seed{"eager_message", frame_kind::eager, flag_message, 0},
      seed{"eager_checked", frame_kind::eager, flag_message | flag_checksum, 8},
      seed{"announce", frame_kind::announce, 0, 0},
      seed{"announce_message", frame_kind::announce, flag_message, 0},
      seed{"clear", frame_kind::clear, 0, 0},
      seed{"credit", frame_kind::credit, 0, 0},
      seed{"refusal", frame_kind::refusal, 0, 0},
      seed{"refusal_by_sender", frame_kind::refusal, flag_by_sender, 0},
      seed{"quiesce", frame_kind::quiesce, 0, 0},
      seed{"control", frame_kind::control, 0, 20},
      seed{"reduce", frame_kind::reduce, 0, 24},
      seed{"reduced", frame_kind::reduced, 0, 24}};
  bytes all;
  for (const seed& each : seeds) {
    write(folder, std::string(each.name), frame(each.kind, each.flags, each.payload, 0));
    const auto number = static_cast<std::uint32_t>(&each - seeds.data());
    const bytes next = frame(each.kind, each.flags, each.payload, number);
    all.insert(all.end(), next.begin(), next.end());
  }
  write(folder, "one_of_each", all);
  for (const frame_kind bulk : {frame_kind::announce, frame_kind::clear, frame_kind::refusal}) {
    bytes four;
    for (std::uint32_t number = 0; number < 4; ++number) {
      const bytes next = frame(bulk, 0, 0, number);
      four.insert(four.end(), next.begin(), next.end());
    }
    write(folder, "four_of_" + std::to_string(static_cast<int>(bulk)), four);
  }
}

void plans(const std::filesystem::path& folder) {
  constexpr std::array<std::string_view, 8> seeds{
      "delay 4 5000",
      "stall 2 at 100 for 200",
      "kill 1 after 7",
      "skew 0 by -5",
      "damage 17",
      "drop 9",
      "fail 3",
      "delay 4 5000; stall 2 at 100 for 200; kill 1 after 7; skew 0 by -5; damage 17; drop 9; fail "
      "3"};
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    write(folder, "plan_" + std::to_string(i), std::as_bytes(std::span(seeds[i])));
  }
}

/// Behind the byte that says how it is read.
void write_text(const std::filesystem::path& folder, const std::string& name, char how,
                std::string_view text) {
  const std::string seed = how + std::string(text);
  write(folder, name, std::as_bytes(std::span(seed)));
}

void checkpoints(const std::filesystem::path& folder) {
  constexpr std::string_view head = "generation\t1\nepoch\t7\nranks\t2\n";
  constexpr std::string_view value =
      "value\t5\t0\t0\t1\t00000000000000ff\t1\t1\t0\t8\t5851f42d4c957f2d\tx\\ty\tdouble\ta.cpp:3\n";
  std::string seed(1, '\x08');  // Eight bytes of values.
  seed += std::string("12345678") + std::string(head) + "copy\t1\ncopy\t0\n" + std::string(value);
  write_text(folder, "sealed", '\0', seed);
  write_text(folder, "open", '\1', seed);
}

void all_settings(const std::filesystem::path& folder) {
  write_text(folder, "told", '\0', "window=8\nseed=7\n");
  write_text(folder, "options", '\1',
             "--deed-ranks=inproc:8\n--deed-dry=2/64\n--deed-fault=kill 1 after 20\nword");
  write_text(folder, "environment", '\2',
             "DEED_MEMORY=cache=2G\nDEED_CHECKS=global,messages\nDEED_SILENCE=60,abort\n"
             "DEED_CHECKPOINT=run1,every=10\nDEED_TRACE_MODE=ring:8M\nDEED_DEVICES=emulated:2");
}

void reports(const std::filesystem::path& folder) {
  write_text(
      folder, "hang", '\1',
      R"({"format": "deed-hang", "version": 1, "code": "D511", "happened": "h", "help": "h",)"
      R"("facts": [{"who": "rank 0", "what": "w"}], "ranks": [{"rank": 0, "where": "a.cpp:3",)"
      R"("waits": [{"what": "w", "peer": 1, "tag": 7, "datum": "`a`", "version": 2}, {"gate": "g"}],)"
      R"("messages": [{"seen_by": "receiver", "peer": 2, "tag": 9, "bytes": 8}]}]})");
  write_text(folder, "notes", '\0',
             R"({"format": "deed-notes", "marks": [{"t": 17, "text": "here\u00e9"}]})");
  write_text(folder, "view", '\0', R"({"format": "deed-view", "pinned": ["rank 0 w00"]})");
}

/// A change of a file is five bytes: which, where (two), how, and what.
void damages(const std::filesystem::path& folder) {
  constexpr std::array<std::string_view, 4> seeds{
      std::string_view("\0\x50\0\0\xff", 5), std::string_view("\1\xa0\0\1\0", 5),
      std::string_view("\2\xf0\0\2\3", 5), std::string_view("\4\x78\0\3\0", 5)};
  for (std::size_t i = 0; i < seeds.size(); ++i)
    write(folder, "change_" + std::to_string(i), std::as_bytes(std::span(seeds[i])));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const std::filesystem::path folder = argv[1];
  archives(folder / "archive_fuzz");
  frames(folder / "frame_fuzz");
  plans(folder / "plan_fuzz");
  checkpoints(folder / "checkpoint_fuzz");
  all_settings(folder / "settings_fuzz");
  reports(folder / "report_fuzz");
  damages(folder / "run_fuzz");
  std::filesystem::create_directories(folder / "packet_fuzz");  // Starts from nothing.
}
