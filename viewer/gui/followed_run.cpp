// SPDX-License-Identifier: MIT
#include "gui/followed_run.hpp"

#include "analysis/say/units.hpp"
#include "gui/layouts.hpp"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDateTime>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <utility>

using namespace deed::viewer;

namespace {

constexpr int shortestPause = 100; // Milliseconds between two looks.
constexpr int restPerWork = 5;

/// That a rank ends its recording, or was killed, is no event.
bool isSame(const run &now, const run &before)
{
    return now.events().size() == before.events().size() &&
           std::ranges::equal(now.ranks(), before.ranks(),
                              [](const rank_info &a, const rank_info &b) {
                                  return a.ended == b.ended && a.is_cut() == b.is_cut();
                              });
}

/// A number that is being typed.
bool isHalfWritten(const QWidget *part)
{
    const auto *box = qobject_cast<const QDoubleSpinBox *>(part);
    return box != nullptr &&
           box->text() != box->prefix() + box->textFromValue(box->value()) + box->suffix();
}

} // namespace

FollowedRun::FollowedRun(const QString &path, clock_correction clocks, QWidget *parent)
    : QWidget(parent)
    , m_path(path)
    , m_clocks(clocks)
{
    resize(1280, 800);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *wait = new QLabel(tr("Nothing is recorded in %1 yet.").arg(path));
    wait->setAlignment(Qt::AlignCenter);
    layout->addWidget(wait);
    connect(&m_timer, &QTimer::timeout, this, &FollowedRun::look);
    m_timer.start(shortestPause);
    connect(&m_second, &QTimer::timeout, this, &FollowedRun::say);
    m_second.start(1000);
    say();
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
    if (isHalfWritten(focusWidget()))
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
        m_opening = std::async(std::launch::async, [path = m_path, clocks = m_clocks] {
            return OpenedRun::open(path, clocks);
        });
        return;
    }
    if (m_paused || isInUse() ||
        m_opening.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return;
    try {
        OpenedRun opened = m_opening.get();
        m_timer.start(std::max<int>(shortestPause, restPerWork * opened.milliseconds));
        if (m_window != nullptr && isSame(*opened.events, m_window->state()->model().events()))
            return;
        if (m_window != nullptr)
            m_sinceGrown.start();
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
    MainWindow *const old = std::exchange(m_window, fresh);
    if (old != nullptr)
        fresh->continueFrom(*old);
    else
        fresh->timeline()->setFocus();
    before->widget()->hide();
    before->widget()->deleteLater();
    delete before;
    if (old == nullptr && m_takesLayout)
        ::takeLayout(*fresh);
    addPause();
    connect(fresh, &MainWindow::clocksAsked, this, [this](clock_correction clocks) {
        m_clocks = clocks;
        // What is being read has the clocks of before, and the times of this window are others.
        m_opening = {};
        m_window->state()->fitAll();
        try {
            take(OpenedRun::open(m_path, clocks));
        } catch (const unreadable &) {
            // The next look says so, too.
        }
    });
    say();
    runCommands();
    emit grown();
}

void FollowedRun::addPause()
{
    QAction *const pause = m_window->addToView(tr("Hold a followed run as it is"), Qt::Key_U,
                                               [this](bool on) { setPaused(on); });
    pause->setCheckable(true);
    pause->setChecked(m_paused);
}

void FollowedRun::setPaused(bool on)
{
    m_paused = on;
    say();
}

/// Times and names may come later; a word that is no panel never does.
void FollowedRun::runCommands()
{
    QStringList later;
    for (const QString &each : std::as_const(m_commands)) {
        const QString wrong = m_window->runCommand(each);
        if (wrong.isEmpty())
            continue;
        const QString what = each.section(QLatin1Char(' '), 0, 0);
        const std::string of = each.section(QLatin1Char(' '), 1).toStdString();
        if (what == QLatin1String("select") || (what == QLatin1String("at") && parse_time(of)))
            later += each;
        else
            emit refused(wrong);
    }
    m_commands = later;
}

/// By the clock of this machine: of a run that has not grown here, since its last event.
qint64 FollowedRun::secondsOfSilence() const
{
    if (m_sinceGrown.isValid())
        return m_sinceGrown.elapsed() / 1000;
    const run &shown = m_window->state()->model().events();
    const qint64 last = (shown.origin() + shown.end()) / 1'000'000; // Milliseconds.
    return std::max<qint64>(0, QDateTime::currentMSecsSinceEpoch() - last) / 1000;
}

void FollowedRun::say()
{
    QString said = tr("following, nothing is recorded yet");
    if (m_window != nullptr) {
        const RunLife life = lifeOf(m_window->state()->model().events());
        m_window->timeline()->setGrowing(life.going);
        QList<int> killed(life.killed.begin(), life.killed.end());
        std::sort(killed.begin(), killed.end());
        said = life.killed.isEmpty() && life.going.isEmpty() ? tr("ended")
               : life.going.isEmpty()
                   ? tr("killed")
                   : tr("following, last event %1 s ago").arg(secondsOfSilence());
        for (const int rank : std::as_const(killed))
            if (!life.going.isEmpty())
                said += tr(", rank %1 killed").arg(rank);
        if (m_paused)
            said = life.going.isEmpty() ? tr("%1, held as it is").arg(said) : tr("held as it is");
        if (m_clocks != clock_correction::nothing)
            said += tr(", clocks corrected");
    }
    setWindowTitle(tr("%1 - deed-view, %2").arg(m_path, said));
}
