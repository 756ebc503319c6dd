// SPDX-License-Identifier: MIT
// The program around every example of these pages. An example names what it uses from here and may
// have two parts, `// at namespace scope` and `// in the program`; without these lines all of it
// stands in the program. check_pages.py puts the two together.
#include <deed/deed.hpp>

#include <boost/mpi/communicator.hpp>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;
constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { std::cout << x << '\n'; }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
constexpr deed::codelet clear{"clear", [](tile t) {
                                for (std::span<double> row : t) std::ranges::fill(row, 0.0);
                              }};
constexpr deed::codelet fill{"fill", [](std::span<double> all) { std::ranges::fill(all, 0.0); }};

// at namespace scope

void program(deed::session& session) {
  const int rank = session.rank(), size = session.size();
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});        // Owned by rank 0.
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});        // Owned by rank 1.
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});  // One on every rank.
  deed::tiled_matrix<double> m{
      session, {.rows = 64, .cols = 64, .tile_rows = 64, .tile_cols = 64, .name = "m"}};
  std::vector<deed::handle<double>> parts;  // One per rank.
  for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 0.0));
  std::vector<double> buffer(100);  // The program's own memory.
  // in the program
}

int main(int argc, char** argv) { return deed::run(argc, argv, program); }
