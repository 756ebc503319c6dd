// SPDX-License-Identifier: MIT
// checkpoint FOLDER [MIB]: writes one checkpoint of so many MiB in tiles of 1 MiB, and resumes from
// it. Prints two lines, `write SECONDS` and `resume SECONDS`. bench/checkpoint_speed compares them
// with `dd`.
#include <deed/deed.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

void program(deed::session& session, deed::arguments given) {
  const std::string folder = given.empty() ? "checkpoint.deed" : given[0];
  const std::size_t tiles = given.size() < 2 ? 256 : std::stoull(given[1]);
  constexpr std::size_t words = (1 << 20) / sizeof(std::uint64_t);
  std::vector<deed::handle<std::vector<std::uint64_t>>> all;
  for (std::size_t i = 0; i < tiles; ++i) {
    all.push_back(session.register_data(
        deed::owner{i % static_cast<std::size_t>(session.size())},
        [i] { return std::vector<std::uint64_t>(words, 0x9e3779b97f4a7c15u * (i + 1)); }));
  }
  session.barrier();
  auto begin = clock_type::now();
  const bool written = session.checkpoint(folder, 1);
  if (session.rank() == 0) std::cout << "write " << seconds_since(begin) << '\n';
  begin = clock_type::now();
  const bool found = session.resume(folder).has_value();
  if (session.rank() == 0) std::cout << "resume " << seconds_since(begin) << '\n';
  if (!written || !found) throw deed::stop_run(deed::exit_code::cannot_write, "no checkpoint");
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
