// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>

/// @file
/// What a call throws that would wait for ever.

namespace deed {

/// It was proved that every rank waits and nothing is on its way. Thrown on every rank, with the
/// same text, to which rank 0 adds where the report lies if one is wanted; the code is that of the
/// likely cause.
class deadlock_error : public error {
 public:
  using error::error;
};

}  // namespace deed
