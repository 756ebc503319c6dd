// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What every program of the corpus stands in. DEED_CORPUS_MODEL: with the look of all of deed's
/// interface, also of what is not built yet; else with deed itself.

#ifdef DEED_CORPUS_MODEL
#include "deed_model.hpp"
#else
#include <deed/deed.hpp>
#endif

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
