// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include "analysis/query/query.hpp"
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
    m_stepUnit->addItems(
        {tr("event"), tr("task"), tr("transfer"), tr("same handle"), tr("owner"), tr("error")});
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
        m_speedLabel->setText(QStringLiteral(" %1x").arg(speedOf(m_speed->value()), 0, 'g', 2));
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

void MainWindow::step(int direction)
{
    switch (m_stepUnit->currentIndex()) {
    case 1:
        return stepRecord(direction, record::task_begin);
    case 2:
        return stepRecord(direction, record::xfer_start);
    case 3:
        return stepHandle(direction, false);
    case 4:
        return stepRecord(direction, record::owner);
    case 5:
        return stepRecord(direction, record::error);
    default:
        return stepRecord(direction, record::unknown);
    }
}

// `unknown`: any record.
void MainWindow::stepRecord(int direction, record what)
{
    const auto &events = m_run->events();
    const qint64 now = m_state->playhead();
    const auto fits = [&](const auto &e) {
        return (what == record::unknown || e.what == what) &&
               (direction > 0 ? e.time > now : e.time < now);
    };
    std::ptrdiff_t found = -1;
    if (direction > 0) {
        const auto at = std::find_if(events.begin(), events.end(), fits);
        found = at == events.end() ? -1 : at - events.begin();
    } else {
        const auto at = std::find_if(events.rbegin(), events.rend(), fits);
        found = at == events.rend() ? -1 : events.rend() - at - 1;
    }
    if (found < 0)
        return;
    m_state->select({Selection::Event, static_cast<std::uint32_t>(found)});
    m_state->setPlayhead(events[static_cast<std::size_t>(found)].time);
    m_timeline->showSelection();
}

void MainWindow::stepHandle(int direction, bool transfersOnly)
{
    const std::uint32_t handle = m_state->selectedHandle();
    if (handle == none)
        return;
    qint64 best = -1;
    const qint64 now = m_state->playhead();
    for (const std::uint32_t index : m_model->events_of(handle)) {
        const auto &e = m_run->events()[index];
        if (transfersOnly && e.what != record::xfer_start && e.what != record::xfer_done)
            continue;
        if (direction > 0 ? e.time > now && (best < 0 || e.time < best)
                          : e.time < now && e.time > best)
            best = e.time;
    }
    if (best < 0)
        return;
    m_state->setPlayhead(best);
    m_timeline->showSelection();
}

/// After the last comes the first: a fresh window stands at the end of the run. False: there is
/// none.
bool MainWindow::stepRedundant(int direction)
{
    const qint64 now = m_state->playhead();
    std::uint32_t next = none, first = none;
    const auto nearer = [&](std::uint32_t i, std::uint32_t than) {
        const auto &all = m_model->transfers();
        return than == none || (direction > 0 ? all[i].begin() < all[than].begin()
                                              : all[i].begin() > all[than].begin());
    };
    for (std::uint32_t i = 0; i < m_model->transfers().size(); ++i) {
        const transfer &x = m_model->transfers()[i];
        if (!x.in_vain())
            continue;
        if (nearer(i, first))
            first = i;
        if ((direction > 0 ? x.begin() > now : x.begin() < now) && nearer(i, next))
            next = i;
    }
    const std::uint32_t best = next != none ? next : first;
    m_searchResult->setText(best == none ? tr("nothing was sent twice")
                            : next == none
                                ? tr("from the %1 on").arg(direction > 0 ? tr("start") : tr("end"))
                                : QString());
    if (best == none)
        return false;
    m_state->select({Selection::Transfer, best});
    m_state->setPlayhead(m_model->transfers()[best].begin());
    m_timeline->showSelection();
    return true;
}

void MainWindow::backToWriter()
{
    const std::uint32_t handle = m_state->selectedHandle();
    if (handle == none)
        return;
    const datum_state state = state_at(*m_model, handle, m_state->playhead());
    if (state.writer == none)
        return;
    m_state->select({Selection::Task, state.writer});
    m_state->setPlayhead(m_model->tasks()[state.writer].end);
    m_timeline->showSelection();
}

void MainWindow::setPlayheadAndShow(Selection selection, qint64 time)
{
    m_state->select(selection);
    m_state->setPlayhead(time);
    m_timeline->showSelection();
}

/// A task, the first transfer of what it wrote or else the first task that read it; a transfer, the
/// task that it was for. Backwards: what came last of all that it waited for.
void MainWindow::followFlow(int direction)
{
    const Selection now = m_state->selection();
    const auto &tasks = m_model->tasks();
    const auto &transfers = m_model->transfers();
    const auto toTask = [&](std::uint32_t index) {
        if (index != none)
            setPlayheadAndShow({Selection::Task, index}, std::max<qint64>(0, tasks[index].begin));
    };
    if (now.kind == Selection::Transfer) {
        const transfer &x = transfers[now.index];
        if (direction < 0)
            return toTask(m_model->writer(x.handle, x.version));
        return toTask(m_model->find_task(x.dst, x.for_task));
    }
    if (now.kind != Selection::Task)
        return;
    const task &t = tasks[now.index];
    Selection best;
    qint64 when = 0;
    const auto offer = [&](Selection what, qint64 time) {
        if (time == never || what == now ||
            (best.kind != Selection::Nothing && (direction > 0 ? time >= when : time <= when)))
            return;
        best = what;
        when = time;
    };
    for (const auto &used : m_model->accesses(t)) {
        if (direction > 0 ? !used.writes() : !used.reads())
            continue;
        const std::uint32_t version = direction > 0 ? used.ver_out : used.ver_in;
        for (const std::uint32_t i : m_model->transfers_of(used.handle)) {
            const transfer &x = transfers[i];
            if (x.version == version && (direction > 0 ? x.src : x.dst) == t.rank)
                offer({Selection::Transfer, i}, direction > 0 ? x.begin() : x.done_receive);
        }
        const std::uint32_t writer = m_model->writer(used.handle, version);
        if (direction < 0 && writer != none && tasks[writer].rank == t.rank)
            offer({Selection::Task, writer}, tasks[writer].end);
    }
    if (best.kind == Selection::Nothing && direction > 0)
        for (const auto &other : m_model->all_accesses())
            for (const auto &used : m_model->accesses(t))
                if (used.writes() && other.handle == used.handle && other.reads() &&
                    other.ver_in == used.ver_out)
                    offer({Selection::Task, other.task}, tasks[other.task].begin);
    if (best.kind != Selection::Nothing)
        setPlayheadAndShow(best, best.kind == Selection::Task ? tasks[best.index].begin
                                                              : transfers[best.index].begin());
}

void MainWindow::goToMoment(const moment &which)
{
    setPlayheadAndShow(which.handle == none ? m_state->selection()
                                            : Selection{Selection::Handle, which.handle},
                       which.time);
}

/// "when handle:A[3,2] owner:2": states instead of events.
void MainWindow::searchMoments(const std::string &condition, int direction)
{
    m_moments = moments_when(*m_model, condition);
    m_hits.clear();
    m_events->showAll();
    m_searchResult->setText(
        tr("%1 moments").arg(QString::fromStdString(say_count(m_moments.size()))));
    if (m_moments.empty() || direction == 0)
        return;
    const qint64 now = m_state->playhead();
    const moment *best = direction > 0 ? &m_moments.front() : &m_moments.back();
    for (const moment &each : m_moments)
        if (direction > 0 ? each.time > now : each.time < now) {
            best = &each;
            if (direction > 0)
                break;
        }
    goToMoment(*best);
}

void MainWindow::search(const QString &asked, int direction)
{
    m_searched = asked;
    const std::string text = asked.trimmed().toStdString();
    constexpr std::string_view when = "when ";
    m_moments.clear();
    try {
        if (text.starts_with(when))
            return searchMoments(text.substr(when.size()), direction);
        std::vector<std::uint32_t> found;
        if (text.empty()) {
            m_events->showAll();
        } else {
            found = deed::viewer::find(*m_model, text);
            m_events->setEvents(found);
        }
        m_searchResult->setText(tr("%1 events")
                                    .arg(QString::fromStdString(say_count(
                                        static_cast<std::uint64_t>(m_events->rowCount())))));
        m_searchBox->setToolTip(QString());
        m_hits = found;
        if (found.empty() || direction == 0)
            return;
        const qint64 now = m_state->playhead();
        const auto &events = m_run->events();
        std::uint32_t hit = direction > 0 ? found.front() : found.back();
        if (direction > 0) {
            for (const std::uint32_t i : found)
                if (events[i].time > now) {
                    hit = i;
                    break;
                }
        } else {
            for (auto i = found.rbegin(); i != found.rend(); ++i)
                if (events[*i].time < now) {
                    hit = *i;
                    break;
                }
        }
        m_state->select({Selection::Event, hit});
        m_state->setPlayhead(events[hit].time);
        m_timeline->showSelection();
    } catch (const query_error &wrong) {
        m_searchResult->setText(
            tr("column %1: %2").arg(wrong.column() + 1).arg(QString::fromUtf8(wrong.what())));
    }
}
