// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include "analysis/ask/copy_lives.hpp"
#include "analysis/ask/gaps.hpp"
#include "analysis/ask/slack.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/say/units.hpp"
#include "gui/say_range.hpp"

#include <QApplication>
#include <QDockWidget>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

using namespace deed::viewer;

namespace {

bool endsInCircle(const model &of)
{
    return std::ranges::any_of(wait_graph(of, of.events().end()), &wait_edge::in_cycle);
}

} // namespace

void MainWindow::askPanels()
{
    // All of them together are asked beside each other: first what no second thread can help with,
    // then what takes longest.
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
                    QStringLiteral("<a href='slack:'>%1</a> &nbsp; <a href='what-if:'>%2</a>")
                        .arg(tr("how much later could each task have ended?"),
                             tr("what if something took a different time?"))});
    answerWhenSeen(
        tr("Checks"),
        {m_checks, [this](const run_part &part) { return say_check(*m_model, {}, part); }, true});
    answerWhenSeen(
        tr("Waits"),
        {m_waits, [this](const run_part &part) { return waits(*m_model, {}, part); }, true});
    answerWhenSeen(
        tr("Cache"),
        {m_cache,
         [this](const run_part &part) {
             answer said = deed::viewer::cache(*m_model, part);
             add_copy_lives(*m_model, m_copies->lives(), part, said);
             return said;
         },
         true,
         m_copies->follows()
             ? QString()
             : QStringLiteral("<a href='copies:'>%1</a>").arg(tr("what became of each copy?"))});
    answerWhenSeen(tr("Sent twice"),
                   {m_redundant,
                    [this](const run_part &part) { return why_twice(*m_model, {}, part); }, true});
    answerWhenSeen(tr("Where time went"),
                   {m_durations,
                    [this](const run_part &part) {
                        constexpr std::size_t few = 10;
                        answer said = stats(*m_model, part, {stats_by::codelet}, true);
                        if (said.tables.empty())
                            return said;
                        said.sentences.clear(); // They stand above the bars.
                        said.tables.insert(said.tables.begin(), say_gaps(*m_model, few, part));
                        return said;
                    },
                    true});
    answerWhenSeen(tr("Errors"),
                   {m_errors,
                    [this](const run_part &part) { return at_first_error(*m_model, {}, part); },
                    true});
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

/// Some questions take a second per ten million events: they are asked when somebody looks.
void MainWindow::answerWhenSeen(const QString &panel, Question question)
{
    const std::size_t number = m_questions.size();
    question.panel = panel;
    m_questions.push_back(std::move(question));
    connect(m_panels.value(panel), &QDockWidget::visibilityChanged, this,
            [this, number](bool seen) {
                if (seen)
                    showAnswer(number);
            });
}

void MainWindow::showAnswer(std::size_t number)
{
    Question &question = m_questions[number];
    answerQuestion(question);
    if (question.said)
        question.view->setAnswer(*std::exchange(question.said, {}), question.links);
}

/// Again, of another range than the last time.
void MainWindow::answerSeen()
{
    if (std::exchange(m_isNewRange, false)) {
        countFindings();
        m_ownership->setRange(chosenPart().range());
    }
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

answer MainWindow::ask(const Question &question, const run_part &part)
{
    answer said = question.ask(question.ofRange ? part : run_part());
    if (question.ofRange && part.range())
        said.sentences.insert(said.sentences.begin(), sayRange(*part.range()));
    return said;
}

/// A text is laid out when it is seen: before that its width is another.
void MainWindow::keepAnswer(Question &of, answer said, const run_part &part)
{
    of.asked = true;
    of.askedOfAll = part.is_whole();
    of.said = std::move(said);
}

/// Other threads ask, and look at the run alone; Qt is left to this one. What they found is looked
/// at after they have said under the mutex that it is there.
void MainWindow::answerAll()
{
    if (m_rangeTimer.isActive())
        answerSeen(); // Else it would ask meanwhile what others ask.
    m_state->restSoon();
    const run_part part = chosenPart();
    const auto show = [this](const QString &panel) {
        showPanel(panel);
        QApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    };
    QStringList askNothing = m_panelOrder;
    std::vector<std::size_t> which;
    std::vector<std::packaged_task<answer()>> asking;
    for (std::size_t i = 0; i < m_questions.size(); ++i) {
        if (m_questions[i].asked)
            continue;
        which.push_back(i);
        asking.emplace_back([&question = m_questions[i], &part] { return ask(question, part); });
        askNothing.removeOne(m_questions[i].panel);
    }
    std::mutex mutex;
    std::condition_variable isAnswered;
    std::deque<std::size_t> answered; // Places in `asking`, and not shown yet.
    const std::jthread beside([&] {
        in_parallel(asking.size(), [&](std::size_t i) {
            asking[i]();
            const std::lock_guard lock(mutex);
            answered.push_back(i);
            isAnswered.notify_one();
        });
    });
    for (const QString &panel : std::as_const(askNothing))
        show(panel);
    for (std::size_t shown = 0; shown < asking.size(); ++shown) {
        std::unique_lock lock(mutex);
        isAnswered.wait(lock, [&] { return !answered.empty(); });
        const std::size_t next = answered.front();
        answered.pop_front();
        lock.unlock();
        Question &question = m_questions[which[next]];
        keepAnswer(question, asking[next].get_future().get(), part);
        show(question.panel);
    }
    m_state->restSoon();
}

void MainWindow::answerQuestion(Question &question)
{
    if (question.asked)
        return;
    const run_part part = chosenPart();
    keepAnswer(question, ask(question, part), part);
    m_state->restSoon();
}

/// The question is asked again, also of the whole run, where that is wanted again.
void MainWindow::followCopies()
{
    m_copies->follow();
    const auto of = std::ranges::find(m_questions, m_cache, &Question::view);
    of->links.clear();
    of->asked = false;
    of->said.reset();
    of->ofAll.reset();
    if (isSeen(m_cache))
        showAnswer(static_cast<std::size_t>(of - m_questions.begin()));
    m_cacheCurves->viewport()->update();
}

void MainWindow::showSlack()
{
    constexpr std::size_t mostTasks = 100;
    showPanel(tr("Critical path"));
    std::vector<std::int64_t> all = slack(*m_model);
    const Question &path = *std::ranges::find(m_questions, m_path, &Question::view);
    const run_part part = chosenPart();
    answer said = say_critical_path(*m_model, *m_pathSteps, part);
    if (part.range())
        said.sentences.insert(said.sentences.begin(), sayRange(*part.range()));
    for (table &each : say_slack(*m_model, all, part, mostTasks))
        said.tables.insert(said.tables.end() - 1, std::move(each)); // The steps stay the last.
    m_path->setAnswer(std::move(said), path.links);
    m_timeline->setSlack({all.begin(), all.end()});
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
