// SPDX-License-Identifier: MIT
#include "driver/config.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace deed::check {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string unquoted(const std::string& text) {
  const bool quoted =
      text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::vector<std::string> arguments_in(const std::string& text, std::string& error) {
  std::vector<std::string> arguments;
  std::istringstream in(text);
  std::string name;
  int number = 0;
  for (std::string raw; std::getline(in, raw);) {
    ++number;
    const auto comment = raw.find(" #");
    const std::string line = trimmed(raw.substr(0, comment));
    if (line.empty() || line[0] == '#' || line == "---") continue;
    if (line.starts_with("- ") && !name.empty()) {
      arguments.push_back("--" + name + "=" + unquoted(trimmed(line.substr(2))));
      continue;
    }
    const auto colon = line.find(':');
    if (colon == std::string::npos || colon == 0 || line[0] == '-') {
      error = "line " + std::to_string(number) + " is no `name: value`: " + line;
      return {};
    }
    name = trimmed(line.substr(0, colon));
    const std::string value = unquoted(trimmed(line.substr(colon + 1)));
    if (value.empty() || value == "false") continue;
    arguments.push_back(value == "true" ? "--" + name : "--" + name + "=" + value);
  }
  return arguments;
}

std::string find_config(std::string& file) {
  namespace fs = std::filesystem;
  for (fs::path folder = fs::current_path();; folder = folder.parent_path()) {
    std::ifstream in(folder / ".deed-check.yaml");
    if (in) {
      file = (folder / ".deed-check.yaml").string();
      return {std::istreambuf_iterator<char>(in), {}};
    }
    if (folder == folder.parent_path()) return {};
  }
}

}  // namespace deed::check
