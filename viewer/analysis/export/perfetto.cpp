// SPDX-License-Identifier: MIT
#include "analysis/ask/datum_memories.hpp"
#include "analysis/ask/message_ends.hpp"
#include "analysis/export/copy_rows.hpp"
#include "analysis/export/export.hpp"
#include "analysis/export/nested.hpp"
#include "analysis/export/protobuf_writer.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

// Field numbers of perfetto/trace/trace_packet.proto and track_event.proto.
namespace trace_file {
constexpr std::uint32_t packet = 1;
}
namespace packet {
constexpr std::uint32_t timestamp = 8, sequence = 10, event = 11, descriptor = 60;
}
namespace descriptor {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8;
}
namespace event_field {
constexpr std::uint32_t annotation = 4, type = 9, track = 11, name = 23, value = 30, flow = 47,
                        flow_end = 48;
}
namespace annotation {
constexpr std::uint32_t number = 3, text = 6, name = 10;
}
enum slice : std::uint64_t { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };

class perfetto_writer {
 public:
  explicit perfetto_writer(std::ostream& out) : out_(out) {}

  void process(std::uint64_t uuid, int rank) {
    protobuf_message about, of;
    of.number(1, static_cast<std::uint64_t>(rank) + 1);  // Perfetto keeps 0 for the kernel.
    of.text(6, "rank " + std::to_string(rank));
    about.number(descriptor::uuid, uuid);
    about.message(descriptor::process, of);
    describe(about);
  }
  void thread(std::uint64_t uuid, int rank, std::uint64_t number, const std::string& name) {
    protobuf_message about, of;
    of.number(1, static_cast<std::uint64_t>(rank) + 1);
    of.number(2, number);
    of.text(5, name);
    about.number(descriptor::uuid, uuid);
    about.message(descriptor::thread, of);
    describe(about);
  }
  void track(std::uint64_t uuid, std::uint64_t parent, const std::string& name) {
    protobuf_message about;
    about.number(descriptor::uuid, uuid);
    about.text(descriptor::name, name);
    about.number(descriptor::parent, parent);
    describe(about);
  }
  void counter_track(std::uint64_t uuid, std::uint64_t parent, const std::string& name) {
    protobuf_message about;
    about.number(descriptor::uuid, uuid);
    about.text(descriptor::name, name);
    about.number(descriptor::parent, parent);
    about.message(descriptor::counter, {});
    describe(about);
  }

  /// An event to be filled with annotations and flows.
  protobuf_message begin(slice type, std::uint64_t track, const std::string& name) {
    protobuf_message made;
    made.number(event_field::type, type);
    made.number(event_field::track, track);
    if (!name.empty()) made.text(event_field::name, name);
    return made;
  }
  static void annotate(protobuf_message& to, const char* name, const std::string& value) {
    protobuf_message note;
    note.text(annotation::name, name);
    note.text(annotation::text, value);
    to.message(event_field::annotation, note);
  }
  static void annotate(protobuf_message& to, const char* name, std::uint64_t value) {
    protobuf_message note;
    note.text(annotation::name, name);
    note.number(annotation::number, value);
    to.message(event_field::annotation, note);
  }
  void write(std::int64_t time, const protobuf_message& of) {
    protobuf_message made;
    made.number(packet::timestamp, static_cast<std::uint64_t>(time));
    made.number(packet::sequence, 1);
    made.message(packet::event, of);
    packet_out(made);
  }

 private:
  void describe(const protobuf_message& about) {
    protobuf_message made;
    made.number(packet::sequence, 1);
    made.message(packet::descriptor, about);
    packet_out(made);
  }
  void packet_out(const protobuf_message& made) {
    protobuf_message file;
    file.message(trace_file::packet, made);
    out_ << file.bytes();
  }

  std::ostream& out_;
};

constexpr std::uint64_t rank_uuid(int rank) { return 1'000 + static_cast<std::uint64_t>(rank); }
constexpr std::uint64_t lane_uuid(std::uint32_t lane) { return 1'000'000 + lane; }

std::string name_of(const model& of, const message_ends& messages, const track_span& span) {
  switch (span.type) {
    case span_type::task:
      return of.task_label(span.ref);
    case span_type::state:
      return name_of_state(span.kind);
    case span_type::wait:
      return span.kind == 1 ? failure_name(of, span.ref)
                            : wait_name(of, of.events().events()[span.ref]);
    case span_type::send:
      return "send " + messages.sent_as(span.ref);
    case span_type::receive:
      return "receive " + messages.received_as(span.ref);
    case span_type::phase:  // On lanes of their own: `write_phases`, `write_values`.
    case span_type::value:
    case span_type::copy:  // `write_copies`.
      break;
  }
  return {};
}

void annotate_message(const model& of, const message_ends& messages, std::uint32_t index,
                      protobuf_message& to) {
  perfetto_writer::annotate(to, "tag", of.tag_of(of.transfers()[index]));
  const std::string sent = messages.sent_at(index), received = messages.received_at(index);
  if (!sent.empty()) perfetto_writer::annotate(to, "sent at", sent);
  if (!received.empty()) perfetto_writer::annotate(to, "received at", received);
}

void annotate(const model& of, const message_ends& messages, const track_span& span,
              protobuf_message& to) {
  if (span.type == span_type::task) {
    const task& t = of.tasks()[span.ref];
    perfetto_writer::annotate(to, "submitted at", of.place(t.rank, t.loc));
    for (const access& a : of.accesses(t))
      perfetto_writer::annotate(to, a.writes() ? "writes" : "reads",
                                version_name(of, a.handle, a.ver_in));
  } else if (span.type == span_type::send || span.type == span_type::receive) {
    const transfer& x = of.transfers()[span.ref];
    perfetto_writer::annotate(to, "bytes", x.bytes);
    perfetto_writer::annotate(to, "redundant", x.redundant ? "yes" : "no");
    if (x.is_message()) annotate_message(of, messages, span.ref, to);
    const bool whole = x.start != never && x.done_receive != never;
    if (whole)
      to.fixed64(span.type == span_type::send ? event_field::flow : event_field::flow_end,
                 std::uint64_t{span.ref} + 1);
  } else if (span.type == span_type::wait && span.kind == 1) {
    perfetto_writer::annotate(to, "what", say_event(of, of.events().events()[span.ref]));
  }
}

/// Those of a thread lie in each other.
void write_phases(const model& of, const run_part& part, std::uint64_t& next_track,
                  perfetto_writer& to) {
  const run& r = of.events();
  for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane) {
    const auto phases = of.phases_of(lane);
    std::vector<nested_span> listed;
    for (std::uint32_t i = 0; i < phases.size(); ++i)
      if (part.has_span(of, phases[i].event, phases[i].begin, phases[i].end))
        listed.push_back({phases[i].begin, phases[i].end, i});
    if (listed.empty()) continue;
    const std::uint64_t uuid = next_track++;
    to.track(uuid, rank_uuid(r.lanes()[lane].rank), "phases " + r.lanes()[lane].name);
    walk_nested(
        std::move(listed),
        [&](const nested_span& s, std::int64_t time) {
          to.write(time, to.begin(slice_begin, uuid, of.phase_name(phases[s.ref])));
        },
        [&](const nested_span&, std::int64_t time) {
          to.write(time, to.begin(slice_end, uuid, ""));
        });
  }
}

/// Tasks may run while one lasts: on a track of their own.
void write_waits(const model& of, const message_ends& messages, const timeline_lane& lane,
                 std::uint64_t& next_track, perfetto_writer& to) {
  if (lane.waits.empty()) return;
  const std::uint64_t uuid = next_track++;
  to.track(uuid, rank_uuid(lane.rank), waits_track(of.events(), lane.lane));
  std::vector<nested_span> listed;
  for (std::uint32_t i = 0; i < lane.waits.size(); ++i)
    listed.push_back({lane.waits.span(i).begin, lane.waits.span(i).end, i});
  walk_nested(
      std::move(listed),
      [&](const nested_span& s, std::int64_t time) {
        to.write(time, to.begin(slice_begin, uuid, name_of(of, messages, lane.waits.span(s.ref))));
      },
      [&](const nested_span&, std::int64_t time) {
        to.write(time, to.begin(slice_end, uuid, ""));
      });
}

void write_values(const model& of, const run_part& part, std::uint64_t& next_track,
                  perfetto_writer& to) {
  for (const value_series& each : of.values()) {
    const std::uint64_t uuid = next_track++;
    to.counter_track(uuid, rank_uuid(each.rank), of.value_name(each));
    for (const std::uint32_t index : each.events) {
      const event e = of.events().events()[index];
      if (!part.has(of, e)) continue;
      protobuf_message value = to.begin(counter, uuid, "");
      value.number(event_field::value, static_cast<std::uint64_t>(of.value_of(index)));
      to.write(e.time, value);
    }
  }
}

void write_copies(const model& of, const run_part& part, std::uint64_t& next_track,
                  perfetto_writer& to) {
  const run& r = of.events();
  for (const copy_row& row : copy_rows(of, part)) {
    const std::uint64_t uuid = next_track++;
    to.track(uuid, rank_uuid(row.rank), row.name);
    for (const device_copy& each : row.copies) {
      protobuf_message begin =
          to.begin(slice_begin, uuid, "copy " + version_name(of, each.handle, each.version));
      perfetto_writer::annotate(begin, "bytes", each.bytes);
      perfetto_writer::annotate(begin, "from", say_memory(r, each.from));
      perfetto_writer::annotate(begin, "to", say_memory(r, each.to));
      to.write(each.begin, begin);
      to.write(each.end, to.begin(slice_end, uuid, ""));
    }
  }
}

}  // namespace

void export_perfetto(const model& of, std::ostream& out, const run_part& part) {
  const run& r = of.events();
  perfetto_writer to(out);
  for (const rank_info& each : r.ranks()) to.process(rank_uuid(each.rank), each.rank);
  const message_ends messages(of);
  std::uint64_t next_track = std::uint64_t{1} << 32;
  write_phases(of, part, next_track, to);
  write_values(of, part, next_track, to);
  write_copies(of, part, next_track, to);
  for (const timeline_lane& each : make_lanes(of, part)) {
    write_waits(of, messages, each, next_track, to);
    const std::string& name = r.lanes()[each.lane].name;
    to.thread(lane_uuid(each.lane), each.rank, each.lane + 1, name);
    const bool network = each.tracks.size() > 1;
    for (const class track& spans : each.tracks) {
      std::vector<nested_span> listed;
      for (std::uint32_t i = 0; i < spans.size(); ++i)
        listed.push_back({spans.span(i).begin, spans.span(i).end, i});
      // Transfers overlap: each row of them is a track of its own.
      std::uint32_t rows = 1;
      std::vector<std::uint32_t> row(listed.size());
      if (network) row = rows_of(listed, rows);
      std::vector<std::vector<nested_span>> by_row(rows);
      for (std::size_t i = 0; i < listed.size(); ++i) by_row[row[i]].push_back(listed[i]);
      for (auto& one : by_row) {
        if (one.empty()) continue;
        std::uint64_t uuid = lane_uuid(each.lane);
        if (network) {
          uuid = next_track++;
          to.track(uuid, rank_uuid(each.rank),
                   &spans == &each.tracks.front() ? "sends" : "receives");
        }
        walk_nested(
            std::move(one),
            [&](const nested_span& s, std::int64_t time) {
              const track_span span = spans.span(s.ref);
              protobuf_message begin = to.begin(slice_begin, uuid, name_of(of, messages, span));
              annotate(of, messages, span, begin);
              to.write(time, begin);
            },
            [&](const nested_span&, std::int64_t time) {
              to.write(time, to.begin(slice_end, uuid, ""));
            });
      }
    }
  }
}

}  // namespace deed::viewer
