// SPDX-License-Identifier: MIT
#include "metadata_writer.hpp"

#include "mapped_file.hpp"
#include "metadata_template.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace deed::trace::detail {
namespace {

constexpr const char* not_counted = "not counted         ";  // As long as a number.

std::string hex(std::uint64_t value) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(value));
  return digits.data();
}

// As the version 4 form wants it; the bits come from the run and the rank.
std::string uuid(const run_identity& run) {
  std::string text = hex(run.run_id[0]) + hex(run.run_id[1] + static_cast<std::uint64_t>(run.rank));
  text[12] = '4';
  text[16] = '8';
  for (const std::size_t at : {20u, 16u, 12u, 8u}) text.insert(at, 1, '-');
  return text;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 1000)) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

void replace(std::string& text, std::string_view mark, const std::string& with) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), with);
}

}  // namespace

clock_description describe_clock(const stamp_source& source, const clock_anchor& first,
                                 const clock_anchor& second) noexcept {
  if (source.what() == stamp_source::kind::session) return {};
  clock_description known;
  known.kind = source.what() == stamp_source::kind::tsc ? "tsc" : "monotonic";
  if (source.what() == stamp_source::kind::tsc) {
    const double stamps = static_cast<double>(second.stamp - first.stamp);
    const double seconds = static_cast<double>(second.epoch_ns - first.epoch_ns) * 1e-9;
    known.hertz = static_cast<std::uint64_t>(std::llround(stamps / seconds));
  }
  // epoch = offset + stamp / hertz has to hold at `first`, in integers: doubles lose nanoseconds.
  __extension__ using wide = __int128;
  constexpr std::int64_t billion = 1'000'000'000;
  const wide first_ns = static_cast<wide>(first.stamp) * billion / known.hertz;
  const wide zero_ns = static_cast<wide>(first.epoch_ns) - first_ns;
  known.offset_seconds = static_cast<std::int64_t>(zero_ns / billion);
  known.offset_stamps = static_cast<std::uint64_t>(zero_ns % billion * known.hertz / billion);
  return known;
}

std::string metadata(const run_identity& run, const clock_description& clock,
                     const recorded_how& how) {
  std::string text(metadata_template);
  replace(text, "@UUID@", uuid(run));
  replace(text, "@FREQUENCY@", std::to_string(clock.hertz));
  replace(text, "@OFFSET_S@", std::to_string(clock.offset_seconds));
  replace(text, "@OFFSET@", std::to_string(clock.offset_stamps));
  replace(
      text, "@ENVIRONMENT@",
      "run_id = " + in_quotes(hex(run.run_id[0]) + hex(run.run_id[1])) +
          ";\n\trank = " + std::to_string(run.rank) + ";\n\tsize = " + std::to_string(run.size) +
          ";\n\thostname = " + in_quotes(host_name()) +
          ";\n\tpid = " + std::to_string(process_id()) + ";\n\tboot_id = " + in_quotes(boot_id()) +
          ";\n\tclock_kind = " + in_quotes(clock.kind) +
          ";\n\tdeed_version = \"" DEED_VERSION "\";\n\targv = " + in_quotes(command_line()) + ";" +
          "\n\tmode = " + in_quotes(how.is_ring ? "ring" : "full") +
          ";\n\tevents = " + in_quotes(names_of(how.categories)) + ";\n\tlost_from = \"" +
          std::string(changed_number(how.lost_from).text()) + "\";\n\tunplaced = \"" +
          (how.unplaced ? std::string(changed_number(*how.unplaced).text()) : not_counted) + "\";" +
          (how.live.empty() ? "" : "\n\ttail = " + in_quotes(how.live) + ";"));
  return text;
}

std::size_t place_of_number(std::string_view metadata, std::string_view name) {
  const std::string before = "\n\t" + std::string(name) + " = \"";
  return metadata.find(before) + before.size();
}

}  // namespace deed::trace::detail
