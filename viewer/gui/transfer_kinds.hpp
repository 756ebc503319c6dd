// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/lod/track.hpp"
#include "gui/theme.hpp"

#include <QBrush>
#include <QColor>
#include <QPainter>
#include <QPointF>
#include <QString>

#include <cstddef>
#include <cstdint>

/// Why a transfer was sent, as far as pictures tell it: for a task its bar is plain, else a pattern
/// lies over it.
enum class TransferKind : std::uint8_t { ForTask, Fetch, WriteBack, Migration, Message, Reduction };

/// Of a `trace::transfer_reason`.
TransferKind kindOfTransfer(std::uint16_t reason);
/// "write-back".
QString nameOfKind(TransferKind kind);
/// Over a bar of its colour, of a transfer why it was sent and of a task which of the codelets of
/// that colour it has; none of all else.
QBrush patternOf(const Theme &theme, const deed::viewer::track_span &span);
/// Over a bar of a colour; none for a task.
QBrush patternOf(TransferKind kind, const QColor &bar);
/// Where a transfer ends that a thread waited for: the face of a clock.
void paintLateMark(QPainter &painter, const Theme &theme, const QPointF &at);
/// Over bars of one colour, what tells them apart: from 1 on; none for 0.
QBrush patternOf(std::size_t hatch, const QColor &bar);
