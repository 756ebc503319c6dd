// SPDX-License-Identifier: MIT
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/glossary.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"
#include "gui/timeline.hpp"
#include "gui/transfer_kinds.hpp"

#include <QPainter>
#include <QPolygonF>
#include <QStringList>

#include <algorithm>
#include <string_view>

using namespace deed::viewer;

QString Timeline::label(const track_span &span) const
{
    const model &m = m_state->model();
    switch (span.type) {
    case span_type::task:
        return QString::fromStdString(m.task_label(span.ref));
    case span_type::state: {
        const state_span &s = m.states()[span.ref];
        if (const state_reason why = m.reason_of(s); s.is(deed::trace::worker_state::fetch_wait) &&
                                                     why.kind == deed::trace::reason_kind::handle)
            return tr("waits %1")
                .arg(QString::fromStdString(m.handle_name(static_cast<std::uint32_t>(why.number))));
        return QString::fromStdString(name_of_state(span.kind));
    }
    case span_type::send:
    case span_type::receive: {
        const transfer &x = m.transfers()[span.ref];
        return QString::fromStdString(m.handle_name(x.handle) + " v" + std::to_string(x.version));
    }
    case span_type::wait:
        if (span.flags & flag_stop)
            return tr("stop");
        if (!(span.flags & flag_error))
            return QString::fromStdString(wait_name(m, m.events().events()[span.ref]));
        return m.events().events().what(span.ref) == record::error ? tr("error") : tr("crash");
    case span_type::copy: {
        const auto e = m.events().events()[span.ref];
        return QString::fromStdString(m.handle_name(m.events().get32(e, field::handle)) + " v" +
                                      say_field(m, e, field::version));
    }
    case span_type::phase:
        return QString::fromStdString(m.phase_name(*m.phase_of(span.ref)));
    case span_type::value:
        return QStringLiteral("%1: %2").arg(
            QString::fromStdString(m.value_name(*m.values_of(span.ref))),
            QString::fromStdString(say_value(m.value_of(span.ref))));
    }
    return {};
}

namespace {

bool endsInNumber(const QString &name)
{
    bool isNumber = false;
    name.section(QLatin1Char(' '), -1).toLongLong(&isNumber);
    return isNumber;
}

/// As much of a long name as has room, or nothing where that says little.
QString beginOf(const QString &name, const QFontMetrics &metrics, double room)
{
    constexpr qsizetype leastLetters = 8;
    const QString shown = metrics.elidedText(name, Qt::ElideRight, static_cast<int>(room));
    return shown.size() > leastLetters ? shown : QString();
}

} // namespace

/// The whole name, or its first word, or nothing: half a word helps nobody. Phases have long names.
QString Timeline::shortened(const track_span &span, double room) const
{
    const QFontMetrics metrics = viewport()->fontMetrics();
    const QString whole = label(span);
    QString shown = whole;
    if (span.type == span_type::phase && metrics.horizontalAdvance(whole) > room) {
        if (!endsInNumber(whole))
            return beginOf(whole, metrics, room);
        shown = whole.section(QLatin1Char(' '), -1); // Of phases of one name it says more.
    }
    for (const QLatin1Char cut : {QLatin1Char('#'), QLatin1Char(' ')})
        if (metrics.horizontalAdvance(shown) > room &&
            (span.type == span_type::task || whole.startsWith(tr("waits"))))
            shown = shown.section(cut, 0, 0);
    return metrics.horizontalAdvance(shown) > room ? QString() : shown;
}

/// "in line search, in newton 3": what lies around an event on its thread, else on the program's;
/// empty if nothing does.
QString Timeline::sayPhasesAround(std::uint32_t event) const
{
    const model &m = m_state->model();
    const auto &lanes = m.events().lanes();
    const std::uint32_t own = m.events().events()[event].lane;
    const auto innermost = [&](std::uint32_t lane) -> const phase_span * {
        const auto here = m.phases_of(lane);
        for (auto at = std::ranges::lower_bound(here, event, {}, &phase_span::event);
             at != here.begin();)
            if ((--at)->end_event > event)
                return &*at;
        return nullptr;
    };
    const phase_span *phase = innermost(own);
    for (std::uint32_t lane = 0; phase == nullptr && lane < lanes.size(); ++lane)
        if (lanes[lane].rank == lanes[own].rank && lanes[lane].is_program())
            phase = innermost(lane);
    QStringList names;
    for (; phase != nullptr; phase = m.around(*phase))
        names += tr("in %1").arg(QString::fromStdString(m.phase_name(*phase)));
    return names.join(QLatin1String(", "));
}

QString Timeline::toolTipOf(const track_span &span) const
{
    const model &m = m_state->model();
    QString text = label(span) + QLatin1Char('\n') + QString::fromStdString(say_time(span.begin));
    if (span.type == span_type::wait && span.flags & (flag_error | flag_stop)) {
        text +=
            QLatin1Char('\n') + QString::fromStdString(say_event(m, m.events().events()[span.ref]));
        const QString phases = sayPhasesAround(span.ref);
        return phases.isEmpty() ? text : text + QLatin1Char('\n') + phases;
    }
    text += QStringLiteral(", ") + QString::fromStdString(say_time(span.end - span.begin));
    if (span.type == span_type::state)
        if (const std::string_view means = meaning_of(name_of_state(span.kind)); !means.empty())
            text += QLatin1Char('\n') + QString::fromUtf8(means.data(), qsizetype(means.size()));
    if (span.type == span_type::send || span.type == span_type::receive) {
        const transfer &x = m.transfers()[span.ref];
        text += tr("\n%1, rank %2 to rank %3")
                    .arg(nameOfKind(kindOfTransfer(x.reason)))
                    .arg(x.src)
                    .arg(x.dst);
        if (const auto late = lateBy(span.ref))
            text += tr("\ncame late: a thread of rank %1 waited %2 for it")
                        .arg(x.dst)
                        .arg(QString::fromStdString(say_time(*late)));
        for (const int rank : {x.src, x.dst})
            if (const QString error = sayTimeErrorOf(rank); !error.isEmpty())
                text += tr("\ntimes of rank %1 are %2").arg(rank).arg(error);
    }
    if (span.type == span_type::copy)
        text +=
            QLatin1Char('\n') + QString::fromStdString(say_event(m, m.events().events()[span.ref]));
    const std::uint32_t lane = span.type == span_type::task   ? m.tasks()[span.ref].lane
                               : span.type == span_type::copy ? m.events().events()[span.ref].lane
                                                              : none;
    if (const std::string noTime = say_no_time_of(m.events(), lane, span.end - span.begin);
        !noTime.empty())
        text += QLatin1Char('\n') + QString::fromStdString(noTime);
    if (span.type == span_type::task && span.ref < m_slack.size() && m_slack[span.ref] != never)
        text += tr("\ncould have ended %1 later")
                    .arg(QString::fromStdString(say_time(m_slack[span.ref])));
    return text;
}

/// Behind a name its bar hides what crosses it: arrows, the stripes of what has not ended, and what
/// a low bar leaves of what lies below.
void Timeline::paintNames(QPainter &painter, const OnTop &of) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    const std::vector<QRectF> range = rangeBoxes();
    for (const Name &each : of.names) {
        const double wide = metrics.horizontalAdvance(each.text), within = each.bar.height() - 4;
        const bool low = within < metrics.ascent() - 4;
        const double high = low ? metrics.ascent() + 2 : within;
        const QRectF behind(each.start.x() - 3, each.start.y() - high / 2, wide + 6, high);
        const QRectF along(each.bar.left(), behind.top(), each.bar.width(), high);
        const bool washed = std::ranges::any_of(
            range, [&](const QRectF &part) { return part.contains(each.start); });
        const QColor ground =
            washed ? Theme::blend(each.colour, m_theme.accent, washPart) : each.colour;
        painter.fillRect(behind & along, ground);
        painter.setPen(each.ink.isValid() ? each.ink : Theme::textOn(ground));
        painter.drawText(QRectF(each.start.x(), each.start.y() - 20, wide + 1, 40),
                         Qt::AlignVCenter | Qt::AlignLeft, each.text);
    }
}

/// As pale as a state: nothing was lost there.
void Timeline::paintNotStarted(QPainter &painter, const timeline_lane &lane, const QRect &area,
                               OnTop &onTop) const
{
    const auto before = not_started(m_state->model(), lane.lane);
    if (!before)
        return;
    const double x0 = std::max<double>(m_gutter, xOf(lane.rank, before->from));
    const double x1 = xOf(lane.rank, before->to);
    if (x1 <= x0)
        return;
    const QRectF box(x0, area.top(), x1 - x0, area.height());
    painter.fillRect(box, m_theme.notStarted);
    const QString text = tr("not started yet");
    if (box.width() > painter.fontMetrics().horizontalAdvance(text) + 8)
        onTop.names.push_back({QPointF(x0 + 4, box.center().y()), box, text, m_theme.notStarted,
                               Theme::textOn(m_theme.notStarted)});
}

/// Of what no span says.
QString Timeline::sayNothingAt(const Hit &hit, const QPoint &at) const
{
    if (hit.header && !m_path.empty())
        return sayPathColumns(hit.rank);
    const QString bundle = sayBundleAt(at);
    return bundle.isEmpty() && hit.lane >= 0 ? sayNotStarted(hit, at.x()) : bundle;
}

QString Timeline::sayNotStarted(const Hit &hit, int x) const
{
    const auto &lane = m_lanes[static_cast<std::size_t>(hit.lane)];
    const auto before =
        lane.sort == lane_sort::work ? not_started(m_state->model(), lane.lane) : std::nullopt;
    if (!before || x < xOf(lane.rank, before->from) || x > xOf(lane.rank, before->to))
        return {};
    return tr("not started yet\n%1, %2: before the first record of this worker")
        .arg(QString::fromStdString(say_time(before->from)),
             QString::fromStdString(say_time(before->to - before->from)));
}

/// A line, and what it means: to its right if there is room, else to its left and an arrow from
/// there to the line, else as much of it as the wider side has room for. What a line left of the
/// view says holds there, too.
void Timeline::paintMoment(QPainter &painter, const Row &row, qint64 time, const QString &text,
                           const QColor &colour, OnTop &onTop) const
{
    constexpr double apart = 4, arrow = 7; // Letters from the line, and from the edge.
    const double x = xOf(row.rank, time), edge = viewport()->width();
    if (x > edge)
        return;
    const int y = yOf(row);
    if (x >= m_gutter) {
        painter.setPen(colour);
        painter.drawLine(QPointF(x, y + 2), QPointF(x, y + row.height - 2));
    }
    const QFontMetrics metrics = painter.fontMetrics();
    const int whole = metrics.horizontalAdvance(text);
    const double from = std::max<double>(x, m_gutter), before = from - m_gutter - 2 * apart - arrow,
                 behind = edge - from - 2 * apart;
    const bool right = whole <= behind || (whole > before && behind >= before);
    const QString shown =
        metrics.elidedText(text, Qt::ElideRight, static_cast<int>(right ? behind : before));
    const int wide = metrics.horizontalAdvance(shown);
    const double middle = y + row.height / 2.0;
    if (!right) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(QPolygonF(
            {{x - 1, middle}, {x - arrow, middle - arrow / 2}, {x - arrow, middle + arrow / 2}}));
        painter.setBrush(Qt::NoBrush);
    }
    onTop.names.push_back({QPointF(right ? from + apart : from - wide - apart - arrow, middle),
                           QRectF(m_gutter, y, plotWidth(), row.height), shown, m_theme.panel,
                           colour});
}

/// What goes on at the end of a slice has no end in it; drawn, it would look as if it had gone on.
void Timeline::paintBehindSlice(QPainter &painter) const
{
    if (!m_state->isSlice() || m_state->endOfRun() >= m_state->end())
        return;
    const double end = m_gutter + m_state->xOf(m_state->endOfRun(), plotWidth());
    const double x = std::max<double>(m_gutter, end);
    const QRectF behind(x, m_ruler, viewport()->width() - x, viewport()->height());
    painter.fillRect(behind, m_theme.base);
    painter.fillRect(behind, QBrush(m_theme.grid, Qt::BDiagPattern));
    painter.setPen(m_theme.text);
    for (const Row &row : m_rows)
        if (row.lane < 0 && !row.values)
            painter.drawText(
                QRectF(x + 4, yOf(row), behind.width() - 8, row.height), Qt::AlignVCenter,
                painter.fontMetrics().elidedText(tr("not in the slice"), Qt::ElideRight,
                                                 static_cast<int>(behind.width()) - 8));
}

/// Where the recording of a rank begins late or ends early.
void Timeline::paintWhatIsKnown(QPainter &painter, const Row &row, const rank_info &of,
                                OnTop &onTop) const
{
    if (of.from > 0 && xOf(row.rank, of.from) > m_gutter) {
        const double x = xOf(row.rank, of.from);
        painter.fillRect(QRectF(m_gutter, yOf(row), x - m_gutter, row.height),
                         QBrush(m_theme.dim, Qt::BDiagPattern));
        paintMoment(painter, row, of.from, tr("recorded from here on"), m_theme.text, onTop);
    }
    if (!of.ended && !m_growing.contains(row.rank))
        paintMoment(painter, row, of.last, tr("nothing recorded from here on"), m_theme.error,
                    onTop);
}
