// SPDX-License-Identifier: MIT
#include "flow/store.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace deed::check {
namespace {

constexpr std::string_view head = "deed-check facts 5\n";

/// One list of the fields of each type, for both directions.
template <class Archive>
class format {
 public:
  explicit format(Archive& archive) : to_(archive) {}

  template <class T>
  void operator()(T& x) {
    using plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<plain, span>) {
      to_.file(x.file);
      all(x.line, x.column, x.end_line, x.end_column);
    } else if constexpr (std::is_same_v<plain, part>) {
      all(x.what, x.name, x.indices);
    } else if constexpr (std::is_same_v<plain, path>) {
      to_.variable(x.root);
      all(x.parts);
    } else if constexpr (std::is_same_v<plain, token_use>) {
      all(x.access, x.datum, x.at);
    } else if constexpr (std::is_same_v<plain, value>) {
      all(x.what, x.number, x.where, x.text, x.arguments, x.tokens, x.at);
      to_.variable(x.session);
    } else if constexpr (std::is_same_v<plain, word>) {
      all(x.what, x.operand);
    } else if constexpr (std::is_same_v<plain, model>) {
      all(x.words);
    } else if constexpr (std::is_same_v<plain, operand>) {
      all(x.kind, x.where, x.access, x.value, x.storage, x.partial, x.moved, x.by_value, x.view,
          x.of_options, x.resizes, x.parameter, x.type, x.name, x.callable, x.address);
      to_.codelet(x.codelet);
      all(x.words, x.use, x.at);
    } else if constexpr (std::is_same_v<plain, held_layout>) {
      all(x.bytes, x.padding, x.address, x.address_at);
    } else if constexpr (std::is_same_v<plain, event>) {
      all(x.kind, x.at, x.name_at, x.name, x.function, x.words, x.receiver, x.arguments, x.result,
          x.result_kind, x.result_type, x.object, x.other, x.object_at, x.result_value, x.use,
          x.thrown, x.keeps_view, x.discarded, x.standard, x.ends_process, x.keeps_state,
          x.starts_thread, x.ends_block, x.layout, x.depth, x.called_from);
    } else if constexpr (std::is_same_v<plain, block>) {
      all(x.events, x.condition, x.condition_at, x.how, x.successors, x.unordered);
    } else if constexpr (std::is_same_v<plain, function>) {
      all(x.usr, x.name, x.at);
      to_.variables(x.parameters);
      to_.variable(x.self);
      to_.variable(x.result);
      all(x.blocks, x.entry, x.exit, x.body_of_lambda, x.in_root, x.address_taken);
    } else if constexpr (std::is_same_v<plain, variable>) {
      all(x.name, x.at, x.kind, x.optional, x.type, x.parameter, x.reference, x.constant, x.global,
          x.persistent, x.guarded, x.used, x.view, x.ends_with_scope);
    } else if constexpr (std::is_same_v<plain, codelet>) {
      all(x.name, x.at, x.name_at, x.bodies);
    } else if constexpr (std::is_same_v<plain, archived>) {
      all(x.name, x.saved, x.loaded);
    } else {
      to_.basic(x, *this);
    }
  }

 private:
  template <class... T>
  void all(T&... fields) {
    ((*this)(fields), ...);
  }
  Archive& to_;
};

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

class writer {
 public:
  std::string bytes{head};

  void number(std::int64_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void file(std::uint32_t id) { number(id); }
  void variable(variable_id id) { number(id); }
  void codelet(int id) { number(id); }
  void variables(const std::vector<variable_id>& list) {
    number(static_cast<std::int64_t>(list.size()));
    for (const variable_id id : list) variable(id);
  }
  template <class T, class Format>
  void basic(const T& x, Format& next) {
    if constexpr (std::is_same_v<T, std::string>) {
      number(static_cast<std::int64_t>(x.size()));
      bytes += x;
    } else if constexpr (std::is_same_v<T, value_ref>) {
      number(x ? 1 : 0);
      if (x) next(*x);
    } else if constexpr (is_pair<T>) {
      next(x.first);
      next(x.second);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      number(static_cast<std::int64_t>(x));
    } else {
      number(static_cast<std::int64_t>(x.size()));
      for (const auto& one : x) next(one);
    }
  }
};

/// Numbers of files, variables and codelets become those of the program that takes the facts in.
class reader {
 public:
  explicit reader(const std::string& bytes)
      : at_(bytes.data() + head.size()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool done() const { return good_ && at_ == end_; }

  std::int64_t number() {
    std::int64_t n = 0;
    if (end_ - at_ < static_cast<std::ptrdiff_t>(sizeof n)) {
      good_ = false;
      return 0;
    }
    std::memcpy(&n, at_, sizeof n);
    at_ += sizeof n;
    return n;
  }
  std::size_t count() {
    const std::int64_t n = number();
    // Every element takes a byte at least.
    if (n < 0 || n > end_ - at_) good_ = false;
    return good_ ? static_cast<std::size_t>(n) : 0;
  }
  void file(std::uint32_t& id) {
    const std::int64_t n = number();
    id = n == 0 && files.empty() ? 0 : known(files, n);  // Nowhere, in a unit without files.
  }
  void variable(variable_id& id) {
    const std::int64_t n = number();
    // What stands between two objects while they change places has no entry.
    id = n == 0xffffffff ? static_cast<variable_id>(n) : known(variable_numbers, n);
  }
  void codelet(int& id) {
    const std::int64_t n = number();
    id = n < 0 ? -1 : known(codelet_numbers, n);
  }
  void variables(std::vector<variable_id>& list) {
    list.resize(count());
    for (variable_id& id : list) variable(id);
  }
  template <class T, class Format>
  void basic(T& x, Format& next) {
    if constexpr (std::is_same_v<T, std::string>) {
      const std::size_t size = count();
      x.assign(at_, size);
      at_ += size;
    } else if constexpr (std::is_same_v<T, value_ref>) {
      if (number() == 0) return x.reset();
      auto made = std::make_shared<value>();
      next(*made);
      x = std::move(made);
    } else if constexpr (is_pair<T>) {
      next(x.first);
      next(x.second);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      x = static_cast<T>(number());
    } else {
      x.resize(count());
      for (auto& one : x) next(one);
    }
  }

  std::vector<std::uint32_t> files;
  std::vector<variable_id> variable_numbers;
  std::vector<int> codelet_numbers;

 private:
  template <class T>
  T known(const std::vector<T>& numbers, std::int64_t n) {
    if (n >= 0 && n < static_cast<std::int64_t>(numbers.size())) {
      return numbers[static_cast<std::size_t>(n)];
    }
    good_ = false;
    return T{};
  }

  const char* at_;
  const char* end_;
  bool good_ = true;
};

int number_of(const codelet& c, program& into) {
  const auto it = std::ranges::find(into.codelets, c.at, &codelet::at);
  if (it != into.codelets.end()) return static_cast<int>(it - into.codelets.begin());
  into.codelets.push_back(c);
  return static_cast<int>(into.codelets.size()) - 1;
}

}  // namespace

std::string stored(const program& unit) {
  writer out;
  format<writer> put(out);
  out.number(static_cast<std::int64_t>(unit.files.size()));
  for (std::uint32_t i = 0; i < unit.files.size(); ++i) put(unit.files.name(i));
  put(unit.variables);
  put(unit.codelets);
  put(unit.archives);
  out.number(static_cast<std::int64_t>(unit.functions.size()));
  for (const auto& [usr, f] : unit.functions) put(*f);
  return std::move(out.bytes);
}

bool absorb(const std::string& bytes, program& into) {
  if (!bytes.starts_with(head)) return false;
  reader in(bytes);
  format<reader> get(in);
  for (std::size_t left = in.count(); left > 0 && in.good(); --left) {
    std::string name;
    get(name);
    in.files.push_back(into.files.add(name));
  }
  std::vector<variable> variables;
  get(variables);
  for (std::size_t i = 0; i < variables.size() && in.good(); ++i) {
    in.variable_numbers.push_back(i == 0 ? 0 : into.meet(variables[i]));
  }
  std::vector<codelet> codelets;
  get(codelets);
  for (const codelet& c : codelets) in.codelet_numbers.push_back(number_of(c, into));
  std::vector<archived> archives;
  get(archives);
  for (archived& one : archives) {
    const bool known = std::ranges::any_of(into.archives, [&](const archived& other) {
      return other.saved == one.saved && other.loaded == one.loaded;
    });
    if (!known) into.archives.push_back(std::move(one));
  }
  for (std::size_t left = in.count(); left > 0 && in.good(); --left) {
    auto f = std::make_unique<function>();
    get(*f);
    if (!in.good()) break;
    auto& known = into.functions[f->usr];
    const bool taken = known ? known->address_taken || f->address_taken : f->address_taken;
    if (!known) known = std::move(f);
    known->address_taken = taken;
  }
  return in.done();
}

}  // namespace deed::check
