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
    QLayoutItem *const before = layout()->takeAt(0);
    layout()->addWidget(fresh);
    fresh->show(); // Only what is visible takes the keyboard, which is meant for it from now on.
    if (m_window != nullptr)
        fresh->continueFrom(*m_window);
    else
        fresh->timeline()->setFocus();
    before->widget()->hide();
    before->widget()->deleteLater();
    delete before;
    m_window = fresh;
    emit grown();
}
