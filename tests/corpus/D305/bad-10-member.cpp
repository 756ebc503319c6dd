// SPDX-License-Identifier: MIT
#include "common.hpp"

struct plasma {
  std::vector<double> density, energy;
};

void program(deed::session& session) {
  plasma p{std::vector<double>(100), std::vector<double>(100)};
  auto c = session.register_data(deed::per_rank, deed::in_place(p.density));
  session.insert_task(clear, deed::write(c));
  for (std::size_t i = 0; i < p.energy.size(); ++i) p.energy[i] = p.density[i];
  session.wait();
}
