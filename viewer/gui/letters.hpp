// SPDX-License-Identifier: MIT
#pragma once

#include <QFont>
#include <QFontInfo>

#include <algorithm>

/// How much larger letters are than those for which the sizes of a canvas are; never less than 1.
inline double letterScale(const QFont &font)
{
    constexpr int usualLetters = 12; // Pixels.
    return std::max(1.0, double(QFontInfo(font).pixelSize()) / usualLetters);
}
