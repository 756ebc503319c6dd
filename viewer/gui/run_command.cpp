// SPDX-License-Identifier: MIT
#include "gui/keys.hpp"
#include "gui/main_window.hpp"
#include "gui/window_size.hpp"
#include "gui/written.hpp"

#include "analysis/say/units.hpp"

#include <QAction>
#include <QApplication>
#include <QScopeGuard>

#include <algorithm>
#include <optional>
#include <utility>

/// @file
/// Commands as lines: of scripts, and of tests. Each says what is wrong with it, or nothing.

using namespace deed::viewer;

QStringList MainWindow::commandHelp()
{
    return {
        QStringLiteral("at TIME             move the playhead"),
        QStringLiteral("range FROM:TO       show this part"),
        QStringLiteral("mark FROM:TO        select this range"),
        QStringLiteral("fit                 show the whole run"),
        QStringLiteral("fit selection       show the selected thing"),
        QStringLiteral("select WHAT         handle:A[3,2], task:gemm#12, "
                       "transfer:A[3,2] v4 to rank 3, transfer:3, transfer:redundant, event:17, "
                       "phase:step 3, phase:step, value:residual, "
                       "lane:rank 0 w00, error"),
        QStringLiteral("clear               select nothing, and no range"),
        QStringLiteral(
            "note TEXT           mark the playhead with this text, as long as the window "
            "lasts"),
        QStringLiteral("save notes          keep notes and pinned lanes beside the trace"),
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
            "next UNIT           event, task, transfer, handle, owner, error, redundant or "
            "phase"),
        QStringLiteral("previous UNIT       the same, backwards"),
        QStringLiteral("writer              back to the last writer of the selected handle"),
        QStringLiteral("flow                from the selected task or transfer to what it led "
                       "to"),
        QStringLiteral("flow back           to what it came from"),
        QStringLiteral("collapse RANK       fold or unfold the lanes of a rank"),
        QStringLiteral("ranks 3,0-2         lanes of these alone, from the top; ranks all"),
        QStringLiteral("axis BY             time, iteration, or tasks: each, or the n-th task of a "
                       "rank, begins at one place on all ranks"),
        QStringLiteral("matrix MEASURE      what Communication shows: bytes, messages, mean "
                       "size, mean time, bandwidth or redundant bytes"),
        QStringLiteral("matrix SCALE        its colours: linear or logarithmic"),
        QStringLiteral("ownership MEASURE   what Ownership shows: copies, owner changes, "
                       "transfers, bytes in, redundant bytes or no valid copy"),
        QStringLiteral("ownership LAYOUT    how: most first, as registered or tiles"),
        QStringLiteral("time GROUP          what the bars of Where time went are of: per worker, "
                       "per rank or per host"),
        QStringLiteral("what-if CHANGE...   how long it would take at least with gemm=0.5, "
                       "bandwidth=2, latency=0.5 or workers=inf"),
        QStringLiteral("theme NAME          light, dark or contrast"),
        QStringLiteral("size WxH            size of the window"),
        QStringLiteral("export [PANEL] FILE the panel, or the one in front, as .svg, .png or "
                       ".csv; also the Timeline"),
        QStringLiteral("screenshot FILE     write a picture"),
        QStringLiteral("COMMAND             any of the menus, by its name, such as next owner "
                       "change")};
}

/// What takes no words.
MainWindow::Command MainWindow::alone(std::function<void()> does)
{
    return [does = std::move(does)](const QString &rest) {
        if (!rest.isEmpty())
            return tr("it takes nothing more");
        does();
        return QString();
    };
}

/// One of some words.
MainWindow::Command MainWindow::oneOf(QList<QPair<QString, std::function<void()>>> words,
                                      const QString &otherwise)
{
    return [words = std::move(words), otherwise](const QString &rest) {
        for (const auto &[word, does] : words)
            if (word == rest) {
                does();
                return QString();
            }
        return otherwise;
    };
}

/// Why nothing can be shown from `from` to `to`; empty if it can.
QString MainWindow::whyNotAt(qint64 from, qint64 to) const
{
    if (from > m_run->end())
        return tr("the run ends at %1").arg(QString::fromStdString(say_time(m_run->end())));
    return to < 0 ? tr("the run begins at %1").arg(QString::fromStdString(say_time(0))) : QString();
}

QString MainWindow::goToTime(const QString &text)
{
    const auto time = parse_time(text.toStdString());
    if (!time)
        return tr("write a time such as 12.3ms");
    if (QString wrong = whyNotAt(*time, *time); !wrong.isEmpty())
        return wrong;
    m_state->setPlayhead(*time);
    return {};
}

QString MainWindow::takeRange(const QString &text, const std::function<void(qint64, qint64)> &does)
{
    const QStringList parts = text.split(QLatin1Char(':'));
    const auto timeOf = [](const QString &part) { return parse_time(part.toStdString()); };
    const auto from = timeOf(parts.front()), to = timeOf(parts.back());
    if (parts.size() != 2 || !from || !to || *from >= *to)
        return tr("write a range such as 10ms:20ms");
    if (QString wrong = whyNotAt(*from, *to); !wrong.isEmpty())
        return wrong;
    does(*from, *to);
    return {};
}

MainWindow::Command MainWindow::stepCommand(int direction)
{
    return [this, direction](const QString &unit) -> QString {
        if (unit == QLatin1String("redundant"))
            return stepRedundant(direction) ? QString() : tr("nothing was sent twice");
        return oneOf(
            {{QStringLiteral("event"), [=, this] { stepRecord(direction, {}); }},
             {QStringLiteral("task"), [=, this] { stepRecord(direction, {record::task_begin}); }},
             {QStringLiteral("transfer"),
              [=, this] { stepRecord(direction, {record::xfer_start}); }},
             {QStringLiteral("handle"), [=, this] { stepHandle(direction, false); }},
             {QStringLiteral("owner"), [=, this] { stepOwner(direction); }},
             {QStringLiteral("error"), [=, this] { stepError(direction); }},
             {QStringLiteral("phase"), [=, this] { stepRecord(direction, {record::phase_push}); }}},
            tr("write event, task, transfer, handle, owner, error, redundant or phase"))(unit);
    };
}

/// What is in view, and how it looks.
MainWindow::Commands MainWindow::viewCommands()
{
    return {
        {QStringLiteral("range"),
         [this](const QString &rest) {
             return takeRange(rest, [this](qint64 from, qint64 to) { m_state->setView(from, to); });
         }},
        {QStringLiteral("fit"),
         oneOf({{QString(), [this] { m_state->fitAll(); }},
                {QStringLiteral("selection"), [this] { m_state->fitSelection(); }}},
               tr("write fit or fit selection"))},
        {QStringLiteral("collapse"),
         [this](const QString &rest) {
             bool number = false;
             const int rank = rest.toInt(&number);
             if (!number || rank < 0 || rank >= m_model->ranks())
                 return tr("write a rank, from 0 to %1").arg(m_model->ranks() - 1);
             m_timeline->toggleRank(rank);
             return QString();
         }},
        {QStringLiteral("ranks"), [this](const QString &rest) { return showRanks(rest); }},
        {QStringLiteral("axis"), [this](const QString &rest) { return chooseAxis(rest); }},
        {QStringLiteral("pin"),
         [this](const QString &rest) {
             QStringList names = m_timeline->pinned();
             if (!names.removeOne(rest))
                 names += rest;
             m_timeline->setPinned(names);
             return names.contains(rest) && !m_timeline->pinned().contains(rest)
                        ? tr("there is no such lane in this run")
                        : QString();
         }},
        {QStringLiteral("panel"),
         [this](const QString &rest) {
             return showPanel(rest)
                        ? QString()
                        : tr("the panels are %1").arg(panelNames().join(QStringLiteral(", ")));
         }},
        {QStringLiteral("layout"),
         [this](const QString &rest) {
             return showLayout(rest)
                        ? QString()
                        : tr("the layouts are ownership, communication and performance");
         }},
        {QStringLiteral("matrix"),
         [this](const QString &rest) { return chooseShown(*m_comm, rest); }},
        {QStringLiteral("time"),
         [this](const QString &rest) { return chooseShown(*m_shares, rest); }},
        {QStringLiteral("what-if"),
         [this](const QString &rest) {
             showPanel(tr("Critical path"));
             m_whatIf->show();
             return m_whatIf->take(rest);
         }},
        {QStringLiteral("ownership"),
         [this](const QString &rest) {
             return chooseShown(*m_ownership->canvases().front(), rest);
         }},
        {QStringLiteral("theme"),
         [this](const QString &rest) {
             if (!Theme::isName(rest))
                 return tr("the themes are light, dark and contrast");
             const Theme theme = Theme::named(rest);
             qApp->setPalette(theme.palette());
             setTheme(theme);
             return QString();
         }},
        {QStringLiteral("size"),
         [this](const QString &rest) {
             const auto size = sizeNamed(rest);
             if (!size)
                 return tr("write a size such as 1280x800, from 200x150 to 16384x16384");
             window()->resize(*size);
             return QString();
         }},
    };
}

QString MainWindow::chooseShown(const QWidget &of, const QString &name)
{
    QStringList known;
    for (QAction *each : of.actions()) {
        if (!each->isCheckable()) // It does something.
            continue;
        known += each->data().toString();
        if (known.back() != name)
            continue;
        each->trigger();
        return {};
    }
    return tr("write one of %1").arg(known.join(QStringLiteral(", ")));
}

/// What is selected, and where the playhead is.
MainWindow::Commands MainWindow::goCommands()
{
    return {
        {QStringLiteral("at"), [this](const QString &rest) { return goToTime(rest); }},
        {QStringLiteral("mark"),
         [this](const QString &rest) {
             return takeRange(rest,
                              [this](qint64 from, qint64 to) { m_timeline->setRange(from, to); });
         }},
        {QStringLiteral("select"),
         [this](const QString &rest) {
             if (selectByName(rest))
                 return QString();
             return m_model->tasks_called(rest.section(QLatin1Char(':'), 1).toStdString()).size() >
                            1
                        ? tr("several ranks have such a task: name one, as in `%1 on rank 1`")
                              .arg(rest)
                        : tr("there is no such thing in this run");
         }},
        {QStringLiteral("clear"), alone([this] {
             m_state->select({});
             m_timeline->clearRange();
         })},
        {QStringLiteral("note"),
         [this](const QString &rest) {
             if (rest.isEmpty())
                 return tr("write what it shall say");
             addMark(rest);
             return QString();
         }},
        {QStringLiteral("search"),
         [this](const QString &rest) {
             m_searchBox->setText(rest);
             return search(rest, 1);
         }},
        {QStringLiteral("next"), stepCommand(1)},
        {QStringLiteral("previous"), stepCommand(-1)},
        {QStringLiteral("writer"), alone([this] { backToWriter(); })},
        {QStringLiteral("flow"), oneOf({{QString(), [this] { followFlow(1); }},
                                        {QStringLiteral("back"), [this] { followFlow(-1); }}},
                                       tr("write flow or flow back"))},
        {QStringLiteral("slack"), alone([this] { showSlack(); })},
    };
}

/// What is written.
MainWindow::Commands MainWindow::fileCommands()
{
    return {
        {QStringLiteral("export"),
         [this](const QString &rest) {
             const qsizetype last = rest.lastIndexOf(QLatin1Char(' '));
             QString panel = rest.left(std::max<qsizetype>(0, last)).trimmed();
             if (panel.size() > 1 && panel.startsWith(QLatin1Char('"')) &&
                 panel.endsWith(QLatin1Char('"')))
                 panel = panel.sliced(1, panel.size() - 2);
             return exportPanel(panel, rest.mid(last + 1));
         }},
        {QStringLiteral("save"),
         [this](const QString &rest) {
             if (rest != QLatin1String("notes"))
                 return tr("write save notes");
             m_inScript = false;
             m_cannotWrite = !keepNotes();
             return m_cannotWrite ? m_marksHint->text() : QString();
         }},
        {QStringLiteral("screenshot"),
         [this](const QString &rest) {
             qApp->processEvents();
             qApp->processEvents();
             answerSeen();
             QString failed = savePicture(*this, rest);
             m_cannotWrite = !failed.isEmpty() && !isWrongPicture(rest);
             return failed;
         }},
    };
}

/// "3,0-2", or "all".
QString MainWindow::showRanks(const QString &rest)
{
    QList<int> ranks;
    const QString wrong =
        tr("write all, or ranks from 0 to %1, as in 3,0-2").arg(m_model->ranks() - 1);
    for (const QString &each :
         rest == QLatin1String("all") ? QStringList() : rest.split(QLatin1Char(','))) {
        bool isFirst = false, isLast = false;
        const int first = each.section(QLatin1Char('-'), 0, 0).toInt(&isFirst);
        const int last = each.section(QLatin1Char('-'), -1).toInt(&isLast);
        if (!isFirst || !isLast || each.count(QLatin1Char('-')) > 1 || first < 0 || last < first ||
            last >= m_model->ranks())
            return wrong;
        for (int rank = first; rank <= last; ++rank) {
            if (ranks.contains(rank))
                return tr("rank %1 stands there twice").arg(rank);
            ranks += rank;
        }
    }
    m_timeline->showRanks(std::move(ranks));
    return {};
}

/// "time", "iteration" or "tasks".
QString MainWindow::chooseAxis(const QString &by)
{
    std::optional<iteration_axis> axis;
    if (by == QLatin1String("iteration")) {
        axis.emplace(*m_model);
        if (axis->empty())
            return tr("the program numbers no phase, as deed::phase(session, \"step\", i) does");
    } else if (by == QLatin1String("tasks")) {
        axis.emplace(*m_model, iteration_axis::by::tasks);
        if (axis->empty())
            return tr("no task has run");
    } else if (by != QLatin1String("time")) {
        return tr("write axis time, axis iteration or axis tasks");
    }
    m_state->setAxis(std::move(axis));
    checkAxis();
    return {};
}

/// As it is: what was asked for may not be there.
void MainWindow::checkAxis()
{
    const iteration_axis *const axis = m_state->axis();
    m_axisAction->setChecked(axis != nullptr && axis->what() == iteration_axis::by::phases);
    m_taskAxisAction->setChecked(axis != nullptr && axis->what() == iteration_axis::by::tasks);
}

QString MainWindow::runCommand(const QString &line)
{
    const QString trimmed = line.trimmed();
    const qsizetype blank = trimmed.indexOf(QLatin1Char(' '));
    const QString command = trimmed.left(blank),
                  rest = blank < 0 ? QString() : trimmed.mid(blank + 1).trimmed();
    if (command.isEmpty() || command.startsWith(QLatin1Char('#')))
        return {};
    m_cannotWrite = false;
    m_inScript = true;
    const auto leave = qScopeGuard([this] { m_inScript = false; });
    finishSearch();
    const QString wrong = tr("`%1` cannot be done: ").arg(trimmed);
    if (QAction *const named = commandCalled(trimmed)) { // Of the menus.
        if (isAsking(*named))
            return wrong + tr("it asks something, or ends the window");
        named->trigger();
        return {};
    }
    for (const Commands &some : {viewCommands(), goCommands(), fileCommands()})
        if (const auto known = some.find(command); known != some.end()) {
            const QString why = (*known)(rest);
            return why.isEmpty() ? QString() : wrong + why;
        }
    return wrong + tr("there is no such command; --list-commands names them");
}
