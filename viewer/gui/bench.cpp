// SPDX-License-Identifier: MIT
#include "gui/bench.hpp"

#include "analysis/say/answer.hpp"
#include "gui/outline_window.hpp"
#include "gui/panels.hpp"
#include "gui/timeline.hpp"

#include <QApplication>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QtEndian>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <utility>
#include <vector>

namespace {

QJsonObject percentiles(const QString &what, std::vector<double> milliseconds)
{
    std::sort(milliseconds.begin(), milliseconds.end());
    const std::size_t last = milliseconds.size() - 1;
    return {{QStringLiteral("what"), what},
            {QStringLiteral("count"), static_cast<qint64>(milliseconds.size())},
            {QStringLiteral("p50_ms"), milliseconds[last / 2]},
            {QStringLiteral("p99_ms"), milliseconds[last * 99 / 100]},
            {QStringLiteral("max_ms"), milliseconds[last]}};
}

double residentMegabytes()
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : status.readAll().split('\n'))
        if (line.startsWith("VmRSS:"))
            return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
    return 0;
}

template <class Work> double timed(Work &&work)
{
    QElapsedTimer timer;
    timer.start();
    work();
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

/// What opening cannot be faster than: a look at every byte of the run.
double millisecondsToReadAll(const QString &run)
{
    QDirIterator files(run, QDir::Files, QDirIterator::Subdirectories);
    quint64 sum = 0;
    const double taken = timed([&] {
        while (files.hasNext()) {
            QFile file(files.next());
            if (!file.open(QIODevice::ReadOnly) || file.size() < 8)
                continue;
            const qint64 size = file.size(); // A system call each time that it is asked.
            const uchar *bytes = file.map(0, size);
            for (qint64 at = 0; bytes != nullptr && at + 8 <= size; at += 8)
                sum += qFromLittleEndian<quint64>(bytes + at);
        }
    });
    return sum == 0 ? 0 : taken;
}

/// Draws one window, and says how long each change of what it shows took.
class Drawing
{
public:
    explicit Drawing(MainWindow &window)
        : m_window(window)
        , m_state(window.state())
        , m_end(std::max<qint64>(1, m_state->model().events().end()))
        , m_canvas(window.timeline()->size(), QImage::Format_RGB32)
    {
    }

    /// At every zoom, at five places of the run.
    std::vector<double> redraw()
    {
        std::vector<double> taken;
        for (qint64 factor = 1; factor <= 4096; factor *= 4)
            for (int i = 0; i < 5; ++i) {
                const qint64 span = std::max<qint64>(100, m_end / factor);
                const qint64 begin = (m_end - span) * i / 5;
                taken.push_back(drawn([&] { m_state->setView(begin, begin + span, false); }));
            }
        return taken;
    }

    std::vector<double> pan()
    {
        std::vector<double> taken;
        m_state->setView(0, std::max<qint64>(100, m_end / 8), false);
        for (int i = 0; i < 40; ++i)
            taken.push_back(drawn([&] { m_state->pan((m_state->end() - m_state->begin()) / 10); }));
        return taken;
    }

    /// A burst of the wheel, in to a thousandth and out again.
    std::vector<double> zoom()
    {
        std::vector<double> taken;
        m_state->fitAll();
        for (int i = 0; i < 120; ++i)
            taken.push_back(drawn([&] {
                const qint64 middle = (m_state->begin() + m_state->end()) / 2;
                m_state->zoom(i < 60 ? 0.89 : 1 / 0.89, middle);
            }));
        return taken;
    }

    /// The playhead goes on, in one view of the whole run.
    std::vector<double> play()
    {
        std::vector<double> taken;
        m_state->fitAll();
        for (int i = 0; i < 40; ++i)
            taken.push_back(drawn([&] { m_state->setPlayhead(m_end * i / 40); }));
        return taken;
    }

    std::vector<double> seek()
    {
        std::vector<double> taken;
        m_state->fitAll();
        m_window.showPanel(QStringLiteral("Ownership"));
        auto *matrix = m_window.findChild<OwnershipMatrix *>();
        QImage canvas(matrix->size(), QImage::Format_RGB32);
        for (int i = 0; i < 40; ++i)
            taken.push_back(timed([&] {
                m_state->setPlayhead(m_end * (i * 17 % 40) / 40);
                matrix->render(&canvas);
            }));
        return taken;
    }

private:
    template <class Change> double drawn(Change &&change)
    {
        return timed([&] {
            change();
            m_window.timeline()->render(&m_canvas);
        });
    }

    MainWindow &m_window;
    ViewState *m_state;
    qint64 m_end;
    QImage m_canvas;
};

QJsonObject openFigures(MainWindow &window, const Opening &opening)
{
    const std::clock_t cpu = std::clock();
    const double answers = timed([&] { window.answerAll(); });
    const double answersCpu = 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    window.state()->model().events().rest(); // As a moment later.
    return {{QStringLiteral("first_picture_ms"), opening.firstPicture},
            {QStringLiteral("open_ms"), opening.picture},
            {QStringLiteral("open_cpu_ms"), opening.pictureCpu},
            {QStringLiteral("answers_ms"), answers},
            {QStringLiteral("answers_cpu_ms"), answersCpu},
            {QStringLiteral("rss_mb"), residentMegabytes()}};
}

} // namespace

QStringList benchParts(const QString &list)
{
    static const QStringList all{QStringLiteral("open"), QStringLiteral("redraw"),
                                 QStringLiteral("pan"),  QStringLiteral("zoom"),
                                 QStringLiteral("play"), QStringLiteral("seek")};
    if (list == QLatin1String("all"))
        return all;
    const QStringList named = list.split(QLatin1Char(','));
    const auto known = [](const QString &each) { return all.contains(each); };
    return std::ranges::all_of(named, known) ? named : QStringList();
}

double millisecondsToFirstPicture(const QString &run, const Theme &theme)
{
    return timed([&] {
        OutlineWindow first(deed::viewer::outline_of(run.toStdString()), QString());
        first.setTheme(theme);
        first.show();
        first.grab();
    });
}

QJsonObject bench(MainWindow &window, const Opening &opening, const QStringList &parts)
{
    const auto &run = window.state()->model().events();
    const auto events = static_cast<double>(run.events().size());
    const auto perEvent = [events](double megabytes) {
        return megabytes * 1048576 / std::max(1.0, events);
    };
    QJsonObject figures;
    if (parts.contains(QLatin1String("open"))) {
        figures = openFigures(window, opening);
        figures[QStringLiteral("rss_bytes_per_event")] =
            perEvent(figures[QStringLiteral("rss_mb")].toDouble());
    }
    Drawing drawing(window);
    QJsonArray results;
    for (const QString &part : parts) {
        if (part == QLatin1String("open"))
            continue;
        const std::vector<double> taken = part == QLatin1String("redraw") ? drawing.redraw()
                                          : part == QLatin1String("pan")  ? drawing.pan()
                                          : part == QLatin1String("zoom") ? drawing.zoom()
                                          : part == QLatin1String("play") ? drawing.play()
                                                                          : drawing.seek();
        results += percentiles(part, taken);
        if (part != QLatin1String("zoom"))
            continue;
        const auto late = std::ranges::count_if(taken, [](double t) { return t > 1000.0 / 60; });
        figures[QStringLiteral("zoom_frames_dropped_percent")] =
            100.0 * static_cast<double>(late) / static_cast<double>(taken.size());
    }
    if (parts.contains(QLatin1String("open"))) {
        figures[QStringLiteral("rss_bytes_per_event_at_the_end")] = perEvent(residentMegabytes());
        figures[QStringLiteral("read_all_ms")] =
            millisecondsToReadAll(QString::fromStdString(run.path()));
    }
    figures[QStringLiteral("events")] = events;
    figures[QStringLiteral("results")] = results;
    return figures;
}

QString benchText(const QJsonObject &figures)
{
    using namespace deed::viewer;
    constexpr std::array<std::pair<const char *, const char *>, 11> inWords{{
        {"events", "events"},
        {"first_picture_ms", "ms until the first picture, of the headers of packets"},
        {"open_ms", "ms until the picture of all events"},
        {"open_cpu_ms", "ms of CPU for it"},
        {"answers_ms", "ms more until every panel answers"},
        {"answers_cpu_ms", "ms of CPU for it"},
        {"read_all_ms", "ms to look at every byte of the files, for comparison"},
        {"rss_mb", "MB of memory then"},
        {"rss_bytes_per_event", "bytes of memory per event then"},
        {"rss_bytes_per_event_at_the_end", "bytes of memory per event at the end"},
        {"zoom_frames_dropped_percent", "% of a zoom's frames that were late"},
    }};
    const auto number = [](const QJsonValue &of) {
        const double value = of.toDouble();
        const bool whole = value >= 100 || value == std::floor(value);
        return QString::number(value, 'f', whole ? 0 : 1).toStdString();
    };
    answer said;
    table figuresOfAll{"", {"figure", "value"}, {}},
        drawn{"milliseconds", {"", "times", "p50", "p99", "most"}, {}};
    for (const auto &[name, words] : inWords)
        if (const QJsonValue figure = figures[QLatin1String(name)]; figure.isDouble())
            figuresOfAll.rows.push_back({words, number(figure)});
    for (const QJsonValue &each : figures[QStringLiteral("results")].toArray())
        drawn.rows.push_back(
            {each[QStringLiteral("what")].toString().toStdString(),
             number(each[QStringLiteral("count")]), number(each[QStringLiteral("p50_ms")]),
             number(each[QStringLiteral("p99_ms")]), number(each[QStringLiteral("max_ms")])});
    said.tables.push_back(std::move(figuresOfAll));
    if (!drawn.rows.empty())
        said.tables.push_back(std::move(drawn));
    return QString::fromStdString(render(said, style::text, {}, ~std::size_t{0}));
}
