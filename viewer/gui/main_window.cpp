// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/hang.hpp"
#include "analysis/ask/slack.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"
#include "gui/inspect_failure.hpp"
#include "gui/say_range.hpp"

#include <QDockWidget>
#include <QElapsedTimer>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QRegularExpression>
#include <QSplitter>
#include <QTabBar>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <thread>
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

namespace {

bool endsInCircle(const model &of)
{
    return std::ranges::any_of(wait_graph(of, of.events().end()), &wait_edge::in_cycle);
}

} // namespace

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
    m_timeline = new Timeline(m_state, make_timeline(*m_model));
    m_overview = new Overview(m_state, &m_timeline->lanes());
    layout->addWidget(m_overview);
    layout->addWidget(m_timeline, 1);
    m_legend = new Legend(m_state);
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
    m_focusFrame->setTheme(theme);
    m_overview->setTheme(theme);
    m_timeline->setTheme(theme);
    m_matrix->setTheme(theme);
    m_legend->setTheme(theme);
    m_comm->setTheme(theme);
    m_history->setTheme(theme);
    m_shares->setTheme(theme);
    m_waitGraph->setTheme(theme);
    // Fusion draws hardly any edge around a field on dark ground.
    m_searchBox->setStyleSheet(
        QStringLiteral(
            "QLineEdit{border:1px solid %1;border-radius:3px;padding:2px 4px;background:%2;}")
            .arg(theme.dim.name(), theme.base.name()));
    for (AnswerView *view :
         {m_inspector, m_waits, m_checks, m_path, m_redundant, m_cache, m_errors})
        view->setTheme(theme);
}

QDockWidget *MainWindow::addPanel(const QString &name, QWidget *content, Qt::DockWidgetArea area)
{
    auto *dock = new QDockWidget(name, this);
    dock->setObjectName(name);
    if (content->accessibleName().isEmpty())
        content->setAccessibleName(name);
    // A canvas is reached by Tab, too, and scrolls by the arrow keys where it can.
    if (content->focusPolicy() == Qt::NoFocus)
        content->setFocusPolicy(Qt::StrongFocus);
    dock->setWidget(content);
    addDockWidget(area, dock);
    m_panels.insert(name, dock);
    m_panelOrder.append(name);
    return dock;
}

void MainWindow::buildDocks()
{
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
    m_inspector = new AnswerView;
    connect(m_inspector, &QTextBrowser::anchorClicked, this, &MainWindow::followLink);
    addPanel(tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);

    m_matrix = new OwnershipMatrix(m_state);
    m_history = new HandleHistory(m_state);
    m_comm = new CommMatrix(m_state);
    m_shares = new TimeShares(m_state);
    m_waits = new AnswerView;
    m_waits->setAccessibleName(tr("Waits"));
    m_waitGraph = new WaitGraph;
    auto *waitParts = new QSplitter(Qt::Horizontal);
    waitParts->addWidget(m_waits);
    waitParts->addWidget(m_waitGraph);
    waitParts->setSizes({780, 500});
    waitParts->setFocusProxy(m_waits);
    m_waitsPanel = waitParts;
    m_path = new AnswerView;
    m_checks = new AnswerView;
    m_redundant = new AnswerView;
    m_cache = new AnswerView;
    m_errors = new AnswerView;
    m_events = new EventsModel(*m_model, this);
    m_eventsView = new LongTable(m_events);
    m_eventsView->setFrameShape(QFrame::NoFrame);
    m_eventsView->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_eventsView->setSelectionMode(QAbstractItemView::SingleSelection);
    m_eventsView->setAlternatingRowColors(true);
    m_eventsView->setShowGrid(false);
    m_eventsView->setWordWrap(false);
    m_eventsView->setTabKeyNavigation(false); // Tab goes on to the next panel.
    m_eventsView->setAccessibleName(tr("Events"));
    m_eventsView->verticalHeader()->hide();
    m_eventsView->verticalHeader()->setDefaultSectionSize(20);
    m_eventsView->horizontalHeader()->setStretchLastSection(true);
    m_eventsView->horizontalHeader()->setHighlightSections(false);
    m_eventsView->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_eventsView->setWidths({90, 100, 150}); // Of time, lane, and `handle_unregister`.
    const auto choose = [this](const QModelIndex &index) {
        const std::uint32_t event = m_events->eventAt(m_eventsView->rowOf(index));
        m_state->select({Selection::Event, event});
        m_state->setPlayhead(m_run->events()[event].time);
        m_timeline->showSelection();
    };
    connect(m_eventsView, &QTableView::clicked, this, choose);
    connect(m_eventsView, &QTableView::activated, this, choose); // Enter.

    buildNotes();
    QDockWidget *const first = addPanel(tr("Ownership"), m_matrix, Qt::BottomDockWidgetArea);
    const QList<QPair<QString, QWidget *>> rest{
        {tr("History"), m_history},      {tr("Communication"), m_comm},
        {tr("Sent twice"), m_redundant}, {tr("Cache"), m_cache},
        {tr("Errors"), m_errors},        {tr("Checks"), m_checks},
        {tr("Waits"), m_waitsPanel},     {tr("Where time went"), m_shares},
        {tr("Critical path"), m_path},   {tr("Events"), m_eventsView},
        {tr("Notes"), m_notesPanel}};
    for (const auto &[name, content] : rest)
        tabifyDockWidget(first, addPanel(name, content, Qt::BottomDockWidgetArea));
    for (AnswerView *view : {m_waits, m_checks, m_path, m_redundant, m_cache, m_errors})
        connect(view, &QTextBrowser::anchorClicked, this, &MainWindow::followLink);
    connect(m_comm, &CommMatrix::cellActivated, this, &MainWindow::showTraffic);
    // What takes longest comes first: all of them together are asked beside each other.
    answerWhenSeen(
        tr("Checks"),
        {m_checks, [this](const run_part &part) { return say_check(*m_model, {}, part); }, true});
    answerWhenSeen(
        tr("Waits"),
        {m_waits, [this](const run_part &part) { return waits(*m_model, {}, part); }, true});
    answerWhenSeen(tr("Cache"),
                   {m_cache,
                    [this](const run_part &part) { return deed::viewer::cache(*m_model, part); },
                    true});
    answerWhenSeen(tr("Sent twice"),
                   {m_redundant,
                    [this](const run_part &part) { return why_twice(*m_model, {}, part); }, true});
    // Its link asks what takes several times as long as all answers together.
    answerWhenSeen(tr("Critical path"),
                   {m_path,
                    [this](const run_part &part) {
                        if (!m_pathSteps)
                            m_pathSteps = critical_path(*m_model);
                        answer said = say_critical_path(*m_model, *m_pathSteps, part);
                        if (endsInCircle(*m_model))
                            said.sentences.emplace_back(
                                "Some wait for each other until the end: Waits draws who.");
                        return said;
                    },
                    true,
                    QStringLiteral("<a href='slack:'>%1</a>")
                        .arg(tr("how much later could each task have ended?"))});
    answerWhenSeen(tr("Errors"),
                   {m_errors,
                    [this](const run_part &part) { return at_first_error(*m_model, {}, part); },
                    true});
    // The tab says the name already.
    for (QDockWidget *dock : std::as_const(m_panels))
        if (dockWidgetArea(dock) == Qt::BottomDockWidgetArea)
            dock->setTitleBarWidget([dock] {
                auto *nothing = new QWidget(dock);
                (new QHBoxLayout(nothing))->setContentsMargins(0, 0, 0, 0);
                return nothing;
            }());
    // A table that was out of sight did not go along with the playhead.
    connect(m_panels.value(tr("Events")), &QDockWidget::visibilityChanged, this, [this](bool seen) {
        if (seen)
            updateEventRow();
    });
    connect(m_panels.value(tr("Critical path")), &QDockWidget::visibilityChanged, this,
            [this](bool seen) {
                m_timeline->setPath(seen ? *m_pathSteps : std::vector<path_step>());
                m_legend->setShowsPath(seen && !m_pathSteps->empty());
            });
    collectFindings();
    countFindings();
    first->raise();
    resizeDocks({first}, {m_answerHeight}, Qt::Vertical);
    resizeDocks({m_panels.value(tr("Inspector"))}, {m_inspectorWidth}, Qt::Horizontal);
    m_panels.value(tr("Inspector"))->installEventFilter(this);
}

/// As far as that costs no more than a look.
void MainWindow::collectFindings()
{
    constexpr std::size_t few = 100'000; // More take a while to check.
    if (m_run->events().size() <= few)
        m_findings = check(*m_model);
}

/// How much there is to see behind a tab, of the range that is selected.
void MainWindow::countFindings()
{
    const run_part part = chosenPart();
    const auto say = [this](const QString &panel, std::ptrdiff_t found) {
        const std::string count = say_count(static_cast<std::uint64_t>(found));
        m_panels.value(panel)->setWindowTitle(
            found == 0 ? panel
                       : QStringLiteral("%1 (%2)").arg(panel, QString::fromStdString(count)));
    };
    const auto &transfers = m_model->transfers();
    std::ptrdiff_t again = 0;
    for (std::uint32_t i = 0; i < transfers.size(); ++i)
        again += transfers[i].in_vain() && part.has_transfer(*m_model, i);
    say(tr("Sent twice"), again);
    say(tr("Errors"), std::ranges::count_if(m_model->failures(), [&](std::uint32_t each) {
            return part.has(*m_model, m_run->events()[each]);
        }));
    say(tr("Checks"), std::ranges::count_if(m_findings, [&](const finding &each) {
            return lies_in(*m_model, part, each);
        }));
}

/// A higher window has more room for answers, too, unless somebody drew the border elsewhere. In a
/// window that became lower the layout has shrunk them already, though not by as much.
void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    for (QTabBar *each : findChildren<QTabBar *>())
        each->setElideMode(Qt::ElideNone); // Those without room are reached by its buttons.
    widenInspector();
    const int wanted = 270 + std::max(0, height() - 800) * 2 / 5;
    const auto *const tabs = findChild<QTabBar *>(); // What is asked for holds these, too.
    QDockWidget *const dock = m_panels.value(panelInFront());
    if (dock == nullptr || tabs == nullptr || dock->isFloating())
        return;
    const int now = dock->height() + tabs->height();
    if (now > std::min(m_answerHeight, wanted) - 8 && now < m_answerHeight + 8)
        resizeDocks({dock}, {m_answerHeight = wanted}, Qt::Vertical);
}

/// A small window takes its width, and a larger one would give it to the timeline alone.
void MainWindow::widenInspector()
{
    QDockWidget *const dock = m_panels.value(tr("Inspector"));
    const bool beside = !dock->isFloating() && dockWidgetArea(dock) == Qt::RightDockWidgetArea;
    const int room = width() - m_timeline->minimumWidth() - 10;
    if (beside && m_settledSize.isValid() && dock->width() < std::min(m_inspectorWidth, room))
        resizeDocks({dock}, {std::min(m_inspectorWidth, room)}, Qt::Horizontal);
    // Layouts are done when all events are. The first one may be a kept one.
    QTimer::singleShot(0, this, [this, dock, fits = beside && room >= m_inspectorWidth] {
        if (!m_settledSize.isValid() && fits)
            m_inspectorWidth = dock->width();
        m_settledSize = size();
    });
}

/// In a window that has the size that it had, somebody drew the border elsewhere.
bool MainWindow::eventFilter(QObject *of, QEvent *event)
{
    if (event->type() == QEvent::Resize && size() == m_settledSize)
        m_inspectorWidth = static_cast<const QWidget *>(of)->width();
    return QMainWindow::eventFilter(of, event);
}

/// Some questions take a second per ten million events: they are asked when somebody looks.
void MainWindow::answerWhenSeen(const QString &panel, Question question)
{
    const std::size_t number = m_questions.size();
    m_questions.push_back(std::move(question));
    connect(m_panels.value(panel), &QDockWidget::visibilityChanged, this,
            [this, number](bool seen) {
                if (seen)
                    showAnswer(number);
            });
}

void MainWindow::showAnswer(std::size_t number)
{
    answerQuestions({number});
    Question &question = m_questions[number];
    if (question.said)
        question.view->setAnswer(*std::exchange(question.said, {}), question.links);
}

/// Again, of another range than the last time.
void MainWindow::answerSeen()
{
    if (std::exchange(m_isNewRange, false))
        countFindings();
    m_rangeTimer.stop();
    for (std::size_t i = 0; i < m_questions.size(); ++i)
        if ((!m_questions[i].asked || m_questions[i].said) && isSeen(m_questions[i].view))
            showAnswer(i);
}

run_part MainWindow::chosenPart() const
{
    const auto chosen = m_timeline->range();
    return chosen ? run_part(time_range{chosen->first, chosen->second}) : run_part();
}

void MainWindow::answerAll()
{
    std::vector<std::size_t> all(m_questions.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::jthread beside([this] { m_shares->measured(); });
    answerQuestions(all);
}

void MainWindow::answerQuestions(std::vector<std::size_t> which)
{
    std::erase_if(which, [this](std::size_t each) { return m_questions[each].asked; });
    if (which.empty())
        return;
    std::vector<answer> answers(which.size());
    const run_part part = chosenPart();
    in_parallel(which.size(), [&](std::size_t i) {
        const Question &question = m_questions[which[i]];
        answers[i] = question.ask(question.ofRange ? part : run_part());
        if (question.ofRange && part.range())
            answers[i].sentences.insert(answers[i].sentences.begin(), sayRange(*part.range()));
    });
    // A text is laid out when it is seen: before that its width is another.
    for (std::size_t i = 0; i < which.size(); ++i) {
        m_questions[which[i]].asked = true;
        m_questions[which[i]].askedOfAll = part.is_whole();
        m_questions[which[i]].said = std::move(answers[i]);
    }
    m_state->restSoon();
}

void MainWindow::showSlack()
{
    constexpr std::size_t mostTasks = 100;
    showPanel(tr("Critical path"));
    std::vector<std::int64_t> all = slack(*m_model);
    const run_part part = chosenPart();
    answer said = say_critical_path(*m_model, *m_pathSteps, part);
    if (part.range())
        said.sentences.insert(said.sentences.begin(), sayRange(*part.range()));
    for (table &each : say_slack(*m_model, all, part, mostTasks))
        said.tables.insert(said.tables.end() - 1, std::move(each)); // The steps stay the last.
    m_path->setAnswer(std::move(said));
    m_timeline->setSlack({all.begin(), all.end()});
}

QStringList MainWindow::panelNames() const
{
    return m_panelOrder;
}

bool MainWindow::showPanel(const QString &name)
{
    for (const QString &each : std::as_const(m_panelOrder))
        if (each.compare(name, Qt::CaseInsensitive) == 0) {
            m_panels.value(each)->show();
            m_panels.value(each)->raise();
            return true;
        }
    return false;
}

/// What is typed next is for the panel that was asked for.
void MainWindow::goToPanel(const QString &name)
{
    if (showPanel(name) || name == tr("Timeline"))
        panelContent(name)->setFocus(Qt::ShortcutFocusReason);
}

bool MainWindow::showLayout(const QString &name)
{
    const QHash<QString, QString> panels{
        {QStringLiteral("ownership"), tr("Ownership")},
        {QStringLiteral("communication"), tr("Communication")},
        {QStringLiteral("performance"), tr("Where time went")},
    };
    return panels.contains(name) && showPanel(panels.value(name));
}

bool MainWindow::openAtFirstError()
{
    if (m_model->failures().empty())
        return false;
    const std::uint32_t first = m_model->failures().front();
    m_state->setPlayhead(m_run->events().time(first));
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
    m_timeLabel->setText(QStringLiteral("t = %1 / %2")
                             .arg(QString::fromStdString(say_time(m_state->playhead())),
                                  QString::fromStdString(say_time(m_run->end()))));
}

/// Behind another tab a panel is visible for Qt, but nothing of it is. What scrolls is all covered
/// by its own viewport.
bool MainWindow::isSeen(const QWidget *part)
{
    const auto *const area = qobject_cast<const QAbstractScrollArea *>(part);
    return part->isVisible() && (!part->visibleRegion().isEmpty() ||
                                 (area != nullptr && !area->viewport()->visibleRegion().isEmpty()));
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

/// What was said of the whole run is kept until it is wanted again.
void MainWindow::updateRangeAnswers()
{
    const run_part part = chosenPart();
    m_shares->setRange(part.range());
    m_comm->setRange(part.range());
    for (Question &each : m_questions) {
        if (!each.ofRange)
            continue;
        if (each.asked && each.askedOfAll)
            each.ofAll = each.said ? std::move(*each.said) : answer(each.view->shown());
        each.said.reset();
        each.asked = false;
        if (!part.is_whole() || !each.ofAll)
            continue;
        each.said = std::exchange(each.ofAll, {});
        each.asked = each.askedOfAll = true;
    }
    m_isNewRange = true;
    m_rangeTimer.start();
}

/// The Inspector's sentence, for those who do not see what is selected.
void MainWindow::updateInspector()
{
    inspectSelection();
    const auto &sentences = m_inspector->shown().sentences;
    m_timeline->setAccessibleDescription(
        sentences.empty() ? QString() : QString::fromStdString(sentences.front()));
}

void MainWindow::inspectSelection()
{
    const Selection selection = m_state->selection();
    const auto link = [](const char *kind, std::uint32_t index, const std::string &text) {
        return QStringLiteral("<a href='%1:%2'>%3</a>")
            .arg(QLatin1String(kind))
            .arg(index)
            .arg(QString::fromStdString(text).toHtmlEscaped());
    };
    QStringList links;
    switch (selection.kind) {
    case Selection::Nothing: {
        answer said = info(*m_model);
        said.tables.erase(said.tables.begin()); // Of ranks: too wide for here.
        for (const std::string &each : m_run->incomplete())
            said.sentences.push_back("Incomplete: " + each + ".");
        said.sentences.push_back(
            "Click a bar, an arrow's end or a handle to see what it is and why.");
        m_inspector->setAnswer(std::move(said));
        return;
    }
    case Selection::Task: {
        const task &t = m_model->tasks()[selection.index];
        for (const auto &a : m_model->accesses(t)) {
            links += link("handle", a.handle, m_model->handle_name(a.handle));
            const std::uint32_t writer = m_model->writer(a.handle, a.ver_in);
            if (writer != none && writer != selection.index)
                links += link("task", writer, m_model->task_name(writer));
        }
        m_inspector->setAnswer(describe_task(*m_model, selection.index),
                               links.join(QStringLiteral(" · ")));
        return;
    }
    case Selection::Transfer: {
        const transfer &x = m_model->transfers()[selection.index];
        links += link("handle", x.handle, m_model->handle_name(x.handle));
        const std::uint32_t writer = m_model->writer(x.handle, x.version);
        if (writer != none)
            links += tr("writer ") + link("task", writer, m_model->task_name(writer));
        const std::uint32_t reader = m_model->task_for(x);
        if (reader != none)
            links += tr("for ") + link("task", reader, m_model->task_name(reader));
        m_inspector->setAnswer(describe_transfer(*m_model, selection.index),
                               links.join(QStringLiteral(" · ")));
        return;
    }
    case Selection::Handle:
        if (const QString nothing = m_state->whyNotKnown(); !nothing.isEmpty())
            m_inspector->setAnswer(
                {{m_model->handle_name(selection.index), nothing.toStdString()}, {}});
        else
            m_inspector->setAnswer(describe_handle(*m_model, selection.index, m_state->playhead()));
        return;
    case Selection::Event: {
        const auto &e = m_run->events()[selection.index];
        const auto handle = m_run->get(e, field::handle, none);
        if (handle < m_model->data().size())
            links += link("handle", static_cast<std::uint32_t>(handle),
                          m_model->handle_name(static_cast<std::uint32_t>(handle)));
        // Every rank says of every task that it was submitted.
        const int executor = e.what == record::task_submit
                                 ? static_cast<int>(m_run->get32(e, field::exec_rank))
                                 : m_run->rank_of(e);
        const std::uint32_t t =
            e.what == record::fatal_signal
                ? task_that_failed(*m_model, e)
                : m_model->find_task(executor, m_run->get(e, field::task, ~std::uint64_t{0}));
        if (t != none)
            links += link("task", t, m_model->task_name(t));
        m_inspector->setAnswer(endsRun(e.what) ? inspectFailure(*m_model, selection.index)
                                               : describe_event(*m_model, selection.index),
                               links.join(QStringLiteral(" · ")));
        return;
    }
    }
}

void MainWindow::followLink(const QUrl &link)
{
    const std::uint32_t index = link.path().toUInt();
    if (link.scheme() == QLatin1String("task")) {
        m_state->select({Selection::Task, index});
        if (m_model->tasks()[index].begin != never)
            m_state->setPlayhead(m_model->tasks()[index].begin);
        m_timeline->showSelection();
    } else if (link.scheme() == QLatin1String("transfer")) {
        m_state->select({Selection::Transfer, index});
        m_state->setPlayhead(std::max<qint64>(0, m_model->transfers()[index].on_the_wire()));
        m_timeline->showSelection();
    } else if (link.scheme() == QLatin1String("handle")) {
        m_state->select({Selection::Handle, index});
    } else if (link.scheme() == QLatin1String("slack")) {
        showSlack();
    } else if (link.scheme() == QLatin1String("event")) {
        setPlayheadAndShow({Selection::Event, index}, m_run->events()[index].time);
    }
}

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
    if (kind == QLatin1String("transfer") && number && index < m_model->transfers().size()) {
        m_state->select({Selection::Transfer, index});
        return true;
    }
    if (kind == QLatin1String("event") && number && index < m_run->events().size()) {
        m_state->select({Selection::Event, index});
        return true;
    }
    return false;
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
