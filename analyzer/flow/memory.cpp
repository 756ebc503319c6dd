// SPDX-License-Identifier: MIT
#include "flow/memory.hpp"

namespace deed::check {
namespace {

const std::string& name_of(const std::string& whole) { return whole; }
const std::string& name_of(const memory::entries::value_type& known) { return known.first; }

/// The names of the parts of an object: all that begin with it and a step.
template <class Names, class See>
void each_part(Names& names, const std::string& object, const See& see) {
  for (const char step : {'.', '['}) {
    const std::string begin = object + step;
    auto at = names.lower_bound(begin);
    while (at != names.end() && name_of(*at).starts_with(begin)) at = see(at);
  }
}

}  // namespace

void memory::put(const std::string& name, const outcome* now) {
  if (now)
    known_[name] = *now;
  else
    known_.erase(name);
  if (now && now->whole)
    whole_.insert(name);
  else
    whole_.erase(name);
}

void memory::remember(const std::string& name) {
  if (marks_ == 0) return;
  const auto at = known_.find(name);
  before_.emplace_back(name, at == known_.end() ? std::nullopt : std::optional(at->second));
}

void memory::set(const std::string& name, const outcome& now) {
  remember(name);
  put(name, &now);
}

void memory::erase(const std::string& name) {
  remember(name);
  put(name, nullptr);
}

memory::parts memory::parts_of(const std::string& object) const {
  parts found;
  each_part(known_, object, [&](auto at) {
    found.push_back(*at);
    return std::next(at);
  });
  return found;
}

void memory::erase_parts(const std::string& object) {
  each_part(known_, object, [&](auto at) {
    if (marks_ > 0) before_.emplace_back(at->first, at->second);
    whole_.erase(at->first);
    return known_.erase(at);
  });
}

void memory::differ_within(const std::string& object) {
  std::vector<std::string> differ;
  if (whole_.contains(object)) differ.push_back(object);
  each_part(whole_, object, [&](auto at) {
    differ.push_back(*at);
    return std::next(at);
  });
  for (const std::string& name : differ) {
    outcome now = known_.at(name);
    now.whole = false;
    set(name, now);
  }
}

std::size_t memory::mark() {
  ++marks_;
  return before_.size();
}

void memory::undo(std::size_t mark) {
  --marks_;
  for (; before_.size() > mark; before_.pop_back()) {
    const auto& [name, was] = before_.back();
    put(name, was ? &*was : nullptr);
  }
}

}  // namespace deed::check
