// SPDX-License-Identifier: MIT
#include <deed/runtime/request.hpp>

#include "../support/explorer.hpp"
#include "asymmetric_barrier.cpp"
#include "failures.hpp"
#include <gtest/gtest.h>

#include <bit>

#define std explored
#include <deed/runtime/tile_index.hpp>

#include "completion_wait.hpp"
#include "driver/home_readers.hpp"
#include "idleness.hpp"
#include "parking.hpp"
#include "requests.hpp"
#include "sleepers.hpp"
#undef std

/// @file
/// Sleep and wake of workers, who says that a rank is idle, requests, the records of tiles, and who
/// reads a datum of devices at home, in all orders of a few threads. The barrier does nothing here:
/// what is explored is sequentially consistent.

namespace {

using deed::runtime::asymmetric_barrier;
using deed::runtime::completion_wait;
using deed::runtime::idleness;
using deed::runtime::parking;
using deed::runtime::request_state;
using deed::runtime::sleepers;
using explored::exploration;
using explored::schedule;

/// Each piece of work is offered as `worker_team::call_for_help` does.
void explore_parking(int workers) {
  struct meeting_place {
    asymmetric_barrier barrier;
    parking beds{barrier};
    explored::atomic<int> offered{0}, left{2};
  };
  const exploration all([=](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (int i = 0; i < workers; ++i) {
      in.thread([=] {
        const auto useful = [&] { return here->offered.load() > 0 || here->left.load() == 0; };
        while (here->left.load() > 0) {
          int there = here->offered.load();
          if (there == 0) {
            here->beds.sleep(useful, std::chrono::nanoseconds::max());
          } else if (here->offered.compare_exchange_strong(there, there - 1)) {
            if (here->left.fetch_sub(1) == 1) here->beds.wake_all();
          }
        }
      });
    }
    in.thread([=] {
      for (int i = 0; i < 2; ++i) {
        here->offered.fetch_add(1);
        here->barrier.light();
        here->beds.wake_one();
      }
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 100u);
}

TEST(parking_interleavings, nobody_sleeps_beside_work) { explore_parking(2); }
TEST(parking_interleavings, also_not_alone) { explore_parking(1); }

/// Workers rest as `worker_team::rest` does. Work comes from the submitter, who calls, and from the
/// network, which wakes who listens to it.
void explore_sleepers(int workers, int looks, int preemptions) {
  struct meeting_place {
    asymmetric_barrier barrier;
    sleepers beds{barrier};
    explored::atomic<int> offered{0}, arrived{0}, left{2};
    explored::atomic<bool> rings{false};  // Remembered, as by `transport::waker`.
    void ring() {
      rings.store(true);
      rings.notify_all();
    }
    void listen() {
      rings.wait(false);
      rings.store(false);
    }
    static bool take(explored::atomic<int>& from) {
      int there = from.load();
      return there > 0 && from.compare_exchange_strong(there, there - 1);
    }
  };
  const exploration all(
      [=](schedule& in) {
        const auto here = std::make_shared<meeting_place>();
        for (int i = 0; i < workers; ++i) {
          in.thread([=] {
            const auto useful = [&] { return here->offered.load() > 0 || here->left.load() == 0; };
            while (here->left.load() > 0) {
              if (here->take(here->offered) || here->take(here->arrived)) {
                if (here->left.fetch_sub(1) > 1) continue;
                here->beds.call_parked();
                here->ring();
              } else if (looks == 0 || !here->beds.search(useful, looks)) {
                here->beds.sleep(useful, [&] { here->listen(); }, std::chrono::nanoseconds::max());
              }
            }
          });
        }
        in.thread([=] {
          here->offered.fetch_add(1);
          here->beds.call([&] { here->ring(); });
        });
        in.thread([=] {
          here->arrived.fetch_add(1);
          here->ring();
        });
      },
      preemptions);
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

TEST(sleepers_interleavings, nobody_sleeps_beside_work) { explore_sleepers(2, 0, 2); }
TEST(sleepers_interleavings, also_not_after_a_search) { explore_sleepers(2, 1, 2); }
TEST(sleepers_interleavings, also_not_alone) { explore_sleepers(1, 1, 3); }

/// A message gives who hears it work that lasts until the next message has been heard.
TEST(sleepers_interleavings, another_listens_while_one_is_in_long_work) {
  struct meeting_place {
    asymmetric_barrier barrier;
    sleepers beds{barrier};
    explored::atomic<int> arrived{0}, heard{0};
    explored::atomic<bool> rings{false}, ended{false};
    void ring() {
      rings.store(true);
      rings.notify_all();
    }
    void listen() {
      rings.wait(false);
      rings.store(false);
    }
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (int i = 0; i < 2; ++i) {
      in.thread([=] {
        while (!here->ended.load()) {
          int there = here->arrived.load();
          if (there == 0) {
            here->beds.sleep([&] { return here->ended.load(); }, [&] { here->listen(); },
                             std::chrono::nanoseconds::max());
          } else if (here->arrived.compare_exchange_strong(there, there - 1)) {
            if (here->heard.fetch_add(1) == 0) {
              here->heard.notify_all();
              here->beds.attend();
              here->heard.wait(1);
            } else {
              here->heard.notify_all();
              here->ended.store(true);
              here->beds.call_parked();
              here->ring();
            }
          }
        }
      });
    }
    in.thread([=] {
      here->arrived.fetch_add(1);
      here->ring();
      here->heard.wait(0);
      here->arrived.fetch_add(1);
      here->ring();
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// The submitter offers two pieces of work to two workers, calls all in between, and rests.
TEST(idleness_interleavings, who_works_is_never_called_idle_and_who_rests_is) {
  static constexpr std::size_t threads = 3;
  struct meeting_place {
    asymmetric_barrier barrier;
    parking beds{barrier};
    bool idle = false;
    idleness of_rank{[this](bool now) { idle = now; }};
    explored::atomic<int> offered{0}, left{2};
    std::array<std::unique_ptr<idleness::rest>, threads> last;  // Until all have ended.
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    const auto end = [=](std::size_t who) {
      here->last[who] = std::make_unique<idleness::rest>(here->of_rank, threads, true);
      here->last[who]->tell([&] { return here->offered.load() > 0; });
    };
    for (std::size_t i = 0; i + 1 < threads; ++i) {
      in.thread([=, &in] {
        const auto useful = [&] { return here->offered.load() > 0 || here->left.load() == 0; };
        while (here->left.load() > 0) {
          int there = here->offered.load();
          if (there == 0) {
            idleness::rest resting(here->of_rank, threads, true);
            resting.tell(useful);
            here->beds.sleep(useful, std::chrono::nanoseconds::max());
          } else if (here->offered.compare_exchange_strong(there, there - 1)) {
            here->of_rank.note_work();
            in.expect(!here->idle, "it works and is called idle");
            if (here->left.fetch_sub(1) == 1) here->beds.wake_all();
            in.expect(!here->idle, "it is called idle while it works");
          }
        }
        end(i);
      });
    }
    in.thread([=] {
      here->offered.fetch_add(1);
      here->beds.wake_one();
      here->of_rank.note_call();
      here->beds.wake_all();
      here->offered.fetch_add(1);
      here->beds.wake_one();
      end(threads - 1);
    });
    in.at_end([=, &in] { in.expect(here->idle, "all rest, and nobody said so"); });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// A message wakes one thread while another finds that all rest. That one may say so for a moment,
/// until it has looked again: the counts of messages are no longer what they were.
TEST(idleness_interleavings, who_hears_a_message_is_not_left_idle) {
  static constexpr std::size_t threads = 2;
  struct meeting_place {
    bool idle = false, works = false;
    idleness of_rank{[this](bool now) { idle = now; }};
    explored::atomic<bool> arrived{false};
    std::array<std::unique_ptr<idleness::rest>, threads> last;  // Until all have ended.
    void end(std::size_t who) {
      last[who] = std::make_unique<idleness::rest>(of_rank, threads, true);
      last[who]->tell([] { return false; });
    }
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    in.thread([=] {
      {
        idleness::rest resting(here->of_rank, threads, true);
        resting.tell([] { return false; });
        here->arrived.wait(false);
      }
      here->of_rank.note_work();
      here->works = true;
      here->arrived.store(false);  // Others may go on here.
      here->works = false;
      here->end(0);
    });
    in.thread([=, &in] {
      for (int i = 0; i < 2; ++i) {
        idleness::rest resting(here->of_rank, threads, true);
        resting.tell([] { return false; });
        in.expect(!here->works || !here->idle, "it works and is left idle");
      }
      here->end(1);
    });
    in.thread([=] {
      here->arrived.store(true);
      here->arrived.notify_all();
    });
    in.at_end([=, &in] { in.expect(here->idle, "all rest, and nobody said so"); });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// The submitter waits for the nodes of two workers, and of nothing else; each is out of work when
/// it has completed its own.
TEST(completion_wait_interleavings, the_submitter_does_not_sleep_when_all_is_complete) {
  struct meeting_place {
    asymmetric_barrier barrier;
    completion_wait window{barrier};
    explored::atomic<std::uint64_t> complete{0};
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    const auto completed = [=] { return here->complete.load(); };
    in.thread([=] {
      for (const std::uint64_t nodes : {1u, 2u}) {
        while (completed() < nodes)
          here->window.sleep(nodes, completed, std::chrono::nanoseconds::max());
      }
    });
    for (int i = 0; i < 2; ++i) {
      in.thread([=] {
        here->complete.fetch_add(1);
        here->window.wake(false, completed);
        here->window.wake(true, completed);
      });
    }
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// The program waits as `core::wait_for` does, or not, and drops the request; the operation ends.
void explore_request(bool waits) {
  constexpr std::uint64_t bytes = 7;
  struct meeting_place {
    asymmetric_barrier barrier;
    parking beds{barrier};
    alignas(std::max_align_t) std::byte nobody;  // Its session is not asked for anything.
    request_state* request =
        new request_state(reinterpret_cast<deed::runtime::core&>(nobody), deed::place::current());
    std::weak_ptr<const deed::runtime::failure> lives;  // As long as the request.
    meeting_place() {
      request->why = std::make_shared<deed::runtime::failure>();
      lives = request->why;
    }
  };
  const exploration all([=](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    in.thread([=, &in] {
      request_state& mine = *here->request;
      const auto done = [&] { return mine.done.load(); };
      if (waits) {
        mine.awaited.store(true);
        while (!done()) here->beds.sleep(done, std::chrono::nanoseconds::max());
      }
      if (done()) in.expect(mine.status.bytes == bytes, "it is done, and not what came");
      in.expect(!here->lives.expired(), "it ended while the program kept it");
      mine.drop();
    });
    in.thread([=, &in] {
      const deed::message_status came{deed::rank{0}, deed::message_tag{0}, bytes};
      in.expect(!here->lives.expired(), "it ended while the operation kept it");
      if (here->request->complete(came)) here->beds.wake_all();
    });
    in.at_end([=, &in] { in.expect(here->lives.expired(), "nobody ended it"); });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 10u);
}

TEST(request_interleavings, who_waits_is_woken_and_sees_what_came) { explore_request(true); }
TEST(request_interleavings, the_last_of_two_keepers_ends_it) { explore_request(false); }

/// One thread looks for tiles while another adds them, and the table grows twice.
TEST(tile_index_interleavings, what_was_added_is_found_and_whole) {
  struct record {
    std::uint32_t tile = 0;
    bool whole = false;
  };
  constexpr std::size_t tiles = 8;
  struct meeting_place {
    deed::runtime::tile_index<record> index{tiles};
    std::array<record, tiles> records;
    std::size_t added = 0;  // The caller of `find` may know so many.
    void add(std::uint32_t k) {
      records.at(k).tile = k;
      records.at(k).whole = true;
      index.add(records.at(k));
      ++added;
    }
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    here->index.reserve(0);
    here->add(5);
    in.thread([=] {
      for (const std::uint32_t k : {1u, 3u, 7u}) here->add(k);
    });
    for (int i = 0; i < 2; ++i) {
      in.thread([=, &in] {
        in.expect(here->index.find(5) == &here->records[5], "what was there is lost");
        const bool known = here->added == 4;
        const record* const last = here->index.find(7);
        in.expect(!known || last != nullptr, "what was added is not found");
        in.expect(last == nullptr || last->whole, "what is found is not whole");
        in.expect(here->index.find(2) == nullptr, "what was never added is found");
      });
    }
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// Readers are let in and a writer looks while they have adopted the driver; they leave at any
/// time, and the last one posts if the writer waits.
TEST(home_readers_interleavings, a_writer_waits_for_all_and_is_told) {
  struct meeting_place {
    deed::gpu::home_readers readers;
    explored::mutex driver;
    bool asked = false;  // By the writer: nobody else is let in.
    explored::atomic<int> reading{0}, posted{0};
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (int i = 0; i < 2; ++i) {
      in.thread([=] {
        here->driver.lock();
        const bool enters = !here->asked;
        if (enters) {
          here->readers.enter();
          here->reading.fetch_add(1);
        }
        here->driver.unlock();
        if (!enters) return;
        here->reading.fetch_sub(1);
        if (!here->readers.leave()) return;
        here->posted.fetch_add(1);
        here->posted.notify_all();
      });
    }
    in.thread([=, &in] {
      for (int writes = 0; writes < 2; ++writes) {
        for (int seen = 0;; here->posted.wait(seen)) {
          seen = here->posted.load();
          here->driver.lock();
          here->asked = true;
          const bool waits = here->readers.must_wait();
          if (!waits) {
            in.expect(here->reading.load() == 0, "it is written while it is read");
            here->asked = false;
          }
          here->driver.unlock();
          if (!waits) break;
        }
      }
    });
    in.at_end([=, &in] { in.expect(!here->readers.any(), "a reader is counted for ever"); });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

}  // namespace
