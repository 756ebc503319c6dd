// SPDX-License-Identifier: MIT
#include "execute.hpp"

#include <deed/runtime/collectives.hpp>
#include <deed/runtime/group.hpp>
#include <deed/runtime/partition.hpp>

#include "calls.hpp"
#include "tasks.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace oracle {
namespace {

template <class Handle>
inline constexpr bool can_be_cut = false;
template <>
inline constexpr bool can_be_cut<deed::handle<list>&> = true;
template <>
inline constexpr bool can_be_cut<deed::handle<tile>&> = true;

class rank_program {
 public:
  rank_program(deed::session& session, const plan& program, const expectation& expected,
               rank_log& log, const group_maker& make_group)
      : session_(session),
        program_(program),
        expected_(expected),
        log_(log),
        make_group_(make_group),
        handles_(program.data.size()) {}

  void perform() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (program_.steps[i].what == verb::repeat)
        i = repeat(i);
      else
        perform(i, i);
    }
  }

  void end_borrows() { held_.clear(); }
  /// Waits for half of the requests, one by one; the others are dropped.
  void wait() {
    for (std::size_t i = 0; i < requests_.size(); i += 2) requests_[i].wait();
    requests_.clear();
    session_.wait();
    if (callbacks_ != callbacks_wanted_) throw std::runtime_error("a callback did not run once");
    for (const auto& [task, each] : gated_) {
      const auto runs = std::ranges::count(log_.runs(), task, &rank_log::entry::task);
      if (std::ranges::count_if(each.opened, &deed::gate::is_open) != runs ||
          each.callbacks->load() != runs)
        throw std::runtime_error("what follows task " + std::to_string(task) +
                                 " did not happen once, where it ran");
    }
    if (!repeats_) gated_.clear();
  }

  void look_at(int datum) {
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) {
            const auto lent = session_.borrow(deed::read(h));
            log_.ended_with(datum, hash_of(seen_of(*lent)));
          }
        },
        handle_of(datum));
  }

 private:
  struct held_borrow {
    std::size_t until;
    std::variant<deed::borrow<const number>, deed::borrow<const list>, deed::borrow<const record>,
                 deed::borrow<const tile>>
        lent;
    held_borrow(held_borrow&&) = default;
    // A borrow is not assignable: the old one ends, the new one moves in.
    held_borrow& operator=(held_borrow&& other) noexcept {
      std::destroy_at(this);
      return *std::construct_at(this, std::move(other));
    }
    template <class Borrow>
    held_borrow(std::size_t end, Borrow&& b) : until(end), lent(std::forward<Borrow>(b)) {}
  };

  /// The steps up to the end of the repetition at `first`, so many times. Of the later times the
  /// body may be called for some, or for none.
  /// @return where it ends.
  std::size_t repeat(std::size_t first) {
    const std::size_t end = end_of_repetition(program_, first);
    bool again = false;
    repeats_ = true;
    session_.repeat(static_cast<std::uint64_t>(program_.steps[first].rank), [&] {
      for (std::size_t i = first + 1; i < end; ++i) perform(i, again ? end : i);
      again = true;
    });
    repeats_ = false;
    return end;
  }

  /// What it sees and writes belongs to step `index`.
  void perform(std::size_t at, std::size_t index) {
    held_.erase(
        std::ranges::remove_if(held_, [&](const held_borrow& h) { return h.until <= index; })
            .begin(),
        held_.end());
    const step& s = program_.steps[at];
    now_ = {at, index};
    shown_ = 0;
    switch (s.what) {
      case verb::add:
        add(s);
        return;
      case verb::end:
        end(handle_of(s.datum));
        return;
      case verb::task:
        task(s);
        if (!s.pruned || shown_ != 0) check_shown(inserts(s) ? 1 : 0);
        return;
      case verb::observe:
        observe(s);
        return;
      case verb::prepare:
        if (inserts(s))
          prepared_.insert_or_assign(s.task, prepare(session_, program_, s, handles_, log_));
        return;
      case verb::submit:
        if (const auto found = prepared_.find(s.task); found != prepared_.end()) {
          found->second();
          check_shown(1);
        }
        prepared_.erase(s.task);
        return;
      case verb::copy:
        copy(s);
        return;
      case verb::take:
        take(s, index);
        return;
      case verb::group: {
        std::vector<deed::rank> members;
        for (const int r : s.ranks) members.push_back(deed::rank{r});
        auto made = make_group_ ? make_group_(session_, s.datum) : std::nullopt;
        if (made) known_to_members_.insert(s.datum);
        groups_.emplace(s.datum, made ? std::move(*made) : session_.group(members));
        return;
      }
      case verb::prefer:
        prefer(s);
        return;
      case verb::expect:
        expect(s);
        return;
      case verb::await:
        await(s, index);
        return;
      case verb::gather_list:
        if (const auto seen = gather_values(session_, s, handles_)) log_.saw(index, *seen);
        return;
      case verb::scatter_list:
        scatter_values(session_, program_, s, handles_, index);
        return;
      case verb::partition:
        partition(s);
        return;
      case verb::unite:
        unite(s);
        return;
      case verb::message:
        message(s);
        return;
      case verb::collective:
        collective(s);
        return;
      case verb::fetch:
        fetch(s);
        return;
      case verb::migrate:
        migrate(s);
        return;
      case verb::flush:
        flush(s);
        return;
      case verb::cache:
        session_.set_cache(s.rank != 0);
        return;
      case verb::read:
        read(s, index);
        return;
      case verb::write:
        write(s, index);
        return;
      case verb::wait:
        wait();
        return;
      case verb::barrier:
        session_.barrier();
        return;
      case verb::repeat:
      case verb::again:
        return;
    }
  }

  any_handle& handle_of(int datum) { return handles_[static_cast<std::size_t>(datum)]; }
  const datum& of(int d) const { return program_.data[static_cast<std::size_t>(d)]; }
  int me() const { return session_.rank(); }

  void add(const step& s) {
    const datum& d = of(s.datum);
    switch (d.is) {
      case form::number:
        handle_of(s.datum) = registered_number(s.datum);
        return;
      case form::list:
        handle_of(s.datum) = registered<list>(s.datum);
        return;
      case form::record:
        handle_of(s.datum) = registered<record>(s.datum);
        return;
      case form::tile:
        handle_of(s.datum) = register_tile(session_, s.datum, d);
        return;
    }
  }
  template <class T>
  deed::handle<T> registered(int datum) {
    const auto& d = of(datum);
    const std::string name = "d" + std::to_string(datum);
    deed::data_options options{.name = name};
    if (d.tag) options.tag = deed::tag{*d.tag};
    const auto first = [&] {
      T value{};
      assign(&value, first_seed(datum, me()), d.large);
      return value;
    };
    if (d.owner < 0) {
      return d.given ? session_.register_data(deed::per_rank, first, options)
                     : session_.register_data<T>(deed::per_rank, deed::uninitialised, options);
    }
    return d.given ? session_.register_data(deed::owner{d.owner}, first, options)
                   : session_.register_data<T>(deed::owner{d.owner}, deed::uninitialised, options);
  }
  deed::handle<number> registered_number(int datum) {
    const auto& d = of(datum);
    if (d.owner < 0 || !d.given) return registered<number>(datum);
    const std::string name = "d" + std::to_string(datum);
    deed::data_options options{.name = name};
    if (d.tag) options.tag = deed::tag{*d.tag};
    number first = 0;
    assign(&first, first_seed(datum, me()), d.large);
    return session_.register_data(deed::owner{d.owner}, first,
                                  deed::reduction{std::plus<>{}, number{0}}, options);
  }
  void end(any_handle& handle) {
    std::visit(
        [](auto& h) {
          if constexpr (is_handle<decltype(h)>) std::move(h).unregister();
        },
        handle);
    handle = std::monostate{};
  }

  /// Tasks on private data are inserted where they run.
  bool inserts(const step& s) const {
    return s.where == placed::on_each || s.ranks.empty() ||
           std::ranges::find(s.ranks, me()) != s.ranks.end();
  }

  void task(const step& s) {
    if (!inserts(s)) return;
    if (!s.gated) {
      insert(session_, program_, s, handles_, log_, nullptr);
      return;
    }
    auto first = session_.make_gate("first"), opened = session_.make_gate("opened");
    gated_task& kept = gated_[s.task];
    deed::runtime::call_extras extras;
    extras.note(deed::behind(first));
    extras.note(deed::opens(kept.opened.emplace_back(std::move(opened))));
    extras.note(deed::when_done([count = kept.callbacks] { ++*count; }));
    insert(session_, program_, s, handles_, log_, &extras);
    first.open();
  }

  void message(const step& s) {
    const auto place = [&](int rank) { return place_in(s, rank); };
    if (me() == s.rank) {
      std::visit(
          [&](auto& h) {
            if constexpr (is_handle<decltype(h)>)
              send(h, s, deed::to{place(s.receiver)}, deed::message_tag{s.tag});
          },
          handle_of(s.datum));
    }
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) {
            if (me() == s.receiver) {
              receive(h, s, deed::from{place(s.rank)}, deed::message_tag{s.tag});
            } else if (of(s.target).owner >= 0 && session_.relevant(deed::write(h))) {
              throw std::runtime_error("`relevant` calls a bystander a participant");
            }
          }
        },
        handle_of(s.target));
  }

  /// A rank as the call names it.
  int place_in(const step& s, int rank) const {
    if (s.group < 0 || s.among) return rank;
    const deed::group& all = groups_.at(s.group);
    for (int i = 0; i < all.size(); ++i) {
      if (all.in_session(i).value == rank) return i;
    }
    throw std::runtime_error("no member of the group");
  }
  std::function<void()> counting() {
    ++callbacks_wanted_;
    return [this] { ++callbacks_; };
  }
  auto counted() { return deed::when_done(counting()); }
  template <class T, class... Options>
  void send_with(deed::handle<T>& h, const step& s, deed::to peer, deed::message_tag tag,
                 Options&&... options) {
    if (s.group < 0) return session_.send(deed::read(h), peer, tag, std::move(options)...);
    session_.send(deed::read(h), peer, tag, std::move(options)...,
                  deed::within(groups_.at(s.group)));
  }
  template <class T>
  void send(deed::handle<T>& h, const step& s, deed::to peer, deed::message_tag tag) {
    switch (s.how) {
      case called::plain:
        return send_with(h, s, peer, tag);
      case called::requested:
        if (s.group < 0) {
          requests_.push_back(session_.isend(deed::read(h), peer, tag));
        } else {
          requests_.push_back(
              session_.isend(deed::read(h), peer, tag, deed::within(groups_.at(s.group))));
        }
        return;
      case called::synchronous:
        return send_with(h, s, peer, tag, deed::synchronous_t{});
      case called::with_callback:
        return send_with(h, s, peer, tag, counted(), deed::priority{1});
    }
  }
  template <class T, class... Options>
  void receive_with(deed::handle<T>& h, const step& s, deed::from peer, deed::message_tag tag,
                    Options&&... options) {
    if (s.how == called::requested)
      requests_.push_back(
          session_.ireceive(deed::write(h), peer, tag, std::forward<Options>(options)...));
    else if (s.how == called::with_callback)
      session_.receive(deed::write(h), peer, tag, counted(), std::forward<Options>(options)...);
    else
      session_.receive(deed::write(h), peer, tag, std::forward<Options>(options)...);
  }
  template <class T>
  void receive(deed::handle<T>& h, const step& s, deed::from peer, deed::message_tag tag) {
    if (s.group < 0) return receive_with(h, s, peer, tag);
    receive_with(h, s, peer, tag, deed::within(groups_.at(s.group)));
  }

  void collective(const step& s) {
    if (known_to_members_.contains(s.group) && groups_.at(s.group).rank() < 0) return stand_by(s);
    const bool broadcasts = s.kind == together::broadcast;
    const int root = broadcasts                    ? s.rank
                     : s.kind == together::scatter ? owner_of(s.datum)
                     : of(s.target).owner >= 0     ? owner_of(s.target)
                                                   : 0;
    const collective_call call{session_, s, s.group < 0 ? nullptr : &groups_.at(s.group),
                               root_in(s, root)};
    any_handle& given = handle_of(s.datum);
    if (auto made = collect(call, given, broadcasts ? given : handle_of(s.target),
                            s.kind == together::scatter ? counting() : nullptr))
      requests_.push_back(std::move(*made));
  }
  /// Who is in no communicator takes no part, and says what the others write.
  void stand_by(const step& s) {
    if (s.kind == together::broadcast || of(s.target).owner < 0) return;
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) {
            if (session_.relevant(deed::write(h)))
              throw std::runtime_error("`relevant` calls a bystander a participant");
          }
        },
        handle_of(s.target));
  }
  int owner_of(int datum) {
    return std::visit(
        [](auto& h) {
          if constexpr (is_handle<decltype(h)>)
            return h.owner().value;
          else
            return -1;
        },
        handle_of(datum));
  }
  int root_in(const step& s, int root) const {
    const bool rooted = s.kind != together::all_gather && s.kind != together::all_reduce &&
                        s.kind != together::all_to_all;
    return rooted ? place_in(s, root) : 0;
  }

  void partition(const step& s) {
    std::visit(
        [&](auto& h) {
          if constexpr (can_be_cut<decltype(h)>) {
            const deed::row_blocks blocks{s.uses.size()};
            const auto owners = [&](std::size_t i) { return s.ranks[i]; };
            auto parts = s.ranks.empty() ? session_.partition(std::move(h), blocks)
                                         : session_.partition(std::move(h), blocks, owners);
            for (std::size_t i = 0; i < parts.size(); ++i)
              handle_of(s.uses[i].datum) = std::move(parts[i]);
            partitions_.emplace(s.datum, std::move(parts));
          }
        },
        handle_of(s.datum));
    handle_of(s.datum) = std::monostate{};
  }
  void unite(const step& s) {
    std::visit(
        [&]<class T>(deed::partitioned<T>& parts) {
          for (std::size_t i = 0; i < parts.size(); ++i) {
            any_handle& part = handle_of(s.uses[i].datum);
            parts[i] = std::get<deed::handle<T>>(std::move(part));
            part = std::monostate{};
          }
          handle_of(s.datum) = session_.unite(std::move(parts));
        },
        partitions_.at(s.datum));
    partitions_.erase(s.datum);
  }

  void take(const step& s, std::size_t index) {
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) {
            using T = typename std::remove_cvref_t<decltype(h)>::value_type;
            if constexpr (!std::is_same_v<T, tile>) {
              const auto value = session_.take(std::move(h));
              if (value) log_.saw(index, hash_of(seen_of(*value)));
            }
          }
        },
        handle_of(s.datum));
    handle_of(s.datum) = std::monostate{};
  }

  void copy(const step& s) {
    std::visit(
        [&](auto& from, auto& to) {
          using type = std::remove_cvref_t<decltype(from)>;
          if constexpr (is_handle<type> &&
                        std::is_same_v<type, std::remove_cvref_t<decltype(to)>>) {
            if (s.pruned && !session_.relevant(deed::write(to), deed::read(from))) return;
            session_.copy(deed::read(from), deed::write(to));
          }
        },
        handle_of(s.datum), handle_of(s.target));
  }

  void prefer(const step& s) {
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) session_.prefer_source(h, deed::rank{s.rank});
        },
        handle_of(s.datum));
  }

  void expect(const step& s) {
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) session_.expect_readers(h, s.rank);
        },
        handle_of(s.datum));
  }
  /// What used the datum here has run then.
  void await(const step& s, std::size_t index) {
    if (me() != s.rank) return;
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) session_.wait(h);
        },
        handle_of(s.datum));
    using run = expectation::task_run;
    const auto& runs = expected_.runs;
    auto last = std::ranges::lower_bound(runs, index, {}, &run::step);
    for (int looked = 0; last != runs.begin() && looked < 20;) {
      --last;
      const auto& uses = program_.steps[last->step].uses;
      if (last->rank != me() || std::ranges::find(uses, s.datum, &use::datum) == uses.end())
        continue;
      ++looked;
      if (!log_.has_run(last->task))
        throw std::runtime_error("task " + std::to_string(last->task) + " was not waited for");
    }
  }

  void observe(const step& s) {
    if (me() != s.rank) return;
    observes_ = s.target != 0;
    if (!observes_) return session_.observe({});
    session_.observe([this](const deed::observed_task& task) { look_at(task); });
  }
  /// Each task is shown as it stands in the plan, and with who runs it.
  void look_at(const deed::observed_task& task) {
    ++shown_;
    const step& s = program_.steps[now_.at];
    if (s.what != verb::task) return;
    bool same = task.size() == s.uses.size();
    for (std::size_t i = 0; same && i < s.uses.size(); ++i) same = task[i].mode() == s.uses[i].mode;
    const bool is_private = !s.ranks.empty() && s.where != placed::on_each;
    std::set<int> ranks;
    for (const auto& run :
         std::ranges::equal_range(expected_.runs, now_.index, {}, &expectation::task_run::step)) {
      if (run.task == s.task) ranks.insert(is_private ? me() : run.rank);
    }
    same = same && task.ranks().size() == ranks.size();
    for (const int rank : ranks) same = same && task.runs_on(deed::rank{rank});
    if (!same) throw std::runtime_error("the observer was shown another task");
  }
  void check_shown(int tasks) const {
    if (shown_ != (observes_ ? tasks : 0))
      throw std::runtime_error("the observer was shown " + std::to_string(shown_) + " tasks");
  }

  void fetch(const step& s) {
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) {
            if (s.rank < 0)
              session_.fetch(deed::read(h), deed::everywhere);
            else if (s.how == called::requested)
              requests_.push_back(session_.ifetch(deed::read(h), deed::to{s.rank}));
            else if (s.how == called::with_callback)
              session_.fetch(deed::read(h), deed::to{s.rank}, counted());
            else
              session_.fetch(deed::read(h), deed::to{s.rank});
          }
        },
        handle_of(s.datum));
  }

  void migrate(const step& s) {
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) session_.migrate(h, deed::owner{s.rank});
        },
        handle_of(s.datum));
  }

  void flush(const step& s) {
    if (s.rank < 0) return session_.flush();
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) session_.flush(h);
        },
        handle_of(s.datum));
  }

  void read(const step& s, std::size_t index) {
    if (me() != s.rank) return;
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) {
            auto lent = session_.borrow(deed::read(h));
            log_.saw(index, hash_of(seen_of(*lent)));
            if (s.held > 0)
              held_.emplace_back(index + 1 + static_cast<std::size_t>(s.held), std::move(lent));
          }
        },
        handle_of(s.datum));
  }

  void write(const step& s, std::size_t index) {
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) {
            if (me() == s.rank) {
              const auto lent = session_.borrow(deed::write(h));
              assign(seen_of(*lent), borrow_seed(index), of(s.datum).large);
            } else if (of(s.datum).owner >= 0 && session_.relevant(deed::write(h))) {
              throw std::runtime_error("`relevant` calls a bystander a participant");
            }
          }
        },
        handle_of(s.datum));
  }

  deed::session& session_;
  const plan& program_;
  const expectation& expected_;
  rank_log& log_;
  const group_maker& make_group_;
  std::vector<any_handle> handles_;
  struct {
    std::size_t at = 0, index = 0;
  } now_;  // The step at hand, and the one to which belongs what it does.
  bool observes_ = false;
  int shown_ = 0;  // Tasks, to the observer.
  std::vector<held_borrow> held_;
  /// What a task opens and calls, as often as it runs here.
  struct gated_task {
    std::deque<deed::gate> opened;
    std::shared_ptr<std::atomic<int>> callbacks = std::make_shared<std::atomic<int>>(0);
  };
  std::map<int, gated_task> gated_;
  bool repeats_ = false;
  std::map<int, std::function<void()>> prepared_;
  std::map<int, deed::group> groups_;
  std::set<int> known_to_members_;  // Groups made of communicators.
  std::map<int, std::variant<deed::partitioned<list>, deed::partitioned<tile>>> partitions_;
  std::vector<deed::request> requests_;
  std::atomic<int> callbacks_{0};
  int callbacks_wanted_ = 0;
};

}  // namespace

void execute(deed::session& session, const plan& program, const expectation& expected,
             rank_log& log, const group_maker& make_group) {
  const deed::statistics before = session.statistics();
  rank_program mine(session, program, expected, log, make_group);
  mine.perform();
  mine.end_borrows();
  mine.wait();
  log.counts = session.statistics();
  for (auto& [peer, sent] : log.counts.sent_to) {  // Without the trials at the start.
    const auto trial = before.sent_to.find(peer);
    if (trial == before.sent_to.end()) continue;
    sent.transfers -= trial->second.transfers;
    sent.payload_bytes -= trial->second.payload_bytes;
  }
  for (const auto& [datum, rank, value] : expected.last) {
    if (rank == session.rank()) mine.look_at(datum);
  }
  session.close();
  log.finished = true;
}

std::string difference(int rank, const plan& program, const expectation& expected,
                       const rank_log& log) {
  std::ostringstream out;
  const auto say = [&](std::size_t step) -> std::ostream& {
    return out << "rank " << rank << ", step " << step << " ("
               << to_string(program, program.steps[step]) << "): ";
  };
  // The first wrong task, in the order of the plan.
  std::map<int, std::vector<std::uint64_t>> runs, wanted_runs;
  for (const auto& [task, inputs] : log.runs()) runs[task].push_back(inputs);
  for (const auto& run : expected.runs) {
    if (run.rank == rank) wanted_runs[run.task].push_back(run.inputs);
  }
  // Of what is repeated, in any order: a device need not wait for another whose value goes unread.
  for (auto* const all : {&runs, &wanted_runs}) {
    for (auto& [_, inputs] : *all) std::ranges::sort(inputs);
  }
  for (const auto& run : expected.runs) {
    const auto wanted = run.rank == rank ? wanted_runs.find(run.task) : wanted_runs.end();
    if (wanted == wanted_runs.end()) continue;
    const auto found = runs.find(run.task);
    if (found == runs.end()) {
      say(run.step) << "the task did not run here\n";
      return out.str();
    }
    if (found->second.size() != wanted->second.size()) {
      say(run.step) << "the task ran " << found->second.size() << " times, where "
                    << wanted->second.size() << " were expected\n";
      return out.str();
    }
    if (found->second != wanted->second) {
      say(run.step) << "the task read something else\n";
      return out.str();
    }
    runs.erase(found);
    wanted_runs.erase(wanted);
  }
  if (!runs.empty()) {
    out << "rank " << rank << ": task " << runs.begin()->first
        << " ran here, but belongs elsewhere\n";
    return out.str();
  }
  std::size_t at = 0;
  for (const auto& look : expected.looks) {
    if (look.rank != rank) continue;
    if (at >= log.looks().size() || log.looks()[at].step != look.step ||
        log.looks()[at].value != look.value) {
      say(look.step) << "the borrow saw something else\n";
      return out.str();
    }
    ++at;
  }
  at = 0;
  for (const auto& last : expected.last) {
    if (last.rank != rank) continue;
    if (at >= log.last().size() || log.last()[at].value != last.value) {
      out << "rank " << rank << ": d" << last.datum << " has another value at the end\n";
      return out.str();
    }
    ++at;
  }
  const std::uint64_t most = log.counts.most_copies_bytes;
  if (program.how.budget != 0 && most > program.how.budget) {
    out << "rank " << rank << ": copies took " << most << " bytes at once\n";
    return out.str();
  }
  const auto found = expected.hits.find(rank);
  const std::uint64_t hits = found == expected.hits.end() ? 0 : found->second;
  if (log.counts.cache_hits != hits) {
    out << "rank " << rank << ": " << log.counts.cache_hits << " reads found a copy, where " << hits
        << " were expected\n";
    return out.str();
  }
  for (int peer = 0; peer < program.how.ranks; ++peer) {
    const auto wanted = expected.sent.find({rank, peer});
    const auto counted = log.counts.sent_to.find(peer);
    const expectation::traffic predicted =
        wanted == expected.sent.end() ? expectation::traffic{} : wanted->second;
    const expectation::traffic counts =
        counted == log.counts.sent_to.end()
            ? expectation::traffic{}
            : expectation::traffic{counted->second.transfers, counted->second.payload_bytes};
    if (predicted == counts) continue;
    out << "rank " << rank << " to rank " << peer << ": " << counts.transfers << " transfers of "
        << counts.bytes << " bytes, where " << predicted.transfers << " of " << predicted.bytes
        << " were expected\n";
    return out.str();
  }
  return {};
}

}  // namespace oracle
