// SPDX-License-Identifier: MIT
// Nobody writes tiles of a matrix that is const, one by one or all at once.
// expect-error: deed[D203] the matrix is const here; take `deed::tiled_matrix<T>&`
#include <deed/deed.hpp>

#include <tuple>

constexpr deed::codelet zero{"zero", [](deed::tile<double> x) { x(0, 0) = 0; }};

#ifdef DEED_MISUSE
void program(deed::session& session, const deed::tiled_matrix<double>& a) {
  deed::for_each_tile(session, a.indices(), zero, [&](deed::index i, deed::index j) {
    return std::tuple{deed::read_write(a(i, j))};  // here
  });
}
#else
void program(deed::session& session, deed::tiled_matrix<double>& a) {
  deed::for_each_tile(session, a.indices(), zero, [&](deed::index i, deed::index j) {
    return std::tuple{deed::read_write(a(i, j))};
  });
}
#endif
