// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) { static deed::session forever; }
