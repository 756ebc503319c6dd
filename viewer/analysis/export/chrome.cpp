// SPDX-License-Identifier: MIT
#include "analysis/export/export.hpp"
#include "analysis/read/json.hpp"
#include "analysis/say/sentence.hpp"

#include <array>
#include <cstdio>
#include <string_view>

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

std::uint32_t progress_lane(const run& of, int rank) {
  constexpr std::uint32_t progress = 3;
  for (std::uint32_t lane = 0; lane < of.lanes().size(); ++lane)
    if (of.lanes()[lane].rank == rank && of.lanes()[lane].kind == progress) return lane;
  return none;
}

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
  for (const value_series& each : of.values())
    for (const std::uint32_t index : each.events)
      if (const event e = r.events()[index]; part.has(of, e))
        to.count(each.rank, of.value_name(each), e.time, of.value_of(index));
  for (const auto* const each : {&of.failures(), &of.stops()})
    for (const std::uint32_t index : *each)
      if (const event e = r.events()[index]; part.has(of, e))
        to.instant(r.rank_of(e), e.lane, say_event(of, e), e.time);
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
  std::vector<std::uint32_t> lane_of(static_cast<std::size_t>(of.ranks()));
  for (std::size_t rank = 0; rank < lane_of.size(); ++rank)
    lane_of[rank] = progress_lane(r, static_cast<int>(rank));
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    const auto src = static_cast<std::size_t>(x.src), dst = static_cast<std::size_t>(x.dst);
    if (x.start == never || x.done_send == never || x.done_receive == never ||
        src >= lane_of.size() || dst >= lane_of.size() || !part.has_transfer(of, i))
      continue;
    const std::string name = of.handle_name(x.handle) + " v" + std::to_string(x.version);
    const std::string about = "\"bytes\": " + std::to_string(x.bytes) +
                              ", \"redundant\": " + (x.redundant ? "true" : "false");
    to.slice(x.src, lane_of[src], "send " + name, x.start, x.done_send, about);
    to.slice(x.dst, lane_of[dst], "receive " + name, x.start, x.done_receive, about);
    to.flow('s', x.src, lane_of[src], i, x.start);
    to.flow('f', x.dst, lane_of[dst], i, x.done_receive);
  }
}

}  // namespace deed::viewer
