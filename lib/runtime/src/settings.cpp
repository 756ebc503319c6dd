// SPDX-License-Identifier: MIT
#include "settings.hpp"

#include <deed/base/error.hpp>
#include <deed/base/words.hpp>

#include "settings_table.hpp"

#include <algorithm>

namespace deed::runtime {
namespace {

using std::string_view;

using spelling = std::string (*)(string_view name);

/// `spell` makes a name what the user would write: `--deed-ranks` or `DEED_RANKS`.
const setting& find(string_view given, spelling spell) {
  const auto table = settings_table();
  const auto found =
      std::ranges::find_if(table, [&](const setting& each) { return spell(each.name) == given; });
  if (found != table.end()) return *found;
  const string_view head = given.substr(0, 32);  // No name is as long.
  std::vector<std::size_t> far;
  for (const setting& each : table) far.push_back(edit_distance(spell(each.name), head));
  const setting& nearest =
      table[static_cast<std::size_t>(std::ranges::min_element(far) - far.begin())];
  throw error(error_code::bad_setting, std::string(given) + ": no such setting", {},
              "did you mean " + spell(nearest.name) + "? `DEED_HELP=1` lists all");
}

/// @param bare a name alone, which switches on; `NAME=` is no value.
void apply(settings& all, const setting& one, string_view given, string_view value,
           bool bare = false) {
  const std::string whole = std::string(given) + "=" + std::string(value);
  try {
    if ((bare || !value.empty()) && one.read(all, value)) return;
  } catch (const error& known) {  // What of it is wrong.
    throw error(known.code(), whole + ": " + known.happened(), known.facts(), known.help());
  }
  throw error(error_code::bad_setting, whole + ": not a value of this setting",
              {{"wanted", std::string(one.type)}, {"default", std::string(one.standard)}},
              "such as `" + std::string(given) + "=" + std::string(one.example) +
                  "`; `DEED_HELP=1` lists all settings");
}

void note(settings& all, const setting& one, string_view value, std::string origin) {
  std::erase_if(all.given, [&](const given_setting& each) { return each.name == one.name; });
  const auto at = std::ranges::find_if(all.given, [&](const given_setting& each) {
    const auto place_of = [](string_view name) {
      return std::ranges::find(settings_table(), name, &setting::name);
    };
    return place_of(each.name) > place_of(one.name);
  });
  all.given.insert(at, {one.name, std::string(value), std::move(origin)});
}

/// "NAME=VALUE", of a setting that counts here.
void take(settings& all, string_view text, spelling spell, string_view origin, bool whole_run) {
  const auto equals = std::min(text.find('='), text.size());
  const string_view name = text.substr(0, equals);
  const string_view value = text.substr(std::min(equals + 1, text.size()));
  const setting& one = find(name, spell);
  if (one.of_run && !whole_run) {
    all.aside.emplace_back(text);
    return;
  }
  apply(all, one, name, value, equals == text.size());
  note(all, one, value, std::string(origin.empty() ? name : origin));
}

void read_environment(settings& all, char** environment, bool whole_run) {
  for (char** each = environment; each != nullptr && *each != nullptr; ++each) {
    const string_view text = *each;
    if (text.starts_with("DEED_")) take(all, text, variable_of, "environment", whole_run);
  }
}

settings from_code(const session_options& code) {
  settings all;
  all.session = code;
  all.every = code.checkpoint.every;
  return all;
}

string_view value_in(string_view lines, string_view name) {
  for (string_view rest = lines; !rest.empty();) {
    const string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with(name) && line.substr(name.size()).starts_with('='))
      return line.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

settings read_settings(int argc, char** argv, char** environment, const session_options& code) {
  settings all = from_code(code);
  read_environment(all, environment, true);
  for (int i = 1; i < argc; ++i) {
    const string_view text = argv[i];
    if (text.starts_with("--deed-")) {
      take(all, text, option_of, "", true);
    } else {
      all.rest.emplace_back(text);
    }
  }
  return all;
}

settings read_session_settings(char** environment, const session_options& code) {
  settings all = from_code(code);
  read_environment(all, environment, false);
  return all;
}

std::string text_of(const settings& all) {
  std::string lines;
  for (const given_setting& each : all.given)
    lines += std::string(each.name) + "=" + each.value + "\n";
  return lines;
}

settings adopt_settings(const settings& mine, string_view text, const session_options& code) {
  settings all = from_code(code);
  all.rest = mine.rest;
  while (!text.empty()) {
    const string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    take(all, line, [](string_view name) { return std::string(name); }, "rank 0", true);
  }
  return all;
}

std::string settings_difference(string_view first, string_view other) {
  std::string all;
  for (const setting& each : settings_table()) {
    const string_view one = value_in(first, each.name), two = value_in(other, each.name);
    if (one == two) continue;
    const auto shown = [&](string_view value) {
      return std::string(value.empty() ? each.standard : value);
    };
    all += (all.empty() ? "" : "; ") + variable_of(each.name) + "=" + shown(two) + " there, " +
           shown(one) + " on rank 0";
  }
  return all;
}

}  // namespace deed::runtime
