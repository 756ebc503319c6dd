// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <algorithm>

namespace deed::check {
namespace {

void look(const program& all, const sink& report) {
  for (const archived& one : all.archives) {
    const auto count = std::min(one.saved.size(), one.loaded.size());
    std::size_t i = 0;
    while (i < count && one.saved[i].first == one.loaded[i].first) ++i;
    if (i == one.saved.size() && i == one.loaded.size()) continue;
    const bool loads_less = i == one.loaded.size();
    const bool saves_less = i == one.saved.size();
    diagnostic d;
    d.code = 902;
    d.how = severity::error;
    d.headline = "save and load of " + quoted(one.name) + " differ";
    d.primary = loads_less ? label{one.loaded.back().second, "load ends here"}
                           : label{one.loaded[i].second, "loads " + quoted(one.loaded[i].first)};
    d.secondary.push_back(saves_less
                              ? label{one.saved.back().second, "save ends here"}
                              : label{one.saved[i].second, "saves " + quoted(one.saved[i].first)});
    d.help = "one `serialize` for both";
    report(std::move(d));
  }
}

}  // namespace

const rule d902{.code = 902,
                .title = "save and load differ",
                .explanation = "What is written first is read first.\n",
                .at_program = look};

}  // namespace deed::check
