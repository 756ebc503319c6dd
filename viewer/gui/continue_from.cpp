// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include <QAccessible>
#include <QScrollBar>

#include <algorithm>
#include <cstring>

/// @file
/// What goes on in a window of a run that has grown: all that somebody chose in the one before.

using namespace deed::viewer;

namespace {

/// Events have no name: the same record of the same thread at the same moment.
bool isSame(const run &now, const event &one, const run &before, const event &other)
{
    const lane &here = now.lanes()[one.lane], &there = before.lanes()[other.lane];
    const std::size_t bytes = now.payload_bytes(one);
    return one.what == other.what && here.rank == there.rank && here.kind == there.kind &&
           here.index == there.index && bytes == before.payload_bytes(other) &&
           (bytes == 0 || std::memcmp(one.payload, other.payload, bytes) == 0);
}

Selection sameEvent(const run &now, const run &before, std::uint32_t index)
{
    const event other = before.events()[index];
    const event_list &all = now.events();
    for (auto at = std::lower_bound(all.begin(), all.end(), other.time,
                                    [](const event &e, qint64 time) { return e.time < time; });
         at != all.end() && (*at).time == other.time; ++at)
        if (isSame(now, *at, before, other))
            return {Selection::Event, static_cast<std::uint32_t>(at - all.begin())};
    return {};
}

/// The same thing in a run that has grown since.
Selection sameIn(const model &now, const model &before, Selection selection)
{
    switch (selection.kind) {
    case Selection::Handle:
        return selection;
    case Selection::Task: {
        const task &t = before.tasks()[selection.index];
        const std::uint32_t index = now.find_task(t.rank, t.number);
        return index == none ? Selection() : Selection{Selection::Task, index};
    }
    case Selection::Transfer: {
        const transfer &x = before.transfers()[selection.index];
        for (const std::uint32_t i : now.transfers_of(x.handle)) {
            const transfer &y = now.transfers()[i];
            if (y.version == x.version && y.src == x.src && y.dst == x.dst && y.seq == x.seq)
                return {Selection::Transfer, i};
        }
        return {};
    }
    case Selection::Event:
        return sameEvent(now.events(), before.events(), selection.index);
    case Selection::Nothing:
        break;
    }
    return {};
}

/// What its menu chooses.
void showAs(const QWidget &now, const QWidget &before)
{
    for (qsizetype i = 0; i < now.actions().size(); ++i)
        if (before.actions()[i]->isChecked())
            now.actions()[i]->trigger();
}

QString nameOf(const QWidget *widget)
{
    QAccessibleInterface *const told =
        QAccessible::queryAccessibleInterface(const_cast<QWidget *>(widget));
    return told == nullptr ? QString() : told->text(QAccessible::Name);
}

} // namespace

/// What takes the keyboard has a name, the same in both.
void MainWindow::focusWhatHas(const QWidget *focus)
{
    if (focus == nullptr)
        return;
    const QString name = nameOf(focus);
    QWidget *same = m_timeline;
    for (QWidget *each : findChildren<QWidget *>())
        if (each->metaObject() == focus->metaObject() && each->isVisibleTo(this) &&
            nameOf(each) == name) {
            same = each;
            break;
        }
    same->setFocus();
}

void MainWindow::continueFrom(const MainWindow &before)
{
    const ViewState &old = *before.m_state;
    const qint64 oldEnd = before.m_run->end();
    restoreState(before.saveState());
    if (old.axis() != nullptr)
        chooseAxis(old.axis()->what() == iteration_axis::by::tasks ? QStringLiteral("tasks")
                                                                   : QStringLiteral("iteration"));
    if (old.begin() > 0 || old.end() < oldEnd) // Not the whole run.
        m_state->setView(old.begin(), old.end(), false);
    m_timeline->continueFrom(*before.m_timeline);
    if (before.m_notesFail) { // They are in no file.
        m_notes = before.m_notes;
        m_notesFail = true;
        m_marksHint->setText(before.m_marksHint->text());
        m_timeline->setPinned(before.m_timeline->pinned());
        showMarks();
    }
    m_stepUnit->setCurrentIndex(before.m_stepUnit->currentIndex());
    m_arrowsAction->setChecked(before.m_arrowsAction->isChecked());
    showAs(*m_comm, *before.m_comm);
    showAs(*m_shares, *before.m_shares);
    showAs(*m_ownership->canvases().front(), *before.m_ownership->canvases().front());
    m_stopAtHits->setChecked(before.m_stopAtHits->isChecked());
    m_whatIf->continueFrom(*before.m_whatIf);
    if (before.m_copies->follows() && !m_copies->follows())
        followCopies();
    m_searchBox->setText(before.m_searchBox->text());
    m_searchBox->setCursorPosition(before.m_searchBox->cursorPosition());
    if (old.playhead() < before.m_model->head())
        m_state->setPlayhead(old.playhead());
    m_state->select(sameIn(*m_model, *before.m_model, old.selection()));
    if (!before.m_searched.isEmpty())
        search(before.m_searched, before.m_searchTimer.isActive() ? before.m_searchDirection : 0);
    play(before.m_timer.isActive());
    m_speed->setValue(before.m_speed->value());
    focusWhatHas(before.focusWidget());
    m_focusFrame->setOn(before.m_focusFrame->isOn());
}
