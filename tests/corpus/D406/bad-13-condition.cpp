#include "common.hpp"
void program(deed::session& session) {
  auto x = session.register_data(deed::owner{1}, 0.0, {.name = "x"});
  auto y = session.register_data(deed::owner{0}, 0.0, {.name = "y"});
  while (!(session.owns(x) && *session.borrow(deed::read(x)) > 50)) {
    session.insert_task(bump, deed::read_write(x));
    session.insert_task(add, deed::read_write(y), deed::read(x));
  }
  session.wait();
}
