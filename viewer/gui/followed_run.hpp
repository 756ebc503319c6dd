// SPDX-License-Identifier: MIT
#pragma once

#include "gui/main_window.hpp"

#include <QTimer>
#include <QWidget>

#include <future>
#include <memory>

/// A run that is still being recorded: its window, made anew when there is more to see.
///
/// What was selected, in view and in front stays so; who looked at the end goes on doing that. While
/// a dialog, a menu or an editor is open the window stays as it is.
/// Cost: the run is read again at most ten times a second, and a sixth of one core at most.
class FollowedRun : public QWidget
{
    Q_OBJECT
public:
    explicit FollowedRun(const QString &path, QWidget *parent = nullptr);

    /// Null until something was recorded.
    MainWindow *current() const { return m_window; }
    void setTheme(const Theme &theme);

signals:
    /// There is a new window.
    void grown();

private:
    bool isInUse() const;
    void look();
    void take(OpenedRun opened);

    QString m_path;
    Theme m_theme;
    MainWindow *m_window = nullptr;
    QTimer m_timer;
    std::future<OpenedRun> m_opening; // Waits in its destructor.
};
