// SPDX-License-Identifier: MIT
#include "gui/written.hpp"

#include "analysis/edit/unwritable.hpp"

#include <QCoreApplication>
#include <QPixmap>
#include <QWidget>

QString whyNotWritten(const QString &file)
{
    try {
        deed::viewer::refuse_recorded(file.toStdString());
        return {};
    } catch (const deed::viewer::unwritable &refused) {
        return QString::fromUtf8(refused.what());
    }
}

bool isWrongPicture(const QString &file)
{
    return !file.endsWith(QLatin1String(".png")) &&
           (file.isEmpty() || whyNotWritten(file).isEmpty());
}

bool writePng(const QPixmap &picture, const QString &file)
{
    constexpr int quick = 60; // The smallest file takes ten times as long as the window.
    return picture.save(file, "PNG", quick);
}

QString savePicture(QWidget &of, const QString &file)
{
    if (isWrongPicture(file))
        return QCoreApplication::translate("written", "name a file .png");
    if (QString refused = whyNotWritten(file); !refused.isEmpty())
        return refused;
    if (writePng(of.grab(), file))
        return {};
    return QCoreApplication::translate("written", "`%1` cannot be written").arg(file);
}
