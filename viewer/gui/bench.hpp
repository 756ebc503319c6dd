// SPDX-License-Identifier: MIT
#pragma once

#include "gui/main_window.hpp"

#include <QJsonObject>
#include <QString>
#include <QStringList>

/// @file
/// What `deed-view --bench` measures: times in milliseconds, memory per event.

/// How long it took to open a run.
struct Opening {
    double firstPicture = 0; ///< Until there is an outline.
    double picture = 0;      ///< Until there is a picture, without the answers of panels.
    double pictureCpu = 0;
};

/// The parts that a list names, "open,redraw"; all of them for "all". Empty: it names another.
QStringList benchParts(const QString &list);

/// What somebody sees first of a run.
double millisecondsToFirstPicture(const QString &run, const Theme &theme);

/// Memory is measured when every panel has answered, and at the end: then also pages of the files
/// count that were looked at since, which the system takes back when it needs them.
QJsonObject bench(MainWindow &window, const Opening &opening, const QStringList &parts);

/// The figures for people.
QString benchText(const QJsonObject &figures);
