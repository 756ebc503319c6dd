// SPDX-License-Identifier: MIT
#include "common.hpp"

void finish(deed::session& session) { session.wait(); }
