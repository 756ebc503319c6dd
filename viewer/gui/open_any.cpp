// SPDX-License-Identifier: MIT
#include "gui/open_any.hpp"

#include "gui/focus_frame.hpp"
#include "gui/hang_window.hpp"
#include "gui/keys.hpp"
#include "gui/layouts.hpp"
#include "gui/outline_window.hpp"

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

using namespace deed::viewer;

namespace {

void showAlone(QMainWindow *window)
{
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
    for (QWidget *each : QApplication::topLevelWidgets())
        if (qobject_cast<StartWindow *>(each) != nullptr)
            each->close();
}

void showAnswer(const QString &path, const Theme &theme)
{
    if (path.isEmpty())
        return;
    if (const QString wrong = showAny(path, theme); !wrong.isEmpty())
        QMessageBox::warning(QApplication::activeWindow(), QObject::tr("Open"), wrong);
}

} // namespace

QString showAny(const QString &path, const Theme &theme)
{
    try {
        if (QFileInfo(path).isFile()) {
            auto *report = new HangWindow(path);
            report->setTheme(theme);
            showAlone(report);
        } else if (auto run = openWithOutline(path, {}, theme)) {
            auto *window = new MainWindow(std::move(*run));
            window->setTheme(theme);
            takeLayout(*window);
            showAlone(window);
        }
        return {};
    } catch (const unreadable &wrong) {
        return QString::fromUtf8(wrong.what());
    }
}

void askForRun(const Theme &theme)
{
    QTimer::singleShot(0, qApp, [theme] {
        showAnswer(QFileDialog::getExistingDirectory(QApplication::activeWindow(),
                                                     QObject::tr("Open which run?")),
                   theme);
    });
}

void askForReport(const Theme &theme)
{
    QTimer::singleShot(0, qApp, [theme] {
        showAnswer(QFileDialog::getOpenFileName(QApplication::activeWindow(),
                                                QObject::tr("Open which report of a deadlock?"),
                                                QString(), QObject::tr("Reports (*.json)")),
                   theme);
    });
}

StartWindow::StartWindow(const Theme &theme, QWidget *parent)
    : QMainWindow(parent)
{
    setWindowTitle(tr("deed-view"));
    resize(620, 320);
    auto *page = new QWidget;
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(40, 20, 40, 20);
    layout->setSpacing(12);
    // An option in the middle of a line would be broken behind its dashes.
    auto *text = new QLabel(tr("<p>deed-view shows and replays a recorded run: the folder that a "
                               "program writes with<br><b>--deed-trace=FOLDER</b>, or with "
                               "<b>DEED_TRACE=FOLDER</b> under mpirun.</p>"
                               "<p>From a shell: <b>deed-view FOLDER</b>, and while the program "
                               "runs:<br><b>deed-view --follow FOLDER</b></p>"));
    text->setWordWrap(true);
    layout->addWidget(text, 1);
    QMenu *file = menuBar()->addMenu(tr("&File"));
    const auto offer = [&](const QString &name, const QKeySequence &keys, auto &&does) {
        QAction *action = file->addAction(name);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, does);
        return action;
    };
    const auto button = [&](QAction *action) {
        auto *shown = new QPushButton(QStringLiteral("%1 (%2)").arg(
            action->text(), action->shortcut().toString(QKeySequence::NativeText)));
        connect(shown, &QPushButton::clicked, action, &QAction::trigger);
        layout->addWidget(shown);
        return shown;
    };
    button(offer(tr("&Open a run"), QKeySequence(Qt::CTRL | Qt::Key_O), [theme] {
        askForRun(theme);
    }))->setFocus();
    button(offer(tr("Open the &report of a deadlock"),
                 QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), [theme] { askForReport(theme); }));
    offer(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { close(); });
    addKeys(menuBar()->addMenu(tr("&Help")), this, tr("What opens a run."),
            {{tr("Tab, Shift+Tab"), tr("The next part, the one before")}});
    setCentralWidget(page);
    (new FocusFrame(this))->setTheme(theme);
}
