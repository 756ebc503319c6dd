// SPDX-License-Identifier: MIT
#include "gui/letters.hpp"
#include "gui/panels.hpp"

#include "analysis/say/units.hpp"

#include <QHash>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPixmap>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <set>

using namespace deed::viewer;

namespace {

constexpr int nameWidth = 96;
constexpr int rowHeight = 19;
constexpr int headHeight = 22;
constexpr int legendHeight = 24;

// Of cells: from so many pixels on one says its kind; an owner, whose copy is no valid one, has a
// band of its own.
constexpr int narrowest = 11;
constexpr int leastCell = narrowest + 1; // With the line beside it: more ranks are scrolled to.
constexpr int bandWidth = 12;
constexpr int bandHeight = 5;

struct Look {
    QColor colour;
    char letter;
    const char *word;
};

Look lookOf(const Theme &theme, copy_kind kind)
{
    switch (kind) {
    case copy_kind::owner:
        return {theme.owner, 'O', "owner"};
    case copy_kind::shared:
        return {theme.shared, 'S', "valid copy"};
    case copy_kind::pending:
        return {theme.pending, 'P', "on its way"};
    case copy_kind::stale:
        return {theme.stale, 'x', "stale"};
    case copy_kind::absent:
        break;
    }
    return {theme.base, '.', "none"};
}

/// A flight recorder may not tell which version it was: "v?".
QString versionOf(const copy_at &copy)
{
    return copy.known ? QStringLiteral("v%1").arg(copy.version) : QStringLiteral("v?");
}

/// As much of "O v12" as has room; half a number would be another one.
QString textOf(const Look &look, const copy_at &copy, int width, const QFontMetrics &metrics)
{
    const QString letter(QLatin1Char(look.letter));
    const QString whole = letter + QLatin1Char(' ') + versionOf(copy);
    return metrics.horizontalAdvance(whole) <= width - 2 ? whole
           : width >= narrowest                          ? letter
                                                         : QString();
}

/// Of a datum of which each rank has one, each is an owner.
copy_at shownCopy(const model &of, std::uint32_t handle, const datum_state &state, int rank)
{
    copy_at copy = state.copies[static_cast<std::size_t>(rank)];
    if (copy.kind == copy_kind::shared && of.data()[handle].is_per_rank())
        copy.kind = copy_kind::owner;
    return copy;
}

/// One whose program has come to the end of the datum has nothing to show.
bool isOwner(const datum_state &state, int rank)
{
    return state.owner == static_cast<std::uint32_t>(rank) &&
           !state.copies[static_cast<std::size_t>(rank)].ended;
}

using Lack = OwnershipMatrix::Lack;

Lack lackOf(const datum_state &state, const copy_at &copy)
{
    if (!is_told(state, copy))
        return Lack::Records;
    if (copy.ended)
        return Lack::End;
    const bool registered =
        state.owner != none || !state.owner_known || !state.unregistered.empty();
    return registered ? Lack::Copy : Lack::Registration;
}

/// Points and a line: a letter would be one more kind of copy.
void paintLack(QPainter &painter, const QRect &cell, Lack what, const QColor &colour)
{
    const int x = cell.center().x(), y = cell.center().y();
    const bool narrow = cell.width() < narrowest;
    switch (what) {
    case Lack::Copy:
        painter.fillRect(x, y, 2, 2, colour);
        break;
    case Lack::Registration:
        for (const int apart : {-4, 0, 4})
            painter.fillRect(x + (narrow ? apart / 2 : apart), y, narrow ? 1 : 2, 2, colour);
        break;
    case Lack::End:
        painter.fillRect(x - (narrow ? 2 : 4), y, narrow ? 5 : 10, 2, colour);
        break;
    case Lack::Records:
        painter.setPen(colour);
        painter.drawText(cell, Qt::AlignCenter, QStringLiteral("?"));
        break;
    }
}

QString sayLack(Lack what)
{
    switch (what) {
    case Lack::Copy:
        return QObject::tr("no copy");
    case Lack::Registration:
        return QObject::tr("not registered yet");
    case Lack::End:
        return QObject::tr("unregistered");
    case Lack::Records:
        break;
    }
    return QObject::tr("not known");
}

/// "owner, its copy is stale, v3".
QString sayCopy(const Theme &theme, const copy_at &copy, bool owner, Lack lack)
{
    const QString word = QLatin1String(lookOf(theme, copy.kind).word);
    if (copy.kind == copy_kind::absent && !owner && lack != Lack::Records)
        return sayLack(lack);
    if (owner && copy.kind == copy_kind::absent)
        return copy.known ? QObject::tr("owner, without a copy") : QObject::tr("owner");
    if (copy.kind == copy_kind::absent && !copy.known)
        return QObject::tr("not known: what was recorded does not tell");
    return QStringLiteral("%1, %2")
        .arg(owner && copy.kind != copy_kind::owner ? QObject::tr("owner, its copy is %1").arg(word)
                                                    : word)
        .arg(versionOf(copy));
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
    std::vector<bool> used(m.data().size());
    for (const auto &a : m.all_accesses()) {
        if (a.handle < used.size())
            used[a.handle] = true;
        m_lastVersion =
            std::max({m_lastVersion, std::uint32_t{a.ver_in}, std::uint32_t{a.ver_out}});
    }
    // Those that no task uses, as above the diagonal of a factorisation, come last.
    std::stable_sort(m_handles.begin(), m_handles.end(), [&](auto a, auto b) {
        const auto size = [&](std::uint32_t h) {
            return std::pair(m.transfers_of(h).size(), bool{used[h]});
        };
        return size(a) > size(b);
    });
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
    return std::clamp((viewport()->width() - scaled(nameWidth) - 8) /
                          std::max(1, m_state->model().ranks()),
                      scaled(leastCell), m_widestCell);
}

int OwnershipMatrix::blockWidth() const
{
    return scaled(nameWidth) + m_state->model().ranks() * cellWidth() + 14;
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
    const QString longest = QStringLiteral("O v%1").arg(m_lastVersion);
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
    const Look look = lookOf(m_theme, copy.kind);
    const qreal scale = devicePixelRatioF();
    QPixmap made((QSizeF(size) * scale).toSize());
    made.setDevicePixelRatio(scale);
    made.fill(look.colour);
    QPainter painter(&made);
    painter.setFont(font());
    QRect cell(QPoint(0, 0), size);
    if (owner && copy.kind != copy_kind::owner) {
        const Look band = lookOf(m_theme, copy_kind::owner);
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

/// The handles of the rows that are seen, each with its place among all and its state now.
std::vector<OwnershipMatrix::Row> OwnershipMatrix::rowsInView()
{
    const model &m = m_state->model();
    const int bottom = viewport()->height() - scaled(legendHeight);
    const std::size_t known = m_seekers.size();
    std::vector<Row> rows;
    for (int index = 0; index < static_cast<int>(m_handles.size()); ++index) {
        const QPoint at = cornerOf(index);
        if (at.y() + scaled(rowHeight) <= scaled(headHeight) || at.y() >= bottom ||
            at.x() > viewport()->width())
            continue;
        const std::uint32_t handle = m_handles[static_cast<std::size_t>(index)];
        datum_seeker &seeker = m_seekers.try_emplace(handle, m, handle).first->second;
        rows.push_back({index, handle, seeker.at(m_state->playhead(), m_state->leftOut())});
    }
    if (m_seekers.size() != known)
        m_state->restSoon(); // The first look at a datum is at all of its events.
    return rows;
}

/// Where the names of the rows of a block stand: those of one alone stay where they are read.
int OwnershipMatrix::namesLeft(int block) const
{
    return blocks() == 1 ? 0 : block * blockWidth() - horizontalScrollBar()->value();
}

void OwnershipMatrix::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    // To lay a text out takes longer than all the rest of a cell, and many cells say the same.
    QHash<quint64, QPixmap> pictures;
    painter.fillRect(viewport()->rect(), m_theme.base);
    const QString nothing =
        m_handles.empty() ? tr("This run has registered no data.") : m_state->whyNotKnown();
    if (!nothing.isEmpty()) {
        painter.setPen(m_theme.dim);
        painter.drawText(viewport()->rect().adjusted(8, 8, -8, -8),
                         Qt::AlignCenter | Qt::TextWordWrap, nothing);
        return;
    }
    const model &m = m_state->model();
    const int width = cellWidth();
    const int bottom = viewport()->height() - scaled(legendHeight);
    const std::uint32_t selected = m_state->selectedHandle();
    painter.setClipRect(0, scaled(headHeight), viewport()->width(), bottom - scaled(headHeight));
    std::set<Lack> lacking; // Of what is seen.
    for (const auto &[index, handle, state] : rowsInView()) {
        const QPoint at = cornerOf(index);
        const int names = namesLeft(index / rowsPerBlock());
        for (int rank = 0; rank < m.ranks(); ++rank) {
            const copy_at copy = shownCopy(m, handle, state, rank);
            const QSize size(width - 1, scaled(rowHeight) - 1);
            const bool owner = isOwner(state, rank);
            const std::uint32_t version = size.width() > 2 * narrowest ? copy.version : 0;
            const bool told = is_told(state, copy);
            const Lack lack = lackOf(state, copy);
            if (copy.kind == copy_kind::absent && !owner)
                lacking.insert(lack);
            QPixmap &cell = pictures[quint64(lack) << 41 | quint64(told) << 40 |
                                     quint64(copy.kind) << 33 | quint64(owner) << 32 | version];
            if (cell.isNull())
                cell = picture({copy.kind, version, told}, owner, lack, size);
            painter.drawPixmap(at.x() + scaled(nameWidth) + rank * width, at.y(), cell);
        }
        painter.fillRect(names, at.y(), scaled(nameWidth), scaled(rowHeight),
                         handle == selected ? m_theme.accent : m_theme.panel);
        painter.setPen(handle == selected ? Theme::textOn(m_theme.accent) : m_theme.text);
        painter.drawText(QRect(names + 8, at.y(), scaled(nameWidth) - 10, scaled(rowHeight)),
                         Qt::AlignVCenter, QString::fromStdString(m.handle_name(handle)));
        if (handle == selected) {
            painter.setPen(QPen(m_theme.accent, 2));
            painter.drawRect(at.x() + 1, at.y(), scaled(nameWidth) + m.ranks() * width - 2,
                             scaled(rowHeight) - 1);
        }
    }
    painter.setClipping(false);
    painter.fillRect(0, 0, viewport()->width(), scaled(headHeight), m_theme.panel);
    painter.setPen(m_theme.dim);
    const int label = std::max(
        26, 4 + fontMetrics().horizontalAdvance(QString::number(std::max(0, m.ranks() - 1))));
    int labelEvery = 1;
    while (labelEvery * width < label)
        labelEvery *= 2;
    const int used = (static_cast<int>(m_handles.size()) + rowsPerBlock() - 1) / rowsPerBlock();
    for (int block = 0; block < used; ++block) {
        const int left = block * blockWidth() - horizontalScrollBar()->value();
        for (int rank = 0; rank < m.ranks(); rank += labelEvery)
            painter.drawText(QRect(left + scaled(nameWidth) + rank * width, 0,
                                   std::max(width, label), scaled(headHeight)),
                             width >= label ? int{Qt::AlignCenter}
                                            : Qt::AlignVCenter | Qt::AlignLeft,
                             QString::number(rank));
        painter.fillRect(namesLeft(block), 0, scaled(nameWidth), scaled(headHeight), m_theme.panel);
        painter.drawText(QRect(namesLeft(block) + 8, 0, scaled(nameWidth) - 10, scaled(headHeight)),
                         Qt::AlignVCenter, tr("handle \\ rank"));
    }

    painter.setClipping(false);
    paintLegend(painter, lacking);
}

/// What the kinds of copies are, and why others lack that are in view, as far as there is room.
void OwnershipMatrix::paintLegend(QPainter &painter, const std::set<Lack> &lacking) const
{
    const int bottom = viewport()->height() - scaled(legendHeight);
    painter.fillRect(0, bottom, viewport()->width(), scaled(legendHeight), m_theme.panel);
    int x = 8;
    for (const copy_kind kind :
         {copy_kind::owner, copy_kind::shared, copy_kind::pending, copy_kind::stale}) {
        const Look look = lookOf(m_theme, kind);
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
    const QString when = tr("at %1").arg(QString::fromStdString(say_time(m_state->playhead())));
    for (const QString &text : {tr("most sent first, %1").arg(when), when}) {
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
    const int index = m_state->whyNotKnown().isEmpty() ? handleAt(help->pos()) : -1;
    const int rank =
        index < 0 ? -1 : (help->pos().x() - cornerOf(index).x() - scaled(nameWidth)) / cellWidth();
    if (rank < 0 || rank >= m_state->model().ranks() ||
        help->pos().x() < namesLeft(index / rowsPerBlock()) + scaled(nameWidth)) {
        QToolTip::hideText();
        return true;
    }
    const std::uint32_t handle = m_handles[static_cast<std::size_t>(index)];
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
