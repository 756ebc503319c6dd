// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const whole_function& seen, const sink& report) {
  for (std::size_t i = 0; i < seen.own.blocks.size(); ++i) {
    const block& loop = seen.own.blocks[i];
    if (loop.how != split::loop) continue;
    const event* test = nullptr;
    bool works = false;
    const control decisions(seen.own);
    auto around = decisions.region(static_cast<int>(i));
    around.push_back(static_cast<int>(i));
    for (const int id : around) {
      for (const event& e : seen.own.blocks[static_cast<std::size_t>(id)].events) {
        if (e.kind == event_kind::call && e.receiver.kind == noun::request && e.words.empty())
          test = &e;
        else if (e.kind != event_kind::scope_end)
          works = true;
      }
    }
    if (!test || works) continue;
    diagnostic d;
    d.code = 710;
    d.how = severity::performance;
    d.headline = "busy loop on a request";
    d.primary = {test->at, "spins here"};
    const std::string name = spelling(seen.all, test->receiver.where);
    d.help = quoted((name.empty() ? "request" : name) + ".wait()");
    report(std::move(d));
  }
}

}  // namespace

const rule d710{.code = 710,
                .title = "a busy loop on a request",
                .explanation = "Asking again and again takes the core from the workers.\n",
                .at_function = look};

}  // namespace deed::check
