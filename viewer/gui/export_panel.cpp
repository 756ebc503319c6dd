// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"
#include "gui/written.hpp"

#include "analysis/ask/data_heat.hpp"

#include <QApplication>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QPainter>
#include <QPixmap>
#include <QSvgGenerator>
#include <QTabBar>

#include <algorithm>

using namespace deed::viewer;

namespace {

/// What is seen, as shapes and letters; the timeline's level of detail is the window's.
bool writeSvg(QWidget *what, const QString &file)
{
    // The generator opens the file itself, and is silent when it cannot.
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly | QIODevice::Truncate))
        return false;
    QSvgGenerator svg;
    svg.setOutputDevice(&out);
    svg.setSize(what->size());
    svg.setViewBox(what->rect());
    svg.setTitle(what->accessibleName());
    QPainter painter(&svg);
    what->render(&painter);
    return painter.end() && out.flush();
}

bool writeText(const std::string &text, const QString &file)
{
    QFile out(file);
    return out.open(QIODevice::WriteOnly | QIODevice::Truncate) &&
           out.write(text.data(), static_cast<qint64>(text.size())) ==
               static_cast<qint64>(text.size()) &&
           out.flush();
}

std::string cellText(const QAbstractItemModel &of, int row, int column)
{
    return of.index(row, column).data().toString().toStdString();
}

/// A table of the window; `most` rows, for an export is no copy of the run.
answer rowsOf(const QAbstractItemModel &of, int most)
{
    table rows{"", {}, {}};
    for (int c = 0; c < of.columnCount(); ++c)
        rows.columns.push_back(
            of.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString().toStdString());
    for (int r = 0; r < std::min(most, of.rowCount()); ++r) {
        rows.rows.emplace_back();
        for (int c = 0; c < of.columnCount(); ++c)
            rows.rows.back().push_back(cellText(of, r, c));
    }
    return {{}, {std::move(rows)}, false};
}

/// Pairs of a word and what it is have no head where they are read; a file needs one.
answer withNames(answer said)
{
    for (table &each : said.tables)
        if (std::ranges::all_of(each.columns, [](const auto &name) { return name.empty(); }))
            for (std::size_t c = 0; c < each.columns.size(); ++c)
                each.columns[c] = c == 0 ? "what" : c == 1 ? "value" : "more";
    return said;
}

} // namespace

QWidget *MainWindow::panelContent(const QString &name) const
{
    if (name.compare(tr("Timeline"), Qt::CaseInsensitive) == 0)
        return m_timeline;
    for (const QString &each : m_panelOrder)
        if (each.compare(name, Qt::CaseInsensitive) == 0)
            return m_panels.value(each)->widget();
    return nullptr;
}

/// The tab that lies on top at the bottom.
QString MainWindow::panelInFront() const
{
    const auto below = [this](const QString &name) {
        QDockWidget *const dock = m_panels.value(name);
        return dock != nullptr && !dock->isFloating() &&
               dockWidgetArea(dock) == Qt::BottomDockWidgetArea;
    };
    // Of panels behind each other several are seen, for Qt, until each was in front once.
    for (const QTabBar *tabs : findChildren<QTabBar *>(QString(), Qt::FindDirectChildrenOnly)) {
        const QString title = tabs->tabText(tabs->currentIndex()); // A count may stand behind.
        for (const QString &name : m_panelOrder)
            if (tabs->isVisible() && below(name) && m_panels.value(name)->windowTitle() == title)
                return name;
    }
    for (const QString &each : m_panelOrder)
        if (below(each) && isSeen(m_panels.value(each)))
            return each;
    return tr("Timeline");
}

/// The numbers behind a panel.
answer MainWindow::panelAnswer(QWidget *content) const
{
    constexpr int mostRows = 1'000'000;
    const run_part part = chosenPart();
    if (content == m_ownership && m_ownership->showsHeat())
        return say_heat_of_data(*m_model, part);
    if (content == m_ownership) {
        if (const QString nothing = m_state->whyNotKnown(); !nothing.isEmpty())
            return {{nothing.toStdString()}, {}};
        return m_state->leftOut().from == none ? deed::viewer::state(*m_model, m_state->playhead())
                                               : state_at_first_error(*m_model);
    }
    if (content == m_history) {
        if (m_state->selection().kind == Selection::Handle)
            return history(*m_model, m_state->selection().index);
        return {{"no handle is selected"}, {}, false};
    }
    if (content == m_comm)
        return comm_matrix(*m_model, part);
    if (content == m_sharesPanel)
        return breakdown(*m_model, part, m_shares->per());
    if (content == m_waitsPanel)
        return waits(*m_model, {}, part);
    if (content == m_timeline)
        return print(*m_model, {"task_begin", "task_end", "state", "xfer_start", "xfer_done"},
                     run_part(m_state->timesInView()), mostRows);
    if (content == m_eventsView)
        return rowsOf(*m_events, mostRows);
    if (content == m_notesPanel)
        return rowsOf(*m_marksView->model(), mostRows);
    const auto *const view = qobject_cast<AnswerView *>(content);
    const auto *const within = content->findChild<AnswerView *>();
    return view != nullptr     ? withNames(view->shown())
           : within != nullptr ? withNames(within->shown())
                               : answer{};
}

QString MainWindow::exportPanel(const QString &name, const QString &file)
{
    const QString panel = name.isEmpty() ? panelInFront() : name;
    QWidget *content = panelContent(panel);
    if (!file.endsWith(QLatin1String(".svg")) && !file.endsWith(QLatin1String(".png")) &&
        !file.endsWith(QLatin1String(".csv")))
        return tr("name a file .svg, .png or .csv");
    if (content == nullptr)
        return tr("the panels are Timeline, %1").arg(panelNames().join(QStringLiteral(", ")));
    if (QString refused = whyNotWritten(file); !refused.isEmpty()) {
        m_cannotWrite = true;
        return refused;
    }
    showPanel(panel); // A panel that nobody has seen has no size and no answer.
    qApp->processEvents();
    answerSeen();
    const bool framed = m_focusFrame->isOn();
    m_focusFrame->setOn(false);
    bool written = false;
    if (file.endsWith(QLatin1String(".svg")))
        written = writeSvg(content, file);
    else if (file.endsWith(QLatin1String(".png")))
        written = writePng(content->grab(), file);
    else {
        answer said = panelAnswer(content);
        if (said.tables.empty()) { // Sentences are all there is.
            table lines{"", {"text"}, {}};
            for (const std::string &each : said.sentences)
                lines.rows.push_back({each});
            said.tables.push_back(std::move(lines));
        }
        written = writeText(deed::viewer::render(said, style::csv, {}, ~std::size_t{0}), file);
    }
    m_focusFrame->setOn(framed);
    m_cannotWrite = !written;
    return written ? QString() : tr("`%1` cannot be written").arg(file);
}

void MainWindow::exportPanelAsked(const QString &panel)
{
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Export the panel %1").arg(panel), panel.toLower() + QLatin1String(".svg"),
        tr("Shapes (*.svg);;Picture (*.png);;Numbers (*.csv)"));
    if (file.isEmpty())
        return;
    if (const QString wrong = exportPanel(panel, file); !wrong.isEmpty())
        QMessageBox::warning(this, tr("Export"), wrong);
}
