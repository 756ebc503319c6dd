// SPDX-License-Identifier: MIT
// A type of one's own goes round: two arrays of equal length, which every rank turns and makes one
// longer. The type says how it travels in one line; nothing is registered, and the length may
// change from message to message.
#include <deed/deed.hpp>

#include <cmath>
#include <iostream>
#include <vector>

namespace {

struct complex_numbers {
  std::vector<double> real, imaginary;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & real & imaginary;
  }
};

constexpr auto turn_by = [](complex_numbers& z, double angle) {
  for (std::size_t i = 0; i < z.real.size(); ++i) {
    const double x = z.real[i], y = z.imaginary[i];
    z.real[i] = x * std::cos(angle) - y * std::sin(angle);
    z.imaginary[i] = x * std::sin(angle) + y * std::cos(angle);
  }
  z.real.push_back(static_cast<double>(z.real.size()));
  z.imaginary.push_back(angle);
};
constexpr deed::codelet turn{"turn", [](complex_numbers& z, double angle) { turn_by(z, angle); }};

void program(deed::session& session) {
  const int rank = session.rank(), size = session.size(), rounds = 4;
  auto z = session.register_data(deed::per_rank, complex_numbers{}, {.name = "z"});
  const deed::from before{(rank + size - 1) % size};
  const deed::to next{(rank + 1) % size};
  for (int round = 0; round < rounds; ++round) {
    const bool first = round == 0 && rank == 0, last = round == rounds - 1 && rank == size - 1;
    if (!first) session.receive(deed::write(z), before, deed::message_tag{round});
    session.insert_task(turn, deed::read_write(z), deed::value(0.1 * (rank + 1)));
    const int next_round = rank == size - 1 ? round + 1 : round;
    if (!last) session.send(deed::read(z), next, deed::message_tag{next_round});
  }
  session.wait();
  if (session.is_dry() || rank != size - 1) return;

  complex_numbers alone;
  for (int round = 0; round < rounds; ++round) {
    for (int r = 0; r < size; ++r) turn_by(alone, 0.1 * (r + 1));
  }
  const auto came = session.borrow(deed::read(z));
  if (came->real != alone.real || came->imaginary != alone.imaginary)
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the numbers differ from the sequential ones");
  std::cout << came->real.size() << " numbers, equal, bit for bit, to the sequential ones\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
