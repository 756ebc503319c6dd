// SPDX-License-Identifier: MIT
#include "gui/panels.hpp"

#include "analysis/read/merge.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cstdint>

using namespace deed::viewer;

namespace {

constexpr double leastWork = 4; // Pixels of height where anything was done: tasks may be short.

} // namespace

Overview::Overview(ViewState *state, const std::vector<timeline_lane> *lanes, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_lanes(lanes)
{
    setFixedHeight(46);
    setAccessibleName(tr("Overview of the whole run"));
    // Where there are no workers, the program's threads work, also those that had no task.
    const auto kindOf = [state](const timeline_lane &lane) {
        return state->model().events().lanes()[lane.lane].kind;
    };
    const bool anyWorkers = std::any_of(lanes->begin(), lanes->end(),
                                        [&](const auto &lane) { return kindOf(lane) == 1; });
    for (const timeline_lane &lane : *lanes) {
        if (lane.sort != lane_sort::work || (!lane.runs_tasks && (anyWorkers || kindOf(lane) != 2)))
            continue;
        m_work.insert(&lane.tracks[0]);
    }
    connect(state, &ViewState::viewChanged, this, qOverload<>(&QWidget::update));
    connect(state, &ViewState::playheadChanged, this, qOverload<>(&QWidget::update));
}

void Overview::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

qint64 Overview::length() const
{
    return std::max<qint64>(1, m_state->endOfRun() - m_state->beginOfRun());
}

double Overview::xOf(qint64 time) const
{
    return static_cast<double>(time - m_state->beginOfRun()) / static_cast<double>(length()) *
           width();
}

void Overview::resizeEvent(QResizeEvent *)
{
    summarise();
}

void Overview::summarise()
{
    const auto width = static_cast<std::size_t>(std::max(1, this->width()));
    m_busy.assign(width, 0);
    m_flagged.assign(width, 0);
    m_worked.assign(width, 0);
    const qint64 begin = m_state->beginOfRun();
    const qint64 end = begin + length();
    std::vector<const track *> drawn;
    for (const timeline_lane &lane : *m_lanes)
        if (lane.sort == lane_sort::work) // The others neither work nor fail.
            for (const track &each : lane.tracks)
                drawn.push_back(&each);
    struct Seen {
        float work = 0;
        std::uint8_t flags = 0;
        bool any = false; // Task: it may have taken no time.
    };
    std::vector<Seen> seen(drawn.size() * width);
    in_parallel(drawn.size(), [&](std::size_t i) {
        std::vector<track_pixel> row(width);
        drawn[i]->draw(begin, end, row);
        const bool works = m_work.contains(drawn[i]);
        for (std::size_t x = 0; x < width; ++x)
            seen[i * width + x] = {works ? row[x].tasks : 0, row[x].flags,
                                   works && row[x].longest != none};
    });
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto [work, flags, any] = seen[i];
        m_worked[i % width] |= any ? 1 : 0;
        if (work != 0)
            m_busy[i % width] += work / static_cast<double>(m_work.size());
        char &flagged = m_flagged[i % width];
        if (flags & flag_error)
            flagged = 3;
        else if (flags & flag_stop)
            flagged = std::max<char>(flagged, 2);
        else if (flags & flag_redundant)
            flagged = std::max<char>(flagged, 1);
    }
    const auto idle = [this] {
        return std::all_of(m_busy.begin(), m_busy.end(), [](double busy) { return busy < 1e-3; });
    };
    if (idle())
        countBegins();
    m_noTasks = idle();
    if (m_noTasks)
        summariseProgram(begin, end);
}

/// Of a run without tasks: of the program's threads how many wait, or if none ever does, of the
/// network's how many move data.
void Overview::summariseProgram(qint64 begin, qint64 end)
{
    std::vector<const track *> waits, moves;
    for (const timeline_lane &lane : *m_lanes) {
        if (!lane.waits.empty())
            waits.push_back(&lane.waits);
        if (lane.tracks.size() > 1)
            for (const track &each : lane.tracks)
                moves.push_back(&each);
    }
    const std::vector<const track *> &drawn = waits.empty() ? moves : waits;
    std::vector<track_pixel> row;
    for (const track *each : drawn) {
        row.assign(m_busy.size(), {});
        each->draw(begin, end, row);
        for (std::size_t x = 0; x < row.size(); ++x)
            m_busy[x] += row[x].tasks / static_cast<double>(drawn.size());
    }
}

/// Of tasks that take no time, as on virtual ranks: how many begin.
void Overview::countBegins()
{
    for (const track *each : m_work)
        for (const track_span &span : each->spans())
            if (span.type == span_type::task)
                m_busy[static_cast<std::size_t>(
                    std::clamp(xOf(span.begin), 0.0, static_cast<double>(m_busy.size() - 1)))] += 1;
    const double most = *std::max_element(m_busy.begin(), m_busy.end());
    for (double &busy : m_busy)
        busy /= std::max(1.0, most);
}

void Overview::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.base);
    const double plot = height() - 6;
    for (int x = 0; x < width() && x < static_cast<int>(m_busy.size()); ++x) {
        const auto at = static_cast<std::size_t>(x);
        const double least = m_worked[at] || m_busy[at] > 0 ? leastWork : 0;
        const double high = std::max(least, plot * m_busy[at]);
        painter.fillRect(QRectF(x, height() - high, 1, high),
                         m_noTasks ? m_theme.wait
                                   : Theme::blend(m_theme.base, m_theme.anyCodelet(), 0.65));
    }
    const double x0 = xOf(m_state->begin());
    const double x1 = std::max(xOf(m_state->end()), x0 + 2);
    QColor veil = m_theme.panel;
    veil.setAlpha(170);
    painter.fillRect(QRectF(0, 0, x0, height()), veil);
    painter.fillRect(QRectF(x1, 0, width() - x1, height()), veil);
    painter.setPen(QPen(m_theme.accent, 1));
    painter.drawRect(QRectF(std::max(0.0, x0), 0.5,
                            std::min<double>(x1, width() - 1) - std::max(0.0, x0), height() - 1));
    paintFlags(painter);
    painter.setPen(m_theme.playhead);
    const double head = xOf(m_state->playhead());
    painter.drawLine(QPointF(std::min<double>(head, width() - 1), 0),
                     QPointF(std::min<double>(head, width() - 1), height()));
}

/// Over all but the playhead, which is often just there: four pixels are seen beside it. At an end
/// they are within the strip.
void Overview::paintFlags(QPainter &painter) const
{
    const auto mark = [&](int x, int wide, int high, const QColor &colour) {
        painter.fillRect(QRect(std::clamp(x, 0, std::max(0, width() - wide)), 0, wide, high),
                         colour);
    };
    const int known = std::min(width(), static_cast<int>(m_flagged.size()));
    for (int x = 0; x < known; ++x)
        if (m_flagged[static_cast<std::size_t>(x)] == 1)
            mark(x, 2, 7, m_theme.redundant);
    for (const auto &[flag, colour] : {std::pair{2, m_theme.stop}, {3, m_theme.error}})
        for (int x = 0; x < known; ++x)
            if (m_flagged[static_cast<std::size_t>(x)] == flag)
                mark(x - 2, 5, height(), colour);
}

void Overview::moveTo(double x)
{
    const qint64 span = m_state->end() - m_state->begin();
    const auto centre =
        m_state->beginOfRun() + static_cast<qint64>(x / width() * static_cast<double>(length()));
    m_state->setView(centre - span / 2, centre - span / 2 + span);
}

void Overview::mousePressEvent(QMouseEvent *event)
{
    moveTo(event->position().x());
}

void Overview::mouseMoveEvent(QMouseEvent *event)
{
    moveTo(event->position().x());
}
