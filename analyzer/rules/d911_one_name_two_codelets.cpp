// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const program& all, const sink& report) {
  for (std::size_t i = 0; i < all.codelets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const codelet &one = all.codelets[j], &two = all.codelets[i];
      if (one.name.empty() || one.name != two.name) continue;
      // Of two files nobody knows here whether they are one program.
      if (one.name_at.file != two.name_at.file) continue;
      diagnostic d;
      d.code = 911;
      d.how = severity::warning;
      d.headline = "two codelets have the name " + quoted(one.name);
      d.primary = {two.name_at, "this name"};
      d.secondary.push_back({one.name_at, "first used here"});
      d.help = "rename one";
      report(std::move(d));
      break;
    }
  }
}

}  // namespace

const rule d911{.code = 911,
                .title = "one task name, two codelets",
                .explanation = "Traces and reports name tasks by their codelet.\n",
                .at_program = look};

}  // namespace deed::check
