// SPDX-License-Identifier: MIT
#include "gui/choose.hpp"
#include "gui/compare_window.hpp"
#include "gui/keys.hpp"
#include "gui/layouts.hpp"
#include "gui/main_window.hpp"
#include "gui/open_any.hpp"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

using namespace deed::viewer;

void MainWindow::buildActions()
{
    const auto add = [this](QMenu *menu, const QString &name, const QKeySequence &keys,
                            auto &&slot) {
        QAction *action = menu->addAction(name);
        action->setShortcut(keys);
        action->setToolTip(QString(name).remove(QLatin1Char('&')));
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    const auto addAsking = [&](QMenu *menu, const QString &name, const QKeySequence &keys,
                               auto &&slot) { setAsking(*add(menu, name, keys, slot)); };
    const auto middle = [this] { return (m_state->begin() + m_state->end()) / 2; };
    const auto part = [this](double of) {
        return static_cast<qint64>(of * static_cast<double>(m_state->end() - m_state->begin()));
    };

    QMenu *file = menuBar()->addMenu(tr("&File"));
    addAsking(file, tr("&Open a run"), QKeySequence(Qt::CTRL | Qt::Key_O),
              [this] { askForRun(m_theme); });
    addAsking(file, tr("Open the &report of a deadlock"),
              QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), [this] { askForReport(m_theme); });
    addAsking(file, tr("&Compare with another run"), QKeySequence(Qt::CTRL | Qt::Key_D),
              [this] { compareWithAnother(); });
    addAsking(file, tr("&Export the panel in front"), QKeySequence(Qt::CTRL | Qt::Key_E),
              [this] { exportPanelAsked(panelInFront()); });
    addAsking(file, tr("Export the &timeline"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E),
              [this] { exportPanelAsked(tr("Timeline")); });
    QAction *const copy =
        add(file, tr("Cop&y"), QKeySequence(Qt::CTRL | Qt::Key_C), [this] { copyPanel(); });
    copy->setToolTip(tr("Copy the panel in use: rows and answers as text, pictures as pictures"));
    for (QWidget *each :
         m_ownership->canvases() + QList<QWidget *>{m_history, m_comm, m_shares, m_waitGraph,
                                                    m_cacheCurves, m_eventsView, m_marksView}) {
        each->setContextMenuPolicy(Qt::ActionsContextMenu);
        each->addAction(copy);
    }
    addAsking(file, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { window()->close(); });

    QMenu *view = m_viewMenu = menuBar()->addMenu(tr("&View"));
    add(view, tr("Zoom &in"), Qt::Key_W, [this, middle] { m_state->zoom(0.7, middle()); });
    add(view, tr("Zoom &out"), Qt::Key_S, [this, middle] { m_state->zoom(1 / 0.7, middle()); });
    add(view, tr("Pan &left"), Qt::Key_A, [this, part] { m_state->pan(-part(0.1)); });
    add(view, tr("Pan &right"), Qt::Key_D, [this, part] { m_state->pan(part(0.1)); });
    add(view, tr("&Whole run"), Qt::Key_Home, [this] { m_state->fitAll(); });
    add(view, tr("&Fit the selection"), Qt::Key_F, [this] { m_state->fitSelection(); });
    add(view, tr("&Undo view"), Qt::Key_Z, [this] { m_state->undo(); });
    add(view, tr("R&edo view"), Qt::SHIFT | Qt::Key_Z, [this] { m_state->redo(); });
    m_arrowsAction = add(view, tr("All &arrows"), Qt::Key_Plus,
                         [this](bool on) { m_timeline->setShowAllArrows(on); });
    m_arrowsAction->setCheckable(true);
    m_arrowsAction->setChecked(true);
    const auto axisBy = [this](const QString &what) {
        return [this, what](bool on) {
            m_searchResult->setText(chooseAxis(on ? what : QStringLiteral("time")));
            checkAxis();
        };
    };
    m_axisAction =
        add(view, tr("Axis by i&teration"), Qt::Key_T, axisBy(QStringLiteral("iteration")));
    m_axisAction->setCheckable(true);
    m_taskAxisAction = add(view, tr("Axis by the order of tasks"), Qt::SHIFT | Qt::Key_T,
                           axisBy(QStringLiteral("tasks")));
    m_taskAxisAction->setCheckable(true);
    view->addSeparator();
    for (const auto &[name, key] : {std::pair{"ownership", Qt::Key_F5},
                                    {"communication", Qt::Key_F6},
                                    {"performance", Qt::Key_F7}})
        add(view, tr("Layout: %1").arg(QLatin1String(name)), key,
            [this, name = name] { runCommand(QStringLiteral("layout ") + QLatin1String(name)); });
    for (const auto &[name, key] :
         {std::pair{"light", Qt::Key_F5}, {"dark", Qt::Key_F6}, {"contrast", Qt::Key_F7}})
        add(view, tr("Theme: %1").arg(QLatin1String(name)), QKeySequence(Qt::CTRL | key),
            [this, name = name] { runCommand(QStringLiteral("theme ") + QLatin1String(name)); });

    addAsking(view,
              m_clocks != clock_correction::nothing ? tr("Clocks as they were recorded")
                                                    : tr("Clocks as ranks and messages tell them"),
              QKeySequence(Qt::CTRL | Qt::Key_T), [this] { changeClocks(); });
    view->addSeparator();
    add(view, tr("&Keep this layout"), QKeySequence(Qt::CTRL | Qt::Key_K),
        [this] { keepLayout(*this); });
    add(view, tr("Forget the kept layout"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K),
        [] { forgetLayout(); });
    add(view, tr("&Pin the lane"), Qt::Key_P, [this] { m_timeline->togglePin(); });
    add(view, tr("Fold or unfold the ran&k"), Qt::Key_C, [this] { m_timeline->toggleRankInUse(); });
    add(view, tr("Fold or unfold all ranks"), Qt::SHIFT | Qt::Key_C,
        [this] { m_timeline->toggleAllRanks(); });
    add(view, tr("The rank alone, or all ranks"), Qt::Key_I,
        [this] { m_timeline->toggleOnlyRank(); });

    QMenu *go = menuBar()->addMenu(tr("&Go"));
    add(go, tr("&Mark the playhead"), Qt::Key_M,
        [this] { addMark(tr("mark %1").arg(m_notes.marks.size() + 1)); });
    add(go, tr("Next mark"), Qt::Key_N, [this] { stepMark(1); });
    add(go, tr("Previous mark"), Qt::SHIFT | Qt::Key_N, [this] { stepMark(-1); });
    add(go, tr("Ne&xt on this lane"), Qt::Key_Period, [this] { m_timeline->walk(1); });
    add(go, tr("&Previous on this lane"), Qt::Key_Comma, [this] { m_timeline->walk(-1); });
    add(go, tr("&Along the flow"), Qt::Key_BracketRight, [this] { followFlow(1); });
    add(go, tr("Against the flow"), Qt::Key_BracketLeft, [this] { followFlow(-1); });
    add(go, tr("Select the range of the selection"), Qt::Key_R,
        [this] { m_timeline->setRangeToSelection(); });
    add(go, tr("Begin a range at the playhead, or end it there"), Qt::Key_V,
        [this] { m_timeline->rangeFromPlayhead(); });
    add(go, tr("Next transfer of the &handle"), Qt::CTRL | Qt::Key_Right,
        [this] { stepHandle(1, true); });
    add(go, tr("Previous transfer of the handle"), Qt::CTRL | Qt::Key_Left,
        [this] { stepHandle(-1, true); });
    add(go, tr("Next event of the handle"), Qt::SHIFT | Qt::Key_Right,
        [this] { stepHandle(1, false); });
    add(go, tr("Previous event of the handle"), Qt::SHIFT | Qt::Key_Left,
        [this] { stepHandle(-1, false); });
    add(go, tr("Next &owner change"), Qt::Key_O, [this] { stepOwner(1); });
    add(go, tr("Previous owner change"), Qt::SHIFT | Qt::Key_O, [this] { stepOwner(-1); });
    add(go, tr("Next &error"), Qt::Key_E, [this] { stepError(1); });
    add(go, tr("Previous error"), Qt::SHIFT | Qt::Key_E, [this] { stepError(-1); });
    add(go, tr("Next &redundant transfer"), Qt::Key_X, [this] { stepRedundant(1); });
    add(go, tr("Previous redundant transfer"), Qt::SHIFT | Qt::Key_X,
        [this] { stepRedundant(-1); });
    add(go, tr("Back to the last &writer"), Qt::Key_B, [this] { backToWriter(); });

    QMenu *analyse = menuBar()->addMenu(tr("&Analyse"));
    int number = 0; // Ctrl with a digit; from the tenth panel on, Alt with one.
    for (const QString &panel : panelNames()) {
        const auto digit = static_cast<Qt::Key>(Qt::Key_1 + number % 9);
        add(analyse, panel, QKeySequence((number < 9 ? Qt::CTRL : Qt::ALT) | digit),
            [this, panel] { goToPanel(panel); });
        ++number;
    }
    add(analyse, tr("Timeline"), QKeySequence(Qt::CTRL | Qt::Key_0),
        [this] { goToPanel(tr("Timeline")); });
    buildMeasures(analyse);

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    addAsking(help, tr("All &commands"), Qt::CTRL | Qt::SHIFT | Qt::Key_P,
              [this] { showPalette(); });
    addKeys(
        help, this,
        tr("ctrl+wheel zooms, shift+wheel pans, wheel scrolls the lanes; drag selects a range, "
           "shift-drag or right-drag pans; the ruler moves the playhead."),
        {{tr("Tab, Shift+Tab"), tr("The next part, the one before")},
         {tr("Up, Down"), tr("In the timeline the lane, in Ownership the handle")},
         {tr("Arrows, Return"), tr("In Communication the cell, and its messages; in History the "
                                   "changes of the datum, and itself")},
         {tr("F2"), tr("In Notes: change the text; an empty one takes the mark away")}});
    QAction *clear = add(help, tr("Clear the selection"), Qt::Key_Escape, [this] {
        if (m_searchBox->hasFocus())
            return m_timeline->setFocus();
        m_state->select({});
        m_timeline->clearRange();
    });
    clear->setToolTip(tr("Leave the search, or clear the selection and the range"));

    auto *bar = new QToolBar(tr("Search"), this);
    bar->setObjectName(QStringLiteral("Search"));
    bar->setMovable(false);
    addToolBar(Qt::TopToolBarArea, bar);
    auto *name = new QLabel(tr(" Search "));
    bar->addWidget(name);
    m_searchBox = new QLineEdit;
    m_searchBox->setObjectName(QStringLiteral("search"));
    m_searchBox->setPlaceholderText(
        tr("handle:A[3,*] rank:2 dur>1ms  -  words, fields, | for or, - for not; "
           "when handle:A[3,2] owner:2"));
    m_searchBox->setClearButtonEnabled(true);
    m_searchBox->setAccessibleName(tr("Search"));
    bar->addWidget(m_searchBox);
    m_searchResult = new QLabel;
    m_searchResult->setContentsMargins(8, 0, 8, 0);
    m_searchResult->setAccessibleName(tr("What the search found"));
    bar->addWidget(m_searchResult);
    connect(m_searchBox, &QLineEdit::returnPressed, this, [this] {
        search(m_searchBox->text(), QApplication::keyboardModifiers() & Qt::ShiftModifier ? -1 : 1);
    });
    connect(m_searchBox, &QLineEdit::textChanged, this, [this](const QString &text) {
        if (text.isEmpty())
            search(text, 0);
    });
    const auto find = [this] { m_searchBox->setFocus(); };
    add(go, tr("&Find"), QKeySequence(Qt::CTRL | Qt::Key_F), find);
    add(go, tr("Find, as in a pager"), Qt::Key_Slash, find);
    addAsking(go, tr("Go to a lane or a handle"), QKeySequence(Qt::CTRL | Qt::Key_P),
              [this] { askWhereTo(); });
}

/// One of several, also in the menu of a right click; the first is what is shown at first.
void MainWindow::addChoices(QMenu *menu, const QString &panel, const QList<QWidget *> &canvases,
                            const QList<Choice> &choices)
{
    auto *const group = new QActionGroup(this);
    for (const Choice &each : choices) {
        QAction *const action = menu->addAction(tr("%1: %2").arg(panel, each.name));
        action->setData(each.name);
        action->setToolTip(action->text());
        action->setCheckable(true);
        action->setChecked(group->actions().isEmpty());
        action->setActionGroup(group);
        connect(action, &QAction::triggered, this, each.does);
        for (QWidget *canvas : canvases)
            canvas->addAction(action);
    }
}

void MainWindow::buildMeasures(QMenu *analyse)
{
    const auto choices = [](const QStringList &names, const auto &choose) {
        QList<Choice> all;
        for (int i = 0; i < names.size(); ++i)
            all += Choice{names[i], [choose, i] { choose(i); }};
        return all;
    };
    QMenu *const comm = analyse->addMenu(tr("&Communication shows"));
    addChoices(comm, tr("Communication"), {m_comm},
               choices(CommMatrix::measureNames(),
                       [this](int i) { m_comm->setMeasure(static_cast<CommMatrix::Measure>(i)); }));
    addChoices(comm, tr("Communication"), {m_comm},
               choices({tr("linear"), tr("logarithmic")},
                       [this](int i) { m_comm->setLogarithmic(i == 1); }));
    addChoices(analyse->addMenu(tr("&Where time went shows")), tr("Where time went"), {m_shares},
               choices(TimeShares::groupNames(),
                       [this](int i) { m_shares->setPer(static_cast<shares_per>(i)); }));
    QMenu *const ownership = analyse->addMenu(tr("&Ownership shows"));
    const QList<QWidget *> canvases = m_ownership->canvases();
    addChoices(
        ownership, tr("Ownership"), canvases,
        choices(OwnershipPanel::measureNames(), [this](int i) { m_ownership->setMeasure(i); }));
    addChoices(ownership, tr("Ownership"), canvases,
               choices(OwnershipPanel::layoutNames(), [this](int i) {
                   m_ownership->setLayoutOf(static_cast<OwnershipPanel::Layout>(i));
               }));
}

QAction *MainWindow::addToView(const QString &name, const QKeySequence &keys,
                               const std::function<void(bool)> &does)
{
    QAction *const action = m_viewMenu->addAction(name);
    action->setShortcut(keys);
    action->setToolTip(name);
    connect(action, &QAction::triggered, this, does);
    return action;
}

void MainWindow::compareWithAnother()
{
    const QString other = QFileDialog::getExistingDirectory(this, tr("Compare with which run?"));
    if (other.isEmpty())
        return;
    try {
        auto *window = new CompareWindow(QString::fromStdString(m_run->path()), other);
        window->setAttribute(Qt::WA_DeleteOnClose);
        window->setTheme(m_theme);
        window->show();
    } catch (const unreadable &wrong) {
        QMessageBox::warning(this, tr("Compare"), QString::fromUtf8(wrong.what()));
    }
}

/// The same run in a window of its own that takes this one's place: every time is another.
void MainWindow::changeClocks()
{
    const auto clocks = m_clocks == clock_correction::nothing ? clock_correction::sync_and_messages
                                                              : clock_correction::nothing;
    if (!isWindow()) {
        emit clocksAsked(clocks);
        return;
    }
    auto *other = new MainWindow(OpenedRun::open(QString::fromStdString(m_run->path()), clocks));
    other->setAttribute(Qt::WA_DeleteOnClose);
    other->setGeometry(geometry());
    other->setTheme(m_theme);
    other->restoreState(saveState());
    other->show();
    close();
}

void MainWindow::showPalette()
{
    QStringList names;
    QHash<QString, QAction *> actions;
    for (QAction *action : commandsOf(*this)) {
        const QString name = nameOf(*action);
        if (!actions.contains(name))
            names += name;
        actions.insert(name, action);
    }
    names.sort();
    if (QAction *const chosen = actions.value(Choose::ask(tr("All commands"), names, this)))
        chosen->trigger();
}

/// What is called as a lane is one, whatever data are called.
void MainWindow::askWhereTo()
{
    const QStringList lanes = m_timeline->laneNames();
    QStringList names = lanes;
    for (const datum &each : m_model->data())
        if (each.known)
            names += QString::fromStdString(each.name);
    const QString name = Choose::ask(tr("Go to a lane or a handle"), names, this);
    if (!name.isEmpty())
        selectByName((lanes.contains(name) ? QStringLiteral("lane:") : QStringLiteral("handle:")) +
                     name);
}

/// As the palette calls it; null if nothing is.
QAction *MainWindow::commandCalled(const QString &name) const
{
    for (QAction *const each : commandsOf(*this))
        if (nameOf(*each).compare(name, Qt::CaseInsensitive) == 0)
            return each;
    return nullptr;
}
