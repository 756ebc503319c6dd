// SPDX-License-Identifier: MIT
#include "analysis/store/large_tables.hpp"
#include "gui/bench.hpp"
#include "gui/compare_window.hpp"
#include "gui/followed_run.hpp"
#include "gui/hang_window.hpp"
#include "gui/layouts.hpp"
#include "gui/looks.hpp"
#include "gui/open_any.hpp"
#include "gui/outline_window.hpp"
#include "gui/window_size.hpp"
#include "gui/written.hpp"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QFont>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTextStream>
#include <QToolTip>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace {

constexpr int ok = 0, cannotRead = 2, wrongUsage = 64, cannotWrite = 74;

int complain(int status, const QString &text)
{
    std::fprintf(stderr, "deed-view: %s\n", qPrintable(text));
    return status;
}

/// What is no main window: its size, its picture, or its life.
int showSmaller(QMainWindow &window, const QCommandLineParser &parser, bool headless)
{
    if (const auto size = sizeNamed(parser.value(QStringLiteral("size"))))
        window.resize(*size);
    window.show();
    if (!headless)
        return QApplication::exec();
    QApplication::processEvents();
    const QString picture = parser.value(QStringLiteral("screenshot"));
    if (picture.isEmpty())
        return complain(wrongUsage, QStringLiteral("here only with --screenshot"));
    const QString failed = savePicture(window, picture);
    if (failed.isEmpty())
        return ok;
    return complain(isWrongPicture(picture) ? wrongUsage : cannotWrite, failed);
}

/// Of a run that is too long to read it.
int showOutline(const QCommandLineParser &parser, const Theme &theme, bool headless)
{
    try {
        QMainWindow window;
        auto *outline = new OutlineWindow(
            deed::viewer::outline_of(parser.positionalArguments().first().toStdString()),
            QStringLiteral("From the headers of packets alone; without --outline the run is "
                           "read."));
        outline->setTheme(theme);
        window.setWindowTitle(outline->windowTitle());
        window.resize(outline->size());
        window.setCentralWidget(outline);
        return showSmaller(window, parser, headless);
    } catch (const deed::viewer::unreadable &wrong) {
        return complain(cannotRead, QString::fromUtf8(wrong.what()));
    }
}

/// A report of a deadlock: who waits for whom, without a trace.
int showHang(const QCommandLineParser &parser, const Theme &theme, bool headless)
{
    try {
        HangWindow window(parser.positionalArguments().first());
        window.setTheme(theme);
        return showSmaller(window, parser, headless);
    } catch (const deed::viewer::unreadable &wrong) {
        return complain(cannotRead, QString::fromUtf8(wrong.what()));
    }
}

/// Two runs, one above the other.
int showComparison(const QCommandLineParser &parser, const Theme &theme, bool headless)
{
    const QStringList runs = parser.positionalArguments();
    try {
        CompareWindow window(runs[0], runs[1]);
        window.setTheme(theme);
        const QString select = parser.value(QStringLiteral("select"));
        if (!select.isEmpty() && !window.selectByName(select))
            return complain(wrongUsage,
                            QStringLiteral("there is no `%1` in %2").arg(select, runs[0]));
        return showSmaller(window, parser, headless);
    } catch (const deed::viewer::unreadable &wrong) {
        return complain(cannotRead, QString::fromUtf8(wrong.what()));
    }
}

constexpr int smallestFont = 8, largestFont = 32;

/// What is wrong with how the window shall look; empty if nothing is.
QString wrongLooks(const QCommandLineParser &parser)
{
    const auto given = [&](const char *name) { return parser.isSet(QLatin1String(name)); };
    const auto value = [&](const char *name) { return parser.value(QLatin1String(name)); };
    if (given("theme") && !Theme::isName(value("theme")))
        return QStringLiteral("--theme is light, dark or contrast");
    bool number = false;
    const int pixels = value("font-size").toInt(&number);
    if (given("font-size") && (!number || pixels < smallestFont || pixels > largestFont))
        return QStringLiteral("--font-size is a number of pixels from %1 to %2")
            .arg(smallestFont)
            .arg(largestFont);
    if (given("size") && !sizeNamed(value("size")))
        return QStringLiteral("--size is such as 1280x800, from 200x150 to 16384x16384");
    return {};
}

/// Also that of all that the program draws.
Theme themeOf(const QCommandLineParser &parser, bool headless)
{
    QString name = parser.value(QStringLiteral("theme"));
    const bool isDark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    if (name.isEmpty() && !headless && isDark)
        name = QStringLiteral("dark");
    const Theme theme = Theme::named(name);
    QApplication::setPalette(theme.palette());
    QToolTip::setPalette(theme.palette());
    return theme;
}

/// No run, and nothing that needs one.
bool asksForNothing(const QCommandLineParser &parser)
{
    const QStringList looks{QStringLiteral("theme"), QStringLiteral("font-size"),
                            QStringLiteral("testing")};
    return parser.positionalArguments().isEmpty() &&
           std::ranges::all_of(parser.optionNames(),
                               [&](const QString &name) { return looks.contains(name); });
}

int showStart(const Theme &theme)
{
    StartWindow window(theme);
    window.show();
    return QApplication::exec();
}

/// What the options say of a window, as commands.
QStringList commandsOf(const QCommandLineParser &parser)
{
    QStringList commands;
    for (const char *const name : {"layout", "size", "select", "at", "range", "panel"})
        if (parser.isSet(QLatin1String(name)))
            commands += QLatin1String(name) + QLatin1Char(' ') + parser.value(QLatin1String(name));
    return commands;
}

/// A run that is still being recorded.
int showFollowed(const QCommandLineParser &parser, const Theme &theme,
                 deed::viewer::clock_correction clocks)
{
    for (const char *const other : {"compare", "outline"})
        if (parser.isSet(QLatin1String(other)))
            return complain(
                wrongUsage,
                QStringLiteral("--follow shows one run, without --%1").arg(QLatin1String(other)));
    FollowedRun followed(parser.positionalArguments().first(), clocks);
    followed.setTheme(theme);
    followed.setCommands(commandsOf(parser));
    followed.setLayoutTaken(!parser.isSet(QStringLiteral("testing")));
    QObject::connect(&followed, &FollowedRun::refused, &followed,
                     [](const QString &why) { QApplication::exit(complain(wrongUsage, why)); });
    followed.show();
    return QApplication::exec();
}

} // namespace

int main(int argc, char **argv)
{
    deed::viewer::share_memory();
    bool headless = false;
    for (int i = 1; i < argc; ++i)
        for (const char *const word : {"--screenshot", "--script", "--bench", "--list-commands",
                                       "--help", "-h", "--version", "-v"})
            headless |= QByteArrayView(argv[i]).startsWith(word);
    const bool display =
        qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
    const bool nowhere = !display && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
    if (headless && nowhere)
        qputenv("QT_QPA_PLATFORM", "offscreen");
#ifdef Q_OS_LINUX // Elsewhere these variables say nothing. Qt would abort.
    if (!headless && nowhere)
        return complain(wrongUsage, QStringLiteral("there is no display for a window; log in with "
                                                   "`ssh -X`, or draw with --screenshot FILE"));
#endif
    if (headless)
        silenceOffscreen();
    for (int i = 1; i < argc; ++i)
        if (QByteArrayView(argv[i]) == "--testing")
            qputenv("QT_FONT_DPI", "96");

    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("deed-view"));
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Shows and replays a recorded run."));
    QApplication::setApplicationVersion(QStringLiteral(DEED_VERSION));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("RUN"),
                                 QStringLiteral("the run's folder, or the report of a deadlock"));
    const auto option = [&](const char *name, const char *text, const char *value) {
        parser.addOption({QLatin1String(name), QLatin1String(text), QLatin1String(value)});
    };
    option("select", "handle:A[3,2], task:gemm#12, transfer:A[3,2] v4 to rank 3, error", "WHAT");
    option("at", "the playhead", "TIME");
    option("range", "the part in view", "FROM:TO");
    option("panel", "the panel in front", "NAME");
    option("layout", "ownership, communication or performance", "NAME");
    option("clock",
           "none; sync, messages or sync+messages: what ranks measured of their clocks, or what "
           "messages tell, is taken from them",
           "HOW");
    option("theme", "light, dark or contrast", "NAME");
    option("size", "of the window", "WxH");
    option("font-size", "in pixels", "N");
    option("screenshot", "writes a picture and ends", "FILE");
    parser.addOption({QStringLiteral("outline"),
                      QStringLiteral("how much each thread recorded over time, at once: without "
                                     "reading the run")});
    option("script", "runs the commands of a file and ends", "FILE");
    option("bench",
           "measures the parts of a list, and ends: open, redraw, pan, zoom, play, seek; or all of "
           "them",
           "WHAT");
    parser.addOption({QStringLiteral("json"), QStringLiteral("with --bench: as JSON")});
    parser.addOption(
        {QStringLiteral("testing"), QStringLiteral("looks the same on every machine")});
    parser.addOption({QStringLiteral("list-commands"), QStringLiteral("of scripts")});
    parser.addOption({QStringLiteral("compare"),
                      QStringLiteral("two runs on one axis: what the second did otherwise")});
    parser.addOption({QStringLiteral("follow"),
                      QStringLiteral("shows what a program records while it still runs; on a "
                                     "screen, without --screenshot and --script")});
    if (!parser.parse(QApplication::arguments()))
        return complain(wrongUsage, parser.errorText());
    if (parser.isSet(QStringLiteral("help"))) {
        std::printf("%s\nExit codes: %d done; %d a file cannot be read; %d wrong usage; %d a file "
                    "cannot be written.\n",
                    qPrintable(parser.helpText()), ok, cannotRead, wrongUsage, cannotWrite);
        return ok;
    }
    if (parser.isSet(QStringLiteral("version"))) {
        std::printf("deed-view %s\n", DEED_VERSION);
        return ok;
    }
    if (parser.isSet(QStringLiteral("list-commands"))) {
        for (const QString &line : MainWindow::commandHelp())
            std::printf("%s\n", qPrintable(line));
        return ok;
    }
    if (const QString wrong = wrongLooks(parser); !wrong.isEmpty())
        return complain(wrongUsage, wrong);
    useFixedLooks(parser.isSet(QStringLiteral("testing")));
    if (parser.isSet(QStringLiteral("font-size"))) {
        QFont font = QApplication::font();
        font.setPixelSize(parser.value(QStringLiteral("font-size")).toInt());
        QApplication::setFont(font);
    }

    const bool compare = parser.isSet(QStringLiteral("compare"));
    if (!headless && asksForNothing(parser))
        return showStart(themeOf(parser, headless));
    if (parser.positionalArguments().size() != (compare ? 2 : 1))
        return complain(wrongUsage, compare
                                        ? QStringLiteral("which runs? deed-view --compare RUN RUN")
                                        : QStringLiteral("which run? deed-view RUN"));

    const Theme theme = themeOf(parser, headless);

    const QString clock = parser.value(QStringLiteral("clock"));
    const auto clocks =
        deed::viewer::correction_named(clock.isEmpty() ? std::string("none") : clock.toStdString());
    if (!clocks)
        return complain(wrongUsage,
                        QStringLiteral("--clock is none, sync, messages or sync+messages"));
    if (parser.isSet(QStringLiteral("follow"))) {
        if (headless)
            return complain(wrongUsage,
                            QStringLiteral("--follow needs a screen; without one, --screenshot "
                                           "of the run as it is now"));
        return showFollowed(parser, theme, *clocks);
    }
    if (compare)
        return showComparison(parser, theme, headless);
    if (QFileInfo(parser.positionalArguments().first()).isFile())
        return showHang(parser, theme, headless);
    if (parser.isSet(QStringLiteral("outline")))
        return showOutline(parser, theme, headless);
    try {
        const QString path = parser.positionalArguments().first();
        const bool benches = parser.isSet(QStringLiteral("bench"));
        const auto measured = benchParts(parser.value(QStringLiteral("bench")));
        if (benches && measured.isEmpty())
            return complain(
                wrongUsage,
                QStringLiteral("--bench takes open, redraw, pan, zoom, play, seek, or all"));
        Opening opening;
        if (benches)
            opening.firstPicture = millisecondsToFirstPicture(path, theme);
        QElapsedTimer timer;
        timer.start();
        const std::clock_t cpu = std::clock();
        auto run =
            headless ? OpenedRun::open(path, *clocks) : openWithOutline(path, *clocks, theme);
        if (!run) // Nobody waits for it; its reader ends with the program.
            std::quick_exit(ok);
        MainWindow window(std::move(*run));
        opening.picture = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        opening.pictureCpu = 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
        window.setTheme(theme);
        if (!headless && !parser.isSet(QStringLiteral("testing")))
            takeLayout(window);
        QStringList commands = commandsOf(parser);
        qsizetype ofScript = 0; // Where its lines begin.
        QString scriptName;
        window.show();
        if (parser.isSet(QStringLiteral("script"))) {
            QFile script(parser.value(QStringLiteral("script")));
            if (!script.open(QIODevice::ReadOnly))
                return complain(cannotRead,
                                QStringLiteral("%1 cannot be read").arg(script.fileName()));
            ofScript = commands.size();
            scriptName = script.fileName();
            commands += QString::fromUtf8(script.readAll()).split(QLatin1Char('\n'));
        }
        const qsizetype endOfScript = scriptName.isEmpty() ? 0 : commands.size();
        if (parser.isSet(QStringLiteral("screenshot")))
            commands += QStringLiteral("screenshot ") + parser.value(QStringLiteral("screenshot"));
        for (qsizetype i = 0; i < commands.size(); ++i) {
            app.processEvents();
            const QString wrong = window.runCommand(commands[i]);
            if (wrong.isEmpty())
                continue;
            const QString where =
                i >= ofScript && i < endOfScript
                    ? QStringLiteral("%1:%2: ").arg(scriptName).arg(i - ofScript + 1)
                    : QString();
            return complain(window.cannotWrite() ? cannotWrite : wrongUsage, where + wrong);
        }
        if (benches) {
            app.processEvents();
            const QJsonObject figures = bench(window, opening, measured);
            std::fputs(parser.isSet(QStringLiteral("json"))
                           ? QJsonDocument(figures).toJson().constData()
                           : benchText(figures).toUtf8().constData(),
                       stdout);
            return ok;
        }
        return headless ? ok : QApplication::exec();
    } catch (const deed::viewer::unreadable &wrong) {
        return complain(cannotRead, QString::fromUtf8(wrong.what()));
    }
}
