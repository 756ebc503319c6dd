// SPDX-License-Identifier: MIT
#include "gui/keys.hpp"

#include <QDialog>
#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>

namespace {

QString rowOf(const QString &keys, const QString &does)
{
    return QStringLiteral("<tr><td><b>%1</b></td><td>&nbsp; %2</td></tr>")
        .arg(keys.toHtmlEscaped(), does.toHtmlEscaped());
}

void showKeys(QWidget *window, const QString &hint, const QList<QPair<QString, QString>> &first)
{
    QString text = QStringLiteral("<p>%1</p><table>").arg(hint);
    for (const auto &[keys, does] : first)
        text += rowOf(keys, does);
    for (const QAction *command : commandsOf(*window)) {
        QStringList on;
        for (const QKeySequence &each : command->shortcuts())
            on += each.toString(QKeySequence::NativeText);
        if (!on.isEmpty())
            text += rowOf(on.join(QStringLiteral(", ")), nameOf(*command));
    }
    QDialog keys(window);
    keys.setWindowTitle(QDialog::tr("Keys"));
    auto *layout = new QVBoxLayout(&keys);
    auto *list = new QTextBrowser; // It scrolls: the list is longer than most screens are high.
    list->setHtml(text + QLatin1String("</table>"));
    layout->addWidget(list);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &keys, &QDialog::reject);
    layout->addWidget(buttons);
    keys.resize(560, std::min(640, window->window()->height() - 40));
    keys.exec();
}

} // namespace

QList<QAction *> commandsOf(const QWidget &window)
{
    QList<QAction *> found = window.actions();
    for (const QMenu *menu : window.findChildren<QMenu *>())
        found += menu->actions();
    for (const QToolBar *bar : window.findChildren<QToolBar *>())
        found += bar->actions();
    found.removeIf([](const QAction *each) {
        return each->isSeparator() || each->menu() != nullptr || nameOf(*each).isEmpty();
    });
    return found;
}

QString nameOf(const QAction &command)
{
    const QString name = command.data().toString();
    return name.isEmpty() ? QString(command.text()).remove(QLatin1Char('&')) : name;
}

void setAsking(QAction &command)
{
    command.setProperty("asks", true);
}

bool isAsking(const QAction &command)
{
    return command.property("asks").toBool();
}

QAction *addKeys(QMenu *menu, QWidget *window, const QString &hint,
                 const QList<QPair<QString, QString>> &first)
{
    QAction *const keys = menu->addAction(QMenu::tr("&Keys"));
    keys->setShortcuts({QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)});
    setAsking(*keys);
    QObject::connect(keys, &QAction::triggered, window,
                     [window, hint, first] { showKeys(window, hint, first); });
    return keys;
}
