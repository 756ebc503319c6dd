// SPDX-License-Identifier: MIT
#include "flow/mentions.hpp"

#include <algorithm>
#include <vector>

namespace deed::check {

mentions::mentions(const function& f, const control& decisions) : f_(f), decisions_(decisions) {
  for (std::size_t i = 0; i < f.blocks.size(); ++i) {
    const int block = static_cast<int>(i);
    look(block, f.blocks[i].condition);
    for (const event& e : f.blocks[i].events) look(block, e);
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

void mentions::look(int block, const path& at, bool given) {
  for (const part& step : at.parts) {
    for (const value_ref& index : step.indices) look(block, index);
  }
  if (at.known() && !(given && at.parts.empty())) blocks_[at.root].insert(block);
}

void mentions::look(int block, const value_ref& v) {
  if (!v) return;
  look(block, v->where);
  for (const value_ref& one : v->arguments) look(block, one);
  for (const token_use& token : v->tokens) look(block, token.datum);
}

void mentions::look(int block, const operand& o) {
  look(block, o.where);
  look(block, o.storage);
  look(block, o.value);
}

void mentions::look(int block, const event& e) {
  if (e.kind == event_kind::scope_end) return;
  look(block, e.receiver);
  for (const operand& o : e.arguments) look(block, o);
  look(block, e.result, true);
  look(block, e.object,
       e.kind == event_kind::assign || (e.kind == event_kind::access && e.use == effect::write));
  look(block, e.other, e.kind == event_kind::move);
  look(block, e.result_value);
}

}  // namespace deed::check
