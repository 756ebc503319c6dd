// SPDX-License-Identifier: MIT
#include "analysis/ask/datum_memories.hpp"
#include "analysis/edit/unwritable.hpp"
#include "analysis/export/copy_rows.hpp"
#include "analysis/export/export.hpp"
#include "analysis/export/nested.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/say/sentence.hpp"
#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

OTF2_FlushType may_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_TimeStamp after_flush(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }
constexpr OTF2_FlushCallbacks flushing{may_flush, after_flush};

/// What is wrong is said by an exception; the library prints a line for each of its functions.
OTF2_ErrorCode say_nothing(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                           const char*, std::va_list) {
  return code;
}

void check(OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS)
    throw unwritable(std::string("OTF2 refuses: ") + OTF2_Error_GetDescription(code));
}

struct close_archive {
  void operator()(OTF2_Archive* open) const noexcept { OTF2_Archive_Close(open); }
};
struct delete_list {
  void operator()(OTF2_AttributeList* list) const noexcept { OTF2_AttributeList_Delete(list); }
};

enum attribute : OTF2_AttributeRef {
  of_handle,
  of_version,
  of_reason,
  of_task,
  of_tag,
  of_index,
  of_what,
  of_bytes,
  of_from,
  of_to
};

/// One archive: texts and regions get numbers as they are met.
class otf2_writer {
 public:
  otf2_writer(const model& of, const std::string& folder, const run_part& part)
      : of_(of),
        part_(part),
        archive_(OTF2_Archive_Open(folder.c_str(), "run", OTF2_FILEMODE_WRITE, chunk, chunk,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)),
        attributes_(OTF2_AttributeList_New()),
        copies_(copy_rows(of, part)) {
    if (archive_ == nullptr || attributes_ == nullptr)
      throw unwritable("the OTF2 archive `" + folder + "` cannot be made");
    find_values();
    check(OTF2_Archive_SetFlushCallbacks(archive_.get(), &flushing, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
  }

  void write() {
    const std::vector<timeline_lane> lanes = make_lanes(of_, part_);
    check(OTF2_Archive_OpenEvtFiles(archive_.get()));
    for (const timeline_lane& each : lanes) write_events(each);
    for (std::size_t i = 0; i < copies_.size(); ++i) write_copies(i);
    check(OTF2_Archive_CloseEvtFiles(archive_.get()));
    check(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (const timeline_lane& each : lanes) close_local_definitions(location_of(each));
    for (std::size_t i = 0; i < copies_.size(); ++i) close_local_definitions(location_of_copies(i));
    check(OTF2_Archive_CloseDefFiles(archive_.get()));
    write_definitions(lanes);
  }

 private:
  static constexpr std::uint64_t chunk = std::uint64_t{1} << 20;
  static constexpr OTF2_CommRef world = 0;

  struct moment {
    std::int64_t time;
    enum class kind : std::uint8_t { send, sent, ask, received } what;
    std::uint32_t transfer;
  };

  struct value {
    std::int64_t time;
    OTF2_MetricRef metric;
    std::int64_t number;
  };

  OTF2_StringRef text(const std::string& words) {
    return texts_.try_emplace(words, static_cast<OTF2_StringRef>(texts_.size())).first->second;
  }
  /// A metric for each name, whichever ranks have it.
  void find_values() {
    for (const value_series& each : of_.values()) {
      const std::string name = of_.value_name(each);
      const auto metric =
          static_cast<OTF2_MetricRef>(std::ranges::find(metrics_, name) - metrics_.begin());
      if (metric == metrics_.size()) metrics_.push_back(name);
      for (const std::uint32_t index : each.events)
        if (const event e = of_.events().events()[index]; part_.has(of_, e))
          values_[e.lane].push_back({e.time, metric, of_.value_of(index)});
    }
    for (auto& [lane, values] : values_) std::ranges::stable_sort(values, {}, &value::time);
  }
  /// Those that are left of a lane until a moment, in between its other events.
  void write_values(OTF2_EvtWriter& to, std::span<const value>& left, std::int64_t until) {
    for (; !left.empty() && left.front().time <= until; left = left.subspan(1)) {
      constexpr OTF2_Type type = OTF2_TYPE_INT64;
      OTF2_MetricValue number{};
      number.signed_int = left.front().number;
      check(OTF2_EvtWriter_Metric(&to, nullptr, stamp(left.front().time), left.front().metric, 1,
                                  &type, &number));
    }
  }
  std::span<const value> values_of(std::uint32_t lane) const {
    const auto found = values_.find(lane);
    return found == values_.end() ? std::span<const value>{} : found->second;
  }

  OTF2_RegionRef region(const std::string& name, bool task, const std::string& place) {
    const auto [at, added] =
        region_of_.try_emplace(name, static_cast<OTF2_RegionRef>(regions_.size()));
    if (added) regions_.push_back({name, place, task});
    return at->second;
  }

  /// The lane that a rank sends and receives on has the rank's number. ViTE 1.2 reads no groups of
  /// ranks, which a communicator has to name: it warns, and takes the rank for a location.
  [[nodiscard]] OTF2_LocationRef location_of(const timeline_lane& lane) const {
    return lane.tracks.size() > 1 ? static_cast<OTF2_LocationRef>(lane.rank)
                                  : static_cast<OTF2_LocationRef>(of_.ranks()) + lane.lane;
  }

  /// Behind those of all lanes.
  [[nodiscard]] OTF2_LocationRef location_of_copies(std::size_t row) const {
    return static_cast<OTF2_LocationRef>(of_.ranks()) + of_.events().lanes().size() + row;
  }

  OTF2_EvtWriter* writer_of(OTF2_LocationRef location) {
    OTF2_EvtWriter* const to = OTF2_Archive_GetEvtWriter(archive_.get(), location);
    if (to == nullptr) throw unwritable("OTF2 refuses a location");
    return to;
  }
  void close_local_definitions(OTF2_LocationRef location) {
    check(OTF2_Archive_CloseDefWriter(archive_.get(),
                                      OTF2_Archive_GetDefWriter(archive_.get(), location)));
  }

  /// Regions of a location that has no others: a device runs tasks meanwhile.
  void write_copies(std::size_t row) {
    OTF2_EvtWriter* const to = writer_of(location_of_copies(row));
    for (const device_copy& each : copies_[row].copies) {
      const OTF2_RegionRef what = region(copies_[row].name, false, "");
      check(OTF2_EvtWriter_Enter(to, about(each), stamp(each.begin), what));
      check(OTF2_EvtWriter_Leave(to, nullptr, stamp(each.end), what));
    }
    check(OTF2_Archive_CloseEvtWriter(archive_.get(), to));
  }
  OTF2_AttributeList* about(const device_copy& copy) {
    OTF2_AttributeList* const list = attributes_.get();
    const run& r = of_.events();
    check(OTF2_AttributeList_AddStringRef(list, of_handle, text(of_.handle_name(copy.handle))));
    check(OTF2_AttributeList_AddUint32(list, of_version, copy.version));
    check(OTF2_AttributeList_AddUint64(list, of_bytes, copy.bytes));
    check(OTF2_AttributeList_AddStringRef(list, of_from, text(say_memory(r, copy.from))));
    check(OTF2_AttributeList_AddStringRef(list, of_to, text(say_memory(r, copy.to))));
    return list;
  }

  void write_events(const timeline_lane& lane) {
    OTF2_EvtWriter* const to = writer_of(location_of(lane));
    std::span<const value> values = values_of(lane.lane);
    if (lane.tracks.size() > 1)
      write_messages(*to, lane.rank, values);
    else
      write_spans(*to, lane, values);
    write_values(*to, values, of_.events().end());
    std::uint64_t count = 0;
    check(OTF2_EvtWriter_GetNumberOfEvents(to, &count));
    events_of_[lane.lane] = count;
    check(OTF2_Archive_CloseEvtWriter(archive_.get(), to));
  }

  /// What a thread did, in the phases of the program.
  void write_spans(OTF2_EvtWriter& to, const timeline_lane& lane, std::span<const value>& values) {
    std::vector<nested_span> spans;
    const auto phases = of_.phases_of(lane.lane);
    for (std::uint32_t i = 0; i < phases.size(); ++i)
      if (part_.has_span(of_, phases[i].event, phases[i].begin, phases[i].end))
        spans.push_back({phases[i].begin, phases[i].end, i});
    const track& drawn = lane.tracks.front();
    const auto first = static_cast<std::uint32_t>(phases.size());
    for (std::uint32_t i = 0; i < drawn.size(); ++i)
      spans.push_back({drawn.span(i).begin, drawn.span(i).end, first + i});
    walk_nested(
        std::move(spans),
        [&](const nested_span& s, std::int64_t time) {
          write_values(to, values, time);
          if (s.ref < first)
            enter(to, phases[s.ref], time);
          else
            enter(to, drawn.span(s.ref - first), time);
        },
        [&](const nested_span& s, std::int64_t time) {
          write_values(to, values, time);
          check(OTF2_EvtWriter_Leave(
              &to, nullptr, stamp(time),
              s.ref < first ? region_of(phases[s.ref]) : region_of(drawn.span(s.ref - first))));
        });
  }

  static OTF2_TimeStamp stamp(std::int64_t time) { return static_cast<OTF2_TimeStamp>(time); }

  /// One for all of a name: its index is an attribute.
  OTF2_RegionRef region_of(const phase_span& phase) {
    return region(say_field(of_, of_.events().events()[phase.event], field::name), false, "");
  }
  void enter(OTF2_EvtWriter& to, const phase_span& phase, std::int64_t time) {
    const event e = of_.events().events()[phase.event];
    check(OTF2_AttributeList_AddInt64(
        attributes_.get(), of_index, static_cast<std::int64_t>(of_.events().get(e, field::index))));
    check(OTF2_EvtWriter_Enter(&to, attributes_.get(), stamp(time), region_of(phase)));
  }

  OTF2_RegionRef region_of(const track_span& span) {
    if (span.type == span_type::state) return region(name_of_state(span.kind), false, "");
    if (span.type == span_type::wait)
      return region(span.kind == 1 ? failure_name(of_, span.ref)
                                   : wait_name(of_, of_.events().events()[span.ref]),
                    false, "");
    const task& t = of_.tasks()[span.ref];
    if (t.codelet >= of_.codelets().size()) return region("task", true, "");
    return region(of_.codelets()[t.codelet].name, true, of_.codelets()[t.codelet].place);
  }

  void enter(OTF2_EvtWriter& to, const track_span& span, std::int64_t time) {
    OTF2_AttributeList* with = nullptr;
    if (span.type == span_type::task) {
      check(OTF2_AttributeList_AddUint64(attributes_.get(), of_task, of_.tasks()[span.ref].number));
      with = attributes_.get();
    } else if (span.type == span_type::wait && span.kind == 1) {  // An error, with its code.
      check(OTF2_AttributeList_AddStringRef(attributes_.get(), of_what,
                                            text(say_event(of_, of_.events().events()[span.ref]))));
      with = attributes_.get();
    }
    check(OTF2_EvtWriter_Enter(&to, with, stamp(time), region_of(span)));
  }

  void write_messages(OTF2_EvtWriter& to, int rank, std::span<const value>& values) {
    std::vector<moment> moments;
    for (std::uint32_t i = 0; i < of_.transfers().size(); ++i) {
      const transfer& x = of_.transfers()[i];
      // Both ends or neither: readers match them.
      if (x.start == never || x.done_send == never || x.done_receive == never || x.src < 0 ||
          x.dst < 0 || x.src >= of_.ranks() || x.dst >= of_.ranks() || !part_.has_transfer(of_, i))
        continue;
      if (x.src == rank) {
        moments.push_back({x.start, moment::kind::send, i});
        moments.push_back({std::max(x.start, x.done_send), moment::kind::sent, i});
      }
      if (x.dst == rank) {
        const std::int64_t asked = x.post_receive == never ? x.start : x.post_receive;
        moments.push_back({std::min(asked, x.done_receive), moment::kind::ask, i});
        moments.push_back({x.done_receive, moment::kind::received, i});
      }
    }
    std::stable_sort(moments.begin(), moments.end(),
                     [](const moment& a, const moment& b) { return a.time < b.time; });
    for (const moment& each : moments) {
      write_values(to, values, each.time);
      write_message(to, each);
    }
  }

  void write_message(OTF2_EvtWriter& to, const moment& at) {
    const transfer& x = of_.transfers()[at.transfer];
    // Each end has requests of its own.
    const std::uint64_t send = 2 * std::uint64_t{at.transfer}, receive = send + 1;
    const auto tag = static_cast<std::uint32_t>(of_.tag_of(x));
    switch (at.what) {
      case moment::kind::send:
        check(OTF2_EvtWriter_MpiIsend(&to, about(x), stamp(at.time),
                                      static_cast<std::uint32_t>(x.dst), world, tag, x.bytes,
                                      send));
        return;
      case moment::kind::sent:
        check(OTF2_EvtWriter_MpiIsendComplete(&to, nullptr, stamp(at.time), send));
        return;
      case moment::kind::ask:
        check(OTF2_EvtWriter_MpiIrecvRequest(&to, nullptr, stamp(at.time), receive));
        return;
      case moment::kind::received:
        check(OTF2_EvtWriter_MpiIrecv(&to, about(x), stamp(at.time),
                                      static_cast<std::uint32_t>(x.src), world, tag, x.bytes,
                                      receive));
        return;
    }
  }

  OTF2_AttributeList* about(const transfer& x) {
    OTF2_AttributeList* const list = attributes_.get();
    check(OTF2_AttributeList_AddStringRef(list, of_handle, text(of_.handle_name(x.handle))));
    check(OTF2_AttributeList_AddUint32(list, of_version, x.version));
    if (x.post_event != none)  // Else nobody said which tag it has.
      check(OTF2_AttributeList_AddUint64(list, of_tag, of_.tag_of(x)));
    check(OTF2_AttributeList_AddStringRef(list, of_reason, text(reason_name(x.reason))));
    if (x.for_task != ~std::uint64_t{0})
      check(OTF2_AttributeList_AddUint64(list, of_task, x.for_task));
    return list;
  }

  void write_definitions(const std::vector<timeline_lane>& lanes) {
    const auto ranks = static_cast<std::uint64_t>(of_.ranks());
    // All texts first: a definition may name those before it only.
    for (const char* const each : {"", "machine", "world", "ranks", "locations"}) text(each);
    for (const char* const each : attribute_names) text(each);
    for (const auto& each : regions_) {
      text(each.name);
      text(each.place);
    }
    for (const std::string& each : metrics_) text(each);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) text("rank " + std::to_string(rank));
    for (const timeline_lane& each : lanes) text(say_lane(of_.events(), each.lane));
    for (const copy_row& each : copies_) text(name_of(each));

    OTF2_GlobalDefWriter* const to = OTF2_Archive_GetGlobalDefWriter(archive_.get());
    if (to == nullptr) throw unwritable("OTF2 refuses the definitions");
    constexpr std::uint64_t nanoseconds = 1'000'000'000;
    check(OTF2_GlobalDefWriter_WriteClockProperties(
        to, nanoseconds, 0, static_cast<std::uint64_t>(of_.events().end()) + 1,
        OTF2_UNDEFINED_TIMESTAMP));
    for (const auto& [words, number] : texts_)
      check(OTF2_GlobalDefWriter_WriteString(to, number, words.c_str()));
    constexpr std::array types{
        OTF2_TYPE_STRING, OTF2_TYPE_UINT32, OTF2_TYPE_STRING, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64,
        OTF2_TYPE_INT64,  OTF2_TYPE_STRING, OTF2_TYPE_UINT64, OTF2_TYPE_STRING, OTF2_TYPE_STRING};
    for (OTF2_AttributeRef a = 0; a < types.size(); ++a)
      check(
          OTF2_GlobalDefWriter_WriteAttribute(to, a, text(attribute_names[a]), text(""), types[a]));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, text("machine"), text("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (OTF2_RegionRef i = 0; i < regions_.size(); ++i)
      check(OTF2_GlobalDefWriter_WriteRegion(
          to, i, text(regions_[i].name), text(regions_[i].name), text(regions_[i].place),
          regions_[i].task ? OTF2_REGION_ROLE_TASK : OTF2_REGION_ROLE_ARTIFICIAL,
          OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, text(regions_[i].place), 0, 0));
    for (OTF2_MetricMemberRef i = 0; i < metrics_.size(); ++i) {
      // From one value until the next.
      check(OTF2_GlobalDefWriter_WriteMetricMember(
          to, i, text(metrics_[i]), text(""), OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_NEXT,
          OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, text("")));
      check(OTF2_GlobalDefWriter_WriteMetricClass(to, i, 1, &i, OTF2_METRIC_SYNCHRONOUS,
                                                  OTF2_RECORDER_KIND_ABSTRACT));
    }
    std::vector<std::uint64_t> members(ranks), locations(ranks);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      members[rank] = rank;
      check(OTF2_GlobalDefWriter_WriteLocationGroup(
          to, static_cast<OTF2_LocationGroupRef>(rank), text("rank " + std::to_string(rank)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (const timeline_lane& each : lanes) {
      check(OTF2_GlobalDefWriter_WriteLocation(to, location_of(each),
                                               text(say_lane(of_.events(), each.lane)),
                                               OTF2_LOCATION_TYPE_CPU_THREAD, events_of_[each.lane],
                                               static_cast<OTF2_LocationGroupRef>(each.rank)));
      if (each.tracks.size() > 1)
        locations[static_cast<std::size_t>(each.rank)] = location_of(each);
    }
    for (std::size_t i = 0; i < copies_.size(); ++i)
      check(OTF2_GlobalDefWriter_WriteLocation(
          to, location_of_copies(i), text(name_of(copies_[i])),
          OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 2 * copies_[i].copies.size(),
          static_cast<OTF2_LocationGroupRef>(copies_[i].rank)));
    const auto count = static_cast<std::uint32_t>(ranks);
    check(OTF2_GlobalDefWriter_WriteGroup(to, 0, text("locations"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count,
                                          locations.data()));
    check(OTF2_GlobalDefWriter_WriteGroup(to, 1, text("ranks"), OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count,
                                          members.data()));
    check(OTF2_GlobalDefWriter_WriteComm(to, world, text("world"), 1, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
    check(OTF2_Archive_CloseGlobalDefWriter(archive_.get(), to));
  }

  static std::string name_of(const copy_row& row) {
    return "rank " + std::to_string(row.rank) + " " + row.name;
  }

  static constexpr std::array attribute_names{
      "deed.handle", "deed.version", "deed.reason", "deed.task", "deed.tag",
      "deed.index",  "deed.what",    "deed.bytes",  "deed.from", "deed.to"};
  struct known_region {
    std::string name;
    std::string place;
    bool task = false;
  };

  const model& of_;
  const run_part& part_;
  std::unique_ptr<OTF2_Archive, close_archive> archive_;
  std::unique_ptr<OTF2_AttributeList, delete_list> attributes_;
  std::map<std::string, OTF2_StringRef> texts_;
  std::map<std::string, OTF2_RegionRef> region_of_;
  std::vector<known_region> regions_;
  std::map<std::uint32_t, std::uint64_t> events_of_;
  std::vector<std::string> metrics_;                    // By the number of a metric.
  std::map<std::uint32_t, std::vector<value>> values_;  // By lane, then time.
  std::vector<copy_row> copies_;
};

}  // namespace

void export_otf2(const model& of, const std::string& folder, const run_part& part) {
  if (std::filesystem::exists(folder + "/run.otf2"))
    throw unwritable("`" + folder + "` holds an OTF2 archive already: name another folder");
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw unwritable("`" + folder + "` cannot be written: " + failed.message());
  OTF2_Error_RegisterCallback(&say_nothing, nullptr);
  otf2_writer(of, folder, part).write();
}

}  // namespace deed::viewer
