// SPDX-License-Identifier: MIT
#include "flow/same_names.hpp"

#include "flow/format.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace deed::check {
namespace {

/// A header may be reached through a link.
bool same_place(const span& a, const span& b, const file_table& files) {
  if (a.line != b.line || a.column != b.column) return false;
  std::error_code gone;
  return a.file == b.file ||
         std::filesystem::equivalent(files.name(a.file), files.name(b.file), gone);
}

/// With its place, as the USR of a function within a function has it.
std::string own_name(const function& f, const file_table& files) {
  std::error_code gone;
  const auto file = std::filesystem::weakly_canonical(files.name(f.at.file), gone);
  return f.usr + "@" + file.string() + ":" + std::to_string(f.at.line) + ":" +
         std::to_string(f.at.column);
}

/// What USRs mean in one place, under which several functions are known. Empty: not clear which.
using meanings = std::map<std::string, std::string>;

/// Puts functions in the place of the USRs that name them.
class renaming {
 public:
  explicit renaming(const meanings& names) : names_(names) {}

  void file(std::uint32_t) {}
  void variable(variable_id) {}
  void variables(const std::vector<variable_id>&) {}
  void codelet(int) {}
  void function(std::string& usr) {
    const auto it = names_.find(usr);
    if (it != names_.end() && !it->second.empty()) usr = it->second;
  }
  void functions(std::vector<std::string>& list) {
    for (std::string& usr : list) function(usr);
  }
  template <class T, class Format>
  void basic(T& x, Format& next) {
    if constexpr (std::is_same_v<T, value_ref>) {
      if (!x) return;
      auto changed = std::make_shared<value>(*x);
      next(*changed);
      x = std::move(changed);
    } else if constexpr (is_pair<T>) {
      next(x.first);
      next(x.second);
    } else if constexpr (is_list<T>) {
      for (auto& one : x) next(one);
    }
  }

 private:
  const meanings& names_;
};

template <class T>
void rename(T& where, const meanings& names) {
  renaming names_in(names);
  format<renaming> change(names_in);
  change(where);
}

void add(const meanings& of_unit, meanings& into) {
  for (const auto& [usr, name] : of_unit) {
    const auto [known, is_new] = into.try_emplace(usr, name);
    if (!is_new && known->second != name) known->second.clear();
  }
}

/// The functions of the unit that are among several of a USR.
meanings meant_in(const program::share& unit, const std::map<const function*, std::string>& usrs) {
  meanings found;
  for (const function* f : unit.functions) {
    if (const auto it = usrs.find(f); it != usrs.end()) found.emplace(it->second, f->usr);
  }
  return found;
}

}  // namespace

function& keep(std::unique_ptr<function> f, program& into) {
  auto& known = into.functions[f->usr];
  if (!known) {
    known = std::move(f);
    return *known;
  }
  if (same_place(known->at, f->at, into.files)) {
    known->address_taken = known->address_taken || f->address_taken;
    return *known;
  }
  auto& others = into.several[f->usr];
  f->usr = own_name(*f, into.files);
  function& kept = keep(std::move(f), into);
  others.insert(&kept);
  return kept;
}

void tell_apart(program& all) {
  std::map<const function*, std::string> usrs;
  for (auto& [usr, others] : all.several) {
    for (const function* f : others) usrs.emplace(f, usr);
    auto first = all.functions.extract(usr);
    usrs.emplace(first.mapped().get(), usr);
    first.key() = first.mapped()->usr = own_name(*first.mapped(), all.files);
    all.functions.insert(std::move(first));
  }
  std::map<function*, meanings> in_functions;
  std::map<int, meanings> in_codelets;
  for (const program::share& unit : all.units) {
    const meanings meant = meant_in(unit, usrs);
    if (meant.empty()) continue;
    for (function* f : unit.functions) add(meant, in_functions[f]);
    for (const int number : unit.codelets) add(meant, in_codelets[number]);
  }
  for (const auto& [f, names] : in_functions) rename(*f, names);
  for (const auto& [number, names] : in_codelets)
    rename(all.codelets[static_cast<std::size_t>(number)], names);
  all.several.clear();
  all.units.clear();
}

}  // namespace deed::check
