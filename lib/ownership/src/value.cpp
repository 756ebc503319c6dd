// SPDX-License-Identifier: MIT
#include <deed/ownership/value.hpp>

namespace deed::ownership {

static_assert(!holds_address<double>);

}  // namespace deed::ownership
