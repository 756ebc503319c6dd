// SPDX-License-Identifier: MIT
#include "hang_report.hpp"

#include <deed/base/error.hpp>
#include <deed/base/words.hpp>

#include "json.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

namespace deed::runtime {
namespace {

std::string of_wait(const missing& wanted) {
  json_object one;
  one.put("what", wanted.waits);
  if (!wanted.gate.empty()) return one.put("gate", wanted.gate).text();
  one.put("peer", static_cast<std::uint64_t>(wanted.peer)).put("tag", wanted.tag);
  if (!wanted.collective.empty()) {
    one.put("collective", wanted.collective).put("called", wanted.called);
    if (wanted.group.number != 0) one.put("group", ranks_text(wanted.group.members));
    return one.text();
  }
  if (wanted.message) return one.text();
  return one.put("datum", wanted.datum)
      .put("version", wanted.version)
      .put("owner", static_cast<std::uint64_t>(wanted.owner))
      .text();
}

std::string of_stray(const stray& each) {
  json_object one;
  one.put("seen_by", each.arrived ? "receiver" : "sender")
      .put("peer", static_cast<std::uint64_t>(each.peer))
      .put("tag", each.tag)
      .put("bytes", each.bytes);
  if (!each.collective.empty()) one.put("collective", each.collective);
  return one.text();
}

/// For each rank that has not come to the call of all ranks in which this one stands.
std::vector<std::string> of_round(const statement& me, const std::vector<statement>& ranks) {
  constexpr std::size_t most = 32;  // Enough for a circle; a report grows with the ranks alone.
  const std::size_t end = me.where.find(" at ");
  const std::string call = me.where.substr(0, end);
  std::vector<std::string> all;
  for (const int absent : not_come_to_round(me, ranks)) {
    if (all.size() == most) break;
    json_object one;
    one.put("what", me.where)
        .put("peer", static_cast<std::uint64_t>(absent))
        .put("collective", call.ends_with(')') ? quoted(call) : call);
    if (end != std::string::npos) one.put("called", me.where.substr(end + 4));
    all.push_back(one.text());
  }
  return all;
}

std::string of_rank(const statement& each, const std::vector<statement>& ranks) {
  std::vector<std::string> waits = of_round(each, ranks);
  std::ranges::transform(each.waits, std::back_inserter(waits), of_wait);
  return json_object{}
      .put("rank", static_cast<std::uint64_t>(each.rank))
      .put("where", each.where)
      .put_raw("waits", json_list(waits, std::identity{}))
      .put_raw("messages", json_list(each.strays, of_stray))
      .text();
}

}  // namespace

std::string hang_report(const std::vector<statement>& ranks, const verdict& result) {
  std::vector<statement> in_order = ranks;
  std::ranges::sort(in_order, {}, &statement::rank);
  std::vector<std::pair<std::string, std::string>> facts;
  for (std::size_t i = 0; i < result.labels.size(); ++i)
    facts.emplace_back(result.labels[i], result.texts[i]);
  const auto of_fact = [](const auto& fact) {
    return json_object{}.put("who", fact.first).put("what", fact.second).text();
  };
  const auto described = [&](const statement& each) { return of_rank(each, ranks); };
  return json_object{}
             .put("format", "deed-hang")
             .put("version", 1)
             .put("code", to_string(static_cast<error_code>(result.code)))
             .put("happened", result.happened)
             .put("help", result.help)
             .put_raw("facts", json_list(facts, of_fact))
             .put_raw("ranks", json_list(in_order, described))
             .text() +
         "\n";
}

}  // namespace deed::runtime
