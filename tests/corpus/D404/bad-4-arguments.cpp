// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <cstddef>

void program(deed::session& session, deed::arguments given) {
  std::ptrdiff_t size = 64, edge = 16;
  for (const std::string& each : given) {
    if (each.starts_with("--size="))
      size = std::stoi(each.substr(7));
    else if (each.starts_with("--tile="))
      edge = std::stoi(each.substr(7));
    else
      throw deed::stop_run(deed::exit_code::bad_option, each + ": no such option");
  }
  deed::tiled_matrix<double> a{
      session, {.rows = size, .cols = size, .tile_rows = edge, .tile_cols = edge, .initial = 1.0}};
  for (std::size_t i = 0; i < a.tile_rows(); ++i) session.fetch(deed::read(a(i, i)), deed::to{0});
  if (session.rank() == 0) session.wait();
  session.flush(a(0, 0));
  session.wait();
}
