// SPDX-License-Identifier: MIT
#include "gui/wait_graph.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QSet>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

using namespace deed::viewer;

namespace {

constexpr int mostNodes = 24, fewestNodes = 4;
constexpr double mostWide = 220;

/// Where the line from `from` to the middle of `box` enters it.
QPointF edgeOf(const QRectF &box, const QPointF &from)
{
    const QPointF middle = box.center(), way = from - middle;
    const double x = std::abs(way.x()) < 1e-9 ? 1e9 : box.width() / 2 / std::abs(way.x());
    const double y = std::abs(way.y()) < 1e-9 ? 1e9 : box.height() / 2 / std::abs(way.y());
    return middle + way * std::min({x, y, 1.0});
}

/// A name loses its end. What tells it from others stays behind it: the number of a task and its
/// rank, the index of a tile, a version, the number of a call.
QString fitted(const QString &text, const QFontMetricsF &metrics, double width)
{
    static const QRegularExpression telling(QStringLiteral("(, call #|\\[|#|` v).*$"));
    const qsizetype name = telling.match(text).capturedStart();
    const QString tail = name < 0 ? QString() : text.mid(name);
    const double room = width - metrics.horizontalAdvance(tail);
    return metrics.elidedText(name < 0 ? text : text.left(name), Qt::ElideRight, room) + tail;
}

} // namespace

WaitGraph::WaitGraph(QWidget *parent)
    : QWidget(parent)
{
    setMinimumSize(180, 120);
    setAccessibleName(tr("Who waits for whom"));
}

QString WaitGraph::subjectOf(const wait_edge &of)
{
    const QString whole = QString::fromStdString(of.because);
    // The ranks of a group have commas between them: the boxes say who they are.
    static const QRegularExpression call(QStringLiteral("^(.*?)( in the group .*)?, (call #\\d+)"));
    if (const auto found = call.match(whole); found.hasMatch())
        return found.captured(1) + QStringLiteral(", ") + found.captured(3);
    // Tiles are called `A[2,3]`.
    return whole.section(QStringLiteral(" needs "), -1).section(QStringLiteral(", "), 0, 0);
}

void WaitGraph::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void WaitGraph::setMoment(const QString &caption, std::function<std::vector<wait_edge>()> ask)
{
    m_caption = caption;
    m_ask = std::move(ask);
    update();
}

void WaitGraph::setWaits(std::vector<wait_edge> waits)
{
    // What an earlier version of the datum is waited for, too, says least.
    std::stable_partition(waits.begin(), waits.end(), [](const auto &e) { return !e.later; });
    std::stable_partition(waits.begin(), waits.end(), [](const auto &e) { return e.in_cycle; });
    m_all = std::move(waits);
    m_ends.clear();
    m_names.clear();
    m_ranks.clear();
    QHash<QString, int> numbers;
    const auto numberOf = [&](const std::string &name) {
        const QString text = QString::fromStdString(name);
        const auto known = numbers.constFind(text);
        if (known != numbers.cend())
            return *known;
        m_names.append(text);
        return *numbers.insert(text, static_cast<int>(numbers.size()));
    };
    for (const wait_edge &each : m_all) {
        for (const auto &[name, rank] : {std::pair{each.from, each.waits}, {each.to, each.awaited}})
            if (const QString text = QString::fromStdString(name);
                rank >= 0 && !text.contains(QStringLiteral("rank")))
                m_ranks.insert(text, rank);
        const int from = numberOf(each.from);
        m_ends.push_back({from, numberOf(each.to), &each});
    }
    fill();
    update();
}

/// Its box says so, in words as in colour.
void WaitGraph::setCulprit(const QString &node)
{
    m_isReport = true;
    m_culprit = node;
    for (QString &each : m_names)
        if (each == node)
            each = m_culprit = tr("%1: likely cause").arg(node);
    fill();
    update();
}

void WaitGraph::resizeEvent(QResizeEvent *)
{
    fill();
}

/// As many nodes as have room beside each other.
void WaitGraph::fill()
{
    int nodes = mostNodes;
    while (choose(nodes), nodes > fewestNodes && anyOverlap())
        nodes = std::max(fewestNodes, std::min(nodes, static_cast<int>(m_nodes.size())) - 1);
}

void WaitGraph::choose(int nodes)
{
    m_waits.clear();
    m_nodes.clear();
    m_left_out = 0;
    std::vector<int> chosen(static_cast<std::size_t>(m_names.size()), -1); // In `m_nodes`.
    const auto nodeOf = [&](int name) {
        int &node = chosen[static_cast<std::size_t>(name)];
        if (node < 0) {
            node = static_cast<int>(m_nodes.size());
            m_nodes.append(m_names[name]);
        }
        return node;
    };
    for (const Arrow &each : m_ends) {
        const auto fresh = [&](int name) { return chosen[static_cast<std::size_t>(name)] < 0; };
        const int more = fresh(each.from) + (each.to != each.from && fresh(each.to));
        if (static_cast<int>(m_nodes.size()) + more > nodes) {
            ++m_left_out;
            continue;
        }
        const int from = nodeOf(each.from);
        m_waits.push_back({from, nodeOf(each.to), each.wait});
    }
}

bool WaitGraph::anyOverlap() const
{
    constexpr double gap = 16; // An arrow has to be seen between two.
    const QFontMetricsF metrics(font());
    for (int i = 0; i < m_nodes.size(); ++i) {
        const QRectF around = boxOf(i, metrics).adjusted(-gap, -gap, gap, gap);
        for (int k = i + 1; k < m_nodes.size(); ++k)
            if (around.intersects(boxOf(k, metrics)))
                return true;
    }
    return false;
}

QPointF WaitGraph::centreOf(int node) const
{
    // On an ellipse, from the left, as one reads.
    const double angle =
        std::numbers::pi *
        (2.0 * node / static_cast<double>(std::max<qsizetype>(1, m_nodes.size())) - 1);
    const double room = m_left_out == 0 ? 0 : 16;
    return {width() / 2.0 + (width() / 2.0 - 80) * std::cos(angle),
            (height() - room) / 2.0 + ((height() - room) / 2.0 - 26) * std::sin(angle)};
}

QString WaitGraph::textOf(int node) const
{
    const auto rank = m_ranks.constFind(m_nodes[node]);
    return rank == m_ranks.cend() ? m_nodes[node] : tr("%1, rank %2").arg(m_nodes[node]).arg(*rank);
}

QRectF WaitGraph::boxOf(int node, const QFontMetricsF &metrics) const
{
    const double wide =
        std::min({mostWide, width() - 4.0, metrics.horizontalAdvance(textOf(node)) + 16});
    const QPointF at = centreOf(node);
    const double left = std::clamp(at.x() - wide / 2, 2.0, std::max(2.0, width() - 2 - wide));
    return {left, at.y() - 11, wide, 22};
}

void WaitGraph::paintEvent(QPaintEvent *)
{
    if (m_ask)
        setWaits(std::exchange(m_ask, nullptr)());
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.base);
    painter.setPen(m_theme.dim);
    painter.drawText(rect().adjusted(8, 2, -8, 0), Qt::AlignTop,
                     fontMetrics().elidedText(m_caption, Qt::ElideRight, width() - 16));
    if (m_waits.empty()) {
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                         m_nothing.isEmpty() ? tr("Nobody waits for anybody at this moment.")
                                             : m_nothing);
        return;
    }
    if (m_left_out != 0)
        painter.drawText(
            rect().adjusted(8, 0, -8, -2), Qt::AlignBottom,
            m_isReport ? tr("%1 waits more: they stand beside").arg(m_left_out)
            : m_caption.isEmpty()
                ? tr("%1 waits more: deed-trace waits lists them").arg(m_left_out)
                : tr("%1 waits more: deed-trace waits --at TIME lists them").arg(m_left_out));
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(font());
    for (const Arrow &each : m_waits)
        paintArrow(painter, each, metrics);
    if (m_isReport)
        paintLabels(painter, metrics);
    for (int i = 0; i < m_nodes.size(); ++i)
        paintNode(painter, i, metrics);
}

/// To the right, so that two that wait for each other are two arrows.
QPointF WaitGraph::bendOf(const Arrow &arrow, const QFontMetricsF &metrics) const
{
    const QPointF from = boxOf(arrow.from, metrics).center(),
                  to = boxOf(arrow.to, metrics).center();
    const QPointF way = to - from;
    return (from + to) / 2 + QPointF(-way.y(), way.x()) * 0.14;
}

void WaitGraph::paintArrow(QPainter &painter, const Arrow &arrow,
                           const QFontMetricsF &metrics) const
{
    const bool inCycle = arrow.wait->in_cycle;
    const QColor colour = inCycle ? m_theme.error : m_theme.dim;
    painter.setPen(QPen(colour, inCycle ? 2 : 1.2));
    painter.setBrush(Qt::NoBrush);
    const QPointF bend = bendOf(arrow, metrics);
    const QPointF start = edgeOf(boxOf(arrow.from, metrics), bend),
                  end = edgeOf(boxOf(arrow.to, metrics), bend);
    QPainterPath path(start);
    path.quadTo(bend, end);
    painter.drawPath(path);
    const QPointF last = end - bend;
    const double length = std::max(1.0, std::hypot(last.x(), last.y()));
    const QPointF tip = last / length * 9, wing = QPointF(-tip.y(), tip.x()) * 0.45;
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF({end, end - tip + wing, end - tip - wing}));
}

/// In the middle of its arrow; one that has no room there stands in the tooltip alone. Several
/// waits between the same two are one arrow to the eye.
void WaitGraph::paintLabels(QPainter &painter, const QFontMetricsF &metrics) const
{
    std::vector<QRectF> taken;
    for (int i = 0; i < m_nodes.size(); ++i)
        taken.push_back(boxOf(i, metrics).adjusted(-2, -2, 2, 2));
    QSet<std::pair<int, int>> drawn;
    for (const Arrow &each : m_waits) {
        if (drawn.contains({each.from, each.to}))
            continue;
        drawn.insert({each.from, each.to});
        const auto same = std::ranges::count_if(m_waits, [&](const Arrow &other) {
            return other.from == each.from && other.to == each.to;
        });
        const QString more = same == 1 ? QString() : tr(" and %1 more").arg(same - 1);
        const double room = std::min(mostWide, width() - 6.0) - metrics.horizontalAdvance(more);
        const QString text = fitted(subjectOf(*each.wait), metrics, room) + more;
        const QPointF middle =
            (boxOf(each.from, metrics).center() + boxOf(each.to, metrics).center()) / 4 +
            bendOf(each, metrics) / 2;
        QRectF box(0, 0, metrics.horizontalAdvance(text) + 6, metrics.height());
        box.moveCenter(middle);
        box.moveLeft(std::clamp(box.left(), 0.0, std::max(0.0, width() - box.width())));
        box.moveTop(std::clamp(box.top(), 0.0, std::max(0.0, height() - box.height())));
        if (std::ranges::any_of(taken, [&](const QRectF &other) { return other.intersects(box); }))
            continue;
        taken.push_back(box);
        painter.fillRect(box, m_theme.base);
        painter.setPen(m_theme.text);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void WaitGraph::paintNode(QPainter &painter, int node, const QFontMetricsF &metrics) const
{
    const QRectF box = boxOf(node, metrics);
    const bool stuck = std::any_of(m_waits.begin(), m_waits.end(), [&](const auto &e) {
        return e.wait->in_cycle && (e.from == node || e.to == node);
    });
    const bool guilty = m_nodes[node] == m_culprit;
    painter.setPen(QPen(stuck ? m_theme.error : m_theme.dim, stuck ? 1.8 : 1));
    painter.setBrush(guilty ? m_theme.error : m_theme.panel);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(guilty ? Theme::textOn(m_theme.error) : m_theme.text);
    painter.drawText(box, Qt::AlignCenter, fitted(textOf(node), metrics, box.width() - 8));
}

bool WaitGraph::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QStringList lines;
    for (int i = 0; i < m_nodes.size(); ++i)
        if (boxOf(i, QFontMetricsF(font())).contains(help->pos()))
            for (const Arrow &each : m_waits)
                if (each.from == i)
                    lines += tr("waits for %1: %2")
                                 .arg(textOf(each.to), QString::fromStdString(each.wait->because));
    QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
    return true;
}
