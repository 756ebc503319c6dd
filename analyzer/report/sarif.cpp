// SPDX-License-Identifier: MIT
#include "report/sarif.hpp"

#include "report/fingerprint.hpp"
#include "report/json.hpp"

#include <algorithm>
#include <set>

namespace deed::check {
namespace {

constexpr std::size_t most_results = 5000;
constexpr std::size_t most_locations = 100;

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::string message(const std::string& text) { return "{\"text\":" + json_string(text) + "}"; }

std::string uri(const std::string& file) {
  std::string text = file.starts_with("/") ? "file://" : "";
  for (const char c : file) {
    if (c == ' ')
      text += "%20";
    else if (c == '%')
      text += "%25";
    else
      text += c;
  }
  return text;
}

std::string region(const span& at) {
  return "{\"startLine\":" + std::to_string(at.line) +
         ",\"startColumn\":" + std::to_string(at.column) +
         ",\"endLine\":" + std::to_string(at.end_line) +
         ",\"endColumn\":" + std::to_string(at.end_column) + "}";
}

std::string physical(const span& at, const file_table& files) {
  return "\"physicalLocation\":{\"artifactLocation\":{\"uri\":" +
         json_string(uri(files.name(at.file))) + "},\"region\":" + region(at) + "}";
}

std::string location(const label& l, const file_table& files) {
  return "{" + physical(l.at, files) + (l.text.empty() ? "" : ",\"message\":" + message(l.text)) +
         "}";
}

const char* level(severity s) {
  switch (s) {
    case severity::error:
      return "error";
    case severity::warning:
      return "warning";
    default:
      return "note";
  }
}

std::string fixes(const diagnostic& d, const file_table& files) {
  std::vector<std::string> changes;
  for (const edit& one : d.edits) {
    if (!one.at.known()) continue;
    changes.push_back(
        "{\"artifactLocation\":{\"uri\":" + json_string(uri(files.name(one.at.file))) +
        "},\"replacements\":[{\"deletedRegion\":" + region(one.at) +
        ",\"insertedContent\":" + message(one.text) + "}]}");
  }
  if (changes.empty()) return {};
  return ",\"fixes\":[{\"description\":" + message(d.help) + ",\"artifactChanges\":[" +
         join(changes) + "]}]";
}

/// The story in the order of the lines: registered, inserted, waits.
std::string code_flow(const diagnostic& d, const file_table& files) {
  if (d.secondary.empty()) return {};
  std::vector<label> story = d.secondary;
  story.push_back(d.primary);
  std::erase_if(story, [](const label& l) { return !l.at.known(); });
  std::ranges::stable_sort(story, {}, &label::at);
  std::vector<std::string> steps;
  for (const label& l : story) steps.push_back("{\"location\":" + location(l, files) + "}");
  return ",\"codeFlows\":[{\"threadFlows\":[{\"locations\":[" + join(steps) + "]}]}]";
}

std::string result(const diagnostic& d, const file_table& files, source_lines& lines) {
  std::vector<std::string> related;
  for (const label& l : d.secondary) {
    if (l.at.known() && related.size() < most_locations) related.push_back(location(l, files));
  }
  std::string text = d.headline;
  for (const std::string& note : d.notes) text += "; " + note;
  if (!d.help.empty()) text += ". help: " + d.help;
  return "{\"ruleId\":" + json_string(code_name(d.code)) + ",\"level\":\"" + level(d.how) +
         "\",\"message\":" + message(text) + ",\"locations\":[{" + physical(d.primary.at, files) +
         "}]" + ",\"relatedLocations\":[" + join(related) + "]" + code_flow(d, files) +
         fixes(d, files) + ",\"partialFingerprints\":{\"deedFingerprint/v1\":\"" +
         fingerprint(d, files, lines) + "\"}}";
}

}  // namespace

std::string as_sarif(const std::vector<diagnostic>& found, const std::vector<rule_text>& rules,
                     const file_table& files, source_lines& lines, bool complete) {
  std::set<int> used;
  std::vector<std::string> results, described;
  for (const diagnostic& d : found) {
    used.insert(d.code);
    if (results.size() < most_results) results.push_back(result(d, files, lines));
  }
  for (const rule_text& r : rules) {
    if (!used.contains(r.code)) continue;
    described.push_back("{\"id\":" + json_string(code_name(r.code)) + ",\"shortDescription\":" +
                        message(r.title) + ",\"help\":" + message(r.explanation) + "}");
  }
  return "{\"$schema\":\"https://json.schemastore.org/"
         "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
         "\"tool\":{\"driver\":{\"name\":\"deed-check\",\"rules\":[" +
         join(described) +
         "]}},\"columnKind\":\"utf16CodeUnits\",\"invocations\":[{\"executionSuccessful\":" +
         (complete ? "true" : "false") + "}],\"results\":[" + join(results) + "]}]}\n";
}

std::string as_json_line(const diagnostic& d, const file_table& files, source_lines& lines) {
  return result(d, files, lines) + "\n";
}

}  // namespace deed::check
