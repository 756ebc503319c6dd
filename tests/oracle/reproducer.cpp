// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "shrink.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
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
    bool again = false;
    for (const step& s : program_.steps) {
      if (s.what == verb::repeat) again = true;
      if (s.what == verb::again) again = false;
      if (is_task(s)) codelet(s, again);
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
  void codelet(const step& s, bool again) {
    const std::string task = "task_" + std::to_string(s.task);
    out_ << "constexpr deed::codelet " << task << "{\"" << task << "\", [](";
    if (s.listed) {
      for (const access_mode mode : list_modes) list_parameter(s, mode);
    } else {
      for (std::size_t i = 0; i < s.uses.size(); ++i) parameter(s.uses[i], i);
    }
    out_ << "[[maybe_unused]] std::uint64_t wanted) {\n  compute(" << s.task << ", "
         << (again ? "std::nullopt" : "wanted") << ", {";
    std::string_view comma = "";
    for (std::size_t i = 0; i < s.uses.size(); ++i) {
      const use& u = s.uses[i];
      out_ << comma << "{seen_of(" << argument(s, i)
           << "), access_mode::" << deed::to_string(u.mode) << ", " << truth(of(u.datum).large)
           << '}';
      comma = ", ";
    }
    out_ << "});\n}};\n";
  }
  static constexpr std::array list_modes{access_mode::read, access_mode::write,
                                         access_mode::read_write};
  static std::string list_name(access_mode mode) {
    return mode == access_mode::read ? "reads" : mode == access_mode::write ? "writes" : "changes";
  }
  void list_parameter(const step& s, access_mode mode) {
    const int like = s.uses.front().datum;
    const bool reads = mode == access_mode::read;
    out_ << "[[maybe_unused]] ";
    if (of(like).is == form::tile)
      out_ << "std::span<const deed::tile<" << (reads ? "const " : "") << "double>> ";
    else
      out_ << "std::span<" << (reads ? "const " : "") << type(like) << "* const> ";
    out_ << list_name(mode) << ", ";
  }
  /// What the body calls use number `i`.
  [[nodiscard]] std::string argument(const step& s, std::size_t i) const {
    if (!s.listed) return "x" + std::to_string(i);
    const access_mode mode = s.uses[i].mode;
    const auto before =
        std::count_if(s.uses.begin(), s.uses.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const use& u) { return u.mode == mode; });
    const bool tile = of(s.uses[i].datum).is == form::tile;
    return (tile ? "" : "*") + list_name(mode) + "[" + std::to_string(before) + "]";
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
    if (d.rows != 0) out_ << ", .rows = " << d.rows;
    out_ << "});\n";
  }

  std::string lists(const step& s) const {
    std::string text;
    const std::string values(type(s.uses.front().datum));
    for (const access_mode mode : list_modes) {
      std::string all;
      for (const use& u : s.uses) {
        if (u.mode == mode) all += (all.empty() ? "&" : ", &") + name(u.datum);
      }
      text += (text.empty() ? "deed::" : ", deed::") + std::string(deed::to_string(mode)) +
              "(oracle::listed<" + values + ">({" + all + "}))";
    }
    return text;
  }
  std::string tokens(const step& s) const {
    if (s.listed) return lists(s);
    std::string text;
    for (const use& u : s.uses) {
      text += (text.empty() ? "deed::" : ", deed::") + std::string(deed::to_string(u.mode)) + '(' +
              name(u.datum) + ')';
    }
    return text;
  }

  /// What a task reads, by the rank that runs it.
  std::map<int, std::uint64_t> wanted_of(int task) const {
    std::map<int, std::uint64_t> wanted;
    for (const auto& run : expected_.runs) {
      if (run.task == task) wanted[run.rank] = run.inputs;
    }
    return wanted;
  }
  /// The same as an expression.
  static std::string on_ranks(const std::map<int, std::uint64_t>& wanted) {
    std::string all;
    for (const auto& [rank, inputs] : wanted) {
      all +=
          (all.empty() ? "{" : ", {") + std::to_string(rank) + ", " + std::to_string(inputs) + "u}";
    }
    return "deed::value(on_ranks(rank, {" + all + "}))";
  }
  static std::string ranks(const std::vector<int>& all) {
    std::string text;
    for (const int r : all)
      text += (text.empty() ? "deed::rank{" : ", deed::rank{") + std::to_string(r) + '}';
    return "std::vector<deed::rank>{" + text + '}';
  }
  static std::string placement(const step& s) {
    if (s.where == placed::on_rank)
      return ", deed::on(deed::rank{" + std::to_string(s.target) + "})";
    if (s.where == placed::with_owner) return ", deed::on_owner_of(" + name(s.target) + ')';
    if (s.where == placed::on_each) return ", deed::on_each(" + ranks(s.ranks) + ')';
    return {};
  }

  void prepare(const step& s) {
    const std::string all = tokens(s);
    line() << "auto ahead_" << s.task << " = session.prepare_task(task_" << s.task << ", " << all
           << (all.empty() ? "" : ", ") << on_ranks(wanted_of(s.task)) << placement(s) << ");\n";
  }

  void list_step(const step& s) {
    const std::string type(types[static_cast<std::size_t>(of(s.uses.front().datum).is)]);
    const std::string values = "values_" + std::to_string(index_);
    std::string all;
    for (const use& u : s.uses) all += (all.empty() ? "&" : ", &") + name(u.datum);
    const bool gathers = s.what == verb::gather_list;
    line() << "std::vector<" << type << "> " << values;
    if (!gathers) {
      out_ << "{";
      for (std::size_t i = 0; i < s.uses.size(); ++i) {
        out_ << (i == 0 ? "" : ", ") << "from_seed<" << type << ">(list_seed(" << index() << ", "
             << i << "), " << truth(of(s.uses[i].datum).large) << ')';
      }
      out_ << '}';
    }
    out_ << ";\n";
    const std::string data = "listed<" + type + ">({" + all + "})";
    if (!gathers) {
      line() << "session.scatter(deed::write(" << data << "), deed::from{" << s.rank << "}, "
             << values << ");\n";
      return;
    }
    line() << "session.igather(deed::read(" << data << "), deed::to{" << s.rank << "}, " << values
           << ").wait();\n";
    for (const auto& look : expected_.looks) {
      if (look.step == index_ && !repeats_)
        line() << "if (rank == " << s.rank << ") look_at_all(" << values << ", " << look.value
               << "u);\n";
    }
  }

  void take(const step& s) {
    const std::string value = "taken_" + std::to_string(index_);
    line() << "const auto " << value << " = session.take(std::move(" << name(s.datum) << "));\n";
    for (const auto& look : expected_.looks) {
      if (look.step == index_)
        line() << "if (rank == " << look.rank << ") look(*" << value << ", " << look.value
               << "u);\n";
    }
  }
  void partition(const step& s) {
    const std::string parts = "parts_" + std::to_string(index_);
    partitions_[s.datum] = parts;
    line() << "auto " << parts << " = session.partition(std::move(" << name(s.datum)
           << "), deed::row_blocks{" << s.uses.size() << '}';
    std::string owners;
    for (const int r : s.ranks) owners += (owners.empty() ? "" : ", ") + std::to_string(r);
    if (!s.ranks.empty()) out_ << ", [](std::size_t i) { return std::array{" << owners << "}[i]; }";
    out_ << ");\n";
    for (std::size_t i = 0; i < s.uses.size(); ++i)
      line() << "[[maybe_unused]] auto& " << name(s.uses[i].datum) << " = " << parts << '[' << i
             << "];\n";
  }

  void copy(const step& s) {
    const std::string from = "deed::read(" + name(s.datum) + ")",
                      to = "deed::write(" + name(s.target) + ")";
    line() << (s.pruned ? "if (session.relevant(" + to + ", " + from + ")) " : "")
           << "session.copy(" << from << ", " << to << ");\n";
  }

  void task(const step& s) {
    const std::map<int, std::uint64_t> wanted = wanted_of(s.task);
    const std::string all = tokens(s);
    std::string here;  // Whether the task runs on this rank.
    for (const auto& [rank, inputs] : wanted)
      here += (here.empty() ? "rank == " : " || rank == ") + std::to_string(rank);
    const bool each = s.where == placed::on_each;
    const auto insert = [&](std::uint64_t inputs) {
      out_ << "session.insert_task(task_" << s.task << ", " << all << (all.empty() ? "" : ", ");
      if (each)
        out_ << on_ranks(wanted);
      else
        out_ << "deed::value(std::uint64_t{" << inputs << "u})";
      out_ << placement(s);
      if (const int urgency = urgency_of(s); urgency != 0)
        out_ << ", deed::priority{" << urgency << '}';
      if (s.gated) {
        out_ << ", deed::behind(first_" << s.task << "), deed::opens(opened_" << s.task
             << "), calls.one(" << (s.ranks.empty() || each ? here : "") << ')';
      }
      out_ << ");\n";
    };
    if (s.gated) {
      line() << "auto first_" << s.task << " = session.make_gate(\"first\"), opened_" << s.task
             << " = session.make_gate(\"opened\");\n";
      if (!repeats_) gated_[s.task] = here;
    }
    if (!s.ranks.empty() && !each) {
      for (const auto& [rank, inputs] : wanted) {
        line() << "if (rank == " << rank << ") ";
        insert(inputs);
      }
    } else {
      line() << (s.pruned ? "if (session.relevant(" + all + placement(s) + ")) " : "");
      insert(wanted.begin()->second);
    }
    if (s.gated) line() << "first_" << s.task << ".open();\n";
  }

  void repeat(const step& s) {
    repeats_ = end_of_repetition(program_, index_);
    line() << "session.repeat(" << s.rank << ", [&, again = false]() mutable {\n";
  }
  void again() {
    line() << "again = true;\n";
    line() << "});\n";
    repeats_ = std::nullopt;
  }
  /// The step to which what is written belongs.
  [[nodiscard]] std::string index() const {
    if (!repeats_) return std::to_string(index_);
    return "again ? " + std::to_string(*repeats_) + " : " + std::to_string(index_);
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
    const std::string end = ", deed::message_tag{" + std::to_string(s.tag) + "}" + group(s);
    line() << "if (rank == " << s.rank << ") " << begin << "send(deed::read(" << name(s.datum)
           << "), deed::to{" << place_in(s, s.receiver) << '}' << end
           << (s.how == called::synchronous ? ", deed::synchronous" : "")
           << (calls ? ", calls.one(), deed::priority{1}" : "") << (requested ? "));\n" : ");\n");
    line() << "if (rank == " << s.receiver << ") " << begin << "receive(deed::write("
           << name(s.target) << "), deed::from{" << place_in(s, s.rank) << '}' << end
           << (calls ? ", calls.one()" : "") << (requested ? "));\n" : ");\n");
    bystanders(s.target, s.receiver);
  }

  void read(const step& s) {
    if (repeats_) {
      line() << "if (rank == " << s.rank << ") static_cast<void>(*session.borrow(deed::read("
             << name(s.datum) << ")));\n";
      return;
    }
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
           << name(s.datum) << "));\n    assign(seen_of(*lent), borrow_seed(" << index() << "), "
           << truth(of(s.datum).large) << ");\n  }\n";
    bystanders(s.datum, s.rank);
  }

  /// A rank as the call names it.
  int place_in(const step& s, int rank) const {
    if (s.group < 0 || s.among) return rank;
    const std::vector<int>& all = groups_.at(s.group);
    return static_cast<int>(std::ranges::find(all, rank) - all.begin());
  }
  static std::string group(const step& s) {
    if (s.group < 0) return {};
    return (s.among ? ", deed::among(g" : ", deed::within(g") + std::to_string(s.group) + ')';
  }

  void collective(const step& s) {
    const std::string given = "deed::read(" + name(s.datum) + ")";
    const std::string taken = "deed::write(" + name(s.target) + ")";
    const auto root = [&](int datum) {
      std::string owner = name(datum) + ".owner().value";
      if (s.group < 0 || s.among) return owner;
      return "member(g" + std::to_string(s.group) + ", " + owner + ')';
    };
    switch (s.kind) {
      case together::broadcast:
        line() << "session.broadcast(deed::read_write(" << name(s.datum) << "), deed::from{"
               << place_in(s, s.rank) << '}' << group(s) << ");\n";
        return;
      case together::all_gather:
        line() << "requests.push_back(session.iall_gather(" << given << ", " << taken << group(s)
               << "));\n";
        return;
      case together::all_to_all:
        line() << "session.all_to_all(" << given << ", " << taken << group(s) << ");\n";
        return;
      case together::all_reduce:
        line() << "session.all_reduce(" << given << ", " << taken << ", std::plus<>{}" << group(s)
               << ");\n";
        return;
      case together::reduce:
        line() << "session.reduce(" << given << ", " << taken << ", deed::to{" << root(s.target)
               << "}, std::plus<>{}" << group(s) << ");\n";
        return;
      case together::gather:
        line() << "session.gather(" << given << ", " << taken << ", deed::to{" << root(s.target)
               << '}' << group(s) << ");\n";
        return;
      case together::scatter:
        line() << "session.scatter(" << given << ", " << taken << ", deed::from{" << root(s.datum)
               << "}, calls.one()" << group(s) << ");\n";
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
      case verb::prepare:
        return prepare(s);
      case verb::submit:
        line() << "session.submit(std::move(ahead_" << s.task << "));\n";
        return;
      case verb::copy:
        return copy(s);
      case verb::take:
        return take(s);
      case verb::prefer:
        line() << "session.prefer_source(" << name(s.datum) << ", deed::rank{" << s.rank << "});\n";
        return;
      case verb::expect:
        line() << "session.expect_readers(" << name(s.datum) << ", " << s.rank << ");\n";
        return;
      case verb::observe:
        line() << "if (rank == " << s.rank << ") session.observe("
               << (s.target != 0 ? "[](const deed::observed_task&) {}" : "{}") << ");\n";
        return;
      case verb::await:
        line() << "if (rank == " << s.rank << ") session.wait(" << name(s.datum) << ");\n";
        return;
      case verb::group:
        groups_[s.datum] = s.ranks;
        line() << "auto g" << s.datum << " = session.group(" << ranks(s.ranks) << ");\n";
        return;
      case verb::partition:
        return partition(s);
      case verb::unite:
        line() << name(s.datum) << " = session.unite(std::move(" << partitions_[s.datum] << "));\n";
        return;
      case verb::gather_list:
      case verb::scatter_list:
        return list_step(s);
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
      case verb::repeat:
        return repeat(s);
      case verb::again:
        return again();
    }
  }

  /// What every rank has done and holds at the end.
  void ends() {
    for (int r = 0; r < program_.how.ranks; ++r) {
      std::uint64_t tasks = 0;
      for (const auto& run : expected_.runs) tasks += run.rank == r;
      if (const auto own = expected_.beside.find(r); own != expected_.beside.end())
        tasks += own->second;
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
  std::optional<std::size_t> repeats_;  // Where the repetition ends.
  std::map<int, std::vector<int>> groups_;
  std::map<int, std::string> partitions_;  // What their handles are called.
  std::map<int, std::string> gated_;       // Tasks since the last wait, and where they run.
  std::map<std::size_t, std::vector<std::string>> held_;  // By the step before which they end.
  std::ostringstream out_;
};

}  // namespace

std::string reproducer(const plan& program) { return writer(program).write(); }

}  // namespace oracle
