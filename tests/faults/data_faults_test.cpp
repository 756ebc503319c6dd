// SPDX-License-Identifier: MIT
// The faults of the list that are about what travels: versions, owners, tags, sizes, large and
// strided data, and values that cannot be packed.
#include "programs.hpp"
#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

namespace {

using faults::completes;
using faults::reports;

constexpr deed::codelet copy{"copy", [](int& to, const int& from) { to = from; }};

TEST(faults, F8_more_bytes_are_sent_than_the_receiver_has_room_for) {
  reports(
      [](deed::session& session) {
        if (session.rank() == 0) {
          auto all =
              session.register_data(deed::per_rank, std::array<char, 128>{}, {.name = "all"});
          session.send(deed::read(all), deed::to{1}, deed::message_tag{1});
          session.wait();
        } else {
          auto half =
              session.register_data(deed::per_rank, std::array<char, 64>{}, {.name = "half"});
          session.receive(deed::write(half), deed::from{0}, deed::message_tag{1});
          session.wait();
        }
      },
      {"deed[D"});
}

TEST(faults, F11_the_cache_is_switched_on_after_a_registration) {
  completes([](deed::session& session) {
    session.set_cache(false);
    auto x = session.register_data(deed::owner{0}, 1, {.name = "x"});
    auto seen = session.register_data(deed::owner{1}, 0, {.name = "seen"});
    const auto copy_it = [&] { session.insert_task(copy, deed::write(seen), deed::read(x)); };
    copy_it();
    session.set_cache(true);
    copy_it();
    copy_it();  // Rank 1 has it.
    session.insert_task(copy, deed::write(x), deed::read(seen));
    copy_it();
    session.wait();
    if (session.rank() == 1) {
      EXPECT_EQ(*session.borrow(deed::read(seen)), 1);
    } else {
      EXPECT_EQ(session.statistics().sent_to[1].transfers, 3u);
    }
  });
}

// Nothing of it is left to be brought home: whoever asks for the value is told so.
TEST(faults, F15_a_datum_ends_without_a_valid_copy) {
  using wanted = deed::handle<int>;
  const auto asks = [](const std::function<void(deed::session&, wanted&)>& how) {
    reports(
        [&](deed::session& session) {
          auto x = session.register_data<int>(deed::owner{0}, deed::uninitialised, {.name = "x"});
          session.migrate(x, deed::owner{1});
          how(session, x);
          std::move(x).unregister();
          session.wait();
        },
        {"deed[D208]", "`x`"});
  };
  asks([](deed::session& session, wanted& x) { session.fetch(deed::read(x), deed::to{0}); });
  asks([](deed::session& session, wanted& x) {
    if (session.rank() == 1) static_cast<void>(session.borrow(deed::read(x)));
  });
  asks([](deed::session& session, wanted& x) {
    auto home = session.register_data(deed::owner{0}, 0, {.name = "home"});
    session.insert_task(copy, deed::write(home), deed::read(x));
  });
}

TEST(faults, F16_more_than_2_GiB_in_one_send) {
  if (std::getenv("LARGE") == nullptr) GTEST_SKIP() << "takes long; LARGE=1 runs it";
  constexpr std::size_t size = (std::size_t{2} << 30) + 4096;
  // Pages of zeros that nobody writes take no memory on the sender's side.
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::span zeros(static_cast<char*>(memory), size);
  zeros.back() = 7;
  const auto thrown = faults::threads(2, [&](deed::session& session) {
    auto all = session.register_data(deed::owner{0}, deed::in_place(zeros), {.name = "all"});
    session.fetch(deed::read(all), deed::to{1});
    session.wait();
    if (session.rank() == 1) {
      const auto here = session.borrow(deed::read(all));
      EXPECT_EQ((*here).size(), size);
      EXPECT_EQ((*here).back(), 7);
    } else {
      EXPECT_EQ(session.statistics().sent_to[1].payload_bytes, size);
    }
    session.barrier();
  });
  for (const std::string& each : thrown) EXPECT_EQ(each, "");
  munmap(memory, size);
}

TEST(faults, F17_a_strided_matrix_of_more_than_10000_rows) {
  completes([](deed::session& session) {
    constexpr std::size_t rows = 12'345, cols = 3, stride = 7;
    std::vector<double> memory(session.rank() == 0 ? rows * stride : 0);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i);
    const deed::tile<double> view(memory.data(), rows, cols, stride);
    auto matrix = session.register_data(deed::owner{0}, deed::in_place(view), {.name = "matrix"});
    session.fetch(deed::read(matrix), deed::to{1});
    session.wait();
    if (session.rank() == 1) {
      const auto here = session.borrow(deed::read(matrix));
      EXPECT_EQ((*here)(rows - 1, cols - 1), static_cast<double>((rows - 1) * stride + cols - 1));
      EXPECT_EQ((*here)(1, 0), static_cast<double>(stride));
    }
  });
}

TEST(faults, F18_a_fast_sender_and_a_late_receiver) {
  completes([](deed::session& session) {
    constexpr int messages = 500;
    auto x = session.register_data(deed::per_rank, std::vector<int>(100), {.name = "x"});
    auto sum = session.register_data(deed::per_rank, 0, {.name = "sum"});
    static constexpr deed::codelet count{"count", [](std::vector<int>& all, int i) { all[0] = i; }};
    static constexpr deed::codelet compare{"compare", [](int& matches, const std::vector<int>& all,
                                                         int i) { matches += all[0] == i; }};
    for (int i = 0; session.rank() == 0 && i < messages; ++i) {
      session.insert_task(count, deed::read_write(x), deed::value(i));
      session.send(deed::read(x), deed::to{1}, deed::message_tag{1});
    }
    session.barrier();  // Nothing was asked for until now.
    for (int i = 0; session.rank() == 1 && i < messages; ++i) {
      session.receive(deed::write(x), deed::from{0}, deed::message_tag{1});
      session.insert_task(compare, deed::read_write(sum), deed::read(x), deed::value(i));
    }
    session.wait();
    EXPECT_EQ(*session.borrow(deed::read(sum)), session.rank() == 1 ? messages : 0);
  });
}

struct unpackable {
  int x = 1;
  unpackable() = default;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    if constexpr (Archive::is_saving::value) throw std::runtime_error("no ink");
    ar & x;
  }
};

void exchange_what_cannot_be_packed(deed::session& session) {
  static constexpr deed::codelet use{"use", [](int& to, const unpackable& from) { to = from.x; }};
  auto bad = session.register_data(deed::owner{0}, [] { return unpackable(); }, {.name = "bad"});
  auto seen = session.register_data(deed::owner{1}, 0, {.name = "seen"});
  session.insert_task(use, deed::write(seen), deed::read(bad));
  session.wait();
}

// Rank 1 waits for what never comes: as a program, all ranks end.
TEST(faults_DeathTest, F19_an_error_while_data_of_a_task_are_exchanged) {
  for (const char* const ranks : {"--deed-ranks=2", "--deed-ranks=inproc:2"}) {
    std::string words[] = {"program", ranks};
    char* argv[] = {words[0].data(), words[1].data(), nullptr};
    EXPECT_EXIT(std::_Exit(deed::run(2, argv, exchange_what_cannot_be_packed)),
                testing::ExitedWithCode(70), "no ink");
  }
}

TEST(faults, F21_the_tag_of_a_datum_differs_between_ranks) {
  reports(
      [](deed::session& session) {
        const auto garbage = static_cast<std::uint64_t>(1000 + session.rank());
        auto d = session.register_data(deed::owner{0}, 1, {.tag = deed::tag{garbage}, .name = "d"});
        auto seen = session.register_data(deed::owner{1}, 0, {.name = "seen"});
        session.insert_task(copy, deed::write(seen), deed::read(d));
        session.wait();
        session.barrier();
      },
      {"deed[D107]", "`d`", "tag 1001"});
}

}  // namespace
