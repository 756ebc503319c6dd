// SPDX-License-Identifier: MIT
#include "common.hpp"

namespace {
constexpr deed::message_tag to_right{1}, to_left{2};
}

class border {
 public:
  explicit border(deed::session& session)
      : session_(session),
        mine_(session.register_data(deed::per_rank, 0.0, {.name = "mine"})),
        ghost_(session.register_data(deed::per_rank, 0.0, {.name = "ghost"})) {}

  void exchange() {
    const int rank = session_.rank();
    if (rank + 1 < session_.size()) session_.send(deed::read(mine_), deed::to{rank + 1}, to_right);
    if (rank > 0) session_.receive(deed::write(ghost_), deed::from{rank - 1}, to_left);
  }

 private:
  deed::session& session_;
  deed::handle<double> mine_, ghost_;
};

void program(deed::session& session) {
  border right(session);
  right.exchange();
  session.wait();
}
