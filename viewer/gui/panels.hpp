// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/ask/datum_memories.hpp"
#include "analysis/ask/grouped_shares.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/say/answer.hpp"
#include "gui/theme.hpp"
#include "models/view_state.hpp"

#include <QAbstractScrollArea>
#include <QList>
#include <QPoint>
#include <QString>
#include <QStringList>
#include <QTextBrowser>
#include <QWidget>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

/// The whole run in one strip, of a slice what is in it: density, errors, the part in view, the
/// playhead.
class Overview : public QWidget
{
    Q_OBJECT
public:
    Overview(ViewState *state, const std::vector<deed::viewer::timeline_lane> *lanes,
             QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    QSize sizeHint() const override { return {400, 46}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    void moveTo(double x);
    void summarise();
    void countBegins();
    void summariseProgram(qint64 begin, qint64 end);
    qint64 length() const; // Of the run; at least 1.
    double xOf(qint64 time) const;
    void paintFlags(QPainter &painter) const;

    ViewState *m_state;
    const std::vector<deed::viewer::timeline_lane> *m_lanes;
    Theme m_theme;
    std::set<const deed::viewer::track *> m_work; // Of each thread that runs tasks.
    std::vector<double> m_busy;
    bool m_noTasks = false; // What is busy waits, or moves data.
    std::vector<char> m_flagged;
    std::vector<char> m_worked; // Whether there is a task.
};

/// What the colours of the timeline stand for: what is in this run, and nothing else.
class Legend : public QWidget
{
    Q_OBJECT
public:
    explicit Legend(const ViewState *state, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    /// Whether the critical path is drawn.
    void setShowsPath(bool on);
    /// That there are transfers with the mark of those that came late.
    void addLate();
    QSize sizeHint() const override { return {400, height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Entry {
        QString name;
        deed::viewer::track_span like;
        bool notStarted = false; // No span is.
        bool path = false;       // Nor these.
        bool late = false;
    };
    void fit();
    void describe();
    void addWaits(const deed::viewer::model &m);
    int widthOf(const Entry &entry) const;
    // Line after line; none of those for which the lines have no room.
    QList<QPoint> places() const;

    Theme m_theme;
    QList<Entry> m_entries;
};

/// Rows send, columns receive.
class CommMatrix : public QWidget
{
    Q_OBJECT
public:
    enum class Measure { Bytes, Messages, MeanSize, MeanTime, Bandwidth, Redundant };
    /// In the order of the measures: "bytes", "mean time".
    static QStringList measureNames();

    explicit CommMatrix(ViewState *state, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    void setMeasure(Measure what);
    Measure measure() const { return m_measure; }
    /// The scale of the colours.
    void setLogarithmic(bool on);
    bool isLogarithmic() const { return m_logarithmic; }
    /// None: the whole run.
    void setRange(const std::optional<deed::viewer::time_range> &range);
    /// Somebody sees it: its messages are counted, if that was not done.
    void look();

signals:
    void cellActivated(int src, int dst);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Cell {
        quint64 bytes = 0, messages = 0, redundant = 0;
        quint64 timedBytes = 0, timed = 0; // Of messages of which both ends are known.
        double time = 0;                   // Of these, nanoseconds.
        bool timesTell = false;
    };
    void count();
    bool timesTell(int src, int dst, const Cell &of) const;
    static bool isUnknown(const Cell &of, Measure what);
    double valueOf(const Cell &of, Measure what) const;
    QString sayValue(const Cell &of, Measure what) const;
    double partOf(double value) const;
    void findLimits();
    void paintCell(QPainter &painter, std::size_t src, std::size_t dst) const;
    QString head() const;
    void setCursorCell(std::size_t src, std::size_t dst);
    void activateCell();
    QString sayCell(std::size_t src, std::size_t dst) const;
    QString sayCounts(std::size_t src, std::size_t dst) const;
    QString sayMostMoved(std::size_t src, std::size_t dst) const;
    QRectF cellRect(std::size_t src, std::size_t dst) const;
    const Cell &cell(std::size_t src, std::size_t dst) const
    {
        return m_cells[src * m_ranks + dst];
    }

    ViewState *m_state;
    Theme m_theme;
    std::size_t m_ranks;
    std::optional<deed::viewer::time_range> m_range;
    std::vector<Cell> m_cells; // Of nothing before it is seen.
    bool m_isCounted = false;  // Of the range.
    Measure m_measure = Measure::Bytes;
    bool m_logarithmic = false;
    double m_least = 0, m_most = 0; // Of what is measured, where there is some.
    bool m_isEmpty = true;
    bool m_redundant = false; // Any of it.
    std::optional<std::pair<std::size_t, std::size_t>> m_cursor;
};

/// A lane per rank: the copies of the selected handle over time, owner band on top.
class HandleHistory : public QWidget
{
    Q_OBJECT
public:
    explicit HandleHistory(ViewState *state, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;

private:
    struct Piece {
        qint64 begin, end;
        deed::viewer::copy_kind kind;
        std::uint32_t version;
        bool told;
    };
    using Pieces = std::vector<std::vector<Piece>>; // By row, in time order.
    struct Part {
        qint64 begin, end;
        qint64 step = 0; // No piece is shorter.
        Pieces rows{};
    };
    /// A rank, or one of its memories, where a device of it has the datum at some time.
    struct Row {
        int rank = 0;
        std::optional<std::uint64_t> memory;
        QString name;
    };
    void choose();
    void collect();
    std::size_t momentAfter(qint64 time) const;
    Pieces pieces(std::size_t first, std::size_t last, qint64 step) const;
    deed::viewer::copy_at copyIn(const Row &row, const deed::viewer::datum_state &state,
                                 const deed::viewer::memory_walk &memories) const;
    void findRows();
    void paintAxis(QPainter &painter, int top, int bottom) const;
    int plotLeft() const;
    double plotWidth() const;
    std::optional<qint64> nextChange(int direction) const;
    void stepChange(int direction);

    ViewState *m_state;
    Theme m_theme;
    std::uint32_t m_handle = deed::viewer::none;
    std::vector<std::int64_t> m_moments; // At which it may change, in order.
    std::vector<qint64> m_ticks;         // In order.
    std::vector<Row> m_rows;
    std::optional<Part> m_drawn;
};

/// A stacked bar per worker, rank or host, and what the colours are.
class TimeShares : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit TimeShares(ViewState *state, QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    void setRange(const std::optional<deed::viewer::time_range> &range);
    /// Measures, if that was not done yet. Any thread, while nobody else asks.
    const deed::viewer::time_shares &measured();
    /// In the order of `deed::viewer::shares_per`.
    static QStringList groupNames();
    void setPer(deed::viewer::shares_per per);
    deed::viewer::shares_per per() const { return m_per; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    struct Entry {
        QPoint at;        // Of its box.
        std::string what; // None: there are more than have room.
        QString text;
    };
    void updateLayout();
    void paintHead(QPainter &painter);
    QString sayLegend();
    QColor colourOf(const std::string &what) const;
    void fill(QPainter &painter, const QRectF &box, const std::string &what) const;
    QRectF barRect(std::size_t group) const;
    const std::vector<deed::viewer::group_time> &groups();
    double lengthOf(const deed::viewer::group_time &group);
    QString head();
    void wrapHead();

    ViewState *m_state;
    Theme m_theme;
    std::optional<deed::viewer::time_range> m_range;
    QStringList m_head;                                // Its lines, as many as have room.
    std::optional<deed::viewer::time_shares> m_shares; // Of that range.
    deed::viewer::shares_per m_per{};
    std::vector<deed::viewer::group_time> m_groups; // None before it is seen.
    std::vector<Entry> m_legend;                    // None before it is seen.
    int m_top = 0;                                  // Of the bars.
};

/// An answer as rich text; links are "task:12", "transfer:3", "handle:5", "time:1000".
class AnswerView : public QTextBrowser
{
    Q_OBJECT
public:
    explicit AnswerView(QWidget *parent = nullptr);
    void setTheme(const Theme &theme);
    void setAnswer(deed::viewer::answer said, const QString &links = {});
    /// As `setAnswer`, and lays out more rows of each table at once than most panels need: where
    /// the answer is all that there is to read.
    void setWhole(deed::viewer::answer said);
    const deed::viewer::answer &shown() const { return m_answer; }

protected:
    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void render();
    QString asHtml();
    void layOut(const QString &html);
    bool isOtherwise();
    bool leftOut(const deed::viewer::table &which) const;
    void addRows();
    std::vector<int> besideEachOther();
    int room() const;
    std::ptrdiff_t fitting() const;
    Theme m_theme;
    deed::viewer::answer m_answer;
    std::vector<int> m_wishes;    // How wide each table that is shown would like to be.
    std::vector<int> m_beside;    // What was drawn.
    std::ptrdiff_t m_fitting = 0; // The same.
    QString m_links;
    std::size_t m_rows = 0;    // Of a table, that are laid out.
    bool m_isCut = false;      // Some have more, which come when somebody scrolls there.
    bool m_isBeingSet = false; // A text is being set.
};
