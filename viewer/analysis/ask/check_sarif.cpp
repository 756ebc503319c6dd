// SPDX-License-Identifier: MIT
#include "analysis/ask/check_sarif.hpp"

#include "analysis/read/json.hpp"
#include "analysis/say/sentence.hpp"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace deed::viewer {
namespace {

std::string message(const std::string& text) { return "{\"text\": " + json_text(text) + "}"; }

std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& each : items) text += (text.empty() ? "" : ",\n      ") + each;
  return "[" + text + "]";
}

/// A name of a file as a reference.
///
/// Source: RFC 3986, sections 2.1 and 4.2; a colon would begin with a scheme.
std::string uri_of(std::string_view file) {
  constexpr std::string_view digits = "0123456789ABCDEF", plain = "/.-_~";
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte) != 0) || plain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += {'%', digits[byte >> 4u], digits[byte & 15u]};
  }
  return uri;
}

struct source_line {
  std::string file;
  std::string line;
};

/// Of "main.cpp:88".
std::optional<source_line> source_of(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0) return {};
  std::string line = place.substr(colon + 1);
  constexpr std::size_t most_digits = 9;
  if (line.empty() || line.size() > most_digits || line.front() == '0' ||
      line.find_first_not_of("0123456789") != std::string::npos)
    return {};
  return source_line{place.substr(0, colon), std::move(line)};
}

std::string locations(const model& of, std::uint32_t handle) {
  if (handle >= of.data().size() || !of.data()[handle].known) return "[]";
  const datum& about = of.data()[handle];
  const auto at = source_of(of.place(about.home_reporter, about.loc));
  if (!at) return "[]";
  return "[{\"physicalLocation\": {\"artifactLocation\": {\"uri\": " + json_text(uri_of(at->file)) +
         "}, \"region\": {\"startLine\": " + at->line +
         "}}, \"message\": " + message(of.handle_name(handle) + " is registered here") + "}]";
}

/// The same in another run of the program: without a time.
std::string fingerprint(const model& of, const finding& f) {
  std::string text = f.rule;
  if (f.handle != none) text += "/" + version_name(of, f.handle, f.version);
  return text + "/rank " + std::to_string(f.rank);
}

std::string result(const model& of, const finding& f) {
  return "{\"ruleId\": " + json_text(f.rule) +
         ", \"level\": \"error\", \"message\": " + message(f.sentence) +
         ", \"locations\": " + locations(of, f.handle) +
         ", \"partialFingerprints\": {\"deedFingerprint/v1\": " + json_text(fingerprint(of, f)) +
         "}}";
}

std::string described(const rule& each) {
  const std::string text = message(each.promise);
  return "{\"id\": " + json_text(each.name) + ", \"shortDescription\": " + text +
         ", \"fullDescription\": " + text + ", \"help\": " + text + "}";
}

}  // namespace

std::string as_sarif(const model& of, const std::vector<finding>& found, std::string_view version) {
  std::vector<std::string> promises, results;
  for (const rule& each : rules()) promises.push_back(described(each));
  for (const finding& each : found) results.push_back(result(of, each));
  const std::string number = json_text(version);
  return "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": "
         "\"2.1.0\",\n"
         " \"runs\": [{\n"
         "    \"tool\": {\"driver\": {\"name\": \"deed-trace\", \"version\": " +
         number + ", \"semanticVersion\": " + number + ",\n      \"rules\": " + list_of(promises) +
         "}},\n    \"invocations\": [{\"executionSuccessful\": " +
         (of.events().incomplete().empty() ? "true" : "false") +
         "}],\n    \"results\": " + list_of(results) + "}]}\n";
}

}  // namespace deed::viewer
