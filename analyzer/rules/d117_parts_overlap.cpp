// SPDX-License-Identifier: MIT
#include "rules/registry.hpp"

#include <optional>

namespace deed::check {
namespace {

struct range {
  std::int64_t first = 0, last = 0;
  span at;
};

bool is_list(const value& v) { return v.what == value::kind::operation && v.text == "list"; }

std::optional<range> range_of(const value_ref& v) {
  if (!v || !is_list(*v) || v->arguments.size() != 2) return std::nullopt;
  const value_ref &first = v->arguments[0], &last = v->arguments[1];
  if (!first || !last) return std::nullopt;
  if (first->what != value::kind::constant || last->what != value::kind::constant)
    return std::nullopt;
  return range{first->number, last->number, v->at};
}

std::string text_of(std::int64_t first, std::int64_t last) {
  return "[" + std::to_string(first) + ", " + std::to_string(last) + ")";
}

/// What is wrong with two parts that follow each other; empty if the second begins where the first
/// ends.
std::string wrong_between(const range& one, const range& two) {
  if (two.first < one.last)
    return "both hold rows " + text_of(two.first, std::min(one.last, two.last));
  if (two.first > one.last) return "nobody holds rows " + text_of(one.last, two.first);
  return {};
}

void look(const moment& m, const sink& report) {
  if (m.now.kind != event_kind::call || !m.now.words.has(verb::splits)) return;
  for (const operand& given : m.now.arguments) {
    if (!given.value || !is_list(*given.value)) continue;
    std::optional<range> before;
    int number = 0;
    for (const value_ref& part : given.value->arguments) {
      const auto now = range_of(part);
      const std::string wrong = before && now ? wrong_between(*before, *now) : std::string();
      if (!wrong.empty()) {
        auto d = found(117, severity::error, m, "parts overlap or leave a gap",
                       {now->at, "part " + std::to_string(number) + ": " + wrong});
        d.secondary.push_back({before->at, "part " + std::to_string(number - 1) + " is " +
                                               text_of(before->first, before->last)});
        d.help = "`deed::row_blocks{n}`, or let each part begin where the one before ends";
        report(std::move(d));
        return;
      }
      before = now;
      ++number;
    }
  }
}

}  // namespace

const rule d117{.code = 117,
                .title = "parts overlap or leave a gap",
                .explanation =
                    "Tasks on different parts run at the same time, so that no two may share rows; "
                    "and what belongs to\n"
                    "no part is lost when the whole is united. Each part begins where the one "
                    "before ends.\n",
                .at_event = look};

}  // namespace deed::check
