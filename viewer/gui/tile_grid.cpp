// SPDX-License-Identifier: MIT
#include "gui/tile_grid.hpp"

#include "analysis/say/units.hpp"
#include "gui/arrow_keys.hpp"
#include "gui/letters.hpp"
#include "gui/ownership_looks.hpp"
#include "gui/transfer_kinds.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cstdlib>
#include <utility>

using namespace deed::viewer;

namespace {

constexpr int highest = 24, lowest = 6; // Of tiles, which are two and a half times as wide.
constexpr int titleHeight = 18, indexHeight = 14, indexWidth = 26;
constexpr int nameRoom = 168; // Of a datum that has no place.
constexpr int nameHeight = 17;
constexpr int gridLegend = 24, apart = 14;

QColor colourOfRank(const Theme &theme, std::size_t rank)
{
    return theme.codelet(rank);
}

void fillWithRank(QPainter &painter, const QRect &where, const Theme &theme, std::size_t rank)
{
    const QColor colour = colourOfRank(theme, rank);
    painter.fillRect(where, colour);
    painter.fillRect(where, patternOf(theme.hatchOf(rank), colour));
}

} // namespace

TileGrid::TileGrid(ViewState *state, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_state(state)
    , m_blocks(tileBlocks(state->model()))
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Tiles of data"));
    layOut(); // Where the selection stands is asked before anybody sees it.
    const auto repaint = [this] { viewport()->update(); };
    connect(state, &ViewState::playheadChanged, this, repaint);
    connect(state, &ViewState::selectionChanged, this, repaint);
    connect(state, &ViewState::selectionChanged, this, &TileGrid::scrollToSelection);
}

void TileGrid::setTheme(const Theme &theme)
{
    m_theme = theme;
    viewport()->update();
}

void TileGrid::setHeat(std::shared_ptr<ShownHeat> heat)
{
    m_heat = std::move(heat);
    setAccessibleDescription(m_heat ? whyNot() : QString());
    viewport()->update();
}

int TileGrid::bottom() const
{
    return viewport()->height() - scaled(gridLegend);
}

int TileGrid::cellWidth(const TileBlock &block) const
{
    return block.shape == TileBlock::Names ? scaled(nameRoom) : m_high * 5 / 2;
}

/// What is named has to be read.
int TileGrid::cellHeight(const TileBlock &block) const
{
    return block.shape == TileBlock::Names ? std::max(m_high, scaled(nameHeight)) : m_high;
}

/// A line goes on below where there is no more room.
int TileGrid::perLine(const TileBlock &block) const
{
    const int all = static_cast<int>(block.columns.size());
    if (block.shape == TileBlock::Grid)
        return all;
    return std::clamp((viewport()->width() - scaled(indexWidth) - 8) / cellWidth(block), 1, all);
}

QSize TileGrid::sizeOf(const TileBlock &block) const
{
    const int across = perLine(block);
    const int rows = block.shape == TileBlock::Grid
                         ? static_cast<int>(block.rows.size())
                         : (static_cast<int>(block.columns.size()) + across - 1) / across;
    return {scaled(indexWidth) + across * cellWidth(block),
            scaled(titleHeight) + scaled(indexHeight) + rows * cellHeight(block)};
}

/// The height of all blocks, from left to right in as many lines as they need.
int TileGrid::placeAll()
{
    m_corners.clear();
    int x = 8, y = 0, line = 0;
    for (const TileBlock &each : m_blocks) {
        const QSize size = sizeOf(each);
        if (x > 8 && x + size.width() > viewport()->width()) {
            x = 8;
            y += line + scaled(apart) / 2;
            line = 0;
        }
        m_corners.emplace_back(x, y);
        x += size.width() + scaled(apart);
        line = std::max(line, size.height());
    }
    return y + line;
}

/// As large as all of them have room together.
void TileGrid::layOut()
{
    m_scale = letterScale(font());
    int height = 0;
    for (m_high = scaled(highest); m_high >= lowest; --m_high)
        if (height = placeAll(); height <= bottom())
            break;
    m_high = std::max(m_high, lowest);
    int width = 0;
    for (std::size_t i = 0; i < m_blocks.size(); ++i)
        width = std::max(width, m_corners[i].x() + sizeOf(m_blocks[i]).width());
    verticalScrollBar()->setRange(0, std::max(0, height - bottom()));
    verticalScrollBar()->setPageStep(std::max(1, bottom()));
    verticalScrollBar()->setSingleStep(m_high);
    horizontalScrollBar()->setRange(0, std::max(0, width + 8 - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
}

void TileGrid::resizeEvent(QResizeEvent *event)
{
    layOut();
    scrollToSelection();
    QAbstractScrollArea::resizeEvent(event);
}

void TileGrid::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        layOut();
}

QRect TileGrid::rectOf(std::size_t block, const PlacedTile &tile) const
{
    const TileBlock &of = m_blocks[block];
    const int across = perLine(of), wide = cellWidth(of), high = cellHeight(of);
    const int row = tile.row + tile.column / across, column = tile.column % across;
    const QPoint corner =
        m_corners[block] - QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value());
    return {corner.x() + scaled(indexWidth) + column * wide,
            corner.y() + scaled(titleHeight) + scaled(indexHeight) + row * high, wide - 1,
            high - 1};
}

/// Those of the lines that lie between two heights of the window.
std::span<const PlacedTile> TileGrid::tilesBetween(std::size_t block, int top, int bottom) const
{
    const std::span<const PlacedTile> all = m_blocks[block].tiles; // From the top.
    const auto first = std::ranges::partition_point(
        all, [&](const PlacedTile &each) { return rectOf(block, each).bottom() < top; });
    const auto end = std::partition_point(first, all.end(), [&](const PlacedTile &each) {
        return rectOf(block, each).top() < bottom;
    });
    return {first, end};
}

std::optional<TileGrid::Spot> TileGrid::spotOf(std::uint32_t handle) const
{
    for (std::size_t block = 0; block < m_blocks.size(); ++block) {
        const auto &tiles = m_blocks[block].tiles;
        const auto at = std::ranges::find(tiles, handle, &PlacedTile::handle);
        if (at != tiles.end())
            return Spot{block, static_cast<std::size_t>(at - tiles.begin())};
    }
    return {};
}

QRect TileGrid::tileRect(std::uint32_t handle) const
{
    const auto at = spotOf(handle);
    return at ? rectOf(at->block, m_blocks[at->block].tiles[at->tile]) : QRect();
}

std::uint32_t TileGrid::handleAt(const QPoint &at) const
{
    if (at.y() >= bottom())
        return none;
    for (std::size_t block = 0; block < m_blocks.size(); ++block)
        for (const PlacedTile &each : tilesBetween(block, at.y(), at.y() + 1))
            if (rectOf(block, each).contains(at))
                return each.handle;
    return none;
}

datum_state TileGrid::stateOf(std::uint32_t handle)
{
    datum_seeker &seeker = m_seekers.try_emplace(handle, m_state->model(), handle).first->second;
    return seeker.at(m_state->playhead(), m_state->leftOut());
}

/// Why there are no tiles; empty if there are.
QString TileGrid::whyNot() const
{
    return m_blocks.empty() ? tr("This run has registered no data.")
           : m_heat         ? m_heat->whyNot(ShownHeat::Of::Data)
                            : m_state->whyNotKnown();
}

void TileGrid::paintEvent(QPaintEvent *)
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
    painter.setClipRect(0, 0, viewport()->width(), bottom());
    const std::size_t known = m_seekers.size();
    for (std::size_t block = 0; block < m_blocks.size(); ++block)
        paintBlock(painter, block);
    if (m_seekers.size() != known)
        m_state->restSoon(); // The first look at a datum is at all of its events.
    if (const QRect selected = tileRect(m_state->selectedHandle()); !selected.isEmpty()) {
        painter.setPen(QPen(m_theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(selected.adjusted(-1, -1, 1, 1));
    }
    painter.setClipping(false);
    paintLegend(painter);
}

void TileGrid::paintBlock(QPainter &painter, std::size_t block)
{
    const TileBlock &of = m_blocks[block];
    const QPoint corner =
        m_corners[block] - QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value());
    const QRect all(corner, sizeOf(of));
    if (!all.intersects({0, 0, viewport()->width(), bottom()}))
        return;
    painter.setPen(m_theme.text);
    painter.drawText(QRect(corner.x(), corner.y(), viewport()->width(), scaled(titleHeight)),
                     Qt::AlignVCenter,
                     of.shape == TileBlock::Grid
                         ? tr("%1, %2 x %3").arg(of.name).arg(of.rows.size()).arg(of.columns.size())
                         : of.name);
    if (of.shape != TileBlock::Names)
        paintIndices(painter, block);
    for (const PlacedTile &each : tilesBetween(block, 0, bottom())) {
        const QRect where = rectOf(block, each);
        if (where.right() >= 0 && where.left() < viewport()->width())
            paintTile(painter, where, each.handle, of.shape == TileBlock::Names);
    }
}

/// As many as have room.
void TileGrid::paintIndices(QPainter &painter, std::size_t block) const
{
    const TileBlock &of = m_blocks[block];
    painter.setPen(m_theme.dim);
    const int wide = cellWidth(of), across = perLine(of);
    const auto every = [](int size, int room) { return std::max(1, (room + size - 1) / size); };
    const int room = 6 + painter.fontMetrics().horizontalAdvance(
                             QString::number(of.columns.empty() ? 0 : of.columns.back()));
    for (int c = 0; c < across; c += every(wide, room)) {
        const QRect first = rectOf(block, {none, 0, c});
        painter.drawText(QRect(first.left(), first.top() - scaled(indexHeight),
                               std::max(wide, room), scaled(indexHeight)),
                         wide >= room ? int{Qt::AlignCenter} : Qt::AlignVCenter | Qt::AlignLeft,
                         QString::number(of.columns[static_cast<std::size_t>(c)]));
    }
    if (of.shape != TileBlock::Grid)
        return;
    const int rows = static_cast<int>(of.rows.size()), high = scaled(13);
    for (int r = 0; r < rows; r += every(m_high, high)) {
        const QRect first = rectOf(block, {none, r, 0});
        painter.drawText(QRect(first.left() - scaled(indexWidth), first.top(),
                               scaled(indexWidth) - 4, std::max(m_high, high)),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(of.rows[static_cast<std::size_t>(r)]));
    }
}

void TileGrid::paintTile(QPainter &painter, const QRect &where, std::uint32_t handle, bool named)
{
    QRect cell = where;
    if (named) {
        const int name = where.width() * 3 / 5;
        painter.setPen(m_theme.text);
        painter.drawText(QRect(where.left(), where.top(), name, where.height()),
                         Qt::AlignVCenter | Qt::AlignRight,
                         painter.fontMetrics().elidedText(
                             QString::fromStdString(m_state->model().handle_name(handle)),
                             Qt::ElideMiddle, name));
        cell.setLeft(where.left() + name + 5);
    }
    if (!m_heat)
        return paintOwner(painter, cell, handle);
    const std::int64_t value = m_heat->of(handle).all;
    paintHeatCell(painter, cell, m_theme,
                  heatColour(m_theme, value != 0, m_heat->partOfDatum(value)),
                  value == 0 ? QString() : m_heat->say(value));
}

/// Its number and the version, where there is room.
void TileGrid::paintOwner(QPainter &painter, const QRect &where, std::uint32_t handle)
{
    const datum_state state = stateOf(handle);
    if (state.owner == none || state.owner >= state.copies.size()) {
        painter.fillRect(where, m_theme.panel);
        const Lack lack = lackOf(state, state.copies.front());
        const bool each =
            m_state->model().data()[handle].is_per_rank() && lack == Lack::Registration;
        each ? painter.drawText(where, Qt::AlignCenter, tr("each"))
             : paintLack(painter, where, lack, m_theme.dim);
        return;
    }
    const std::size_t rank = state.owner;
    fillWithRank(painter, where, m_theme, rank);
    const QString number = QString::number(rank);
    const QString whole =
        state.version_known ? QStringLiteral("%1 v%2").arg(number).arg(state.version) : number;
    const auto fits = [&](const QString &text) {
        return where.height() >= scaled(12) &&
               painter.fontMetrics().horizontalAdvance(text) <= where.width() - 2;
    };
    if (!fits(number))
        return;
    const QString text = fits(whole) ? whole : number;
    const QColor colour = colourOfRank(m_theme, rank); // Behind the number no hatch.
    const int wide = painter.fontMetrics().horizontalAdvance(text) + 2;
    painter.fillRect(QRect(where.center().x() - wide / 2, where.top(), wide, where.height()),
                     colour);
    painter.setPen(Theme::textOn(colour));
    painter.drawText(where, Qt::AlignCenter, text);
}

void TileGrid::paintLegend(QPainter &painter)
{
    const QRect where(0, bottom(), viewport()->width(), scaled(gridLegend));
    painter.fillRect(where, m_theme.panel);
    QString right;
    int x = 8;
    if (m_heat) {
        x = paintHeatScale(painter, where, m_theme, m_heat->say(m_heat->ofRun().most));
        right = m_heat->head();
    } else {
        painter.setPen(m_theme.dim);
        painter.drawText(where.adjusted(x, 0, 0, 0), Qt::AlignVCenter, tr("owner"));
        x += painter.fontMetrics().horizontalAdvance(tr("owner")) + 8;
        const int side = scaled(16);
        right = tr("at %1").arg(QString::fromStdString(say_time(m_state->playhead())));
        const int room = where.width() - painter.fontMetrics().horizontalAdvance(right) - 60;
        for (int rank = 0; rank < m_state->model().ranks() && x < room; ++rank) {
            const QString text = QString::number(rank);
            fillWithRank(painter, {x, where.top() + scaled(4), side, side}, m_theme,
                         static_cast<std::size_t>(rank));
            painter.setPen(m_theme.dim);
            painter.drawText(QRect(x + side + 4, where.top(), 60, where.height()), Qt::AlignVCenter,
                             text);
            x += side + 14 + painter.fontMetrics().horizontalAdvance(text);
        }
    }
    painter.setPen(m_theme.dim);
    painter.drawText(where.adjusted(x, 0, -8, 0), Qt::AlignVCenter | Qt::AlignRight, right);
}

/// "A[3,2]", and a line for each rank.
QString TileGrid::sayTile(std::uint32_t handle)
{
    const QString name = QString::fromStdString(m_state->model().handle_name(handle));
    if (m_heat)
        return tr("%1: %2 (%3)").arg(name, m_heat->say(m_heat->of(handle).all), m_heat->head());
    const datum_state state = stateOf(handle);
    QStringList lines{name};
    for (int rank = 0; rank < m_state->model().ranks(); ++rank) {
        const copy_at copy = shownCopy(m_state->model(), handle, state, rank);
        const bool owner = isOwner(state, rank);
        const bool told = is_told(state, copy);
        if (owner || copy.kind != copy_kind::absent)
            lines += tr("rank %1: %2")
                         .arg(rank)
                         .arg(sayCopy(m_theme, {copy.kind, copy.version, told, copy.ended}, owner,
                                      lackOf(state, copy)));
    }
    if (lines.size() == 1 && !state.copies.empty())
        lines += sayLack(lackOf(state, state.copies.front()));
    return lines.join(QLatin1Char('\n'));
}

void TileGrid::mousePressEvent(QMouseEvent *event)
{
    const std::uint32_t handle = handleAt(event->pos());
    if (event->button() == Qt::LeftButton && handle != none)
        m_state->select({Selection::Handle, handle});
}

bool TileGrid::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const std::uint32_t handle = whyNot().isEmpty() ? handleAt(help->pos()) : none;
    handle == none ? QToolTip::hideText()
                   : QToolTip::showText(help->globalPos(), sayTile(handle), viewport());
    return true;
}

bool TileGrid::event(QEvent *event)
{
    return takesArrows(event) || QAbstractScrollArea::event(event);
}

/// The cursor is the selected handle; it goes to the nearest tile in that direction.
void TileGrid::keyPressEvent(QKeyEvent *event)
{
    const int key = event->key();
    const int down = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    const int right = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    if ((down == 0 && right == 0) || m_blocks.empty())
        return QAbstractScrollArea::keyPressEvent(event);
    const QRect from = tileRect(m_state->selectedHandle());
    std::uint32_t next = from.isEmpty() ? m_blocks.front().tiles.front().handle : none;
    int least = 0;
    for (std::size_t block = 0; block < m_blocks.size() && !from.isEmpty(); ++block)
        for (const PlacedTile &each : m_blocks[block].tiles) {
            const QPoint to = rectOf(block, each).center() - from.center();
            const int ahead = to.x() * right + to.y() * down;
            const int aside = std::abs(to.x() * down) + std::abs(to.y() * right);
            const int way = ahead + 4 * aside;
            if (ahead > 0 && (next == none || way < least)) {
                next = each.handle;
                least = way;
            }
        }
    if (next != none)
        m_state->select({Selection::Handle, next});
}

void TileGrid::scrollToSelection()
{
    const QRect at = tileRect(m_state->selectedHandle());
    if (at.isEmpty())
        return;
    if (at.top() < 0 || at.bottom() >= bottom())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + at.center().y() -
                                      bottom() / 2);
    if (at.left() < 0 || at.right() >= viewport()->width())
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + at.center().x() -
                                        viewport()->width() / 2);
}
