// SPDX-License-Identifier: MIT
#include "analysis/read/notes.hpp"

#include "analysis/read/json.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace deed::viewer {
namespace {

json read_file(const std::string& file, const char* format) {
  constexpr std::uintmax_t longest = 16u << 20;
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (failed || size > longest) return {};
  std::ifstream in(file, std::ios::binary);
  auto read = json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
  return read && read->text_of("format") == format ? std::move(*read) : json{};
}

bool write_file(const std::string& file, const std::string& text) {
  const std::string beside = file + ".part";
  std::ofstream out(beside);
  out << text << std::flush;
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(beside, file, failed);
  if (out && !failed) return true;
  std::filesystem::remove(beside, failed);
  return false;
}

}  // namespace

run_notes read_notes(const std::string& run) {
  run_notes found;
  const json marks = read_file(run + "/notes.json", "deed-notes");
  const json view = read_file(run + "/view.json", "deed-view");
  for (const json& each : marks.list_of("marks"))
    found.marks.push_back({each.number_of("t", 0), each.text_of("text")});
  std::stable_sort(found.marks.begin(), found.marks.end(),
                   [](const note& a, const note& b) { return a.time < b.time; });
  for (const json& each : view.list_of("pinned"))
    if (each.is == json::kind::text) found.pinned.push_back(each.text);
  return found;
}

bool write_notes(const std::string& run, const run_notes& notes) {
  std::string marks = "{\"format\": \"deed-notes\", \"marks\": [", between = "\n  ";
  for (const note& each : notes.marks) {
    marks += between + "{\"t\": " + std::to_string(each.time) +
             ", \"text\": " + json_text(each.text) + "}";
    between = ",\n  ";
  }
  std::string view = "{\"format\": \"deed-view\", \"pinned\": [";
  between.clear();
  for (const std::string& each : notes.pinned) {
    view += between + json_text(each);
    between = ", ";
  }
  return write_file(run + "/notes.json", marks + "\n]}\n") &&
         write_file(run + "/view.json", view + "]}\n");
}

}  // namespace deed::viewer
