// SPDX-License-Identifier: MIT
// Which of any pairs name a tile, no rule says.
// expect-error: deed[D202] `deed::index` stands for the indices of a `deed::tile_box` or a
// `deed::lower_triangle`
#include <deed/deed.hpp>

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

constexpr deed::codelet zero{"zero", [](deed::tile<double> x) { x(0, 0) = 0; }};

void program(deed::session& session, deed::tiled_matrix<double>& a) {
#ifdef DEED_MISUSE
  const std::vector<std::pair<std::size_t, std::size_t>> some{{0, 0}, {1, 1}};
#else
  const deed::tile_box some(0, 2, 0, 2);
#endif
  deed::for_each_tile(session, some, zero, [&](deed::index i, deed::index j) {  // here
    return std::tuple{deed::write(a(i, j))};
  });
}
