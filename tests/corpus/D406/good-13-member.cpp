// SPDX-License-Identifier: MIT
#include "common.hpp"

using block = std::vector<double>;
struct state {
  double residual = 1;
  long steps = 0;
};
constexpr deed::codelet smooth{"smooth", [](block& x, const block& y) {
                                 for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
                               }};
constexpr deed::codelet measure{"measure", [](state& s, const block& x) {
                                  s.residual = 0;
                                  for (double v : x) s.residual += v * v;
                                  ++s.steps;
                                }};

// Each rank measures its own block, and stops after so many steps.
class solver {
 public:
  explicit solver(deed::session& session)
      : session_(session), mine_(session.register_data(deed::per_rank, state{}, {.name = "mine"})) {
    for (int i = 0; i < session.size(); ++i)
      blocks_.push_back(session.register_data(deed::owner{i}, block(100, i)));
  }
  void run() {
    const auto me = static_cast<std::size_t>(session_.rank());
    for (int step = 0; step < 100; ++step) {
      for (std::size_t i = 0; i + 1 < blocks_.size(); ++i)
        session_.insert_task(smooth, deed::read_write(blocks_[i]), deed::read(blocks_[i + 1]));
      session_.insert_task(measure, deed::read_write(mine_), deed::read(blocks_[me]));
      auto view = session_.borrow(deed::read(mine_));
      if (view->steps > 50) break;
    }
    session_.wait();
  }

 private:
  deed::session& session_;
  deed::handle<state> mine_;
  std::vector<deed::handle<block>> blocks_;
};

void program(deed::session& session) { solver(session).run(); }
