// SPDX-License-Identifier: MIT
#pragma once

#include <QKeyEvent>

/// Left and Right step the playhead in the whole window; a canvas that goes from cell to cell by
/// them asks for them first. For its `event`: true, it did.
inline bool takesArrows(QEvent *event)
{
    if (event->type() != QEvent::ShortcutOverride)
        return false;
    const auto *const key = static_cast<QKeyEvent *>(event);
    const bool arrow = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right;
    if (!arrow || (key->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier)
        return false;
    event->accept();
    return true;
}
