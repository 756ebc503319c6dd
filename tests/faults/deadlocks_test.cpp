// SPDX-License-Identifier: MIT
// Random programs with one mistake each, for which some rank waits for what never comes: all ranks
// end, and somebody names what is missing.
#include <deed/base/random.hpp>

#include "programs.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace {

using texts = std::vector<std::string>;
using numbers = std::vector<deed::handle<int>>;
constexpr deed::codelet copy{"copy", [](int& to, const int& from) { to = from; }};
constexpr deed::codelet missed{"missed", [](int& to, const int& from) { to = from; }};

/// What is drawn for one program; the same on every rank.
class case_of {
 public:
  explicit case_of(std::uint64_t seed) : seed_(seed), draw_(seed) {
    ranks = static_cast<int>(2 + draw_.below(7));
    here = below(ranks);
    there = (here + 1 + below(ranks - 1)) % ranks;
    tag = 100 + draw_.below(1000);
  }
  [[nodiscard]] std::string tag_text() const { return "tag " + std::to_string(tag); }

  /// Tasks without a mistake, on data of all ranks.
  void work(deed::session& session, numbers& data) const {
    deed::random_source draw(deed::mix(seed_));
    for (std::uint64_t n = draw.below(20); n > 0; --n) {
      const auto to = draw.below(data.size()), from = draw.below(data.size());
      if (to == from) continue;
      session.insert_task(copy, deed::write(data[to]), deed::read(data[from]));
    }
  }

  int ranks, here, there;  ///< Two of the ranks differ.
  std::uint64_t tag;

 private:
  int below(int bound) { return static_cast<int>(draw_.below(static_cast<std::uint64_t>(bound))); }
  std::uint64_t seed_;
  deed::random_source draw_;
};

/// A mistake, and what its report must name: any of these.
struct mistake {
  std::string_view name;
  void (*make)(deed::session& session, const case_of& of);
  texts (*culprit)(const case_of& of);
};

texts names_tag(const case_of& of) { return {of.tag_text()}; }

void missing_receive(deed::session& session, const case_of& of) {
  auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
  if (session.rank() != of.here) return session.wait();
  auto sent = session.isend(deed::read(x), deed::to{of.there}, deed::message_tag{of.tag},
                            deed::synchronous);
  sent.wait();
}

void missing_send(deed::session& session, const case_of& of) {
  auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
  if (session.rank() == of.here)
    session.receive(deed::write(x), deed::from{of.there}, deed::message_tag{of.tag});
  session.wait();
}

void another_tag(deed::session& session, const case_of& of) {
  auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
  if (session.rank() == of.here)
    session.receive(deed::write(x), deed::from{of.there}, deed::message_tag{of.tag});
  if (session.rank() == of.there)
    session.send(deed::read(x), deed::to{of.here}, deed::message_tag{of.tag + 1});
  session.wait();
}

/// Each waits for the message of the one before, and only then sends its own.
void cycle(deed::session& session, const case_of& of) {
  auto x = session.register_data(deed::per_rank, 1, {.name = "x"});
  const int size = session.size(), rank = session.rank();
  const deed::message_tag tag{of.tag};
  auto arrived = session.ireceive(deed::write(x), deed::from{(rank + size - 1) % size}, tag);
  arrived.wait();
  session.send(deed::read(x), deed::to{(rank + 1) % size}, tag);
  session.wait();
}

void shut_gate(deed::session& session, const case_of& of) {
  auto x = session.register_data(deed::owner{of.here}, 1, {.name = "x"});
  auto y = session.register_data(deed::owner{of.there}, 1, {.name = "y"});
  auto gate = session.make_gate("never opened");
  session.insert_task(copy, deed::write(x), deed::read(y), deed::behind(gate));
  session.wait();
}

/// The owner of what is read does not know of the reader.
void missing_insert(deed::session& session, const case_of& of) {
  auto x = session.register_data(deed::owner{of.there}, 1, {.name = "x"});
  auto y = session.register_data(deed::owner{of.here}, 1, {.name = "y"});
  if (session.rank() != of.there) session.insert_task(missed, deed::write(y), deed::read(x));
  session.wait();
}

constexpr mistake mistakes[] = {
    {"missing receive", missing_receive, names_tag},
    {"missing send", missing_send, names_tag},
    {"another tag", another_tag, names_tag},
    {"cycle", cycle, names_tag},
    {"shut gate", shut_gate, [](const case_of&) { return texts{"`never opened`"}; }},
    {"missing insert", missing_insert, [](const case_of&) { return texts{"`x`", "missed"}; }}};

TEST(deadlocks, of_500_random_programs_end_and_name_what_is_missing) {
  int named = 0, all = 0;
  std::ostringstream unnamed;
  for (std::uint64_t seed = 1; seed <= 504; ++seed) {
    const mistake& wrong = mistakes[seed % std::size(mistakes)];
    const case_of of(seed);
    const auto thrown = faults::simulated(
        of.ranks,
        [&](deed::session& session) {
          numbers data;
          for (int i = 0; i < 6; ++i)
            data.push_back(session.register_data(deed::owner{i % session.size()}, i));
          of.work(session, data);
          wrong.make(session, of);
        },
        seed);
    std::string text;
    for (const std::string& each : thrown) text += each + "\n";
    EXPECT_NE(text.find("deed[D"), std::string::npos)
        << wrong.name << ", seed " << seed << ": nobody reports\n"
        << text;
    ++all;
    const auto named_by = [&](const std::string& part) { return text.find(part) != text.npos; };
    if (std::ranges::any_of(wrong.culprit(of), named_by))
      ++named;
    else
      unnamed << wrong.name << ", seed " << seed << '\n' << text;
  }
  EXPECT_GE(named * 100, all * 95) << unnamed.str();
}

}  // namespace
