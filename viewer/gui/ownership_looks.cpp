// SPDX-License-Identifier: MIT
#include "gui/ownership_looks.hpp"

#include <QObject>
#include <QPainter>
#include <QRect>

using namespace deed::viewer;

CopyLook lookOf(const Theme &theme, copy_kind kind)
{
    switch (kind) {
    case copy_kind::owner:
        return {theme.owner, 'O', "owner"};
    case copy_kind::shared:
        return {theme.shared, 'S', "valid copy"};
    case copy_kind::pending:
        return {theme.pending, 'P', "on its way"};
    case copy_kind::stale:
        return {theme.stale, 'x', "stale"};
    case copy_kind::absent:
        break;
    }
    return {theme.base, '.', "none"};
}

/// A flight recorder may not tell which version it was: "v?".
QString versionOf(const copy_at &copy)
{
    return copy.known ? QStringLiteral("v%1").arg(copy.version) : QStringLiteral("v?");
}

/// Of a datum of which each rank has one, each is an owner.
copy_at shownCopy(const model &of, std::uint32_t handle, const datum_state &state, int rank)
{
    copy_at copy = state.copies[static_cast<std::size_t>(rank)];
    if (copy.kind == copy_kind::shared && of.data()[handle].is_per_rank())
        copy.kind = copy_kind::owner;
    return copy;
}

/// One whose program has come to the end of the datum has nothing to show.
bool isOwner(const datum_state &state, int rank)
{
    return state.owner == static_cast<std::uint32_t>(rank) &&
           !state.copies[static_cast<std::size_t>(rank)].ended;
}

Lack lackOf(const datum_state &state, const copy_at &copy)
{
    if (!is_told(state, copy))
        return Lack::Records;
    if (copy.ended)
        return Lack::End;
    const bool registered =
        state.owner != none || !state.owner_known || !state.unregistered.empty();
    return registered ? Lack::Copy : Lack::Registration;
}

/// Points and a line: a letter would be one more kind of copy.
void paintLack(QPainter &painter, const QRect &cell, Lack what, const QColor &colour)
{
    const int x = cell.center().x(), y = cell.center().y();
    const bool narrow = cell.width() < narrowestCopy;
    switch (what) {
    case Lack::Copy:
        painter.fillRect(x, y, 2, 2, colour);
        break;
    case Lack::Registration:
        for (const int apart : {-4, 0, 4})
            painter.fillRect(x + (narrow ? apart / 2 : apart), y, narrow ? 1 : 2, 2, colour);
        break;
    case Lack::End:
        painter.fillRect(x - (narrow ? 2 : 4), y, narrow ? 5 : 10, 2, colour);
        break;
    case Lack::Records:
        painter.setPen(colour);
        painter.drawText(cell, Qt::AlignCenter, QStringLiteral("?"));
        break;
    }
}

QString sayLack(Lack what)
{
    switch (what) {
    case Lack::Copy:
        return QObject::tr("no copy");
    case Lack::Registration:
        return QObject::tr("not registered yet");
    case Lack::End:
        return QObject::tr("unregistered");
    case Lack::Records:
        break;
    }
    return QObject::tr("not known");
}

/// "owner, its copy is stale, v3".
QString sayCopy(const Theme &theme, const copy_at &copy, bool owner, Lack lack)
{
    const QString word = QLatin1String(lookOf(theme, copy.kind).word);
    if (copy.kind == copy_kind::absent && !owner && lack != Lack::Records)
        return sayLack(lack);
    if (owner && copy.kind == copy_kind::absent)
        return copy.known ? QObject::tr("owner, without a copy") : QObject::tr("owner");
    if (copy.kind == copy_kind::absent && !copy.known)
        return QObject::tr("not known: what was recorded does not tell");
    return QStringLiteral("%1, %2")
        .arg(owner && copy.kind != copy_kind::owner ? QObject::tr("owner, its copy is %1").arg(word)
                                                    : word)
        .arg(versionOf(copy));
}

QColor heatColour(const Theme &theme, bool isAny, double part)
{
    return isAny ? Theme::blend(theme.base, theme.owner, 0.15 + 0.85 * part) : theme.panel;
}

void paintContrastEdge(QPainter &painter, const QRectF &cell, const Theme &theme)
{
    if (!theme.contrast)
        return;
    painter.setPen(theme.grid);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cell.adjusted(0, 0, -1, -1));
}

void paintHeatCell(QPainter &painter, const QRect &cell, const Theme &theme, const QColor &colour,
                   const QString &text)
{
    painter.fillRect(cell, colour);
    paintContrastEdge(painter, cell, theme);
    if (cell.height() < painter.fontMetrics().ascent() ||
        painter.fontMetrics().horizontalAdvance(text) > cell.width() - 2)
        return;
    painter.setPen(Theme::textOn(colour));
    painter.drawText(cell, Qt::AlignCenter, text);
}

int paintHeatScale(QPainter &painter, const QRect &where, const Theme &theme, const QString &most)
{
    constexpr int steps = 5;
    const int side = where.height() * 2 / 3, top = where.top() + (where.height() - side) / 2;
    const auto say = [&](int x, const QString &text) {
        painter.setPen(theme.dim);
        painter.drawText(QRect(x, where.top(), where.width(), where.height()), Qt::AlignVCenter,
                         text);
        return x + painter.fontMetrics().horizontalAdvance(text);
    };
    int x = say(8, QStringLiteral("0")) + 6;
    for (int i = 0; i < steps; ++i, x += side)
        painter.fillRect(x, top, side - 1, side,
                         heatColour(theme, true, static_cast<double>(i) / (steps - 1)));
    return say(x + 6, most) + 18;
}
