// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What every program of the corpus stands in.

#include "deed_model.hpp"

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;
inline constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
inline constexpr deed::codelet show{"show", [](const double& x) { std::cout << x; }};
inline constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
inline constexpr deed::codelet clear{"clear", [](std::vector<double>& v) {
                                       for (double& x : v) x = 0;
                                     }};
