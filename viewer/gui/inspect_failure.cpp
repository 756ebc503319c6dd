// SPDX-License-Identifier: MIT
#include "gui/inspect_failure.hpp"

#include "analysis/ask/describe.hpp"
#include "analysis/ask/phases_then.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

using namespace deed::viewer;

namespace {

std::string asSentence(std::string text)
{
    if (text.empty())
        return text;
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text + '.';
}

/// "It was in scale#83 of rank 1, which began at 56.389 ms."
std::string sayTask(const model &of, std::uint32_t index)
{
    const task &t = of.tasks()[index];
    std::string text =
        "It was in " + of.task_name(index) + " on " +
        (t.lane == none ? "rank " + std::to_string(t.rank) : say_lane(of.events(), t.lane)) +
        ", inserted at " + of.place(t.rank, t.loc) + in_phase_of_task(of, index);
    if (t.codelet < of.codelets().size())
        text += "; its codelet is `" + of.codelets()[t.codelet].name + "` at " +
                of.codelets()[t.codelet].place;
    return text + (t.begin == never ? "." : "; it began at " + say_time(t.begin) + ".");
}

/// What it used, each with a link to its life.
table dataOf(const model &of, std::uint32_t index)
{
    table data = describe_task(of, index).tables.front();
    data.title = "Its data then";
    for (const auto &each : of.accesses(of.tasks()[index]))
        data.links.push_back("handle:" + std::to_string(each.handle));
    return data;
}

/// What deed prints goes on for lines, "  inserted  mine.cpp:23", and ends in what to do.
void sayMessage(const model &of, const event &e, answer &into)
{
    constexpr std::string_view help = "help:";
    const run &all = of.events();
    std::istringstream lines(of.text(all.rank_of(e), all.get32(e, field::msg)));
    std::string line;
    std::getline(lines, line); // The sentence says it.
    table facts{"", {"", ""}, {}};
    while (std::getline(lines, line)) {
        line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
        const std::size_t word = line.find("  "), rest = line.find_first_not_of(' ', word);
        if (line.starts_with(help))
            into.sentences.push_back("What to do:" + line.substr(help.size()) + ".");
        else if (rest != std::string::npos)
            facts.rows.push_back({line.substr(0, word), line.substr(rest)});
        else if (!line.empty())
            facts.rows.push_back({"", line});
    }
    if (!facts.rows.empty())
        into.tables.push_back(std::move(facts));
}

} // namespace

answer inspectFailure(const model &of, std::uint32_t index)
{
    const event e = of.events().events()[index];
    answer said;
    said.sentences.push_back("At " + say_time(e.time) + " " + say_event(of, e) + ".");
    const std::uint32_t failed = e.what == record::stop_run ? none : task_that_failed(of, e);
    if (failed != none) {
        said.sentences.push_back(sayTask(of, failed));
    } else if (e.what == record::fatal_signal) {
        answer thread;
        say_thread_that_failed(of, index, thread);
        std::ranges::transform(thread.sentences, std::back_inserter(said.sentences), asSentence);
    }
    if (std::string versions = say_version_of_error(of, index); !versions.empty())
        said.sentences.push_back(asSentence(std::move(versions)));
    if (e.what != record::fatal_signal)
        sayMessage(of, e, said);
    else if (failed != none)
        said.sentences.emplace_back("What to do: look at its data. Ownership has who held which "
                                    "copy of it then, and History how it came there.");
    if (failed != none)
        said.tables.push_back(dataOf(of, failed));
    answer fields = describe_event(of, index);
    if (e.what != record::fatal_signal) // Its message is said above.
        std::erase_if(fields.tables.front().rows,
                      [](const auto &row) { return std::string(row.front()) == "msg"; });
    said.backtrace = std::move(fields.backtrace);
    std::ranges::move(fields.tables, std::back_inserter(said.tables));
    return said;
}
