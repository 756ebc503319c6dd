// SPDX-License-Identifier: MIT
#include "gui/timeline.hpp"
#include "gui/letters.hpp"

#include "analysis/read/merge.hpp"
#include "analysis/say/units.hpp"

#include <QCursor>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

using namespace deed::viewer;

namespace {

constexpr int gutterWidth = 132;
constexpr int rulerHeight = 26;
constexpr int flagHeight = 18; // Of notes.
constexpr int rankHeight = 20;
constexpr int workerHeight = 26;
constexpr int otherHeight = 18;
constexpr int progressHeight = 36;
constexpr int depthHeight = 15; // Of a phase.
constexpr int copyHeight = 12;  // More, of a device, for each way of copies.

/// Of those that left.
track transferTrack(const model &m, const std::function<bool(std::uint32_t)> &has)
{
    std::vector<track_span> spans;
    for (std::uint32_t i = 0; i < m.transfers().size(); ++i) {
        const transfer &x = m.transfers()[i];
        if ((x.start != never || x.done_receive != never) && has(i))
            spans.push_back({x.begin(),
                             x.end() == never ? m.events().end() : std::max(x.begin(), x.end()), i,
                             0, span_type::send, 0});
    }
    return track(std::move(spans));
}

} // namespace

Timeline::Timeline(ViewState *state, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_state(state)
{
    const model &m = state->model();
    const std::array<std::function<void()>, 3> parts{
        [&] {
            m_transfers = transferTrack(m, [](std::uint32_t) { return true; });
            m_inVain =
                transferTrack(m, [&](std::uint32_t i) { return m.transfers()[i].in_vain(); });
            m_bundles = arrow_bundles(m_transfers, m);
        },
        [&] { m_lanes = make_timeline(m); },
        [&] {
            static_cast<void>(m.clock_errors()); // Which paints ask for.
            m_lateBy = late_transfers(m);
            std::vector<std::pair<qint64, std::uint32_t>> byArrival;
            for (const late_transfer &each : m_lateBy)
                byArrival.emplace_back(arrivedAt(m.transfers()[each.transfer]), each.transfer);
            std::ranges::sort(byArrival);
            for (const auto &[_, late] : byArrival)
                m_lateOnRank[m.transfers()[late].dst].push_back(late);
        }};
    in_parallel(parts.size(), [&](std::size_t i) { parts[i](); });
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(300, 120);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline"));
    const auto repaint = [this] { viewport()->update(); };
    connect(state, &ViewState::axisChanged, this, &Timeline::takeAxis);
    connect(state, &ViewState::viewChanged, this, repaint);
    connect(state, &ViewState::playheadChanged, this, [this, repaint] {
        if (m_rangeGrows)
            setRange(m_rangeBegin, m_state->playhead());
        repaint();
    });
    connect(state, &ViewState::selectionChanged, this, [this] {
        scrollToSelection();
        viewport()->update();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, repaint);
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this,
            [this] { m_followsSelection = false; });
    layoutRows();
}

void Timeline::setTheme(const Theme &theme)
{
    m_theme = theme;
    viewport()->update();
}

std::optional<std::pair<qint64, qint64>> Timeline::range() const
{
    if (m_rangeBegin == m_rangeEnd)
        return {};
    return std::minmax(m_rangeBegin, m_rangeEnd);
}

void Timeline::setRange(qint64 begin, qint64 end)
{
    m_rangeBegin = begin;
    m_rangeEnd = end;
    viewport()->update();
    emit rangeChanged();
}

void Timeline::clearRange()
{
    m_rangeGrows = false;
    setRange(0, 0);
}

void Timeline::rangeFromPlayhead()
{
    m_rangeGrows = !m_rangeGrows;
    if (m_rangeGrows)
        setRange(m_state->playhead(), m_state->playhead());
}

void Timeline::setRangeToSelection()
{
    m_rangeGrows = false;
    if (const auto span = m_state->spanOfSelection())
        setRange(span->first, span->second);
}

void Timeline::setShowAllArrows(bool on)
{
    m_allArrows = on;
    viewport()->update();
}

void Timeline::setGrowing(const QSet<int> &ranks)
{
    if (ranks == m_growing)
        return;
    m_growing = ranks;
    viewport()->update();
}

void Timeline::toggleRank(int rank)
{
    if (!m_collapsed.remove(rank))
        m_collapsed.insert(rank);
    layoutRows();
    viewport()->update();
}

void Timeline::toggleAllRanks()
{
    QSet<int> all;
    for (const timeline_lane &lane : m_lanes)
        all.insert(lane.rank);
    m_collapsed = m_collapsed.isEmpty() ? all : QSet<int>();
    layoutRows();
    viewport()->update();
}

void Timeline::showRanks(QList<int> ranks)
{
    m_places.clear();
    for (const int each : std::as_const(ranks))
        m_places.insert(each, m_places.size());
    m_shownRanks = std::move(ranks);
    layoutRows();
    viewport()->update();
}

void Timeline::toggleOnlyRank()
{
    const int rank = m_shownRanks.isEmpty() ? rankInUse() : -1;
    showRanks(rank < 0 ? QList<int>() : QList<int>{rank});
}

bool Timeline::isShownRank(int rank) const
{
    return m_places.isEmpty() || m_places.contains(rank);
}

/// Of a rank that is shown, among those.
qsizetype Timeline::placeOf(int rank) const
{
    return m_places.value(rank, rank);
}

/// From the top.
std::vector<int> Timeline::lanesInOrder() const
{
    std::vector<int> all(m_lanes.size());
    std::iota(all.begin(), all.end(), 0);
    if (m_shownRanks.isEmpty())
        return all;
    const auto rank = [this](int lane) { return m_lanes[static_cast<std::size_t>(lane)].rank; };
    std::erase_if(all, [&](int lane) { return !isShownRank(rank(lane)); });
    std::ranges::stable_sort(all, {}, [&](int lane) { return placeOf(rank(lane)); });
    return all;
}

/// Of those that are shown, from the top: each has a header that says why.
std::vector<int> Timeline::ranksWithoutTrace() const
{
    std::vector<int> all;
    for (const rank_info &each : m_state->model().events().ranks())
        if (!each.present && isShownRank(each.rank))
            all.push_back(each.rank);
    std::ranges::sort(all, {}, [&](int rank) { return placeOf(rank); });
    return all;
}

void Timeline::toggleRankInUse()
{
    if (const int rank = rankInUse(); rank >= 0)
        toggleRank(rank);
}

int Timeline::rankInUse() const
{
    if (m_state->selection().kind == Selection::Transfer)
        return m_state->model().transfers()[m_state->selection().index].dst;
    if (const int lane = laneOfSelection(); lane >= 0)
        return m_lanes[static_cast<std::size_t>(lane)].rank;
    if (const Hit hit = hitTest(viewport()->mapFromGlobal(QCursor::pos())); hit.rank >= 0)
        return hit.rank;
    for (const Row &row : m_rows)
        if (yOf(row) + row.height > m_ruler + m_pinnedHeight)
            return row.rank;
    return -1;
}

void Timeline::continueFrom(const Timeline &before)
{
    m_collapsed = before.m_collapsed;
    m_shownRanks = before.m_shownRanks;
    m_places = before.m_places;
    m_openValues = before.m_openValues;
    m_allArrows = before.m_allArrows;
    layoutRows();
    verticalScrollBar()->setValue(before.verticalScrollBar()->value());
    m_rangeGrows = before.m_rangeGrows;
    if (before.range() || m_rangeGrows)
        setRange(before.m_rangeBegin, before.m_rangeEnd);
}

void Timeline::layoutRows()
{
    chooseScale();
    chooseValueHeight();
    chooseStretch();
    forgetPath();
    m_rows.clear();
    int y = 0, rank = -1, ofValues = -1;
    const auto header = [&](int of) {
        m_rows.append({y, headerHeight(), of, -1});
        y += headerHeight();
        rank = of;
    };
    const std::vector<int> away = ranksWithoutTrace();
    std::size_t next = 0;
    const auto headersBefore = [&](qsizetype place) {
        for (; next < away.size() && placeOf(away[next]) < place; ++next)
            header(away[next]);
    };
    for (const int i : lanesInOrder()) {
        const timeline_lane &lane = m_lanes[static_cast<std::size_t>(i)];
        if (lane.rank != rank) {
            headersBefore(placeOf(lane.rank));
            header(lane.rank);
        }
        if (m_collapsed.contains(lane.rank))
            continue;
        if (m_foldsValues && isValues(i) && ofValues != lane.rank) {
            ofValues = lane.rank;
            m_rows.append({y, foldHeight(), lane.rank, -1, false, true});
            y += foldHeight();
        }
        if (!isShown(i))
            continue;
        const int height = rowHeight(i);
        m_rows.append({y, height, lane.rank, i});
        y += height;
    }
    headersBefore(std::numeric_limits<qsizetype>::max());
    m_pinnedRows.clear();
    m_pinnedHeight = 0;
    for (const int lane : std::as_const(m_pinned)) {
        m_pinnedRows.append({m_pinnedHeight, rowHeight(lane),
                             m_lanes[static_cast<std::size_t>(lane)].rank, lane, true});
        m_pinnedHeight += rowHeight(lane);
    }
    if (m_pinnedHeight != 0)
        m_pinnedHeight += 3; // A line between them and the rest.
    const int page = std::max(1, viewport()->height() - m_ruler - m_pinnedHeight);
    verticalScrollBar()->setRange(0, topFrom(std::max(0, y - page)));
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(workerHeight);
}

/// From where on rows are scrolled to, so that the first one is whole.
int Timeline::topFrom(int y) const
{
    for (const Row &row : m_rows)
        if (row.y >= y)
            return row.y;
    return y;
}

int Timeline::rowHeight(int lane) const
{
    const timeline_lane &of = m_lanes[static_cast<std::size_t>(lane)];
    if (of.sort == lane_sort::phases)
        return static_cast<int>((4 + depthHeight * static_cast<int>(of.tracks.size())) * m_scale);
    const auto ways = static_cast<int>(of.tracks.size());
    const int least = isValues(lane)    ? m_valueHeight
                      : isStream(of, 3) ? progressHeight
                      : isStream(of, 4) ? workerHeight + copyHeight * (ways - 1)
                      : of.runs_tasks   ? workerHeight
                                        : otherHeight;
    return static_cast<int>(least * m_scale * m_stretch);
}

int Timeline::foldHeight() const
{
    return static_cast<int>(otherHeight * m_scale);
}

int Timeline::headerHeight() const
{
    return static_cast<int>(rankHeight * m_scale);
}

/// Larger letters have room, too.
void Timeline::chooseScale()
{
    m_scale = letterScale(font());
    m_gutter = static_cast<int>(gutterWidth * m_scale);
    m_ruler = static_cast<int>((rulerHeight + (m_marks.empty() ? 0 : flagHeight)) * m_scale);
}

void Timeline::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        layoutRows();
}

/// Values stand above the workers, which come first: where they push those of the first rank out of
/// sight, values have half the height; where they would take more than a third of it then, or hide
/// the first workers still, they fold.
void Timeline::chooseValueHeight()
{
    m_stretch = 1;
    m_valueHeight = progressHeight;
    m_foldsValues = false;
    constexpr int firstWorkers = 4;
    int values = 0, rest = headerHeight(), workers = 0, first = 0, seen = 0;
    const std::vector<int> all = lanesInOrder();
    for (const int i : all) {
        const timeline_lane &lane = m_lanes[static_cast<std::size_t>(i)];
        if (lane.rank != m_lanes[static_cast<std::size_t>(all.front())].rank)
            break;
        if (isValues(i))
            ++values;
        else if (!isSilent(lane))
            rest += rowHeight(i);
        if (!lane.runs_tasks)
            continue;
        workers = rest;
        if (++seen <= firstWorkers)
            first = rest;
    }
    int page = viewport()->height() - m_ruler;
    for (const int lane : std::as_const(m_pinned))
        page -= rowHeight(lane);
    const auto high = [&](int each) { return values * static_cast<int>(each * m_scale); };
    if (workers + high(progressHeight) <= page)
        return;
    m_valueHeight = otherHeight;
    m_foldsValues = workers + high(otherHeight) > page &&
                    (high(otherHeight) > page / 3 || first + high(otherHeight) > page);
}

/// Where there is room for more than all lanes, they share it, up to twice their height; but for
/// phases, which are read.
void Timeline::chooseStretch()
{
    m_stretch = 1;
    int lanes = 0, headers = static_cast<int>(ranksWithoutTrace().size()) * headerHeight();
    int rank = -1, ofValues = -1;
    const auto isPhases = [this](int lane) {
        return m_lanes[static_cast<std::size_t>(lane)].sort == lane_sort::phases;
    };
    for (const int i : lanesInOrder()) {
        const int of = m_lanes[static_cast<std::size_t>(i)].rank;
        headers += of != rank ? headerHeight() : 0;
        rank = of;
        if (m_foldsValues && isValues(i) && ofValues != of && !m_collapsed.contains(of)) {
            ofValues = of;
            headers += foldHeight();
        }
        if (isShown(i))
            (isPhases(i) ? headers : lanes) += rowHeight(i);
    }
    for (const int lane : std::as_const(m_pinned))
        (isPhases(lane) ? headers : lanes) += rowHeight(lane);
    if (lanes > 0)
        m_stretch = std::clamp((viewport()->height() - m_ruler - headers - 3.0) / lanes, 1.0, 2.0);
}

int Timeline::yOf(const Row &row) const
{
    return m_ruler + row.y + (row.pinned ? 0 : m_pinnedHeight - verticalScrollBar()->value());
}

double Timeline::plotWidth() const
{
    return std::max(10, viewport()->width() - m_gutter);
}

void Timeline::resizeEvent(QResizeEvent *event)
{
    layoutRows();
    QAbstractScrollArea::resizeEvent(event);
    if (m_followsSelection)
        scrollToSelection();
}

std::optional<track_span> Timeline::spanAt(const track &of, qint64 time, qint64 slack) const
{
    std::optional<track_span> found;
    const auto [first, last] = of.touching(time - slack, time + slack);
    for (std::size_t i = first; i < last && i < first + 10'000; ++i) {
        const track_span span = of.span(i);
        if (span.begin - slack > time || span.end + slack < time)
            continue;
        // The shortest one under the pointer: long ones can be hit elsewhere.
        if (!found || span.end - span.begin < found->end - found->begin)
            found = span;
    }
    return found;
}

/// Null: there is none.
const Timeline::Row *Timeline::rowAt(int y) const
{
    if (y < m_ruler)
        return nullptr;
    for (const Row &row : y < m_ruler + m_pinnedHeight ? m_pinnedRows : m_rows)
        if (y >= yOf(row) && y < yOf(row) + row.height)
            return &row;
    return nullptr;
}

Timeline::Hit Timeline::hitTest(const QPoint &at) const
{
    const Row *const row = rowAt(at.y());
    if (row == nullptr)
        return {};
    Hit hit{{}, row->rank, row->lane < 0 && !row->values, row->lane, row->values};
    if (row->lane < 0 || at.x() < m_gutter)
        return hit;
    const timeline_lane &lane = m_lanes[static_cast<std::size_t>(row->lane)];
    const qint64 time = timeAt(at);
    if (lane.sort == lane_sort::values) {
        hit.span = valueAt(lane, time);
        return hit;
    }
    const auto number = std::min<std::size_t>(
        lane.tracks.size() - 1,
        static_cast<std::size_t>((at.y() - yOf(*row)) * static_cast<int>(lane.tracks.size()) /
                                 row->height));
    const qint64 slack = timeAt(at + QPoint(2, 0)) - time;
    hit.span = spanAt(lane.tracks[number], time, slack);
    if (!hit.span)
        hit.span = spanAt(lane.waits, time, slack);
    return hit;
}

Selection Timeline::selectionOf(const track_span &span) const
{
    const model &m = m_state->model();
    switch (span.type) {
    case span_type::task:
        return {Selection::Task, span.ref};
    case span_type::send:
    case span_type::receive:
        return {Selection::Transfer, span.ref};
    case span_type::wait:
    case span_type::phase:
    case span_type::value:
    case span_type::copy:
        return {Selection::Event, span.ref};
    case span_type::state: {
        const state_span &s = m.states()[span.ref];
        const state_reason why = m.reason_of(s);
        if (why.kind == deed::trace::reason_kind::handle && why.number < m.data().size())
            return {Selection::Handle, static_cast<std::uint32_t>(why.number)};
        if (why.kind == deed::trace::reason_kind::task) {
            const std::uint32_t t = m.find_task(m.events().lanes()[s.lane].rank, why.number);
            if (t != none)
                return {Selection::Task, t};
        }
        return {};
    }
    }
    return {};
}

void Timeline::wheelEvent(QWheelEvent *event)
{
    const double steps =
        (event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x()) / 120.0;
    if (event->modifiers() & Qt::ControlModifier) {
        m_state->zoom(std::pow(0.8, steps),
                      m_state->timeAt(event->position().x() - m_gutter, plotWidth()));
    } else if (event->modifiers() & Qt::ShiftModifier || event->angleDelta().x() != 0) {
        m_state->pan(static_cast<qint64>(-steps * 0.1 *
                                         static_cast<double>(m_state->end() - m_state->begin())));
    } else {
        m_followsSelection = false;
        verticalScrollBar()->setValue(verticalScrollBar()->value() -
                                      static_cast<int>(steps * 2 * workerHeight));
    }
    event->accept();
}

void Timeline::mousePressEvent(QMouseEvent *event)
{
    m_pressed = m_last = event->pos();
    const bool pan = event->button() == Qt::RightButton || event->button() == Qt::MiddleButton ||
                     event->modifiers() & Qt::ShiftModifier;
    if (event->pos().y() < m_ruler && event->pos().x() >= m_gutter) {
        m_scrubbing = true;
        m_state->setPlayhead(timeAt(event->pos()));
    } else if (event->pos().x() >= m_gutter) {
        m_panning = pan;
        m_selecting = !pan;
    }
}

void Timeline::mouseMoveEvent(QMouseEvent *event)
{
    const qint64 time = timeAt({event->pos().x(), m_pressed.y()}); // Where it was pressed.
    if (m_scrubbing) {
        m_state->setPlayhead(time);
    } else if (m_panning) {
        m_state->pan(m_state->timeAt(m_last.x(), plotWidth()) -
                     m_state->timeAt(event->pos().x(), plotWidth()));
    } else if (m_selecting && (event->pos() - m_pressed).manhattanLength() > 6) {
        m_rangeGrows = false;
        setRange(timeAt(m_pressed), time);
    }
    m_last = event->pos();
}

void Timeline::mouseReleaseEvent(QMouseEvent *event)
{
    const bool click = (event->pos() - m_pressed).manhattanLength() <= 6;
    if (click && !m_scrubbing) {
        const Hit hit = hitTest(event->pos());
        if (hit.header && event->pos().x() < m_gutter) {
            toggleRank(hit.rank);
        } else if (hit.values && event->pos().x() < m_gutter) {
            m_followsSelection = false; // It may be what shall be folded.
            toggleValues(hit.rank);
        } else if (event->pos().x() >= m_gutter && event->button() == Qt::LeftButton) {
            m_state->setPlayhead(timeAt(event->pos()));
            const bool bar = hit.span && hit.span->type != span_type::state;
            const std::uint32_t arrow = bar ? none : arrowAt(event->pos());
            m_state->select(arrow != none ? Selection{Selection::Transfer, arrow}
                            : hit.span    ? selectionOf(*hit.span)
                                          : Selection());
            if (range())
                clearRange();
        }
    }
    m_selecting = m_panning = m_scrubbing = false;
}

void Timeline::mouseDoubleClickEvent(QMouseEvent *event)
{
    const Hit hit = hitTest(event->pos());
    if (event->pos().x() < m_gutter && hit.lane >= 0)
        return pin(hit.lane);
    m_state->fitSelection();
}

bool Timeline::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const Hit hit = hitTest(help->pos());
    const bool corner = help->pos().x() < m_gutter && help->pos().y() < m_ruler;
    const QString text = corner                       ? sayLanes(true)
                         : hit.span                   ? toolTipOf(*hit.span)
                         : help->pos().x() < m_gutter ? sayLaneAt(hit)
                                                      : sayNothingAt(hit, help->pos());
    QToolTip::showText(help->globalPos(), text, viewport()); // None hides the one before.
    return true;
}

void Timeline::walk(int direction)
{
    if (walkValues(direction))
        return;
    const Selection now = m_state->selection();
    const track *on = nullptr;
    std::size_t at = 0;
    for (const timeline_lane &lane : m_lanes)
        for (const track &each : lane.tracks)
            for (std::size_t i = 0; on == nullptr && i < each.size(); ++i)
                if (now.kind != Selection::Nothing && each.span(i).type != span_type::state &&
                    selectionOf(each.span(i)) == now) {
                    on = &each;
                    at = i;
                }
    if (on == nullptr) {
        for (const int i : lanesInOrder())
            if (const timeline_lane &lane = m_lanes[static_cast<std::size_t>(i)];
                lane.sort == lane_sort::work && !lane.tracks[0].empty() && on == nullptr) {
                on = &lane.tracks[0];
                at = on->touching(m_state->playhead(), m_state->playhead()).first;
                at = std::min(at, on->size() - 1);
            }
        if (on == nullptr)
            return;
    } else {
        do {
            if ((direction < 0 && at == 0) || (direction > 0 && at + 1 == on->size()))
                return;
            at = direction < 0 ? at - 1 : at + 1;
        } while (on->span(at).type == span_type::state);
    }
    m_state->select(selectionOf(on->span(at)));
    m_state->setPlayhead(on->span(at).begin);
    showSelection();
}

void Timeline::showSelection()
{
    m_state->showPlayhead();
}
