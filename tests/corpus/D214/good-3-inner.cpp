// SPDX-License-Identifier: MIT
#include "common.hpp"

// An inner loop that ends before, or begins behind, what the outer one counts.
using links = std::vector<std::vector<int>>;
constexpr deed::codelet hops{"hops", [](std::span<double> v, const links& l) {
                               for (std::size_t i = 0; i < v.size(); ++i)
                                 for (int k : l[i]) v[i + 1] += k;  // The last has no link.
                             }};
constexpr deed::codelet rows{"rows", [](std::span<double> v, const std::vector<int>& first) {
                               for (std::size_t i = 0; i < v.size(); ++i)
                                 for (int k = first[i]; k < first[i + 1]; ++k) v[i + 1] += 1;
                             }};
constexpr deed::codelet rest{"rest", [](std::span<double> v) {
                               for (std::size_t i = 0; i < v.size(); ++i) {
                                 const std::size_t left = v.size() - i;
                                 const std::size_t others = left - 1;
                                 for (std::size_t k = 0; k < others; ++k) v[i + 1] += double(k);
                               }
                             }};
constexpr deed::codelet three{"three", [](std::span<double> v) {
                                for (std::size_t i = 0; i < v.size(); ++i) {
                                  const std::size_t a = v.size() - i, b = a, c = b - 1;
                                  std::size_t k = 0;
                                  while (k < c) v[i + ++k] += 1, v[i + 1] = 0;
                                  const std::size_t& same = c;
                                  for (k = 0; k < same; ++k) v[i + 1] += 1;
                                }
                              }};
constexpr deed::codelet falls{"falls", [](std::span<double> v) {
                                std::size_t left = v.size() - 1;
                                for (std::size_t i = 0; i < v.size(); ++i) {
                                  for (std::size_t k = 0; k < left; ++k) v[i + 1] += 1;
                                  if (left > 0) --left;
                                }
                                std::size_t more = v.size() - 1;
                                for (std::size_t i = 0; i < v.size(); ++i, --more)
                                  for (std::size_t k = more; k > 0; --k) v[i + 1] += 1;
                              }};
constexpr deed::codelet tails{"tails", [](std::span<double> v) {
                                for (std::size_t i = 0; i < v.size(); ++i) {
                                  auto tail = v.subspan(i + 1);
                                  for (double& x : tail) x += v[i + 1];
                                  for (double& x : v.last(v.size() - i - 1)) x += v[i + 1];
                                }
                              }};
constexpr deed::codelet halves{"halves", [](std::span<double> v, const int& half) {
                                 for (int i = 0; i < int(v.size()); ++i) {
                                   int end = half - i, more = end;
                                   while (more-- > 0) v[i + 1] += 1;
                                 }
                               }};
struct window {
  std::size_t begin = 0, end = 0;
};
constexpr deed::codelet windows{"windows", [](std::span<double> v) {
                                  window w{.begin = 0, .end = 0};
                                  for (std::size_t i = 0; i < v.size(); ++i) {
                                    w.end = i + 1 < v.size() ? 2 : 0;
                                    for (w.begin = 0; w.begin < w.end; ++w.begin) v[i + 1] += 1;
                                    const std::size_t n = i + 1 == v.size() ? 0 : 1;
                                    for (std::size_t k = 0; k < n; ++k) v[i + 1] += 1;
                                  }
                                }};
constexpr deed::codelet firsts{"firsts", [](std::span<double> v) {
                                 int n = 0;
                                 for (std::size_t i = 0; i < v.size(); ++i) {
                                   for (int k = 0; k < n; ++k) v[i - 1] += 1;
                                   n = 2;
                                 }
                                 std::vector<double> seen;
                                 for (std::size_t i = 0; i < v.size(); ++i) {
                                   for (double x : seen) v[i - 1] += x;
                                   seen.push_back(v[i]);
                                 }
                                 bool again = false;
                                 for (std::size_t i = 0; i < v.size(); ++i) {
                                   while (std::exchange(again, false)) v[i - 1] = 0;
                                   again = true;
                                 }
                               }};
constexpr deed::codelet counts{"counts", [](std::span<double> v) {
                                 std::size_t n = v.size();
                                 const auto fewer = [&] { return --n; };
                                 for (std::size_t i = 0; i < v.size(); ++i)
                                   for (std::size_t k = fewer(); k > 0; --k) v[i + 1] += 1;
                                 std::size_t left = v.size() - 1;
                                 std::size_t* const at = &left;
                                 for (std::size_t i = 0; i < v.size(); ++i) {
                                   for (std::size_t k = 0; k < left; ++k) v[i + 1] += 1;
                                   if (*at > 0) --*at;
                                 }
                               }};

void program(deed::session& session) {
  auto v = session.register_data(deed::owner{0}, std::vector<double>(12, 1.0));
  auto l = session.register_data(deed::owner{0}, links(12));
  auto first = session.register_data(deed::owner{0}, std::vector<int>(13));
  auto half = session.register_data(deed::owner{0}, 6);
  session.insert_task(hops, deed::read_write(v), deed::read(l));
  session.insert_task(rows, deed::read_write(v), deed::read(first));
  session.insert_task(rest, deed::read_write(v));
  session.insert_task(three, deed::read_write(v));
  session.insert_task(falls, deed::read_write(v));
  session.insert_task(tails, deed::read_write(v));
  session.insert_task(halves, deed::read_write(v), deed::read(half));
  session.insert_task(windows, deed::read_write(v));
  session.insert_task(firsts, deed::read_write(v));
  session.insert_task(counts, deed::read_write(v));
  session.insert_task(clear, deed::write(v));
}
