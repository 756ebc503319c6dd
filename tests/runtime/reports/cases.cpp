// SPDX-License-Identifier: MIT
// Wrong programs, one per name: `cases NAME [--deed-…]`. What they print stands in `expected`; a
// comment `@x` marks a line that is named there.
#include <deed/deed.hpp>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr deed::codelet root{"root", [](double& x) {
                               if (x < 0) throw std::domain_error("x < 0");
                             }};
constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};

struct cloud {
  std::vector<double> x;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    if (x.size() > 2) throw std::length_error("more than 2 particles");
    ar & x;
    if (Archive::is_loading::value && x.size() == 2) throw std::length_error("too few");
  }
};

void task_throws(deed::session& session) {
  auto a = session.register_data(deed::owner{1}, -1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{0}, 1.0, {.name = "b"});
  session.insert_task(root, deed::read_write(a));  // @inserted
  session.insert_task(add, deed::read_write(b), deed::read(a));
  session.wait();
}

void packing_throws(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, cloud{{1, 2, 3}}, {.name = "c"});  // @registered
  session.fetch(deed::read(c), deed::everywhere);                                   // @packed
  session.wait();
}

void unpacking_throws(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, cloud{{1, 2}}, {.name = "c"});
  session.fetch(deed::read(c), deed::everywhere);  // @unpacked
  session.wait();
}

void registration_on_one_rank(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  if (session.rank() == 0) {
    parts.push_back(session.register_data(deed::per_rank, 0.0));  // @extra
  }
  auto grid = session.register_data(deed::owner{0}, 0.0, {.name = "grid"});  // @grid
  session.insert_task(bump, deed::read_write(grid));
  session.wait();
}

void owner_by_rank(deed::session& session) {
  const deed::owner own{session.rank()};
  auto c = session.register_data(own, 0.0, {.name = "c"});  // @owner
  session.insert_task(bump, deed::read_write(c));
  session.wait();
}

void size_by_rank(deed::session& session) {
  std::vector<double> rows(64 + static_cast<std::size_t>(session.rank()));
  auto all = session.register_data(deed::owner{0}, deed::in_place(rows), {.name = "all"});  // @size
  session.wait();
}

void tiles_by_rank(deed::session& session) {
  deed::tiled_matrix<double> grid{
      session,
      {.rows = 64 + session.rank(), .cols = 64, .tile_rows = 64, .tile_cols = 64, .name = "grid"}};
  session.wait();
}

void type_by_rank(deed::session& session) {
  const deed::data_options seven{.tag = deed::tag{7}, .name = "seven"};
  if (session.rank() == 0) {
    auto wide = session.register_data(deed::owner{0}, 1.0, seven);  // @wide
    session.wait();
  } else {
    auto slim = session.register_data(deed::owner{0}, 1.0f, seven);  // @slim
    session.wait();
  }
}

/// Two data, of rank 0 and of rank 1.
struct pair_of_data {
  deed::handle<double> a, b;
  explicit pair_of_data(deed::session& session)
      : a(session.register_data(deed::owner{0}, 1.0, {.name = "a"})),
        b(session.register_data(deed::owner{1}, 2.0, {.name = "b"})) {}
};

void task_on_one_rank(deed::session& session) {
  pair_of_data data(session);
  if (session.rank() == 0) {
    session.insert_task(add, deed::read_write(data.a), deed::read(data.b));  // @alone
  }
  session.wait();  // @alone_waits
}

void guard_forgets(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  session.insert_task(add, deed::read_write(b), deed::read(a));
  if (session.owns(a)) {
    session.insert_task(bump, deed::read_write(a));  // @forgotten
  }
  session.insert_task(add, deed::read_write(b), deed::read(a));  // @stale
  session.wait();
}

void order_by_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  if (session.rank() == 1) {
    session.insert_task(add, deed::read_write(a), deed::read(b));  // @early
  }
  session.insert_task(add, deed::read_write(b), deed::read(a));  // @middle
  if (session.rank() == 0) {
    session.insert_task(add, deed::read_write(a), deed::read(b));
  }
  session.wait();
}

void barrier_on_one_rank(deed::session& session) {
  if (session.rank() == 0) session.barrier();  // @barrier
  session.wait();                              // @no_barrier
}

void group_barrier_on_one_rank(deed::session& session) {
  deed::group both = session.group({deed::rank{0}, deed::rank{1}});
  if (session.rank() == 0) both.barrier();  // @group_barrier
  session.wait();
}

void leaves_early(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0);
  session.insert_task(bump, deed::read_write(a));  // @last
  if (session.rank() == 1) return;
  session.wait();  // @left_alone
}

void count_by_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  for (int i = 0; i < 3 + session.rank(); ++i) {
    session.insert_task(add, deed::read_write(a), deed::read(b));  // @loop
  }
  session.wait();  // @after_loop
}

void placed_by_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  const deed::rank here{session.rank()};
  session.insert_task(bump, deed::read_write(a), deed::on(here));  // @placed
  session.wait();
}

void flush_on_one_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  if (session.rank() == 0) session.flush(b);  // @flush
  session.wait();                             // @no_flush
}

void migration_on_one_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  if (session.owns(a)) session.migrate(a, deed::owner{1});  // @migration
  session.wait();                                           // @no_migration
}

void each_on_one_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  if (session.rank() == 0)
    session.insert_task(bump, deed::read_write(a), deed::on_each{deed::everywhere});  // @each
  session.wait();                                                                     // @no_each
}

void source_by_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  session.prefer_source(a, deed::rank{session.rank()});  // @source
  session.wait();
}

void prepared_on_one_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  if (session.owns(a)) {
    static_cast<void>(session.prepare_task(add, deed::read_write(b), deed::read(a)));  // @prepared
  }
  session.wait();
}

void message_sizes(deed::session& session) {
  std::vector<double> own(session.rank() == 0 ? 64 : 32);
  auto rows = session.register_data(deed::per_rank, deed::in_place(own), {.name = "rows"});
  if (session.rank() == 0) {
    session.send(deed::read(rows), deed::to{1}, deed::message_tag{3});  // @sends_64
  } else {
    session.receive(deed::write(rows), deed::from{0}, deed::message_tag{3});  // @wants_32
  }
  session.wait();
}

void message_types(deed::session& session) {
  auto wide = session.register_data(deed::per_rank, 0.0, {.name = "wide"});
  auto slim = session.register_data(deed::per_rank, 0.0f, {.name = "slim"});
  if (session.rank() == 0) {
    session.send(deed::read(wide), deed::to{1}, deed::message_tag{3});  // @sends_double
  } else {
    session.receive(deed::write(slim), deed::from{0}, deed::message_tag{3});  // @wants_float
  }
  session.wait();
}

void everybody_receives(deed::session& session) {
  auto token = session.register_data(deed::per_rank, 1, {.name = "token"});  // @passed_round
  const int other = 1 - session.rank();
  session.receive(deed::write(token), deed::from{other}, deed::message_tag{3});  // @receives
  session.send(deed::read(token), deed::to{other}, deed::message_tag{3});
  session.wait();
}

void tags_by_mistake(deed::session& session) {
  auto token = session.register_data(deed::per_rank, 1, {.name = "token"});  // @mistagged
  if (session.rank() == 0)
    session.send(deed::read(token), deed::to{1}, deed::message_tag{3});  // @sent_as_3
  if (session.rank() == 1)
    session.receive(deed::write(token), deed::from{0}, deed::message_tag{4});  // @other_tag
  session.wait();
}

void peers_by_mistake(deed::session& session) {
  auto token = session.register_data(deed::per_rank, 1, {.name = "token"});  // @misled
  if (session.rank() == 0)
    session.send(deed::read(token), deed::to{0}, deed::message_tag{3});  // @to_itself
  if (session.rank() == 1)
    session.receive(deed::write(token), deed::from{0}, deed::message_tag{3});  // @from_another
  session.wait();
}

void message_before_a_task(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});  // @missed
  auto b = session.register_data(deed::owner{1}, 1.0, {.name = "b"});
  if (session.rank() == 0)
    session.receive(deed::write(a), deed::from{1}, deed::message_tag{3});  // @nobody_sends
  session.insert_task(add, deed::read_write(b), deed::read(a));            // @after_it
  session.wait();
}

// The one that rank 0 waits for is inserted, and waits for the first, which is too large for a
// buffer, to leave.
void message_in_the_way(deed::session& session) {
  constexpr deed::codelet raise{"raise", [](std::vector<double>& x) { x.front() += 1; }};
  auto x =
      session.register_data(deed::per_rank, std::vector<double>(1 << 17), {.name = "x"});  // @large
  const int rank = session.rank();
  if (rank == 1) session.send(deed::read(x), deed::to{0}, deed::message_tag{3});  // @in_the_way
  session.insert_task(raise, deed::read_write(x));
  if (rank == 1) session.send(deed::read(x), deed::to{0}, deed::message_tag{4});
  if (rank == 0) session.receive(deed::write(x), deed::from{1}, deed::message_tag{4});
  session.wait();
}

void more_than_a_task_left_out(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  if (session.relevant(deed::read_write(a))) {
    session.insert_task(bump, deed::read_write(a));
    session.insert_task(bump, deed::read_write(mine));
  }
  session.wait();  // @waited
}

void message_left(deed::session& session) {
  auto token = session.register_data(deed::per_rank, 1, {.name = "token"});  // @left
  if (session.rank() == 0)
    session.send(deed::read(token), deed::to{1}, deed::message_tag{3});  // @sent_in_vain
  session.wait();
}

/// Two alike: of the first it is said what, and where.
void two_messages_left(deed::session& session) {
  auto first = session.register_data(deed::per_rank, 1, {.name = "first"});  // @first_left
  auto second = session.register_data(deed::per_rank, 2, {.name = "second"});
  if (session.rank() == 0) {
    session.send(deed::read(first), deed::to{1}, deed::message_tag{3});  // @first_in_vain
    session.send(deed::read(second), deed::to{1}, deed::message_tag{3});
  }
  session.wait();
}

/// Of three alike the first is received: the second is the one that is told of.
void tags_by_mistake_among_others(deed::session& session) {
  auto one = session.register_data(deed::per_rank, 1, {.name = "one"});
  auto two = session.register_data(deed::per_rank, 2, {.name = "two"});  // @second_of_three
  if (session.rank() == 0) {
    session.send(deed::read(one), deed::to{1}, deed::message_tag{3});
    session.send(deed::read(two), deed::to{1}, deed::message_tag{3});  // @two_as_3
    session.send(deed::read(one), deed::to{1}, deed::message_tag{3});
  } else {
    session.receive(deed::write(one), deed::from{0}, deed::message_tag{3});
    session.receive(deed::write(two), deed::from{0}, deed::message_tag{4});  // @two_as_4
  }
  session.wait();
}

// In verify mode.

constexpr deed::codelet scale{"scale", [](double& x, int k) { x *= k; }};

void value_by_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  const int factor = 3 + session.rank();
  session.insert_task(scale, deed::read_write(a), deed::value(factor),
                      deed::on_each{deed::everywhere});  // @scaled
  session.wait();
}

constexpr deed::codelet put{"put", [](double& to, const double& from) { to = from; }};

void mode_by_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  if (session.rank() == 0) {
    session.insert_task(put, deed::write(a), deed::read(b));  // @writes
  } else {
    session.insert_task(put, deed::read_write(a), deed::read(b));  // @reads_and_writes
  }
  session.wait();
}

void loop_order_by_rank(deed::session& session) {
  auto [a, b] = pair_of_data(session);
  std::vector<deed::handle<double>> fields;
  for (int i = 0; i < 3; ++i) {
    fields.push_back(session.register_data(deed::owner{0}, 0.0, {.name = "field"}));
  }
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(session.rank() == 0 ? i : 2 - i);
    session.insert_task(add, deed::read_write(b), deed::read(fields[at]));  // @in_the_loop
  }
  session.wait();
}

void list_by_rank(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < 2; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
  const auto count = static_cast<std::size_t>(session.rank()) + 1;
  session.gather(deed::read(std::span{parts}.first(count)), deed::to{0});  // @list
  session.wait();
}

void scattered_by_rank(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < 2; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
  const auto count = static_cast<std::size_t>(session.rank()) + 1;
  session.scatter(deed::write(std::span{parts}.first(count)), deed::from{0});  // @scattered
  session.wait();
}

void roots_by_rank(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < 2; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
  session.gather(deed::read(parts), deed::to{session.rank()});  // @root
  session.wait();
}

void one_more_sent(deed::session& session) {
  auto token = session.register_data(deed::per_rank, 1, {.name = "token"});  // @sent_thrice
  for (int i = 0; i < 3 && session.rank() == 0; ++i) {
    session.send(deed::read(token), deed::to{1}, deed::message_tag{3});  // @sends_three
  }
  for (int i = 0; i < 2 && session.rank() == 1; ++i) {
    session.receive(deed::write(token), deed::from{0}, deed::message_tag{3});  // @receives_two
  }
  session.wait();
}

constexpr deed::codelet poke{
    "poke", [](const std::vector<double>& v) { const_cast<double&>(v[v.size() / 2]) = 1; }};

void pokes(deed::session& session, std::size_t size) {
  auto rows =
      session.register_data(deed::owner{1}, std::vector<double>(size), {.name = "rows"});  // @rows
  session.insert_task(poke, deed::read(rows));                                             // @poked
  session.wait();
}
void pokes_a_page(deed::session& session) { pokes(session, 4096); }
void pokes_a_few_bytes(deed::session& session) { pokes(session, 8); }

std::vector<const double*> kept;  // In tasks of rank 1, one after the other, a device's or not.
constexpr deed::codelet keep{"keep", [](double& x) { kept.push_back(&x); }};
constexpr deed::codelet look{"look", [](double& sum, const double&) {
                               for (const double* each : kept) sum += *each;
                             }};

void keeps_views(deed::session& session) {
  auto a = session.register_data(deed::owner{1}, 1.0, {.name = "a"});  // @lent
  auto sum = session.register_data(deed::owner{1}, 0.0, {.name = "sum"});
  for (int i = 0; i < 20; ++i) session.insert_task(keep, deed::read_write(a));  // @kept
  session.insert_task(look, deed::read_write(sum), deed::read(a));
  session.wait();
}

const std::map<std::string_view, std::function<void(deed::session&)>> cases{
    {"task_throws", task_throws},
    {"packing_throws", packing_throws},
    {"unpacking_throws", unpacking_throws},
    {"registration_on_one_rank", registration_on_one_rank},
    {"owner_by_rank", owner_by_rank},
    {"size_by_rank", size_by_rank},
    {"tiles_by_rank", tiles_by_rank},
    {"type_by_rank", type_by_rank},
    {"task_on_one_rank", task_on_one_rank},
    {"guard_forgets", guard_forgets},
    {"order_by_rank", order_by_rank},
    {"barrier_on_one_rank", barrier_on_one_rank},
    {"group_barrier_on_one_rank", group_barrier_on_one_rank},
    {"leaves_early", leaves_early},
    {"count_by_rank", count_by_rank},
    {"placed_by_rank", placed_by_rank},
    {"flush_on_one_rank", flush_on_one_rank},
    {"migration_on_one_rank", migration_on_one_rank},
    {"each_on_one_rank", each_on_one_rank},
    {"source_by_rank", source_by_rank},
    {"prepared_on_one_rank", prepared_on_one_rank},
    {"message_sizes", message_sizes},
    {"message_types", message_types},
    {"everybody_receives", everybody_receives},
    {"tags_by_mistake", tags_by_mistake},
    {"peers_by_mistake", peers_by_mistake},
    {"message_before_a_task", message_before_a_task},
    {"message_in_the_way", message_in_the_way},
    {"more_than_a_task_left_out", more_than_a_task_left_out},
    {"message_left", message_left},
    {"two_messages_left", two_messages_left},
    {"tags_by_mistake_among_others", tags_by_mistake_among_others},
    {"value_by_rank", value_by_rank},
    {"mode_by_rank", mode_by_rank},
    {"loop_order_by_rank", loop_order_by_rank},
    {"list_by_rank", list_by_rank},
    {"scattered_by_rank", scattered_by_rank},
    {"roots_by_rank", roots_by_rank},
    {"one_more_sent", one_more_sent},
    {"keeps_views", keeps_views},
    {"pokes_a_page", pokes_a_page},
    {"pokes_a_few_bytes", pokes_a_few_bytes},
};

}  // namespace

int main(int argc, char** argv) {
  return deed::run(argc, argv, [](deed::session& session, deed::arguments arguments) {
    const auto known = arguments.empty() ? cases.end() : cases.find(arguments.front());
    if (known == cases.end()) throw deed::stop_run(deed::exit_code::bad_option, "no such case");
    known->second(session);
  });
}
