// SPDX-License-Identifier: MIT
#include "gui/timeline.hpp"
#include "gui/transfer_kinds.hpp"

#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

using namespace deed::viewer;

namespace {

/// Pixels at the foot of a lane for work that takes no time, as on virtual ranks: in the colours of
/// all that does nothing of it would be left.
constexpr int timelessHeight = 4;
/// Of a pixel: less work than that, and nothing else, has as good as the colour of the ground.
constexpr float barelySeen = 1e-4F;

} // namespace

void Timeline::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.base);
    const QRect plot(m_gutter, m_ruler, viewport()->width() - m_gutter,
                     viewport()->height() - m_ruler);
    painter.setClipRect(plot);
    painter.setPen(m_theme.grid);
    for (const Tick &each : ticks())
        painter.drawLine(each.x, m_ruler, each.x, viewport()->height());
    const QRect below = plot.adjusted(0, m_pinnedHeight, 0, 0);
    painter.setClipRect(below);
    OnTop onTop, onTopOfPinned;
    for (const Row &row : m_rows)
        if (yOf(row) + row.height > m_ruler && yOf(row) < viewport()->height())
            paintRow(painter, row, onTop);
    paintArrows(painter);
    paintWash(painter);
    drawPath();
    paintPathColumns(painter, m_pathPicture);
    paintPathLinks(painter, m_pathPicture);
    paintNames(painter, onTop);
    if (const Selection now = m_state->selection(); now.kind == Selection::Transfer)
        paintStubName(painter, m_state->model().transfers()[now.index]);
    paintPathAlong(painter, m_pathPicture);
    paintBehindSlice(painter);
    painter.setClipRect(plot);
    paintPinned(painter, onTopOfPinned);
    painter.setClipRect(plot);
    paintRange(painter);
    painter.setClipping(false);
    paintGutter(painter);
    paintRuler(painter);
    paintMarks(painter);
    paintPlayhead(painter);
    painter.setClipRect(plot);
    paintErrors(painter, onTopOfPinned);
    painter.setClipRect(below);
    paintErrors(painter, onTop);
}

void Timeline::paintRow(QPainter &painter, const Row &row, OnTop &onTop) const
{
    const int y = yOf(row);
    const QRect area(m_gutter, y, viewport()->width() - m_gutter, row.height);
    if (row.lane >= 0 && m_lanes[static_cast<std::size_t>(row.lane)].sort == lane_sort::values) {
        paintValues(painter, placed()[static_cast<std::size_t>(row.lane)],
                    area.adjusted(0, 3, 0, -4));
    } else if (row.lane >= 0) {
        const timeline_lane &lane = placed()[static_cast<std::size_t>(row.lane)];
        const int each = (row.height - 4) / static_cast<int>(lane.tracks.size());
        paintNotStarted(painter, lane, QRect(area.left(), y + 5, area.width(), row.height - 11),
                        onTop);
        paintTrack(painter, lane.waits, QRect(area.left(), y + 2, area.width(), row.height - 5),
                   onTop, &lane.tracks[0]);
        for (std::size_t i = 0; i < lane.tracks.size(); ++i)
            paintTrack(
                painter, lane.tracks[i],
                QRect(area.left(), y + 2 + static_cast<int>(i) * each, area.width(), each - 1),
                onTop);
        addChosenError(row, QRect(area.left(), y + 2, area.width(), each - 1), onTop);
        if (m_state->model().events().lanes()[lane.lane].discarded != 0)
            painter.fillRect(QRect(area.left(), y, area.width(), 2),
                             QBrush(m_theme.error, Qt::BDiagPattern));
    } else if (row.values) {
        painter.setPen(m_theme.dim);
        painter.drawText(area.adjusted(8, 0, -8, 0), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(sayValuesOf(row.rank), Qt::ElideRight,
                                                          area.width() - 16));
    } else {
        painter.fillRect(area, m_theme.panel);
        const auto &ranks = m_state->model().events().ranks();
        const auto known = std::find_if(ranks.begin(), ranks.end(),
                                        [&](const auto &r) { return r.rank == row.rank; });
        if (known == ranks.end() || !known->present) {
            painter.fillRect(area, QBrush(m_theme.dim, Qt::BDiagPattern));
            painter.setPen(m_theme.text);
            painter.drawText(
                area.adjusted(8, 0, 0, 0), Qt::AlignVCenter,
                known == ranks.end() || known->begun
                    ? tr("no trace from rank %1: it ran, and its files are not here").arg(row.rank)
                    : tr("rank %1 had not begun").arg(row.rank));
        } else if (m_collapsed.contains(row.rank)) {
            paintFolded(painter, row.rank, area.adjusted(0, 3, 0, -3), onTop);
            addErrorsOfFolded(row.rank, area.adjusted(0, 1, 0, -2), onTop);
            addChosenError(row, area.adjusted(0, 1, 0, -2), onTop);
        } else {
            paintWhatIsKnown(painter, row, *known, onTop);
        }
    }
    painter.setPen(Theme::blend(m_theme.base, m_theme.grid, 0.6));
    painter.drawLine(area.left(), area.bottom(), area.right(), area.bottom());
}

/// A strip for each worker and device: one over the other they would hide what the first ones did.
void Timeline::paintFolded(QPainter &painter, int rank, const QRect &area, OnTop &onTop) const
{
    constexpr int least = 2; // Of many, strips lie in each other.
    std::vector<const track *> workers;
    for (const timeline_lane &lane : placed())
        if (lane.rank == rank && (isStream(lane, 1) || isStream(lane, 4)))
            workers.push_back(&lane.tracks[0]);
    const int count = static_cast<int>(workers.size());
    for (int i = 0; i < count; ++i) {
        const int top = area.height() * i / count, bottom = area.height() * (i + 1) / count;
        paintTrack(
            painter, *workers[static_cast<std::size_t>(i)],
            QRect(area.left(), area.top() + top, area.width(), std::max(least, bottom - top)),
            onTop);
    }
}

bool Timeline::isLit(const track_span &span) const
{
    const std::uint32_t handle = m_state->selectedHandle();
    if (handle == none)
        return false;
    const model &m = m_state->model();
    if (span.type == span_type::send || span.type == span_type::receive)
        return m.transfers()[span.ref].handle == handle;
    if (span.type == span_type::copy)
        return m.events().get32(m.events().events()[span.ref], field::handle) == handle;
    if (span.type != span_type::task || m_state->selection().kind == Selection::Task)
        return false;
    for (const auto &a : m.accesses(m.tasks()[span.ref]))
        if (a.handle == handle)
            return true;
    return false;
}

void Timeline::paintTrack(QPainter &painter, const track &track, const QRect &area, OnTop &onTop,
                          const deed::viewer::track *above) const
{
    if (track.empty() || area.height() < 2)
        return;
    const auto [first, last] = track.touching(m_state->begin(), m_state->end());
    const auto width = static_cast<std::size_t>(area.width());
    if (last - first > width / 2) {
        std::vector<track_pixel> row(width);
        track.draw(m_state->begin(), m_state->end(), row);
        QImage line(area.width(), 1, QImage::Format_ARGB32_Premultiplied);
        line.fill(Qt::transparent);
        QImage timeless = line;
        auto *pixels = reinterpret_cast<QRgb *>(line.scanLine(0));
        auto *timelessPixels = reinterpret_cast<QRgb *>(timeless.scanLine(0));
        for (std::size_t x = 0; x < width; ++x) {
            const track_pixel &p = row[x];
            if (p.longest == none && p.longest_state == none)
                continue; // What lies below shows through.
            QColor colour = m_theme.base;
            // Of what stands alone; work over states would hide them.
            const double least = m_theme.contrast ? 0.8 : 0;
            if (p.longest_state != none)
                colour = Theme::blend(colour, m_theme.spanColour(track.span(p.longest_state)),
                                      std::max(least, double(p.states)));
            if (p.longest != none) {
                track_span span = track.span(p.longest);
                span.flags = p.flags; // What is flagged is seen at every zoom.
                const double part =
                    std::max(p.longest_state == none ? least : 0, std::sqrt(double(p.tasks)));
                if (p.tasks == 0 || (p.longest_state == none && p.tasks < barelySeen))
                    timelessPixels[x] = m_theme.spanColour(span).rgb();
                colour = Theme::blend(colour, m_theme.spanColour(span), p.flags ? 1.0 : part);
            }
            pixels[x] = colour.rgb();
        }
        painter.drawImage(area, line);
        const int high = std::min(timelessHeight, area.height()); // A strip may be lower.
        painter.drawImage(area.adjusted(0, area.height() - high, 0, 0), timeless);
        paintPatterns(painter, area, track, row);
        addErrors(area, row, onTop);
        return;
    }
    const Selection selection = m_state->selection();
    for (std::size_t i = first; i < last; ++i) {
        const track_span span = track.span(i);
        const double x0 = m_gutter + m_state->xOf(span.begin, plotWidth());
        const double x1 = m_gutter + m_state->xOf(span.end, plotWidth());
        const double left = std::max(x0, m_gutter - 4.0),
                     right = std::min(std::max(x1, x0 + 2), viewport()->width() + 4.0);
        if (right < left)
            continue;
        const bool chosen = selection.kind != Selection::Nothing && selectionOf(span) == selection;
        if (span.flags & (flag_error | flag_stop) && x1 - x0 < 8) {
            addError(area, x0, x1, {.chosen = chosen, .stop = (span.flags & flag_stop) != 0},
                     onTop);
            continue;
        }
        const bool pale = span.type == span_type::state;
        const bool low = area.height() < 12; // A strip of a folded rank.
        const int inset = !pale ? 0 : low ? area.height() / 5 : 3;
        QRectF box(left, area.top() + inset, right - left, area.height() - 2 * inset);
        const QColor colour = m_theme.spanColour(span);
        painter.fillRect(box, colour);
        paintPattern(painter, box, span);
        if (span.flags & flag_unfinished) {
            QColor stripe = Theme::textOn(colour);
            stripe.setAlpha(70);
            painter.fillRect(box, QBrush(stripe, Qt::FDiagPattern));
        }
        if (chosen || isLit(span)) {
            painter.setPen(
                QPen(m_theme.text, chosen ? 2.5 : 1.5, chosen ? Qt::SolidLine : Qt::DotLine));
            painter.setBrush(Qt::NoBrush);
            // Around what is narrow: over it nothing would be left of it.
            const double beside = box.width() < 7 ? -2.0 : 0.5;
            painter.drawRect(box.adjusted(beside, 0.5, -beside, -0.5));
        } else if (pale && m_theme.contrast && !low) {
            painter.fillRect(QRectF(box.left(), box.top(), box.width(), 1), m_theme.dim);
            painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), m_theme.dim);
            painter.fillRect(QRectF(box.left(), box.top(), 1, box.height()), m_theme.dim);
        } else if (box.width() > 4 && !pale) {
            painter.fillRect(QRectF(box.left(), box.top(), 1, box.height()), m_theme.base);
        }
        // What begins within this span lies on top of it: the name stands before that.
        double free = box.right();
        if (i + 1 < last && track.span(i + 1).begin < span.end)
            free = std::min(free, m_gutter + m_state->xOf(track.span(i + 1).begin, plotWidth()));
        if (above != nullptr) {
            const auto [from, to] = above->touching(span.begin, span.end);
            for (std::size_t k = from; k < to; ++k)
                if (above->span(k).end > m_state->begin()) {
                    free =
                        std::min(free, m_gutter + m_state->xOf(above->span(k).begin, plotWidth()));
                    break;
                }
        }
        if (free - box.left() < 26 || area.height() < 13)
            continue;
        const double start = std::max(box.left(), double(m_gutter)) + 4;
        const QString shown = shortened(span, free - start - 3);
        if (!shown.isEmpty())
            onTop.names.push_back({QPointF(start, QRectF(area).center().y()), box, shown, colour,
                                   Theme::textOn(colour)});
    }
}

void Timeline::paintPattern(QPainter &painter, const QRectF &box, const track_span &span) const
{
    const QBrush pattern = patternOf(m_theme, span);
    if (pattern.style() == Qt::NoBrush)
        return;
    // One pattern goes through all bars, as one alone may be narrower than it; it goes along with
    // them when they are moved.
    constexpr double period = 12;
    painter.setBrushOrigin(
        QPointF(std::round(std::fmod(m_state->xOf(0, plotWidth()), period)), box.top()));
    painter.fillRect(box, pattern);
}

/// Where columns of pixels that follow each other are full of transfers of one kind.
void Timeline::paintPatterns(QPainter &painter, const QRect &area, const track &track,
                             const std::vector<track_pixel> &row) const
{
    constexpr float full = 0.5;
    std::optional<track_span> of; // What the columns since `from` show.
    int from = 0;
    for (int x = 0; x <= area.width(); ++x) {
        std::optional<track_span> here;
        if (x < area.width()) {
            const track_pixel &pixel = row[static_cast<std::size_t>(x)];
            if (pixel.longest != none && pixel.tasks >= full) {
                here = track.span(pixel.longest);
                here->flags = pixel.flags; // As its colour.
            }
        }
        const bool goesOn = here && of && here->kind == of->kind && here->type == of->type &&
                            here->flags == of->flags;
        if (goesOn)
            continue;
        if (of)
            paintPattern(painter, QRectF(area.left() + from, area.top(), x - from, area.height()),
                         *of);
        of = here;
        from = x;
    }
}

/// Below names: they are read there, too.
void Timeline::paintWash(QPainter &painter) const
{
    QColor wash = m_theme.accent;
    wash.setAlphaF(static_cast<float>(washPart));
    for (const QRectF &each : rangeBoxes())
        painter.fillRect(each, wash);
}

void Timeline::paintRange(QPainter &painter) const
{
    const auto chosen = range();
    const std::vector<QRectF> boxes = rangeBoxes();
    if (boxes.empty())
        return;
    painter.setPen(m_theme.accent);
    for (const QRectF &each : boxes) {
        painter.drawLine(each.topLeft(), each.bottomLeft());
        painter.drawLine(each.topRight(), each.bottomRight());
    }
    const QRectF box = boxes.front();
    const double x0 = box.left(), x1 = box.right();
    const QString text = QString::fromStdString(say_time(chosen->second - chosen->first));
    // A part of a figure is another figure: it is whole, or not there.
    const double wide = std::max(90, painter.fontMetrics().horizontalAdvance(text) + 8);
    const double right = viewport()->width();
    if (x1 < m_gutter || x0 > right || wide > plotWidth())
        return;
    const double left = std::clamp(box.center().x() - wide / 2, double(m_gutter), right - wide);
    const QRectF tag(left, m_ruler + 3, wide, 17);
    painter.fillRect(tag, m_theme.accent);
    painter.setPen(Theme::textOn(m_theme.accent));
    painter.drawText(tag, Qt::AlignCenter, text);
}

double Timeline::busyShare(const timeline_lane &lane) const
{
    // Of the part in view, from the pixels of the level of detail.
    std::vector<track_pixel> row(200);
    lane.tracks[0].draw(std::max<qint64>(0, m_state->begin()),
                        std::min<qint64>(m_state->end(), m_state->model().events().end()), row);
    double sum = 0;
    for (const track_pixel &p : row)
        sum += p.tasks;
    return sum / static_cast<double>(row.size());
}

void Timeline::paintPinned(QPainter &painter, OnTop &onTop) const
{
    if (m_pinnedRows.isEmpty())
        return;
    painter.fillRect(m_gutter, m_ruler, viewport()->width(), m_pinnedHeight, m_theme.base);
    for (const Row &row : m_pinnedRows)
        paintRow(painter, row, onTop);
    painter.setClipRect(m_gutter, m_ruler, viewport()->width(), m_pinnedHeight);
    paintWash(painter);
    paintNames(painter, onTop);
    paintPathColumns(painter, m_pathOfPinned);
    paintPathAlong(painter, m_pathOfPinned);
    painter.fillRect(m_gutter, m_ruler + m_pinnedHeight - 3, viewport()->width(), 2,
                     m_theme.accent);
}

/// Each label ends where the next mark stands; the last one may begin before its own, in the half
/// behind the mark before it.
void Timeline::paintMarks(QPainter &painter) const
{
    constexpr int narrowest = 22, edge = 8;
    const int right = viewport()->width();
    const auto xOf = [this](std::size_t i) {
        return m_gutter + static_cast<int>(m_state->xOf(m_marks[i].time, plotWidth()));
    };
    const auto textOf = [this](std::size_t i) { return QString::fromStdString(m_marks[i].text); };
    const auto widthOf = [&](std::size_t i) {
        return painter.fontMetrics().horizontalAdvance(textOf(i)) + edge + 1;
    };
    const auto isLast = [&](std::size_t i) {
        return i + 1 == m_marks.size() || xOf(i + 1) > right;
    };
    int taken = m_gutter; // By labels before.
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        const int x = xOf(i);
        if (x < m_gutter || x > right)
            continue;
        painter.setPen(QPen(m_theme.accent, 1, Qt::DashLine));
        if (m_state->axis() != nullptr)
            paintBentLine(painter, m_marks[i].time);
        else
            painter.drawLine(x, m_ruler, x, viewport()->height());
        const bool last = isLast(i);
        int end = last ? right : xOf(i + 1);
        if (!last && isLast(i + 1))
            end = std::min(end, std::max(right - widthOf(i + 1) - 2, (x + right) / 2));
        const int left = last ? std::max(taken, std::min(x, end - widthOf(i) - 1)) : x;
        const int room = std::min(widthOf(i), end - left - 1);
        QRect flag(left, 1, std::max(room, 4), static_cast<int>(16 * m_scale));
        painter.fillRect(flag, m_theme.accent);
        taken = flag.right() + 2;
        if (room < std::min(narrowest, widthOf(i)))
            continue; // A flag without a word: its text is in Notes.
        painter.setPen(Theme::textOn(m_theme.accent));
        painter.drawText(flag, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(textOf(i), Qt::ElideRight, room - edge));
    }
}

void Timeline::paintGutter(QPainter &painter) const
{
    painter.fillRect(0, m_ruler, m_gutter, viewport()->height(), m_theme.panel);
    painter.save();
    painter.setClipRect(0, m_ruler + m_pinnedHeight, m_gutter, viewport()->height());
    for (const Row &row : m_rows)
        if (yOf(row) + row.height > m_ruler && yOf(row) < viewport()->height())
            paintGutterRow(painter, row);
    painter.setClipRect(0, m_ruler, m_gutter, viewport()->height());
    for (const Row &row : m_pinnedRows)
        paintGutterRow(painter, row);
    if (m_pinnedHeight != 0)
        painter.fillRect(0, m_ruler + m_pinnedHeight - 3, m_gutter, 2, m_theme.accent);
    painter.setPen(m_theme.grid);
    painter.drawLine(m_gutter - 1, m_ruler, m_gutter - 1, viewport()->height());
    painter.restore();
}

void Timeline::paintGutterRow(QPainter &painter, const Row &row) const
{
    const int y = yOf(row);
    const QRect area(8, y, m_gutter - 14, row.height);
    const auto arrow = [](bool folded) {
        return folded ? QStringLiteral("▸ ") : QStringLiteral("▾ ");
    };
    painter.setPen(m_theme.text);
    if (row.values) {
        painter.drawText(area.adjusted(14, 0, 0, 0), Qt::AlignVCenter,
                         arrow(!m_openValues.contains(row.rank)) + tr("values"));
    } else if (row.lane < 0) {
        QFont bold = font();
        bold.setBold(true);
        painter.setFont(bold);
        const QString name = arrow(m_collapsed.contains(row.rank)) + tr("rank %1").arg(row.rank);
        const int room = area.width() - QFontMetrics(bold).horizontalAdvance(name) - 8;
        painter.drawText(area, Qt::AlignVCenter, name);
        painter.setFont(font());
        painter.setPen(m_theme.dim);
        const timeline_lane *const silent = silentOf(row.rank);
        const QString error = sayTimeErrorIn(row.rank, room);
        if (!error.isEmpty() || silent != nullptr) // Both have no room.
            painter.drawText(area, Qt::AlignVCenter | Qt::AlignRight,
                             error.isEmpty() ? tr("no %1").arg(nameOf(*silent)) : error);
    } else {
        paintGutterLane(painter, row, area);
    }
    painter.setPen(Theme::blend(m_theme.panel, m_theme.grid, 0.7));
    painter.drawLine(0, y + row.height - 1, m_gutter, y + row.height - 1);
}

void Timeline::paintGutterLane(QPainter &painter, const Row &row, const QRect &area) const
{
    const timeline_lane &lane = placed()[static_cast<std::size_t>(row.lane)];
    const QRect named = area.adjusted(row.pinned ? 0 : 14, 0, 0, 0);
    const QString name = painter.fontMetrics().elidedText(
        row.pinned ? wholeNameOf(lane) : nameOf(lane), Qt::ElideMiddle, named.width());
    if (isValues(row.lane))
        return paintGutterValues(painter, lane, name, named);
    painter.drawText(named, Qt::AlignVCenter, name);
    painter.setPen(m_theme.dim);
    if (isStream(lane, 1))
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignRight,
                         QStringLiteral("%1 %").arg(qRound(100 * busyShare(lane))));
    else if (isStream(lane, 3))
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignRight, tr("send\nreceive"));
    else if (isStream(lane, 4))
        paintGutterDevice(painter, lane, area);
}

/// How busy it is with kernels, and beside their tracks which way its copies go.
void Timeline::paintGutterDevice(QPainter &painter, const timeline_lane &lane,
                                 const QRect &area) const
{
    const int each = (area.height() - 4) / static_cast<int>(lane.tracks.size());
    for (std::size_t i = 0; i < lane.tracks.size(); ++i) {
        const QRect of(area.left(), area.top() + 2 + static_cast<int>(i) * each, area.width(),
                       each);
        const bool isIn = i != 0 && lane.tracks[i].span(0).kind == copy_to_device;
        painter.drawText(of, Qt::AlignVCenter | Qt::AlignRight,
                         i == 0 ? QStringLiteral("%1 %").arg(qRound(100 * busyShare(lane)))
                         : isIn ? tr("copies in")
                                : tr("copies out"));
    }
}
