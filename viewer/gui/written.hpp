// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

class QPixmap;
class QWidget;

/// @file
/// Files that the windows write. A recorded run is refused: it cannot be made again.

/// Why nothing may be written to `file`; empty: it may.
QString whyNotWritten(const QString &file);

/// It is no name of a picture, wherever it lies.
bool isWrongPicture(const QString &file);

/// Whether it could be written.
bool writePng(const QPixmap &picture, const QString &file);
/// The widget as it is seen, as PNG. Empty, or what went wrong.
QString savePicture(QWidget &of, const QString &file);
