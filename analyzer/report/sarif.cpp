// SPDX-License-Identifier: MIT
#include "report/sarif.hpp"

#include "report/fixits.hpp"
#include "report/json.hpp"
#include "report/pages.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

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
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "/.-_~+:@!$&'()*,;=";
  std::string text = file.starts_with("/") ? "file://" : "";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte)) || plain.find(c) != plain.npos)
      text += c;
    else
      text += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

/// What a place in a log is made of.
struct sources {
  const file_table& files;
  source_lines& lines;
};

/// A column in bytes, from 1, as one in UTF-16 code units.
std::uint32_t utf16_column(const std::string& line, std::uint32_t column) {
  std::uint32_t units = column;
  for (std::uint32_t i = 0; i + 1 < column && i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    // Four bytes make two units, two or three make one.
    if ((byte & 0xC0) == 0x80) --units;
    if (byte >= 0xF0) ++units;
  }
  return units;
}

std::string region(const span& at, const sources& from) {
  const std::string& file = from.files.name(at.file);
  const auto column = [&](std::uint32_t line, std::uint32_t bytes) {
    return std::to_string(utf16_column(from.lines.line(file, line), bytes));
  };
  return "{\"startLine\":" + std::to_string(at.line) +
         ",\"startColumn\":" + column(at.line, at.column) +
         ",\"endLine\":" + std::to_string(at.end_line) +
         ",\"endColumn\":" + column(at.end_line, at.end_column) + "}";
}

std::string physical(const span& at, const sources& from) {
  return "\"physicalLocation\":{\"artifactLocation\":{\"uri\":" +
         json_string(uri(from.files.name(at.file))) + "},\"region\":" + region(at, from) + "}";
}

std::string location(const label& l, const sources& from) {
  return "{" + physical(l.at, from) + (l.text.empty() ? "" : ",\"message\":" + message(l.text)) +
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

std::string fixes(const diagnostic& d, const sources& from) {
  std::vector<std::string> changes;
  for (const edit& each : d.edits) {
    if (!each.at.known()) continue;
    const std::string& file = from.files.name(each.at.file);
    const auto fits = fitted(each, file, from.lines);
    if (!fits) continue;
    changes.push_back("{\"artifactLocation\":{\"uri\":" + json_string(uri(file)) +
                      "},\"replacements\":[{\"deletedRegion\":" + region(fits->at, from) +
                      ",\"insertedContent\":" + message(fits->text) + "}]}");
  }
  if (changes.empty()) return {};
  return ",\"fixes\":[{\"description\":" + message(d.help) + ",\"artifactChanges\":[" +
         join(changes) + "]}]";
}

/// The story in the order of the lines: registered, inserted, waits.
std::string code_flow(const diagnostic& d, const sources& from) {
  if (d.secondary.empty()) return {};
  std::vector<label> story = d.secondary;
  story.push_back(d.primary);
  std::erase_if(story, [](const label& l) { return !l.at.known(); });
  std::ranges::stable_sort(story, {}, &label::at);
  std::vector<std::string> steps;
  for (const label& l : story) steps.push_back("{\"location\":" + location(l, from) + "}");
  return ",\"codeFlows\":[{\"threadFlows\":[{\"locations\":[" + join(steps) + "]}]}]";
}

std::string result(const diagnostic& d, const sources& from) {
  std::vector<std::string> related;
  for (const label& l : d.secondary) {
    if (l.at.known() && related.size() < most_locations) related.push_back(location(l, from));
  }
  std::string text = d.headline;
  for (const std::string& note : d.notes) text += "; " + note;
  if (!d.help.empty()) text += ". help: " + d.help;
  return "{\"ruleId\":" + json_string(code_name(d.code)) + ",\"level\":\"" + level(d.how) +
         "\",\"message\":" + message(text) + ",\"locations\":[{" + physical(d.primary.at, from) +
         "}]" + ",\"relatedLocations\":[" + join(related) + "]" + code_flow(d, from) +
         fixes(d, from) +
         ",\"partialFingerprints\":{\"deedFingerprint/v1\":" + json_string(d.fingerprint) + "}}";
}

std::string described(const rule_text& r, const std::string& address) {
  const std::string code = code_name(r.code);
  const std::string_view page = page_of(code);
  std::string help = "{\"text\":" + json_string(r.explanation);
  if (!page.empty()) help += ",\"markdown\":" + json_string(page);
  std::string text = "{\"id\":" + json_string(code) + ",\"shortDescription\":" + message(r.title) +
                     ",\"fullDescription\":" + message(r.explanation) + ",\"help\":" + help + "}";
  // The standard wants whole addresses: without one there is no link.
  if (!address.empty() && !page.empty())
    text += ",\"helpUri\":" + json_string(address + "/errors/" + code + ".html");
  return text + "}";
}

std::string driver(const tool_text& tool, const std::set<int>& used) {
  std::vector<std::string> rules;
  for (const rule_text& r : tool.rules) {
    if (used.contains(r.code)) rules.push_back(described(r, tool.address));
  }
  const std::string version = json_string(tool.version);
  return "{\"name\":\"deed-check\",\"version\":" + version + ",\"semanticVersion\":" + version +
         (tool.address.empty() ? "" : ",\"informationUri\":" + json_string(tool.address)) +
         ",\"rules\":[" + join(rules) + "]}";
}

}  // namespace

std::string as_sarif(const std::vector<diagnostic>& found, const tool_text& tool,
                     const file_table& files, source_lines& lines, bool complete) {
  std::set<int> used;
  std::vector<std::string> results;
  for (const diagnostic& d : found) {
    used.insert(d.code);
    if (results.size() < most_results) results.push_back(result(d, {files, lines}));
  }
  return "{\"$schema\":\"https://json.schemastore.org/"
         "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
         "\"tool\":{\"driver\":" +
         driver(tool, used) +
         "},\"columnKind\":\"utf16CodeUnits\",\"invocations\":[{\"executionSuccessful\":" +
         (complete ? "true" : "false") + "}],\"results\":[" + join(results) + "]}]}\n";
}

std::string as_json_line(const diagnostic& d, const file_table& files, source_lines& lines) {
  return result(d, {files, lines}) + "\n";
}

}  // namespace deed::check
