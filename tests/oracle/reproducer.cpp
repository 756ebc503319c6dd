// SPDX-License-Identifier: MIT
#include "shrink.hpp"

#include <array>
#include <sstream>

/// @file
/// A plan as C++: the steps in the order of the plan, each as a user would write it.

namespace oracle {
namespace {

constexpr std::array<std::string_view, 4> types{"number", "list", "record", "tile"};

class writer {
 public:
  explicit writer(const plan& program) : program_(program) {}

  std::string write() {
    out_ << "TEST(reproducer, does_what_the_model_says) {\n  const oracle::plan program = "
            "oracle::parse(R\"(\n"
         << to_string(program_) << ")\");\n"
         << "  EXPECT_EQ(oracle::run(oracle::world::simulated, program).wrong, \"\");\n}\n\n"
         << "// The same, as a user would write it:\nvoid program(deed::session& session) {\n"
         << "  const int rank = session.rank();\n";
    for (const step& s : program_.steps) {
      out_ << "  ";
      one(s);
      out_ << '\n';
    }
    out_ << "  session.wait();\n}\n";
    return out_.str();
  }

 private:
  static std::string name(int d) { return "d" + std::to_string(d); }
  const datum& of(int d) const { return program_.data[static_cast<std::size_t>(d)]; }

  void add(const step& s) {
    const datum& d = of(s.datum);
    const auto type = types[static_cast<std::size_t>(d.is)];
    out_ << "auto " << name(s.datum) << " = session.register_data"
         << (d.given ? "" : "<" + std::string(type) + ">") << '('
         << (d.owner < 0 ? "deed::per_rank" : "deed::owner{" + std::to_string(d.owner) + "}")
         << ", " << (d.given ? std::string(type) + "{}" : "deed::uninitialised") << ", {";
    if (d.tag) out_ << ".tag = deed::tag{" << *d.tag << "}, ";
    out_ << ".name = \"" << name(s.datum) << "\"});"
         << (d.large ? "  // larger than an eager message" : "");
  }

  void tokens(const step& s) {
    std::string_view comma = "";
    for (const use& u : s.uses) {
      out_ << comma << "deed::" << to_string(u.mode) << '(' << name(u.datum) << ')';
      comma = ", ";
    }
  }

  void task(const step& s) {
    if (!s.ranks.empty()) {
      out_ << "if (";
      for (const int r : s.ranks) out_ << (r == s.ranks.front() ? "" : " || ") << "rank == " << r;
      out_ << ") ";
    }
    if (s.pruned) {
      out_ << "if (session.relevant(";
      tokens(s);
      out_ << ")) ";
    }
    out_ << "session.insert_task(task_" << s.task << ", ";
    tokens(s);
    const char* const comma = s.uses.empty() ? "" : ", ";
    if (s.where == placed::on_rank) out_ << comma << "deed::on(deed::rank{" << s.target << "})";
    if (s.where == placed::with_owner)
      out_ << comma << "deed::on_owner_of(" << name(s.target) << ")";
    out_ << ");";
  }

  void collective(const step& s) {
    const std::string given = name(s.datum), taken = name(s.target);
    switch (s.kind) {
      case together::broadcast:
        out_ << "session.broadcast(deed::read_write(" << given << "), deed::from{" << s.rank
             << "});";
        return;
      case together::all_gather:
        out_ << "session.all_gather(deed::read(" << given << "), deed::write(" << taken << "));";
        return;
      case together::all_reduce:
        out_ << "session.all_reduce(deed::read(" << given << "), deed::write(" << taken
             << "), std::plus<>{});";
        return;
      case together::gather:
        out_ << "session.gather(deed::read(" << given << "), deed::write(" << taken
             << "), deed::to{" << taken << ".owner().value});";
        return;
      case together::scatter:
        out_ << "session.scatter(deed::read(" << given << "), deed::write(" << taken
             << "), deed::from{" << given << ".owner().value});";
        return;
    }
  }

  void one(const step& s) {
    switch (s.what) {
      case verb::add:
        add(s);
        return;
      case verb::end:
        out_ << "std::move(" << name(s.datum) << ").unregister();";
        return;
      case verb::task:
        task(s);
        return;
      case verb::message:
        out_ << "if (rank == " << s.rank << ") session.send(deed::read(" << name(s.datum)
             << "), deed::to{" << s.receiver << "}, deed::message_tag{" << s.tag
             << "});\n  if (rank == " << s.receiver << ") session.receive(deed::write("
             << name(s.target) << "), deed::from{" << s.rank << "}, deed::message_tag{" << s.tag
             << "});";
        if (of(s.target).owner >= 0) {
          out_ << "\n  if (rank != " << s.receiver << ") (void)session.relevant(deed::write("
               << name(s.target) << "));";
        }
        return;
      case verb::collective:
        collective(s);
        return;
      case verb::fetch:
        out_ << "session.fetch(deed::read(" << name(s.datum) << "), "
             << (s.rank < 0 ? "deed::everywhere" : "deed::to{" + std::to_string(s.rank) + "}")
             << ");";
        return;
      case verb::migrate:
        out_ << "session.migrate(" << name(s.datum) << ", deed::owner{" << s.rank << "});";
        return;
      case verb::flush:
        out_ << "session.flush(" << (s.rank < 0 ? "" : name(s.datum)) << ");";
        return;
      case verb::cache:
        out_ << "session.set_cache(" << (s.rank != 0 ? "true" : "false") << ");";
        return;
      case verb::read:
      case verb::write: {
        const char* const mode = s.what == verb::read ? "read" : "write";
        out_ << "if (rank == " << s.rank << ") { auto lent = session.borrow(deed::" << mode << '('
             << name(s.datum) << ")); }";
        if (s.held > 0) out_ << "  // lives for " << s.held << " more steps";
        if (s.what == verb::write && of(s.datum).owner >= 0) {
          out_ << "\n  if (rank != " << s.rank << ") (void)session.relevant(deed::write("
               << name(s.datum) << "));";
        }
        return;
      }
      case verb::wait:
        out_ << "session.wait();";
        return;
      case verb::barrier:
        out_ << "session.barrier();";
        return;
    }
  }

  const plan& program_;
  std::ostringstream out_;
};

}  // namespace

std::string reproducer(const plan& program) { return writer(program).write(); }

}  // namespace oracle
