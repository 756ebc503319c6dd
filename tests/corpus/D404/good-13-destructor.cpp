// SPDX-License-Identifier: MIT
#include "common.hpp"

class report {
 public:
  report(deed::session& session, deed::handle<double>& x) : session_(session), x_(x) {}
  ~report() { session_.fetch(deed::read(x_), deed::to{0}); }

 private:
  deed::session& session_;
  deed::handle<double>& x_;
};

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  report at_end{session, x};
  if (session.rank() == 0) std::cout << "done\n";
}
