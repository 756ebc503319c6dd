// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int size = session.size();
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  const bool alone = size == 1;
  if (alone) {
    auto gone = std::move(a);
  }
  session.wait();
  if (!alone) session.insert_task(show, deed::read(a), deed::on_each{deed::everywhere});
}
