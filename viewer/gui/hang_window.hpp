// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/hang.hpp"
#include "gui/focus_frame.hpp"
#include "gui/panels.hpp"
#include "gui/wait_graph.hpp"

#include <QMainWindow>

/// A report of a deadlock without a trace: who waits for whom, and all that the ranks said.
class HangWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit HangWindow(const QString &file, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    WaitGraph *graph() const { return m_graph; }

private:
    WaitGraph *m_graph;
    AnswerView *m_report;
    FocusFrame *m_focusFrame;
};
