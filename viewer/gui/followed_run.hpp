// SPDX-License-Identifier: MIT
#pragma once

#include "gui/main_window.hpp"
#include "gui/run_life.hpp"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <future>
#include <memory>

/// A run that is still being recorded: its window, made anew when there is more to see. The title
/// says how long ago the last event was, and what became of the program.
///
/// What was selected, in view and in front stays so; who looked at the end goes on doing that.
/// While a dialog, a menu or an editor is open the window stays as it is, and U holds it as long as
/// wanted. Cost: the run is read again at most ten times a second, and a sixth of one core at most.
class FollowedRun : public QWidget
{
    Q_OBJECT
public:
    explicit FollowedRun(const QString &path, deed::viewer::clock_correction clocks = {},
                         QWidget *parent = nullptr);

    /// Null until something was recorded.
    MainWindow *current() const { return m_window; }
    void setTheme(const Theme &theme);
    /// For the first window. What names something that is not recorded yet is done once it is.
    void setCommands(const QStringList &commands) { m_commands = commands; }
    /// Of a window that nobody has changed yet.
    void setLayoutTaken(bool taken) { m_takesLayout = taken; }
    void setPaused(bool on);

signals:
    /// There is a new window.
    void grown();
    /// A command that can never be done.
    void refused(const QString &why);

private:
    bool isInUse() const;
    void look();
    void take(OpenedRun opened);
    void addPause();
    void runCommands();
    void say();
    qint64 secondsOfSilence() const;

    QString m_path;
    deed::viewer::clock_correction m_clocks;
    Theme m_theme;
    QStringList m_commands; // Not done yet.
    bool m_takesLayout = false;
    bool m_paused = false;
    MainWindow *m_window = nullptr;
    QTimer m_timer, m_second;
    QElapsedTimer m_sinceGrown;       // Not valid: it has not grown yet.
    std::future<OpenedRun> m_opening; // Waits in its destructor.
};
