// SPDX-License-Identifier: MIT
#include "gui/outline_window.hpp"

#include "analysis/say/units.hpp"
#include "gui/ticks.hpp"

#include <QCloseEvent>
#include <QEventLoop>
#include <QPainter>
#include <QShortcut>
#include <QTimer>

#include <algorithm>
#include <array>
#include <future>
#include <iterator>
#include <thread>
#include <utility>

using namespace deed::viewer;

namespace {

constexpr int gutter = 110, headline = 46, ruler = 22;
constexpr double highestRow = 34, rowWithName = 12;

constexpr std::size_t kinds = 16; // More than there are: a damaged file may say any.

std::size_t placeOf(deed::trace::stream_kind kind)
{
    return static_cast<std::size_t>(kind) % kinds;
}

} // namespace

OutlineWindow::OutlineWindow(run_outline outline, const QString &hint, QWidget *parent)
    : QWidget(parent)
    , m_outline(std::move(outline))
    , m_hint(hint)
{
    setWindowTitle(tr("%1 - deed-view").arg(QString::fromStdString(m_outline.path)));
    setAccessibleName(tr("How much each thread recorded over time"));
    resize(1280, 800);
    auto *quit = new QShortcut(Qt::CTRL | Qt::Key_Q, this);
    connect(quit, &QShortcut::activated, this, &QWidget::close);
}

void OutlineWindow::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void OutlineWindow::closeEvent(QCloseEvent *event)
{
    QWidget::closeEvent(event);
    emit closed();
}

double OutlineWindow::xOf(qint64 time, const QRectF &plot) const
{
    return plot.left() + plot.width() * static_cast<double>(time) /
                             static_cast<double>(std::max<qint64>(1, m_outline.end));
}

std::vector<std::vector<double>> OutlineWindow::densities(int width) const
{
    std::vector<std::vector<double>> found;
    const double perTime = width / static_cast<double>(std::max<qint64>(1, m_outline.end));
    for (const outlined_lane &lane : m_outline.lanes) {
        auto &row = found.emplace_back(static_cast<std::size_t>(width), 0.0);
        for (const outlined_packet &each : lane.packets) {
            const double x0 =
                std::clamp(static_cast<double>(each.begin) * perTime, 0.0, width - 1.0);
            const double x1 = std::clamp(static_cast<double>(each.end) * perTime, x0 + 1e-6,
                                         static_cast<double>(width));
            const double perPixel = static_cast<double>(each.bytes) / (x1 - x0);
            for (auto x = static_cast<std::size_t>(x0);
                 x < row.size() && static_cast<double>(x) < x1; ++x) {
                const auto left = static_cast<double>(x);
                row[x] += perPixel * (std::min(x1, left + 1) - std::max(x0, left));
            }
        }
    }
    return found;
}

void OutlineWindow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.base);
    const QRectF plot(gutter, headline + ruler, std::max(1, width() - gutter),
                      std::max(1, height() - headline - ruler));
    paintHead(painter, plot);
    if (m_outline.lanes.empty())
        return;
    const double rowHeight =
        std::min(highestRow, plot.height() / static_cast<double>(m_outline.lanes.size()));
    const auto rows = densities(static_cast<int>(plot.width()));
    // Lanes of one kind have one scale: an application records less than its workers.
    // A fiftieth of the pixels may be too high for it.
    std::array<std::vector<double>, kinds> recorded;
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_if(rows[i].begin(), rows[i].end(),
                     std::back_inserter(recorded[placeOf(m_outline.lanes[i].kind)]),
                     [](double bytes) { return bytes > 0; });
    std::array<double, kinds> most{};
    for (std::size_t kind = 0; kind < most.size(); ++kind) {
        std::vector<double> &all = recorded[kind];
        if (all.empty())
            continue;
        const auto high = all.begin() + static_cast<std::ptrdiff_t>(all.size() * 49 / 50);
        std::nth_element(all.begin(), high, all.end());
        most[kind] = *high;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        paintLane(painter,
                  QRectF(plot.left(), plot.top() + rowHeight * static_cast<double>(i), plot.width(),
                         rowHeight),
                  i, rows[i], most[placeOf(m_outline.lanes[i].kind)]);
    paintNames(painter, rowHeight);
}

void OutlineWindow::paintHead(QPainter &painter, const QRectF &plot) const
{
    painter.fillRect(QRectF(0, 0, width(), headline + ruler), m_theme.panel);
    painter.setPen(m_theme.text);
    const QString what = tr("%1 over %2, in %3 streams: how much each thread recorded")
                             .arg(QString::fromStdString(say_bytes(m_outline.bytes)),
                                  QString::fromStdString(say_time(m_outline.end)),
                                  QString::number(m_outline.lanes.size()));
    painter.drawText(QRect(10, 4, width() - 20, 20), Qt::AlignVCenter, what);
    painter.setPen(m_theme.dim);
    painter.drawText(QRect(10, 22, width() - 20, 20), Qt::AlignVCenter,
                     m_outline.packed ? m_hint + tr(" Packed files show nothing until then.")
                                      : m_hint);
    const double perPixel = static_cast<double>(std::max<qint64>(1, m_outline.end)) / plot.width();
    const qint64 step = tickStep(perPixel, 110);
    for (qint64 t = 0; t <= m_outline.end; t += step) {
        const double x = xOf(t, plot);
        painter.setPen(m_theme.grid);
        painter.drawLine(QPointF(x, plot.top() - 7), QPointF(x, height()));
        const QString text = tickText(t, step, m_outline.end);
        if (x + painter.fontMetrics().horizontalAdvance(text) + 6 > width())
            continue;
        painter.setPen(m_theme.dim);
        painter.drawText(QPointF(x + 4, plot.top() - 7), text);
    }
}

void OutlineWindow::paintLane(QPainter &painter, const QRectF &row, std::size_t lane,
                              const std::vector<double> &density, double most) const
{
    const outlined_lane &of = m_outline.lanes[lane];
    if (lane != 0 && m_outline.lanes[lane - 1].rank != of.rank) {
        painter.setPen(m_theme.grid);
        painter.drawLine(QPointF(0, row.top()), QPointF(row.right(), row.top()));
    }
    using deed::trace::stream_kind;
    const QColor full = of.kind == stream_kind::worker        ? m_theme.anyCodelet()
                        : of.kind == stream_kind::application ? m_theme.dim
                                                              : m_theme.send;
    const double room = row.height() > 4 ? row.height() - 1 : row.height();
    for (std::size_t x = 0; x < density.size(); ++x) {
        if (density[x] <= 0 || most <= 0)
            continue;
        const double part = std::clamp(density[x] / most, 0.15, 1.0);
        painter.fillRect(
            QRectF(row.left() + static_cast<double>(x), row.bottom() - room * part, 1, room * part),
            Theme::blend(m_theme.base, full, 0.7));
    }
    for (const outlined_packet &each : of.packets)
        if (each.lost)
            painter.fillRect(
                QRectF(xOf(each.begin, row) - 1, row.top(), 3, std::max(2.0, row.height())),
                m_theme.error);
}

void OutlineWindow::paintNames(QPainter &painter, double rowHeight) const
{
    const double top = headline + ruler;
    const bool names = rowHeight >= rowWithName;
    double free = top; // Below the name before.
    for (std::size_t i = 0; i < m_outline.lanes.size(); ++i) {
        const outlined_lane &lane = m_outline.lanes[i];
        const bool first = i == 0 || m_outline.lanes[i - 1].rank != lane.rank;
        const double y = top + rowHeight * static_cast<double>(i);
        const double height = std::max(rowHeight, rowWithName + 2);
        if (first && y >= free) {
            painter.setPen(m_theme.text);
            painter.drawText(QRectF(10, y, gutter - 12, height), Qt::AlignVCenter,
                             tr("rank %1").arg(lane.rank));
            free = y + height;
        }
        if (!names)
            continue;
        painter.setPen(m_theme.dim);
        painter.drawText(QRectF(10, y, gutter - 18, rowHeight), Qt::AlignVCenter | Qt::AlignRight,
                         QString::fromStdString(lane.name));
    }
}

std::optional<OpenedRun> openWithOutline(const QString &path, deed::viewer::clock_correction clocks,
                                         const Theme &theme, std::chrono::milliseconds patience)
{
    // A future of `async` would wait for its thread, also where nobody wants the run any more.
    std::packaged_task<OpenedRun()> work([=] { return OpenedRun::open(path, clocks); });
    std::future<OpenedRun> opening = work.get_future();
    std::thread(std::move(work)).detach();
    if (opening.wait_for(patience) == std::future_status::ready)
        return opening.get();
    OutlineWindow first(outline_of(path.toStdString()),
                        OutlineWindow::tr("The run is being read; tasks, transfers and answers "
                                          "follow."));
    first.setTheme(theme);
    first.show();
    QEventLoop loop;
    bool closed = false;
    QObject::connect(&first, &OutlineWindow::closed, &loop, [&] {
        closed = true;
        loop.quit();
    });
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
        if (opening.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
            loop.quit();
    });
    timer.start(20);
    loop.exec();
    if (closed)
        return {};
    return opening.get();
}
