// SPDX-License-Identifier: MIT
#include "common.hpp"

enum class role { reader, worker };
role role_of(int rank) {
  switch (rank) {
    case 0:
      return role::reader;
    default:
      return role::worker;
  }
}

void program(deed::session& session) {
  switch (role_of(session.rank())) {
    case role::reader:
      session.barrier();
      break;
    case role::worker:
      break;
  }
  session.wait();
}
