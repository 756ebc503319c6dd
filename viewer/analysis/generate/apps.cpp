// SPDX-License-Identifier: MIT
#include "analysis/generate/simulation.hpp"

#include <algorithm>
#include <array>
#include <utility>

// What the ranks compute: which tiles there are, and which tasks on them.

namespace deed::viewer {

std::optional<made_app> app_named(std::string_view name) {
  if (name == "cholesky") return made_app::cholesky;
  if (name == "stencil") return made_app::stencil;
  if (name == "ring") return made_app::ring;
  return {};
}

const made_program& program_of(made_app app) {
  using enum made_kernel;
  static const std::array<made_program, 3> programs{{
      {"A", "factorisation", {potrf, trsm, syrk, gemm}},
      {"grid", "sweep", {smooth}},
      {"token", "round", {pass}},
  }};
  return programs[static_cast<std::size_t>(app)];
}

void simulation::add_tile(int i, int j, int owner) {
  made_tile t{i,
              j,
              owner % options_.ranks,
              0,
              std::vector<made_copy>(static_cast<std::size_t>(options_.ranks)),
              trace::no_task,
              -1};
  t.copies[static_cast<std::size_t>(t.owner)] = {0, 0, 0};
  tiles_.push_back(std::move(t));
}

void simulation::lay_out() {
  const int n = options_.tiles;
  if (options_.app == made_app::ring) {
    for (int i = 0; i < n; ++i) add_tile(i, -1, i);
    return;
  }
  const bool triangle = options_.app == made_app::cholesky;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < (triangle ? i + 1 : n); ++j) add_tile(i, j, i + 2 * j);
}

void simulation::compute() {
  switch (options_.app) {
    case made_app::cholesky:
      return factorise();
    case made_app::stencil:
      return sweep();
    case made_app::ring:
      return go_round();
  }
}

void simulation::factorise() {
  const int n = options_.tiles;
  for (int k = 0; k < n; ++k) {
    insert(made_kernel::potrf, id(k, k), {});
    for (int i = k + 1; i < n; ++i) insert(made_kernel::trsm, id(i, k), {id(k, k)});
    for (int i = k + 1; i < n; ++i) {
      insert(made_kernel::syrk, id(i, i), {id(i, k)});
      for (int j = k + 1; j < i; ++j) insert(made_kernel::gemm, id(i, j), {id(i, k), id(j, k)});
    }
  }
}

void simulation::sweep() {
  const int n = options_.tiles;
  const auto at = [n](int i, int j) { return static_cast<std::uint32_t>(i * n + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      std::vector<std::uint32_t> around;
      if (i > 0) around.push_back(at(i - 1, j));
      if (j > 0) around.push_back(at(i, j - 1));
      if (j + 1 < n) around.push_back(at(i, j + 1));
      if (i + 1 < n) around.push_back(at(i + 1, j));
      insert(made_kernel::smooth, at(i, j), around);
    }
}

void simulation::go_round() {
  const auto n = static_cast<std::uint32_t>(options_.tiles);
  const bool back = epoch_ % 2 == 1;
  for (std::uint32_t step = 0; step < n; ++step) {
    const std::uint32_t i = back ? n - 1 - step : step;
    std::vector<std::uint32_t> before;
    if (n > 1) before.push_back((i + (back ? 1 : n - 1)) % n);
    insert(made_kernel::pass, i, before);
  }
}

}  // namespace deed::viewer
