// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/hang.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/say/units.hpp"
#include "gui/codelet_colours.hpp"

#include <QElapsedTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

using namespace deed::viewer;

OpenedRun OpenedRun::open(const QString &path, deed::viewer::clock_correction clocks)
{
    QElapsedTimer timer;
    timer.start();
    OpenedRun opened;
    opened.events = std::make_unique<run>(path.toStdString());
    opened.things = std::make_unique<deed::viewer::model>(*opened.events);
    if (clocks != clock_correction::nothing) {
        const clock_fit fit = fit_clocks(*opened.things, clocks);
        opened.things.reset();
        opened.events = std::make_unique<run>(path.toStdString(), fit.shifts);
        opened.things = std::make_unique<deed::viewer::model>(*opened.events);
        opened.clocks = clocks;
    }
    opened.milliseconds = static_cast<int>(timer.elapsed());
    return opened;
}

MainWindow::MainWindow(const QString &path, QWidget *parent)
    : MainWindow(OpenedRun::open(path), parent)
{
}

MainWindow::MainWindow(OpenedRun opened, QWidget *parent)
    : QMainWindow(parent)
    , m_run(std::move(opened.events))
    , m_model(std::move(opened.things))
    , m_clocks(opened.clocks)
    , m_state(new ViewState(*m_model, this))
    , m_focusFrame(new FocusFrame(this))
{
    setWindowTitle((m_clocks != clock_correction::nothing ? tr("%1, clocks corrected - deed-view")
                                                          : tr("%1 - deed-view"))
                       .arg(QString::fromStdString(m_run->path())));
    // Not animated: at each step of it every text in a panel would be laid out anew.
    setDockOptions(AllowTabbedDocks | AllowNestedDocks);
    resize(1280, 800);

    auto *centre = new QWidget;
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_timeline = new Timeline(m_state);
    m_overview = new Overview(m_state, &m_timeline->lanes());
    layout->addWidget(m_overview);
    layout->addWidget(m_timeline, 1);
    m_legend = new Legend(m_state);
    if (m_timeline->hasLateTransfers())
        m_legend->addLate();
    layout->addWidget(m_legend);
    setCentralWidget(centre);

    buildDocks();
    buildReplayBar();
    buildActions();
    connect(m_state, &ViewState::selectionChanged, this, &MainWindow::updateInspector);
    connect(m_state, &ViewState::selectionChanged, this, [this] {
        if (m_state->selection().kind == Selection::Event && isSeen(m_eventsView))
            updateEventRow();
    });
    connect(m_state, &ViewState::playheadChanged, this, [this] {
        updateTimeLabel();
        updateWaitGraph();
        if (m_state->selection().kind == Selection::Handle)
            updateInspector();
        if (isSeen(m_eventsView))
            updateEventRow();
    });
    connect(m_timeline, &Timeline::rangeChanged, this, &MainWindow::updateRangeAnswers);
    // What a step said is of that step alone.
    const auto sayFoundAgain = [this] { m_searchResult->setText(m_found); };
    connect(m_state, &ViewState::selectionChanged, this, sayFoundAgain);
    connect(m_state, &ViewState::playheadChanged, this, sayFoundAgain);
    connect(m_state, &ViewState::viewChanged, this, sayFoundAgain);
    connect(m_timeline, &Timeline::rangeChanged, this, sayFoundAgain);
    connect(&m_timer, &QTimer::timeout, this, &MainWindow::tick);
    connect(&m_searchTimer, &QTimer::timeout, this, &MainWindow::searchOn);
    m_rangeTimer.setSingleShot(true);
    m_rangeTimer.setInterval(150);
    connect(&m_rangeTimer, &QTimer::timeout, this, &MainWindow::answerSeen);
    m_notes = read_notes(m_run->path());
    QStringList pinned;
    for (const std::string &each : m_notes.pinned)
        pinned += QString::fromStdString(each);
    m_timeline->setPinned(pinned);
    connect(m_timeline, &Timeline::pinnedChanged, this, &MainWindow::keepNotes);
    showMarks();
    setTheme(Theme());
    updateInspector();
    updateTimeLabel();
    if (!openAtFirstError())
        openAtTheEnd();
    m_timeline->setFocus();
    m_state->restSoon();
}

MainWindow::~MainWindow() = default;

void MainWindow::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_theme.codeletLooks = codeletLooks(m_model->codelets());
    m_focusFrame->setTheme(theme);
    m_overview->setTheme(theme);
    m_timeline->setTheme(m_theme);
    m_ownership->setTheme(theme);
    m_legend->setTheme(m_theme);
    m_comm->setTheme(theme);
    m_history->setTheme(theme);
    m_shares->setTheme(m_theme);
    m_waitGraph->setTheme(theme);
    m_cacheCurves->setTheme(theme);
    // Fusion draws hardly any edge around a field on dark ground.
    m_searchBox->setStyleSheet(
        QStringLiteral(
            "QLineEdit{border:1px solid %1;border-radius:3px;padding:2px 4px;background:%2;}")
            .arg(theme.dim.name(), theme.base.name()));
    for (AnswerView *view :
         {m_inspector, m_waits, m_checks, m_path, m_redundant, m_cache, m_errors, m_durations})
        view->setTheme(theme);
}

bool MainWindow::openAtFirstError()
{
    if (m_model->failures().empty())
        return false;
    const std::uint32_t first = m_model->failures().front();
    m_state->setPlayhead(moment_of_first_failure(*m_model).time);
    m_state->select({Selection::Event, first});
    // In a deadlock who waits for whom says more than who owns what.
    if (!hang_of_run(m_run->path()).empty())
        showPanel(tr("Waits"));
    return true;
}

/// Where nothing failed, where the time went says more than who owned what before it began. A run
/// that its program stopped ends there.
void MainWindow::openAtTheEnd()
{
    m_state->setPlayhead(std::min(m_model->head(), last_with_data(*m_model)));
    if (const std::uint32_t stop = first_stop(*m_model); stop != none) {
        m_state->setPlayhead(m_run->events().time(stop));
        m_state->select({Selection::Event, stop});
    }
    showPanel(tr("Where time went"));
}

void MainWindow::updateTimeLabel()
{
    const QString error = m_timeline->sayTimeError();
    m_timeLabel->setText(QStringLiteral("t = %1%2 / %3")
                             .arg(QString::fromStdString(say_time(m_state->playhead())),
                                  error.isEmpty() ? error : QLatin1Char(' ') + error,
                                  QString::fromStdString(say_time(m_run->end()))));
}

/// At the playhead; to look at all transfers is left to when somebody sees it.
void MainWindow::updateWaitGraph()
{
    m_waitGraph->setMoment(
        tr("at the playhead, %1").arg(QString::fromStdString(say_time(m_state->playhead()))),
        [this] {
            return m_state->whyNotKnown().isEmpty() ? wait_graph(*m_model, m_state->playhead())
                                                    : std::vector<wait_edge>();
        });
    m_waitGraph->setNothing(m_state->whyNotKnown());
}

/// The last event until now. Of many of one moment, the one that is selected.
void MainWindow::updateEventRow()
{
    const Selection chosen = m_state->selection();
    const qint64 now = m_state->playhead();
    const bool ofNow = chosen.kind == Selection::Event && m_run->events()[chosen.index].time == now;
    const int selected = ofNow ? m_events->rowOf(chosen.index) : -1;
    const int row = selected >= 0 ? selected : m_events->rowAt(now);
    if (row >= 0)
        m_eventsView->choose(row);
}
