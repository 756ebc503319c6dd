// SPDX-License-Identifier: MIT
#include "execute.hpp"

#include <deed/runtime/collectives.hpp>

#include "tasks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

namespace oracle {
namespace {

class rank_program {
 public:
  rank_program(deed::session& session, const plan& program, rank_log& log)
      : session_(session), program_(program), log_(log), handles_(program.data.size()) {}

  void perform(std::size_t index) {
    held_.erase(
        std::ranges::remove_if(held_, [&](const held_borrow& h) { return h.until <= index; })
            .begin(),
        held_.end());
    const step& s = program_.steps[index];
    switch (s.what) {
      case verb::add:
        add(s);
        return;
      case verb::end:
        end(handle_of(s.datum));
        return;
      case verb::task:
        task(s);
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
    }
  }

  void end_borrows() { held_.clear(); }
  /// Waits for half of the requests, one by one; the others are dropped.
  void wait() {
    for (std::size_t i = 0; i < requests_.size(); i += 2) requests_[i].wait();
    requests_.clear();
    session_.wait();
    if (callbacks_ != callbacks_wanted_) throw std::runtime_error("a callback did not run once");
    for (const gated_task& each : gated_) {
      const bool ran =
          std::ranges::find(log_.runs(), each.task, &rank_log::entry::task) != log_.runs().end();
      if (each.opened.is_open() != ran || each.callbacks->load() != (ran ? 1 : 0))
        throw std::runtime_error("what follows task " + std::to_string(each.task) +
                                 " did not happen once, where it ran");
    }
    gated_.clear();
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

  void task(const step& s) {
    if (!s.ranks.empty() && std::ranges::find(s.ranks, me()) == s.ranks.end()) return;
    if (!s.gated) {
      insert(session_, program_, s, handles_, log_, nullptr);
      return;
    }
    auto first = session_.make_gate("first"), opened = session_.make_gate("opened");
    gated_task& kept = gated_.emplace_back(s.task, std::move(opened));
    deed::runtime::call_extras extras;
    extras.note(deed::behind(first));
    extras.note(deed::opens(kept.opened));
    extras.note(deed::when_done([count = kept.callbacks] { ++*count; }));
    insert(session_, program_, s, handles_, log_, &extras);
    first.open();
  }

  void message(const step& s) {
    if (me() == s.rank) {
      std::visit(
          [&](auto& h) {
            if constexpr (is_handle<decltype(h)>) {
              send(h, s, deed::to{s.receiver}, deed::message_tag{s.tag});
            }
          },
          handle_of(s.datum));
    }
    std::visit(
        [&](auto& h) {
          if constexpr (is_handle<decltype(h)>) {
            if (me() == s.receiver) {
              receive(h, s, deed::from{s.rank}, deed::message_tag{s.tag});
            } else if (of(s.target).owner >= 0 && session_.relevant(deed::write(h))) {
              throw std::runtime_error("`relevant` calls a bystander a participant");
            }
          }
        },
        handle_of(s.target));
  }

  auto counted() {
    ++callbacks_wanted_;
    return deed::when_done([this] { ++callbacks_; });
  }
  template <class T>
  void send(deed::handle<T>& h, const step& s, deed::to peer, deed::message_tag tag) {
    switch (s.how) {
      case called::plain:
        return session_.send(deed::read(h), peer, tag);
      case called::requested:
        requests_.push_back(session_.isend(deed::read(h), peer, tag));
        return;
      case called::synchronous:
        return session_.send(deed::read(h), peer, tag, deed::synchronous);
      case called::with_callback:
        return session_.send(deed::read(h), peer, tag, counted(), deed::priority{1});
    }
  }
  template <class T>
  void receive(deed::handle<T>& h, const step& s, deed::from peer, deed::message_tag tag) {
    if (s.how == called::requested)
      requests_.push_back(session_.ireceive(deed::write(h), peer, tag));
    else if (s.how == called::with_callback)
      session_.receive(deed::write(h), peer, tag, counted());
    else
      session_.receive(deed::write(h), peer, tag);
  }

  void collective(const step& s) {
    if (s.kind == together::broadcast) {
      std::visit(
          [&](auto& h) {
            if constexpr (is_handle<decltype(h)>)
              session_.broadcast(deed::read_write(h), deed::from{s.rank});
          },
          handle_of(s.datum));
      return;
    }
    std::visit(
        [&](auto& given, auto& taken) {
          using given_type = std::remove_cvref_t<decltype(given)>;
          using taken_type = std::remove_cvref_t<decltype(taken)>;
          constexpr bool numbers = std::is_same_v<given_type, deed::handle<number>>;
          constexpr bool lists = std::is_same_v<given_type, deed::handle<list>>;
          if constexpr (numbers && std::is_same_v<taken_type, deed::handle<number>>) {
            session_.all_reduce(deed::read(given), deed::write(taken), std::plus<>{});
          } else if constexpr ((numbers || lists) &&
                               std::is_same_v<taken_type, deed::handle<list>>) {
            if (s.kind == together::all_gather) {
              requests_.push_back(session_.iall_gather(deed::read(given), deed::write(taken)));
            } else if (s.kind == together::gather) {
              session_.gather(deed::read(given), deed::write(taken), deed::to{taken.owner().value});
            } else if constexpr (lists) {
              session_.scatter(deed::read(given), deed::write(taken),
                               deed::from{given.owner().value}, counted());
            }
          }
        },
        handle_of(s.datum), handle_of(s.target));
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
  rank_log& log_;
  std::vector<any_handle> handles_;
  std::vector<held_borrow> held_;
  /// What a task opens and calls, if it runs here.
  struct gated_task {
    gated_task(int number, deed::gate made) : task(number), opened(std::move(made)) {}
    int task;
    deed::gate opened;
    std::shared_ptr<std::atomic<int>> callbacks = std::make_shared<std::atomic<int>>(0);
  };
  std::vector<gated_task> gated_;
  std::vector<deed::request> requests_;
  std::atomic<int> callbacks_{0};
  int callbacks_wanted_ = 0;
};

}  // namespace

void execute(deed::session& session, const plan& program, const expectation& expected,
             rank_log& log) {
  rank_program mine(session, program, log);
  for (std::size_t i = 0; i < program.steps.size(); ++i) mine.perform(i);
  mine.end_borrows();
  mine.wait();
  log.counts = session.statistics();
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
  std::map<int, std::vector<std::uint64_t>> runs;
  for (const auto& [task, inputs] : log.runs()) runs[task].push_back(inputs);
  for (const auto& run : expected.runs) {
    if (run.rank != rank) continue;
    const auto found = runs.find(run.task);
    if (found == runs.end()) {
      say(run.step) << "the task did not run here\n";
      return out.str();
    }
    if (found->second.size() != 1) {
      say(run.step) << "the task ran " << found->second.size() << " times\n";
      return out.str();
    }
    if (found->second.front() != run.inputs) {
      say(run.step) << "the task read something else\n";
      return out.str();
    }
    runs.erase(found);
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
