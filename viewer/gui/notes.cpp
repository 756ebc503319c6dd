// SPDX-License-Identifier: MIT
#include "analysis/say/units.hpp"
#include "gui/main_window.hpp"

#include <QHeaderView>
#include <QShortcut>
#include <QStatusBar>
#include <QVBoxLayout>

#include <algorithm>

using namespace deed::viewer;

/// Marks and their texts; a text is changed in its row, a row goes with Delete.
void MainWindow::buildNotes()
{
    m_notesPanel = new QWidget;
    auto *layout = new QVBoxLayout(m_notesPanel);
    layout->setContentsMargins(8, 6, 8, 6);
    m_marksHint = new QLabel(tr(
        "M puts a mark at the playhead, N and Shift+N go to the next and the previous one. "
        "Return goes to the mark of a row; F2, or a double click, changes its text, and an empty "
        "text takes the mark away, as Delete does."));
    m_marksHint->setWordWrap(true);
    layout->addWidget(m_marksHint);
    m_marksView = new QTableWidget(0, 2);
    m_marksView->setHorizontalHeaderLabels({tr("Time"), tr("Note")});
    m_marksView->setFrameShape(QFrame::NoFrame);
    m_marksView->setShowGrid(false);
    m_marksView->setTabKeyNavigation(false); // Tab goes on to the next panel.
    m_marksView->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_marksView->verticalHeader()->hide();
    m_marksView->verticalHeader()->setDefaultSectionSize(22);
    m_marksView->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_marksView->horizontalHeader()->setStretchLastSection(true);
    m_marksView->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_marksView->setAccessibleName(tr("Notes"));
    layout->addWidget(m_marksView, 1);
    m_notesPanel->setFocusProxy(m_marksView);
    const auto goTo = [this](int row, int) {
        m_state->setPlayhead(m_notes.marks[static_cast<std::size_t>(row)].time);
        m_timeline->showSelection();
    };
    connect(m_marksView, &QTableWidget::cellClicked, this, goTo);
    connect(m_marksView, &QTableWidget::cellActivated, this, goTo); // Return.
    // Also where the time is current, as it is when the keyboard comes here.
    auto *change = new QShortcut(QKeySequence(Qt::Key_F2), m_marksView);
    change->setContext(Qt::WidgetShortcut);
    connect(change, &QShortcut::activated, this, [this] {
        if (QTableWidgetItem *const text = m_marksView->item(m_marksView->currentRow(), 1))
            m_marksView->editItem(text);
    });
    auto *remove = new QShortcut(QKeySequence(Qt::Key_Delete), m_marksView);
    remove->setContext(Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, [this] {
        const int row = m_marksView->currentRow();
        if (row < 0)
            return;
        m_notes.marks.erase(m_notes.marks.begin() + row);
        showMarks();
        keepNotes();
    });
    connect(m_marksView, &QTableWidget::itemChanged, this, [this](QTableWidgetItem *item) {
        const auto row = static_cast<std::size_t>(item->row());
        if (item->column() != 1 || row >= m_notes.marks.size())
            return;
        m_notes.marks[row].text = item->text().toStdString();
        std::erase_if(m_notes.marks, [](const note &each) { return each.text.empty(); });
        // The table may not lose the row while it tells of it.
        QMetaObject::invokeMethod(this, [this] { showMarks(); }, Qt::QueuedConnection);
        keepNotes();
    });
}

bool MainWindow::addMark(const QString &text)
{
    const note fresh{m_state->playhead(), text.toStdString()};
    const auto after =
        std::upper_bound(m_notes.marks.begin(), m_notes.marks.end(), fresh.time,
                         [](qint64 time, const note &each) { return time < each.time; });
    m_notes.marks.insert(after, fresh);
    showMarks();
    return keepNotes();
}

void MainWindow::showMarks()
{
    const QSignalBlocker quiet(m_marksView);
    m_marksView->setRowCount(static_cast<int>(m_notes.marks.size()));
    for (int row = 0; row < m_marksView->rowCount(); ++row) {
        const note &each = m_notes.marks[static_cast<std::size_t>(row)];
        auto *time = new QTableWidgetItem(QString::fromStdString(say_time(each.time)));
        time->setFlags(time->flags() & ~Qt::ItemIsEditable);
        m_marksView->setItem(row, 0, time);
        m_marksView->setItem(row, 1, new QTableWidgetItem(QString::fromStdString(each.text)));
    }
    if (m_marksView->currentRow() < 0 && m_marksView->rowCount() > 0)
        m_marksView->setCurrentCell(0, 1); // What F2 and Return are for.
    m_timeline->setMarks(m_notes.marks);
}

void MainWindow::stepMark(int direction)
{
    const qint64 now = m_state->playhead();
    const note *found = nullptr;
    for (const note &each : m_notes.marks)
        if (direction > 0 ? each.time > now && found == nullptr : each.time < now)
            found = &each;
    if (found == nullptr)
        return;
    m_state->setPlayhead(found->time);
    m_timeline->showSelection();
}

/// Beside the trace, at once; where that cannot be written they last as long as the window. A
/// script that makes a picture changes no recording: what it notes lasts so long, too, until it
/// says otherwise.
bool MainWindow::keepNotes()
{
    if (m_inScript)
        return true;
    run_notes now = m_notes;
    now.pinned.clear();
    for (const QString &each : m_timeline->pinned())
        now.pinned.push_back(each.toStdString());
    m_notes.pinned = now.pinned;
    if (write_notes(m_run->path(), now))
        return true;
    m_notesFail = true;
    m_marksHint->setText(tr("%1 cannot be written: notes and pins last as long as this window.")
                             .arg(QString::fromStdString(m_run->path())));
    return false;
}
