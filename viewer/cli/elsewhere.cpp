// SPDX-License-Identifier: MIT
#include "cli/elsewhere.hpp"

#include "analysis/edit/unwritable.hpp"
#include "analysis/say/units.hpp"
#include "cli/programs.hpp"
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace deed::viewer {
namespace {

namespace files = std::filesystem;

/// Of what comes from another machine; gone at the end.
class passing_folder {
 public:
  explicit passing_folder(const std::string& beside) : path_(beside + ".XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr)
      throw unwritable("`" + beside + "` cannot be written: no folder can be made beside it");
  }
  ~passing_folder() {
    std::error_code ignored;
    files::remove_all(path_, ignored);
  }
  passing_folder(const passing_folder&) = delete;
  passing_folder& operator=(const passing_folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// For the shell of the other machine.
std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

// What ranks that were killed left in shared memory; only folders that are there.
constexpr const char* find_tails =
    "sed -n 's|.*tail = \"\\(/dev/shm/deed-[0-9a-f-]*/rank-[0-9]*\\)\".*|\\1|p' rank-*/metadata | "
    "while read -r d; do [ -d \"$d\" ] && echo \"$d\"; done";

void fetch(const std::string& place, const std::string& command, const std::string& into) {
  const std::size_t colon = place.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == place.size() || place[0] == '-')
    throw usage_error("collect --from needs HOST:FOLDER, not `" + place + "`");
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word);
  if (words.empty()) throw usage_error("--ssh needs a command");
  words.push_back(place.substr(0, colon));
  words.push_back("cd " + quoted(place.substr(colon + 1)) +
                  " && tar -cf - rank-* $(ls repaired.txt 2>/dev/null) $(" +
                  std::string(find_tails) + ")");
  if (const int status = run_pipe(words, {"tar", "-xf", "-", "-C", into}); status != 0)
    throw unreadable("`" + place + "` did not come: `" + words[0] + "` ended with " +
                     std::to_string(status));
}

/// A line for each thing that a reader of the report wants to know first.
std::string report(const model& of) {
  const run& r = of.events();
  std::ostringstream text;
  const auto say = [&](const char* title, const answer& what) {
    constexpr std::size_t most_rows = 40;
    text << "== " << title << "\n\n" << render(what, style::text, {}, most_rows) << '\n';
  };
  for (const std::string& each : r.incomplete()) text << "incomplete: " << each << '\n';
  say("the run", info(of));
  say("the first error", at_first_error(of, {}));
  say("who waits for whom", waits(of, {}));
  say("check", say_check(of, ""));
  say("sent twice", why_twice(of, {}));
  say("where the time went", breakdown(of, {}));
  return text.str();
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t sum = 0;
  for (const auto& each : files::recursive_directory_iterator(folder))
    if (each.is_regular_file()) sum += each.file_size();
  return sum;
}

/// "rank 0, rank 2".
std::string say_ranks(const std::set<int>& ranks) {
  std::string text;
  for (const int each : ranks) text += (text.empty() ? "rank " : ", rank ") + std::to_string(each);
  return text;
}

/// "run.deed: 1 rank copied; rank 0, rank 2 were there already".
std::string say_collected(const std::string& to, const collected& what) {
  std::string text = to + ": " + say_some(what.copied.size(), "rank") + " copied";
  if (!what.there.empty())
    text += "; " + say_ranks(what.there) + (what.there.size() == 1 ? " was" : " were") +
            " there already";
  return text;
}

/// "`run.deed` has rank 0 already, with other files than `node1:/tmp/run`: remove one of them".
std::string say_differing(const std::string& to, const collected& what) {
  std::string text;
  for (const auto& [from, ranks] : what.differ)
    text += (text.empty() ? "`" : "; `") + to + "` has " + say_ranks(ranks) +
            " already, with other files than `" + from + "`: remove one of them";
  return text;
}

/// What came from one place more.
void add(const collected& more, const std::string& place, collected& all) {
  all.copied.insert(more.copied.begin(), more.copied.end());
  all.there.insert(more.there.begin(), more.there.end());
  for (const auto& [folder, ranks] : more.differ)
    all.differ[place].insert(ranks.begin(), ranks.end());
  for (const int each : all.copied) all.there.erase(each);
}

}  // namespace

int collect_run(const options& given) {
  if (!given.named.contains("-o")) throw usage_error("collect needs -o RUN");
  const std::string& to = given.named.at("-o");
  std::vector<std::string> from(given.words.begin() + 1, given.words.end());
  collected all = from.empty() ? collected{} : collect(to, from);
  if (given.named.contains("--from")) {
    const auto ssh = given.named.find("--ssh");
    for (const std::string& each : split(given.named.at("--from"))) {
      const passing_folder here(to);
      fetch(each, ssh == given.named.end() ? "ssh" : ssh->second, here.path());
      add(collect(to, {here.path()}, here.path()), each, all);
    }
  }
  std::cout << say_collected(to, all) << '\n';
  if (!all.differ.empty()) throw unreadable(say_differing(to, all));
  return 0;
}

int bundle(const run& from, const options& given, const slice_options& wanted) {
  const std::string& to = given.named.at("-o");
  if (files::exists(to)) throw unwritable("`" + to + "` is there already: name another folder");
  const std::string part = to + "/run.deed", text = to + "/report.txt", picture = to + "/run.png";
  const std::uint64_t kept = slice(from, part, wanted);
  std::ofstream(text) << "The whole run. run.deed beside this text is a part of it.\n\n"
                      << report(model(from)) << std::flush;
  static_cast<void>(pack(part, 19));
  const std::string window = program_beside("deed-view");
  const bool drawn = !window.empty() && run_program({window, part, "--screenshot", picture,
                                                     "--size", "1600x900"}) == 0;
  std::cout << to << ": " << say_some(kept, "event") << ", report.txt"
            << (drawn ? ", run.png" : "; no picture: deed-view is not here") << ", "
            << say_bytes(bytes_in(to)) << '\n';
  return 0;
}

}  // namespace deed::viewer
