// SPDX-License-Identifier: MIT
#include "gui/main_window.hpp"

#include "analysis/query/query.hpp"
#include "analysis/read/event_walk.hpp"
#include "analysis/say/units.hpp"

#include <QDeadlineTimer>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

/// @file
/// What the search finds, and what a cell of the matrix leads to.

using namespace deed::viewer;

namespace {

/// Of a list in order; after the last comes the first.
const auto &nextOf(const auto &list, int direction, const auto &isAfter, const auto &isBefore)
{
    if (direction > 0) {
        const auto at = std::find_if(list.begin(), list.end(), isAfter);
        return at == list.end() ? list.front() : *at;
    }
    const auto at = std::find_if(list.rbegin(), list.rend(), isBefore);
    return at == list.rend() ? list.back() : *at;
}

/// One event of each message, in the order of the run.
struct SentEvents {
    std::vector<std::uint32_t> events;
    bool allStarts = true; // Each is the start of its send.
};

/// `sent`: transfers of one way.
SentEvents eventsOf(const model &of, int src, int dst, const std::vector<std::uint32_t> &sent)
{
    using message = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>;
    constexpr int start = 0, nothing = 4;
    std::map<message, std::pair<int, std::uint32_t>> best; // The first of start, done, ...
    for (const std::uint32_t i : sent) {
        const transfer &x = of.transfers()[i];
        best[{x.handle, x.version, x.seq}] = {nothing, none};
    }
    const run &r = of.events();
    const auto moves = [](record what) {
        return what == record::xfer_start || what == record::xfer_done;
    };
    walk(r.events(), moves, [&](std::uint32_t i) {
        const event e = r.events()[i];
        const bool sends = r.get(e, field::dir) == 0;
        const int me = r.rank_of(e), peer = static_cast<int>(r.get32(e, field::peer));
        if ((sends ? me : peer) != src || (sends ? peer : me) != dst)
            return;
        const auto found = best.find({r.get32(e, field::handle), r.get32(e, field::version),
                                      static_cast<std::uint16_t>(r.get(e, field::seq))});
        const int kind = (e.what == record::xfer_start ? start : 2) + (sends ? 0 : 1);
        if (found != best.end() && kind < found->second.first)
            found->second = {kind, i};
    });
    SentEvents said;
    for (const auto &[key, event] : best) {
        if (event.second != none)
            said.events.push_back(event.second);
        said.allStarts &= event.first == start;
    }
    std::ranges::sort(said.events);
    return said;
}

} // namespace

void MainWindow::goToMoment(const moment &which)
{
    setPlayheadAndShow(which.handle == none ? m_state->selection()
                                            : Selection{Selection::Handle, which.handle},
                       which.time);
}

/// "when handle:A[3,2] owner:2": states instead of events.
void MainWindow::searchMoments(std::vector<moment> found, int direction)
{
    m_moments = std::move(found);
    m_events->showAll();
    sayFound(tr("%1 moments").arg(QString::fromStdString(say_count(m_moments.size()))));
    if (m_moments.empty() || direction == 0)
        return;
    const qint64 now = m_state->playhead();
    const Selection chosen = m_state->selection();
    const moment *const end = m_moments.data() + m_moments.size();
    const moment *const here =
        std::find_if(static_cast<const moment *>(m_moments.data()), end, [&](const moment &each) {
            return each.time == now && chosen == Selection{Selection::Handle, each.handle};
        });
    goToMoment(nextOf(
        m_moments, direction,
        [&](const moment &each) { return here != end ? &each > here : each.time > now; },
        [&](const moment &each) { return here != end ? &each < here : each.time < now; }));
}

/// Beside the search box, where a step may say something else until the next one.
void MainWindow::sayFound(const QString &text)
{
    m_found = text;
    m_searchResult->setText(text);
}

/// Empty, or why nothing could be looked for: then what was found before is still there.
QString MainWindow::search(const QString &asked, int direction)
{
    m_searchDirection = direction;
    m_searchFrom = {m_state->selection(), m_state->playhead()};
    if (m_search && asked == m_searched) {
        searchOn();
        return {};
    }
    try {
        startSearch(asked.trimmed().toStdString(), direction);
        m_searched = asked;
        if (m_search)
            searchOn();
        return {};
    } catch (const query_error &wrong) {
        if (m_searchTimer.isActive())
            leaveSearch(); // It would say how far it is instead of what is wrong.
        sayFound(tr("column %1: %2").arg(wrong.column() + 1).arg(QString::fromUtf8(wrong.what())));
        return m_found;
    }
}

/// @throws query_error, before anything changes
void MainWindow::startSearch(const std::string &text, int direction)
{
    constexpr std::string_view when = "when ";
    if (text.starts_with(when)) {
        std::vector<moment> found = moments_when(*m_model, text.substr(when.size()));
        leaveSearch();
        searchMoments(std::move(found), direction);
    } else if (text.empty()) {
        leaveSearch();
        showHits({}, true);
    } else {
        event_search next(*m_model, text);
        leaveSearch();
        m_search.emplace(std::move(next));
    }
}

void MainWindow::leaveSearch()
{
    m_search.reset();
    m_searchSaid = false;
    m_searchTimer.stop();
    m_moments.clear();
    m_hits.clear();
}

/// Looks for as long as nobody notices, and then, once the window has done what it was asked for,
/// goes on. At the end it shows what there is, and goes where the search was to go, unless somebody
/// went elsewhere meanwhile.
void MainWindow::searchOn()
{
    constexpr int unnoticedMilliseconds = 40;
    constexpr std::size_t fewEvents = 2'000;
    for (const QDeadlineTimer noticed(unnoticedMilliseconds);
         !m_search->is_done() && !noticed.hasExpired();)
        m_search->advance(fewEvents);
    if (!m_search->is_done()) {
        sayFound(tr("%1 %: %2 events")
                     .arg(m_search->percent())
                     .arg(QString::fromStdString(say_count(m_search->count()))));
        m_searchTimer.start(0);
        return;
    }
    m_searchTimer.stop();
    if (!std::exchange(m_searchSaid, true))
        showHits(m_search->take(), false);
    else
        sayHits(); // Something else may have been said since.
    if (m_searchDirection != 0 &&
        m_searchFrom == std::pair(m_state->selection(), m_state->playhead()))
        goToHit(m_searchDirection);
}

/// For whoever needs what the search finds.
void MainWindow::finishSearch()
{
    while (m_searchTimer.isActive())
        searchOn();
}

/// `all`: of no search at all, in which nothing is a hit.
void MainWindow::showHits(std::vector<std::uint32_t> hits, bool all)
{
    m_hits = std::move(hits);
    if (all)
        m_events->showAll();
    else
        m_events->setEvents(m_hits);
    sayHits();
    m_searchBox->setToolTip(QString());
    updateEventRow();
}

void MainWindow::sayHits()
{
    const auto count = static_cast<std::uint64_t>(m_events->rowCount());
    sayFound(tr("%1 events").arg(QString::fromStdString(say_count(count))));
}

void MainWindow::goToHit(int direction)
{
    if (m_hits.empty())
        return;
    const std::uint32_t hit = nextOf(
        m_hits, direction, [&](std::uint32_t i) { return isAhead(i, 1); },
        [&](std::uint32_t i) { return isAhead(i, -1); });
    setPlayheadAndShow({Selection::Event, hit}, m_run->events().time(hit));
}

/// Of a cell of the matrix: what was sent again on this way, or else all its messages.
void MainWindow::showTraffic(int src, int dst)
{
    const run_part part = chosenPart();
    std::vector<std::uint32_t> sent;
    for (std::uint32_t i = 0; i < m_model->transfers().size(); ++i) {
        const transfer &x = m_model->transfers()[i];
        if (x.src == src && x.dst == dst && !x.never_took_place() && part.has_transfer(*m_model, i))
            sent.push_back(i);
    }
    const auto again = std::ranges::find_if(
        sent, [this](std::uint32_t i) { return m_model->transfers()[i].in_vain(); });
    // Return in the matrix hands the keyboard on.
    const bool goes = m_comm->hasFocus();
    const auto show = [&](const QString &panel) {
        goes ? goToPanel(panel) : void(showPanel(panel));
    };
    if (again != sent.end()) {
        show(tr("Sent twice"));
        setPlayheadAndShow({Selection::Transfer, *again},
                           std::max<qint64>(0, m_model->transfers()[*again].on_the_wire()));
        return;
    }
    show(tr("Events"));
    const SentEvents found = eventsOf(*m_model, src, dst, sent);
    // The language has no word for what lasts into a range, nor for a start that was lost.
    const bool sayable = part.is_whole() && found.allStarts;
    m_searched =
        sayable ? QStringLiteral("record:xfer_start rank:%1 peer:%2 dir:send").arg(src).arg(dst)
                : QString();
    m_searchBox->setText(m_searched);
    leaveSearch();
    showHits(found.events, false);
    goToHit(1);
}
