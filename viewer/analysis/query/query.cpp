// SPDX-License-Identifier: MIT
#include "analysis/query/query.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/late_transfers.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace deed::viewer {
namespace {

constexpr int deepest = 50;

std::int64_t duration_of(const model& of, const event& e) {
  if (const std::uint32_t index = transfer_of(of, e); index != none) {
    const transfer& x = of.transfers()[index];
    return x.end() == never ? 0 : x.end() - x.begin();
  }
  const std::uint32_t t =
      e.what == record::task_begin || e.what == record::task_end ? task_of(of, e) : none;
  if (t == none || of.tasks()[t].end == never || of.tasks()[t].begin == never) return 0;
  return of.tasks()[t].end - of.tasks()[t].begin;
}

class parser {
 public:
  explicit parser(const std::string& text) : text_(text) {}

  event_filter whole() {
    event_filter filter = any();
    if (at_ < text_.size()) fail("unexpected `" + text_.substr(at_, 1) + "`");
    return filter;
  }
  /// Patterns of handles of which every hit has one; empty: a hit may have any.
  [[nodiscard]] const std::vector<std::string>& handles() const { return handles_; }
  /// All that it names, one by one.
  [[nodiscard]] const std::vector<named_value>& named() const { return named_; }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw query_error(what, at_); }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  event_filter any() {
    if (++depth_ > deepest) fail("too many brackets");
    std::vector<event_filter> parts{all()};
    while (accept('|')) {
      if (depth_ == 1) one_of_several_ = true;
      parts.push_back(all());
    }
    --depth_;
    if (one_of_several_) handles_.clear();
    if (parts.size() == 1) return parts[0];
    return [parts](const model& m, const event& e) {
      return std::any_of(parts.begin(), parts.end(), [&](const auto& f) { return f(m, e); });
    };
  }
  event_filter all() {
    std::vector<event_filter> parts;
    for (blanks(); at_ < text_.size() && text_[at_] != '|' && text_[at_] != ')'; blanks())
      parts.push_back(term());
    return [parts](const model& m, const event& e) {
      return std::all_of(parts.begin(), parts.end(), [&](const auto& f) { return f(m, e); });
    };
  }
  event_filter term() {
    if (accept('-')) {
      ++negated_;
      const event_filter inner = term();
      --negated_;
      return [inner](const model& m, const event& e) { return !inner(m, e); };
    }
    if (accept('(')) {
      const event_filter inner = any();
      if (!accept(')')) fail("`)` is missing");
      return inner;
    }
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string name = text_.substr(start, at_ - start);
    if (at_ < text_.size() && (text_[at_] == ':' || text_[at_] == '>' || text_[at_] == '<') &&
        !name.empty()) {
      const char sign = text_[at_++];
      const std::size_t value_at = at_;
      const std::string value = rest_of_word();
      if (value.empty()) fail("a value is missing");
      if (sign == ':' && name == "handle" && depth_ == 1 && negated_ == 0 && handles_.empty())
        handles_ = list_of(value);
      if (sign == ':')
        for (std::string& each : list_of(value)) named_.push_back({name, std::move(each)});
      return sign == ':' ? field_is(name, value, start)
                         : field_compares(name, sign, value, value_at);
    }
    at_ = start;
    const std::string word = rest_of_word();
    if (word.empty()) fail("a word was expected");
    return contains(word);
  }
  /// Whether a bracket within a word ends in it, as of `A(3,2)`.
  [[nodiscard]] bool is_closed(std::size_t bracket) const {
    const std::size_t end = text_.find_first_of(") |", bracket);
    return end != std::string::npos && text_[end] == ')';
  }
  std::string rest_of_word() {
    const std::size_t start = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool ends = depth == 0 && (c == ' ' || c == '|' || c == ')');
      if (ends) break;
      if (c == '[' || (c == '(' && is_closed(at_))) ++depth;
      if (c == ']' || c == ')') --depth;
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  static event_filter contains(const std::string& word) {
    if (word == "error")
      return [](const model&, const event& e) {
        return e.what == record::error || e.what == record::fatal_signal ||
               e.what == record::stop_run;
      };
    if (word == "redundant")
      return [](const model& m, const event& e) {
        const std::uint32_t x = transfer_of(m, e);
        return x != none && m.transfers()[x].in_vain();
      };
    if (word == "late") {  // Of one model, which the first event shows.
      struct late_of {
        const model* seen = nullptr;
        std::set<std::uint32_t> tasks, transfers;
      };
      return [known = std::make_shared<late_of>()](const model& m, const event& e) {
        if (known->seen != &m) {
          *known = {&m, {}, {}};
          for (const late_task& each : late_tasks(m)) known->tasks.insert(each.task);
          for (const late_transfer& each : late_transfers(m))
            known->transfers.insert(each.transfer);
        }
        return known->tasks.contains(task_of(m, e)) || known->transfers.contains(transfer_of(m, e));
      };
    }
    // Sentences do not have the names of records, and `print` does.
    const auto named = std::ranges::find(record_names, word);
    const auto what = static_cast<record>(named - record_names.begin());
    return [word, what, recorded = as_recorded(word)](const model& m, const event& e) {
      if (e.what == what) return true;
      const std::string said = say_event(m, e);
      return said.find(word) != std::string::npos || said.find(recorded) != std::string::npos;
    };
  }

  static event_filter by_text(std::vector<std::string> list,
                              std::function<std::string(const model&, const event&)> of,
                              bool (*matches)(const std::string&,
                                              const std::string&) = matches_glob) {
    return [list = std::move(list), of = std::move(of), matches](const model& m, const event& e) {
      const std::string text = of(m, e);
      return !text.empty() &&
             std::any_of(list.begin(), list.end(), [&](const auto& p) { return matches(p, text); });
    };
  }
  /// Refuses what is no number: nothing would have it.
  static std::vector<std::string> numbers(const std::string& value, std::size_t at) {
    std::vector<std::string> list = list_of(value);
    for (const std::string& each : list) {
      const std::size_t dash = each.find('-', 1);
      const auto is_number = [](const std::string& text) {
        return !text.empty() &&
               std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
      };
      if (!is_number(each.substr(0, dash)) ||
          (dash != std::string::npos && !is_number(each.substr(dash + 1))))
        throw query_error("`" + each + "` is no number; write 2 or 0,3-5", at);
    }
    return list;
  }
  static event_filter by_number(std::vector<std::string> list, field f) {
    return [list = std::move(list), f](const model& m, const event& e) {
      const std::uint64_t value = m.events().get(e, f, ~std::uint64_t{0});
      return value != ~std::uint64_t{0} && in_numbers(list, value);
    };
  }

  event_filter field_is(const std::string& name, const std::string& value,
                        std::size_t start) const {
    if (name == "rank")
      return [list = numbers(value, start + name.size() + 1)](const model& m, const event& e) {
        return in_numbers(list, static_cast<std::uint64_t>(m.events().rank_of(e)));
      };
    if (name == "peer") return by_number(numbers(value, start + name.size() + 1), field::peer);
    if (name == "ver") return by_number(numbers(value, start + name.size() + 1), field::version);
    const auto list = list_of(value);
    if (name == "lane" || name == "worker")
      return by_text(
          list, [](const model& m, const event& e) { return m.events().lanes()[e.lane].name; });
    if (name == "record")
      return by_text(list, [](const model&, const event& e) {
        return std::string(record_names[static_cast<std::size_t>(e.what)]);
      });
    if (name == "reason" || name == "cause" || name == "dir") {
      const field f = name == "reason"  ? field::reason
                      : name == "cause" ? field::cause
                                        : field::dir;
      return by_text(list, [f](const model& m, const event& e) {
        return m.events().get(e, f, ~std::uint64_t{0}) == ~std::uint64_t{0} ? std::string{}
                                                                            : say_field(m, e, f);
      });
    }
    if (name == "handle")
      return by_text(
          list,
          [](const model& m, const event& e) {
            const std::uint64_t handle = m.events().get(e, field::handle, ~std::uint64_t{0});
            return handle == ~std::uint64_t{0} ? std::string{}
                                               : m.handle_name(static_cast<std::uint32_t>(handle));
          },
          names_datum);
    if (name == "task")
      return by_text(list, [](const model& m, const event& e) {
        const std::uint32_t t = task_of(m, e);
        return t == none ? std::string{} : m.task_label(t);  // Of any rank, which `rank` says.
      });
    if (name == "codelet")
      return by_text(list, [](const model& m, const event& e) {
        const std::uint32_t t = task_of(m, e);
        return t == none || m.tasks()[t].codelet >= m.codelets().size()
                   ? std::string{}
                   : m.codelets()[m.tasks()[t].codelet].name;
      });
    if (name == "phase")
      return by_text(list, [](const model& m, const event& e) {
        return e.what == record::phase_push || e.what == record::phase_pop
                   ? say_field(m, e, field::name)
                   : std::string{};
      });
    if (name == "t") {
      const std::size_t colon = value.find(':');
      const auto from = parse_time(value.substr(0, colon));
      const auto to = colon == std::string::npos ? from : parse_time(value.substr(colon + 1));
      if (!from || !to) throw query_error("a time is written 12.3ms, a range 10ms:20ms", start);
      return [from, to](const model&, const event& e) { return e.time >= *from && e.time <= *to; };
    }
    throw query_error("`" + name +
                          "` is no field; there are rank, lane, record, task, codelet, handle, "
                          "ver, peer, dir, reason, cause, phase, t, dur>, bytes>",
                      start);
  }

  static event_filter field_compares(const std::string& name, char sign, const std::string& value,
                                     std::size_t at) {
    const auto limit = parse_number(value);
    if (!limit) throw query_error("`" + value + "` is no number; write 1ms or 2MB", at);
    const auto passes = [sign, limit](double v) { return sign == '>' ? v > *limit : v < *limit; };
    if (name == "dur")
      return [passes](const model& m, const event& e) {
        const auto time = duration_of(m, e);
        return time != 0 && passes(static_cast<double>(time));
      };
    const auto number = [passes](field f) {
      return [passes, f](const model& m, const event& e) {
        const std::uint64_t v = m.events().get(e, f, ~std::uint64_t{0});
        return v != ~std::uint64_t{0} && passes(static_cast<double>(v));
      };
    };
    if (name == "bytes") return number(field::bytes);
    if (name == "ver") return number(field::version);
    if (name == "t")
      return [passes](const model&, const event& e) { return passes(static_cast<double>(e.time)); };
    throw query_error("`" + name + "` cannot be compared; dur, bytes, ver and t can", at);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int negated_ = 0;
  bool one_of_several_ = false;
  std::vector<std::string> handles_;
  std::vector<named_value> named_;
};

/// All events that name a datum that one of the patterns names, in order.
std::vector<std::uint32_t> events_of(const model& of, const std::vector<std::string>& patterns) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t h = 0; h < of.data().size(); ++h) {
    const std::string name = of.handle_name(h);
    if (std::ranges::any_of(patterns,
                            [&](const std::string& each) { return names_datum(each, name); }))
      found.insert(found.end(), of.events_of(h).begin(), of.events_of(h).end());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::uint32_t transfer_of(const model& of, const event& e) {
  if (e.what != record::xfer_post && e.what != record::xfer_start && e.what != record::xfer_done)
    return none;
  const run& r = of.events();
  const int me = r.rank_of(e), peer = static_cast<int>(r.get32(e, field::peer));
  const bool sends = r.get(e, field::dir) == 0;
  if (posts_message(r, e)) return of.message_of(e);
  const std::uint32_t tag = short_tag_of(r, e);
  for (const std::uint32_t i : of.transfers_of(r.get32(e, field::handle))) {
    const transfer& x = of.transfers()[i];
    if (x.is_message() && of.short_tag_of(x) != tag) continue;
    if (x.version == r.get32(e, field::version) && x.seq == r.get32(e, field::seq) &&
        x.src == (sends ? me : peer) && x.dst == (sends ? peer : me))
      return x.is_message() ? of.message_of(e) : i;
  }
  if (e.what == record::xfer_post) return none;
  // Of a message, the receiver has a name of its own for the datum and its version.
  return of.message_of(e);
}

std::uint32_t task_of(const model& of, const event& e) {
  const run& r = of.events();
  if (posts_message(r, e)) return none;
  const std::uint64_t number = r.get(e, field::task, r.get(e, field::for_task, ~std::uint64_t{0}));
  return number == ~std::uint64_t{0} ? none : of.find_task(r.rank_of(e), number);
}

std::optional<double> parse_number(const std::string& text) {
  if (const auto time = parse_time(text)) return static_cast<double>(*time);
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    return {};
  }
  const std::string unit = text.substr(used);
  if (unit == "B") return value;
  if (unit == "kB" || unit == "KB") return value * 1e3;
  if (unit == "MB") return value * 1e6;
  if (unit == "GB") return value * 1e9;
  return {};
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool in_numbers(const std::vector<std::string>& list, std::uint64_t value) {
  for (const std::string& each : list) {
    const std::size_t dash = each.find('-', 1);
    try {
      const std::uint64_t from = std::stoull(each.substr(0, dash));
      const std::uint64_t to =
          dash == std::string::npos ? from : std::stoull(each.substr(dash + 1));
      if (value >= from && value <= to) return true;
    } catch (const std::exception&) {
    }
  }
  return false;
}

bool matches_glob(const std::string& pattern, const std::string& text) {
  std::size_t p = 0, t = 0, star = std::string::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool names_datum(const std::string& pattern, const std::string& name) {
  return matches_glob(pattern, name) || matches_glob(as_recorded(pattern), name);
}

event_filter parse_query(const std::string& text) { return parser(text).whole(); }

std::vector<std::string> names_for(const model& of, const std::string& field) {
  std::set<std::string> names;
  if (field == "record") names.insert(record_names.begin(), record_names.end());
  if (field == "codelet")
    for (const codelet& each : of.codelets()) names.insert(each.name);
  if (field == "lane" || field == "worker")
    for (const lane& each : of.events().lanes()) names.insert(each.name);
  if (field == "phase")
    for (const phase_span& each : of.phases())
      names.insert(say_field(of, of.events().events()[each.event], field::name));
  if (field == "handle")
    for (std::uint32_t h = 0; h < of.data().size(); ++h)
      if (of.data()[h].known) names.insert(of.handle_name(h));
  return {names.begin(), names.end()};
}

std::vector<named_value> unknown_names(const model& of, const std::string& query) {
  parser read(query);
  static_cast<void>(read.whole());
  std::map<std::string, std::vector<std::string>> known;  // Of the fields that it has.
  std::vector<named_value> unknown;
  for (const named_value& each : read.named()) {
    const auto [at, fresh] = known.try_emplace(each.field);
    if (fresh) at->second = names_for(of, each.field);
    const auto matches = each.field == "handle" ? names_datum : matches_glob;
    // What nobody registered is named by its number.
    if (at->second.empty() || (each.field == "handle" && each.value.starts_with('#'))) continue;
    if (std::ranges::none_of(at->second,
                             [&](const std::string& name) { return matches(each.value, name); }))
      unknown.push_back(each);
  }
  return unknown;
}

event_search::event_search(const model& of, const std::string& query) : of_(&of) {
  parser read(query);
  passes_ = read.whole();
  // What was never registered is named by its number, and no datum knows its events.
  const bool registered = std::ranges::none_of(read.handles(), [](const std::string& each) {
    return each.starts_with('#') || each.starts_with('*');
  });
  if (registered && !read.handles().empty()) only_ = events_of(of, read.handles());
  size_ = only_ ? only_->size() : of.events().events().size();
}

void event_search::advance(std::size_t count) {
  const auto& events = of_->events().events();
  for (const std::size_t end = at_ + std::min(count, size_ - at_); at_ < end; ++at_) {
    const std::uint32_t i = only_ ? (*only_)[at_] : static_cast<std::uint32_t>(at_);
    if (passes_(*of_, events[i])) found_.push_back(i);
  }
}

int event_search::percent() const noexcept {
  return size_ == 0 ? 100 : static_cast<int>(100 * at_ / size_);
}

std::vector<std::uint32_t> find(const model& of, const std::string& query) {
  event_search through(of, query);
  through.advance(of.events().events().size());
  return through.take();
}

}  // namespace deed::viewer
