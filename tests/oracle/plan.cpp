// SPDX-License-Identifier: MIT
#include "plan.hpp"

#include "values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace oracle {
namespace {

constexpr std::array<std::string_view, 4> forms{"number", "list", "record", "tile"};
constexpr std::array<std::string_view, 4> calls{"plain", "requested", "synchronous",
                                                "with_callback"};
constexpr std::array<std::string_view, 7> kinds{"broadcast", "all_gather", "all_reduce", "gather",
                                                "scatter",   "reduce",     "all_to_all"};

std::string name(int datum) { return "d" + std::to_string(datum); }

std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

void print_task(std::ostream& out, const step& s) {
  out << (s.what == verb::task ? "task " : "prepare ") << s.task;
  if (s.where == placed::on_rank) out << " on=" << s.target;
  if (s.where == placed::with_owner) out << " with=" << name(s.target);
  if (!s.ranks.empty())
    out << (s.where == placed::on_each ? " each=" : " inserted=") << joined(s.ranks);
  if (s.pruned) out << " pruned";
  if (s.typed) out << " typed";
  if (s.listed) out << " listed";
  if (s.gated) out << " gated";
  for (const use& u : s.uses) out << ' ' << to_string(u.mode) << ':' << name(u.datum);
}

void print_group(std::ostream& out, const step& s) {
  if (s.group >= 0) out << (s.among ? " among=g" : " within=g") << s.group;
}

/// The words of one line, taken from the front.
class words {
 public:
  explicit words(const std::string& line) : line_(line), in_(line) {}

  [[nodiscard]] bool next(std::string& word) { return static_cast<bool>(in_ >> word); }
  [[nodiscard]] std::string need() {
    std::string word;
    if (!next(word)) refuse();
    return word;
  }
  [[nodiscard]] int datum(std::string_view word) const {
    if (!word.starts_with('d')) refuse();
    return number<int>(word.substr(1));
  }
  template <class Number>
  [[nodiscard]] Number number(std::string_view word) const {
    Number n{};
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (failure != std::errc{} || end != word.data() + word.size()) refuse();
    return n;
  }
  [[noreturn]] void refuse() const { throw std::runtime_error("no line of a plan: " + line_); }

 private:
  std::string line_;
  std::istringstream in_;
};

std::vector<int> ranks_of(words& line, std::string_view word) {
  std::vector<int> all;
  std::istringstream list{std::string(word)};
  for (std::string each; std::getline(list, each, ',');) all.push_back(line.number<int>(each));
  return all;
}

bool taken(std::string_view& word, std::string_view key) {
  if (!word.starts_with(key)) return false;
  word.remove_prefix(key.size());
  return true;
}

void read_head(words& line, settings& how) {
  for (std::string text; line.next(text);) {
    std::string_view word = text;
    if (taken(word, "ranks="))
      how.ranks = line.number<int>(word);
    else if (taken(word, "seed="))
      how.seed = line.number<std::uint64_t>(word);
    else if (taken(word, "window="))
      how.window = line.number<std::size_t>(word);
    else if (taken(word, "frame="))
      how.frame = line.number<std::size_t>(word);
    else if (taken(word, "bulk="))
      how.bulk = line.number<std::size_t>(word);
    else if (taken(word, "delay="))
      how.delay_one_in = line.number<std::uint64_t>(word);
    else if (taken(word, "workers="))
      how.workers = line.number<int>(word);
    else if (taken(word, "budget="))
      how.budget = line.number<std::uint64_t>(word);
    else if (taken(word, "devices="))
      how.devices = line.number<int>(word);
    else if (taken(word, "device_bytes="))
      how.device_bytes = line.number<std::size_t>(word);
    else if (word == "direct")
      how.direct = true;
    else if (word == "by_time")
      how.by_time = true;
    else if (word == "no_cache")
      how.cache = false;
    else
      line.refuse();
  }
}

void read_add(words& line, plan& into, step& s) {
  s.datum = line.datum(line.need());
  datum fresh;
  const std::string is = line.need();
  const auto known = std::ranges::find(forms, is);
  if (known == forms.end() || s.datum != static_cast<int>(into.data.size())) line.refuse();
  fresh.is = static_cast<form>(known - forms.begin());
  for (std::string text; line.next(text);) {
    std::string_view word = text;
    if (taken(word, "owner="))
      fresh.owner = line.number<int>(word);
    else if (word == "each")
      fresh.owner = -1;
    else if (word == "empty")
      fresh.given = false;
    else if (word == "large")
      fresh.large = true;
    else if (taken(word, "rows="))
      fresh.rows = line.number<int>(word);
    else if (taken(word, "tag="))
      fresh.tag = line.number<std::uint64_t>(word);
    else
      line.refuse();
  }
  into.data.push_back(fresh);
}

access_mode mode_of(words& line, std::string_view word) {
  for (const auto mode : {access_mode::read, access_mode::write, access_mode::read_write,
                          access_mode::commute, access_mode::reduce}) {
    if (word == deed::to_string(mode)) return mode;
  }
  line.refuse();
}

void read_task(words& line, step& s) {
  s.task = line.number<int>(line.need());
  for (std::string text; line.next(text);) {
    std::string_view word = text;
    if (taken(word, "on=")) {
      s.where = placed::on_rank;
      s.target = line.number<int>(word);
    } else if (taken(word, "with=")) {
      s.where = placed::with_owner;
      s.target = line.datum(word);
    } else if (taken(word, "inserted=")) {
      s.ranks = ranks_of(line, word);
    } else if (taken(word, "each=")) {
      s.where = placed::on_each;
      s.ranks = ranks_of(line, word);
    } else if (word == "pruned") {
      s.pruned = true;
    } else if (word == "typed") {
      s.typed = true;
    } else if (word == "listed") {
      s.listed = true;
    } else if (word == "gated") {
      s.gated = true;
    } else {
      const auto colon = word.find(':');
      if (colon == word.npos) line.refuse();
      s.uses.push_back({line.datum(word.substr(colon + 1)), mode_of(line, word.substr(0, colon))});
    }
  }
}

/// "d3@1"
void read_place(words& line, std::string_view word, int& datum, int& rank) {
  const auto at = word.find('@');
  if (at == word.npos) line.refuse();
  datum = line.datum(word.substr(0, at));
  rank = line.number<int>(word.substr(at + 1));
}

bool read_group(std::string_view word, words& line, step& s) {
  if (!taken(word, "within=g") && !(s.among = taken(word, "among=g"))) return false;
  s.group = line.number<int>(word);
  return true;
}

void read_how(words& line, step& s) {
  std::string how;
  if (!line.next(how)) return;
  if (read_group(how, line, s) && !line.next(how)) return;
  const auto known = std::ranges::find(calls, how);
  if (known == calls.end()) line.refuse();
  s.how = static_cast<called>(known - calls.begin());
}

void read_message(words& line, step& s) {
  read_place(line, line.need(), s.datum, s.rank);
  read_place(line, line.need(), s.target, s.receiver);
  const std::string text = line.need();
  std::string_view word = text;
  if (!taken(word, "tag=")) line.refuse();
  s.tag = line.number<std::uint64_t>(word);
  read_how(line, s);
}

void read_collective(words& line, step& s) {
  const auto known = std::ranges::find(kinds, line.need());
  if (known == kinds.end()) line.refuse();
  s.kind = static_cast<together>(known - kinds.begin());
  s.datum = line.datum(line.need());
  if (s.kind == together::broadcast) {
    s.rank = line.number<int>(line.need());
  } else {
    s.target = line.datum(line.need());
  }
  std::string word;
  if (line.next(word) && !read_group(word, line, s)) line.refuse();
}

/// "2 d3 d1"
void read_list(words& line, step& s, access_mode mode) {
  s.rank = line.number<int>(line.need());
  for (std::string word; line.next(word);) s.uses.push_back({line.datum(word), mode});
}

/// "d3 d5@0 d6@1", or "d3 d5 d6" of private data.
void read_partition(words& line, plan& into, step& s) {
  s.datum = line.datum(line.need());
  if (s.datum < 0 || s.datum >= static_cast<int>(into.data.size())) line.refuse();
  for (std::string word; line.next(word);) {
    use part{.mode = access_mode::write};
    if (word.find('@') == word.npos)
      part.datum = line.datum(word);
    else
      read_place(line, word, part.datum, s.ranks.emplace_back());
    if (part.datum != static_cast<int>(into.data.size() + s.uses.size())) line.refuse();
    s.uses.push_back(part);
  }
  if (!s.ranks.empty() && s.ranks.size() != s.uses.size()) line.refuse();
  const datum whole = into.data[static_cast<std::size_t>(s.datum)];
  for (std::size_t i = 0; i < s.uses.size(); ++i)
    into.data.push_back(part_of(whole, i, s.uses.size(), s.ranks.empty() ? -1 : s.ranks[i]));
}

void read_line(words& line, std::string_view first, plan& into) {
  step s;
  if (first == "add") {
    s.what = verb::add;
    read_add(line, into, s);
  } else if (first == "end") {
    s.what = verb::end;
    s.datum = line.datum(line.need());
  } else if (first == "task" || first == "prepare") {
    s.what = first == "task" ? verb::task : verb::prepare;
    read_task(line, s);
  } else if (first == "submit") {
    s.what = verb::submit;
    s.task = line.number<int>(line.need());
  } else if (first == "copy") {
    s.what = verb::copy;
    s.datum = line.datum(line.need());
    s.target = line.datum(line.need());
    std::string word;
    if (line.next(word)) s.pruned = word == "pruned" ? true : (line.refuse(), false);
  } else if (first == "take" || first == "prefer" || first == "expect") {
    s.what = first == "take" ? verb::take : first == "prefer" ? verb::prefer : verb::expect;
    s.datum = line.datum(line.need());
    if (first != "take") s.rank = line.number<int>(line.need());
  } else if (first == "observe") {
    s.what = verb::observe;
    s.rank = line.number<int>(line.need());
    s.target = line.need() == "on" ? 1 : 0;
  } else if (first == "await") {
    s.what = verb::await;
    read_place(line, line.need(), s.datum, s.rank);
  } else if (first == "group") {
    s.what = verb::group;
    s.datum = line.number<int>(line.need().substr(1));
    s.ranks = ranks_of(line, line.need());
  } else if (first == "gather_list" || first == "scatter_list") {
    s.what = first == "gather_list" ? verb::gather_list : verb::scatter_list;
    read_list(line, s, s.what == verb::gather_list ? access_mode::read : access_mode::write);
  } else if (first == "partition") {
    s.what = verb::partition;
    read_partition(line, into, s);
  } else if (first == "unite") {
    s.what = verb::unite;
    s.datum = line.datum(line.need());
    for (std::string word; line.next(word);) s.uses.push_back({line.datum(word)});
  } else if (first == "message") {
    s.what = verb::message;
    read_message(line, s);
  } else if (first == "collective") {
    s.what = verb::collective;
    read_collective(line, s);
  } else if (first == "fetch") {
    s.what = verb::fetch;
    s.datum = line.datum(line.need());
    const std::string where = line.need();
    s.rank = where == "all" ? -1 : line.number<int>(where);
    read_how(line, s);
  } else if (first == "migrate") {
    s.what = verb::migrate;
    s.datum = line.datum(line.need());
    s.rank = line.number<int>(line.need());
  } else if (first == "flush") {
    s.what = verb::flush;
    const std::string what = line.need();
    s.rank = what == "all" ? -1 : 0;
    if (s.rank == 0) s.datum = line.datum(what);
  } else if (first == "cache") {
    s.what = verb::cache;
    s.rank = line.need() == "on" ? 1 : 0;
  } else if (first == "read" || first == "write") {
    s.what = first == "read" ? verb::read : verb::write;
    read_place(line, line.need(), s.datum, s.rank);
    std::string text;
    if (line.next(text)) {
      std::string_view word = text;
      if (!taken(word, "held=")) line.refuse();
      s.held = line.number<int>(word);
    }
  } else if (first == "repeat") {
    s.what = verb::repeat;
    s.rank = line.number<int>(line.need());
  } else if (first == "again") {
    s.what = verb::again;
  } else if (first == "wait" || first == "barrier") {
    s.what = first == "wait" ? verb::wait : verb::barrier;
  } else {
    line.refuse();
  }
  into.steps.push_back(std::move(s));
}

}  // namespace

std::size_t plan::tasks() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(steps, is_task));
}

std::size_t end_of_repetition(const plan& program, std::size_t first) {
  const auto from = program.steps.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end =
      std::find_if(from, program.steps.end(), [](const step& s) { return s.what == verb::again; });
  return static_cast<std::size_t>(end - program.steps.begin());
}

std::size_t makes(const step& s) noexcept {
  return s.what == verb::add ? 1 : s.what == verb::partition ? s.uses.size() : 0;
}

bool names_datum(const step& s) noexcept {
  switch (s.what) {
    case verb::task:
    case verb::prepare:
    case verb::submit:
    case verb::group:
    case verb::gather_list:
    case verb::scatter_list:
    case verb::cache:
    case verb::observe:
    case verb::wait:
    case verb::barrier:
    case verb::repeat:
    case verb::again:
      return false;
    case verb::flush:
      return s.rank >= 0;
    default:
      return true;
  }
}

bool names_target(const step& s) noexcept {
  return s.what == verb::message || s.what == verb::copy ||
         (s.what == verb::collective && s.kind != together::broadcast) ||
         (is_task(s) && s.where == placed::with_owner);
}

std::string to_string(const plan& program, const step& s) {
  std::ostringstream out;
  switch (s.what) {
    case verb::add: {
      const datum& d = program.data[static_cast<std::size_t>(s.datum)];
      out << "add " << name(s.datum) << ' ' << forms[static_cast<std::size_t>(d.is)];
      if (d.owner < 0)
        out << " each";
      else
        out << " owner=" << d.owner;
      if (!d.given) out << " empty";
      if (d.large) out << " large";
      if (d.rows != 0) out << " rows=" << d.rows;
      if (d.tag) out << " tag=" << *d.tag;
      break;
    }
    case verb::end:
      out << "end " << name(s.datum);
      break;
    case verb::task:
    case verb::prepare:
      print_task(out, s);
      break;
    case verb::submit:
      out << "submit " << s.task;
      break;
    case verb::copy:
      out << "copy " << name(s.datum) << ' ' << name(s.target) << (s.pruned ? " pruned" : "");
      break;
    case verb::take:
      out << "take " << name(s.datum);
      break;
    case verb::prefer:
      out << "prefer " << name(s.datum) << ' ' << s.rank;
      break;
    case verb::expect:
      out << "expect " << name(s.datum) << ' ' << s.rank;
      break;
    case verb::group:
      out << "group g" << s.datum << ' ' << joined(s.ranks);
      break;
    case verb::gather_list:
    case verb::scatter_list:
      out << (s.what == verb::gather_list ? "gather_list " : "scatter_list ") << s.rank;
      for (const use& u : s.uses) out << ' ' << name(u.datum);
      break;
    case verb::partition:
    case verb::unite:
      out << (s.what == verb::partition ? "partition " : "unite ") << name(s.datum);
      for (std::size_t i = 0; i < s.uses.size(); ++i) {
        out << ' ' << name(s.uses[i].datum);
        if (i < s.ranks.size()) out << '@' << s.ranks[i];
      }
      break;
    case verb::message:
      out << "message " << name(s.datum) << '@' << s.rank << ' ' << name(s.target) << '@'
          << s.receiver << " tag=" << s.tag;
      print_group(out, s);
      if (s.how != called::plain) out << ' ' << calls[static_cast<std::size_t>(s.how)];
      break;
    case verb::collective:
      out << "collective " << kinds[static_cast<std::size_t>(s.kind)] << ' ' << name(s.datum) << ' '
          << (s.kind == together::broadcast ? std::to_string(s.rank) : name(s.target));
      print_group(out, s);
      break;
    case verb::fetch:
      out << "fetch " << name(s.datum) << ' ' << (s.rank < 0 ? "all" : std::to_string(s.rank));
      if (s.how != called::plain) out << ' ' << calls[static_cast<std::size_t>(s.how)];
      break;
    case verb::migrate:
      out << "migrate " << name(s.datum) << ' ' << s.rank;
      break;
    case verb::flush:
      out << "flush " << (s.rank < 0 ? "all" : name(s.datum));
      break;
    case verb::cache:
      out << "cache " << (s.rank != 0 ? "on" : "off");
      break;
    case verb::read:
    case verb::write:
      out << (s.what == verb::read ? "read " : "write ") << name(s.datum) << '@' << s.rank;
      if (s.held > 0) out << " held=" << s.held;
      break;
    case verb::observe:
      out << "observe " << s.rank << (s.target != 0 ? " on" : " off");
      break;
    case verb::await:
      out << "await " << name(s.datum) << '@' << s.rank;
      break;
    case verb::wait:
      out << "wait";
      break;
    case verb::barrier:
      out << "barrier";
      break;
    case verb::repeat:
      out << "repeat " << s.rank;
      break;
    case verb::again:
      out << "again";
      break;
  }
  return out.str();
}

std::string to_string(const plan& program) {
  const settings& how = program.how;
  std::ostringstream out;
  out << "plan ranks=" << how.ranks << " seed=" << how.seed << " window=" << how.window
      << " frame=" << how.frame << " bulk=" << how.bulk << " delay=" << how.delay_one_in
      << " workers=" << how.workers << (how.by_time ? " by_time" : "")
      << (how.cache ? "" : " no_cache");
  if (how.budget != 0) out << " budget=" << how.budget;
  if (how.devices > 0) out << " devices=" << how.devices << " device_bytes=" << how.device_bytes;
  if (how.direct) out << " direct";
  out << '\n';
  for (const step& s : program.steps) out << to_string(program, s) << '\n';
  return out.str();
}

plan parse(std::string_view text) {
  plan result;
  std::istringstream in{std::string(text)};
  for (std::string each; std::getline(in, each);) {
    words line(each);
    std::string first;
    if (!line.next(first) || first.starts_with('#')) continue;
    if (first == "plan")
      read_head(line, result.how);
    else
      read_line(line, first, result);
  }
  return result;
}

}  // namespace oracle
