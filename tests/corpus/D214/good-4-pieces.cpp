// SPDX-License-Identifier: MIT
#include "common.hpp"

// A part counts from its own first element, and a pointer may point to any.
double laplace(const double* at, std::ptrdiff_t width) {
  return at[-1] + at[1] + at[-width] + at[width] - 4 * at[0];
}
void shift(std::span<double> whole, std::span<const double> part) {
  for (std::size_t i = 0; i < part.size(); ++i) whole[i + 1] = part[i];
}
constexpr deed::codelet parts{"parts", [](std::span<double> v) {
                                auto tail = v.subspan(1), front = v.first(v.size() - 1);
                                for (std::size_t i = 0; i < tail.size(); ++i) v[i + 1] = tail[i];
                                for (std::size_t i = 0; i < front.size(); ++i) v[i + 1] = front[i];
                                std::span<double> middle(v.data() + 1, v.size() - 2);
                                for (std::size_t i = 0; i < middle.size(); ++i)
                                  v[i + 2] = middle[i] + v[i];
                                shift(v, v.subspan(1));
                              }};
constexpr deed::codelet pointers{"pointers", [](tile t) {
                                   const double* const middle = t.data() + t.cols() + 1;
                                   t(0, 0) = middle[-1] + laplace(middle, 8) + laplace(&t(2, 2), 8);
                                 }};

void program(deed::session& session) {
  auto v = session.register_data(deed::owner{0}, std::vector<double>(12, 1.0));
  deed::tiled_matrix<double> m{
      session, {.rows = 8, .cols = 8, .tile_rows = 8, .tile_cols = 8, .initial = 1}};
  session.insert_task(parts, deed::read_write(v));
  session.insert_task(pointers, deed::read_write(m(0, 0)));
  session.insert_task(clear, deed::write(v));
}
