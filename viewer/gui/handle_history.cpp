// SPDX-License-Identifier: MIT
#include "gui/letters.hpp"
#include "gui/panels.hpp"
#include "gui/ticks.hpp"

#include "analysis/ask/effects.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

using namespace deed::viewer;

namespace {

// Pixels, of usual letters.
constexpr int usualLeft = 64;
constexpr int usualTop = 42;
constexpr int usualLane = 30;

// Of a part of a history that is walked at once; a longer one loses what no picture has room for.
constexpr std::size_t mostMoments = 16'384;

} // namespace

HandleHistory::HandleHistory(ViewState *state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
{
    setAccessibleName(tr("Handle history"));
    connect(state, &ViewState::selectionChanged, this, [this] {
        choose();
        update();
    });
    connect(state, &ViewState::playheadChanged, this, qOverload<>(&QWidget::update));
    connect(state, &ViewState::viewChanged, this, qOverload<>(&QWidget::update));
    choose();
}

void HandleHistory::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void HandleHistory::choose()
{
    const std::uint32_t handle = m_state->selectedHandle();
    if (handle == m_handle)
        return;
    m_handle = handle;
    m_moments.clear();
    m_ticks.clear();
    m_rows.clear();
    m_drawn.reset();
    if (handle == none)
        return;
    const model &m = m_state->model();
    for (const std::uint32_t index : m.events_of(handle)) {
        const record what = m.events().events().what(index);
        if (what == record::cache_drop || what == record::error)
            m_ticks.push_back(m.events().events().time(index));
    }
    const effects calls(m, handle);
    for (const owner_move &move : calls.moves()) // Told by every rank, and done once.
        if (move.time != after_all)
            m_ticks.push_back(move.time);
    // A drop is of when the program called for it; what came again shows when it was felt.
    for (const std::uint32_t index : m.transfers_of(handle))
        if (const transfer &x = m.transfers()[index]; x.in_vain() && x.end() != never)
            m_ticks.push_back(x.end());
    std::ranges::sort(m_ticks);
    m_moments = times_of_change(m, handle, true);
    findRows();
    if (m_moments.empty() || m_moments.front() != 0)
        m_moments.insert(m_moments.begin(), 0);
}

/// A row per rank; of a rank that has the datum on devices, too, one per memory.
void HandleHistory::findRows()
{
    const model &m = m_state->model();
    const memory_walk memories = memories_beside_devices(m, m_handle);
    const std::vector<memory_of_rank> devices = memories.devices();
    m_rows.clear();
    for (int rank = 0; rank < m.ranks(); ++rank) {
        m_rows.push_back({rank, {}, tr("rank %1").arg(rank)});
        const auto [first, last] =
            std::ranges::equal_range(devices, rank, {}, &memory_of_rank::first);
        if (first == last)
            continue;
        m_rows.back().memory = 0;
        for (auto each = first; each != last; ++each)
            m_rows.push_back({rank, each->second, {}});
    }
    for (Row &each : m_rows)
        if (each.memory)
            each.name = QString::fromStdString(say_memory(m.events(), {each.rank, *each.memory}));
    if (devices.empty())
        return;
    std::vector<std::int64_t> times = memories.times();
    std::erase_if(times, [&](std::int64_t time) { return time < 0 || time > m.events().end(); });
    m_moments.insert(m_moments.end(), times.begin(), times.end());
    std::ranges::sort(m_moments);
    m_moments.erase(std::ranges::unique(m_moments).begin(), m_moments.end());
}

/// What is on its way to a rank comes to its host.
copy_at HandleHistory::copyIn(const Row &row, const datum_state &state,
                              const memory_walk &memories) const
{
    const copy_at copy = state.copies[static_cast<std::size_t>(row.rank)];
    if (!row.memory || (*row.memory == 0 && copy.kind == copy_kind::pending))
        return copy;
    const memory_of_rank where{row.rank, *row.memory};
    const auto has = memories.copies().find(where);
    return has == memories.copies().end() ? copy_at{} : copy_in(state, where, has->second);
}

/// The first of the moments behind it.
std::size_t HandleHistory::momentAfter(qint64 time) const
{
    return static_cast<std::size_t>(std::ranges::upper_bound(m_moments, time) - m_moments.begin());
}

/// What the view needs, and as much before and behind it.
void HandleHistory::collect()
{
    const qint64 begin = m_state->begin(), end = m_state->end();
    if (m_drawn && begin >= m_drawn->begin && end <= m_drawn->end &&
        (end - begin) / qint64(mostMoments / 8) >= m_drawn->step)
        return;
    const qint64 span = end - begin;
    std::size_t first = 0, last = m_moments.size();
    m_drawn = Part{std::numeric_limits<qint64>::min(), std::numeric_limits<qint64>::max()};
    if (last > mostMoments) {
        first = std::max<std::size_t>(1, momentAfter(begin - span)) - 1;
        last = momentAfter(end + span);
        m_drawn = Part{begin - span, end + span};
    }
    if (last - first > mostMoments)
        m_drawn->step =
            std::max<qint64>(1, (m_moments[last - 1] - m_moments[first]) / qint64(mostMoments));
    m_drawn->rows = pieces(first, last, m_drawn->step);
}

/// What lies between the moments [first, last). Of those that follow each other in less than
/// `step` one is left, that whose state lasts.
HandleHistory::Pieces HandleHistory::pieces(std::size_t first, std::size_t last, qint64 step) const
{
    const model &m = m_state->model();
    const auto momentOr = [&](std::size_t i) {
        return i < m_moments.size() ? m_moments[i] : m.events().end();
    };
    Pieces found(m_rows.size());
    datum_walk walk(m, m_handle);
    memory_walk memories = memories_beside_devices(m, m_handle);
    qint64 begin = m_moments[first];
    for (std::size_t i = first; i < last; ++i) {
        const qint64 end = momentOr(i + 1);
        if (i + 1 < last && end - m_moments[i] < step && end - begin < step)
            continue;
        walk.advance(m_moments[i]);
        memories.advance(m_moments[i]);
        const datum_state state = walk.state();
        for (std::size_t row = 0; row < found.size(); ++row) {
            copy_at copy = copyIn(m_rows[row], state, memories);
            if (copy.kind == copy_kind::shared && m.data()[m_handle].is_per_rank())
                copy.kind = copy_kind::owner; // Of its own.
            const bool told = is_told(state, copy);
            auto &of = found[row];
            if (!of.empty() && of.back().kind == copy.kind && of.back().version == copy.version &&
                of.back().end == begin && of.back().told == told)
                of.back().end = end;
            else if (copy.kind != copy_kind::absent)
                of.push_back({begin, end, copy.kind, copy.version, told});
        }
        begin = end;
    }
    return found;
}

void HandleHistory::paintEvent(QPaintEvent *)
{
    const double scale = letterScale(font());
    const int left = plotLeft(), top = static_cast<int>(usualTop * scale),
              head = static_cast<int>(16 * scale);
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.base);
    painter.setPen(m_theme.text);
    if (m_handle == none) {
        painter.setPen(m_theme.dim);
        painter.drawText(rect(), Qt::AlignCenter,
                         tr("Select a handle, a task or a transfer to see the life of its datum"));
        return;
    }
    collect();
    const model &m = m_state->model();
    const Pieces &rows = m_drawn->rows;
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.drawText(8, head, QString::fromStdString(m.handle_name(m_handle)));
    const int after =
        16 + QFontMetrics(bold).horizontalAdvance(QString::fromStdString(m.handle_name(m_handle)));
    painter.setFont(font());
    painter.setPen(m_theme.dim);
    painter.drawText(after, head,
                     tr("dark: owner, light: valid copy, yellow: on its way, grey: stale; ticks: "
                        "owner changes, drops, what came again"));

    const double plot = plotWidth();
    const int each = std::clamp((height() - top - 18) / std::max(1, static_cast<int>(rows.size())),
                                8, static_cast<int>(usualLane * scale));
    paintAxis(painter, top, top + each * static_cast<int>(rows.size()));
    painter.setClipRect(left, top, static_cast<int>(plot), height() - top);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const int y = top + static_cast<int>(row) * each;
        painter.setPen(Theme::blend(m_theme.base, m_theme.grid, 0.6));
        painter.drawLine(left, y + each - 1, width(), y + each - 1);
        for (const Piece &piece : rows[row]) {
            const double x0 = left + m_state->xOf(piece.begin, plot),
                         x1 = left + m_state->xOf(piece.end, plot);
            if (x1 < left || x0 > width())
                continue;
            const QColor colour = piece.kind == copy_kind::owner     ? m_theme.owner
                                  : piece.kind == copy_kind::shared  ? m_theme.shared
                                  : piece.kind == copy_kind::pending ? m_theme.pending
                                                                     : m_theme.stale;
            const QRectF box(
                std::max(x0, double(left)), y + 2,
                std::max(1.5, std::min<double>(x1, width()) - std::max(x0, double(left)) - 1),
                each - 5);
            painter.fillRect(box, colour);
            const QString text =
                piece.told ? QStringLiteral("v%1").arg(piece.version) : QStringLiteral("v?");
            if (box.width() > painter.fontMetrics().horizontalAdvance(text) + 4 && each >= 14) {
                painter.setPen(Theme::textOn(colour));
                painter.drawText(box, Qt::AlignCenter, text);
            }
        }
    }
    const double bottom = top + each * static_cast<double>(rows.size());
    if (m_state->isSlice()) {
        const auto hatch = [&](double from, double to) {
            const QRectF area(from, top, std::max(0.0, to - from), bottom - top);
            painter.fillRect(area, m_theme.base);
            painter.fillRect(area, QBrush(m_theme.grid, Qt::BDiagPattern));
        };
        hatch(left, left + m_state->xOf(m_state->beginOfRun(), plot));
        hatch(std::max<double>(left, left + m_state->xOf(m_state->endOfRun(), plot)), width());
    }
    painter.setPen(QPen(m_theme.redundant, 2));
    auto tick = std::ranges::lower_bound(m_ticks, m_state->begin());
    for (double x = -1; tick != m_ticks.end() && *tick <= m_state->end(); ++tick) {
        const double at = left + m_state->xOf(*tick, plot);
        if (at - x >= 1) // Those of one pixel are one.
            painter.drawLine(QPointF(x = at, bottom + 2), QPointF(at, bottom + 10));
    }
    painter.setPen(m_theme.playhead);
    const double now = left + m_state->xOf(m_state->playhead(), plot);
    painter.drawLine(QPointF(now, top), QPointF(now, bottom + 10));
    painter.setClipping(false);
    painter.setPen(m_theme.text);
    for (std::size_t row = 0; row < rows.size(); ++row)
        painter.drawText(QRect(8, top + static_cast<int>(row) * each, left - 10, each),
                         Qt::AlignVCenter, m_rows[row].name);
}

/// The times of the timeline's ruler, where it has them, and a line through all ranks at each.
void HandleHistory::paintAxis(QPainter &painter, int top, int bottom) const
{
    const double plot = plotWidth();
    const qint64 begin = m_state->begin(), end = m_state->end();
    const qint64 step = tickStep(static_cast<double>(end - begin) / plot, 110);
    for (qint64 time = (begin / step - 1) * step; time <= end; time += step) {
        const int x = plotLeft() + static_cast<int>(m_state->xOf(time, plot));
        if (x < plotLeft())
            continue;
        painter.setPen(m_theme.grid);
        painter.drawLine(x, top, x, bottom);
        painter.setPen(m_theme.dim);
        painter.drawLine(x, top - 7, x, top - 1);
        const QString text = tickText(time, step, end);
        if (x + 8 + painter.fontMetrics().horizontalAdvance(text) < width())
            painter.drawText(x + 4, top - 6, text);
    }
    painter.setPen(m_theme.grid);
    painter.drawLine(plotLeft(), top - 1, width() - 8, top - 1);
}

double HandleHistory::plotWidth() const
{
    return std::max(10, width() - plotLeft() - 8);
}

int HandleHistory::plotLeft() const
{
    int widest = static_cast<int>(usualLeft * letterScale(font()));
    for (const Row &each : m_rows)
        widest = std::max(widest, fontMetrics().horizontalAdvance(each.name) + 16);
    return widest;
}

void HandleHistory::mousePressEvent(QMouseEvent *event)
{
    const int left = plotLeft();
    if (event->position().x() >= left)
        m_state->setPlayhead(m_state->timeAt(event->position().x() - left, plotWidth()));
}

/// When a copy changed the next time. Walks few moments at once: of a long history the change may
/// be near.
std::optional<qint64> HandleHistory::nextChange(int direction) const
{
    constexpr std::size_t few = 1'024;
    const qint64 now = m_state->playhead();
    std::size_t from = momentAfter(now);
    for (;;) {
        const std::size_t back = direction > 0 ? 1 : few + 1; // One more: where that began is open.
        const std::size_t first = from - std::min(from, back);
        const std::size_t last = direction > 0 ? std::min(m_moments.size(), from + few) : from;
        if (first == last)
            return {};
        std::vector<qint64> begins;
        for (const auto &row : pieces(first, last, 0))
            for (const Piece &each : row)
                if ((direction > 0 ? each.begin > now : each.begin < now) &&
                    (first == 0 || each.begin > m_moments[first]))
                    begins.push_back(each.begin);
        if (!begins.empty())
            return direction > 0 ? std::ranges::min(begins) : std::ranges::max(begins);
        if (direction > 0 ? last == m_moments.size() : first == 0)
            return {};
        from = direction > 0 ? last : first + 1;
    }
}

/// To where a copy changed or something is marked, and shows it.
void HandleHistory::stepChange(int direction)
{
    const qint64 now = m_state->playhead();
    std::optional<qint64> next = nextChange(direction);
    const auto tick = direction > 0 ? std::ranges::upper_bound(m_ticks, now)
                                    : std::ranges::lower_bound(m_ticks, now);
    if (direction > 0 && tick != m_ticks.end())
        next = std::min(*tick, next.value_or(*tick));
    if (direction < 0 && tick != m_ticks.begin())
        next = std::max(*std::prev(tick), next.value_or(*std::prev(tick)));
    if (!next)
        return;
    m_state->setPlayhead(*next);
    m_state->showPlayhead();
}
