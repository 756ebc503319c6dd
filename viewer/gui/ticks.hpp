// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

/// 1, 2 or 5 times a power of ten, so that ticks are at least `pixels` apart.
[[nodiscard]] qint64 tickStep(double nanosecondsPerPixel, int pixels);
/// Only as many digits as neighbouring ticks differ by.
[[nodiscard]] QString tickText(qint64 time, qint64 step);
