// SPDX-License-Identifier: MIT
#include "gui/hang_window.hpp"

#include "gui/keys.hpp"

#include <QAction>
#include <QMenuBar>
#include <QSplitter>

using namespace deed::viewer;

HangWindow::HangWindow(const QString &file, QWidget *parent)
    : QMainWindow(parent)
    , m_graph(new WaitGraph)
    , m_report(new AnswerView)
    , m_focusFrame(new FocusFrame(this))
{
    const hang known = read_hang(file.toStdString());
    setWindowTitle(tr("%1 - deed-view").arg(file));
    resize(1280, 720);
    m_graph->setWaits(known.waits);
    if (!known.waits.empty())
        m_graph->setCaption(QString::fromStdString(say_without_a_wait(known)));
    m_graph->setNothing(tr("No wait is known: where each rank stands is beside."));
    m_graph->setCulprit(QString::fromStdString(known.culprit));
    m_report->setWhole(say_hang(known));
    auto *parts = new QSplitter(Qt::Horizontal);
    parts->addWidget(m_graph);
    parts->addWidget(m_report);
    parts->setSizes({560, 720});
    setCentralWidget(parts);
    QAction *quit = menuBar()->addMenu(tr("&File"))->addAction(tr("&Quit"));
    quit->setShortcut(Qt::CTRL | Qt::Key_Q);
    connect(quit, &QAction::triggered, this, [this] { close(); });
    addKeys(menuBar()->addMenu(tr("&Help")), this, tr("Who waits for whom, and all that is known."),
            {{tr("Tab, Shift+Tab"), tr("The next part, the one before")},
             {tr("Up, Down"), tr("Scroll the report")}});
    m_report->setAccessibleName(tr("Report"));
    m_report->setFocus();
    setTheme(Theme());
}

void HangWindow::setTheme(const Theme &theme)
{
    m_graph->setTheme(theme);
    m_report->setTheme(theme);
    m_focusFrame->setTheme(theme);
}
