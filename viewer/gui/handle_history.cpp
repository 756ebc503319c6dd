// SPDX-License-Identifier: MIT
#include "gui/letters.hpp"
#include "gui/panels.hpp"

#include "analysis/say/sentence.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

using namespace deed::viewer;

namespace {

// Pixels, of usual letters.
constexpr int usualLeft = 64;
constexpr int usualTop = 24;
constexpr int usualLane = 30;
constexpr std::size_t mostMoments = 2'000;

} // namespace

HandleHistory::HandleHistory(ViewState *state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
{
    setAccessibleName(tr("Handle history"));
    connect(state, &ViewState::selectionChanged, this, [this] {
        collect();
        update();
    });
    connect(state, &ViewState::playheadChanged, this, qOverload<>(&QWidget::update));
    connect(state, &ViewState::viewChanged, this, qOverload<>(&QWidget::update));
    collect();
}

void HandleHistory::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void HandleHistory::collect()
{
    const std::uint32_t handle = m_state->selectedHandle();
    if (handle == m_handle)
        return;
    m_handle = handle;
    m_ranks.clear();
    m_ticks.clear();
    if (handle == none)
        return;
    const model &m = m_state->model();
    for (const std::uint32_t index : m.events_of(handle)) {
        const auto &e = m.events().events()[index];
        if (e.what == record::cache_drop || e.what == record::error)
            m_ticks.emplace_back(e.time, QString::fromStdString(say_event(m, e)));
    }
    const effects calls(m, handle);
    for (const owner_move &move : calls.moves()) // Told by every rank, and done once.
        if (move.time != after_all)
            m_ticks.emplace_back(
                move.time, tr("rank %1 owns it, which was rank %2").arg(move.to).arg(move.from));
    // A drop is of when the program called for it; what came again shows when it was felt.
    for (const std::uint32_t index : m.transfers_of(handle))
        if (const transfer &x = m.transfers()[index]; x.in_vain() && x.end() != never)
            m_ticks.emplace_back(
                x.end(),
                tr("v%1 came again from rank %2 to rank %3").arg(x.version).arg(x.src).arg(x.dst));
    std::vector<std::int64_t> moments = times_of_change(m, handle, true);
    if (moments.empty() || moments.front() != 0)
        moments.insert(moments.begin(), 0);
    if (moments.size() > mostMoments)
        moments.resize(mostMoments);
    m_ranks.resize(static_cast<std::size_t>(m.ranks()));
    datum_walk walk(m, handle);
    for (std::size_t i = 0; i < moments.size(); ++i) {
        const qint64 end = i + 1 < moments.size() ? moments[i + 1] : m.events().end();
        walk.advance(moments[i]);
        const datum_state state = walk.state();
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            const copy_at &copy = state.copies[rank];
            const bool told = is_told(state, copy);
            auto &pieces = m_ranks[rank];
            if (!pieces.empty() && pieces.back().kind == copy.kind &&
                pieces.back().version == copy.version && pieces.back().end == moments[i] &&
                pieces.back().told == told)
                pieces.back().end = end;
            else if (copy.kind != copy_kind::absent)
                pieces.push_back({moments[i], end, copy.kind, copy.version, told});
        }
    }
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
    const model &m = m_state->model();
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

    const double plot = std::max(10, width() - left - 8);
    const int each =
        std::clamp((height() - top - 18) / std::max(1, static_cast<int>(m_ranks.size())), 8,
                   static_cast<int>(usualLane * scale));
    painter.setClipRect(left, top, static_cast<int>(plot), height() - top);
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        const int y = top + static_cast<int>(rank) * each;
        painter.setPen(Theme::blend(m_theme.base, m_theme.grid, 0.6));
        painter.drawLine(left, y + each - 1, width(), y + each - 1);
        for (const Piece &piece : m_ranks[rank]) {
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
    const double bottom = top + each * static_cast<double>(m_ranks.size());
    if (m_state->isSlice()) {
        const auto hatch = [&](double from, double to) {
            const QRectF area(from, top, std::max(0.0, to - from), bottom - top);
            painter.fillRect(area, m_theme.base);
            painter.fillRect(area, QBrush(m_theme.grid, Qt::BDiagPattern));
        };
        hatch(left, left + m_state->xOf(m_state->beginOfRun(), plot));
        hatch(std::max<double>(left, left + m_state->xOf(m_state->endOfRun(), plot)), width());
    }
    for (const auto &[time, text] : m_ticks) {
        const double x = left + m_state->xOf(time, plot);
        painter.setPen(QPen(m_theme.redundant, 2));
        painter.drawLine(QPointF(x, bottom + 2), QPointF(x, bottom + 10));
    }
    painter.setPen(m_theme.playhead);
    const double now = left + m_state->xOf(m_state->playhead(), plot);
    painter.drawLine(QPointF(now, top), QPointF(now, bottom + 10));
    painter.setClipping(false);
    painter.setPen(m_theme.text);
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
        painter.drawText(QRect(8, top + static_cast<int>(rank) * each, left - 10, each),
                         Qt::AlignVCenter, tr("rank %1").arg(rank));
}

int HandleHistory::plotLeft() const
{
    return static_cast<int>(usualLeft * letterScale(font()));
}

void HandleHistory::mousePressEvent(QMouseEvent *event)
{
    const int left = plotLeft();
    if (event->position().x() >= left)
        m_state->setPlayhead(
            m_state->timeAt(event->position().x() - left, std::max(10, width() - left - 8)));
}

/// To where a copy changed or something is marked, and shows it.
void HandleHistory::stepChange(int direction)
{
    const qint64 now = m_state->playhead();
    std::optional<qint64> next;
    const auto offer = [&](qint64 time) {
        if ((direction > 0 ? time > now : time < now) &&
            (!next || (direction > 0 ? time < *next : time > *next)))
            next = time;
    };
    for (const auto &pieces : m_ranks)
        for (const Piece &each : pieces)
            offer(each.begin);
    for (const auto &[time, text] : m_ticks)
        offer(time);
    if (!next)
        return;
    m_state->setPlayhead(*next);
    m_state->showPlayhead();
}
