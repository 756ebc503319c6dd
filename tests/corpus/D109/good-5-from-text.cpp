// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <charconv>
#include <cstdio>
#include <sstream>
#include <string>

void program(deed::session& session) {
  const std::string text = "0";
  int first = -1, second = -1, third = -1;
  std::from_chars(text.data(), text.data() + text.size(), first);
  std::istringstream(text) >> second;
  std::sscanf(text.c_str(), "%d", &third);
  auto a = session.register_data(deed::owner{first}, 0.0);
  auto b = session.register_data(deed::owner{second}, 0.0);
  auto c = session.register_data(deed::owner{third}, 0.0);
}
