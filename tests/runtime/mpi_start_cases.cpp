// SPDX-License-Identifier: MIT
// mpi_start_cases CASE, on two ranks or more: sessions in programs that start MPI themselves, each
// in its own way. Status 0: as expected.
#include <deed/deed.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace {

constexpr deed::codelet add_one{"add_one", [](int& x) { ++x; }};

void expect(bool yes, const char* what) {
  if (yes) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(1);
}

/// Every rank adds one to a value that goes round.
void use(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 0);
  for (int r = 0; r < session.size(); ++r) {
    session.insert_task(add_one, deed::read_write(x), deed::on(deed::rank{r}));
  }
  session.fetch(deed::read(x), deed::everywhere);
  session.wait();
  expect(*session.borrow(deed::read(x)) == session.size(), "the sum of all ranks");
}

boost::mpi::communicator world() { return {MPI_COMM_WORLD, boost::mpi::comm_attach}; }

/// Even and odd ranks apart.
boost::mpi::communicator half() { return world().split(world().rank() % 2); }

void use_once(const boost::mpi::communicator& ranks, const deed::session_options& options = {}) {
  deed::session joined(ranks, options);
  expect(joined.size() == ranks.size() && joined.rank() == ranks.rank(), "rank and size");
  use(joined);
  joined.close();
}

template <class Call>
void expect_code(deed::error_code code, std::string_view part, Call&& call) {
  try {
    call();
  } catch (const deed::error& thrown) {
    std::fprintf(stderr, "said: %s\n", thrown.what());
    expect(thrown.code() == code, "the code");
    return expect(std::string_view(thrown.what()).find(part) != std::string_view::npos, "the text");
  }
  expect(false, "nothing was thrown");
}

/// MPI at one level, as a program starts it by hand.
class started {
 public:
  explicit started(int level) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, level, &provided);
    expect(provided >= level, "the thread level");
  }
  ~started() { MPI_Finalize(); }
};

void at_level(int level) {
  const started mpi(level);
  use_once(world());
}

void plain_init() {
  MPI_Init(nullptr, nullptr);
  use_once(world());
  MPI_Finalize();
}

void boost_environment() {
  const boost::mpi::environment mpi(boost::mpi::threading::serialized);
  use_once(boost::mpi::communicator{});
}

void on_another_thread() {
  const started mpi(MPI_THREAD_FUNNELED);
  std::thread([] {
    expect_code(deed::error_code::mpi_not_ready, "the thread that initialised MPI",
                [] { use_once(world()); });
  }).join();
  use_once(world());
}

void not_initialised() {
  expect_code(deed::error_code::mpi_not_ready, "not initialised", [] {
    deed::session(boost::mpi::communicator(MPI_COMM_NULL, boost::mpi::comm_attach));
  });
}

void finalised_before() {
  MPI_Init(nullptr, nullptr);
  const auto ranks = world();
  MPI_Finalize();
  expect_code(deed::error_code::mpi_not_ready, "finalised already", [&] { deed::session{ranks}; });
}

/// It does not come back, so a process of its own runs it; the test looks for what it says.
void run_after_the_end() {
  MPI_Init(nullptr, nullptr);
  MPI_Finalize();
  const pid_t child = ::fork();
  if (child == 0) {
    char name[] = "mpi_start_cases";
    char* arguments[] = {name, nullptr};
    (void)deed::run(1, arguments, [](deed::session&) {});
    std::_Exit(1);
  }
  int status = 0;
  expect(::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 70,
         "the exit code");
}

/// The session lives on past MPI_Finalize, with a message under way that nobody receives.
void finalised_while_it_lives(int level) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, level, &provided);
  deed::session joined(world());
  use(joined);
  auto x = joined.register_data(deed::per_rank, 1);
  MPI_Finalize();
  expect_code(deed::error_code::mpi_finalised, "block of its own", [&] { joined.close(); });
}

/// It ends after `main`, and after MPI: the test looks for what it says then.
void static_session() {
  MPI_Init(nullptr, nullptr);
  // deed-check: allow(D815) reason: that it is one is the test
  static deed::session forever(world());
  use(forever);
  MPI_Finalize();
}

/// Globals, made before there is a session: the process ends them in the opposite order.
void global_owner_of_a_session() {
  static const boost::mpi::environment mpi(boost::mpi::threading::serialized);
  static std::unique_ptr<deed::session> owned;
  owned = std::make_unique<deed::session>(world());
  use(*owned);
}

/// It comes back; the test looks for what is said when the process ends.
void session_that_nobody_ends() {
  MPI_Init(nullptr, nullptr);
  auto* const left = new deed::session(world());
  use(*left);
}

void sub_communicator() {
  const started mpi(MPI_THREAD_SERIALIZED);
  use_once(half());
}

void two_at_once(int level) {
  const started mpi(level);
  deed::session all(world());
  {
    deed::session some(half());
    use(some);
    use(all);
    use(some);
    some.close();
  }
  use(all);
  all.close();
}

void two_at_once_serialized() {
  const started mpi(MPI_THREAD_SERIALIZED);
  const auto apart = half();  // Before: the session's workers call MPI, too.
  deed::session all(world());
  expect_code(deed::error_code::mpi_not_ready, "MPI_THREAD_MULTIPLE", [&] { use_once(apart); });
  use(all);
  all.close();
  use_once(apart);
}

void again_and_again() {
  const started mpi(MPI_THREAD_SERIALIZED);
  for (int i = 0; i < 3; ++i) use_once(world());
}

/// What the program set stays: its errors end it again afterwards, its messages are its own.
void leaves_the_users_mpi_alone() {
  const started mpi(MPI_THREAD_SERIALIZED);
  const int self = world().rank(), ranks = world().size();
  const int next = (self + 1) % ranks, before = (self + ranks - 1) % ranks;
  int sent = self, received = -1;
  MPI_Request mine[2];
  MPI_Irecv(&received, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &mine[0]);
  use_once(world());
  MPI_Isend(&sent, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &mine[1]);
  MPI_Waitall(2, mine, MPI_STATUSES_IGNORE);
  expect(received == before, "the program's own message");
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  expect(handler == MPI_ERRORS_ARE_FATAL, "the error handler of MPI_COMM_WORLD");
}

const std::map<std::string_view, std::function<void()>> cases{
    {"single", [] { at_level(MPI_THREAD_SINGLE); }},
    {"funneled", [] { at_level(MPI_THREAD_FUNNELED); }},
    {"serialized", [] { at_level(MPI_THREAD_SERIALIZED); }},
    {"multiple", [] { at_level(MPI_THREAD_MULTIPLE); }},
    {"plain_init", plain_init},
    {"boost_environment", boost_environment},
    {"on_another_thread", on_another_thread},
    {"not_initialised", not_initialised},
    {"finalised_before", finalised_before},
    {"run_after_the_end", run_after_the_end},
    {"finalised_while_it_lives", [] { finalised_while_it_lives(MPI_THREAD_SERIALIZED); }},
    {"finalised_while_it_lives_single", [] { finalised_while_it_lives(MPI_THREAD_SINGLE); }},
    {"static_session", static_session},
    {"global_owner_of_a_session", global_owner_of_a_session},
    {"session_that_nobody_ends", session_that_nobody_ends},
    {"sub_communicator", sub_communicator},
    {"two_at_once_single", [] { two_at_once(MPI_THREAD_SINGLE); }},
    {"two_at_once_multiple", [] { two_at_once(MPI_THREAD_MULTIPLE); }},
    {"two_at_once_serialized", two_at_once_serialized},
    {"again_and_again", again_and_again},
    {"leaves_the_users_mpi_alone", leaves_the_users_mpi_alone}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && cases.contains(argv[1])) {
    cases.at(argv[1])();
    return 0;
  }
  for (const auto& [name, run] : cases) std::puts(std::string(name).c_str());
  return 64;
}
