// SPDX-License-Identifier: MIT
#include "analysis/export/export.hpp"
#include "analysis/say/answer.hpp"

#include <string>

namespace deed::viewer {

void export_tasks(const model& of, std::ostream& out, const run_part& part) {
  out << "task,codelet,rank,lane,submit,ready,begin,end,status,place\n";
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    if (!part.has_task(of, i)) continue;
    const task& t = of.tasks()[i];
    const std::string codelet =
        t.codelet < of.codelets().size() ? of.codelets()[t.codelet].name : "";
    const std::string lane = t.lane == none ? "" : of.events().lanes()[t.lane].name;
    out << t.number << ',' << csv_text(codelet) << ',' << t.rank << ',' << csv_text(lane) << ','
        << t.submit << ',' << t.ready << ',' << t.begin << ',' << t.end << ','
        << static_cast<int>(t.status) << ',' << csv_text(of.place(t.rank, t.loc)) << '\n';
  }
}

void export_transfers(const model& of, std::ostream& out, const run_part& part) {
  out << "handle,version,src,dst,seq,bytes,start,sent,received,redundant\n";
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    if (!part.has_transfer(of, i)) continue;
    const transfer& x = of.transfers()[i];
    out << csv_text(of.handle_name(x.handle)) << ',' << x.version << ',' << x.src << ',' << x.dst
        << ',' << x.seq << ',' << x.bytes << ',' << x.start << ',' << x.done_send << ','
        << x.done_receive << ',' << x.redundant << '\n';
  }
}

}  // namespace deed::viewer
