// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/tasks/graph.hpp>

namespace deed::tasks {

void graph::read(chain& order, vertex& reader, link& at, std::uint32_t& edges) {
  if (order.writer != nullptr && !planted(planted_bug::dropped_read_after_write)) {
    const bool waits =
        order.writer->life() == order.writer_life && order.writer->add_successor(at.entry, reader);
    if (waits)
      ++edges;
    else
      order.writer = nullptr;  // Complete: later readers need not ask.
  }
  if (order.readers_meet == nullptr) {
    order.readers_meet = &meetings_.take();
    order.readers_meet->open();
  }
  at.leaves = order.readers_meet;
  ++order.readers;
}

void graph::write(chain& order, vertex& writer, link& at, std::uint32_t& edges) {
  at.leaves = nullptr;
  if (order.readers_meet != nullptr) {
    meeting& before = *order.readers_meet;
    const bool drops = planted(planted_bug::dropped_write_after_read);
    if (!drops) before.add_successor(at.entry, writer);  // It is open, so this cannot fail.
    if (before.commit(order.readers) == vertex::arrival::last) {  // All readers were done already.
      static_cast<void>(before.close());
      meetings_.put_back(before);
    } else if (!drops) {
      ++edges;
    }
    order.readers_meet = nullptr;
    order.readers = 0;
  } else if (order.writer != nullptr && order.writer->life() == order.writer_life &&
             !planted(planted_bug::dropped_write_after_write) &&
             order.writer->add_successor(at.entry, writer)) {
    ++edges;
  }
  order.writer = &writer;
  order.writer_life = writer.life();
}

}  // namespace deed::tasks
