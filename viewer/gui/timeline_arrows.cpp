// SPDX-License-Identifier: MIT
#include "gui/timeline.hpp"
#include "gui/transfer_kinds.hpp"

#include "analysis/say/units.hpp"

#include <QPainter>

#include <algorithm>
#include <bit>
#include <cmath>

using namespace deed::viewer;

namespace {

/// More lines than these take longer than a frame, and nobody can follow one of them.
constexpr std::size_t mostArrows = 1'000;
constexpr std::size_t mostBundles = 300; // They are thick, and more hide each other.
/// More are not looked at one by one.
constexpr std::size_t mostLookedAt = 20'000;
constexpr double thickest = 9; // Of bundles.
constexpr double reach = 5;    // Of the pointer.
/// Of an arrow whose other end is on a rank that is not shown.
constexpr double stubWidth = 20, stubHeight = 8;

double distanceTo(const QPainterPath &path, const QPointF &at)
{
    constexpr int pieces = 48;
    double nearest = 2 * reach;
    if (!path.boundingRect().adjusted(-reach, -reach, reach, reach).contains(at))
        return nearest;
    QPointF from = path.pointAtPercent(0);
    for (int p = 1; p <= pieces; ++p) {
        const QPointF to = path.pointAtPercent(double(p) / pieces), way = to - from;
        const double length = QPointF::dotProduct(way, way);
        const double along =
            length == 0 ? 0 : std::clamp(QPointF::dotProduct(at - from, way) / length, 0.0, 1.0);
        const QPointF off = at - (from + along * way);
        nearest = std::min(nearest, std::hypot(off.x(), off.y()));
        from = to;
    }
    return nearest;
}

QPainterPath curveBetween(const QPointF &from, const QPointF &to)
{
    QPainterPath path(from);
    const double bend = std::clamp(std::abs(to.x() - from.x()) / 2, 6.0, 60.0);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
    return path;
}

void paintArrow(QPainter &painter, const QPainterPath &path, const QPen &pen)
{
    painter.setPen(pen);
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(pen.color());
    const QPointF to = path.currentPosition();
    const double half = std::max(3.0, pen.widthF());
    painter.drawPolygon(QPolygonF({to, to + QPointF(-6, -half), to + QPointF(-6, half)}));
    painter.setBrush(Qt::NoBrush);
}

} // namespace

/// Of a rank that has no lanes here, where the first ones begin.
QPointF Timeline::anchor(int rank, bool sends, qint64 time) const
{
    const double x = xOf(rank, time);
    int header = m_ruler;
    for (const Row &row : m_rows) {
        if (row.rank != rank)
            continue;
        if (row.lane < 0 && !row.values) {
            header = yOf(row) + row.height / 2;
            continue;
        }
        if (row.lane >= 0 && isStream(m_lanes[static_cast<std::size_t>(row.lane)], 3))
            return {x, double(yOf(row) + (sends ? row.height / 4 : row.height * 3 / 4))};
    }
    return {x, double(header)};
}

/// Not behind the end of its sender's bar.
qint64 Timeline::leftAt(const transfer &x)
{
    const std::int64_t sent =
        x.done_send == never ? x.on_the_wire() : std::max(x.begin(), x.done_send);
    return std::min(x.on_the_wire(), sent);
}

qint64 Timeline::arrivedAt(const transfer &x) const
{
    return x.end() == never ? m_state->model().events().end() : x.end();
}

QPainterPath Timeline::arrowOf(const transfer &x) const
{
    return arrowBetween({x.src, leftAt(x)}, {x.dst, arrivedAt(x)});
}

QPainterPath Timeline::pathOf(const Bundle &bundle) const
{
    const auto [begin, end] = bundle.left;
    const qint64 aside = (end - begin) / 4;
    return arrowBetween({bundle.what.src, begin + aside}, {bundle.what.dst, end - aside});
}

/// Of two ranks of which one is not shown, a stub at the other one: out of its row, up or down as
/// if all ranks stood there in their order.
QPainterPath Timeline::arrowBetween(const ArrowEnd &from, const ArrowEnd &to) const
{
    const QPointF begin = anchor(from.rank, true, from.time), end = anchor(to.rank, false, to.time);
    const auto outside = [this](int rank, int other) {
        const double sends = anchor(rank, true, 0).y(), receives = anchor(rank, false, 0).y();
        const double beyond =
            (receives - sends) / 2 + stubHeight; // A quarter of the row, and more.
        const double foot = std::max(receives, viewport()->height() - 4.0); // Below the last row.
        return other > rank ? std::min(receives + beyond, foot) : sends - beyond;
    };
    if (!isShownRank(to.rank))
        return curveBetween(begin, {begin.x() + stubWidth, outside(from.rank, to.rank)});
    if (!isShownRank(from.rank))
        return curveBetween({end.x() - stubWidth, outside(to.rank, from.rank)}, end);
    return curveBetween(begin, end);
}

/// Where a stub leads, beside it.
void Timeline::paintStubName(QPainter &painter, const transfer &x) const
{
    if (isShownRank(x.src) == isShownRank(x.dst))
        return;
    constexpr double apart = 4;
    const bool sends = isShownRank(x.src);
    const QPainterPath stub = arrowOf(x);
    const QString text = sends ? tr("to rank %1").arg(x.dst) : tr("from rank %1").arg(x.src);
    const QSizeF size(painter.fontMetrics().horizontalAdvance(text) + 2 * apart,
                      painter.fontMetrics().height());
    const QPointF at = sends ? stub.currentPosition() + QPointF(apart, -size.height() / 2)
                             : stub.elementAt(0) - QPointF(size.width() + apart, size.height() / 2);
    // Within the view: there is nothing beside it that says where the arrow leads.
    const double left = std::clamp<double>(
        at.x(), m_gutter, std::max<double>(m_gutter, viewport()->width() - size.width()));
    const QRectF box(QPointF(left, std::min(at.y(), viewport()->height() - size.height())), size);
    painter.fillRect(box, m_theme.base);
    painter.setPen(m_theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

/// Whether neither end has a row.
bool Timeline::isAway(int src, int dst) const
{
    return !isShownRank(src) && !isShownRank(dst);
}

bool Timeline::isAway(std::uint32_t index) const
{
    const transfer &x = m_state->model().transfers()[index];
    return isAway(x.src, x.dst);
}

/// Of the selected datum, task or message, in view.
std::vector<std::uint32_t> Timeline::chosenTransfers() const
{
    const model &m = m_state->model();
    const Selection selection = m_state->selection();
    const auto [from, to] = m_state->timesInView();
    std::vector<std::uint32_t> found;
    const auto add = [&](std::uint32_t i) {
        const transfer &x = m.transfers()[i];
        const bool known = x.start != never || x.done_receive != never;
        if (known && x.begin() <= to && (x.end() == never || x.end() >= from))
            found.push_back(i);
    };
    if (selection.kind == Selection::Transfer) {
        add(selection.index);
    } else if (selection.kind == Selection::Task) {
        const task &reader = m.tasks()[selection.index];
        for (const auto &each : m.accesses(reader))
            for (const std::uint32_t i : m.transfers_of(each.handle))
                if (const transfer &x = m.transfers()[i];
                    x.for_task == reader.number && x.dst == reader.rank)
                    add(i);
    } else if (const std::uint32_t handle = m_state->selectedHandle(); handle != none) {
        for (const std::uint32_t i : m.transfers_of(handle))
            add(i);
    }
    std::ranges::sort(found); // A task may read a datum by two names.
    const auto again = std::ranges::unique(found);
    found.erase(again.begin(), again.end());
    return found;
}

/// Pieces of time that cover the view, as long at every place of it.
std::vector<Timeline::TimeBetween> Timeline::pieces() const
{
    constexpr qint64 fewest = 3;
    const auto [from, to] = m_state->timesInView();
    const auto length =
        static_cast<qint64>(std::bit_ceil(static_cast<quint64>((to - from) / (2 * fewest) + 1)));
    std::vector<TimeBetween> all;
    const qint64 over = from % length; // Before the begin of the run below 0.
    const qint64 first = from - (over < 0 ? over + length : over);
    for (qint64 at = first; at < to; at += length)
        all.emplace_back(at, at + length);
    return all;
}

/// Each of them, or if they are too many bundles.
Timeline::ArrowsInView Timeline::together(std::vector<std::uint32_t> refs) const
{
    ArrowsInView made;
    if (refs.size() <= mostArrows) {
        made.each = std::move(refs);
        return made;
    }
    const std::vector<TimeBetween> times = pieces();
    std::vector<std::vector<std::uint32_t>> parts(times.size());
    for (const std::uint32_t i : refs) {
        const qint64 after = m_state->model().transfers()[i].begin() - times.front().first;
        const auto part = std::max<qint64>(0, after / (times.front().second - times.front().first));
        parts[std::min(static_cast<std::size_t>(part), parts.size() - 1)].push_back(i);
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (const arrow_bundle &each : m_bundles.of(parts[i]))
            made.bundles.push_back({each, times[i]});
    return made;
}

/// Those that are neither chosen nor in vain; too many are drawn together with these.
Timeline::ArrowsInView Timeline::otherArrows(const std::vector<std::uint32_t> &chosen) const
{
    const time_range view = m_state->timesInView();
    const auto [first, last] = m_transfers.touching(view.from, view.to);
    ArrowsInView made;
    if (last - first <= mostLookedAt) {
        std::vector<std::uint32_t> refs;
        for (std::size_t k = first; k < last; ++k)
            if (const track_span span = m_transfers.span(k);
                span.end >= view.from && !m_state->model().transfers()[span.ref].in_vain() &&
                !std::ranges::binary_search(chosen, span.ref) && !isAway(span.ref))
                refs.push_back(span.ref);
        made = together(std::move(refs));
    } else {
        std::size_t from = first; // With what began before the first piece.
        for (const TimeBetween &piece : pieces()) {
            const std::size_t until =
                std::min(last, m_transfers.touching(piece.second - 1, piece.second - 1).second);
            for (const arrow_bundle &each : m_bundles.of(from, std::max(from, until)))
                made.bundles.push_back({each, piece});
            from = std::max(from, until);
        }
    }
    made.colour = m_theme.dim;
    made.colour.setAlpha(chosen.empty() ? 110 : 55);
    return made;
}

Timeline::ArrowsInView Timeline::arrowsInVain(const std::vector<std::uint32_t> &chosen) const
{
    const time_range view = m_state->timesInView();
    const auto [first, last] = m_inVain.touching(view.from, view.to);
    std::vector<std::uint32_t> refs;
    for (std::size_t k = first; k < last; ++k)
        if (const track_span span = m_inVain.span(k);
            span.end >= view.from && !std::ranges::binary_search(chosen, span.ref) &&
            !isAway(span.ref))
            refs.push_back(span.ref);
    ArrowsInView made = together(std::move(refs));
    made.colour = m_theme.redundant;
    made.colour.setAlpha(220);
    made.width = 1.6;
    return made;
}

/// From the faintest to what lies over all.
std::vector<Timeline::ArrowsInView> Timeline::arrows() const
{
    std::vector<std::uint32_t> chosen = chosenTransfers();
    std::erase_if(chosen, [this](std::uint32_t i) { return isAway(i); });
    std::vector<ArrowsInView> all;
    if (m_allArrows) {
        all.push_back(otherArrows(chosen));
        all.push_back(arrowsInVain(chosen));
    }
    all.push_back(together(chosen));
    all.back().colour = m_theme.accent;
    all.back().width = 2;
    for (ArrowsInView &each : all) {
        std::erase_if(each.bundles,
                      [&](const Bundle &of) { return isAway(of.what.src, of.what.dst); });
        if (each.bundles.size() > mostBundles) { // Between many ranks: those with most bytes.
            std::ranges::nth_element(
                each.bundles, each.bundles.begin() + mostBundles, std::ranges::greater(),
                [](const Bundle &of) { return std::pair(of.what.bytes, of.what.messages); });
            each.bundles.resize(mostBundles);
        }
    }
    return all;
}

/// How long a thread waited for it, if it came late.
std::optional<qint64> Timeline::lateBy(std::uint32_t transfer) const
{
    const auto at = std::ranges::lower_bound(m_lateBy, transfer, {}, &late_transfer::transfer);
    if (at == m_lateBy.end() || at->transfer != transfer)
        return {};
    return at->waited();
}

/// Where they end; of those that end close to each other on a lane, at the first.
void Timeline::paintLateMarks(QPainter &painter) const
{
    constexpr double apart = 30;
    const std::vector<transfer> &transfers = m_state->model().transfers();
    const auto arrived = [&](std::uint32_t i) { return arrivedAt(transfers[i]); };
    for (const auto &[rank, late] : m_lateOnRank) {
        const double y = anchor(rank, false, 0).y();
        if (!isShownRank(rank) || y < m_ruler || y > viewport()->height())
            continue;
        for (double x = m_gutter; x <= viewport()->width();) {
            const qint64 place = m_state->timeAt(x - m_gutter, plotWidth());
            const auto next =
                std::ranges::lower_bound(late, m_state->timeAtPlace(rank, place), {}, arrived);
            if (next == late.end())
                break;
            const double at = xOf(rank, arrived(*next));
            if (at <= viewport()->width())
                paintLateMark(painter, m_theme, {at, y});
            x = at + apart;
        }
    }
}

std::uint32_t Timeline::arrowAt(const QPoint &at) const
{
    double nearest = reach;
    std::uint32_t found = none;
    for (const ArrowsInView &sort : arrows())
        for (const std::uint32_t i : sort.each)
            if (const double away = distanceTo(arrowOf(m_state->model().transfers()[i]), at);
                away < nearest) {
                nearest = away;
                found = i;
            }
    return found;
}

QString Timeline::sayBundleAt(const QPoint &at) const
{
    double nearest = reach;
    Bundle found;
    for (const ArrowsInView &sort : arrows())
        for (const Bundle &each : sort.bundles)
            if (const double away = distanceTo(pathOf(each), at); away <= nearest) {
                nearest = away;
                found = each;
            }
    if (found.what.messages == 0)
        return {};
    return tr("rank %1 to rank %2: %3, %4\nthat left from %5 to %6")
        .arg(found.what.src)
        .arg(found.what.dst)
        .arg(QString::fromStdString(say_some(found.what.messages, "message")),
             QString::fromStdString(say_bytes(found.what.bytes)),
             QString::fromStdString(say_time(found.left.first)),
             QString::fromStdString(say_time(found.left.second)));
}

void Timeline::paintArrows(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const QRectF seen =
        QRectF(viewport()->rect()).adjusted(-thickest, -thickest, thickest, thickest);
    const auto paint = [&](const QPainterPath &path, const QPen &pen) {
        if (path.controlPointRect().intersects(seen))
            paintArrow(painter, path, pen);
    };
    for (const ArrowsInView &sort : arrows()) {
        std::uint64_t most = 1;
        for (const Bundle &each : sort.bundles)
            most = std::max(most, each.what.bytes);
        for (const Bundle &each : sort.bundles) {
            const double part = static_cast<double>(each.what.bytes) / static_cast<double>(most);
            paint(pathOf(each), QPen(sort.colour, std::max(sort.width, thickest * part),
                                     Qt::SolidLine, Qt::FlatCap));
        }
        for (const std::uint32_t i : sort.each) {
            const transfer &x = m_state->model().transfers()[i];
            const bool isChosen = sort.colour == m_theme.accent;
            if (isChosen)
                paintTimeErrors(painter, x);
            paint(arrowOf(x), QPen(isChosen && x.in_vain() ? m_theme.redundant : sort.colour,
                                   sort.width, x.end() == never ? Qt::DashLine : Qt::SolidLine));
        }
    }
    if (m_allArrows)
        paintLateMarks(painter);
    painter.setRenderHint(QPainter::Antialiasing, false);
}
