// SPDX-License-Identifier: MIT
#pragma once

#include "gui/theme.hpp"

#include <QMainWindow>
#include <QString>

/// Shows a run, or the report of a deadlock, in a window of its own. An empty text when it worked,
/// or when nobody waited for it.
QString showAny(const QString &path, const Theme &theme);

/// Asks which run. Later, with nothing of a window in use that may be gone by then.
void askForRun(const Theme &theme);
void askForReport(const Theme &theme);

/// What there is to see before there is a run: how to open one. Closes once one is open.
class StartWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit StartWindow(const Theme &theme, QWidget *parent = nullptr);
};
