// SPDX-License-Identifier: MIT
#pragma once

#include <QMainWindow>

/// @file
/// Where a person wants the panels, in the settings of that person: what lies beside a run may come
/// from anybody.

/// For all runs from now on.
void keepLayout(const QMainWindow &window);
/// The layout that was kept; false if there is none.
bool takeLayout(QMainWindow &window);
void forgetLayout();
