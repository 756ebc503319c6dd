// SPDX-License-Identifier: MIT
#include "gui/transfer_kinds.hpp"

#include <deed/trace/events.hpp>

#include <QCoreApplication>
#include <QImage>
#include <QPainter>
#include <QPen>
#include <QPolygonF>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

using namespace deed::viewer;

namespace {

/// How dark: as much as stands out from the bar by 3:1 (colours_test).
constexpr double strength = 0.7;

/// Rows of a tile. Each shows in its first four pixels, as most bars are narrow.
using Tile = std::vector<std::string_view>;

Tile tileOf(TransferKind kind)
{
    switch (kind) {
    case TransferKind::ForTask:
        return {};
    case TransferKind::Fetch:
        return {".#..", ".#..", ".#..", ".#.."};
    case TransferKind::WriteBack:
        return {"...#", "..#.", ".#..", "#..."};
    case TransferKind::Migration:
        return {"#.....", ".#...#", "..#.#.", "...#..", "..#.#.", ".#...#"};
    case TransferKind::Message:
        return {"....", ".##.", ".##.", "...."};
    case TransferKind::Reduction:
        return {"....", "####", "....", "...."};
    }
    return {};
}

} // namespace

TransferKind kindOfTransfer(std::uint16_t reason)
{
    using deed::trace::transfer_reason;
    switch (static_cast<transfer_reason>(reason)) {
    case transfer_reason::prefetch:
    case transfer_reason::fetch:
        return TransferKind::Fetch;
    case transfer_reason::write_back:
    case transfer_reason::flush:
        return TransferKind::WriteBack;
    case transfer_reason::migrate:
        return TransferKind::Migration;
    case transfer_reason::user:
        return TransferKind::Message;
    case transfer_reason::reduce:
        return TransferKind::Reduction;
    default: // A relay, too: it goes on to a task.
        return TransferKind::ForTask;
    }
}

QString nameOfKind(TransferKind kind)
{
    static constexpr std::array<const char *, 6> names{"for a task", "fetch",   "write-back",
                                                       "migration",  "message", "reduction"};
    return QCoreApplication::translate("TransferKind", names[static_cast<std::size_t>(kind)]);
}

QBrush patternOf(TransferKind kind, const QColor &bar)
{
    const Tile tile = tileOf(kind);
    if (tile.empty())
        return {};
    const QRgb mark = Theme::blend(bar, Theme::textOn(bar), strength).rgb();
    QImage drawn(static_cast<int>(tile[0].size()), static_cast<int>(tile.size()),
                 QImage::Format_ARGB32_Premultiplied);
    drawn.fill(Qt::transparent);
    for (int y = 0; y < drawn.height(); ++y)
        for (int x = 0; x < drawn.width(); ++x)
            if (tile[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '#')
                drawn.setPixel(x, y, mark);
    return QBrush(drawn);
}

QBrush patternOf(std::size_t hatch, const QColor &bar)
{
    constexpr std::array kinds{TransferKind::WriteBack, TransferKind::Message,
                               TransferKind::Migration, TransferKind::Fetch,
                               TransferKind::Reduction};
    return hatch == 0 ? QBrush() : patternOf(kinds[(hatch - 1) % kinds.size()], bar);
}

QBrush patternOf(const Theme &theme, const track_span &span)
{
    const QColor bar = theme.spanColour(span);
    switch (span.type) {
    case span_type::send:
    case span_type::receive:
        return patternOf(kindOfTransfer(span.kind), bar);
    case span_type::task: // An error has a colour of its own.
        return patternOf(span.flags & flag_error ? 0 : theme.hatchOf(span.kind), bar);
    default:
        return {};
    }
}

void paintLateMark(QPainter &painter, const Theme &theme, const QPointF &at)
{
    constexpr double radius = 5, hand = 3;
    painter.setPen(QPen(theme.text, 1.4));
    painter.setBrush(theme.base);
    painter.drawEllipse(at, radius, radius);
    painter.drawPolyline(QPolygonF({at + QPointF(0, -hand), at, at + QPointF(hand, 0)}));
    painter.setBrush(Qt::NoBrush);
}
