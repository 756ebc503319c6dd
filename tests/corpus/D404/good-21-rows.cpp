// SPDX-License-Identifier: MIT
#include "common.hpp"

// Each row of a grid has a group of its own, and its first rank alone knows how often it adds.
template <class... Options>
void add_up(deed::session& session, deed::handle<double>& mine, deed::handle<double>& sum,
            Options&&... options) {
  session.all_reduce(deed::read(mine), deed::write(sum), std::plus<>{},
                     std::forward<Options>(options)...);
}

void program(deed::session& session) {
  const int me = session.rank(), columns = 2;
  std::vector<deed::rank> members;
  for (int r = me - me % columns; r < std::min(me - me % columns + columns, session.size()); ++r)
    members.emplace_back(r);
  auto row = session.group(members);
  auto mine = session.register_data(deed::per_rank, 1.0 + me, {.name = "mine"});
  auto sum = session.register_data(deed::per_rank, 0.0, {.name = "sum"});
  for (int k = 0; k <= me / columns; ++k) add_up(session, mine, sum, deed::within(row));
  if (me / columns == 0) {
    session.broadcast(deed::read_write(mine), deed::from{0}, deed::within(row));
  } else {
    session.all_reduce(deed::read(mine), deed::write(sum), std::plus<>{}, deed::within(row));
  }
  session.wait();
}
