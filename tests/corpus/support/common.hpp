// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What every program of the corpus stands in.

#include <deed/deed.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

using tile = deed::tile<double>;
using const_tile = deed::tile<const double>;
inline constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
inline constexpr deed::codelet show{"show", [](const double& x) { std::cout << x; }};
inline constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
inline constexpr deed::codelet clear{"clear", [](std::span<double> v) {
                                       for (double& x : v) x = 0;
                                     }};
