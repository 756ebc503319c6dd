// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/effects.hpp"
#include "analysis/ask/last_cause.hpp"

#include <algorithm>
#include <compare>
#include <iterator>
#include <set>
#include <utility>

/// @file
/// From one thing to the next: along the time, and along the flow of data.
///
/// Many things may happen at one time, on virtual ranks most of all: they have an order, that of
/// their numbers, and a step goes on from the one that is selected.

using namespace deed::viewer;
using deed::trace::owner_cause;

namespace {

/// What made a task ready, as its card says; else what it needed last of all that was there.
cause readyCause(const model &of, const task &t)
{
    const cause latest = last_cause(of, t);
    if (t.ready == never || t.ready_cause == 0)
        return latest;
    if (t.ready_cause == 1) {
        const std::uint32_t before = of.find_task(t.rank, t.ready_by);
        return before == none ? latest : cause{none, before, of.tasks()[before].end};
    }
    const auto handle = static_cast<std::uint32_t>(t.ready_by >> 32);
    const auto version = static_cast<std::uint32_t>(t.ready_by);
    if (handle >= of.data().size())
        return latest;
    cause found;
    for (const std::uint32_t index : of.transfers_of(handle)) {
        const transfer &x = of.transfers()[index];
        // A copy that was dropped came several times: the last one until then brought it.
        if (x.dst == t.rank && x.version == version && x.done_receive != never &&
            x.done_receive <= t.ready && x.done_receive >= found.at)
            found = {index, of.writer(handle, version), x.done_receive};
    }
    return found.at == never ? latest : found;
}

} // namespace

void MainWindow::step(int direction)
{
    switch (m_stepUnit->currentIndex()) {
    case 1:
        return stepRecord(direction, {record::task_begin});
    case 2:
        return stepRecord(direction, {record::xfer_start});
    case 3:
        return stepHandle(direction, false);
    case 4:
        return stepOwner(direction);
    case 5:
        return stepError(direction);
    case 6:
        return stepRecord(direction, {record::phase_push});
    default:
        return m_state->selection().kind == Selection::Handle ? stepMoment(direction)
                                                              : stepRecord(direction, {});
    }
}

/// Whether an event comes after the selected one, or before it; where none of this time is
/// selected, whether its time does.
bool MainWindow::isAhead(std::uint32_t event, int direction) const
{
    const Selection chosen = m_state->selection();
    const qint64 now = m_state->playhead();
    const auto &events = m_run->events();
    const bool stands = chosen.kind == Selection::Event && events.time(chosen.index) == now;
    if (stands)
        return direction > 0 ? event > chosen.index : event < chosen.index;
    return direction > 0 ? events.time(event) > now : events.time(event) < now;
}

/// Of nothing: any record.
void MainWindow::stepRecord(int direction, std::initializer_list<record> of)
{
    const auto &events = m_run->events();
    const auto size = static_cast<std::uint32_t>(events.size());
    for (std::uint32_t n = 0; n < size; ++n) {
        const std::uint32_t i = direction > 0 ? n : size - 1 - n;
        if ((of.size() == 0 || std::ranges::count(of, events.what(i)) != 0) &&
            isAhead(i, direction))
            return setPlayheadAndShow({Selection::Event, i}, events.time(i));
    }
}

void MainWindow::stepError(int direction)
{
    stepRecord(direction, {record::error, record::fatal_signal, record::stop_run});
}

/// To where a migration is done. Each rank records it, when its program comes to the call: the
/// record of the new owner stands for all.
const std::vector<MainWindow::OwnerChange> &MainWindow::ownerChanges()
{
    if (m_ownerChanges)
        return *m_ownerChanges;
    m_ownerChanges.emplace();
    const auto &events = m_run->events();
    std::set<std::uint32_t> moved;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        if (events.what(i) != record::owner)
            continue;
        const auto e = events[i];
        const auto cause = static_cast<owner_cause>(m_run->get(e, field::cause));
        if (cause == owner_cause::migrate_call)
            moved.insert(m_run->get32(e, field::handle));
        else if (cause != owner_cause::snapshot)
            m_ownerChanges->emplace_back(e.time, i);
    }
    for (const std::uint32_t handle : moved) {
        const effects calls(*m_model, handle);
        for (const owner_move &move : calls.moves()) {
            const auto teller = std::ranges::find_if(move.events, [&](std::uint32_t i) {
                return m_run->rank_of(events[i]) == static_cast<int>(move.to);
            });
            if (move.time != after_all)
                m_ownerChanges->emplace_back(
                    move.time, teller == move.events.end() ? move.events.front() : *teller);
        }
    }
    std::ranges::sort(*m_ownerChanges);
    return *m_ownerChanges;
}

void MainWindow::stepOwner(int direction)
{
    const std::vector<OwnerChange> &all = ownerChanges();
    const Selection chosen = m_state->selection();
    const OwnerChange here(m_state->playhead(), chosen.index);
    const bool stands = chosen.kind == Selection::Event && std::ranges::binary_search(all, here);
    const auto time = &OwnerChange::first;
    const auto next = stands ? std::ranges::upper_bound(all, here)
                             : std::ranges::upper_bound(all, here.first, {}, time);
    const auto behind = stands ? std::ranges::lower_bound(all, here)
                               : std::ranges::lower_bound(all, here.first, {}, time);
    if (direction > 0 ? next == all.end() : behind == all.begin())
        return;
    const auto &[when, event] = direction > 0 ? *next : *std::prev(behind);
    setPlayheadAndShow({Selection::Event, event}, when);
}

/// The next moment of any record. What is shown of a handle depends on the moment alone, so that
/// it stays selected.
void MainWindow::stepMoment(int direction)
{
    const auto &events = m_run->events();
    const auto size = static_cast<std::uint32_t>(events.size());
    for (std::uint32_t n = 0; n < size; ++n) {
        const std::uint32_t i = direction > 0 ? n : size - 1 - n;
        if (isAhead(i, direction))
            return setPlayheadAndShow(m_state->selection(), events.time(i));
    }
}

/// To an event of the handle if one is selected; else to a moment of it, and what is selected
/// stays.
void MainWindow::stepHandle(int direction, bool transfersOnly)
{
    const std::uint32_t handle = m_state->selectedHandle();
    if (handle == none)
        return;
    std::uint32_t best = none;
    for (const std::uint32_t i : m_model->events_of(handle)) {
        const record what = m_run->events().what(i);
        if (transfersOnly && what != record::xfer_start && what != record::xfer_done)
            continue;
        if (isAhead(i, direction) && (best == none || direction < 0))
            best = i;
    }
    if (best == none)
        return;
    const Selection now = m_state->selection();
    setPlayheadAndShow(now.kind == Selection::Event ? Selection{Selection::Event, best} : now,
                       m_run->events().time(best));
}

/// After the last comes the first: a fresh window stands at the end of the run. False: there is
/// none.
bool MainWindow::stepRedundant(int direction)
{
    const auto &all = m_model->transfers();
    using place = std::pair<qint64, std::uint32_t>;
    const auto placeOf = [&all](std::uint32_t i) { return place(all[i].begin(), i); };
    const qint64 now = m_state->playhead();
    const Selection chosen = m_state->selection();
    // A link goes to where it was on the wire.
    const bool stands = chosen.kind == Selection::Transfer &&
                        (std::max<qint64>(0, all[chosen.index].begin()) == now ||
                         all[chosen.index].on_the_wire() == now);
    const auto liesAhead = [&](std::uint32_t i) {
        const auto order = stands ? placeOf(i) <=> placeOf(chosen.index)
                                  : std::strong_ordering(all[i].begin() <=> now);
        return direction > 0 ? order > 0 : order < 0;
    };
    std::uint32_t next = none, first = none;
    const auto offer = [&](std::uint32_t i, std::uint32_t &to) {
        if (to == none || (direction > 0 ? placeOf(i) < placeOf(to) : placeOf(i) > placeOf(to)))
            to = i;
    };
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (!all[i].in_vain())
            continue;
        offer(i, first);
        if (liesAhead(i))
            offer(i, next);
    }
    const std::uint32_t best = next != none ? next : first;
    if (best != none)
        setPlayheadAndShow({Selection::Transfer, best}, all[best].begin());
    if (next == none)
        m_searchResult->setText(
            best == none ? tr("nothing was sent twice")
                         : tr("from the %1 on").arg(direction > 0 ? tr("start") : tr("end")));
    return best != none;
}

void MainWindow::backToWriter()
{
    const std::uint32_t handle = m_state->selectedHandle();
    if (handle == none)
        return;
    const datum_state state = state_at(*m_model, handle, m_state->playhead(), m_state->leftOut());
    if (state.writer != none)
        setPlayheadAndShow({Selection::Task, state.writer}, m_model->tasks()[state.writer].end);
}

void MainWindow::setPlayheadAndShow(Selection selection, qint64 time)
{
    m_state->select(selection);
    m_state->setPlayhead(time);
    m_timeline->showSelection();
}

void MainWindow::goToTask(std::uint32_t index)
{
    if (index != none)
        setPlayheadAndShow({Selection::Task, index},
                           std::max<qint64>(0, m_model->tasks()[index].begin));
}

/// From a transfer to the task that wrote it or that it was for; from a task backwards to what made
/// it ready.
void MainWindow::followFlow(int direction)
{
    const Selection now = m_state->selection();
    if (now.kind == Selection::Transfer) {
        const transfer &x = m_model->transfers()[now.index];
        return goToTask(direction < 0 ? m_model->writer(x.handle, x.version)
                                      : m_model->task_for(x));
    }
    if (now.kind != Selection::Task)
        return;
    if (direction > 0)
        return followResult(m_model->tasks()[now.index]);
    const cause why = readyCause(*m_model, m_model->tasks()[now.index]);
    if (why.transfer == none)
        return goToTask(why.task);
    setPlayheadAndShow({Selection::Transfer, why.transfer},
                       m_model->transfers()[why.transfer].begin());
}

/// The first transfer of what a task wrote, or else the first task that read it.
void MainWindow::followResult(const task &t)
{
    const auto &tasks = m_model->tasks();
    const auto &transfers = m_model->transfers();
    std::pair<qint64, std::uint32_t> sent(never, none), read(never, none);
    const auto offer = [](auto &best, qint64 time, std::uint32_t index) {
        if (time != never && (best.second == none || time < best.first))
            best = {time, index};
    };
    for (const auto &wrote : m_model->accesses(t))
        for (const std::uint32_t i : m_model->transfers_of(wrote.handle))
            if (wrote.writes() && transfers[i].version == wrote.ver_out &&
                transfers[i].src == t.rank)
                offer(sent, transfers[i].begin(), i);
    if (sent.second != none)
        return setPlayheadAndShow({Selection::Transfer, sent.second}, sent.first);
    for (const auto &other : m_model->all_accesses())
        for (const auto &wrote : m_model->accesses(t))
            if (wrote.writes() && other.handle == wrote.handle && other.reads() &&
                other.ver_in == wrote.ver_out)
                offer(read, tasks[other.task].begin, other.task);
    goToTask(read.second);
}
