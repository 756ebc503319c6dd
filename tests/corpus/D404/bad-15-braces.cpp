// SPDX-License-Identifier: MIT
#include "common.hpp"

struct config {
  int parts;
  std::vector<double> weights;
};

void program(deed::session& session) {
  config chosen{5, {}};
  std::map<std::string, deed::handle<double>> named;
  for (const std::string name : {"low", "mid", "high"})
    named.emplace(name, session.register_data(deed::owner{0}, 0.0, {.name = "named"}));
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < chosen.parts; ++i)
    parts.push_back(session.register_data(deed::owner{i % session.size()}, 0.0, {.name = "part"}));
  if (session.rank() == 0) session.gather(deed::read(parts), deed::to{0});
  session.wait();
}
