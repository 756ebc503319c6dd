// SPDX-License-Identifier: MIT
// Solves a tridiagonal system by conjugate gradients. The dot products are reductions: tasks add to
// them where their pieces are, and who reads them next gets the sum.
#include <deed/deed.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <vector>

namespace {

using piece = std::vector<double>;  // A stretch of a vector.

constexpr double diagonal = 2.2;  // Between two -1: a beam on an elastic bed.

constexpr deed::codelet multiply{
    "multiply",
    [](piece& out, const piece& in, const piece& left, const piece& right, bool first, bool last) {
      const std::size_t n = in.size();
      out.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double before = i > 0 ? in[i - 1] : first ? 0.0 : left.back();
        const double after = i + 1 < n ? in[i + 1] : last ? 0.0 : right.front();
        out[i] = diagonal * in[i] - before - after;
      }
    }};
constexpr deed::codelet dot{"dot", [](double& sum, const piece& a, const piece& b) {
                              for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
                            }};
constexpr deed::codelet square{"square", [](double& sum, const piece& a) {
                                 for (const double each : a) sum += each * each;
                               }};
constexpr deed::codelet clear{"clear", [](double& sum) { sum = 0; }};
constexpr deed::codelet advance{
    "advance", [](piece& x, piece& rest, const piece& along, const piece& image, const double& rr,
                  const double& pq) {
      const double length = rr / pq;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += length * along[i];
        rest[i] -= length * image[i];
      }
    }};
constexpr deed::codelet turn{
    "turn", [](piece& along, const piece& rest, const double& now, const double& before) {
      for (std::size_t i = 0; i < along.size(); ++i) along[i] = rest[i] + now / before * along[i];
    }};

double right_side(std::size_t i) { return 1.0 + static_cast<double>(i % 7); }

/// The same system by elimination.
std::vector<double> sequential(std::size_t n) {
  std::vector<double> pivot(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    pivot[i] = diagonal - (i > 0 ? 1 / pivot[i - 1] : 0.0);
    x[i] = right_side(i) + (i > 0 ? x[i - 1] / pivot[i - 1] : 0.0);
  }
  for (std::size_t i = n; i-- > 0;) x[i] = (x[i] + (i + 1 < n ? x[i + 1] : 0.0)) / pivot[i];
  return x;
}

void conjugate_gradient(deed::session& session) {
  constexpr std::size_t pieces = 16, length = 64;
  const auto owner_of = [&](std::size_t p) {
    return deed::owner{static_cast<int>(p) * session.size() / static_cast<int>(pieces)};
  };
  std::vector<deed::handle<piece>> x, rest, along, image;
  for (std::size_t p = 0; p < pieces; ++p) {
    const auto first = [&] {
      piece values(length);
      for (std::size_t i = 0; i < length; ++i) values[i] = right_side(p * length + i);
      return values;
    };
    x.push_back(session.register_data(owner_of(p), piece(length), {.name = "x"}));
    rest.push_back(session.register_data(owner_of(p), first, {.name = "rest"}));
    along.push_back(session.register_data(owner_of(p), first, {.name = "along"}));
    image.push_back(session.register_data(owner_of(p), piece(length), {.name = "image"}));
  }
  const deed::reduction sum{std::plus<>{}, 0.0, true};  // The same bits in every run.
  auto rr = session.register_data(deed::owner{0}, 0.0, sum, {.name = "rr"});
  auto next_rr = session.register_data(deed::owner{0}, 0.0, sum, {.name = "next_rr"});
  auto pq = session.register_data(deed::owner{0}, 0.0, sum, {.name = "pq"});

  for (auto& each : rest) session.insert_task(square, deed::reduce(rr), deed::read(each));
  session.fetch(deed::read(rr), deed::everywhere);
  const double wanted = 1e-24 * *session.borrow(deed::read(rr));
  int steps = 0;
  for (double now = 2 * wanted; session.is_dry() ? steps < 60 : now > wanted && steps < 1000;
       ++steps) {
    const deed::phase step(session, "step", steps);  // In a recording.
    session.insert_task(clear, deed::write(pq));
    session.insert_task(clear, deed::write(next_rr));
    for (std::size_t p = 0; p < pieces; ++p) {
      const std::size_t left = p > 0 ? p - 1 : p, right = p + 1 < pieces ? p + 1 : p;
      session.insert_task(multiply, deed::write(image[p]), deed::read(along[p]),
                          deed::read(along[left]), deed::read(along[right]), deed::value(p == 0),
                          deed::value(p + 1 == pieces));
      session.insert_task(dot, deed::reduce(pq), deed::read(along[p]), deed::read(image[p]));
    }
    for (std::size_t p = 0; p < pieces; ++p) {
      session.insert_task(advance, deed::read_write(x[p]), deed::read_write(rest[p]),
                          deed::read(along[p]), deed::read(image[p]), deed::read(rr),
                          deed::read(pq));
      session.insert_task(square, deed::reduce(next_rr), deed::read(rest[p]));
    }
    for (std::size_t p = 0; p < pieces; ++p)
      session.insert_task(turn, deed::read_write(along[p]), deed::read(rest[p]),
                          deed::read(next_rr), deed::read(rr));
    std::swap(rr, next_rr);
    session.fetch(deed::read(rr), deed::everywhere);  // All ranks decide by the same number.
    now = *session.borrow(deed::read(rr));
  }
  if (session.is_dry()) return;  // There is no result to check.

  const std::vector<double> expected = sequential(pieces * length);
  double largest = 0;
  for (std::size_t p = 0; p < pieces; ++p) {
    if (!session.owns(x[p])) continue;
    const auto values = session.borrow(deed::read(x[p]));
    for (std::size_t i = 0; i < length; ++i)
      largest = std::max(largest, std::abs((*values)[i] - expected[p * length + i]));
  }
  if (session.any(largest > 1e-8))
    throw deed::stop_run(deed::exit_code::codelet_threw,
                         "the solution differs from that of the elimination");
  if (session.rank() == 0) std::cout << "solved in " << steps << " steps\n";
}

}  // namespace

int main(int argc, char** argv) { return deed::run(argc, argv, conjugate_gradient); }
