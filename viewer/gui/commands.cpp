// SPDX-License-Identifier: MIT
#include "gui/choose.hpp"
#include "gui/compare_window.hpp"
#include "gui/keys.hpp"
#include "gui/layouts.hpp"
#include "gui/main_window.hpp"
#include "gui/open_any.hpp"
#include "gui/window_size.hpp"
#include "gui/written.hpp"

#include "analysis/say/units.hpp"

#include <QAction>
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
    const auto middle = [this] { return (m_state->begin() + m_state->end()) / 2; };
    const auto part = [this](double of) {
        return static_cast<qint64>(of * static_cast<double>(m_state->end() - m_state->begin()));
    };

    QMenu *file = menuBar()->addMenu(tr("&File"));
    add(file, tr("&Open a run"), QKeySequence(Qt::CTRL | Qt::Key_O),
        [this] { askForRun(m_theme); });
    add(file, tr("Open the &report of a deadlock"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O),
        [this] { askForReport(m_theme); });
    add(file, tr("&Compare with another run"), QKeySequence(Qt::CTRL | Qt::Key_D),
        [this] { compareWithAnother(); });
    add(file, tr("&Export the panel in front"), QKeySequence(Qt::CTRL | Qt::Key_E),
        [this] { exportPanelAsked(panelInFront()); });
    add(file, tr("Export the &timeline"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E),
        [this] { exportPanelAsked(tr("Timeline")); });
    add(file, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { window()->close(); });

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
    view->addSeparator();
    for (const auto &[name, key] : {std::pair{"ownership", Qt::Key_F5},
                                    {"communication", Qt::Key_F6},
                                    {"performance", Qt::Key_F7}})
        add(view, tr("Layout: %1").arg(QLatin1String(name)), key,
            [this, name = name] { runCommand(QStringLiteral("layout ") + QLatin1String(name)); });
    for (const char *const name : {"light", "dark", "contrast"})
        add(view, tr("Theme: %1").arg(QLatin1String(name)), {},
            [this, name] { runCommand(QStringLiteral("theme ") + QLatin1String(name)); });

    add(view,
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
    add(go, tr("Next &owner change"), Qt::Key_O, [this] { stepRecord(1, {record::owner}); });
    add(go, tr("Previous owner change"), Qt::SHIFT | Qt::Key_O,
        [this] { stepRecord(-1, {record::owner}); });
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

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    add(help, tr("All &commands"), Qt::CTRL | Qt::SHIFT | Qt::Key_P, [this] { showPalette(); });
    addKeys(help, this,
            tr("ctrl+wheel zooms, shift+wheel pans, wheel scrolls the lanes; drag selects a range, "
               "shift-drag or right-drag pans; the ruler moves the playhead."),
            {{tr("Tab, Shift+Tab"), tr("The next part, the one before")},
             {tr("Up, Down"), tr("In the timeline the lane, in Ownership the handle")},
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
    m_searchBox->setPlaceholderText(
        tr("handle:A[3,*] rank:2 dur>1ms  -  words, fields, | for or, - for not; "
           "when handle:A[3,2] owner:2"));
    m_searchBox->setClearButtonEnabled(true);
    m_searchBox->setAccessibleName(tr("Search"));
    bar->addWidget(m_searchBox);
    m_searchResult = new QLabel;
    m_searchResult->setContentsMargins(8, 0, 8, 0);
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
    add(go, tr("Go to a handle"), QKeySequence(Qt::CTRL | Qt::Key_P), [this] { showHandles(); });
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

void MainWindow::showHandles()
{
    QStringList names;
    for (const datum &each : m_model->data())
        if (each.known)
            names += QString::fromStdString(each.name);
    const QString name = Choose::ask(tr("Go to a handle"), names, this);
    if (!name.isEmpty())
        selectByName(QStringLiteral("handle:") + name);
}

QStringList MainWindow::commandHelp()
{
    return {QStringLiteral("at TIME             move the playhead"),
            QStringLiteral("range FROM:TO       show this part"),
            QStringLiteral("mark FROM:TO        select this range"),
            QStringLiteral("fit                 show the whole run"),
            QStringLiteral("fit selection       show the selected thing"),
            QStringLiteral("select WHAT         handle:A[3,2], task:gemm#12, transfer:3, "
                           "transfer:redundant, event:17, error"),
            QStringLiteral("clear               select nothing"),
            QStringLiteral("note TEXT           mark the playhead with this text"),
            QStringLiteral("pin LANE            keep a lane at the top, such as rank 0 w00; again: "
                           "let it go"),
            QStringLiteral("panel NAME          bring a panel to the front"),
            QStringLiteral("layout NAME         ownership, communication or performance"),
            QStringLiteral("slack               how much later tasks could have ended, as Critical "
                           "path and tooltips say"),
            QStringLiteral("search QUERY        filter the events and go to the first hit"),
            QStringLiteral("search when STATE   the moments at which a state begins, such as "
                           "handle:A[3,2] owner:2"),
            QStringLiteral(
                "next UNIT           event, task, transfer, handle, owner, error or redundant"),
            QStringLiteral("previous UNIT       the same, backwards"),
            QStringLiteral("writer              back to the last writer of the selected handle"),
            QStringLiteral("flow                from the selected task or transfer to what it led "
                           "to"),
            QStringLiteral("flow back           to what it came from"),
            QStringLiteral("collapse RANK       fold or unfold the lanes of a rank"),
            QStringLiteral("theme NAME          light, dark or contrast"),
            QStringLiteral("size WxH            size of the window"),
            QStringLiteral("export [PANEL] FILE the panel, or the one in front, as .svg, .png or "
                           ".csv; also the Timeline"),
            QStringLiteral("screenshot FILE     write a picture")};
}

QString MainWindow::runCommand(const QString &line)
{
    const QString trimmed = line.trimmed();
    const qsizetype blank = trimmed.indexOf(QLatin1Char(' '));
    const QString command = trimmed.left(blank),
                  rest = blank < 0 ? QString() : trimmed.mid(blank + 1).trimmed();
    const auto times = [&]() -> std::optional<std::pair<qint64, qint64>> {
        const QStringList parts = rest.split(QLatin1Char(':'));
        if (parts.size() != 2)
            return {};
        const auto from = parse_time(parts[0].toStdString()),
                   to = parse_time(parts[1].toStdString());
        return from && to && *from < *to ? std::optional(std::pair<qint64, qint64>(*from, *to))
                                         : std::nullopt;
    };
    const QString wrong = tr("`%1` cannot be done: ").arg(trimmed);
    if (command == QLatin1String("at")) {
        const auto time = parse_time(rest.toStdString());
        if (!time)
            return wrong + tr("write a time such as 12.3ms");
        if (*time > m_run->end())
            return wrong +
                   tr("the run ends at %1").arg(QString::fromStdString(say_time(m_run->end())));
        m_state->setPlayhead(*time);
    } else if (command == QLatin1String("range") || command == QLatin1String("mark")) {
        const auto range = times();
        if (!range)
            return wrong + tr("write a range such as 10ms:20ms");
        if (command == QLatin1String("range"))
            m_state->setView(range->first, range->second);
        else
            m_timeline->setRange(range->first, range->second);
    } else if (command == QLatin1String("slack")) {
        showSlack();
    } else if (command == QLatin1String("fit")) {
        rest == QLatin1String("selection") ? m_state->fitSelection() : m_state->fitAll();
    } else if (command == QLatin1String("select")) {
        if (!selectByName(rest))
            return wrong + tr("there is no such thing in this run");
    } else if (command == QLatin1String("clear")) {
        m_state->select({});
        m_timeline->clearRange();
    } else if (command == QLatin1String("panel")) {
        if (!showPanel(rest))
            return wrong + tr("the panels are %1").arg(panelNames().join(QStringLiteral(", ")));
    } else if (command == QLatin1String("layout")) {
        if (!showLayout(rest))
            return wrong + tr("the layouts are ownership, communication and performance");
    } else if (command == QLatin1String("note")) {
        if (rest.isEmpty())
            return wrong + tr("write what it shall say");
        if (!addMark(rest))
            return wrong + m_marksHint->text();
    } else if (command == QLatin1String("pin")) {
        QStringList names = m_timeline->pinned();
        if (!names.removeOne(rest))
            names += rest;
        m_timeline->setPinned(names);
        if (names.contains(rest) && !m_timeline->pinned().contains(rest))
            return wrong + tr("there is no such lane in this run");
    } else if (command == QLatin1String("search")) {
        m_searchBox->setText(rest);
        search(rest, 1);
    } else if (command == QLatin1String("next") || command == QLatin1String("previous")) {
        const int direction = command == QLatin1String("next") ? 1 : -1;
        if (rest == QLatin1String("redundant")) {
            if (!stepRedundant(direction))
                return wrong + tr("nothing was sent twice");
        } else if (rest == QLatin1String("handle"))
            stepHandle(direction, false);
        else if (rest == QLatin1String("task"))
            stepRecord(direction, {record::task_begin});
        else if (rest == QLatin1String("transfer"))
            stepRecord(direction, {record::xfer_start});
        else if (rest == QLatin1String("owner"))
            stepRecord(direction, {record::owner});
        else if (rest == QLatin1String("error"))
            stepError(direction);
        else if (rest == QLatin1String("event"))
            stepRecord(direction, {});
        else
            return wrong + tr("write event, task, transfer, handle, owner, error or redundant");
    } else if (command == QLatin1String("writer")) {
        backToWriter();
    } else if (command == QLatin1String("flow")) {
        followFlow(rest == QLatin1String("back") ? -1 : 1);
    } else if (command == QLatin1String("collapse")) {
        m_timeline->toggleRank(rest.toInt());
    } else if (command == QLatin1String("theme")) {
        if (!Theme::isName(rest))
            return wrong + tr("the themes are light, dark and contrast");
        const Theme theme = Theme::named(rest);
        qApp->setPalette(theme.palette());
        setTheme(theme);
    } else if (command == QLatin1String("size")) {
        const auto size = sizeNamed(rest);
        if (!size)
            return wrong + tr("write a size such as 1280x800, from 200x150 to 16384x16384");
        window()->resize(*size);
    } else if (command == QLatin1String("export")) {
        const qsizetype last = rest.lastIndexOf(QLatin1Char(' '));
        const QString failed =
            exportPanel(rest.left(std::max<qsizetype>(0, last)).trimmed(), rest.mid(last + 1));
        if (!failed.isEmpty())
            return wrong + failed;
    } else if (command == QLatin1String("screenshot")) {
        qApp->processEvents();
        qApp->processEvents();
        if (const QString failed = savePicture(*this, rest); !failed.isEmpty())
            return wrong + failed;
    } else if (!command.isEmpty() && !command.startsWith(QLatin1Char('#'))) {
        return wrong + tr("there is no such command; --list-commands names them");
    }
    return {};
}
