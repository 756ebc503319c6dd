// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/ask/late_transfers.hpp"
#include "analysis/lod/arrow_bundles.hpp"
#include "analysis/lod/iteration_axis.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/read/notes.hpp"
#include "gui/theme.hpp"
#include "models/view_state.hpp"

#include <QAbstractScrollArea>
#include <QHash>
#include <QList>
#include <QPainterPath>
#include <QPointF>
#include <QSet>
#include <QSize>

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

/// The lanes of all ranks over time.
class Timeline : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit Timeline(ViewState *state, QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    const std::vector<deed::viewer::timeline_lane> &lanes() const { return m_lanes; }
    /// The part that was dragged over; none if begin equals end.
    std::optional<std::pair<qint64, qint64>> range() const;
    void setRange(qint64 begin, qint64 end);
    void clearRange();
    /// Range, folded ranks, arrows and the lanes in view of a timeline of the same run.
    void continueFrom(const Timeline &before);
    void setRangeToSelection();
    /// Begins a range at the playhead, which goes with it until this is called again.
    void rangeFromPlayhead();
    void toggleRank(int rank);
    /// That of the selection, else the one under the pointer, else the first in view.
    void toggleRankInUse();
    void toggleAllRanks();
    /// The ranks that have lanes here, from the top; empty: all, in their order.
    void showRanks(QList<int> ranks);
    const QList<int> &shownRanks() const { return m_shownRanks; }
    /// That of `toggleRankInUse` alone; where not all are shown, all.
    void toggleOnlyRank();
    /// Selects the next or previous span on the lane of the selection.
    void walk(int direction);
    /// The span next to the playhead on the lane above or below.
    void stepLane(int direction);
    void showSelection();
    void setShowAllArrows(bool on);
    /// Lanes that stay at the top, whatever is scrolled: "rank 0 w00".
    QStringList pinned() const;
    /// Of all lanes, from the top.
    QStringList laneNames() const;
    /// Shows it, and selects what is next to the playhead there; false if there is none.
    bool goToLane(const QString &name);
    /// Names that no lane has are left out.
    void setPinned(const QStringList &names);
    /// The lane of the selection, else the one under the pointer.
    void togglePin();
    /// Drawn over all else: on which lane each step was.
    void setPath(const std::vector<deed::viewer::path_step> &steps);
    /// Threads waited long for them.
    bool hasLateTransfers() const { return !m_lateBy.empty(); }
    /// By task, how much later it could have ended; tooltips say it.
    void setSlack(std::vector<qint64> slack) { m_slack = std::move(slack); }
    QString toolTipOf(const deed::viewer::track_span &span) const;
    /// Ranks that are still being recorded: that nothing follows yet is no loss.
    void setGrowing(const QSet<int> &ranks);
    /// Flags on the ruler.
    void setMarks(std::vector<deed::viewer::note> marks);

    int plotLeft() const { return m_gutter; }
    /// How far times of ranks may be apart: "±1.2 us", of the rank of which least is known: "±?" if
    /// nothing is; empty: clocks are one.
    QString sayTimeError() const;
    /// Of one rank, as exact as so many pixels have room for: "±4.655 ms", "±4.7 ms", "±5 ms".
    QString sayTimeErrorIn(int rank, int room) const;

signals:
    void rangeChanged();
    void pinnedChanged();
    void hovered(const QString &sentence);

protected:
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    struct Row {
        int y = 0;
        int height = 0;
        int rank = 0;
        int lane = -1; // Of m_lanes; -1: the header of a rank.
        bool pinned = false;
        bool values = false; // The header of those of a rank, where they fold.
    };
    struct Hit {
        std::optional<deed::viewer::track_span> span;
        int rank = -1;
        bool header = false;
        int lane = -1;
        bool values = false;
    };

    /// Rows of one rank that follow each other, as far as they are in view.
    struct RankBlock {
        int rank = 0;
        int top = 0;
        int bottom = 0;
    };
    /// Of the ruler.
    struct Tick {
        int x = 0;
        QString text;
    };

    /// What stands on a bar, over the arrows.
    struct Name {
        QPointF start; // In the middle of its height.
        QRectF bar;
        QString text;
        QColor colour; // The bar's.
        QColor ink;    // None: as the bar wants it.
    };
    /// What nothing may hide.
    struct Error {
        QRectF box = {};
        bool chosen = false;
        bool stop = false; // On purpose.
    };
    /// What rows leave to be painted when all of them are.
    struct OnTop {
        std::vector<Name> names;
        std::vector<Error> errors;
    };

    /// A step of the critical path.
    struct PathPart {
        qint64 begin = 0;
        qint64 end = 0;
        int rank = 0;
        std::uint32_t lane = deed::viewer::none; // Of the run.
        int from = -1;                           // The rank that it comes from, if it moves data.
        enum Does : std::uint8_t { Work, Move, Nothing };
        Does does = Work; // Nothing: it was waited, or queued.
    };
    /// Of a column of pixels, how much of its time the path was on a row; 0 .. 1.
    using PathColumn = std::array<double, 3>; // By what it does.
    struct PathPicture {
        QPainterPath links, along, idle;
        QList<QPointF> heads; // Of arrows.
        std::map<const Row *, std::vector<PathColumn>> columns;
    };

    using TimeBetween = std::pair<qint64, qint64>;
    /// Messages of one way that left in a part of the time.
    struct Bundle {
        deed::viewer::arrow_bundle what;
        TimeBetween left;
    };
    struct ArrowEnd {
        int rank = 0;
        qint64 time = 0;
    };
    /// Arrows of one importance: each, or where they are too many together.
    struct ArrowsInView {
        std::vector<std::uint32_t> each;
        std::vector<Bundle> bundles;
        QColor colour;
        double width = 1;
    };

    /// What a picture of the path depends on, beside the rows and the path.
    struct PathView {
        qint64 begin = 0;
        qint64 end = 0;
        QSize size = {};
        int scrolled = 0;
        bool operator==(const PathView &) const = default;
    };

    void drawPath();
    void forgetPath();
    PathPicture pathOn(const QList<Row> &rows) const;
    QPointF addLine(PathPicture &to, const Row &row, const PathPart &part,
                    std::pair<double, double> between, std::optional<QPointF> last) const;
    void addToColumns(PathPicture &to, const Row &row, const PathPart &part, double x0,
                      double x1) const;
    void paintPathLinks(QPainter &painter, const PathPicture &path) const;
    QString sayPathColumns(int rank) const;
    void paintPathColumns(QPainter &painter, const PathPicture &path) const;
    void paintPathAlong(QPainter &painter, const PathPicture &path) const;
    void layoutRows();
    int topFrom(int y) const;
    int rowHeight(int lane) const;
    int foldHeight() const;
    bool isValues(int lane) const;
    bool isSilent(const deed::viewer::timeline_lane &lane) const;
    const deed::viewer::timeline_lane *silentOf(int rank) const;
    bool isShown(int lane) const;
    bool isShownRank(int rank) const;
    bool isAway(int src, int dst) const;
    bool isAway(std::uint32_t transfer) const;
    qsizetype placeOf(int rank) const;
    std::vector<int> lanesInOrder() const;
    std::vector<int> ranksWithoutTrace() const;
    void toggleValues(int rank);
    QString sayReach(const deed::viewer::timeline_lane &of, int room) const;
    QString sayValuesOf(int rank) const;
    QString sayLaneAt(const Hit &hit) const;
    QString sayRank(int rank) const;
    QString sayLanes(bool byWhat) const;
    QString sayNothingAt(const Hit &hit, const QPoint &at) const;
    QString sayNotStarted(const Hit &hit, int x) const;
    void paintNotStarted(QPainter &painter, const deed::viewer::timeline_lane &lane,
                         const QRect &area, OnTop &onTop) const;
    bool isStream(const deed::viewer::timeline_lane &lane, std::uint32_t kind) const;
    QString nameOf(const deed::viewer::timeline_lane &lane) const;
    QString wholeNameOf(const deed::viewer::timeline_lane &lane) const;
    void chooseValueHeight();
    void chooseStretch();
    void chooseScale();
    int headerHeight() const;
    int yOf(const Row &row) const;
    double xOf(int rank, qint64 time) const;
    qint64 timeAt(const QPoint &at) const;
    const Row *rowAt(int y) const;
    std::vector<RankBlock> rankBlocks() const;
    void paintBentLine(QPainter &painter, qint64 time) const;
    std::vector<Tick> ticks() const;
    void addTicksWithin(qint64 begin, qint64 end, int from, std::vector<Tick> &to) const;
    std::vector<Tick> iterationTicks(const deed::viewer::iteration_axis &axis) const;
    void takeAxis();
    const std::vector<deed::viewer::timeline_lane> &placed() const
    {
        return m_placed.empty() ? m_lanes : m_placed;
    }
    int laneOfSelection() const;
    bool shows(const deed::viewer::timeline_lane &lane, std::uint32_t event) const;
    std::optional<std::size_t> depthOfSelection(int lane) const;
    bool selectInLane(int lane, int direction, std::optional<std::size_t> from);
    bool walkValues(int direction);
    int rankInUse() const;
    void scrollToSelection();
    void scrollTo(int lane);
    void pin(int lane);
    void paintPinned(QPainter &painter, OnTop &onTop) const;
    void paintMarks(QPainter &painter) const;
    void paintGutterRow(QPainter &painter, const Row &row) const;
    void paintGutterLane(QPainter &painter, const Row &row, const QRect &area) const;
    void paintGutterDevice(QPainter &painter, const deed::viewer::timeline_lane &lane,
                           const QRect &area) const;
    void paintGutterValues(QPainter &painter, const deed::viewer::timeline_lane &lane,
                           const QString &name, const QRect &area) const;
    void paintRuler(QPainter &painter) const;
    void paintMoment(QPainter &painter, const Row &row, qint64 time, const QString &text,
                     const QColor &colour, OnTop &onTop) const;
    void paintWhatIsKnown(QPainter &painter, const Row &row, const deed::viewer::rank_info &of,
                          OnTop &onTop) const;
    void paintBehindSlice(QPainter &painter) const;
    void paintRow(QPainter &painter, const Row &row, OnTop &onTop) const;
    void paintFolded(QPainter &painter, int rank, const QRect &area, OnTop &onTop) const;
    void paintValues(QPainter &painter, const deed::viewer::timeline_lane &lane,
                     const QRect &area) const;
    /// `above`: what is painted over it later; its names keep clear of that.
    void paintTrack(QPainter &painter, const deed::viewer::track &track, const QRect &area,
                    OnTop &onTop, const deed::viewer::track *above = nullptr) const;
    /// Why a transfer was sent, or which codelet of its colour a task has.
    void paintPattern(QPainter &painter, const QRectF &box,
                      const deed::viewer::track_span &span) const;
    void paintPatterns(QPainter &painter, const QRect &area, const deed::viewer::track &track,
                       const std::vector<deed::viewer::track_pixel> &row) const;
    void paintNames(QPainter &painter, const OnTop &of) const;
    void addError(const QRect &area, double begin, double end, Error like, OnTop &to) const;
    void addErrors(const QRect &area, const std::vector<deed::viewer::track_pixel> &row,
                   OnTop &to) const;
    void addErrorsOfFolded(int rank, const QRect &area, OnTop &to) const;
    void addChosenError(const Row &row, const QRect &area, OnTop &to) const;
    void paintErrors(QPainter &painter, const OnTop &of) const;
    std::optional<deed::viewer::track_span> valueAt(const deed::viewer::timeline_lane &of,
                                                    qint64 time) const;
    std::optional<deed::viewer::track_span> spanAt(const deed::viewer::track &of, qint64 time,
                                                   qint64 slack) const;
    ArrowsInView otherArrows(const std::vector<std::uint32_t> &chosen) const;
    ArrowsInView arrowsInVain(const std::vector<std::uint32_t> &chosen) const;
    std::optional<qint64> lateBy(std::uint32_t transfer) const;
    void paintLateMarks(QPainter &painter) const;
    std::vector<std::uint32_t> chosenTransfers() const;
    std::vector<ArrowsInView> arrows() const;
    std::vector<TimeBetween> pieces() const;
    ArrowsInView together(std::vector<std::uint32_t> refs) const;
    QPainterPath pathOf(const Bundle &bundle) const;
    QString sayBundleAt(const QPoint &at) const;
    void paintArrows(QPainter &painter) const;
    void paintTimeErrors(QPainter &painter, const deed::viewer::transfer &x) const;
    void paintTimeError(QPainter &painter, int rank, const QPointF &at, qint64 time,
                        const QColor &colour) const;
    QString sayTimeErrorOf(int rank) const;
    std::vector<QRectF> rangeBoxes() const;
    void paintWash(QPainter &painter) const;
    void paintRange(QPainter &painter) const;
    void paintPlayhead(QPainter &painter) const;
    void paintGutter(QPainter &painter) const;
    Hit hitTest(const QPoint &at) const;
    Selection selectionOf(const deed::viewer::track_span &span) const;
    QString label(const deed::viewer::track_span &span) const;
    QString sayPhasesAround(std::uint32_t event) const;
    /// As much of the label as has room in so many pixels.
    QString shortened(const deed::viewer::track_span &span, double room) const;
    QPointF anchor(int rank, bool sends, qint64 time) const;
    QPainterPath arrowBetween(const ArrowEnd &from, const ArrowEnd &to) const;
    void paintStubName(QPainter &painter, const deed::viewer::transfer &x) const;
    static qint64 leftAt(const deed::viewer::transfer &x);
    qint64 arrivedAt(const deed::viewer::transfer &x) const;
    QPainterPath arrowOf(const deed::viewer::transfer &x) const;
    /// The transfer whose arrow is next to a point, if one is near enough to mean it.
    std::uint32_t arrowAt(const QPoint &at) const;
    bool isLit(const deed::viewer::track_span &span) const;
    double plotWidth() const;
    double busyShare(const deed::viewer::timeline_lane &lane) const;

    static constexpr double washPart = 40 / 255.0; // Of `accent`, over what is in a range.

    ViewState *m_state;
    std::vector<deed::viewer::timeline_lane> m_lanes;
    std::vector<deed::viewer::timeline_lane> m_placed; // By iteration; else none.
    deed::viewer::track m_transfers;
    deed::viewer::track m_inVain; // Of them.
    std::vector<deed::viewer::late_transfer> m_lateBy;
    std::map<int, std::vector<std::uint32_t>> m_lateOnRank; // In the order of their arrival.
    deed::viewer::arrow_bundles m_bundles;
    std::vector<qint64> m_slack;
    Theme m_theme;
    QList<Row> m_rows;
    QList<Row> m_pinnedRows;
    QList<int> m_pinned; // Of m_lanes, as they stand from the top.
    std::vector<deed::viewer::note> m_marks;
    int m_pinnedHeight = 0;
    QSet<int> m_collapsed;
    QList<int> m_shownRanks;        // Empty: all.
    QHash<int, qsizetype> m_places; // Of these.
    QSet<int> m_openValues;         // Ranks, where values fold.
    bool m_foldsValues = false;     // There is no room for all of them.
    int m_valueHeight = 0;
    QSet<int> m_growing;
    std::vector<PathPart> m_path;       // In time order, none over another.
    std::optional<PathView> m_pathView; // Of these; none: they are to be drawn.
    PathPicture m_pathPicture, m_pathOfPinned;
    double m_stretch = 1; // Of the heights of lanes.
    double m_scale = 1;   // Of all heights and widths: with the letters.
    int m_gutter = 132;
    int m_ruler = 26; // With the flags of notes, where there are some, above its times.
    qint64 m_rangeBegin = 0;
    qint64 m_rangeEnd = 0;
    bool m_rangeGrows = false; // Its end is the playhead.
    bool m_selecting = false;
    bool m_panning = false;
    bool m_scrubbing = false;
    bool m_allArrows = true;
    bool m_followsSelection = true; // Nobody has scrolled away from it.
    QPoint m_pressed;
    QPoint m_last;
};
