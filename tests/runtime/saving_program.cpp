// SPDX-License-Identifier: MIT
// saving_program [STEPS]: goes on for so many steps from where DEED_RESUME has it, saves what
// DEED_CHECKPOINT wants, and compares with the sequential result. Status 0: they are the same.
#include <deed/deed.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t places = 4;

constexpr auto mix = [](std::uint64_t& x, std::uint64_t y) { x = x * 31 + (y ^ (y >> 7)); };
constexpr deed::codelet step_of{"step", mix};

std::array<std::uint64_t, places> sequential(std::uint64_t steps) {
  std::array<std::uint64_t, places> all{0, 1, 2, 3};
  for (std::uint64_t s = 0; s < steps; ++s) {
    for (std::size_t i = 0; i < places; ++i) mix(all[i], all[(i + 1) % places]);
  }
  return all;
}

void program(deed::session& session, deed::arguments given) {
  std::vector<deed::handle<std::uint64_t>> all;
  for (std::size_t i = 0; i < places; ++i) {
    all.push_back(session.register_data(deed::owner{i % static_cast<std::size_t>(session.size())},
                                        std::uint64_t{i}));
  }
  const std::uint64_t begin = session.resume().value_or(0);
  const std::uint64_t end = begin + (given.empty() ? 1000000 : std::stoull(given[0]));
  for (std::uint64_t step = begin; step < end;) {
    for (std::size_t i = 0; i < places; ++i)
      session.insert_task(step_of, deed::read_write(all[i]), deed::read(all[(i + 1) % places]));
    session.checkpoint(++step);
  }
  for (const auto& each : all) session.fetch(deed::read(each), deed::to{0});
  session.wait();
  if (session.rank() != 0) return;
  std::cout << "from " << begin << " to " << end << '\n';
  const auto wanted = sequential(end);
  for (std::size_t i = 0; i < places; ++i) {
    if (*session.borrow(deed::read(all[i])) != wanted[i])
      throw deed::stop_run(deed::exit_code::damaged_input, "not the sequential result");
  }
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
