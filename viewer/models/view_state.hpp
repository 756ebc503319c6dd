// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/state_at.hpp"
#include "analysis/lod/iteration_axis.hpp"
#include "analysis/model.hpp"

#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <optional>
#include <utility>

/// What is selected: one thing at a time, the same in every panel.
struct Selection {
    enum Kind { Nothing, Task, Transfer, Handle, Event };
    Kind kind = Nothing;
    std::uint32_t index = deed::viewer::none;
    friend bool operator==(const Selection &, const Selection &) = default;
};

/// One part of the run in view, one playhead, one selection. Panels listen; none keeps its own.
class ViewState : public QObject
{
    Q_OBJECT
public:
    explicit ViewState(const deed::viewer::model &model, QObject *parent = nullptr);

    const deed::viewer::model &model() const { return m_model; }
    qint64 begin() const { return m_begin; }
    qint64 end() const { return m_end; }
    qint64 playhead() const { return m_playhead; }
    /// Of what is done by then: at the moment of the first error, what its exception undid.
    deed::viewer::undone_by leftOut() const;
    Selection selection() const { return m_selection; }
    /// The handle that the selection is about; `none` if it is about none or several.
    std::uint32_t selectedHandle() const;

    /// The run, from where any rank has recorded it: of a slice and of a ring not from zero on.
    qint64 beginOfRun() const;
    qint64 endOfRun() const { return m_model.events().end(); }
    /// Of another run: before and behind it that went on, and nothing is known.
    bool isSlice() const { return m_isSlice; }
    /// Why nothing is known of the moment of the playhead; empty: it is.
    QString whyNotKnown() const;

    double xOf(qint64 time, double width) const;
    qint64 timeAt(double x, double width) const;
    /// By iteration in place of by time; null: by time. What is in view are then places.
    const deed::viewer::iteration_axis *axis() const { return m_axis ? &*m_axis : nullptr; }
    void setAxis(std::optional<deed::viewer::iteration_axis> axis);
    /// Where on the axis a rank is at a time, and back.
    qint64 placeOf(int rank, qint64 time) const;
    qint64 timeAtPlace(int rank, qint64 place) const;
    /// When any rank did what is in view of it.
    deed::viewer::time_range timesInView() const;

    void setView(qint64 begin, qint64 end, bool remember = true);
    void zoom(double factor, qint64 around);
    void pan(qint64 by);
    void fitAll();
    /// Twice: without a margin.
    void fitSelection();
    /// When the selected task, transfer or phase began and ended.
    std::optional<std::pair<qint64, qint64>> spanOfSelection() const;
    /// Where it began and where it ended; -1: on no rank.
    std::pair<int, int> ranksOfSelection() const;
    bool undo();
    bool redo();
    void setPlayhead(qint64 time);
    /// Moves the view, if it is not in there.
    void showPlayhead();
    void select(Selection selection);
    /// A second after the last look at another part of the run its files' memory may serve others.
    void restSoon() { m_rest.start(); }

signals:
    void viewChanged();
    void axisChanged();
    void playheadChanged();
    void selectionChanged();

private:
    struct View {
        qint64 begin;
        qint64 end;
    };
    const deed::viewer::model &m_model;
    bool m_isSlice;
    qint64 m_begin = 0;
    qint64 m_end = 1;
    qint64 m_playhead = 0;
    std::optional<deed::viewer::iteration_axis> m_axis;
    deed::viewer::moment_of_error m_error;
    Selection m_selection;
    QList<View> m_undo;
    QList<View> m_redo;
    QTimer m_rest;
};
