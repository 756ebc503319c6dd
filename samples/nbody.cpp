// SPDX-License-Identifier: MIT
// Bodies that attract each other, in blocks. A body is a type of the program; a block of them
// travels to the ranks that need it, once per step.
#include <deed/deed.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

namespace {

using vector3 = std::array<double, 3>;
struct body {
  vector3 place, speed;
  double mass;
};
using bodies = std::vector<body>;
using forces = std::vector<vector3>;

constexpr std::size_t blocks = 12, in_block = 24;
constexpr int steps = 6;
constexpr double dt = 0.01;

bodies make_block(std::size_t number) {
  bodies all;
  for (std::size_t i = 0; i < in_block; ++i) {
    const auto t = static_cast<double>(number * in_block + i);
    all.push_back({{10 * std::cos(t), 10 * std::sin(t), 0.1 * t}, {}, 1 + 0.5 * std::cos(3 * t)});
  }
  return all;
}

void pull(forces& on, const bodies& these, const bodies& others) {
  for (std::size_t i = 0; i < these.size(); ++i) {
    for (const body& other : others) {
      vector3 way{};
      double square = 0.01;  // Nobody comes closer than that.
      for (std::size_t d = 0; d < 3; ++d) {
        way[d] = other.place[d] - these[i].place[d];
        square += way[d] * way[d];
      }
      const double strength = these[i].mass * other.mass / (square * std::sqrt(square));
      for (std::size_t d = 0; d < 3; ++d) on[i][d] += strength * way[d];
    }
  }
}
void move(bodies& these, const forces& by) {
  for (std::size_t i = 0; i < these.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      these[i].speed[d] += dt * by[i][d] / these[i].mass;
      these[i].place[d] += dt * these[i].speed[d];
    }
  }
}

constexpr deed::codelet clear_forces{"clear_forces",
                                     [](forces& all) { all.assign(in_block, vector3{}); }};
constexpr deed::codelet pull_block{
    "pull_block",
    [](forces& on, const bodies& these, const bodies& others) { pull(on, these, others); }};
constexpr deed::codelet pull_itself{
    "pull_itself", [](forces& on, const bodies& these) { pull(on, these, these); }};
constexpr deed::codelet move_block{"move_block",
                                   [](bodies& these, const forces& by) { move(these, by); }};

std::vector<bodies> sequential() {
  std::vector<bodies> all;
  for (std::size_t b = 0; b < blocks; ++b) all.push_back(make_block(b));
  for (int step = 0; step < steps; ++step) {
    std::vector<forces> on(blocks, forces(in_block, vector3{}));
    for (std::size_t b = 0; b < blocks; ++b) {
      for (const bodies& others : all) pull(on[b], all[b], others);
    }
    for (std::size_t b = 0; b < blocks; ++b) move(all[b], on[b]);
  }
  return all;
}

void nbody(deed::session& session) {
  std::vector<deed::handle<bodies>> block;
  std::vector<deed::handle<forces>> force;
  for (std::size_t b = 0; b < blocks; ++b) {
    const deed::owner target{static_cast<int>(b) % session.size()};
    block.push_back(
        session.register_data(target, [b] { return make_block(b); }, {.name = "block"}));
    force.push_back(session.register_data<forces>(target, deed::uninitialised, {.name = "force"}));
  }
  for (int step = 0; step < steps; ++step) {
    for (std::size_t b = 0; b < blocks; ++b) {
      session.insert_task(clear_forces, deed::write(force[b]));
      for (std::size_t other = 0; other < blocks; ++other) {
        if (other == b)
          session.insert_task(pull_itself, deed::read_write(force[b]), deed::read(block[b]));
        else
          session.insert_task(pull_block, deed::read_write(force[b]), deed::read(block[b]),
                              deed::read(block[other]));
      }
    }
    for (std::size_t b = 0; b < blocks; ++b)
      session.insert_task(move_block, deed::read_write(block[b]), deed::read(force[b]));
  }
  session.wait();
  if (session.is_dry()) return;  // There is no result to check.

  const std::vector<bodies> expected = sequential();
  bool differs = false;
  for (std::size_t b = 0; b < blocks; ++b) {
    if (!session.owns(block[b])) continue;
    const auto found = session.borrow(deed::read(block[b]));
    for (std::size_t i = 0; i < in_block; ++i) differs |= (*found)[i].place != expected[b][i].place;
  }
  if (session.any(differs))
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the result differs from the sequential one");
  if (session.rank() == 0)
    std::cout << blocks * in_block << " bodies, equal, bit for bit, to the sequential loop\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, nbody); }
