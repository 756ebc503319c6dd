// SPDX-License-Identifier: MIT
#include "gui/panels.hpp"

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/glossary.hpp"
#include "analysis/ask/program_stays.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"
#include "gui/letters.hpp"
#include "gui/say_range.hpp"
#include "gui/transfer_kinds.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStringList>
#include <QToolTip>

#include <algorithm>
#include <utility>

using namespace deed::viewer;

namespace {

/// Pixels, with the letters.
struct Sizes {
    explicit Sizes(const QFont &font)
        : scale(letterScale(font))
    {
    }
    int of(int usual) const { return static_cast<int>(usual * scale); }
    double scale;
    int worker = of(100), bar = of(20), line = of(18), box = of(13);
    int legend = of(26), text = of(12); // Where its first line begins, and letters stand in a line.
    int belowLegend = of(6);
};

QString sayShare(const std::string &what, double part)
{
    return QStringLiteral("%1 %2 %").arg(QString::fromStdString(what)).arg(100 * part, 0, 'f', 1);
}

} // namespace

TimeShares::TimeShares(ViewState *state, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_state(state)
{
    setFrameShape(QFrame::NoFrame);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Where the time of each worker and device went"));
}

void TimeShares::setTheme(const Theme &theme)
{
    m_theme = theme;
    viewport()->update();
}

void TimeShares::setRange(const std::optional<time_range> &range)
{
    m_range = range;
    m_shares.reset();
    m_groups.clear();
    m_legend.clear();
    viewport()->update();
}

QStringList TimeShares::groupNames()
{
    return {tr("per worker"), tr("per rank"), tr("per host")};
}

void TimeShares::setPer(shares_per per)
{
    m_per = per;
    m_groups.clear();
    m_legend.clear();
    viewport()->update();
}

const std::vector<group_time> &TimeShares::groups()
{
    if (m_groups.empty())
        m_groups = grouped(m_state->model(), measured(), m_per);
    return m_groups;
}

/// What the length of a bar stands for.
double TimeShares::lengthOf(const group_time &group)
{
    return std::max<double>(1, static_cast<double>(measured().wall) *
                                   static_cast<double>(group.members));
}

const time_shares &TimeShares::measured()
{
    if (!m_shares)
        m_shares = shares(m_state->model(), m_range);
    return *m_shares;
}

void TimeShares::resizeEvent(QResizeEvent *)
{
    updateLayout();
}

void TimeShares::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        m_legend.clear();
}

/// In as many lines as it needs, if that are few; half of the height is left to the bars.
void TimeShares::wrapHead()
{
    const Sizes sizes(font());
    const int mostLines = std::clamp((viewport()->height() / 2 - sizes.legend) / sizes.line, 1, 3);
    const int room = viewport()->width() - 16;
    m_head.clear();
    QStringList words = head().split(QLatin1Char(' '));
    while (!words.isEmpty()) {
        QString line = words.takeFirst();
        if (m_head.size() + 1 == mostLines)
            while (!words.isEmpty())
                line += QLatin1Char(' ') + words.takeFirst();
        while (!words.isEmpty() &&
               fontMetrics().horizontalAdvance(line + QLatin1Char(' ') + words.first()) <= room)
            line += QLatin1Char(' ') + words.takeFirst();
        m_head += fontMetrics().elidedText(line, Qt::ElideRight, room);
    }
}

/// The parts of all, one behind the other in as many lines as they need; but at least half of the
/// height is left to the bars.
void TimeShares::updateLayout()
{
    wrapHead();
    const time_shares &all = measured();
    const Sizes sizes(font());
    const double total = std::max<double>(1, static_cast<double>(all.wall)) *
                         static_cast<double>(std::max<std::size_t>(1, all.workers.size()));
    const int top = sizes.legend + static_cast<int>(m_head.size() - 1) * sizes.line;
    const int lines = std::max(1, (viewport()->height() / 2 - top) / sizes.line);
    const int right = viewport()->width() - 8, more = fontMetrics().horizontalAdvance("...");
    m_legend.clear();
    int x = 8, line = 0;
    for (const auto &[what, time] : all.sums) {
        const double part = static_cast<double>(time) / total;
        if (part < 1.0 / 2000)
            break; // They are sorted; 0.0 % says nothing.
        const QString text = sayShare(what, part);
        const int wide = sizes.box + 6 + fontMetrics().horizontalAdvance(text);
        // In the last line, room is left to say that there are more.
        if (x + wide > right - (line + 1 == lines ? more : 0) && x > 8) {
            if (++line == lines) {
                m_legend.push_back({{x, top + (line - 1) * sizes.line}, {}, "..."});
                break;
            }
            x = 8;
        }
        m_legend.push_back({{x, top + line * sizes.line}, what, text});
        x += wide + 15;
    }
    m_top = (m_legend.empty() ? top : m_legend.back().at.y() + sizes.line) + sizes.belowLegend;
    const int page = viewport()->height() - m_top;
    verticalScrollBar()->setRange(
        0, std::max(0, static_cast<int>(groups().size()) * sizes.bar - page));
    verticalScrollBar()->setPageStep(std::max(1, page));
}

QColor TimeShares::colourOf(const std::string &what) const
{
    const auto &codelets = m_state->model().codelets();
    for (std::size_t i = 0; i < codelets.size(); ++i)
        if (codelets[i].name == what)
            return m_theme.codelet(i);
    constexpr std::uint8_t states = 6;
    for (std::uint8_t i = 0; i < states; ++i)
        if (what == state_name(i))
            return m_theme.state(i);
    constexpr std::uint8_t waits = 16; // More than there are.
    for (std::uint8_t i = 0; i < waits; ++i)
        if (what == name_of_stay(i))
            return m_theme.stay(i);
    if (what == "wait")
        return Theme::blend(m_theme.base, m_theme.wait, 0.6);
    if (what == "program")
        return Theme::blend(m_theme.base, m_theme.accent, 0.35);
    if (what == "not started yet")
        return m_theme.notStarted;
    if (what == device_copies_alone)
        return m_theme.receive;
    if (what == device_empty)
        return m_theme.base;
    return m_theme.unknown;
}

/// What is not known is hatched, as in the timeline. Where a device is empty that shows nothing;
/// dots say that there is a device.
void TimeShares::fill(QPainter &painter, const QRectF &box, const std::string &what) const
{
    const QColor colour = colourOf(what);
    painter.fillRect(box, colour);
    const auto &codelets = m_state->model().codelets();
    if (const auto at = std::ranges::find(codelets, what, &codelet::name); at != codelets.end())
        painter.fillRect(
            box,
            patternOf(m_theme.hatchOf(static_cast<std::size_t>(at - codelets.begin())), colour));
    if (colour == m_theme.unknown)
        painter.fillRect(box, QBrush(m_theme.base, Qt::BDiagPattern));
    if (what == device_empty)
        painter.fillRect(box, QBrush(m_theme.dim, Qt::Dense7Pattern));
}

QRectF TimeShares::barRect(std::size_t group) const
{
    const Sizes sizes(font());
    return QRectF(sizes.worker,
                  m_top + static_cast<int>(group) * sizes.bar - verticalScrollBar()->value(),
                  std::max(10, viewport()->width() - sizes.worker - 12), sizes.bar - 4);
}

/// What the bars are of, and what is to be known of them.
QString TimeShares::head()
{
    const time_shares &all = measured();
    QString said = QString::fromStdString(say_workers(m_state->model().events(), all) + " x " +
                                          say_time(all.wall));
    if (m_range)
        said += QStringLiteral(", ") + QString::fromStdString(sayRange(*m_range));
    for (const std::string &each : caveats(m_state->model()))
        said += QStringLiteral("; ") + QString::fromStdString(each);
    if (const std::string none_there = say_no_time_on_devices(m_state->model());
        !none_there.empty())
        said += QStringLiteral("; ") + QString::fromStdString(none_there);
    return said;
}

void TimeShares::paintEvent(QPaintEvent *)
{
    if (m_legend.empty())
        updateLayout();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.base);
    const QFontMetrics metrics = painter.fontMetrics();
    const Sizes sizes(font());
    painter.setClipRect(0, m_top, viewport()->width(), viewport()->height());
    for (std::size_t g = 0; g < groups().size(); ++g) {
        const group_time &group = groups()[g];
        const QRectF bar = barRect(g);
        const double whole = lengthOf(group);
        painter.setPen(m_theme.text);
        painter.drawText(QRectF(8, bar.top(), sizes.worker - 10, bar.height()), Qt::AlignVCenter,
                         metrics.elidedText(QString::fromStdString(group.name), Qt::ElideRight,
                                            sizes.worker - 10));
        double x = bar.left();
        for (const auto &[what, time] : group.parts) {
            const double width = bar.width() * static_cast<double>(time) / whole;
            const QRectF box(x, bar.top(), width, bar.height());
            fill(painter, box, what);
            x += width;
            const QString text =
                QStringLiteral("%1 %").arg(qRound(100 * static_cast<double>(time) / whole));
            const int wide = metrics.horizontalAdvance(text) + 6;
            if (wide > width)
                continue;
            const QColor colour = colourOf(what); // Behind the number no hatch.
            painter.fillRect(QRectF(box.center().x() - wide / 2, box.top(), wide, box.height()),
                             colour);
            painter.setPen(Theme::textOn(colour));
            painter.drawText(box, Qt::AlignCenter, text);
        }
    }
    painter.setClipping(false);
    paintHead(painter);
}

void TimeShares::paintHead(QPainter &painter)
{
    const Sizes sizes(font());
    painter.fillRect(0, 0, viewport()->width(), m_top - 4, m_theme.panel);
    painter.setPen(m_theme.dim);
    for (qsizetype i = 0; i < m_head.size(); ++i)
        painter.drawText(8, sizes.of(17) + static_cast<int>(i) * sizes.line, m_head[i]);
    for (const Entry &each : m_legend) {
        const bool more = each.what.empty();
        painter.setPen(more ? m_theme.dim : m_theme.text);
        painter.drawText(each.at + QPoint(more ? 0 : sizes.box + 6, sizes.text), each.text);
        if (more)
            continue;
        const QRect box(each.at, QSize(sizes.box, sizes.box));
        fill(painter, box, each.what);
        painter.setPen(m_theme.dim);
        painter.drawRect(box);
    }
}

/// All of the legend, also what has no room there.
QString TimeShares::sayLegend()
{
    const time_shares &all = measured();
    const double total = static_cast<double>(all.wall) * static_cast<double>(all.workers.size());
    QStringList lines;
    for (const auto &[what, time] : all.sums)
        if (time > 0 && total > 0)
            lines += sayShare(what, static_cast<double>(time) / total);
    return lines.join(QLatin1Char('\n'));
}

bool TimeShares::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (help->pos().y() < m_top) {
        const Sizes sizes(font());
        const bool legend =
            help->pos().y() >= sizes.of(22) + static_cast<int>(m_head.size() - 1) * sizes.line;
        QToolTip::showText(help->globalPos(), legend ? sayLegend() : head(), viewport());
        return true;
    }
    for (std::size_t g = 0; g < groups().size(); ++g) {
        const group_time &group = groups()[g];
        const QRectF bar = barRect(g);
        if (!bar.contains(help->pos()))
            continue;
        double x = bar.left();
        for (const auto &[what, time] : group.parts) {
            x += bar.width() * static_cast<double>(time) / lengthOf(group);
            if (help->pos().x() > x)
                continue;
            const std::string meaning(meaning_of(what));
            QToolTip::showText(help->globalPos(),
                               QString::fromStdString(what + ": " + say_time(time) +
                                                      (meaning.empty() ? "" : "\n" + meaning)),
                               viewport());
            return true;
        }
    }
    QToolTip::hideText();
    return true;
}
