// SPDX-License-Identifier: MIT
#include "hang_report.hpp"

#include <deed/base/error.hpp>

#include "json.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
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

std::string of_rank(const statement& each) {
  return json_object{}
      .put("rank", static_cast<std::uint64_t>(each.rank))
      .put("where", each.where)
      .put_raw("waits", json_list(each.waits, of_wait))
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
  return json_object{}
             .put("format", "deed-hang")
             .put("version", 1)
             .put("code", to_string(static_cast<error_code>(result.code)))
             .put("happened", result.happened)
             .put("help", result.help)
             .put_raw("facts", json_list(facts, of_fact))
             .put_raw("ranks", json_list(in_order, of_rank))
             .text() +
         "\n";
}

}  // namespace deed::runtime
