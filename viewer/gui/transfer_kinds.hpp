// SPDX-License-Identifier: MIT
#pragma once

#include <QBrush>
#include <QColor>
#include <QString>

#include <cstdint>

/// Why a transfer was sent, as far as pictures tell it: for a task its bar is plain, else a pattern
/// lies over it.
enum class TransferKind : std::uint8_t { ForTask, Fetch, WriteBack, Migration, Message, Reduction };

/// Of a `trace::transfer_reason`.
TransferKind kindOfTransfer(std::uint16_t reason);
/// "write-back".
QString nameOfKind(TransferKind kind);
/// Over a bar of a colour; none for a task.
QBrush patternOf(TransferKind kind, const QColor &bar);
