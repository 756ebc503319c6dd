// SPDX-License-Identifier: MIT
#include "analysis/say/sentence.hpp"
#include "gui/letters.hpp"
#include "gui/panels.hpp"

#include <QPainter>

#include <algorithm>
#include <array>

using namespace deed::viewer;

namespace {

constexpr int mostLines = 3;

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
    for (std::size_t i = 0; i < m.codelets().size(); ++i)
        add(QString::fromStdString(m.codelets()[i].name), span_type::task, i, 0);
    std::array<bool, 6> seen{};
    for (const state_span &each : m.states())
        if (each.state < seen.size())
            seen[each.state] = true;
    for (std::uint8_t i = 0; i < seen.size(); ++i)
        if (seen[i])
            add(QString::fromStdString(state_name(i)), span_type::state, i, 0);
    if (!m.waits().empty())
        add(tr("the program waits"), span_type::wait, 0, 0);
    bool again = false, back = false;
    for (const transfer &each : m.transfers()) {
        again |= each.redundant;
        back |= each.came_back;
    }
    if (!m.transfers().empty()) {
        add(tr("send"), span_type::send, 0, 0);
        add(tr("receive"), span_type::receive, 0, 0);
    }
    if (again || back)
        add(!back    ? tr("sent again")
            : !again ? tr("sent back unwritten")
                     : tr("sent again, or back unwritten"),
            span_type::send, 0, flag_redundant);
    const event_list &events = m.events().events();
    bool wrong = false, stopped = false;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        wrong |= events.what(i) == record::error || events.what(i) == record::fatal_signal;
        stopped |= events.what(i) == record::stop_run;
    }
    if (wrong)
        add(tr("error"), span_type::wait, 0, flag_error);
    if (stopped)
        add(tr("stopped on purpose"), span_type::wait, 0, flag_stop);
}

void Legend::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

int Legend::widthOf(const Entry &entry) const
{
    return Sizes(font()).box + fontMetrics().horizontalAdvance(entry.name) + 19;
}

/// As many lines as the names need, up to three.
void Legend::resizeEvent(QResizeEvent *)
{
    int lines = 1, x = 8;
    for (const Entry &each : std::as_const(m_entries)) {
        const int wide = widthOf(each);
        if (x + wide > width() - 20 && x > 8) {
            ++lines;
            x = 8;
        }
        x += wide;
    }
    const Sizes sizes(font());
    setFixedHeight(sizes.first + (std::min(lines, mostLines) - 1) * sizes.more);
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.panel);
    const Sizes sizes(font());
    int x = 8, y = 0;
    for (const Entry &each : std::as_const(m_entries)) {
        const int wide = widthOf(each);
        if (x + wide > width() - 20 && x > 8) {
            if (y + 2 * sizes.more > height()) {
                painter.setPen(m_theme.dim);
                painter.drawText(QPoint(x, y + sizes.base), QStringLiteral("..."));
                break;
            }
            x = 8;
            y += sizes.more;
        }
        painter.setPen(m_theme.dim);
        painter.fillRect(x, y + sizes.of(5), sizes.box, sizes.box, m_theme.spanColour(each.like));
        painter.drawRect(x, y + sizes.of(5), sizes.box, sizes.box);
        painter.setPen(m_theme.text);
        painter.drawText(QPoint(x + sizes.box + 5, y + sizes.base), each.name);
        x += wide;
    }
}
