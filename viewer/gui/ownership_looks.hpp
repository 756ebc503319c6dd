// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/state_at.hpp"
#include "gui/theme.hpp"

#include <QColor>
#include <QRectF>
#include <QString>

#include <cstdint>

class QPainter;
class QRect;

/// @file
/// How copies of data look, wherever the panels of ownership draw them.

/// From so many pixels on a copy says its kind.
inline constexpr int narrowestCopy = 11;

struct CopyLook {
    QColor colour;
    char letter;
    const char *word;
};
CopyLook lookOf(const Theme &theme, deed::viewer::copy_kind kind);
/// A flight recorder may not tell which version it was: "v?".
QString versionOf(const deed::viewer::copy_at &copy);
/// Of a datum of which each rank has one, each is an owner.
deed::viewer::copy_at shownCopy(const deed::viewer::model &of, std::uint32_t handle,
                                const deed::viewer::datum_state &state, int rank);
/// One whose program has come to the end of the datum has nothing to show.
bool isOwner(const deed::viewer::datum_state &state, int rank);

/// Why a rank has no copy to show.
enum class Lack { Copy, Registration, End, Records };
Lack lackOf(const deed::viewer::datum_state &state, const deed::viewer::copy_at &copy);
/// Points and a line: a letter would be one more kind of copy.
void paintLack(QPainter &painter, const QRect &cell, Lack what, const QColor &colour);
QString sayLack(Lack what);
/// "owner, its copy is stale, v3".
QString sayCopy(const Theme &theme, const deed::viewer::copy_at &copy, bool owner, Lack lack);

/// Of a measure: nothing has the colour of the panel, and the most, of which it is `part`, the full
/// one.
QColor heatColour(const Theme &theme, bool isAny, double part);
/// Where the theme wants one: cells of little or nothing are as black as the ground there.
void paintContrastEdge(QPainter &painter, const QRectF &cell, const Theme &theme);
/// A cell of such a colour, and its text if there is room.
void paintHeatCell(QPainter &painter, const QRect &cell, const Theme &theme, const QColor &colour,
                   const QString &text);
/// What the colours of a measure mean, at the left of `where`; the x behind it.
int paintHeatScale(QPainter &painter, const QRect &where, const Theme &theme, const QString &most);
