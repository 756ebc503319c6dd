// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include "analysis/say/sentence.hpp"

#include <QRegularExpression>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <tuple>
#include <vector>

using namespace deed::viewer;

bool MainWindow::selectByName(const QString &text)
{
    const qsizetype colon = text.indexOf(QLatin1Char(':'));
    const QString kind = text.left(colon), name = colon < 0 ? QString() : text.mid(colon + 1);
    if (kind == QLatin1String("error"))
        return openAtFirstError();
    if (kind == QLatin1String("handle")) {
        const auto handle = m_model->find_handle(name.toStdString());
        if (handle)
            m_state->select({Selection::Handle, *handle});
        return handle.has_value();
    }
    if (kind == QLatin1String("task")) {
        const auto called = m_model->tasks_called(name.toStdString());
        if (called.size() != 1) // Of several ranks: which one, the name has to say.
            return false;
        m_state->select({Selection::Task, called.front()});
        return true;
    }
    if (kind == QLatin1String("lane"))
        return m_timeline->goToLane(name);
    if (kind == QLatin1String("phase") || kind == QLatin1String("value"))
        return selectOfProgram(kind, name);
    bool number = false;
    const std::uint32_t index = name.toUInt(&number);
    if (kind == QLatin1String("transfer") && name == QLatin1String("redundant")) {
        for (std::uint32_t i = 0; i < m_model->transfers().size(); ++i)
            if (m_model->transfers()[i].in_vain()) {
                m_state->select({Selection::Transfer, i});
                return true;
            }
        return false;
    }
    if (kind == QLatin1String("transfer")) {
        const std::uint32_t which = number ? transferNumbered(index) : transferCalled(name);
        if (which != none)
            m_state->select({Selection::Transfer, which});
        return which != none;
    }
    if (kind == QLatin1String("event") && number && index < m_run->events().size()) {
        m_state->select({Selection::Event, eventNumbered(index)});
        return true;
    }
    return false;
}

/// Counted lane by lane: each recorded its own in one order, but how those of several lie in time
/// is another with other clocks. There are so many.
std::uint32_t MainWindow::eventNumbered(std::uint32_t number) const
{
    const event_list &events = m_run->events();
    std::vector<std::uint32_t> counts(m_run->lanes().size());
    for (std::size_t i = 0; i < events.size(); ++i)
        ++counts[events[i].lane];
    std::uint32_t lane = 0;
    for (; number >= counts[lane]; ++lane)
        number -= counts[lane];
    std::uint32_t at = 0;
    while (events[at].lane != lane || number-- != 0)
        ++at;
    return at;
}

/// Counted by datum, version and ranks: their order in time is another with other clocks. `none` if
/// there are not so many.
std::uint32_t MainWindow::transferNumbered(std::uint32_t number) const
{
    const auto &transfers = m_model->transfers();
    if (number >= transfers.size())
        return none;
    std::vector<std::uint32_t> all(transfers.size());
    std::iota(all.begin(), all.end(), 0u);
    std::ranges::nth_element(all, all.begin() + number, {}, [&](std::uint32_t i) {
        const transfer &x = transfers[i];
        return std::tuple(x.handle, x.version, x.src, x.dst, x.seq);
    });
    return all[number];
}

/// "A[3,2] v4 to rank 3", of several the first that was called for; `none`.
std::uint32_t MainWindow::transferCalled(const QString &name) const
{
    static const QRegularExpression form(QStringLiteral("^(.*) v(\\d+) to rank (\\d+)$"));
    const QRegularExpressionMatch parts = form.match(name);
    const auto handle = m_model->find_handle(parts.captured(1).toStdString());
    if (!parts.hasMatch() || !handle)
        return none;
    const auto all =
        m_model->transfers_to(parts.captured(3).toInt(), *handle, parts.captured(2).toUInt());
    const auto first = std::ranges::min_element(
        all, {}, [this](std::uint32_t i) { return m_model->transfers()[i].seq; });
    return first == all.end() ? none : *first;
}

/// "step", of which each phase has a number: the search has them all, and goes to the next.
bool MainWindow::selectPhasesOf(const std::string &name)
{
    const bool any = std::ranges::any_of(m_model->phases(), [&](const phase_span &each) {
        return say_field(*m_model, m_run->events()[each.event], field::name) == name;
    });
    if (!any)
        return false;
    QString query = QStringLiteral("phase:") + QString::fromStdString(name);
    query.replace(QRegularExpression(QStringLiteral("[ |(),\\[\\]]")),
                  QStringLiteral("*")); // They would end it, or mean something.
    m_searchBox->setText(query);
    return search(query, 1).isEmpty();
}

/// The first phase of this name, "step 3"; or of a value, "residual", the last one until the
/// playhead.
bool MainWindow::selectOfProgram(const QString &kind, const QString &name)
{
    const std::string wanted = name.toStdString();
    if (kind == QLatin1String("phase")) {
        for (const phase_span &each : m_model->phases())
            if (m_model->phase_name(each) == wanted) {
                setPlayheadAndShow({Selection::Event, each.event}, each.begin);
                return true;
            }
        return selectPhasesOf(wanted);
    }
    for (const value_series &each : m_model->values()) {
        if (m_model->value_name(each) != wanted)
            continue;
        const auto timeOf = [this](std::uint32_t event) { return m_run->events().time(event); };
        const auto after = std::ranges::upper_bound(each.events, m_state->playhead(), {}, timeOf);
        m_state->select(
            {Selection::Event, after == each.events.begin() ? *after : *std::prev(after)});
        return true;
    }
    return false;
}
