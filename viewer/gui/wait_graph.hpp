// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "gui/theme.hpp"

#include <QHash>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <vector>

/// Who waits for whom, as arrows between ranks, tasks and data; circles are red.
class WaitGraph : public QWidget
{
    Q_OBJECT
public:
    explicit WaitGraph(QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    /// The waits of a moment, which are asked for when they are drawn: behind another panel nobody
    /// looks at them.
    void setMoment(const QString &caption,
                   std::function<std::vector<deed::viewer::wait_edge>()> ask);
    /// Shows circles first where there are more nodes than can be told apart.
    void setWaits(std::vector<deed::viewer::wait_edge> waits);
    /// Of a report: the node to look at first, if one is known. What each wait is for is said, too.
    void setCulprit(const QString &node);
    /// What stands above the arrows.
    void setCaption(const QString &caption) { m_caption = caption; }
    const QString &caption() const { return m_caption; }
    /// What stands in place of arrows where there are none; empty: that nobody waits.
    void setNothing(const QString &text) { m_nothing = text; }
    /// What a wait is for: the datum that a task needs, with its version, a message, a gate, a
    /// collective call with its number.
    static QString subjectOf(const deed::viewer::wait_edge &of);
    const QStringList &nodes() const { return m_nodes; }
    /// What stands in the box of one of `nodes`: a task with its rank.
    QString textOf(int node) const;
    /// Where one of `nodes` stands.
    QRectF boxOf(int node, const QFontMetricsF &metrics) const;
    QSize sizeHint() const override { return {320, 220}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool event(QEvent *event) override;

private:
    /// A wait, and its two ends in `m_names`.
    struct Arrow {
        int from = 0;
        int to = 0;
        const deed::viewer::wait_edge *wait = nullptr;
    };

    QPointF bendOf(const Arrow &arrow, const QFontMetricsF &metrics) const;
    void paintArrow(QPainter &painter, const Arrow &arrow, const QFontMetricsF &metrics) const;
    void paintLabels(QPainter &painter, const QFontMetricsF &metrics) const;
    void paintNode(QPainter &painter, int node, const QFontMetricsF &metrics) const;
    void fill();
    void choose(int nodes);
    bool anyOverlap() const;
    QPointF centreOf(int node) const;

    Theme m_theme;
    std::vector<deed::viewer::wait_edge> m_all; // Those in circles first.
    std::vector<Arrow> m_ends;                  // Of each of them.
    QStringList m_names;
    QHash<QString, int> m_ranks; // Of tasks, by their names.
    std::vector<Arrow> m_waits;  // That there is room for; their ends in `m_nodes`.
    QStringList m_nodes;
    int m_left_out = 0;
    QString m_caption, m_nothing;
    bool m_isReport = false;
    QString m_culprit;
    std::function<std::vector<deed::viewer::wait_edge>()> m_ask; // Until it is drawn.
};
