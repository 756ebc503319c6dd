// SPDX-License-Identifier: MIT
#include <deed/transport/transfer.hpp>

#include "../support/explorer.hpp"
#include <gtest/gtest.h>

#include <cstring>

#define std explored
#include <deed/base/push_list.hpp>

#include "frame_ring.hpp"
#include "inbox.hpp"
#include "mpi_gate.hpp"
#include "open_work.hpp"
#include "operation_list.hpp"
#include "progress_lock.hpp"
#include "shared_waker.hpp"
#include "turns.hpp"
#include "waker.hpp"
#undef std

/// @file
/// All that threads meet in without a lock on the way to the network, in all orders of a few of
/// them.

namespace {

using namespace deed::transport::detail;
using explored::exploration;
using explored::schedule;

TEST(submission_queue_interleavings, what_is_pushed_is_taken_once_and_in_order) {
  struct meeting_place {
    submission_queue queue;
    std::array<std::array<operation_state, 2>, 2> pushed;
    std::vector<operation_state*> taken;
    void take() {
      for (operation_state* at = queue.take(); at != nullptr; at = at->next) taken.push_back(at);
    }
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (std::array<operation_state, 2>& mine : here->pushed) {
      in.thread([=, &mine] {
        for (operation_state& each : mine) here->queue.push(each);
      });
    }
    in.thread([=] {
      here->take();
      here->take();
    });
    in.at_end([=, &in] {
      here->take();
      in.expect(here->taken.size() == 4, "one is lost or taken twice");
      for (const std::array<operation_state, 2>& mine : here->pushed) {
        const auto first = std::ranges::find(here->taken, &mine[0]);
        in.expect(std::find(first, here->taken.end(), &mine[1]) != here->taken.end(),
                  "one is lost, or taken before an older one");
      }
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

// Four lines, so that the second frame of a writer meets the end of the ring, and one that is full.
TEST(frame_ring_interleavings, a_frame_that_has_gone_arrives_once_whole_and_in_order) {
  struct meeting_place {
    alignas(frame_ring::line) std::array<std::byte, frame_ring::bytes_of(4)> memory{};
    frame_ring ring{memory};
    frame_ring::reader reader;
    std::array<std::vector<std::size_t>, 2> gone, came;

    void write(int writer, std::size_t bytes, frame_ring::writer& own) {
      const bool has_gone = ring.write(writer, bytes, own, [=](std::byte* at) {
        std::memset(at, static_cast<int>(bytes) + writer, bytes);
      });
      if (has_gone) gone[static_cast<std::size_t>(writer)].push_back(bytes);
    }
    void look(schedule& in) {
      std::vector<frame_ring::record> shown;
      while (const auto one = ring.next(reader)) shown.push_back(*one);
      for (const auto& [from, bytes] : shown) {
        const auto sent = static_cast<std::byte>(bytes.size() + static_cast<std::size_t>(from));
        in.expect(std::ranges::count(bytes, sent) == std::ssize(bytes), "a frame is not whole");
        came[static_cast<std::size_t>(from)].push_back(bytes.size());
      }
      ring.give_back(reader);
    }
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (const int writer : {0, 1}) {
      in.thread([=] {
        frame_ring::writer own;
        for (const auto bytes : {std::size_t{100}, std::size_t{8}}) here->write(writer, bytes, own);
      });
    }
    in.thread([=, &in] {
      for (int i = 0; i < 2; ++i) here->look(in);
    });
    in.at_end([=, &in] {
      here->look(in);
      in.expect(here->gone == here->came, "a frame is lost, came twice, or before an older one");
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

struct explored_futex {
  static void wait(std::uint32_t& word, std::uint32_t seen, std::chrono::nanoseconds) {
    explored::atomic_ref<std::uint32_t>(word).wait(seen);
  }
  static void wake_all(std::uint32_t& word) {
    explored::atomic_ref<std::uint32_t>(word).notify_all();
  }
};

// A thread that found nothing sleeps, without looking at the clock. Two others have something for
// it: a frame of another process, and a word of its own.
TEST(shared_waker_interleavings, nobody_sleeps_beside_a_frame_or_through_a_signal) {
  struct meeting_place {
    alignas(frame_ring::line) std::array<std::byte, frame_ring::bytes_of(4)> memory{};
    alignas(8) std::array<std::byte, shared_waker<explored_futex>::bytes> words{};
    frame_ring ring{memory};
    frame_ring::reader reader;
    shared_waker<explored_futex> waker{words.data()};
    explored::atomic<bool> on_its_way{true}, said{false};
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    in.thread([=] {
      frame_ring::writer own;
      here->ring.write(0, 8, own, [](std::byte* at) { std::memset(at, 1, 8); });
      here->on_its_way.store(false);
      here->waker.wake_sleepers();
    });
    in.thread([=] {
      here->said.store(true);
      here->waker.wake();
    });
    in.thread([=] {
      int frames = 0;
      while (frames == 0 || !here->said.load()) {
        const std::uint64_t seen = here->waker.signals();
        while (here->ring.next(here->reader)) ++frames;
        here->ring.give_back(here->reader);
        if (frames != 0 && here->said.load()) break;
        here->waker.rest(std::chrono::nanoseconds::max(), seen,
                         [&] { return here->ring.anything(); });
        if (frames == 0 && here->on_its_way.load()) explored::this_thread::yield();
      }
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

TEST(progress_lock_interleavings, one_holds_it_and_nobody_waits_for_ever) {
  struct meeting_place {
    progress_lock lock;
    explored::atomic<int> inside{0};
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    const auto work = [=, &in] {
      in.expect(here->inside.fetch_add(1) == 0, "two hold the lock");
      here->inside.fetch_sub(1);
      here->lock.unlock();
    };
    for (int i = 0; i < 2; ++i) {
      in.thread([=] {
        here->lock.lock();
        work();
      });
    }
    in.thread([=] {
      if (here->lock.try_lock()) work();
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

// A message that came before a thread wanted a look at the network is seen when all threads are
// back, by whomever: nobody sleeps beside it.
TEST(turns_interleavings, nobody_looks_past_a_message) {
  struct meeting_place {
    progress_lock lock;
    turns of_lock{lock};
    explored::atomic<bool> came{false}, seen{false};
    void take(bool looks) {
      const auto turn = [&](bool looks_now) {
        if (looks_now && came.load()) seen.store(true);
        return false;
      };
      while (of_lock.take(looks, turn, [] { return false; }, [] {})) looks = true;
    }
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    in.thread([=] {
      here->came.store(true);
      here->take(true);
    });
    in.thread([=] {  // Submits, and flushes what it submitted.
      if (here->lock.try_lock()) here->lock.unlock();
      here->take(false);
    });
    in.at_end([=, &in] { in.expect(here->seen.load(), "the message lies there unseen"); });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 100u);
}

// The engine's lock lets one thread at a time look whether it may call MPI.
TEST(mpi_gate_interleavings, nobody_calls_once_it_is_shut) {
  struct meeting_place {
    mpi_gate gate;
    progress_lock engine;
    explored::atomic<bool> finalised{false};
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (int i = 0; i < 2; ++i) {
      in.thread([=, &in] {
        here->engine.lock();
        if (const mpi_gate::passage inside(here->gate); inside) {
          in.expect(!here->finalised.load(), "MPI is called when it is finalised");
          in.expect(!here->finalised.load(), "MPI is finalised while it is called");
        } else {
          in.expect(here->gate.is_shut(), "nobody passes an open gate");
        }
        here->engine.unlock();
      });
    }
    in.thread([=] {
      here->gate.shut();
      here->finalised.store(true);
    });
    in.at_end([=, &in] { in.expect(here->gate.is_shut(), "it opens again"); });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

TEST(waker_interleavings, nobody_sleeps_through_a_signal) {
  struct meeting_place {
    waker bell;
    explored::atomic<int> messages{0};
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (int i = 0; i < 2; ++i) {
      in.thread([=] {
        for (;;) {
          const std::uint64_t seen = here->bell.signals();
          if (here->messages.load() == 2) return;
          here->bell.rest(std::chrono::nanoseconds::max(), seen);
        }
      });
    }
    in.thread([=] {
      for (int i = 0; i < 2; ++i) {
        here->messages.fetch_add(1);
        here->bell.wake();
      }
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

TEST(inbox_interleavings, every_call_runs_once_one_at_a_time_and_in_order) {
  struct meeting_place {
    inbox calls;
    explored::atomic<int> inside{0};
    std::vector<int> ran;
  };
  const exploration all([](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    for (int i = 0; i < 2; ++i) {
      in.thread([=, &in] {
        for (const int call : {10 * i, 10 * i + 1}) {
          here->calls.push([=, &in] {
            in.expect(here->inside.fetch_add(1) == 0, "two calls run at once");
            here->ran.push_back(call);
            here->inside.fetch_sub(1);
          });
        }
        here->calls.run();
      });
    }
    in.at_end([=, &in] {
      in.expect(here->calls.empty() && here->ran.size() == 4, "a call is left or ran twice");
      for (int i = 0; i < 2; ++i) {
        const auto first = std::ranges::find(here->ran, 10 * i);
        in.expect(std::find(first, here->ran.end(), 10 * i + 1) != here->ran.end(),
                  "a call is lost, or ran before an older one");
      }
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

/// A call submits an operation, the holder of the lock takes it, and its end leads to a call, which
/// submits the next. There is work all the time.
void explore_open_work(bool ends) {
  struct meeting_place {
    inbox calls;
    submission_queue queue;
    open_work work;
    operation_state one, next;
  };
  const exploration all([=](schedule& in) {
    const auto here = std::make_shared<meeting_place>();
    here->calls.push([here = here.get()] { here->queue.push(here->one); });
    in.thread([=] { here->calls.run(); });
    in.thread([=] {
      if (here->queue.empty()) return;
      here->work.drains();
      const bool taken = here->queue.take() != nullptr;
      if (taken) here->work.opened();
      here->work.drained();
      if (!taken || !ends) return;
      here->calls.push([here = here.get()] { here->queue.push(here->next); });
      here->work.completed(1);
      here->calls.run();
    });
    in.thread([=, &in] {
      in.expect(!here->work.is(0, here->queue, here->calls),
                "work is denied that was there all the time");
    });
    in.at_end([=, &in] {
      const bool left = !here->queue.empty() || here->work.is(1, here->queue, here->calls);
      in.expect(left, "what was submitted is counted wrongly");
    });
  });
  EXPECT_EQ(all.wrong(), "");
  EXPECT_GT(all.orders(), 1000u);
}

TEST(open_work_interleavings, a_call_may_submit) { explore_open_work(false); }
TEST(open_work_interleavings, an_end_may_lead_to_a_call_that_submits) { explore_open_work(true); }

}  // namespace
