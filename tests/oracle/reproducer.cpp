// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "shrink.hpp"

#include <array>
#include <map>
#include <sstream>

/// @file
/// A plan as C++: the steps in the order of the plan, each as a user would write it, and what the
/// model says about it.

namespace oracle {
namespace {

constexpr std::array<std::string_view, 4> types{"number", "list", "record", "tile"};

class writer {
 public:
  explicit writer(const plan& program) : program_(program), expected_(predict(program)) {}

  std::string write() {
    out_
        << "// SPDX-License-Identifier: MIT\n// Made by the shrinker. A file of its own beside the "
           "others in tests/oracle, linked with the library `oracle`.\n"
           "#include \"reproduce.hpp\"\n\nusing namespace oracle;\n\nnamespace {\n\n";
    for (const step& s : program_.steps) {
      if (s.what == verb::task) codelet(s);
    }
    out_ << "void program(deed::session& session) {\n"
            "  [[maybe_unused]] const int rank = session.rank();\n"
            "  callbacks calls;\n  std::vector<deed::request> requests;\n";
    for (index_ = 0; index_ < program_.steps.size(); ++index_) {
      end_borrows();
      one(program_.steps[index_]);
    }
    end_borrows();
    wait();
    ends();
    out_ << "}\n\n}  // namespace\n\n";
    main();
    return out_.str();
  }

 private:
  static std::string name(int d) { return "d" + std::to_string(d); }
  const datum& of(int d) const { return program_.data[static_cast<std::size_t>(d)]; }
  std::string_view type(int d) const { return types[static_cast<std::size_t>(of(d).is)]; }
  std::ostream& line() { return out_ << "  "; }
  static const char* truth(bool is) { return is ? "true" : "false"; }

  /// The body of one task; what it has to read comes as its last argument.
  void codelet(const step& s) {
    const std::string task = "task_" + std::to_string(s.task);
    out_ << "constexpr deed::codelet " << task << "{\"" << task << "\", [](";
    for (std::size_t i = 0; i < s.uses.size(); ++i) parameter(s.uses[i], i);
    out_ << "std::uint64_t wanted) {\n  compute(" << s.task << ", wanted, {";
    std::string_view comma = "";
    for (std::size_t i = 0; i < s.uses.size(); ++i) {
      const use& u = s.uses[i];
      out_ << comma << "{seen_of(x" << i << "), access_mode::" << deed::to_string(u.mode) << ", "
           << truth(of(u.datum).large) << '}';
      comma = ", ";
    }
    out_ << "});\n}};\n";
  }
  void parameter(const use& u, std::size_t i) {
    const bool written = deed::writes(u.mode) || u.mode == access_mode::reduce;
    if (of(u.datum).is == form::tile)
      out_ << "deed::tile<" << (written ? "double" : "const double") << ">";
    else
      out_ << (written ? "" : "const ") << type(u.datum) << '&';
    out_ << " x" << i << ", ";
  }

  void add(const step& s) {
    const datum& d = of(s.datum);
    line() << "auto " << name(s.datum) << " = ";
    if (d.is == form::tile) return add_tile(s);
    const std::string owner =
        d.owner < 0 ? "deed::per_rank" : "deed::owner{" + std::to_string(d.owner) + "}";
    out_ << "session.register_data";
    if (d.given) {
      out_ << '(' << owner << ", first<" << type(s.datum) << ">(" << s.datum << ", "
           << (d.owner < 0 ? "rank" : std::to_string(d.owner)) << ", " << truth(d.large) << ')';
    } else {
      out_ << '<' << type(s.datum) << ">(" << owner << ", deed::uninitialised";
    }
    if (d.is == form::number && d.given && d.owner >= 0)
      out_ << ", deed::reduction{std::plus<>{}, number{0}}";
    out_ << ", {";
    if (d.tag) out_ << ".tag = deed::tag{" << *d.tag << "}, ";
    out_ << ".name = \"" << name(s.datum) << "\"});\n";
  }
  void add_tile(const step& s) {
    const datum& d = of(s.datum);
    out_ << "register_tile(session, " << s.datum << ", {.is = form::tile, .owner = " << d.owner
         << ", .given = " << truth(d.given) << ", .large = " << truth(d.large);
    if (d.tag) out_ << ", .tag = " << *d.tag;
    out_ << "});\n";
  }

  std::string tokens(const step& s) const {
    std::string text;
    for (const use& u : s.uses) {
      text += (text.empty() ? "deed::" : ", deed::") + std::string(deed::to_string(u.mode)) + '(' +
              name(u.datum) + ')';
    }
    return text;
  }

  void task(const step& s) {
    std::map<int, std::uint64_t> wanted;
    for (const auto& run : expected_.runs) {
      if (run.step == index_) wanted[run.rank] = run.inputs;
    }
    const std::string all = tokens(s);
    std::string here;  // Whether the task runs on this rank.
    for (const auto& [rank, inputs] : wanted)
      here += (here.empty() ? "rank == " : " || rank == ") + std::to_string(rank);
    const auto insert = [&](std::uint64_t inputs) {
      out_ << "session.insert_task(task_" << s.task << ", " << all << (all.empty() ? "" : ", ")
           << "deed::value(std::uint64_t{" << inputs << "u})";
      if (s.where == placed::on_rank) out_ << ", deed::on(deed::rank{" << s.target << "})";
      if (s.where == placed::with_owner) out_ << ", deed::on_owner_of(" << name(s.target) << ')';
      if (s.gated) {
        out_ << ", deed::behind(first_" << s.task << "), deed::opens(opened_" << s.task
             << "), calls.one(" << (s.ranks.empty() ? here : "") << ')';
      }
      out_ << ");\n";
    };
    if (s.gated) {
      line() << "auto first_" << s.task << " = session.make_gate(\"first\"), opened_" << s.task
             << " = session.make_gate(\"opened\");\n";
      gated_[s.task] = here;
    }
    if (!s.ranks.empty()) {
      for (const auto& [rank, inputs] : wanted) {
        line() << "if (rank == " << rank << ") ";
        insert(inputs);
      }
    } else {
      line() << (s.pruned ? "if (session.relevant(" + all + ")) " : "");
      insert(wanted.begin()->second);
    }
    if (s.gated) line() << "first_" << s.task << ".open();\n";
  }

  void wait() {
    line() << "finish(session, requests, calls);\n";
    for (const auto& [task, here] : gated_) {
      line() << "expect(opened_" << task << ".is_open(), " << here << ", \"what task " << task
             << " opens\");\n";
    }
    gated_.clear();
  }

  /// What ranks do that take no part in a write to an owned datum.
  void bystanders(int datum, int by) {
    if (of(datum).owner < 0) return;
    line() << "if (rank != " << by << ") static_cast<void>(session.relevant(deed::write("
           << name(datum) << ")));\n";
  }

  void message(const step& s) {
    const bool requested = s.how == called::requested, calls = s.how == called::with_callback;
    const std::string begin = requested ? "requests.push_back(session.i" : "session.";
    const std::string end = ", deed::message_tag{" + std::to_string(s.tag) + "}";
    line() << "if (rank == " << s.rank << ") " << begin << "send(deed::read(" << name(s.datum)
           << "), deed::to{" << s.receiver << '}' << end
           << (s.how == called::synchronous ? ", deed::synchronous" : "")
           << (calls ? ", calls.one(), deed::priority{1}" : "") << (requested ? "));\n" : ");\n");
    line() << "if (rank == " << s.receiver << ") " << begin << "receive(deed::write("
           << name(s.target) << "), deed::from{" << s.rank << '}' << end
           << (calls ? ", calls.one()" : "") << (requested ? "));\n" : ");\n");
    bystanders(s.target, s.receiver);
  }

  void read(const step& s) {
    std::uint64_t wanted = 0;
    for (const auto& look : expected_.looks) {
      if (look.step == index_) wanted = look.value;
    }
    const std::string lent = "lent_" + std::to_string(index_);
    if (s.held > 0) {
      held_[index_ + 1 + static_cast<std::size_t>(s.held)].push_back(lent);
      line() << "std::optional<deed::borrow<const "
             << (of(s.datum).is == form::tile ? "deed::tile<double>" : type(s.datum)) << ">> "
             << lent << ";\n";
      line() << "if (rank == " << s.rank << ") look(*" << lent << ".emplace(session.borrow("
             << "deed::read(" << name(s.datum) << "))), " << wanted << "u);\n";
      return;
    }
    line() << "if (rank == " << s.rank << ") look(*session.borrow(deed::read(" << name(s.datum)
           << ")), " << wanted << "u);\n";
  }
  void end_borrows() {
    for (const std::string& lent : held_[index_]) line() << lent << ".reset();\n";
  }

  void write(const step& s) {
    line() << "if (rank == " << s.rank << ") {\n    const auto lent = session.borrow(deed::write("
           << name(s.datum) << "));\n    assign(seen_of(*lent), borrow_seed(" << index_ << "), "
           << truth(of(s.datum).large) << ");\n  }\n";
    bystanders(s.datum, s.rank);
  }

  void collective(const step& s) {
    const std::string given = "deed::read(" + name(s.datum) + ")";
    const std::string taken = "deed::write(" + name(s.target) + ")";
    switch (s.kind) {
      case together::broadcast:
        line() << "session.broadcast(deed::read_write(" << name(s.datum) << "), deed::from{"
               << s.rank << "});\n";
        return;
      case together::all_gather:
        line() << "requests.push_back(session.iall_gather(" << given << ", " << taken << "));\n";
        return;
      case together::all_reduce:
        line() << "session.all_reduce(" << given << ", " << taken << ", std::plus<>{});\n";
        return;
      case together::gather:
        line() << "session.gather(" << given << ", " << taken << ", deed::to{" << name(s.target)
               << ".owner().value});\n";
        return;
      case together::scatter:
        line() << "session.scatter(" << given << ", " << taken << ", deed::from{" << name(s.datum)
               << ".owner().value}, calls.one());\n";
        return;
    }
  }

  void one(const step& s) {
    switch (s.what) {
      case verb::add:
        return add(s);
      case verb::end:
        line() << "std::move(" << name(s.datum) << ").unregister();\n";
        return;
      case verb::task:
        return task(s);
      case verb::message:
        return message(s);
      case verb::collective:
        return collective(s);
      case verb::fetch:
        line() << "session.fetch(deed::read(" << name(s.datum) << "), "
               << (s.rank < 0 ? "deed::everywhere" : "deed::to{" + std::to_string(s.rank) + "}")
               << ");\n";
        return;
      case verb::migrate:
        line() << "session.migrate(" << name(s.datum) << ", deed::owner{" << s.rank << "});\n";
        return;
      case verb::flush:
        line() << "session.flush(" << (s.rank < 0 ? "" : name(s.datum)) << ");\n";
        return;
      case verb::cache:
        line() << "session.set_cache(" << truth(s.rank != 0) << ");\n";
        return;
      case verb::read:
        return read(s);
      case verb::write:
        return write(s);
      case verb::wait:
        return wait();
      case verb::barrier:
        line() << "session.barrier();\n";
        return;
    }
  }

  /// What every rank has done and holds at the end.
  void ends() {
    for (int r = 0; r < program_.how.ranks; ++r) {
      std::uint64_t tasks = 0;
      for (const auto& run : expected_.runs) tasks += run.rank == r;
      const auto hits = expected_.hits.find(r);
      line() << "if (rank == " << r << ") expect_counts(session, " << tasks << ", "
             << (hits == expected_.hits.end() ? 0 : hits->second) << ", {";
      std::string_view comma = "";
      for (const auto& [pair, sent] : expected_.sent) {
        if (pair.first != r) continue;
        out_ << comma << '{' << pair.second << ", " << sent.transfers << ", " << sent.bytes << '}';
        comma = ", ";
      }
      out_ << "});\n";
    }
    for (const auto& last : expected_.last) {
      line() << "if (rank == " << last.rank << ") look(*session.borrow(deed::read("
             << name(last.datum) << ")), " << last.value << "u);\n";
    }
  }

  void main() {
    const settings& how = program_.how;
    out_ << "int main(int argc, char** argv) {\n  return reproduce(argc, argv,\n"
         << "                   {.ranks = " << how.ranks << ", .seed = " << how.seed
         << "u, .window = " << how.window << ", .frame = " << how.frame << ", .bulk = " << how.bulk
         << ", .delay_one_in = " << how.delay_one_in << ", .workers = " << how.workers
         << ", .by_time = " << truth(how.by_time) << ", .cache = " << truth(how.cache)
         << ", .budget = " << how.budget << "},\n                   program);\n}\n";
  }

  const plan& program_;
  const expectation expected_;
  std::size_t index_ = 0;
  std::map<int, std::string> gated_;  // Tasks since the last wait, and where they run.
  std::map<std::size_t, std::vector<std::string>> held_;  // By the step before which they end.
  std::ostringstream out_;
};

}  // namespace

std::string reproducer(const plan& program) { return writer(program).write(); }

}  // namespace oracle
