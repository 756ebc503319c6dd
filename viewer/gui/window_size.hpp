// SPDX-License-Identifier: MIT
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

/// "1280x800"; nothing if it is none, or so large that no picture of it can be drawn.
inline std::optional<QSize> sizeNamed(const QString &text)
{
    constexpr int largest = 16'384;
    const QStringList parts = text.split(QLatin1Char('x'));
    bool isWidth = false, isHeight = false;
    const QSize size(parts.value(0).toInt(&isWidth), parts.value(1).toInt(&isHeight));
    const bool fits = size.width() >= 200 && size.height() >= 150 && size.width() <= largest &&
                      size.height() <= largest;
    return parts.size() == 2 && isWidth && isHeight && fits ? std::optional(size) : std::nullopt;
}
