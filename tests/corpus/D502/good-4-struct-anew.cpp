// SPDX-License-Identifier: MIT
#include "common.hpp"

struct transfer {
  deed::request out, in;
};

transfer begin(deed::session& session, deed::handle<double>& from, deed::handle<double>& into) {
  const int next = (session.rank() + 1) % session.size();
  const int before = (session.rank() + session.size() - 1) % session.size();
  return {session.isend(deed::read(from), deed::to{next}, deed::message_tag{5}),
          session.ireceive(deed::write(into), deed::from{before}, deed::message_tag{5})};
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  transfer last = begin(session, mine, theirs);
  for (int k = 0; k < 3; ++k) {
    last.out.wait();
    last.in.wait();
    last = begin(session, mine, theirs);
  }
  last.out.wait();
  last.in.wait();
}
