// SPDX-License-Identifier: MIT
#include "flow/bounds.hpp"

#include "flow/loop_steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace deed::check {
namespace {

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
  search(const program& all, const function& f, const control& decisions)
      : all_(all), f_(f), decisions_(decisions) {}

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
      const bool index = step.what == part::kind::index && !step.pointer &&
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
    const std::optional<int> loop = loop_of(block, at.base);
    if (!loop) return false;
    const loop_steps steps(all_, f_, decisions_, *loop);
    if (may_skip(block, *loop, steps) || grows(view, steps)) return false;
    const auto& decides = f_.blocks[static_cast<std::size_t>(*loop)];
    if (decides.condition->what != value::kind::operation) return false;
    const value& c = *decides.condition;
    if (c.arguments.size() != 2 || (c.text != "<" && c.text != "<=" && c.text != "!="))
      return false;
    const auto left = linear_of(c.arguments[0]), right = linear_of(c.arguments[1]);
    if (!left || !right || left->base != at.base || right->base != extent) return false;
    const std::optional<std::int64_t> stride = stride_of(e, block, steps, at.base);
    if (!stride) return false;
    // With a longer stride the last step is any of the last `stride`: only the first is sure.
    const std::int64_t last =
        right->offset - left->offset + (c.text == "<=" ? 1 : 0) - *stride + at.offset;
    if (last >= 0) {
      const std::string where = *stride == 1 ? behind(last) : "behind the last";
      return add(e, view, where + " at the last step", decides.condition_at, false);
    }
    if (at.offset < 0 && starts_at_zero(at.base)) {
      return add(e, view, "index " + std::to_string(at.offset) + " at the first step",
                 decides.condition_at, true);
    }
    return false;
  }

  /// The one loop whose condition is about the variable; nothing where more is.
  std::optional<int> loop_of(int block, const std::string& variable) const {
    std::optional<int> loop;
    for (const int id : decisions_.deciders(block)) {
      const auto& b = f_.blocks[static_cast<std::size_t>(id)];
      if (!mentions(b.condition, variable)) continue;
      if (b.how != split::loop || loop) return std::nullopt;
      loop = id;
    }
    return loop;
  }

  /// Whether a step of the loop may leave the block out: for a condition that says the same in
  /// other words (`if (!first)`), or a loop in it that does not go over the same in each step.
  bool may_skip(int block, int loop, const loop_steps& steps) const {
    return std::ranges::any_of(decisions_.deciders(block), [&](int id) {
      if (id == loop || !steps.has(id)) return false;
      return f_.blocks[static_cast<std::size_t>(id)].how != split::loop || !steps.begins_alike(id);
    });
  }

  bool grows(const path& list, const loop_steps& steps) const {
    const auto grow = [&](const event& e) {
      return e.kind == event_kind::call && e.receiver.use == effect::grow &&
             key(e.receiver.where) == key(list);
    };
    for (std::size_t id = 0; id < f_.blocks.size(); ++id) {
      if (std::ranges::any_of(f_.blocks[id].events, grow) && steps.has(static_cast<int>(id)))
        return true;
    }
    return false;
  }

  /// By how much the variable grows in each step, once, behind the access; nothing where that is
  /// not known.
  std::optional<std::int64_t> stride_of(const event& access, int block, const loop_steps& steps,
                                        const std::string& variable) const {
    std::optional<std::int64_t> stride;
    for (std::size_t id = 0; id < f_.blocks.size(); ++id) {
      bool before = static_cast<int>(id) == block;  // Of two events of one block.
      for (const event& e : f_.blocks[id].events) {
        before = before && &e != &access;
        if (changes_unseen(e, variable)) return std::nullopt;
        if (e.kind != event_kind::assign || key(e.object) != variable) continue;
        if (all_.var(e.object.root).unsteady) return std::nullopt;
        if (!steps.has(static_cast<int>(id))) continue;  // Where the loop begins.
        const auto step = linear_of(e.result_value);
        if (stride || !step || step->base != variable || step->offset < 1) return std::nullopt;
        if (before || steps.leads_to(static_cast<int>(id), block)) return std::nullopt;
        stride = step->offset;
      }
    }
    return stride;
  }

  static bool changes_unseen(const event& e, const std::string& variable) {
    return e.kind == event_kind::call && std::ranges::any_of(e.arguments, [&](const operand& o) {
             const bool looks = o.use == effect::none || o.use == effect::read;
             return !looks && key(o.where) == variable;
           });
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

  const program& all_;
  const function& f_;
  const control& decisions_;
  std::vector<out_of_bounds> found_;
};

}  // namespace

std::vector<out_of_bounds> indices_out_of_bounds(const program& all, const function& f,
                                                 const control& decisions) {
  return search(all, f, decisions).run();
}

}  // namespace deed::check
