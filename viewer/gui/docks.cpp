// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

using namespace deed::viewer;

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
    makePanels();
    addPanel(tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);
    QDockWidget *const first = addPanel(tr("Ownership"), m_ownership, Qt::BottomDockWidgetArea);
    const QList<QPair<QString, QWidget *>> rest{
        {tr("History"), m_history},         {tr("Communication"), m_comm},
        {tr("Sent twice"), m_redundant},    {tr("Cache"), m_cachePanel},
        {tr("Errors"), m_errors},           {tr("Checks"), m_checks},
        {tr("Waits"), m_waitsPanel},        {tr("Where time went"), m_sharesPanel},
        {tr("Critical path"), m_pathPanel}, {tr("Events"), m_eventsView},
        {tr("Notes"), m_notesPanel}};
    for (const auto &[name, content] : rest)
        tabifyDockWidget(first, addPanel(name, content, Qt::BottomDockWidgetArea));
    for (AnswerView *view :
         {m_inspector, m_waits, m_checks, m_path, m_redundant, m_cache, m_errors, m_durations})
        connect(view, &QTextBrowser::anchorClicked, this, &MainWindow::followLink);
    connect(m_comm, &CommMatrix::cellActivated, this, &MainWindow::showTraffic);
    askPanels();
    hideTitlesBelow();
    followPanelsInFront();
    collectFindings();
    countFindings();
    first->raise();
    resizeDocks({first}, {m_answerHeight}, Qt::Vertical);
    resizeDocks({m_panels.value(tr("Inspector"))}, {m_inspectorWidth}, Qt::Horizontal);
    m_panels.value(tr("Inspector"))->installEventFilter(this);
}

namespace {

/// An answer and what is drawn of it: the keyboard goes to the first.
QWidget *besideEachOther(QWidget *first, QWidget *second, const QList<int> &widths = {780, 500})
{
    auto *both = new QSplitter(Qt::Horizontal);
    both->addWidget(first);
    both->addWidget(second);
    both->setSizes(widths);
    both->setFocusProxy(first);
    return both;
}

} // namespace

void MainWindow::makePanels()
{
    m_inspector = new AnswerView;
    m_ownership = new OwnershipPanel(m_state);
    m_history = new HandleHistory(m_state);
    m_comm = new CommMatrix(m_state);
    m_shares = new TimeShares(m_state);
    m_shares->setFocusPolicy(Qt::StrongFocus);
    m_durations = new AnswerView;
    m_durations->setAccessibleName(tr("Longest gaps, and how long tasks took"));
    m_sharesPanel = besideEachOther(m_shares, m_durations, {520, 760});
    m_waits = new AnswerView;
    m_waits->setAccessibleName(tr("Waits"));
    m_waitGraph = new WaitGraph;
    m_waitsPanel = besideEachOther(m_waits, m_waitGraph);
    m_path = new AnswerView;
    m_path->setAccessibleName(tr("Critical path"));
    m_whatIf = new WhatIfBar(*m_model);
    m_whatIf->hide(); // Until somebody asks: steps need the height.
    m_pathPanel = new QWidget;
    auto *const below = new QVBoxLayout(m_pathPanel);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(0);
    below->addWidget(m_whatIf);
    below->addWidget(m_path, 1);
    m_pathPanel->setFocusProxy(m_path);
    m_checks = new AnswerView;
    m_redundant = new AnswerView;
    m_cache = new AnswerView;
    m_cache->setAccessibleName(tr("Cache"));
    m_copies = std::make_unique<CopiesOverTime>(*m_model);
    m_cacheCurves = new CacheCurves(m_state, m_copies.get());
    m_cacheCurves->setFocusPolicy(Qt::StrongFocus);
    m_cachePanel = besideEachOther(m_cache, m_cacheCurves);
    m_errors = new AnswerView;
    buildEventsView();
    buildNotes();
}

void MainWindow::buildEventsView()
{
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
}

/// The tab says the name already.
void MainWindow::hideTitlesBelow()
{
    for (QDockWidget *dock : std::as_const(m_panels))
        if (dockWidgetArea(dock) == Qt::BottomDockWidgetArea)
            dock->setTitleBarWidget([dock] {
                auto *nothing = new QWidget(dock);
                (new QHBoxLayout(nothing))->setContentsMargins(0, 0, 0, 0);
                return nothing;
            }());
}

void MainWindow::followPanelsInFront()
{
    // A table that was out of sight did not go along with the playhead.
    connect(m_panels.value(tr("Events")), &QDockWidget::visibilityChanged, this, [this](bool seen) {
        if (seen)
            updateEventRow();
    });
    connect(m_panels.value(tr("Ownership")), &QDockWidget::visibilityChanged, this,
            [this](bool seen) {
                if (seen)
                    m_ownership->look();
            });
    connect(m_panels.value(tr("Communication")), &QDockWidget::visibilityChanged, this,
            [this](bool seen) {
                if (seen)
                    m_comm->look();
            });
    connect(m_panels.value(tr("Critical path")), &QDockWidget::visibilityChanged, this,
            [this](bool seen) {
                m_timeline->setPath(seen ? *m_pathSteps : std::vector<path_step>());
                m_legend->setShowsPath(seen && !m_pathSteps->empty());
            });
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

QStringList MainWindow::panelNames() const
{
    return m_panelOrder;
}

/// In any case, and with hyphens, as commands of `deed-trace` are written.
bool MainWindow::showPanel(const QString &name)
{
    QString words = name;
    words.replace(QLatin1Char('-'), QLatin1Char(' '));
    for (const QString &each : std::as_const(m_panelOrder))
        if (each.compare(words, Qt::CaseInsensitive) == 0) {
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

/// Behind another tab a panel is visible for Qt, but nothing of it is. What scrolls is all covered
/// by its own viewport.
bool MainWindow::isSeen(const QWidget *part)
{
    const auto *const area = qobject_cast<const QAbstractScrollArea *>(part);
    return part->isVisible() && (!part->visibleRegion().isEmpty() ||
                                 (area != nullptr && !area->viewport()->visibleRegion().isEmpty()));
}
