// SPDX-License-Identifier: MIT
#include "analysis/ask/hang.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/caveats.hpp"
#include "analysis/read/json.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace deed::viewer {
namespace {

std::string rank_name(std::int64_t rank) { return "rank " + std::to_string(rank); }

/// A message of a call has its number for a tag.
std::uint32_t call_number_of(const json& wait) {
  return static_cast<std::uint32_t>(wait.number_of("tag", trace::nothing));
}

int peer_of(const json& wait) { return static_cast<int>(wait.number_of("peer", -1)); }

/// At `barrier()`, or at the end of the session: calls that have no number and no parts.
bool is_of_all_ranks(const json& wait) {
  return wait.find("collective") != nullptr && wait.find("tag") == nullptr;
}

/// Its two ends, and because of what.
wait_edge named_edge(int rank, const json& wait) {
  const std::string what = wait.text_of("what"), tag = wait.text_of("tag", "unknown");
  if (wait.find("gate") != nullptr) return {rank_name(rank), "gate " + wait.text_of("gate"), what};
  const std::string to = rank_name(peer_of(wait));
  if (is_of_all_ranks(wait))
    return {rank_name(rank), to,
            wait.text_of("collective") +
                (wait.find("called") == nullptr ? "" : " at " + wait.text_of("called"))};
  if (wait.find("collective") != nullptr)
    return {rank_name(rank), to,
            wait.text_of("collective") + ", call #" + tag +
                (wait.find("group") == nullptr ? " of the run" : " of the group")};
  if (wait.find("datum") != nullptr)
    return {
        rank_name(rank), to,
        what + " needs " + wait.text_of("datum") + " v" + wait.text_of("version") + ", tag " + tag};
  // Of a receive it ends in the comma behind its line.
  return {rank_name(rank), to, what + (what.ends_with(',') ? "" : ",") + " message tag " + tag};
}

wait_edge edge_of(int rank, const json& wait) {
  wait_edge edge = named_edge(rank, wait);
  edge.waits = rank;
  edge.awaited = wait.find("gate") != nullptr ? -1 : peer_of(wait);
  return edge;
}

lost_message message_of(int rank, const json& one) {
  const bool arrived = one.text_of("seen_by") == "receiver";
  const std::string peer = rank_name(one.number_of("peer", -1)), tag = one.text_of("tag", "?");
  const std::string how = one.text_of("bytes", "?") + " bytes, message tag " + tag;
  return {rank, arrived,
          arrived ? "from " + peer + ", " + how + ": arrived, and nobody receives it"
                  : "to " + peer + ", " + how + ": waits for the receive"};
}

/// The runtime writes it behind the fact that names the culprit.
constexpr std::string_view mark_of_cause = "<-- likely cause";

void find_cause(hang& in) {
  for (const auto& [who, what] : in.facts)
    if (what.ends_with(mark_of_cause)) {
      in.culprit = who;
      in.cause = what.substr(0, what.size() - mark_of_cause.size());
      in.cause.erase(in.cause.find_last_not_of(' ') + 1);
    }
}

/// What is wrong with a report that is JSON; empty if nothing is.
std::string wrong_with(const json& report) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const std::vector<json>& ranks = report.list_of("ranks");
  if (ranks.empty()) return "`ranks` names none";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string place = "`ranks[" + std::to_string(i) + "]";
    if (ranks[i].is != json::kind::object) return place + "` is no object";
    const std::int64_t rank = ranks[i].number_of("rank", -1);
    if (rank < 0 || rank > most) return place + ".rank` is no rank";
    const std::vector<json>& waits = ranks[i].list_of("waits");
    for (std::size_t k = 0; k < waits.size(); ++k)
      if (waits[k].is != json::kind::object || waits[k].number_of("peer", -1) > most)
        return place + ".waits[" + std::to_string(k) + "]` is no wait for a rank";
  }
  return "";
}

}  // namespace

hang read_hang(const std::string& file) {
  constexpr std::uintmax_t most_bytes = 32u << 20;
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (failed) throw unreadable(file + " cannot be read");
  if (size > most_bytes) throw unreadable(file + " is too large for a report of a deadlock");
  std::optional<json> read;
  std::string why = "it has another `format`";
  {
    std::ifstream in(file, std::ios::binary);
    std::string text(size, '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    text.resize(static_cast<std::size_t>(in.gcount()));
    read = json::parse(text, &why);
  }
  if (!read || read->text_of("format") != "deed-hang")
    throw unreadable(file + " is neither a run's folder nor a report of a deadlock: " + why);
  if (read->number_of("version", 0) != 1)
    throw unreadable(file + " was written by another version of deed");
  if (const std::string wrong = wrong_with(*read); !wrong.empty())
    throw unreadable(file + " is a damaged report of a deadlock: " + wrong);
  hang found;
  found.code = read->text_of("code");
  found.happened = read->text_of("happened");
  found.help = read->text_of("help");
  for (const json& each : read->list_of("facts"))
    found.facts.emplace_back(each.text_of("who"), each.text_of("what"));
  for (const json& each : read->list_of("ranks")) {
    const auto rank = static_cast<int>(each.number_of("rank", -1));
    found.ranks.emplace_back(rank, each.text_of("where"));
    for (const json& wait : each.list_of("waits")) {
      found.waits.push_back(edge_of(rank, wait));
      if (wait.find("collective") != nullptr && !is_of_all_ranks(wait))
        found.calls.push_back({rank, peer_of(wait), call_number_of(wait), wait.text_of("group")});
    }
    for (const json& one : each.list_of("messages"))
      found.messages.push_back(message_of(rank, one));
  }
  find_cause(found);
  mark_cycles(found.waits);
  return found;
}

std::string hang_of_run(const std::string& run) {
  std::error_code ignored;
  const std::string file = run + "/hang.json";
  return std::filesystem::is_regular_file(file, ignored) ? file : "";
}

std::optional<hang> told_hang(const model& of) {
  const std::string file = hang_of_run(of.events().path());
  if (file.empty()) return {};
  try {
    return read_hang(file);
  } catch (const unreadable&) {
    return {};
  }
}

bool tells_of_deadlock(const model& of, std::uint32_t failure) {
  const run& r = of.events();
  if (r.events().what(failure) != record::error) return false;
  const event e = r.events()[failure];
  // "deed[D511] deadlock: every rank waits for another". The code alone does not say it: some are
  // also of an error that ends a run without one, as D404 of a call that one rank left out.
  return of.text(r.rank_of(e), r.get32(e, field::msg))
      .starts_with(say_field(of, e, field::code) + " deadlock: ");
}

std::optional<std::int64_t> deadlock_told(const model& of) {
  const run& r = of.events();
  for (const std::uint32_t each : of.failures())
    if (tells_of_deadlock(of, each)) return r.events().time(each);
  if (!hang_of_run(r.path()).empty()) return r.end();
  return {};
}

std::string say_deadlock(const model& of) {
  const std::string file = hang_of_run(of.events().path());
  try {
    if (file.empty()) return say_first_failure(of);
    const hang told = read_hang(file);
    std::string text = told.happened;
    for (const wait_edge& each : told.waits)
      text += "; " + each.from + " waits for " + each.to + " (" + each.because + ")";
    return text;
  } catch (const unreadable&) {
    return "its report, hang.json, cannot be read";
  }
}

namespace {

/// Of all that stand still, those that wait for each other.
std::set<std::string> in_circles(const hang& of) {
  std::set<std::string> found;
  for (const wait_edge& each : of.waits)
    if (each.in_cycle) found.insert(each.from);
  return found;
}

/// "in no circle: rank 2, which waits for rank 1; rank 3, at the end of the session". Of many, the
/// first.
std::string say_beside(const hang& of, const std::set<std::string>& circles) {
  constexpr std::size_t few = 8;
  std::string text;
  std::size_t count = 0;
  for (const auto& [rank, where] : of.ranks) {
    if (circles.contains(rank_name(rank)) || ++count > few) continue;
    const auto wait = std::ranges::find(of.waits, rank_name(rank), &wait_edge::from);
    text += (text.empty() ? "in no circle: " : "; ") + rank_name(rank) + ", " +
            (wait != of.waits.end() ? "which waits for " + wait->to : "at " + where);
  }
  if (count > few) text += "; and " + std::to_string(count - few) + " more";
  return text;
}

}  // namespace

table say_edges(const std::vector<wait_edge>& edges) {
  struct one_line {
    const wait_edge* first = nullptr;
    std::uint64_t more = 0;
  };
  std::vector<one_line> lines;
  std::map<std::pair<std::string, std::string>, std::size_t> line_of;
  for (const wait_edge& each : edges) {
    const auto [at, added] = line_of.try_emplace({each.from, each.to}, lines.size());
    if (added)
      lines.push_back({&each});
    else
      ++lines[at->second].more;
  }
  table graph{"who waits for whom", {"waits", "for", "because of", "circle"}, {}};
  for (const auto& [first, more] : lines) {
    graph.rows.push_back({first->from, first->to,
                          first->because + (more == 0 ? "" : "; and " + say_count(more) + " more"),
                          first->in_cycle ? "deadlock" : ""});
    graph.links.push_back(first->transfer == none ? ""
                                                  : "transfer:" + std::to_string(first->transfer));
  }
  return graph;
}

std::string say_without_a_wait(const hang& of, const std::set<int>& waiting) {
  constexpr std::size_t few = 8;
  std::string text;
  std::size_t count = 0;
  for (const auto& [rank, where] : of.ranks) {
    const bool waits = waiting.contains(rank) ||
                       std::ranges::find(of.waits, rank, &wait_edge::waits) != of.waits.end();
    if (waits || ++count > few) continue;
    text += (text.empty() ? "no wait is known of " : ", ") + rank_name(rank);
  }
  return count > few ? text + " and " + std::to_string(count - few) + " more" : text;
}

/// "rank 1 has no send for it"; what is no word of the culprit's stands behind a colon.
std::string say_cause(const hang& of) {
  const bool of_another = of.cause.starts_with('`') || of.cause.starts_with("nothing ");
  return of.culprit.empty() ? of.cause : of.culprit + (of_another ? ": " : " ") + of.cause;
}

answer say_hang(const hang& of, const std::set<int>& waiting) {
  answer said;
  said.findings = true;
  const std::set<std::string> circles = in_circles(of);
  const bool some = !circles.empty() && circles.size() < of.ranks.size();
  said.sentences.push_back("deed[" + of.code + "] deadlock of " +
                           (some ? std::to_string(circles.size()) + " of " : "") +
                           std::to_string(of.ranks.size()) +
                           (of.ranks.size() == 1 ? " rank: " : " ranks: ") + of.happened);
  if (!of.cause.empty()) said.sentences.push_back("likely cause: " + say_cause(of));
  if (!of.help.empty()) said.sentences.push_back("help: " + of.help);
  if (some)
    said.sentences.push_back(say_beside(of, circles));
  else if (std::string alone = say_without_a_wait(of, waiting); !alone.empty())
    said.sentences.push_back(alone + ": where each rank stands is below");
  table graph = say_edges(of.waits);
  table causes{"what is known", {"", ""}, {}};
  for (const auto& [who, what] : of.facts) causes.rows.push_back({who, what});
  table messages{"messages that nobody received", {"rank", "message"}, {}};
  for (const lost_message& each : of.messages)
    messages.rows.push_back({std::to_string(each.rank), each.sentence});
  table places{"where each rank stands", {"rank", "where"}, {}};
  for (const auto& [rank, where] : of.ranks) places.rows.push_back({std::to_string(rank), where});
  for (table* const each : {&graph, &causes, &messages, &places})
    if (!each->rows.empty()) said.tables.push_back(std::move(*each));
  return said;
}

}  // namespace deed::viewer
