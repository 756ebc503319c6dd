# SPDX-License-Identifier: MIT
"""The operators that turn a right program into one that is wrong, perhaps.

An operator takes the text of a program and gives (line, text) of what it makes of it. They know the calls of
deed as a person would look for them, no more: what does not compile is refused by the compiler, and what
still behaves is no mistake.
"""
import dataclasses
import re
from collections.abc import Callable, Iterator

TOKEN = r"deed::(?:read_write|read|write|commute|reduce)\([^()]*(?:\([^()]*\)[^()]*)*\)"
CALL = re.compile(r"(session\.insert_task\(|session\.relevant\()")


@dataclasses.dataclass(frozen=True)
class statement:
    """A whole statement of a function, as offsets, without its indentation."""
    begin: int
    end: int
    text: str

    @property
    def declares(self) -> bool:
        return bool(re.match(r"(const |static )?(auto|int|double|bool|std::|deed::|struct|class)\b", self.text))


def statements(text: str) -> list[statement]:
    """What ends with a semicolon, lies in a function, and does something with deed."""
    found, begin = [], None
    offset = 0
    for line in text.splitlines(keepends=True):
        code = re.sub(r"//.*", "", line).rstrip()
        stripped = code.strip()
        if begin is None and line.startswith(" ") and stripped and stripped[0] not in "{}#":
            begin = offset + len(line) - len(line.lstrip())
        if begin is not None and (stripped.endswith((";", "{", "}")) or not stripped):
            body = text[begin:offset + len(code)]
            balanced = body.count("(") == body.count(")") and body.count("{") == body.count("}")
            if stripped.endswith(";") and balanced and re.search(r"session|\.wait\(|\.release\(|\.open\(|\*\w+ =", body):
                found.append(statement(begin, offset + len(code), body))
            if balanced or not stripped.endswith(("{", "}")):
                begin = None
            elif re.match(r"(if|for|while|else|do|struct|class|void|template)\b", body):
                begin = None
        offset += len(line)
    return [s for s in found if not s.text.startswith(("return", "deed::session&", "using"))]


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


mutation = tuple[int, str]
operator = Callable[[str], Iterator[mutation]]
OPERATORS: dict[str, operator] = {}


def named(name: str) -> Callable[[operator], operator]:
    def keep(f: operator) -> operator:
        OPERATORS[name] = f
        return f
    return keep


def replaced(text: str, begin: int, end: int, by: str) -> mutation:
    return line_of(text, begin), text[:begin] + by + text[end:]


def each(text: str, pattern: str, by: str | Callable[[re.Match], str]) -> Iterator[mutation]:
    for m in re.finditer(pattern, text):
        yield replaced(text, m.start(), m.end(), m.expand(by) if isinstance(by, str) else by(m))


def around(text: str, wanted: Callable[[statement], bool], make: Callable[[statement], str]) -> Iterator[mutation]:
    for s in statements(text):
        if wanted(s):
            yield replaced(text, s.begin, s.end, make(s))


def handles(s: statement) -> list[str]:
    return re.findall(r"deed::(?:read_write|read|write)\((\w+)\)", s.text)


@named("drop a wait")
def _(text):
    yield from around(text, lambda s: ".wait()" in s.text, lambda s: ";")


@named("drop a token")
def _(text):
    yield from each(text, rf", {TOKEN}", "")


@named("read for write")
def _(text):
    yield from each(text, r"deed::(read_write|write)\(", "deed::read(")


@named("write for read and write")
def _(text):
    yield from each(text, r"deed::read_write\(", "deed::write(")


@named("swap two tokens")
def _(text):
    yield from each(text, rf"({TOKEN}), ({TOKEN})", r"\2, \1")


@named("move a handle too early")
def _(text):
    for s in statements(text):
        for h in handles(s)[:1]:
            yield replaced(text, s.begin, s.begin, f"auto moved = std::move({h});\n  ")


@named("do it twice")
def _(text):
    yield from around(text, lambda s: not s.declares, lambda s: f"{s.text}\n  {s.text}")


@named("tag + 1")
def _(text):
    yield from each(text, r"(message_tag|deed::tag)\{([^{}]+)\}", r"\1{\2 + 1}")


@named("owner + 1")
def _(text):
    yield from each(text, r"deed::owner\{([^{}]+)\}", r"deed::owner{\1 + 1}")


@named("peer + 1")
def _(text):
    yield from each(text, r"deed::(to|from)\{([^{}]+)\}", r"deed::\1{\2 + 1}")


@named("rank 0 alone")
def _(text):
    yield from around(text, lambda s: not s.declares, lambda s: f"if (session.rank() == 0) {s.text}")


@named("leave early on one rank")
def _(text):
    inside = text.find("void program(")
    yield from ((line, made) for line, made in around(
        text, lambda s: s.begin > inside, lambda s: f"if (session.rank() == 1) return;\n  {s.text}"))


@named("another order on one rank")
def _(text):
    all_of_them = statements(text)
    for a, b in zip(all_of_them, all_of_them[1:]):
        if a.declares or b.declares or text[a.end:b.begin].strip():
            continue
        yield replaced(text, a.begin, b.end, f"if (session.rank() == 0) {{\n    {a.text}\n    {b.text}\n  }} else {{\n"
                       f"    {b.text}\n    {a.text}\n  }}")


@named("another order")
def _(text):
    all_of_them = statements(text)
    for a, b in zip(all_of_them, all_of_them[1:]):
        if not (a.declares or b.declares or text[a.end:b.begin].strip()):
            yield replaced(text, a.begin, b.end, f"{b.text}\n  {a.text}")


@named("capture")
def _(text):
    yield from each(text, r"deed::codelet (\w+)\{(\"\w+\"), \[\]\(([^)]*)\) \{", r"deed::codelet \1{\2, [&](\3) {")


@named("a view outlives its borrow")
def _(text):
    for m in re.finditer(r"(const )?auto (\w+) = (session\.borrow\(.*\));", text):
        changed = f"auto& {m.group(2)} = *{m.group(3)};"
        yield line_of(text, m.start()), (text[:m.start()] + changed + text[m.end():].replace(f"*{m.group(2)}", m.group(2)))


@named("a longer scope")
def _(text):
    for m in re.finditer(r"\n( +)\{\n((?:\1 .*\n)+?)\1\}", text):
        yield line_of(text, m.start()) + 1, text[:m.start()] + "\n" + m.group(2).rstrip("\n") + text[m.end():]


@named("grow a buffer")
def _(text):
    for m in re.finditer(r"\n( +).*in_place\((\w+)\).*;", text):
        yield line_of(text, m.end()), text[:m.end()] + f"\n{m.group(1)}{m.group(2)}.resize(100000);" + text[m.end():]


@named("an unordered container")
def _(text):
    yield from each(text, r"std::map<", "std::unordered_map<")
    for m in re.finditer(r"\n( +)for \((?:const )?auto& (\w+) : (\w+)\) ", text):
        kept = f"std::unordered_map<void*, decltype(&*{m.group(3)}.begin())> by_address;"
        fill = f"for (auto& one : {m.group(3)}) by_address[new char[session.rank() + 40]] = &one;"
        whole = f"\n{m.group(1)}{kept} {fill}\n{m.group(1)}for (auto& entry : by_address) if (auto& {m.group(2)} = *entry.second; true) "
        yield line_of(text, m.start()) + 1, text[:m.start()] + whole + text[m.end():]


@named("flush or migrate on one rank")
def _(text):
    for s in statements(text):
        for h in handles(s)[:1]:
            yield replaced(text, s.begin, s.begin, f"if (session.rank() == 0) session.flush({h});\n  ")
            yield replaced(text, s.begin, s.begin, f"if (session.rank() == 0) session.migrate({h}, deed::owner{{1}});\n  ")


@named("a gate stays closed")
def _(text):
    yield from around(text, lambda s: ".open()" in s.text, lambda s: ";")
    yield from each(text, r", deed::opens\(\w+\)", "")


@named("throw in a task")
def _(text):
    yield from each(text, r"(deed::codelet \w+\{\"\w+\", \[\]\([^)]*\) \{)", r'\1 throw std::runtime_error("mutant"); ')


@named("wait in a task")
def _(text):
    for m in re.finditer(r"deed::codelet \w+\{\"\w+\", \[\]\([^)]*\) \{", text):
        if "void program(deed::session& session) {\n" not in text:
            continue
        made = text[:m.end()] + " world->wait(); " + text[m.end():]
        made = made.replace("void program(deed::session& session) {\n",
                            "void program(deed::session& session) {\n  world = &session;\n", 1)
        made = made.replace('#include "common.hpp"\n', '#include "common.hpp"\n\ninline deed::session* world = nullptr;\n', 1)
        yield line_of(made, made.find("world->wait")), made


@named("close early, end early")
def _(text):
    yield from around(text, lambda s: not s.declares, lambda s: f"session.close();\n  {s.text}")
    for s in statements(text):
        for h in handles(s)[:1]:
            yield replaced(text, s.begin, s.begin, f"std::move({h}).unregister();\n  ")


@named("one rank less, one more")
def _(text):
    yield from each(text, r"session\.size\(\)", "(session.size() - 1)")
    yield from each(text, r"session\.size\(\)", "(session.size() + 1)")


@named("forget a token of the guard")
def _(text):
    for m in re.finditer(rf"session\.relevant\((?:{TOKEN})(, {TOKEN})+\)", text):
        first = re.search(rf"{TOKEN}, ", text[m.start():])
        begin = m.start() + first.start()
        yield replaced(text, begin, begin + first.end() - first.start(), "")
