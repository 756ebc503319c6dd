// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/same_tasks.hpp"
#include "gui/main_window.hpp"

#include <QLabel>
#include <QMainWindow>
#include <QSplitter>
#include <QTableView>

#include <array>
#include <memory>
#include <string>
#include <vector>

/// Two runs on one time axis, one above the other, and what the second did otherwise: tasks that
/// differ, and those of one run alone. A task that is selected in one is selected in the other, by
/// the version it writes; a handle, by its name.
class CompareWindow : public QMainWindow
{
    Q_OBJECT
public:
    /// @throws deed::viewer::unreadable
    CompareWindow(const QString &first, const QString &second, QWidget *parent = nullptr);
    ~CompareWindow() override;

    void setTheme(const Theme &theme);
    /// 0: the first run, 1: the second.
    ViewState *state(int side) const { return m_sides[static_cast<std::size_t>(side)].state.get(); }
    QTableView *differences() const { return m_differences; }
    /// "task:gemm#12" and "handle:A[3,2]", as the first run calls it.
    bool selectByName(const QString &text);
    /// Shows both runs from their begin to the end of the longer one.
    void fitBoth();

private:
    struct Side {
        OpenedRun opened;
        std::unique_ptr<ViewState> state;
        Timeline *timeline = nullptr;
        Legend *legend = nullptr;
        QLabel *title = nullptr;
    };
    /// A row of the table: a task of both runs, or of one that says which.
    struct Difference {
        std::array<std::uint32_t, 2> tasks{deed::viewer::none, deed::viewer::none}; // By side.
        std::string what;
        bool isOfBoth() const
        {
            return tasks[0] != deed::viewer::none && tasks[1] != deed::viewer::none;
        }
    };
    QWidget *buildSide(int side);
    void findDifferences();
    void addTasksAlone();
    deed::viewer::table tableOfDifferences() const;
    void buildDifferences();
    void buildActions();
    void link(int from);
    /// What the selection of one run is in the other.
    Selection sameIn(int other, const Selection &selection) const;
    /// The difference in the row that is chosen, seen in both runs.
    void showDifference(int row);

    std::array<Side, 2> m_sides;
    std::unique_ptr<deed::viewer::same_tasks> m_same;
    std::vector<Difference> m_rows;
    QTableView *m_differences;
    AnswerView *m_answer;
    FocusFrame *m_focusFrame;
    bool m_linking = false; // What follows is the answer to a change here.
};
