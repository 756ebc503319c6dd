// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QMimeData>
#include <QTextDocumentFragment>

/// @file
/// What Ctrl+C copies: of the panel that is in use what one would paste elsewhere.

using namespace deed::viewer;

namespace {

QString textOf(const answer &said, style how)
{
    return QString::fromStdString(deed::viewer::render(said, how, {}, ~std::size_t{0}));
}

/// Cells apart by tabs, as spreadsheets take them.
QString rowOf(const QAbstractItemModel &model, int row)
{
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column)
        cells += model.index(row, column).data().toString();
    return cells.join(QLatin1Char('\t'));
}

} // namespace

/// The one with the focus, or a part of a panel that has it, else the panel in front.
QWidget *MainWindow::panelInUse() const
{
    for (QWidget *at = focusWidget(); at != nullptr && at != this; at = at->parentWidget())
        if (at == m_timeline || qobject_cast<AnswerView *>(at) != nullptr ||
            qobject_cast<QTableView *>(at) != nullptr ||
            qobject_cast<QDockWidget *>(at->parentWidget()) != nullptr)
            return at;
    return panelContent(panelInFront());
}

/// A table's row, an answer's text; of what is drawn a picture, and its numbers as text.
void MainWindow::copyPanel()
{
    QWidget *const panel = panelInUse();
    auto *const copied = new QMimeData;
    if (panel == m_eventsView && m_eventsView->currentRow() >= 0) { // It may be out of sight.
        copied->setText(rowOf(*m_events, m_eventsView->currentRow()));
    } else if (panel == m_marksView && m_marksView->currentRow() >= 0) {
        copied->setText(rowOf(*m_marksView->model(), m_marksView->currentRow()));
    } else if (const auto *view = qobject_cast<AnswerView *>(panel)) {
        const QString selected = view->textCursor().selection().toPlainText();
        copied->setText(selected.isEmpty() ? textOf(view->shown(), style::text) : selected);
    } else {
        // Of a whole timeline the numbers are the run: what is selected in it has a sentence.
        copied->setText(panel == m_timeline ? m_inspector->toPlainText()
                                            : textOf(panelAnswer(panel), style::csv));
        const bool framed = m_focusFrame->isOn();
        m_focusFrame->setOn(false);
        copied->setImageData(panel->grab().toImage());
        m_focusFrame->setOn(framed);
    }
    QApplication::clipboard()->setMimeData(copied);
}
