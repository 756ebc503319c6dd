// SPDX-License-Identifier: MIT
#include "analysis/ask/program_stays.hpp"
#include "analysis/match/device_copy.hpp"
#include "analysis/say/sentence.hpp"
#include "gui/letters.hpp"
#include "gui/panels.hpp"
#include "gui/transfer_kinds.hpp"

#include <deed/trace/events.hpp>

#include <QList>
#include <QPainter>
#include <QPoint>
#include <QStringList>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace deed::viewer;

namespace {

constexpr int mostLines = 3;
constexpr int leastSeen = 200; // Of a run, what is not yet seen when all of it is.
constexpr int margin = 8, toName = 5, gap = 14, roomForMore = 20;

/// Pixels, with the letters.
struct Sizes {
    explicit Sizes(const QFont &font)
        : scale(letterScale(font))
    {
    }
    int of(int usual) const { return static_cast<int>(usual * scale); }
    double scale;
    int box = of(12), first = of(22), more = of(18), base = of(16);
};

} // namespace

Legend::Legend(const ViewState *state, QWidget *parent)
    : QWidget(parent)
{
    setFixedHeight(Sizes(font()).first);
    setAccessibleName(tr("Legend of the timeline"));
    const model &m = state->model();
    const auto add = [this](const QString &name, span_type type, std::size_t kind, int flags) {
        m_entries.append({name,
                          {.kind = static_cast<std::uint16_t>(kind),
                           .type = type,
                           .flags = static_cast<std::uint8_t>(flags)}});
    };
    std::vector<bool> used(m.codelets().size());
    for (const task &each : m.tasks())
        if (each.begin != never && each.codelet < used.size())
            used[each.codelet] = true;
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i]) // A program may have more.
            add(QString::fromStdString(m.codelets()[i].name), span_type::task, i, 0);
    std::array<bool, 6> seen{};
    for (const state_span &each : m.states())
        if (each.state < seen.size())
            seen[each.state] = true;
    for (std::uint8_t i = 0; i < seen.size(); ++i)
        if (seen[i])
            add(QString::fromStdString(state_name(i)), span_type::state, i, 0);
    for (std::uint32_t lane = 0; lane < m.events().lanes().size(); ++lane) {
        const auto before = not_started(m, lane);
        if (before && (before->to - before->from) * leastSeen > m.events().end()) {
            m_entries.append({tr("not started yet"), {}, true});
            break;
        }
    }
    addWaits(m);
    bool again = false, back = false;
    std::map<TransferKind, std::uint8_t> reasons; // One of each kind.
    for (const transfer &each : m.transfers()) {
        again |= each.redundant;
        back |= each.came_back;
        reasons.try_emplace(kindOfTransfer(each.reason), each.reason);
    }
    // These have one colour.
    const bool moves = !m.transfers().empty();
    const auto addMoves = [&](const QString &move, bool copies, const QString &copy,
                              span_type type) {
        if (moves || copies)
            add(!copies ? move : moves ? move + QLatin1String(", ") + copy : copy, type, 0, 0);
    };
    const auto isFromDevice = [](const device_copy &each) { return each.to.second == 0; };
    const std::vector<device_copy> &copies = m.device_copies();
    addMoves(tr("send"), std::ranges::any_of(copies, isFromDevice), tr("copy from a device"),
             span_type::send);
    addMoves(tr("receive"), !std::ranges::all_of(copies, isFromDevice), tr("copy to a device"),
             span_type::receive);
    for (const auto &[kind, reason] : reasons)
        if (kind != TransferKind::ForTask) // That one is plain.
            add(nameOfKind(kind), span_type::send, reason, 0);
    if (again || back)
        add(!back    ? tr("sent again")
            : !again ? tr("sent back unwritten")
                     : tr("sent again, or back unwritten"),
            span_type::send, 0, flag_redundant);
    if (!m.failures().empty())
        add(tr("error"), span_type::wait, 0, flag_error);
    if (!m.stops().empty())
        add(tr("stopped on purpose"), span_type::wait, 0, flag_stop);
    describe();
}

/// For those who do not see it.
void Legend::describe()
{
    QStringList names;
    for (const Entry &each : std::as_const(m_entries))
        names += each.name;
    setAccessibleDescription(names.join(QLatin1String(", ")));
}

/// Of the program, and what threads without a task are said to do meanwhile.
void Legend::addWaits(const model &m)
{
    std::set<std::uint8_t> kinds;
    for (const wait_span &each : m.waits())
        kinds.insert(each.what);
    bool barrier = false, other = false; // These have one colour.
    for (const std::uint8_t kind : kinds) {
        const char *const name = name_of_stay(kind);
        if (*name == '\0')
            other = true;
        else if (kind == static_cast<std::uint8_t>(deed::trace::wait_kind::barrier))
            barrier = true;
        else
            m_entries.append(
                {QLatin1String(name),
                 {.kind = static_cast<std::uint16_t>(first_stay + kind), .type = span_type::wait}});
    }
    if (barrier || other)
        m_entries.append({!other     ? tr("barrier")
                          : !barrier ? tr("the program waits")
                                     : tr("barrier, other waits of the program"),
                          {.type = span_type::wait}});
}

void Legend::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

int Legend::widthOf(const Entry &entry) const
{
    return Sizes(font()).box + toName + fontMetrics().horizontalAdvance(entry.name);
}

QList<QPoint> Legend::places() const
{
    QList<QPoint> found;
    int x = margin, line = 1;
    for (const Entry &each : std::as_const(m_entries)) {
        const bool isLast = found.size() + 1 == m_entries.size();
        const int end = width() - margin - (line == mostLines && !isLast ? roomForMore : 0);
        if (x + widthOf(each) > end && x > margin) {
            if (line == mostLines)
                break;
            ++line;
            x = margin;
        }
        found.append({x, (line - 1) * Sizes(font()).more});
        x += widthOf(each) + gap;
    }
    return found;
}

void Legend::setShowsPath(bool on)
{
    if (on == (!m_entries.isEmpty() && m_entries.first().path))
        return;
    if (on) // First, as it lies over all else.
        m_entries.prepend({tr("critical path, dashed where it waits"), {}, false, true});
    else
        m_entries.removeFirst();
    describe();
    fit();
    update();
}

void Legend::addLate()
{
    m_entries.append({tr("came late: a thread waited"), {}, false, false, true});
    describe();
    fit();
    update();
}

void Legend::resizeEvent(QResizeEvent *)
{
    fit();
}

void Legend::fit()
{
    const QList<QPoint> all = places();
    setFixedHeight(Sizes(font()).first + (all.isEmpty() ? 0 : all.last().y()));
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.panel);
    const Sizes sizes(font());
    const QList<QPoint> all = places();
    for (int i = 0; i < all.size(); ++i) {
        const QRect box(all[i] + QPoint(0, sizes.of(5)), QSize(sizes.box, sizes.box));
        if (m_entries[i].path) {
            painter.fillRect(box.adjusted(0, sizes.of(4), 0, -sizes.of(4)), m_theme.text);
        } else if (m_entries[i].late) {
            painter.setRenderHint(QPainter::Antialiasing);
            paintLateMark(painter, m_theme, QRectF(box).center());
            painter.setRenderHint(QPainter::Antialiasing, false);
        } else {
            const track_span &like = m_entries[i].like;
            const QColor colour =
                m_entries[i].notStarted ? m_theme.notStarted : m_theme.spanColour(like);
            painter.fillRect(box, colour);
            painter.setBrushOrigin(box.topLeft());
            if (!m_entries[i].notStarted)
                painter.fillRect(box, patternOf(m_theme, like));
            painter.setPen(m_theme.dim);
            painter.drawRect(box);
        }
        painter.setPen(m_theme.text);
        painter.drawText(all[i] + QPoint(sizes.box + toName, sizes.base), m_entries[i].name);
    }
    if (all.isEmpty() || all.size() == m_entries.size())
        return;
    painter.setPen(m_theme.dim);
    painter.drawText(all.last() + QPoint(widthOf(m_entries[all.size() - 1]) + gap, sizes.base),
                     QStringLiteral("..."));
}
