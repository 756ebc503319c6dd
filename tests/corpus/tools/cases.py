# SPDX-License-Identifier: MIT
"""The mistakes that tests/corpus/tools/gen writes in several shapes.

A text stands in `program(session)`, with `a` of rank 0, `b` of rank 1, `mine` of every rank, `rank` and
`size`. Where it has a line `//---`, the functions of the shapes hold what follows it. The line where a
report has to point ends with the code. With `parameters`, the text is the body of the codelet `it`, of
which `insert` makes a task.
"""
import dataclasses

EVERY = "direct callee member template units"


@dataclasses.dataclass(frozen=True)
class case:
    code: str
    number: int
    wrong: str
    right: str
    shapes: str = EVERY
    outside: str = ""  # at namespace scope
    wrong_outside: str = ""
    right_outside: str = ""
    parameters: str = ""
    insert: str = ""
    body: str = "{}"  # what stands around the lambda: `deed::cuda{{}}`
    missed: bool = False  # deed-check does not find it yet


COUNT = "constexpr deed::codelet count{\"count\", [](double& x, int n) { x += n; }};"
FILL = "constexpr deed::codelet zero{\"zero\", [](double& x) { x = 0; }};"

TILE = ("deed::tiled_matrix<double> m{session, {.rows = 64, .cols = 64, .tile_rows = 64, .tile_cols = 64, .initial = 0}};\n"
        "session.insert_task(it, deed::read_write(m(0, 0)));")
CHAIN = """
class chain {{
 public:
  chain() = default;
  explicit chain(double x) : x_(x) {{}}
  double& value() {{ return x_; }}

 private:
  double x_ = 0;
  {}
}};
constexpr deed::codelet walk{{"walk", [](chain& c) {{ c.value() += 1; }}}};
"""
SAMPLE = """
struct sample {{
  {}
}};
constexpr deed::codelet take{{"take", [](sample& s) {{ s.x += 1; }}}};
"""
TWO = """
constexpr deed::codelet east{{"{}", [](double& x) {{ x += 1; }}}};
constexpr deed::codelet west{{"{}", [](double& x) {{ x -= 1; }}}};{}
"""

# A body for devices, of one datum.
DEVICE = {"parameters": "deed::gpu::enqueue& queue, deed::gpu::device_span<double> x", "body": "deed::cuda{{}}",
          "insert": "auto c = session.register_data(deed::owner{0}, std::vector<double>(10));\n"
                    "session.insert_task(it, deed::read_write(c));"}

CASES = [
    # D1 Identity and lifecycle.
    case("D101", 11, """
auto c = std::move(a);
//---
session.insert_task(show, deed::read(a));  // D101
""", """
//---
session.insert_task(show, deed::read(a));
auto c = std::move(a);
""", "direct callee member units"),
    case("D101", 12, """
std::vector<deed::handle<double>> all;
all.push_back(std::move(a));
session.insert_task(bump, deed::read_write(a));  // D101
""", """
std::vector<deed::handle<double>> all;
session.insert_task(bump, deed::read_write(a));
all.push_back(std::move(a));
"""),
    case("D102", 11, """
std::move(a).unregister();
//---
session.insert_task(bump, deed::read_write(a));  // D102
""", """
//---
session.insert_task(bump, deed::read_write(a));
std::move(a).unregister();
""", "direct callee member units"),
    case("D102", 12, """
session.insert_task(bump, deed::read_write(a));
std::move(a).unregister();
auto view = session.borrow(deed::read(a));  // D102
std::cout << *view;
""", """
session.insert_task(bump, deed::read_write(a));
if (session.owns(a)) {
  auto view = session.borrow(deed::read(a));
  std::cout << *view;
}
std::move(a).unregister();
"""),
    case("D103", 11, """
{
  auto c = session.register_data(deed::owner{0}, 0.0);
  session.insert_task(bump, deed::read_write(c));
}  // D103
""", """
{
  auto c = session.register_data(deed::owner{0}, 0.0);
  session.insert_task(bump, deed::read_write(c));
  session.insert_task(show, deed::read(c));
}
""", "direct callee member units"),
    case("D103", 12, """
for (int i = 0; i < 4; ++i) {
  auto c = session.register_data(deed::owner{0}, 0.0);
  session.insert_task(add, deed::read_write(c), deed::read(a));
}  // D103
""", """
for (int i = 0; i < 4; ++i) {
  auto c = session.register_data(deed::owner{0}, 0.0);
  session.insert_task(add, deed::read_write(c), deed::read(a));
  session.insert_task(add, deed::read_write(a), deed::read(c));
}
"""),
    case("D104", 11, """
std::vector<double> buffer(100);
auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
auto d = session.register_data(deed::owner{0}, deed::in_place(buffer));  // D104
session.insert_task(clear, deed::write(c));
session.insert_task(clear, deed::write(d));
""", """
std::vector<double> buffer(100), other(100);
auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
auto d = session.register_data(deed::owner{0}, deed::in_place(other));
session.insert_task(clear, deed::write(c));
session.insert_task(clear, deed::write(d));
""", "direct callee member units"),
    case("D105", 11, """
auto c = session.register_data(deed::owner{0}, 0.0);
session.insert_task(add, deed::read_write(a), deed::read(c));
c = session.register_data(deed::owner{0}, 1.0);  // D105
session.insert_task(add, deed::read_write(a), deed::read(c));
""", """
auto c = session.register_data(deed::owner{0}, 0.0);
session.insert_task(add, deed::read_write(a), deed::read(c));
auto d = session.register_data(deed::owner{0}, 1.0);
session.insert_task(add, deed::read_write(a), deed::read(d));
"""),
    case("D106", 11, """
auto c = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{70}});
auto d = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{70}});  // D106
session.insert_task(add, deed::read_write(c), deed::read(d));
""", """
auto c = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{70}});
auto d = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{71}});
session.insert_task(add, deed::read_write(c), deed::read(d));
""", "direct callee member units"),
    case("D106", 12, """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < 3; ++i) {
  for (int j = 0; j < 4; ++j) {
    parts.push_back(session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{3 * i + j}}));  // D106
  }
}
""", """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < 3; ++i) {
  for (int j = 0; j < 4; ++j) {
    parts.push_back(session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{4 * i + j}}));
  }
}
""", "direct callee member units"),
    case("D107", 11, """
std::vector<deed::handle<double>> parts;
if (rank == 0) parts.push_back(session.register_data(deed::per_rank, 0.0));  // D107
auto grid = session.register_data(deed::owner{0}, 0.0, {.name = "grid"});
session.insert_task(bump, deed::read_write(grid));
""", """
std::vector<deed::handle<double>> parts;
parts.push_back(session.register_data(deed::per_rank, 0.0));
auto grid = session.register_data(deed::owner{0}, 0.0, {.name = "grid"});
session.insert_task(bump, deed::read_write(grid));
""", "direct callee member units"),
    case("D109", 11, """
auto c = session.register_data(deed::owner{size}, 0.0);  // D109
session.insert_task(bump, deed::read_write(c));
""", """
auto c = session.register_data(deed::owner{size - 1}, 0.0);
session.insert_task(bump, deed::read_write(c));
""", "direct callee member units"),
    case("D109", 12, """
std::vector<deed::handle<double>> parts;
for (int i = 0; i <= size; ++i) {
  parts.push_back(session.register_data(deed::owner{i}, 0.0));  // D109
}
""", """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < size; ++i) {
  parts.push_back(session.register_data(deed::owner{i}, 0.0));
}
""", "direct callee member units"),
    case("D111", 11, """
auto c = session.register_data(deed::owner{rank}, 0.0);  // D111
session.insert_task(bump, deed::read_write(c));
""", """
auto c = session.register_data(deed::per_rank, 0.0);
session.insert_task(bump, deed::read_write(c));
""", "direct callee member units"),
    case("D114", 11, """
std::vector<double> first(100);
auto c = session.register_data(deed::owner{0}, deed::in_place(first));
std::move(c).unregister();
{
  std::vector<double> rows(100);
  c = session.register_data(deed::owner{0}, deed::in_place(rows));  // D114
  session.insert_task(clear, deed::write(c));
}
session.wait();
""", """
std::vector<double> first(100), rows(100);
auto c = session.register_data(deed::owner{0}, deed::in_place(first));
std::move(c).unregister();
{
  c = session.register_data(deed::owner{0}, deed::in_place(rows));
  session.insert_task(clear, deed::write(c));
}
session.wait();
std::move(c).unregister();
""", "direct callee member units"),
    case("D115", 11, """
std::vector<double> rows(100);
auto c = session.register_data(deed::owner{0}, deed::in_place(rows));
rows.resize(200);  // D115
session.insert_task(clear, deed::write(c));
""", """
std::vector<double> rows(100);
rows.resize(200);
auto c = session.register_data(deed::owner{0}, deed::in_place(rows));
session.insert_task(clear, deed::write(c));
""", "direct callee member units"),
    case("D116", 11, """
auto c = session.register_data(deed::owner{0}, std::vector<double>(8), {.name = "c"});
auto parts = session.partition(std::move(c), deed::row_blocks{2});
session.insert_task(clear, deed::write(parts[1]));
session.insert_task(clear, deed::write(c));  // D116
""", """
auto c = session.register_data(deed::owner{0}, std::vector<double>(8), {.name = "c"});
auto parts = session.partition(std::move(c), deed::row_blocks{2});
session.insert_task(clear, deed::write(parts[1]));
c = session.unite(std::move(parts));
session.insert_task(clear, deed::write(c));
"""),
    case("D117", 11, """
auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
auto parts = session.partition(std::move(c), deed::row_ranges{{0, 40}, {30, 64}});  // D117
for (auto& part : parts) session.insert_task(clear, deed::write(part));
""", """
auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
auto parts = session.partition(std::move(c), deed::row_ranges{{0, 40}, {40, 64}});
for (auto& part : parts) session.insert_task(clear, deed::write(part));
""", "direct callee member units"),
    case("D117", 12, """
const deed::row_ranges cut{{0, 16}, {16, 30}, {32, 64}};  // D117
auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
auto parts = session.partition(std::move(c), cut);
for (auto& part : parts) session.insert_task(clear, deed::write(part));
""", """
const deed::row_ranges cut{{0, 16}, {16, 32}, {32, 64}};
auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
auto parts = session.partition(std::move(c), cut);
for (auto& part : parts) session.insert_task(clear, deed::write(part));
""", "direct callee member units"),
    case("D117", 13, """
constexpr std::size_t half = 32, halo = 2;
auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
auto parts = session.partition(std::move(c), deed::row_ranges{std::vector<deed::row_range>{{0, half + halo}, {half, 64}}});  // D117
for (auto& part : parts) session.insert_task(clear, deed::write(part));
""", """
constexpr std::size_t half = 32, halo = 2;
auto c = session.register_data(deed::owner{0}, std::vector<double>(64), {.name = "c"});
auto parts = session.partition(std::move(c), deed::row_ranges{std::vector<deed::row_range>{{0, half + halo}, {half + halo, 64}}});
for (auto& part : parts) session.insert_task(clear, deed::write(part));
""", "direct callee member units"),
    # D2 Access modes.
    case("D205", 11, "x = 0;", "x = y;", parameters="double& x, const double& y",
         insert="session.insert_task(it, deed::write(a), deed::read(b));  // D205"),
    case("D206", 11, "std::cout << x;", "x += 1;", parameters="double& x",
         insert="session.insert_task(it, deed::read_write(a));  // D206"),
    case("D207", 11, "x += 1;", "x = 1;", parameters="double& x",
         insert="session.insert_task(it, deed::write(a));  // D207"),
    case("D207", 12, "const double old = x;\nx = old * y;", "x = y;\nconst double now = x;\nx = now * y;",
         parameters="double& x, const double& y",
         insert="session.insert_task(it, deed::write(a), deed::read(b));  // D207"),
    case("D208", 11, """
auto c = session.register_data<double>(deed::owner{0}, deed::uninitialised);
session.insert_task(show, deed::read(c));  // D208
""", """
auto c = session.register_data<double>(deed::owner{0}, deed::uninitialised);
session.insert_task(zero, deed::write(c));
session.insert_task(show, deed::read(c));
""", "direct callee member units", outside=FILL),
    case("D209", 11, """
session.insert_task(add, deed::read_write(a), deed::read(a));  // D209
""", """
session.insert_task(add, deed::read_write(a), deed::read(b));
"""),
    case("D214", 11, "t(t.rows(), 0) = 0;  // D214", "t(t.rows() - 1, 0) = 0;", parameters="tile t", insert=TILE),
    case("D214", 12, "for (std::size_t i = 0; i <= t.rows(); ++i) t(i, 0) = 0;  // D214",
         "for (std::size_t i = 0; i < t.rows(); ++i) t(i, 0) = 0;", parameters="tile t", insert=TILE),
    case("D214", 13, "for (std::size_t j = 0; j < t.cols(); ++j) t(0, j) = t(0, j + 1);  // D214",
         "for (std::size_t j = 0; j + 1 < t.cols(); ++j) t(0, j) = t(0, j + 1);", parameters="tile t", insert=TILE),
    case("D214", 14, "for (std::size_t i = 0; i < v.size(); ++i) v[i] = v[i + 1];  // D214",
         "for (std::size_t i = 0; i < v.size() - 1; ++i) v[i] = v[i + 1];", parameters="std::span<double> v",
         insert="auto c = session.register_data(deed::owner{0}, std::vector<double>(4));\n"
                "session.insert_task(it, deed::read_write(c));"),
    case("D215", 11, "x = y;  // D215", "x += y;", parameters="double& x, const double& y",
         insert="session.insert_task(it, deed::commute(a), deed::read(b));"),
    # D3 Lifetimes.
    case("D216", 11, "x = room(0, 0);  // D216", "room(0, 0) = 2;\nx = room(0, 0);",
         parameters="double& x, tile room",
         insert="session.insert_task(it, deed::write(a), deed::scratch<double>({8, 8}));"),
    case("D216", 12, "room[7] += y;  // D216\nx = room[7];", "room[7] = y;\nroom[7] += y;\nx = room[7];",
         parameters="double& x, const double& y, std::span<double> room",
         insert="session.insert_task(it, deed::write(a), deed::read(b), deed::scratch<double>(8));"),
    case("D216", 13, "for (std::size_t i = 0; i < room.size(); ++i) x += room[i];  // D216",
         "for (double& each : room) each = 1;\nfor (std::size_t i = 0; i < room.size(); ++i) x += room[i];",
         parameters="double& x, std::span<double> room",
         insert="session.insert_task(it, deed::read_write(a), deed::scratch<double>(8));"),
    case("D303", 11, """
const pointing from{nullptr};
session.insert_task(load, deed::write(a), deed::value(from));  // D303
""", """
const pointing from{nullptr};
session.insert_task(bump, deed::read_write(a));
std::cout << from.get();
""", outside="""
class pointing {
 public:
  explicit pointing(const double* p) : p_(p) {}
  const double* get() const { return p_; }

 private:
  const double* p_;
};
constexpr deed::codelet load{"load", [](double& x, pointing from) { x = *from.get(); }};
"""),
    case("D305", 11, """
std::vector<double> rows(100);
auto c = session.register_data(deed::owner{0}, deed::in_place(rows));
session.insert_task(clear, deed::write(c));
std::cout << rows[0];  // D305
""", """
std::vector<double> rows(100);
auto c = session.register_data(deed::owner{0}, deed::in_place(rows));
session.insert_task(clear, deed::write(c));
session.wait();
std::cout << rows[0];
""", "direct callee member units"),
    case("D306", 11, """
auto view = session.borrow(deed::write(mine));
session.insert_task(bump, deed::read_write(mine));
//---
session.wait();  // D306
""", """
{
  auto view = session.borrow(deed::write(mine));
  *view = 3;
}
session.insert_task(bump, deed::read_write(mine));
//---
session.wait();
""", "direct callee units"),
    case("D306", 12, """
auto view = session.borrow(deed::read(mine));
session.insert_task(bump, deed::read_write(mine));
session.wait();  // D306
std::cout << *view;
""", """
auto view = session.borrow(deed::read(mine));
session.insert_task(show, deed::read(mine));
session.wait();
std::cout << *view;
"""),
    case("D307", 11, """
auto x = session.borrow(deed::write(mine));
auto y = session.borrow(deed::read(mine));  // D307
*x = *y;
""", """
auto x = session.borrow(deed::read(mine));
auto y = session.borrow(deed::read(mine));
std::cout << *x + *y;
"""),
    case("D308", 11, """
auto view = session.borrow(deed::read(mine));
const double& x = *view;
view.release();
std::cout << x;  // D308
""", """
auto view = session.borrow(deed::read(mine));
const double& x = *view;
std::cout << x;
view.release();
"""),
    case("D309", 11, """
auto view = session.borrow(deed::read(b));  // D309
std::cout << *view;
""", """
session.fetch(deed::read(b), deed::everywhere);
auto view = session.borrow(deed::read(b));
std::cout << *view;
"""),
    case("D309", 12, """
if (rank == 0) {
  auto view = session.borrow(deed::read(b));  // D309
  std::cout << *view;
}
""", """
if (session.owns(b)) {
  auto view = session.borrow(deed::read(b));
  std::cout << *view;
}
"""),
    # D4 Ranks diverge.
    case("D401", 11, """
if (rank == 0) session.insert_task(add, deed::read_write(a), deed::read(b));  // D401
""", """
session.insert_task(add, deed::read_write(a), deed::read(b));
if (rank == 0) std::cout << "inserted";
"""),
    case("D402", 11, """
session.insert_task(add, deed::read_write(b), deed::read(a));
if (session.owns(a)) session.insert_task(bump, deed::read_write(a));  // D402
session.insert_task(add, deed::read_write(b), deed::read(a));
""", """
session.insert_task(add, deed::read_write(b), deed::read(a));
if (session.relevant(deed::read_write(a))) session.insert_task(bump, deed::read_write(a));
session.insert_task(add, deed::read_write(b), deed::read(a));
"""),
    case("D403", 11, """
if (rank == 0) session.insert_task(add, deed::read_write(b), deed::read(a));  // D403
session.insert_task(add, deed::read_write(a), deed::read(b));  // D403
if (rank != 0) session.insert_task(add, deed::read_write(b), deed::read(a));
""", """
session.insert_task(add, deed::read_write(b), deed::read(a));
session.insert_task(add, deed::read_write(a), deed::read(b));
"""),
    case("D404", 11, """
if (rank == 0) session.wait();  // D404
""", """
session.wait();
if (rank == 0) std::cout << "done";
""", "direct callee member units"),
    case("D404", 12, """
if (rank > 0) session.fetch(deed::read(a), deed::everywhere);  // D404
""", """
session.fetch(deed::read(a), deed::everywhere);
"""),
    case("D405", 11, """
if (!std::ifstream{"in.dat"}) return;  // D405
session.barrier();
""", """
const bool missing = !std::ifstream{"in.dat"};
if (session.any(missing)) return;
session.barrier();
""", "direct callee member units"),
    case("D406", 11, """
for (int i = 0; i < 2 + rank; ++i) {
  session.insert_task(add, deed::read_write(a), deed::read(b));  // D406
}
""", """
for (int i = 0; i < 2 + size; ++i) {
  session.insert_task(add, deed::read_write(a), deed::read(b));
}
"""),
    case("D406", 12, """
session.insert_task(count, deed::read_write(mine), deed::value(rank));
while (*session.borrow(deed::read(mine)) < 5) {
  session.insert_task(add, deed::read_write(a), deed::read(b));  // D406
  session.insert_task(bump, deed::read_write(mine));
}
""", """
for (int i = 0; i < 10; ++i) {
  session.insert_task(add, deed::read_write(a), deed::read(b));
  session.insert_task(bump, deed::read_write(mine));
}
""", outside=COUNT),
    case("D407", 11, """
std::unordered_map<std::string, deed::handle<double>> fields;
fields.emplace("u", session.register_data(deed::owner{0}, 0.0));
fields.emplace("v", session.register_data(deed::owner{0}, 0.0));
for (auto& [name, field] : fields) session.insert_task(bump, deed::read_write(field));  // D407
""", """
std::map<std::string, deed::handle<double>> fields;
fields.emplace("u", session.register_data(deed::owner{0}, 0.0));
fields.emplace("v", session.register_data(deed::owner{0}, 0.0));
for (auto& [name, field] : fields) session.insert_task(bump, deed::read_write(field));
""", "direct callee member units"),
    case("D409", 11, """
session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{rank}));  // D409
""", """
session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{size - 1}));
"""),
    case("D410", 11, """
session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{size}));  // D410
""", """
session.insert_task(bump, deed::read_write(a), deed::on(deed::rank{size - 1}));
"""),
    case("D412", 11, """
session.insert_task(swap, deed::read_write(a), deed::read_write(b));  // D412
""", """
session.insert_task(swap, deed::read_write(a), deed::read_write(b), deed::on_owner_of(a));
""", outside="constexpr deed::codelet swap{\"swap\", [](double& x, double& y) { std::swap(x, y); }};"),
    case("D413", 11, """
session.insert_task(add, deed::read_write(mine), deed::read(a));  // D413
""", """
auto other = session.register_data(deed::per_rank, 1.0);
session.insert_task(add, deed::read_write(mine), deed::read(other));
"""),
    case("D414", 11, """
std::optional<deed::handle<double>> log;
if (rank == 0) log = session.register_data(deed::per_rank, 0.0);  // D107
session.insert_task(bump, deed::read_write(*log));  // D414
""", """
std::optional<deed::handle<double>> log;
log = session.register_data(deed::per_rank, 0.0);
session.insert_task(bump, deed::read_write(*log));
""", ""),
    # D5 Messages.
    case("D501", 11, """
auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
auto arrived = session.ireceive(deed::write(got), deed::from{rank}, deed::message_tag{3});
session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
arrived = session.ireceive(deed::write(got), deed::from{rank}, deed::message_tag{3});  // D501
arrived.wait();
""", """
auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
auto arrived = session.ireceive(deed::write(got), deed::from{rank}, deed::message_tag{3});
arrived.wait();
session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
arrived = session.ireceive(deed::write(got), deed::from{rank}, deed::message_tag{3});
arrived.wait();
"""),
    case("D502", 11, """
auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
auto arrived = session.ireceive(deed::write(got), deed::from{rank}, deed::message_tag{3});
arrived.wait();
arrived.wait();  // D502
""", """
auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
auto arrived = session.ireceive(deed::write(got), deed::from{rank}, deed::message_tag{3});
arrived.wait();
"""),
    case("D505", 11, """
if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{3});  // D505
""", """
if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{3});
"""),
    case("D505", 12, """
if (rank > 0) session.send(deed::read(mine), deed::to{rank - 1}, deed::message_tag{3});  // D505
if (rank == 0) session.receive(deed::write(mine), deed::from{1}, deed::message_tag{3});
""", """
if (rank > 0) session.send(deed::read(mine), deed::to{rank - 1}, deed::message_tag{3});
if (rank < size - 1) session.receive(deed::write(mine), deed::from{rank + 1}, deed::message_tag{3});
"""),
    case("D506", 11, """
if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{3});  // D506
""", """
if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{3});
"""),
    case("D507", 11, """
if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{4});  // D507
""", """
if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{4});
if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{4});
"""),
    case("D508", 11, """
if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(mine), deed::from{1}, deed::message_tag{3});  // D508
""", """
if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{3});
"""),
    case("D509", 11, """
std::vector<double> whole(64), part(32);
auto x = session.register_data(deed::per_rank, deed::in_place(whole));
auto y = session.register_data(deed::per_rank, deed::in_place(part));
if (rank == 0) session.send(deed::read(x), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(y), deed::from{0}, deed::message_tag{3});  // D509
""", """
std::vector<double> whole(64), part(64);
auto x = session.register_data(deed::per_rank, deed::in_place(whole));
auto y = session.register_data(deed::per_rank, deed::in_place(part));
if (rank == 0) session.send(deed::read(x), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(y), deed::from{0}, deed::message_tag{3});
""", "direct callee member units"),
    case("D510", 11, """
auto x = session.register_data(deed::per_rank, 1.0);
auto y = session.register_data(deed::per_rank, 1L);
if (rank == 0) session.send(deed::read(x), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(y), deed::from{0}, deed::message_tag{3});  // D510
""", """
auto x = session.register_data(deed::per_rank, 1L);
auto y = session.register_data(deed::per_rank, 1L);
if (rank == 0) session.send(deed::read(x), deed::to{1}, deed::message_tag{3});
if (rank == 1) session.receive(deed::write(y), deed::from{0}, deed::message_tag{3});
""", "direct callee member units"),
    case("D514", 11, """
session.send(deed::read(mine), deed::to{rank + 1}, deed::message_tag{1});  // D514
session.receive(deed::write(mine), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
""", """
session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
session.receive(deed::write(mine), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
"""),
    case("D511", 11, """
const int next = (rank + 1) % size, before = (rank + size - 1) % size;
session.ireceive(deed::write(mine), deed::from{before}, deed::message_tag{1}).wait();  // D511
session.send(deed::read(mine), deed::to{next}, deed::message_tag{1});
""", """
const int next = (rank + 1) % size, before = (rank + size - 1) % size;
session.send(deed::read(mine), deed::to{next}, deed::message_tag{1});
session.ireceive(deed::write(mine), deed::from{before}, deed::message_tag{1}).wait();
"""),
    case("D602", 11, """
auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::minus<>{}, 0.0});  // D602
session.insert_task(add, deed::reduce(total), deed::read(a));
session.insert_task(show, deed::read(total));
""", """
auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
session.insert_task(add, deed::reduce(total), deed::read(a));
session.insert_task(show, deed::read(total));
"""),
    case("D602", 12, """
constexpr auto less = [](double x, double y) { return x - y; };  // D602
auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{less, 0.0});
session.insert_task(add, deed::reduce(total), deed::read(a));
session.insert_task(show, deed::read(total));
""", """
constexpr auto most = [](double x, double y) { return x < y ? y : x; };
auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{most, 0.0});
session.insert_task(add, deed::reduce(total), deed::read(a));
session.insert_task(show, deed::read(total));
"""),
    case("D602", 13, """
auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{last, 0.0});
session.insert_task(add, deed::reduce(total), deed::read(a));
session.insert_task(show, deed::read(total));
""", """
auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{both, 0.0});
session.insert_task(add, deed::reduce(total), deed::read(a));
session.insert_task(show, deed::read(total));
""", wrong_outside="inline void last(double& x, const double& y) { x = y; }  // D602",
         right_outside="inline void both(double& x, const double& y) { x = x + y; }"),
    case("D606", 11, """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
session.gather(deed::read(std::span{parts}.first(rank + 1)), deed::to{0});  // D606
""", """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
session.gather(deed::read(std::span{parts}.first(size)), deed::to{0});
""", "direct callee member units"),
    case("D606", 12, """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
const std::size_t count = rank == 0 ? parts.size() : 1;
session.scatter(deed::write(std::span{parts}.subspan(0, count)), deed::from{0});  // D606
""", """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
session.scatter(deed::write(std::span{parts}.subspan(0, parts.size())), deed::from{0});
""", "direct callee member units"),
    case("D606", 13, """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
session.gather(deed::read(std::span(parts.data(), size - rank)), deed::to{0});  // D606
""", """
std::vector<deed::handle<double>> parts;
for (int i = 0; i < size; ++i) parts.push_back(session.register_data(deed::owner{i}, 1.0));
session.gather(deed::read(std::span(parts.data(), size - 1)), deed::to{0});
""", "direct callee member units"),
    case("D610", 11, """
if (rank == 0) session.flush(b);  // D610
session.insert_task(add, deed::read_write(a), deed::read(b));
""", """
session.flush(b);
session.insert_task(add, deed::read_write(a), deed::read(b));
"""),
    case("D611", 11, """
if (session.owns(a)) session.migrate(a, deed::owner{1});  // D611
""", """
session.migrate(a, deed::owner{1});
"""),
    case("D702", 11, """
auto start = session.make_gate("start");
session.insert_task(bump, deed::read_write(a), deed::behind(start));
session.wait();  // D702
""", """
auto start = session.make_gate("start");
session.insert_task(bump, deed::read_write(a), deed::behind(start));
start.open();
session.wait();
"""),
    case("D703", 11, """
auto start = session.make_gate("start");
session.insert_task(bump, deed::read_write(a), deed::behind(start));
start.open();
start.open();  // D703
""", """
auto start = session.make_gate("start");
session.insert_task(bump, deed::read_write(a), deed::behind(start));
start.open();
"""),
    case("D704", 11, """
auto first = session.make_gate("first"), second = session.make_gate("second");
session.insert_task(bump, deed::read_write(a), deed::behind(first), deed::opens(second));
session.insert_task(bump, deed::read_write(b), deed::behind(second), deed::opens(first));  // D704
session.wait();
""", """
auto first = session.make_gate("first"), second = session.make_gate("second");
session.insert_task(bump, deed::read_write(mine), deed::behind(first), deed::opens(second));
session.insert_task(bump, deed::read_write(mine), deed::behind(second));
first.open();
session.wait();
"""),
    # D7 and D8 Waiting, session, what a codelet may do.
    case("D706", 11, "std::this_thread::sleep_for(std::chrono::seconds{1});  // D706\nx += 1;", "x += 1;",
         parameters="double& x", insert="session.insert_task(it, deed::read_write(a));"),
    case("D801", 11, """
session.close();
//---
session.insert_task(bump, deed::read_write(a));  // D801
""", """
//---
session.insert_task(bump, deed::read_write(a));
session.close();
""", "direct callee member units"),
    case("D806", 11, """
std::thread{[&] { session.insert_task(bump, deed::read_write(a)); }}.join();  // D806
""", """
std::thread{[] { std::cout << "here"; }}.join();
session.insert_task(bump, deed::read_write(a));
"""),
    case("D806", 12, """
auto done = std::async(std::launch::async, [&] {
  session.wait();  // D806
});
done.get();
""", """
auto done = std::async(std::launch::async, [] {
  std::cout << "here";
});
done.get();
session.wait();
""", "direct callee member units"),
    case("D807", 11, 'throw std::runtime_error{"not written yet"};  // D807', "x = 0;", parameters="double& x",
         insert="session.insert_task(it, deed::read_write(a));"),
    case("D807", 12, 'if (x < 0) throw std::domain_error{"negative"};  // D807\nthrow std::domain_error{"not negative"};',
         'if (x < 0) throw std::domain_error{"negative"};\nx = std::sqrt(x);', parameters="double& x",
         insert="session.insert_task(it, deed::read_write(a));"),
    case("D807", 13, 'try {\n  x = std::sqrt(x);\n} catch (const std::exception&) {\n  x = 0;\n}\nthrow std::domain_error{"done"};  // D807',
         'try {\n  throw std::domain_error{"caught below"};\n} catch (const std::exception&) {\n  x = 0;\n}', parameters="double& x",
         insert="session.insert_task(it, deed::read_write(a));", shapes="direct callee member template"),
    case("D808", 11, "if (x > 0) std::exit(1);  // D808\nx += 1;", "if (x < 0) x = 0;\nx += 1;",
         parameters="double& x", insert="session.insert_task(it, deed::read_write(a));"),
    case("D809", 11, "static double last = 0;  // D809\nx += last;\nlast = x;", "double last = 0;\nx += last;\nlast = x;",
         parameters="double& x", insert="session.insert_task(it, deed::read_write(a));"),
    case("D810", 11, "++hits;  // D810\nx += 1;", "x += 1;", outside="inline int hits = 0;",
         parameters="double& x", insert="session.insert_task(it, deed::read_write(a));",
         shapes="direct callee member template"),
    case("D813", 11, "kept = &queue;  // D813", "deed::gpu::enqueue* const here = &queue;\nstatic_cast<void>(here->device());",
         outside="inline deed::gpu::enqueue* kept = nullptr;", **DEVICE),
    case("D813", 12, "kept.push_back(&queue);  // D813",
         "std::vector<deed::gpu::enqueue*> mine;\nmine.push_back(&queue);\nstatic_cast<void>(queue.native(x));",
         outside="inline std::vector<deed::gpu::enqueue*> kept;", **DEVICE),
    case("D813", 13, "last.right = &queue;  // D813", "launch one;\none.right = &queue;\nstatic_cast<void>(one.right->device());",
         outside="struct launch {\n  deed::gpu::enqueue* right = nullptr;\n};\ninline launch last;", **DEVICE),
    case("D816", 11, """
if (fork() == 0) {
  session.wait();  // D816
}
""", """
if (fork() == 0) {
  _exit(0);
} else {
  session.wait();
}
""", "direct callee member units"),
    # D9 Layout, limits.
    case("D903", 11, """
auto c = session.register_data(deed::owner{0}, chain{1.0});
session.insert_task(walk, deed::read_write(c));
""", """
auto c = session.register_data(deed::owner{0}, chain{1.0});
session.insert_task(walk, deed::read_write(c));
""", "direct callee member units", wrong_outside=CHAIN.format("chain* next_ = nullptr;  // D903"),
         right_outside=CHAIN.format("std::int64_t next_ = -1;")),
    case("D904", 11, """
auto c = session.register_data(deed::owner{0}, sample{});  // D904
session.insert_task(take, deed::read_write(c));
""", """
auto c = session.register_data(deed::owner{0}, sample{});
session.insert_task(take, deed::read_write(c));
""", "direct callee member units", wrong_outside=SAMPLE.format("char kind;\n  double x;"),
         right_outside=SAMPLE.format("double x;\n  double y;")),
    case("D906", 11, """
deed::tiled_matrix<double> m{session, {.rows = -1, .cols = 64, .tile_rows = 64, .tile_cols = 64}};  // D906
""", """
deed::tiled_matrix<double> m{session, {.rows = 64, .cols = 64, .tile_rows = 64, .tile_cols = 64}};
""", "direct callee member units"),
    case("D907", 11, "std::vector<double> v(&t(0, 0), &t(0, 0) + t.rows() * t.cols());  // D907\nt(0, 0) = v[0];",
         "std::vector<double> v(&t(0, 0), &t(0, 0) + t.cols());\nt(0, 0) = v[0];", parameters="tile t", insert=TILE),
    # Mistakes of which the hand wrote one.
    case("D201", 11, "const_cast<double&>(x) = 2;  // D201", "std::cout << x;", parameters="const double& x",
         insert="session.insert_task(it, deed::read(a));"),
    case("D204", 11, "x = table[0];  // D204", "x += 1;", outside="inline std::vector<double> table(100);", parameters="double& x",
         insert="auto t = session.register_data(deed::owner{0}, deed::in_place(table));\n"
                "session.insert_task(it, deed::read_write(a));", shapes="direct callee member template"),
    case("D204", 12, "table[0] = x;  // D204", "x += 1;", outside="inline std::vector<double> table(100);", parameters="double& x",
         insert="auto t = session.register_data(deed::owner{0}, deed::in_place(table));\n"
                "session.insert_task(it, deed::read_write(a));", shapes="direct callee member template"),
    case("D211", 11, "kept = &v;  // D211", "v[0] = 1;", outside="inline std::vector<double>* kept = nullptr;",
         parameters="std::vector<double>& v",
         insert="auto c = session.register_data(deed::owner{0}, std::vector<double>(10));\n"
                "session.insert_task(it, deed::read_write(c));"),
    case("D211", 12, "kept = t;  // D211", "t(0, 0) += 1;", outside="inline tile kept;", parameters="tile t", insert=TILE),
    case("D211", 13, "last.at = &v[1];  // D211", "v[0] += v[1];", parameters="std::span<double> v",
         outside="struct notes {\n  double* at = nullptr;\n};\ninline notes last;",
         insert="std::vector<double> room(10);\nauto c = session.register_data(deed::owner{0}, deed::in_place(room));\n"
                "session.insert_task(it, deed::read_write(c));"),
    case("D211", 14, "kept = x;  // D211", "static_cast<void>(queue.native(x));",
         outside="inline deed::gpu::device_span<double> kept;", **DEVICE),
    case("D211", 15, "kept = queue.native(x);  // D211", "double* const here = queue.native(x);\nstatic_cast<void>(here);",
         outside="inline double* kept = nullptr;", **DEVICE),
    case("D211", 16, "kept.push_back(x.subspan(1, 2).data());  // D211",
         "std::vector<deed::gpu::device_ptr<double>> mine;\nmine.push_back(x.subspan(1, 2).data());\n"
         "static_cast<void>(queue.device());",
         outside="inline std::vector<deed::gpu::device_ptr<double>> kept;", **DEVICE),
    case("D212", 11, """
deed::tiled_matrix<double> m{session, {.rows = 64 + rank, .cols = 64, .tile_rows = 64, .tile_cols = 64}};  // D212
""", """
deed::tiled_matrix<double> m{session, {.rows = 64 + size, .cols = 64, .tile_rows = 64, .tile_cols = 64}};
""", "direct callee member units"),
    case("D213", 11, """
if (rank == 0) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{7}});  // D213
} else {
  auto x = session.register_data(deed::owner{0}, 1.0f, {.tag = deed::tag{7}});
}
""", """
if (rank == 0) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{7}});
} else {
  auto x = session.register_data(deed::owner{0}, 2.0, {.tag = deed::tag{7}});
}
""", "direct callee member units"),
    case("D408", 11, """
session.insert_task(count, deed::read_write(a), deed::value(std::rand()), deed::on_each{deed::everywhere});  // D408
""", """
session.insert_task(count, deed::read_write(a), deed::value(size), deed::on_each{deed::everywhere});
""", outside=COUNT),
    case("D414", 11, """
std::optional<deed::handle<double>> log;
auto kept = session.register_data(deed::per_rank, 0.0);
if (rank == 0) log = std::move(kept);
session.insert_task(bump, deed::read_write(*log));  // D414
""", """
std::optional<deed::handle<double>> log;
auto kept = session.register_data(deed::per_rank, 0.0);
if (rank == 0) log = std::move(kept);
if (log) session.insert_task(bump, deed::read_write(*log));
""", "direct callee member units"),
    case("D512", 11, """
session.isend(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1}).wait();  // D512
session.receive(deed::write(mine), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
""", """
auto sent = session.isend(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
session.receive(deed::write(mine), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
sent.wait();
"""),
    case("D603", 11, """
auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
session.insert_task(add, deed::reduce(total), deed::read(b));
session.insert_task(zero, deed::write(total));  // D603
""", """
auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{std::plus<>{}, 0.0});
session.insert_task(add, deed::reduce(total), deed::read(b));
session.reduce(total);
session.insert_task(zero, deed::write(total));
""", outside=FILL),
    case("D608", 11, """
std::vector<deed::handle<double>> parts;
session.gather(deed::read(parts), deed::to{rank});  // D608
""", """
std::vector<deed::handle<double>> parts;
session.gather(deed::read(parts), deed::to{0});
""", "direct callee member units"),
    case("D609", 11, """
std::vector<deed::handle<double>> parts;
if (rank == 0) {
  session.gather(deed::read(parts), deed::to{0});  // D609
} else {
  session.scatter(deed::write(parts), deed::from{0});
}
""", """
std::vector<deed::handle<double>> parts;
if (rank == 0) {
  session.gather(deed::read(parts), deed::to{0});
} else {
  session.gather(deed::read(parts), deed::to{0});
}
""", "direct callee member units"),
    case("D612", 11, """
std::vector<double> buffer(100);
auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
session.migrate(c, deed::owner{1});
std::move(c).unregister();  // D612
""", """
auto c = session.register_data(deed::owner{0}, std::vector<double>(100));
session.migrate(c, deed::owner{1});
std::move(c).unregister();
""", "direct callee member units"),
    case("D705", 11, "world->wait();  // D705\nx = 1;", "x = 1;", outside="inline deed::session* world = nullptr;",
         parameters="double& x", insert="world = &session;\nsession.insert_task(it, deed::read_write(a));",
         shapes="direct callee member template"),
    case("D710", 11, """
auto theirs = session.register_data(deed::per_rank, 0.0);
auto arrived = session.ireceive(deed::write(theirs), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
while (!arrived.test()) {  // D710
}
""", """
auto theirs = session.register_data(deed::per_rank, 0.0);
auto arrived = session.ireceive(deed::write(theirs), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
arrived.wait();
"""),
    case("D911", 11, """
session.insert_task(east, deed::read_write(a));
session.insert_task(west, deed::read_write(a));
""", """
session.insert_task(east, deed::read_write(a));
session.insert_task(west, deed::read_write(a));
""", "direct callee member units", wrong_outside=TWO.format("relax", "relax", "  // D911"),
         right_outside=TWO.format("east", "west", "")),
]
