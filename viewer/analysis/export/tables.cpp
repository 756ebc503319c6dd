// SPDX-License-Identifier: MIT
#include "analysis/ask/message_ends.hpp"
#include "analysis/ask/sizes.hpp"
#include "analysis/export/export.hpp"
#include "analysis/say/answer.hpp"
#include "analysis/say/sentence.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace deed::viewer {

namespace {

/// The tasks that an error names, as what threw records no end.
std::set<std::uint32_t> failed_tasks(const model& of) {
  const run& r = of.events();
  std::set<std::uint32_t> found;
  for (const std::uint32_t index : of.failures())
    if (const event e = r.events()[index]; e.what == record::error)
      found.insert(of.find_task(r.rank_of(e), r.get(e, field::task)));
  return found;
}

const char* status_of(const task& t, bool failed) {
  if (failed || t.status == 1) return "threw";
  if (t.status != 0) return "cancelled";
  return t.begin == never ? "not begun" : t.end == never ? "not ended" : "ok";
}

}  // namespace

void export_tasks(const model& of, std::ostream& out, const run_part& part) {
  out << "task,codelet,rank,lane,submit (ns),ready (ns),begin (ns),end (ns),status,place\n";
  const std::set<std::uint32_t> failed = failed_tasks(of);
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    if (!part.has_task(of, i)) continue;
    const task& t = of.tasks()[i];
    const std::string codelet =
        t.codelet < of.codelets().size() ? of.codelets()[t.codelet].name : "";
    const std::string lane = t.lane == none ? "" : of.events().lanes()[t.lane].name;
    out << t.number << ',' << csv_text(codelet) << ',' << t.rank << ',' << csv_text(lane) << ','
        << t.submit << ',' << t.ready << ',' << t.begin << ',' << t.end << ','
        << status_of(t, failed.contains(i)) << ',' << csv_text(of.place(t.rank, t.loc)) << '\n';
  }
}

void export_transfers(const model& of, std::ostream& out, const run_part& part) {
  out << "handle,version,src,dst,seq,bytes,start (ns),sent (ns),received (ns),redundant,reason,tag,"
         "received as,sent at,received at,left (ns)\n";
  const message_ends messages(of);
  const std::vector<std::uint64_t> sizes = sizes_of_data(of);
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    if (!part.has_transfer(of, i)) continue;
    const transfer& x = of.transfers()[i];
    out << csv_text(of.handle_name(x.handle)) << ',' << x.version << ',' << x.src << ',' << x.dst
        << ',' << x.seq << ',' << bytes_moved(x, sizes) << ',' << x.start << ',' << x.done_send
        << ',' << x.done_receive << ',' << x.redundant << ',' << reason_name(x.reason) << ','
        << (x.post_event == none ? "" : std::to_string(of.tag_of(x))) << ','
        << csv_text(messages.received_as(i)) << ',' << csv_text(messages.sent_at(i)) << ','
        << csv_text(messages.received_at(i)) << ',' << x.left() << '\n';
  }
}

void export_phases(const model& of, std::ostream& out, const run_part& part) {
  const run& r = of.events();
  out << "phase,index,rank,lane,depth,begin (ns),end (ns),ended\n";
  for (const phase_span& each : of.phases()) {
    if (!part.has_span(of, each.event, each.begin, each.end)) continue;
    const event e = r.events()[each.event];
    out << csv_text(say_field(of, e, field::name)) << ',' << say_field(of, e, field::index) << ','
        << r.rank_of(e) << ',' << csv_text(r.lanes()[each.lane].name) << ',' << each.depth << ','
        << each.begin << ',' << each.end << ',' << (each.end_event != none) << '\n';
  }
}

void export_values(const model& of, std::ostream& out, const run_part& part) {
  out << "value,rank,time (ns),number\n";
  for (const value_series& each : of.values())
    for (const std::uint32_t index : each.events)
      if (const event e = of.events().events()[index]; part.has(of, e))
        out << csv_text(of.value_name(each)) << ',' << each.rank << ',' << e.time << ','
            << of.value_of(index) << '\n';
}

}  // namespace deed::viewer
