// SPDX-License-Identifier: MIT
#include "gui/compare_window.hpp"
#include "gui/codelet_colours.hpp"
#include "gui/letters.hpp"

#include "analysis/ask/diff_failures.hpp"
#include "analysis/say/units.hpp"
#include "gui/keys.hpp"

#include <QAction>
#include <QHeaderView>
#include <QMenuBar>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include <algorithm>

using namespace deed::viewer;

namespace {

constexpr std::size_t mostDifferences = 10'000, mostTimes = 200;

} // namespace

CompareWindow::CompareWindow(const QString &first, const QString &second, QWidget *parent)
    : QMainWindow(parent)
    , m_differences(new QTableView)
    , m_answer(new AnswerView)
    , m_focusFrame(new FocusFrame(this))
{
    setWindowTitle(tr("%1 and %2 - deed-view").arg(first, second));
    resize(1280, 800);
    auto *parts = new QSplitter(Qt::Vertical);
    const std::array paths{first, second};
    for (int side = 0; side < 2; ++side) {
        Side &mine = m_sides[static_cast<std::size_t>(side)];
        mine.opened = OpenedRun::open(paths[static_cast<std::size_t>(side)]);
        mine.state = std::make_unique<ViewState>(*mine.opened.things);
        parts->addWidget(buildSide(side));
    }
    m_same = std::make_unique<same_tasks>(*m_sides[0].opened.things, *m_sides[1].opened.things);
    buildDifferences();
    auto *below = new QSplitter(Qt::Horizontal);
    below->addWidget(m_differences);
    below->addWidget(m_answer);
    below->setSizes({640, 640});
    parts->addWidget(below);
    parts->setSizes({270, 270, 220});
    setCentralWidget(parts);
    buildActions();
    link(0);
    link(1);
    fitBoth();
    setTheme(Theme());
    m_sides[0].timeline->setFocus();
}

CompareWindow::~CompareWindow()
{
    delete takeCentralWidget(); // Before the runs that it shows.
}

QWidget *CompareWindow::buildSide(int side)
{
    Side &mine = m_sides[static_cast<std::size_t>(side)];
    auto *part = new QWidget;
    auto *layout = new QVBoxLayout(part);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    const model &m = *mine.opened.things;
    mine.title =
        new QLabel(tr("<b>%1</b> %2: %3, %4, %5")
                       .arg(side == 0 ? tr("First run") : tr("Second run"),
                            QString::fromStdString(m.events().path()).toHtmlEscaped(),
                            QString::fromStdString(say_some(m.events().ranks().size(), "rank")),
                            QString::fromStdString(say_some(m.tasks().size(), "task")),
                            QString::fromStdString(say_time(m.events().end()))));
    mine.title->setContentsMargins(8, 4, 8, 4);
    mine.timeline = new Timeline(mine.state.get());
    mine.timeline->setAccessibleName(side == 0 ? tr("First run") : tr("Second run"));
    mine.legend = new Legend(mine.state.get());
    layout->addWidget(mine.title);
    layout->addWidget(mine.timeline, 1);
    layout->addWidget(mine.legend);
    return part;
}

/// Tasks that did something else, and those of one run alone; where none did, those whose time
/// changed most.
void CompareWindow::findDifferences()
{
    const model &a = *m_sides[0].opened.things, &b = *m_sides[1].opened.things;
    const auto add = [this](const std::vector<task_difference> &found) {
        for (std::size_t i = 0; i < std::min(found.size(), mostDifferences); ++i)
            m_rows.push_back({{found[i].a, found[i].b}, found[i].what});
    };
    const std::vector<task_difference> differing = differing_tasks(a, b, *m_same);
    add(differing);
    addTasksAlone();
    if (differing.empty())
        add(changed_times(a, b, *m_same, mostTimes));
}

void CompareWindow::addTasksAlone()
{
    for (std::size_t side = 0; side < m_sides.size(); ++side) {
        const model &of = *m_sides[side].opened.things;
        const failures failed(of, {});
        const std::vector<std::uint32_t> alone =
            side == 0 ? only_in_a(of, *m_same, failed) : only_in_b(of, *m_same, failed);
        for (std::size_t i = 0; i < std::min(alone.size(), mostDifferences); ++i) {
            Difference found;
            found.tasks[side] = alone[i];
            found.what = how_it_ended(of, alone[i], failed);
            m_rows.push_back(std::move(found));
        }
    }
}

table CompareWindow::tableOfDifferences() const
{
    table shown{"", {"in", "task", "writes", "first run / second run"}, {}};
    for (const Difference &each : m_rows) {
        const std::size_t side = each.tasks[0] != none ? 0 : 1;
        const model &of = *m_sides[side].opened.things;
        const std::uint32_t task = each.tasks[side];
        const std::string written = written_by(of, of.tasks()[task]);
        if (each.isOfBoth())
            shown.rows.push_back({"both", of.task_name(task), written, each.what});
        else
            shown.rows.push_back({side == 0 ? "first only" : "second only", of.task_name(task),
                                  written, side == 0 ? each.what + " / -" : "- / " + each.what});
    }
    if (m_rows.empty())
        shown.rows.push_back({"", "none", "",
                              m_same->both() == 0
                                  ? "the runs have no task in common"
                                  : "no task did anything else, or took another time"});
    return shown;
}

void CompareWindow::buildDifferences()
{
    const model &a = *m_sides[0].opened.things, &b = *m_sides[1].opened.things;
    answer said = diff(a, b, *m_same, true);
    std::erase_if(said.tables, [](const table &each) { // They stand beside it, as rows to choose.
        return each.title.starts_with("tasks that differ") || each.title == "tasks in one run only";
    });
    m_answer->setAnswer(std::move(said));
    findDifferences();
    table shown = tableOfDifferences();
    m_differences->setModel(new AnswerModel(std::move(shown), m_differences));
    m_differences->setAccessibleName(tr("Tasks that differ"));
    m_differences->setFrameShape(QFrame::NoFrame);
    m_differences->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_differences->setSelectionMode(QAbstractItemView::SingleSelection);
    m_differences->setAlternatingRowColors(true);
    m_differences->setShowGrid(false);
    m_differences->setTabKeyNavigation(false); // Tab goes on.
    m_differences->setWordWrap(false);
    m_differences->verticalHeader()->hide();
    m_differences->verticalHeader()->setDefaultSectionSize(20);
    m_differences->horizontalHeader()->setStretchLastSection(true);
    m_differences->horizontalHeader()->setHighlightSections(false);
    m_differences->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    constexpr std::array widths{100, 150, 120};
    for (std::size_t column = 0; column < widths.size(); ++column)
        m_differences->setColumnWidth(
            static_cast<int>(column),
            static_cast<int>(widths[column] * letterScale(m_differences->font())));
    connect(m_differences->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) { showDifference(now.row()); });
}

void CompareWindow::buildActions()
{
    const auto add = [this](QMenu *menu, const QString &name, const QKeySequence &keys,
                            auto &&slot) {
        QAction *action = menu->addAction(name);
        action->setShortcut(keys);
        action->setToolTip(QString(name).remove(QLatin1Char('&')));
        connect(action, &QAction::triggered, this, slot);
    };
    const auto part = [this](double of) {
        return static_cast<qint64>(of * static_cast<double>(state(0)->end() - state(0)->begin()));
    };
    const auto middle = [this] { return (state(0)->begin() + state(0)->end()) / 2; };
    add(menuBar()->addMenu(tr("&File")), tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q),
        [this] { close(); });
    QMenu *view = menuBar()->addMenu(tr("&View"));
    add(view, tr("Zoom &in"), Qt::Key_W, [this, middle] { state(0)->zoom(0.7, middle()); });
    add(view, tr("Zoom &out"), Qt::Key_S, [this, middle] { state(0)->zoom(1 / 0.7, middle()); });
    add(view, tr("Pan &left"), Qt::Key_A, [this, part] { state(0)->pan(-part(0.1)); });
    add(view, tr("Pan &right"), Qt::Key_D, [this, part] { state(0)->pan(part(0.1)); });
    add(view, tr("&Both runs"), Qt::Key_Home, [this] { fitBoth(); });
    add(view, tr("&Fit the selection"), Qt::Key_F, [this] { state(0)->fitSelection(); });
    add(view, tr("&Undo view"), Qt::Key_Z, [this] { state(0)->undo(); });
    add(view, tr("R&edo view"), Qt::SHIFT | Qt::Key_Z, [this] { state(0)->redo(); });
    QMenu *go = menuBar()->addMenu(tr("&Go"));
    const auto step = [this](int by) {
        const int row = m_differences->currentIndex().row() + by;
        if (row >= 0 && row < m_differences->model()->rowCount())
            m_differences->selectRow(row);
    };
    add(go, tr("&Next difference"), Qt::Key_N, [step] { step(1); });
    add(go, tr("&Previous difference"), Qt::SHIFT | Qt::Key_N, [step] { step(-1); });
    add(go, tr("&Clear the selection"), Qt::Key_Escape, [this] {
        state(0)->select({});
        m_differences->clearSelection();
    });
    addKeys(
        menuBar()->addMenu(tr("&Help")), this,
        tr("ctrl+wheel zooms, shift+wheel pans, wheel scrolls the lanes; both runs do the same."),
        {{tr("Tab, Shift+Tab"), tr("The next part, the one before")},
         {tr("Up, Down"), tr("In a timeline the lane, below the difference")}});
}

void CompareWindow::link(int from)
{
    const int to = 1 - from;
    const auto follow = [this](auto &&change) {
        if (m_linking)
            return;
        const QScopedValueRollback busy(m_linking, true);
        change();
    };
    connect(state(from), &ViewState::viewChanged, this, [this, from, to, follow] {
        follow([&] { state(to)->setView(state(from)->begin(), state(from)->end()); });
    });
    connect(state(from), &ViewState::playheadChanged, this, [this, from, to, follow] {
        follow([&] { state(to)->setPlayhead(state(from)->playhead()); });
    });
    connect(state(from), &ViewState::selectionChanged, this, [this, from, to, follow] {
        follow([&] { state(to)->select(sameIn(to, state(from)->selection())); });
    });
}

Selection CompareWindow::sameIn(int other, const Selection &selection) const
{
    const model &from = *m_sides[other == 0 ? 1 : 0].opened.things;
    const model &to = *m_sides[static_cast<std::size_t>(other)].opened.things;
    if (selection.kind == Selection::Task) {
        const std::uint32_t there =
            other == 1 ? m_same->in_b(selection.index) : m_same->in_a(selection.index);
        return there == none ? Selection{} : Selection{Selection::Task, there};
    }
    if (selection.kind == Selection::Handle)
        if (const auto there = to.find_handle(from.handle_name(selection.index)))
            return {Selection::Handle, *there};
    return {}; // A transfer or an event of one run alone.
}

void CompareWindow::showDifference(int row)
{
    if (row < 0 || static_cast<std::size_t>(row) >= m_rows.size())
        return;
    const Difference &chosen = m_rows[static_cast<std::size_t>(row)];
    const int side = chosen.tasks[0] != none ? 0 : 1;
    // The other run selects what is the same there; nothing, where it has no such task.
    state(side)->select({Selection::Task, chosen.tasks[static_cast<std::size_t>(side)]});
    const auto mine = state(side)->spanOfSelection();
    const auto there = chosen.isOfBoth() ? state(1 - side)->spanOfSelection() : mine;
    if (!mine || !there)
        return;
    state(side)->setPlayhead(mine->first);
    // Both in view, and what led to them.
    const qint64 from = std::min(mine->first, there->first),
                 to = std::max(mine->second, there->second);
    state(side)->setView(from - (to - from), to + (to - from));
    for (const Side &each : m_sides)
        each.timeline->showSelection();
}

bool CompareWindow::selectByName(const QString &text)
{
    const model &m = *m_sides[0].opened.things;
    const QString kind = text.section(QLatin1Char(':'), 0, 0);
    const std::string name = text.section(QLatin1Char(':'), 1).toStdString();
    if (kind == QLatin1String("handle"))
        if (const auto handle = m.find_handle(name)) {
            state(0)->select({Selection::Handle, *handle});
            return true;
        }
    if (kind == QLatin1String("task"))
        if (const auto called = m.tasks_called(name); called.size() == 1) {
            state(0)->select({Selection::Task, called.front()});
            return true;
        }
    return false;
}

void CompareWindow::fitBoth()
{
    const qint64 last =
        std::max<qint64>({100, m_sides[0].opened.events->end(), m_sides[1].opened.events->end()});
    for (const Side &each : m_sides) // A view that does not change tells nobody.
        each.state->setView(-last / 100, last + last / 100);
}

void CompareWindow::setTheme(const Theme &theme)
{
    std::vector<codelet> all; // Of both: one colour for one codelet.
    const auto find = [&all](const codelet &wanted) {
        return std::ranges::find(all, wanted.name, &codelet::name);
    };
    for (const Side &side : m_sides)
        for (const codelet &each : side.opened.things->codelets())
            if (find(each) == all.end())
                all.push_back(each);
    const std::vector<std::size_t> looks = codeletLooks(all);
    for (const Side &side : m_sides) {
        Theme ofSide = theme;
        for (const codelet &each : side.opened.things->codelets())
            ofSide.codeletLooks.push_back(
                looks[static_cast<std::size_t>(find(each) - all.begin())]);
        side.timeline->setTheme(ofSide);
        side.legend->setTheme(ofSide);
    }
    m_answer->setTheme(theme);
    m_focusFrame->setTheme(theme);
}
