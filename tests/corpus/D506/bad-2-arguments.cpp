// SPDX-License-Identifier: MIT
#include "common.hpp"

struct options {
  std::string title = "halo";
  int tag = 3;
};

options read_options(deed::arguments given) {
  options wanted;
  for (const std::string& each : given) {
    if (each.starts_with("--tag="))
      wanted.tag = std::stoi(each.substr(6));
    else if (each.starts_with("--title="))
      wanted.title = each.substr(8);
    else
      throw deed::stop_run(deed::exit_code::bad_option, each + ": no such option");
  }
  return wanted;
}

void program(deed::session& session, deed::arguments given) {
  const options wanted = read_options(given);
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  for (int i = 0; i < wanted.tag; ++i) session.insert_task(bump, deed::read_write(mine));
  if (session.rank() == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{3});
}
