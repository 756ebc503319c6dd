// SPDX-License-Identifier: MIT
#include "flow/bounds.hpp"

#include <cstdlib>
#include <optional>

namespace deed::check {
namespace {

/// `base + offset`, where `base` is a variable, an extent or nothing.
struct linear {
  std::string base;
  std::int64_t offset = 0;
};

std::string extent_name(int dimension, const path& view) {
  return "extent " + std::to_string(dimension) + " of " + key(view);
}

/// Of a list. A pointer into a tile counts elements, too, but the tile's extents do not end it.
std::string size_name(const path& list) { return "size of " + key(list); }

std::optional<linear> linear_of(const value_ref& v) {
  if (!v) return std::nullopt;
  if (v->what == value::kind::constant) return linear{"", v->number};
  if (v->what == value::kind::variable && v->where.stable()) return linear{key(v->where), 0};
  if (v->what == value::kind::call && v->text.starts_with("extent ") && v->where.known()) {
    return linear{v->text + " of " + key(v->where), 0};
  }
  if (v->what != value::kind::operation) return std::nullopt;
  if (v->text == "std size" && v->arguments.size() == 1 && v->arguments[0] &&
      v->arguments[0]->what == value::kind::variable) {
    return linear{size_name(v->arguments[0]->where), 0};
  }
  if ((v->text != "+" && v->text != "-") || v->arguments.size() != 2) return std::nullopt;
  const auto left = linear_of(v->arguments[0]), right = linear_of(v->arguments[1]);
  if (!left || !right) return std::nullopt;
  if (v->text == "-") {
    if (!right->base.empty()) return std::nullopt;
    return linear{left->base, left->offset - right->offset};
  }
  if (!left->base.empty() && !right->base.empty()) return std::nullopt;
  return linear{left->base + right->base, left->offset + right->offset};
}

bool mentions(const value_ref& v, const std::string& variable) {
  if (!v) return false;
  if (v->what == value::kind::variable && key(v->where) == variable) return true;
  for (const value_ref& one : v->arguments) {
    if (mentions(one, variable)) return true;
  }
  return false;
}

class search {
 public:
  search(const function& f, const control& decisions) : f_(f), decisions_(decisions) {}

  std::vector<out_of_bounds> run() {
    for (std::size_t id = 0; id < f_.blocks.size(); ++id) {
      for (const event& e : f_.blocks[id].events) {
        if (e.kind == event_kind::access) look(e, static_cast<int>(id));
        if (e.kind == event_kind::call) look_at_call(e, static_cast<int>(id));
      }
    }
    return std::move(found_);
  }

 private:
  void look(const event& e, int block) {
    path view{e.object.root, {}};
    for (const part& step : e.object.parts) {
      const bool index = step.what == part::kind::index &&
                         (step.name == "operator()" || step.name == "operator[]");
      for (std::size_t n = 0; index && n < step.indices.size(); ++n) {
        const auto at = linear_of(step.indices[n]);
        const bool list = step.name == "operator[]";
        const std::string extent = list ? size_name(view) : extent_name(static_cast<int>(n), view);
        if (at && judge(e, block, view, extent, *at)) return;
      }
      view.parts.push_back(step);
    }
  }

  void look_at_call(const event& e, int block) {
    const word* const index = e.words.find(verb::index);
    if (!index || e.arguments.empty() || !e.receiver.where.known()) return;
    const auto at = linear_of(e.arguments.front().value);
    const std::string extent = extent_name(std::atoi(index->operand.c_str()), e.receiver.where);
    if (at) judge(e, block, e.receiver.where, extent, *at);
  }

  bool judge(const event& e, int block, const path& view, const std::string& extent,
             const linear& at) {
    if (at.base.empty()) {
      return at.offset < 0 && add(e, view, "index " + std::to_string(at.offset), {}, true);
    }
    if (at.base == extent) {
      return at.offset >= 0 && add(e, view, behind(at.offset), {}, false);
    }
    return judge_loop(e, block, view, extent, at);
  }

  /// `for (i = 0; i <= rows; ++i) t(i, 0)`. Another condition on `i` may be what keeps it inside.
  bool judge_loop(const event& e, int block, const path& view, const std::string& extent,
                  const linear& at) {
    const auto* loop = static_cast<const deed::check::block*>(nullptr);
    for (const int id : decisions_.deciders(block)) {
      const auto& b = f_.blocks[static_cast<std::size_t>(id)];
      if (!mentions(b.condition, at.base)) continue;
      if (b.how != split::loop || loop) return false;
      loop = &b;
    }
    if (!loop || loop->condition->what != value::kind::operation) return false;
    const value& c = *loop->condition;
    if (c.arguments.size() != 2 || (c.text != "<" && c.text != "<=" && c.text != "!="))
      return false;
    const auto left = linear_of(c.arguments[0]), right = linear_of(c.arguments[1]);
    if (!left || !right || left->base != at.base || right->base != extent) return false;
    const std::int64_t last = right->offset - left->offset - (c.text == "<=" ? 0 : 1) + at.offset;
    if (last >= 0)
      return add(e, view, behind(last) + " at the last step", loop->condition_at, false);
    if (at.offset < 0 && starts_at_zero(at.base)) {
      return add(e, view, "index " + std::to_string(at.offset) + " at the first step",
                 loop->condition_at, true);
    }
    return false;
  }

  bool starts_at_zero(const std::string& variable) const {
    int starts = 0;
    for (const block& b : f_.blocks) {
      for (const event& e : b.events) {
        if (e.kind != event_kind::assign || key(e.object) != variable || e.name == "compound")
          continue;
        const bool zero = e.result_value && e.result_value->what == value::kind::constant &&
                          e.result_value->number == 0;
        if (!zero) return false;
        ++starts;
      }
    }
    return starts == 1;
  }

  static std::string behind(std::int64_t offset) {
    return offset == 0 ? "one behind the last" : std::to_string(offset + 1) + " behind the last";
  }

  bool add(const event& e, const path& view, std::string what, span because, bool below) {
    found_.push_back({&e, view, std::move(what), because, below});
    return true;
  }

  const function& f_;
  const control& decisions_;
  std::vector<out_of_bounds> found_;
};

}  // namespace

std::vector<out_of_bounds> indices_out_of_bounds(const function& f, const control& decisions) {
  return search(f, decisions).run();
}

}  // namespace deed::check
