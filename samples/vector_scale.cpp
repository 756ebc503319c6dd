// SPDX-License-Identifier: MIT
// The smallest use of data in parts: a vector on the first rank is cut into one part for each rank,
// every rank multiplies its part by a number, and the parts are put together where they came from.
#include <deed/deed.hpp>

#include <iostream>
#include <utility>
#include <vector>

namespace {

using numbers = std::vector<double>;

constexpr std::size_t length = 1 << 18;
constexpr double factor = 3.14;

constexpr auto scale_by = [](numbers& x, double by) {
  for (double& each : x) each *= by;
};
constexpr deed::codelet scale{"scale", [](numbers& x, double by) { scale_by(x, by); }};

numbers make_numbers() {
  numbers made(length);
  for (std::size_t i = 0; i < length; ++i) made[i] = 1.0 + static_cast<double>(i);
  return made;
}

void vector_scale(deed::session& session) {
  auto all = session.register_data(deed::owner{0}, make_numbers, {.name = "x"});  // On rank 0 only.
  const deed::row_blocks one_each{static_cast<std::size_t>(session.size())};
  auto parts = session.partition(std::move(all), one_each, deed::block{session.size()});
  for (auto& part : parts) session.insert_task(scale, deed::read_write(part), deed::value(factor));
  all = session.unite(std::move(parts));
  session.wait();
  if (session.is_dry() || session.rank() != 0) return;

  numbers alone = make_numbers();
  scale_by(alone, factor);
  if (*session.borrow(deed::read(all)) != alone)
    throw deed::stop_run(deed::exit_code::codelet_threw, "the vector is not the sequential one");
  std::cout << length << " numbers, equal, bit for bit, to the sequential ones\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, vector_scale); }
