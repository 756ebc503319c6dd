// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include "analysis/say/units.hpp"

#include <QHBoxLayout>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <cmath>

using namespace deed::viewer;

namespace {

constexpr int frameMilliseconds = 33;

/// The slider's 0..100 as 1e-6 .. 1e3 times real time.
double speedOf(int slider)
{
    return std::pow(10.0, -6.0 + slider * 0.09);
}

/// "2.7 us/s", what is played in a second; from real time on, "2.7x".
QString saySpeed(double speed)
{
    const auto twoDigits = [](double of) { return QString::number(of, 'f', of < 9.95 ? 1 : 0); };
    if (speed >= 1)
        return twoDigits(speed) + QLatin1Char('x');
    double played = speed * 1e9;
    const char *unit = "ns";
    for (const char *const larger : {"us", "ms"})
        if (played >= 999.5) {
            played /= 1'000;
            unit = larger;
        }
    return QStringLiteral("%1 %2/s").arg(twoDigits(played), QLatin1String(unit));
}

} // namespace

void MainWindow::buildReplayBar()
{
    auto *bar = new QToolBar(tr("Replay"), this);
    bar->setObjectName(QStringLiteral("Replay"));
    bar->setMovable(false);
    addToolBar(Qt::BottomToolBarArea, bar);
    const auto button = [&](const QString &sign, const QString &name, const QKeySequence &keys,
                            auto &&slot) {
        QAction *action = bar->addAction(sign);
        action->setToolTip(QStringLiteral("%1 (%2)").arg(name, keys.toString()));
        action->setShortcut(keys);
        action->setData(name);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    button(QStringLiteral("|◀"), tr("Go to the start"), Qt::CTRL | Qt::Key_Home,
           [this] { m_state->setPlayhead(0); });
    button(QStringLiteral("◀"), tr("Step back"), Qt::Key_Left, [this] { step(-1); });
    m_playAction = button(QStringLiteral("▶ Play"), tr("Play or pause"), Qt::Key_Space,
                          [this] { play(!m_timer.isActive()); });
    button(QStringLiteral("▶"), tr("Step forward"), Qt::Key_Right, [this] { step(1); });
    button(QStringLiteral("▶|"), tr("Go to the end"), Qt::CTRL | Qt::Key_End,
           [this] { m_state->setPlayhead(m_run->end()); });
    bar->addSeparator();
    bar->addWidget(new QLabel(tr(" Step ")));
    m_stepUnit = new QComboBox;
    m_stepUnit->addItems({tr("event"), tr("task"), tr("transfer"), tr("same handle"), tr("owner"),
                          tr("error"), tr("phase")});
    m_stepUnit->setAccessibleName(tr("Unit of a step"));
    m_stepUnit->setToolTip(tr("What Left and Right go to"));
    bar->addWidget(m_stepUnit);
    bar->addSeparator();
    m_stopAtHits = button(
        tr("Stop at hits"),
        tr("Stop where the search hits, or where a state begins: when handle:A[3,2] owner:2"),
        Qt::SHIFT | Qt::Key_Space, [] {});
    m_stopAtHits->setCheckable(true);
    bar->addSeparator();
    bar->addWidget(new QLabel(tr(" Speed ")));
    m_speed = new QSlider(Qt::Horizontal);
    m_speed->setRange(0, 100);
    m_speed->setFixedWidth(110);
    m_speed->setAccessibleName(tr("Speed of replay"));
    // The whole run in about ten seconds.
    m_speed->setValue(std::clamp(
        static_cast<int>(std::lround(
            (std::log10(std::max(1.0, static_cast<double>(m_run->end())) / 1e10) + 6.0) / 0.09)),
        0, 100));
    bar->addWidget(m_speed);
    m_speedLabel = new QLabel;
    m_speedLabel->setMinimumWidth(76);
    bar->addWidget(m_speedLabel);
    const auto showSpeed = [this] {
        m_speedLabel->setText(QLatin1Char(' ') + saySpeed(speedOf(m_speed->value())));
    };
    connect(m_speed, &QSlider::valueChanged, this, showSpeed);
    const auto change = [this](int by) { m_speed->setValue(m_speed->value() + by); };
    for (const auto &[name, key, by] :
         {std::tuple{tr("Slower"), Qt::Key_J, -5}, std::tuple{tr("Faster"), Qt::Key_L, 5}}) {
        auto *action = new QAction(name, this);
        action->setShortcut(key);
        action->setToolTip(name);
        addAction(action);
        connect(action, &QAction::triggered, this, [change, by = by] { change(by); });
    }
    showSpeed();
    auto *space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    m_timeLabel = new QLabel;
    m_timeLabel->setContentsMargins(0, 0, 10, 0);
    bar->addWidget(m_timeLabel);
}

void MainWindow::play(bool on)
{
    if (on && m_state->playhead() >= m_run->end())
        m_state->setPlayhead(0);
    if (on)
        m_timer.start(frameMilliseconds);
    else
        m_timer.stop();
    m_playAction->setText(on ? QStringLiteral("❚❚ Pause") : QStringLiteral("▶ Play"));
}

void MainWindow::tick()
{
    const double step = frameMilliseconds * 1e6 * speedOf(m_speed->value());
    const qint64 from = m_state->playhead();
    qint64 to = from + std::max<qint64>(1, static_cast<qint64>(step));
    if (m_stopAtHits->isChecked()) {
        if (m_searchTimer.isActive())
            return; // Where the next hit is, is not known yet.
        const auto &events = m_run->events();
        const auto hit = std::find_if(m_hits.begin(), m_hits.end(),
                                      [&](std::uint32_t i) { return events[i].time > from; });
        if (hit != m_hits.end() && events[*hit].time <= to) {
            play(false);
            return setPlayheadAndShow({Selection::Event, *hit}, events[*hit].time);
        }
    }
    if (m_stopAtHits->isChecked())
        for (const moment &each : m_moments)
            if (each.time > from && each.time <= to) {
                play(false);
                return goToMoment(each);
            }
    const auto loop = m_timeline->range(); // Played again and again.
    if (loop && from < loop->second && to >= loop->second)
        to = loop->first;
    m_state->setPlayhead(to);
    m_timeline->showSelection();
    if (m_state->playhead() >= m_run->end())
        play(false);
}
