// SPDX-License-Identifier: MIT
#include "gui/followed_run.hpp"

#include <QAbstractItemView>
#include <QApplication>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <utility>

using namespace deed::viewer;

namespace {

constexpr int shortestPause = 100; // Milliseconds between two looks.
constexpr int restPerWork = 5;

/// The same thing in a run that has grown since; nothing if it has no name of its own.
Selection sameIn(const deed::viewer::model &now, const deed::viewer::model &before,
                 Selection selection)
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
    case Selection::Nothing:
        break;
    }
    return {};
}

void takeOver(MainWindow &now, const MainWindow &before)
{
    const ViewState &old = *before.state();
    const qint64 oldEnd = old.model().events().end();
    now.restoreState(before.saveState());
    if (old.begin() > 0 || old.end() < oldEnd) // Not the whole run.
        now.state()->setView(old.begin(), old.end(), false);
    if (old.playhead() < oldEnd)
        now.state()->setPlayhead(old.playhead());
    if (const Selection same = sameIn(now.state()->model(), old.model(), old.selection());
        same.kind != Selection::Nothing)
        now.state()->select(same);
}

} // namespace

FollowedRun::FollowedRun(const QString &path, QWidget *parent)
    : QWidget(parent)
    , m_path(path)
{
    setWindowTitle(tr("%1 - deed-view, following").arg(path));
    resize(1280, 800);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *wait = new QLabel(tr("Nothing is recorded in %1 yet.").arg(path));
    wait->setAlignment(Qt::AlignCenter);
    layout->addWidget(wait);
    connect(&m_timer, &QTimer::timeout, this, &FollowedRun::look);
    m_timer.start(shortestPause);
}

void FollowedRun::setTheme(const Theme &theme)
{
    m_theme = theme;
    if (m_window != nullptr)
        m_window->setTheme(theme);
}

/// A dialog, a menu, an editor of a table and what is dragged end with their window.
bool FollowedRun::isInUse() const
{
    if (QApplication::activeModalWidget() != nullptr ||
        QApplication::activePopupWidget() != nullptr ||
        QApplication::mouseButtons() != Qt::NoButton)
        return true;
    for (const QWidget *part = focusWidget(); part != nullptr && part != this;
         part = part->parentWidget())
        if (part != focusWidget() && qobject_cast<const QAbstractItemView *>(part) != nullptr)
            return true;
    return false;
}

void FollowedRun::look()
{
    if (!m_opening.valid()) {
        m_opening =
            std::async(std::launch::async, [path = m_path] { return OpenedRun::open(path); });
        return;
    }
    if (isInUse() || m_opening.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return;
    try {
        OpenedRun opened = m_opening.get();
        m_timer.start(std::max<int>(shortestPause, restPerWork * opened.milliseconds));
        if (m_window == nullptr ||
            opened.events->events().size() != m_window->state()->model().events().events().size())
            take(std::move(opened));
    } catch (const unreadable &) {
        // Not begun yet.
    }
}

void FollowedRun::take(OpenedRun opened)
{
    auto *fresh = new MainWindow(std::move(opened));
    fresh->setWindowFlags(Qt::Widget);
    fresh->setTheme(m_theme);
    if (m_window != nullptr)
        takeOver(*fresh, *m_window);
    while (QLayoutItem *old = layout()->takeAt(0)) {
        old->widget()->deleteLater();
        delete old;
    }
    layout()->addWidget(fresh);
    m_window = fresh;
    emit grown();
}
