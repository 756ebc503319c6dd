// SPDX-License-Identifier: MIT
// A ball of numbers is hit on the first rank, then on the last, again and again: how long does a
// message take, and how many bytes go in a second? Nobody sends it; it goes where it is hit next.
// Every number counts the hits, so that a wrong one anywhere is seen.
#include <deed/deed.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <vector>

namespace {

using ball = std::vector<std::uint64_t>;

constexpr int rounds = 20;  // A round is there and back.

constexpr deed::codelet hit{"hit", [](ball& numbers) {
                              for (std::uint64_t& each : numbers) ++each;
                            }};

ball make_ball(std::size_t length) {
  ball made(length);
  for (std::size_t i = 0; i < length; ++i) made[i] = i * 2654435761u;
  return made;
}

/// Microseconds for one way, a hit included. On simulated ranks these are of the simulated network.
double play(deed::session& session, deed::handle<ball>& thrown) {
  const deed::rank far{session.size() - 1};
  const auto begin = session.elapsed();
  for (int round = 0; round < rounds; ++round) {
    session.insert_task(hit, deed::read_write(thrown), deed::on(far));
    session.insert_task(hit, deed::read_write(thrown));  // Where its owner is.
  }
  session.wait();
  const std::chrono::duration<double, std::micro> passed = session.elapsed() - begin;
  return passed.count() / (2 * rounds);
}

void ping_pong(deed::session& session) {
  const bool has_way = session.rank() == 0 && session.size() > 1 && !session.is_dry();
  if (has_way) std::cout << "     bytes   one way      MB/s\n" << std::fixed;
  bool wrong = false;
  std::size_t most = 0;
  for (std::size_t length = 1; length <= 1 << 17; length *= 8) {
    auto thrown =
        session.register_data(deed::owner{0}, [&] { return make_ball(length); }, {.name = "ball"});
    const double us = play(session, thrown);
    if (session.owns(thrown) && !session.is_dry()) {
      ball expected = make_ball(length);
      for (std::uint64_t& each : expected) each += 2 * rounds;
      wrong = wrong || *session.borrow(deed::read(thrown)) != expected;
    }
    most = length * sizeof(ball::value_type);
    if (has_way)
      std::cout << std::setw(10) << most << std::setw(7) << std::setprecision(1) << us << " us"
                << std::setw(10) << static_cast<double>(most) / us << '\n';
  }
  if (session.is_dry()) return;  // There is no result to check.
  if (session.any(wrong))
    throw deed::stop_run(deed::exit_code::codelet_threw, "a ball came back with a wrong number");
  if (session.rank() == 0)
    std::cout << "balls of up to " << most << " bytes, every number as it should be\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, ping_pong); }
