// SPDX-License-Identifier: MIT
#include "gui/looks.hpp"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QString>

#include <cstdio>

// A static library's resources are linked where somebody asks for them; in no namespace, as Qt
// wants.
static void loadFonts()
{
    Q_INIT_RESOURCE(fonts);
    for (const char *const file : {":/fonts/deed_testing.ttf", ":/fonts/deed_testing_bold.ttf"})
        QFontDatabase::addApplicationFont(QLatin1String(file));
}

void useFixedLooks(bool testing)
{
    QApplication::setStyle(QStringLiteral("Fusion"));
    if (testing)
        loadFonts();
    QFont font(testing ? QStringLiteral("Deed Testing") : QStringLiteral("DejaVu Sans"));
    font.setPixelSize(12);
    font.setHintingPreference(QFont::PreferNoHinting);
    QApplication::setFont(font);
}

void silenceOffscreen()
{
    static QtMessageHandler next = nullptr;
    next = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext &where,
                                     const QString &text) {
        const bool lacks = text.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not")) ||
                           text.startsWith(QLatin1String("This plugin does not support "));
        if (lacks && type <= QtWarningMsg)
            return;
        if (next != nullptr)
            next(type, where, text);
        else
            std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, where, text)));
    });
}
