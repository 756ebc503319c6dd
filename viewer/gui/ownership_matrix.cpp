// SPDX-License-Identifier: MIT
#include "gui/ownership_matrix.hpp"

#include "analysis/ask/datum_memories.hpp"
#include "analysis/say/units.hpp"
#include "gui/letters.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPixmap>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

using namespace deed::viewer;

namespace {

// Of cells: an owner, whose copy is no valid one, has a band of its own.
constexpr int narrowest = narrowestCopy;
constexpr int leastCell = narrowest + 1; // With the line beside it: more ranks are scrolled to.
constexpr int bandWidth = 12;
constexpr int bandHeight = 5;

/// As much of "O v12" as has room; half a number would be another one.
QString textOf(const CopyLook &look, const copy_at &copy, int width, const QFontMetrics &metrics)
{
    const QString letter(QLatin1Char(look.letter));
    const QString whole = letter + QLatin1Char(' ') + versionOf(copy);
    return metrics.horizontalAdvance(whole) <= width - 2 ? whole
           : width >= narrowest                          ? letter
                                                         : QString();
}

} // namespace

OwnershipMatrix::OwnershipMatrix(ViewState *state, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_state(state)
{
    setFrameShape(QFrame::NoFrame);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Ownership matrix"));
    const model &m = state->model();
    for (std::uint32_t h = 0; h < m.data().size(); ++h)
        if (m.data()[h].known)
            m_handles.push_back(h);
    m_used.resize(m.data().size());
    for (const auto &a : m.all_accesses()) {
        if (a.handle < m_used.size())
            m_used[a.handle] = true;
        m_lastVersion =
            std::max({m_lastVersion, std::uint32_t{a.ver_in}, std::uint32_t{a.ver_out}});
    }
    orderRows(); // Where the selection stands is asked before it is painted.
    const auto repaint = [this] { viewport()->update(); };
    connect(state, &ViewState::playheadChanged, this, repaint);
    connect(state, &ViewState::selectionChanged, this, repaint);
    connect(state, &ViewState::selectionChanged, this, &OwnershipMatrix::scrollToSelection);
}

void OwnershipMatrix::setTheme(const Theme &theme)
{
    m_theme = theme;
    viewport()->update();
}

int OwnershipMatrix::cellWidth() const
{
    return std::clamp((viewport()->width() - scaled(nameWidth) - 8) / std::max(1, columns()),
                      scaled(leastCell), m_widestCell);
}

int OwnershipMatrix::blockWidth() const
{
    return scaled(nameWidth) + columns() * cellWidth() + 14;
}

int OwnershipMatrix::blocks() const
{
    return std::max(1, viewport()->width() / blockWidth());
}

int OwnershipMatrix::rowsPerBlock() const
{
    const int rows = static_cast<int>(m_handles.size());
    const int page = std::max(
        1, (viewport()->height() - scaled(headHeight) - scaled(legendHeight)) / scaled(rowHeight));
    return std::max(page, (rows + blocks() - 1) / blocks());
}

QPoint OwnershipMatrix::cornerOf(int index) const
{
    const int per = rowsPerBlock();
    return {index / per * blockWidth() - horizontalScrollBar()->value(),
            scaled(headHeight) + (index % per - verticalScrollBar()->value()) * scaled(rowHeight)};
}

void OwnershipMatrix::updateScrollBars()
{
    const int page = std::max(
        1, (viewport()->height() - scaled(headHeight) - scaled(legendHeight)) / scaled(rowHeight));
    verticalScrollBar()->setRange(
        0, std::max(0, std::min(rowsPerBlock(), static_cast<int>(m_handles.size())) - page));
    verticalScrollBar()->setPageStep(page);
    horizontalScrollBar()->setRange(0, std::max(0, blockWidth() - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
}

/// As wide as the longest text, where there is room.
void OwnershipMatrix::chooseWidth()
{
    const QString longest = m_heat ? m_heat->longest() : QStringLiteral("O v%1").arg(m_lastVersion);
    m_scale = letterScale(font());
    m_widestCell =
        std::max(scaled(44), scaled(bandWidth) + fontMetrics().horizontalAdvance(longest) + 6);
}

void OwnershipMatrix::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() != QEvent::FontChange)
        return;
    chooseWidth();
    updateScrollBars();
}

void OwnershipMatrix::resizeEvent(QResizeEvent *event)
{
    chooseWidth();
    updateScrollBars();
    scrollToSelection();
    QAbstractScrollArea::resizeEvent(event);
}

void OwnershipMatrix::scrollToSelection()
{
    const auto at = std::ranges::find(m_handles, m_state->selectedHandle());
    if (at == m_handles.end())
        return;
    const int row = static_cast<int>(at - m_handles.begin()) % rowsPerBlock();
    const int top = verticalScrollBar()->value(), page = verticalScrollBar()->pageStep();
    if (row < top || row >= top + page)
        verticalScrollBar()->setValue(row - page / 2);
}

/// What a cell looks like. Who owns a datum is seen also while his copy is none that is valid.
QPixmap OwnershipMatrix::picture(const copy_at &copy, bool owner, Lack lack,
                                 const QSize &size) const
{
    const CopyLook look = lookOf(m_theme, copy.kind);
    const qreal scale = devicePixelRatioF();
    QPixmap made((QSizeF(size) * scale).toSize());
    made.setDevicePixelRatio(scale);
    made.fill(look.colour);
    QPainter painter(&made);
    painter.setFont(font());
    QRect cell(QPoint(0, 0), size);
    if (owner && copy.kind != copy_kind::owner) {
        const CopyLook band = lookOf(m_theme, copy_kind::owner);
        const bool beside = size.width() >= 2 * scaled(bandWidth);
        const QRect mark = beside ? QRect(0, 0, scaled(bandWidth), size.height())
                                  : cell.adjusted(0, 0, 0, -scaled(bandHeight));
        painter.fillRect(mark, band.colour);
        painter.setPen(Theme::textOn(band.colour));
        if (mark.width() >= narrowest)
            painter.drawText(mark, Qt::AlignCenter, QString(QLatin1Char(band.letter)));
        if (!beside)
            return made;
        cell.setLeft(scaled(bandWidth));
    }
    if (copy.kind == copy_kind::absent) {
        paintLack(painter, cell, lack, m_theme.dim);
    } else {
        painter.setPen(Theme::textOn(look.colour));
        painter.drawText(cell, Qt::AlignCenter,
                         textOf(look, copy, cell.width(), painter.fontMetrics()));
    }
    return made;
}

/// The places of the rows that are seen, among all.
std::vector<int> OwnershipMatrix::rowsInView() const
{
    const int bottom = viewport()->height() - scaled(legendHeight);
    std::vector<int> rows;
    for (int index = 0; index < static_cast<int>(m_handles.size()); ++index) {
        const QPoint at = cornerOf(index);
        if (at.y() + scaled(rowHeight) > scaled(headHeight) && at.y() < bottom &&
            at.x() <= viewport()->width())
            rows.push_back(index);
    }
    return rows;
}

/// Where the names of the rows of a block stand: those of one alone stay where they are read.
int OwnershipMatrix::namesLeft(int block) const
{
    return blocks() == 1 ? 0 : block * blockWidth() - horizontalScrollBar()->value();
}

/// Why there are no rows; empty if there are.
QString OwnershipMatrix::whyNot() const
{
    return m_handles.empty() ? tr("This run has registered no data.")
           : m_heat          ? m_heat->whyNot(ShownHeat::Of::Ranks)
                             : m_state->whyNotKnown();
}

void OwnershipMatrix::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.base);
    const QString nothing = whyNot();
    if (!nothing.isEmpty()) {
        painter.setPen(m_theme.dim);
        painter.drawText(viewport()->rect().adjusted(8, 8, -8, -8),
                         Qt::AlignCenter | Qt::TextWordWrap, nothing);
        return;
    }
    const int bottom = viewport()->height() - scaled(legendHeight);
    painter.setClipRect(0, scaled(headHeight), viewport()->width(), bottom - scaled(headHeight));
    Painted painted;
    const std::size_t known = m_seekers.size();
    for (const int index : rowsInView()) {
        m_heat ? paintHeat(painter, index) : paintCopies(painter, index, painted);
        paintName(painter, index);
    }
    if (m_seekers.size() != known)
        m_state->restSoon(); // The first look at a datum is at all of its events.
    painter.setClipping(false);
    paintHead(painter);
    m_heat ? paintHeatLegend(painter) : paintLegend(painter, painted.lacking);
}

/// Who has what of a datum at the playhead.
void OwnershipMatrix::paintCopies(QPainter &painter, int index, Painted &painted)
{
    const model &m = m_state->model();
    const std::uint32_t handle = m_handles[static_cast<std::size_t>(index)];
    datum_seeker &seeker = m_seekers.try_emplace(handle, m, handle).first->second;
    const datum_state state = seeker.at(m_state->playhead(), m_state->leftOut());
    const QPoint at = cornerOf(index);
    const int width = cellWidth();
    for (int rank = 0; rank < m.ranks(); ++rank) {
        const copy_at copy = shownCopy(m, handle, state, rank);
        const QSize size(width - 1, scaled(rowHeight) - 1);
        const bool owner = isOwner(state, rank);
        const std::uint32_t version = size.width() > 2 * narrowest ? copy.version : 0;
        const bool told = is_told(state, copy);
        const Lack lack = lackOf(state, copy);
        if (copy.kind == copy_kind::absent && !owner)
            painted.lacking.insert(lack);
        QPixmap &cell = painted.pictures[quint64(lack) << 41 | quint64(told) << 40 |
                                         quint64(copy.kind) << 33 | quint64(owner) << 32 | version];
        if (cell.isNull())
            cell = picture({copy.kind, version, told}, owner, lack, size);
        painter.drawPixmap(at.x() + scaled(nameWidth) + rank * width, at.y(), cell);
    }
}

void OwnershipMatrix::paintName(QPainter &painter, int index) const
{
    const std::uint32_t handle = m_handles[static_cast<std::size_t>(index)];
    const QPoint at = cornerOf(index);
    const int names = namesLeft(index / rowsPerBlock());
    const bool selected = handle == m_state->selectedHandle();
    painter.fillRect(names, at.y(), scaled(nameWidth), scaled(rowHeight),
                     selected ? m_theme.accent : m_theme.panel);
    painter.setPen(selected ? Theme::textOn(m_theme.accent) : m_theme.text);
    painter.drawText(QRect(names + 8, at.y(), scaled(nameWidth) - 10, scaled(rowHeight)),
                     Qt::AlignVCenter,
                     QString::fromStdString(m_state->model().handle_name(handle)));
    if (!selected)
        return;
    painter.setPen(QPen(m_theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(at.x() + 1, at.y(), scaled(nameWidth) + columns() * cellWidth() - 2,
                     scaled(rowHeight) - 1);
}

/// The ranks above their columns; behind them, of a measure, the datum as a whole.
void OwnershipMatrix::paintHead(QPainter &painter) const
{
    const int ranks = m_state->model().ranks(), width = cellWidth();
    painter.fillRect(0, 0, viewport()->width(), scaled(headHeight), m_theme.panel);
    painter.setPen(m_theme.dim);
    const int label =
        std::max(26, 4 + fontMetrics().horizontalAdvance(QString::number(std::max(0, ranks - 1))));
    int labelEvery = 1;
    while (labelEvery * width < label)
        labelEvery *= 2;
    const int used = (static_cast<int>(m_handles.size()) + rowsPerBlock() - 1) / rowsPerBlock();
    for (int block = 0; block < used; ++block) {
        const int left = block * blockWidth() - horizontalScrollBar()->value();
        for (int column = 0; column < columns(); ++column)
            if (column == ranks || column % labelEvery == 0)
                painter.drawText(QRect(left + scaled(nameWidth) + column * width, 0,
                                       std::max(width, label), scaled(headHeight)),
                                 width >= label ? int{Qt::AlignCenter}
                                                : Qt::AlignVCenter | Qt::AlignLeft,
                                 column == ranks ? tr("all") : QString::number(column));
        painter.fillRect(namesLeft(block), 0, scaled(nameWidth), scaled(headHeight), m_theme.panel);
        painter.drawText(QRect(namesLeft(block) + 8, 0, scaled(nameWidth) - 10, scaled(headHeight)),
                         Qt::AlignVCenter, tr("handle \\ rank"));
    }
}

/// What the kinds of copies are, and why others lack that are in view, as far as there is room.
void OwnershipMatrix::paintLegend(QPainter &painter, const std::set<Lack> &lacking) const
{
    const int bottom = viewport()->height() - scaled(legendHeight);
    painter.fillRect(0, bottom, viewport()->width(), scaled(legendHeight), m_theme.panel);
    int x = 8;
    for (const copy_kind kind :
         {copy_kind::owner, copy_kind::shared, copy_kind::pending, copy_kind::stale}) {
        const CopyLook look = lookOf(m_theme, kind);
        painter.fillRect(x, bottom + scaled(4), scaled(16), scaled(16), look.colour);
        painter.setPen(Theme::textOn(look.colour));
        painter.drawText(QRect(x, bottom + scaled(4), scaled(16), scaled(16)), Qt::AlignCenter,
                         QString(QLatin1Char(look.letter)));
        painter.setPen(m_theme.dim);
        const QString word = QLatin1String(look.word);
        painter.drawText(x + scaled(16) + 5, bottom + scaled(17), word);
        x += scaled(16) + 18 + painter.fontMetrics().horizontalAdvance(word);
    }
    for (const Lack each : lacking) {
        const int wide = scaled(16) + 5 + painter.fontMetrics().horizontalAdvance(sayLack(each));
        if (x + wide + 8 > viewport()->width())
            break;
        const QRect box(x, bottom + scaled(4), scaled(16), scaled(16));
        painter.fillRect(box, m_theme.base);
        paintLack(painter, box, each, m_theme.dim);
        painter.setPen(m_theme.dim);
        painter.drawText(x + scaled(16) + 5, bottom + scaled(17), sayLack(each));
        x += wide + 13;
    }
    sayAtRight(painter, x, tr("at %1").arg(QString::fromStdString(say_time(m_state->playhead()))));
}

/// Of what is shown, and in which order the rows are, as far as there is room.
void OwnershipMatrix::sayAtRight(QPainter &painter, int x, const QString &what) const
{
    const int bottom = viewport()->height() - scaled(legendHeight);
    painter.setPen(m_theme.dim);
    const QString order = m_order == Order::AsRegistered ? tr("as registered")
                          : m_heat                       ? tr("most first")
                                                         : tr("most sent first");
    for (const QString &text : {tr("%1, %2").arg(order, what), what}) {
        if (x + painter.fontMetrics().horizontalAdvance(text) + 8 >= viewport()->width())
            continue;
        painter.drawText(QRect(x, bottom, viewport()->width() - x - 8, scaled(legendHeight)),
                         Qt::AlignVCenter | Qt::AlignRight, text);
        break;
    }
}

int OwnershipMatrix::handleAt(const QPoint &at) const
{
    if (at.y() < scaled(headHeight) || at.y() >= viewport()->height() - scaled(legendHeight))
        return -1;
    const int block = (at.x() + horizontalScrollBar()->value()) / blockWidth();
    const int row =
        (at.y() - scaled(headHeight)) / scaled(rowHeight) + verticalScrollBar()->value();
    const int index = block * rowsPerBlock() + row;
    return row >= rowsPerBlock() || index >= static_cast<int>(m_handles.size()) ? -1 : index;
}

void OwnershipMatrix::mousePressEvent(QMouseEvent *event)
{
    const int index = handleAt(event->pos());
    if (index >= 0)
        m_state->select({Selection::Handle, m_handles[static_cast<std::size_t>(index)]});
}

bool OwnershipMatrix::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int index = whyNot().isEmpty() ? handleAt(help->pos()) : -1;
    const int rank =
        index < 0 ? -1 : (help->pos().x() - cornerOf(index).x() - scaled(nameWidth)) / cellWidth();
    if (rank < 0 || rank >= columns() ||
        help->pos().x() < namesLeft(index / rowsPerBlock()) + scaled(nameWidth)) {
        QToolTip::hideText();
        return true;
    }
    const std::uint32_t handle = m_handles[static_cast<std::size_t>(index)];
    if (m_heat) {
        QToolTip::showText(help->globalPos(), sayHeat(handle, rank), viewport());
        return true;
    }
    const datum_state state =
        state_at(m_state->model(), handle, m_state->playhead(), m_state->leftOut());
    const model &m = m_state->model();
    const copy_at copy = shownCopy(m, handle, state, rank);
    memory_walk memories = memories_beside_devices(m, handle);
    memories.advance(m_state->playhead());
    const std::string where = say_memories(m.events(), state, copy_kind::shared, memories, rank);
    QToolTip::showText(
        help->globalPos(),
        tr("%1 on rank %2: %3")
                .arg(QString::fromStdString(m.handle_name(handle)))
                .arg(rank)
                .arg(sayCopy(m_theme, {copy.kind, copy.version, is_told(state, copy), copy.ended},
                             isOwner(state, rank), lackOf(state, copy))) +
            (where.empty() ? QString() : QLatin1Char('\n') + QString::fromStdString(where)),
        viewport());
    return true;
}
