// SPDX-License-Identifier: MIT
// A token goes round and round; every rank adds one. Prints rounds x ranks.
#include <deed/deed.hpp>

#include <iostream>

constexpr deed::codelet increment{"increment", [](int& token) { ++token; }};

void ring(deed::session& session) {
  const int rank = session.rank(), size = session.size(), rounds = 8;
  auto token =
      session.register_data(deed::per_rank, 0, {.name = "token"});  // one private int on every rank
  for (int round = 0; round < rounds; ++round) {
    const bool first = round == 0 && rank == 0, last = round == rounds - 1 && rank == size - 1;
    if (!first)
      session.receive(deed::write(token), deed::from{(rank + size - 1) % size},
                      deed::message_tag{round});
    session.insert_task(increment, deed::read_write(token));
    const int next_round = rank == size - 1 ? round + 1 : round;
    if (!last)
      session.send(deed::read(token), deed::to{(rank + 1) % size}, deed::message_tag{next_round});
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result.
  if (rank == size - 1) std::cout << *session.borrow(deed::read(token)) << '\n';  // rounds * size
}

int main(int argc, char** argv) { return deed::run(argc, argv, ring); }
