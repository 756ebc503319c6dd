// SPDX-License-Identifier: MIT
#include "analysis/ask/datum_memories.hpp"
#include "analysis/ask/message_ends.hpp"
#include "analysis/export/copy_rows.hpp"
#include "analysis/export/export.hpp"
#include "analysis/export/nested.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/read/json.hpp"
#include "analysis/say/sentence.hpp"

#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

namespace deed::viewer {
namespace {

std::string microseconds(std::int64_t time) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%lld.%03lld", static_cast<long long>(time / 1000),
                static_cast<long long>(time % 1000));
  return text.data();
}

class chrome_writer {
 public:
  explicit chrome_writer(std::ostream& out) : out_(out) {
    out_ << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  }
  ~chrome_writer() { out_ << "\n]}\n"; }
  chrome_writer(const chrome_writer&) = delete;
  chrome_writer& operator=(const chrome_writer&) = delete;

  void name(const char* what, int rank, std::uint32_t lane, const std::string& text) {
    next() << "{\"ph\": \"M\", \"name\": \"" << what << "\", \"pid\": " << rank
           << ", \"tid\": " << lane << ", \"args\": {\"name\": " << json_text(text) << "}}";
  }
  void slice(int rank, std::uint32_t lane, const std::string& name, std::int64_t begin,
             std::int64_t end, const std::string& arguments) {
    next() << "{\"ph\": \"X\", \"pid\": " << rank << ", \"tid\": " << lane
           << ", \"name\": " << json_text(name) << ", \"ts\": " << microseconds(begin)
           << ", \"dur\": " << microseconds(end - begin) << ", \"args\": {" << arguments << "}}";
  }
  /// A line through the threads of all ranks.
  void instant(int rank, std::uint32_t lane, const std::string& name, std::int64_t time) {
    next() << "{\"ph\": \"i\", \"s\": \"g\", \"pid\": " << rank << ", \"tid\": " << lane
           << ", \"name\": " << json_text(name) << ", \"ts\": " << microseconds(time) << "}";
  }
  void count(int rank, const std::string& name, std::int64_t time, std::int64_t value) {
    next() << "{\"ph\": \"C\", \"pid\": " << rank << ", \"name\": " << json_text(name)
           << ", \"ts\": " << microseconds(time) << ", \"args\": {\"value\": " << value << "}}";
  }
  void flow(char phase, int rank, std::uint32_t lane, std::uint32_t id, std::int64_t time) {
    next() << "{\"ph\": \"" << phase
           << "\", \"cat\": \"transfer\", \"name\": \"transfer\", \"id\": " << id
           << ", \"pid\": " << rank << ", \"tid\": " << lane << ", \"ts\": " << microseconds(time)
           << (phase == 'f' ? ", \"bp\": \"e\"}" : "}");
  }

 private:
  std::ostream& next() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
    return out_;
  }
  std::ostream& out_;
  bool first_ = true;
};

/// What the program says of itself, above its threads, and what ended it.
void write_program(const model& of, chrome_writer& to, const run_part& part) {
  const run& r = of.events();
  const auto lanes = static_cast<std::uint32_t>(r.lanes().size());
  std::uint32_t named = none;
  for (const phase_span& each : of.phases()) {
    if (!part.has_span(of, each.event, each.begin, each.end)) continue;
    const lane& where = r.lanes()[each.lane];
    const std::uint32_t row = lanes + each.lane;  // Phases need not lie in what a thread does.
    if (named != row) to.name("thread_name", where.rank, named = row, "phases " + where.name);
    to.slice(where.rank, row, of.phase_name(each), each.begin, each.end, "");
  }
  named = none;
  for (const wait_span& each : of.waits()) {
    if (!part.has_span(of, each.event, each.begin, each.end)) continue;
    const lane& where = r.lanes()[each.lane];
    const std::uint32_t row = 2 * lanes + each.lane;  // Tasks may run while one lasts.
    if (named != row) to.name("thread_name", where.rank, named = row, waits_track(r, each.lane));
    to.slice(where.rank, row, wait_name(of, r.events()[each.event]), each.begin, each.end, "");
  }
  for (const value_series& each : of.values())
    for (const std::uint32_t index : each.events)
      if (const event e = r.events()[index]; part.has(of, e))
        to.count(each.rank, of.value_name(each), e.time, of.value_of(index));
  for (const auto* const each : {&of.failures(), &of.stops()})
    for (const std::uint32_t index : *each)
      if (const event e = r.events()[index]; part.has(of, e))
        to.instant(r.rank_of(e), e.lane, say_event(of, e), e.time);
}

/// One end of each transfer, as it was drawn.
struct drawn_end {
  std::uint32_t row = none;
  std::int64_t time = 0;
};
using drawn_ends = std::vector<drawn_end>;

/// Of a message, what its program calls it, beside what each transfer has.
std::string arguments_of(const model& of, const message_ends& messages, std::uint32_t index) {
  const transfer& x = of.transfers()[index];
  std::string text = "\"bytes\": " + std::to_string(x.bytes) +
                     ", \"redundant\": " + (x.redundant ? "true" : "false") +
                     ", \"reason\": " + json_text(reason_name(x.reason));
  if (!x.is_message()) return text;
  text += ", \"tag\": " + json_text(std::to_string(of.tag_of(x)));  // More than a double holds.
  const std::string sent = messages.sent_at(index), received = messages.received_at(index);
  if (!sent.empty()) text += ", \"sent at\": " + json_text(sent);
  if (!received.empty()) text += ", \"received at\": " + json_text(received);
  return text;
}

/// Transfers overlap, and of those the viewers draw one over the other: there are as many rows as
/// are under way at once, from `next_row` on.
void write_transfers_of(const model& of, const message_ends& messages, chrome_writer& to,
                        const timeline_lane& where, const track& bars, std::uint32_t& next_row,
                        drawn_ends& from, drawn_ends& until) {
  std::vector<nested_span> listed;
  std::vector<track_span> spans;
  for (const track_span& bar : bars.spans())
    if (bar.type == span_type::send || bar.type == span_type::receive) {
      listed.push_back({bar.begin, bar.end, bar.ref});
      spans.push_back(bar);
    }
  if (spans.empty()) return;
  const bool sends = spans.front().type == span_type::send;
  std::uint32_t rows = 0;
  const std::vector<std::uint32_t> row = rows_of(listed, rows);
  for (std::uint32_t i = 0; i < rows; ++i)
    to.name("thread_name", where.rank, next_row + i, sends ? "sends" : "receives");
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const track_span& bar = spans[i];
    to.slice(
        where.rank, next_row + row[i],
        sends ? "send " + messages.sent_as(bar.ref) : "receive " + messages.received_as(bar.ref),
        bar.begin, bar.end, arguments_of(of, messages, bar.ref));
    (sends ? from : until)[bar.ref] = {next_row + row[i], sends ? bar.begin : bar.end};
  }
  next_row += rows;
}

/// An arrow goes from where its sender's bar begins to where its receiver's ends.
void write_transfers(const model& of, chrome_writer& to, const std::vector<timeline_lane>& lanes,
                     std::uint32_t& next_row) {
  drawn_ends from(of.transfers().size()), until(of.transfers().size());
  const message_ends messages(of);
  for (const timeline_lane& each : lanes)
    for (const track& bars : each.tracks)
      write_transfers_of(of, messages, to, each, bars, next_row, from, until);
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    if (from[i].row == none || until[i].row == none || of.transfers()[i].done_receive == never)
      continue;
    to.flow('s', of.transfers()[i].src, from[i].row, i, from[i].time);
    to.flow('f', of.transfers()[i].dst, until[i].row, i, until[i].time);
  }
}

void write_copies(const model& of, chrome_writer& to, const run_part& part,
                  std::uint32_t& next_row) {
  const run& r = of.events();
  for (const copy_row& row : copy_rows(of, part)) {
    to.name("thread_name", row.rank, next_row, row.name);
    for (const device_copy& each : row.copies)
      to.slice(row.rank, next_row, "copy " + version_name(of, each.handle, each.version),
               each.begin, each.end,
               "\"bytes\": " + std::to_string(each.bytes) +
                   ", \"from\": " + json_text(say_memory(r, each.from)) +
                   ", \"to\": " + json_text(say_memory(r, each.to)));
    ++next_row;
  }
}

}  // namespace

void export_chrome(const model& of, std::ostream& out, const run_part& part) {
  const run& r = of.events();
  chrome_writer to(out);
  for (const rank_info& each : r.ranks())
    to.name("process_name", each.rank, 0, "rank " + std::to_string(each.rank));
  for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
    to.name("thread_name", r.lanes()[lane].rank, lane, r.lanes()[lane].name);
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin == never || !part.has_task(of, i)) continue;
    to.slice(t.rank, t.lane, of.task_label(i), t.begin, of.end_of(t),
             "\"place\": " + json_text(of.place(t.rank, t.loc)));
  }
  write_program(of, to, part);
  auto next_row = static_cast<std::uint32_t>(3 * r.lanes().size());
  write_transfers(of, to, make_lanes(of, part), next_row);
  write_copies(of, to, part, next_row);
}

}  // namespace deed::viewer
