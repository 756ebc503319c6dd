// SPDX-License-Identifier: MIT
#include "common.hpp"

// Blocks of a ring give their last number on until what all have together does not change any more.
class ring {
 public:
  explicit ring(deed::session& session)
      : session_(session),
        mine_(session.register_data(deed::per_rank, 1.0, {.name = "mine"})),
        left_(session.register_data(deed::per_rank, 0.0, {.name = "left"})),
        total_(session.register_data(deed::per_rank, 0.0, {.name = "total"})) {}
  void step() {
    const int me = session_.rank(), all = session_.size();
    session_.send(deed::read(mine_), deed::to{(me + 1) % all}, deed::message_tag{1});
    session_.receive(deed::write(left_), deed::from{(me + all - 1) % all}, deed::message_tag{1});
    session_.insert_task(add, deed::read_write(mine_), deed::read(left_));
  }
  double sum() {
    session_.all_reduce(deed::read(mine_), deed::write(total_), std::plus<>());
    return *session_.borrow(deed::read(total_));
  }

 private:
  deed::session& session_;
  deed::handle<double> mine_, left_, total_;
};

void program(deed::session& session) {
  ring all(session);
  double before = all.sum();
  for (int i = 0; i < 20; ++i) {
    all.step();
    const double now = all.sum();
    if (std::abs(now - before) < 1e-9 * before) break;
    before = now;
  }
  session.wait();
}
