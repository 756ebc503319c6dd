// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

/// 1, 2 or 5 times a power of ten, so that ticks are at least `pixels` apart.
[[nodiscard]] qint64 tickStep(double nanosecondsPerPixel, int pixels);
/// In the unit that suits `last`, the latest of the axis, with as many digits as neighbouring ticks
/// differ by: "1.5 ms".
[[nodiscard]] QString tickText(qint64 time, qint64 step, qint64 last);
