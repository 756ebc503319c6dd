// SPDX-License-Identifier: MIT
#pragma once

#include "gui/theme.hpp"
#include "models/copies_over_time.hpp"
#include "models/view_state.hpp"

#include <QAbstractScrollArea>
#include <QRect>
#include <QString>

#include <array>
#include <utility>

/// Over the time in view: when copies were missed, by kind, and below it what copies took on each
/// rank.
class CacheCurves : public QAbstractScrollArea
{
    Q_OBJECT
public:
    CacheCurves(ViewState *state, CopiesOverTime *copies, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    int plotLeft() const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    using Counts = std::array<qint64, deed::viewer::kinds_of_misses.size()>;
    Counts missesIn(qint64 from, qint64 to) const;
    std::pair<qint64, qint64> binAt(int x) const;
    QColor colourOf(std::size_t kind) const;
    QRect plot() const; // Of the misses.
    QRect laneOf(int rank) const;
    void paintLegend(QPainter &painter) const;
    void paintMisses(QPainter &painter) const;
    qint64 heldInView(int rank) const;
    qint64 mostInView() const;
    void paintHeld(QPainter &painter, int rank, qint64 most) const;
    QString sayAt(const QPoint &at) const;
    int scaled(int usual) const;
    void updateScrollBar();

    ViewState *m_state;
    CopiesOverTime *m_copies;
    Theme m_theme;
};
