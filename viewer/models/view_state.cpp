// SPDX-License-Identifier: MIT
#include "models/view_state.hpp"

#include "analysis/ask/caveats.hpp"

#include <algorithm>
#include <cmath>

using namespace deed::viewer;

ViewState::ViewState(const deed::viewer::model &model, QObject *parent)
    : QObject(parent)
    , m_model(model)
    , m_isSlice(sliced_to(model.events()).has_value())
{
    if (!model.failures().empty())
        m_error = moment_of_first_failure(model);
    fitAll();
    m_undo.clear();
    m_rest.setSingleShot(true);
    m_rest.setInterval(1000);
    connect(&m_rest, &QTimer::timeout, this, [this] { m_model.events().rest(); });
    for (const auto looked : {&ViewState::viewChanged, &ViewState::playheadChanged})
        connect(this, looked, this, &ViewState::restSoon);
}

undone_by ViewState::leftOut() const
{
    return m_playhead == m_error.time ? m_error.left_out : undone_by();
}

QString ViewState::whyNotKnown() const
{
    const auto said = not_known_at(m_model, m_playhead);
    return said ? QString::fromStdString(said->sentences.front()) : QString();
}

std::uint32_t ViewState::selectedHandle() const
{
    switch (m_selection.kind) {
    case Selection::Handle:
        return m_selection.index;
    case Selection::Transfer:
        return m_model.transfers()[m_selection.index].handle;
    case Selection::Event: {
        const auto &e = m_model.events().events()[m_selection.index];
        const std::uint64_t handle = m_model.events().get(e, field::handle, none);
        return handle < m_model.data().size() ? static_cast<std::uint32_t>(handle) : none;
    }
    case Selection::Task: {
        for (const auto &a : m_model.accesses(m_model.tasks()[m_selection.index]))
            if (a.writes())
                return a.handle;
        return none;
    }
    case Selection::Nothing:
        break;
    }
    return none;
}

double ViewState::xOf(qint64 time, double width) const
{
    return static_cast<double>(time - m_begin) * width / static_cast<double>(m_end - m_begin);
}

qint64 ViewState::timeAt(double x, double width) const
{
    return m_begin +
           static_cast<qint64>(std::llround(x * static_cast<double>(m_end - m_begin) / width));
}

void ViewState::setAxis(std::optional<iteration_axis> axis)
{
    m_axis = std::move(axis);
    emit axisChanged();
    emit viewChanged();
}

qint64 ViewState::placeOf(int rank, qint64 time) const
{
    return m_axis ? m_axis->place_of(rank, time) : time;
}

qint64 ViewState::timeAtPlace(int rank, qint64 place) const
{
    return m_axis ? m_axis->time_at(rank, place) : place;
}

time_range ViewState::timesInView() const
{
    return m_axis ? m_axis->times_between(m_begin, m_end) : time_range{m_begin, m_end};
}

void ViewState::setView(qint64 begin, qint64 end, bool remember)
{
    constexpr qint64 shortest = 20;
    if (end - begin < shortest)
        end = begin + shortest;
    if (begin == m_begin && end == m_end)
        return;
    if (remember) {
        m_undo.append({m_begin, m_end});
        m_redo.clear();
    }
    m_begin = begin;
    m_end = end;
    emit viewChanged();
}

void ViewState::zoom(double factor, qint64 around)
{
    const double left = static_cast<double>(around - m_begin) * factor;
    const double right = static_cast<double>(m_end - around) * factor;
    const double longest = 4.0 * static_cast<double>(m_model.events().end() + 1000);
    if (left + right > longest)
        return fitAll();
    setView(around - static_cast<qint64>(left), around + static_cast<qint64>(right));
}

void ViewState::pan(qint64 by)
{
    setView(m_begin + by, m_end + by);
}

qint64 ViewState::beginOfRun() const
{
    qint64 from = endOfRun();
    for (const rank_info &each : m_model.events().ranks())
        if (each.present)
            from = std::min<qint64>(from, each.from);
    return from;
}

void ViewState::fitAll()
{
    const qint64 first = beginOfRun();
    const qint64 length = std::max<qint64>(endOfRun() - first, 100);
    setView(first - length / 100, first + length + length / 100);
}

std::optional<std::pair<qint64, qint64>> ViewState::spanOfSelection() const
{
    const auto span = [this](qint64 from, qint64 to) -> std::optional<std::pair<qint64, qint64>> {
        if (from == never)
            return {};
        return std::pair(from, to == never ? m_model.events().end() : to);
    };
    if (m_selection.kind == Selection::Task) {
        const task &t = m_model.tasks()[m_selection.index];
        return span(t.begin, t.end);
    }
    if (m_selection.kind == Selection::Transfer) {
        const transfer &x = m_model.transfers()[m_selection.index];
        return span(x.begin(), x.end());
    }
    if (m_selection.kind == Selection::Event)
        if (const phase_span *const phase = m_model.phase_of(m_selection.index))
            return std::pair(phase->begin, phase->end);
    if (m_selection.kind == Selection::Event)
        if (const run &r = m_model.events();
            r.events().what(m_selection.index) == record::copy_end) {
            const auto e = r.events()[m_selection.index];
            return std::pair(r.moment(e, field::t_begin), r.moment(e, field::t_end));
        }
    return {};
}

std::pair<int, int> ViewState::ranksOfSelection() const
{
    const run &r = m_model.events();
    switch (m_selection.kind) {
    case Selection::Task: {
        const int rank = m_model.tasks()[m_selection.index].rank;
        return {rank, rank};
    }
    case Selection::Transfer: {
        const transfer &x = m_model.transfers()[m_selection.index];
        return {x.src, x.dst};
    }
    case Selection::Event: {
        const int rank = r.rank_of(r.events()[m_selection.index]);
        return {rank, rank};
    }
    case Selection::Handle:
    case Selection::Nothing:
        break;
    }
    return {-1, -1};
}

void ViewState::fitSelection()
{
    const auto span = spanOfSelection();
    if (!span)
        return;
    const auto [first, last] = ranksOfSelection();
    const qint64 from = placeOf(first, span->first);
    const qint64 to = std::max(from, placeOf(last, span->second));
    const qint64 margin = std::max<qint64>((to - from) / 2, 100);
    const bool again = m_begin == from - margin && m_end == to + margin;
    setView(again ? from : from - margin, again ? to : to + margin);
}

bool ViewState::undo()
{
    if (m_undo.isEmpty())
        return false;
    m_redo.append({m_begin, m_end});
    const View view = m_undo.takeLast();
    setView(view.begin, view.end, false);
    return true;
}

bool ViewState::redo()
{
    if (m_redo.isEmpty())
        return false;
    m_undo.append({m_begin, m_end});
    const View view = m_redo.takeLast();
    setView(view.begin, view.end, false);
    return true;
}

void ViewState::setPlayhead(qint64 time)
{
    time = std::clamp<qint64>(time, 0, m_model.events().end());
    if (time == m_playhead)
        return;
    m_playhead = time;
    emit playheadChanged();
}

void ViewState::showPlayhead()
{
    const qint64 place = placeOf(ranksOfSelection().first, m_playhead);
    if (place >= m_begin && place <= m_end)
        return;
    const qint64 half = (m_end - m_begin) / 2;
    setView(place - half, place + half);
}

void ViewState::select(Selection selection)
{
    if (selection == m_selection)
        return;
    m_selection = selection;
    emit selectionChanged();
}
