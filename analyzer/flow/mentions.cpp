// SPDX-License-Identifier: MIT
#include "flow/mentions.hpp"

#include <algorithm>
#include <vector>

namespace deed::check {

namespace {

struct looks {
  const std::function<void(variable_id)>& see;

  void at(const path& place, bool given = false) const {
    for (const part& step : place.parts) {
      for (const value_ref& index : step.indices) at(index);
    }
    if (place.known() && !(given && place.parts.empty())) see(place.root);
  }
  void at(const value_ref& v) const {
    if (!v) return;
    at(v->where);
    for (const value_ref& one : v->arguments) at(one);
    for (const token_use& token : v->tokens) at(token.datum);
  }
  void at(const operand& o) const {
    at(o.where);
    at(o.storage);
    at(o.value);
  }
};

}  // namespace

void each_looked_at(const event& e, const std::function<void(variable_id)>& see) {
  if (e.kind == event_kind::scope_end) return;
  const looks look{see};
  look.at(e.receiver);
  for (const operand& o : e.arguments) look.at(o);
  look.at(e.result, true);
  look.at(e.object,
          e.kind == event_kind::assign || (e.kind == event_kind::access && e.use == effect::write));
  look.at(e.other, e.kind == event_kind::move);
  look.at(e.result_value);
}

mentions::mentions(const function& f, const control& decisions) : decisions_(decisions) {
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    const std::function<void(variable_id)> here = [&](variable_id v) {
      blocks_[v].insert(static_cast<int>(i));
    };
    looks{here}.at(f.blocks[i].condition);
    for (const event& e : f.blocks[i].events) each_looked_at(e, here);
  }
}

bool mentions::outside(variable_id v, int split) const {
  const auto [it, is_new] = known_.try_emplace({v, split}, true);
  const auto at = blocks_.find(v);
  if (!is_new || v == 0) return it->second;
  const std::vector<int> region = decisions_.region(split);
  const std::set<int> between(region.begin(), region.end());
  return it->second = at != blocks_.end() && !std::ranges::includes(between, at->second);
}

}  // namespace deed::check
