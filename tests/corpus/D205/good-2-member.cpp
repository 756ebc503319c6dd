// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <array>
#include <iterator>
#include <numeric>

struct histogram {
  std::array<int, 8> bins{};
  int total() const { return std::accumulate(bins.begin(), bins.end(), 0); }
  int first() const { return *std::begin(bins); }
};

constexpr deed::codelet count{"count", [](int& n, const histogram& h) { n = h.total(); }};
constexpr deed::codelet look{"look", [](int& n, const histogram& h) { n = h.first(); }};

void program(deed::session& session) {
  auto h = session.register_data(deed::owner{0}, histogram{}, {.name = "h"});
  auto n = session.register_data(deed::owner{0}, 0, {.name = "n"});
  session.insert_task(count, deed::write(n), deed::read(h));
  session.insert_task(look, deed::write(n), deed::read(h));
}
