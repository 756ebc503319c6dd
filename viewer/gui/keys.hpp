// SPDX-License-Identifier: MIT
#pragma once

#include <QAction>
#include <QList>
#include <QMenu>
#include <QPair>
#include <QWidget>

/// What can be done in a window, as its menus and tool bars have it; not whether a panel is shown.
QList<QAction *> commandsOf(const QWidget &window);

/// How lists call it.
QString nameOf(const QAction &command);

/// It asks somebody something, or ends its window: nothing for a script.
void setAsking(QAction &command);
bool isAsking(const QAction &command);

/// Adds the list of keys to a menu, on ? and F1. `first`: keys that are no commands, and what they
/// do; `hint`: what the mouse does.
QAction *addKeys(QMenu *menu, QWidget *window, const QString &hint,
                 const QList<QPair<QString, QString>> &first);
