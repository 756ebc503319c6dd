// SPDX-License-Identifier: MIT
#include "common.hpp"

std::span<double> keep(deed::session& session, deed::handle<std::vector<double>>& field,
                       std::vector<deed::borrow<std::vector<double>>>& kept) {
  auto view = session.borrow(deed::write(field));
  std::span<double> all = *view;
  kept.push_back(std::move(view));
  return all;
}

void program(deed::session& session) {
  auto field = session.register_data(deed::per_rank, std::vector<double>(8), {.name = "field"});
  std::vector<deed::borrow<std::vector<double>>> kept;
  keep(session, field, kept)[0] = 1;
}
