// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

namespace deed::check {
namespace {

void look(const moment& m, const sink& report) {
  if (!m.now.words.has(verb::environment, "begins")) return;
  for (const fact* open : m.before.all(about::open)) {
    auto d =
        found(803, severity::error, m, "MPI is not ready", {open->because->at, "session here"});
    d.secondary.push_back({m.now.at, quoted(m.now.name) + " here"});
    d.help = "`MPI_Init_thread` first, or `deed::run`";
    return report(std::move(d));
  }
}

}  // namespace

const rule d803{
    .code = 803,
    .title = "a session is made before MPI is ready",
    .explanation = "A session joins the ranks of a communicator: MPI has to be initialised.\n",
    .at_event = look};

}  // namespace deed::check
