// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include "analysis/ask/describe.hpp"
#include "gui/inspect_failure.hpp"

#include <algorithm>

using namespace deed::viewer;

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
        constexpr std::size_t few = 3;          // Of devices: which they are, and how busy.
        for (table &each : said.tables)
            if (each.title == "devices") {
                each.columns.resize(few);
                for (auto &row : each.rows)
                    row.resize(few);
            }
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
            m_inspector->setAnswer(describe_handle(*m_model, selection.index, m_state->playhead(),
                                                   m_state->leftOut()));
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
            e.what == record::fatal_signal || e.what == record::error
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
    } else if (link.scheme() == QLatin1String("copies")) {
        followCopies();
    } else if (link.scheme() == QLatin1String("slack")) {
        showSlack();
    } else if (link.scheme() == QLatin1String("what-if")) {
        m_whatIf->show();
    } else if (link.scheme() == QLatin1String("event")) {
        // A copy is told when somebody looks; it was over before.
        const auto e = m_run->events()[index];
        setPlayheadAndShow({Selection::Event, index},
                           e.what == record::copy_end ? m_run->moment(e, field::t_begin) : e.time);
    }
}
