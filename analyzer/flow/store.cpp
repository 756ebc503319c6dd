// SPDX-License-Identifier: MIT
#include "flow/store.hpp"

#include "flow/format.hpp"
#include "flow/same_names.hpp"

#include <algorithm>
#include <cstring>

namespace deed::check {
namespace {

constexpr std::string_view head = "deed-check facts 8\n";

class writer {
 public:
  std::string bytes{head};

  void number(std::int64_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void file(std::uint32_t id) { number(id); }
  void variable(variable_id id) { number(id); }
  void codelet(int id) { number(id); }
  void function(const std::string& usr) { text(usr); }
  void functions(const std::vector<std::string>& list) {
    number(static_cast<std::int64_t>(list.size()));
    for (const std::string& usr : list) function(usr);
  }
  void variables(const std::vector<variable_id>& list) {
    number(static_cast<std::int64_t>(list.size()));
    for (const variable_id id : list) variable(id);
  }
  template <class T, class Format>
  void basic(const T& x, Format& next) {
    if constexpr (std::is_same_v<T, std::string>) {
      text(x);
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

 private:
  void text(const std::string& words) {
    number(static_cast<std::int64_t>(words.size()));
    bytes += words;
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
  void function(std::string& usr) { text(usr); }
  void functions(std::vector<std::string>& list) {
    list.resize(count());
    for (std::string& usr : list) function(usr);
  }
  void variables(std::vector<variable_id>& list) {
    list.resize(count());
    for (variable_id& id : list) variable(id);
  }
  template <class T, class Format>
  void basic(T& x, Format& next) {
    if constexpr (std::is_same_v<T, std::string>) {
      text(x);
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
  void text(std::string& words) {
    const std::size_t size = count();
    words.assign(at_, size);
    at_ += size;
  }
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
  program::share unit;
  unit.codelets = in.codelet_numbers;
  for (std::size_t left = in.count(); left > 0 && in.good(); --left) {
    auto f = std::make_unique<function>();
    get(*f);
    if (in.good()) unit.functions.push_back(&keep(std::move(f), into));
  }
  into.units.push_back(std::move(unit));
  return in.done();
}

}  // namespace deed::check
