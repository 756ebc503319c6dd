// SPDX-License-Identifier: MIT
#include "settings_table.hpp"

#include <deed/base/words.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <string>

namespace deed::runtime {
namespace {

using std::string_view;

template <class Number>
bool read_number(string_view text, Number& into, Number least, Number most) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return false;
  if (number < least || number > most) return false;
  into = number;
  return true;
}

/// "64M": a number, maybe with K, M, G or T behind it.
template <class Number>
bool read_bytes(string_view text, Number& into, Number least) {
  constexpr string_view units = "KMGT";
  Number unit = 1;
  if (!text.empty() && units.find(text.back()) != units.npos) {
    unit = Number{1} << (10 * (units.find(text.back()) + 1));
    text.remove_suffix(1);
  }
  Number count = 0;
  if (!read_number(text, count, least, (Number{1} << 62) / unit)) return false;
  into = count * unit;
  return true;
}

std::string show_bytes(std::uint64_t bytes) {
  constexpr string_view units = "KMGT";
  std::size_t unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit < units.size(); ++unit) bytes /= 1024;
  return std::to_string(bytes) + (unit == 0 ? "" : std::string(1, units[unit - 1]));
}

struct rule {
  bool (*read)(settings&, string_view);
  std::string (*show)(const settings&);
};

template <auto Field>
constexpr rule flag{[](settings& all, string_view text) {
                      Field(all) = text != "0";
                      return text.empty() || text == "0" || text == "1";
                    },
                    [](const settings& all) { return std::string(Field(all) ? "1" : "0"); }};

template <auto Field, auto Least, auto Most>
constexpr rule number{
    [](settings& all, string_view text) { return read_number(text, Field(all), {Least}, {Most}); },
    // Zero where it cannot be asked for: the session finds the number itself.
    [](const settings& all) { return Field(all) < Least ? "" : std::to_string(Field(all)); }};

template <auto Field>
constexpr rule text{[](settings& all, string_view text) {
                      Field(all) = text;
                      return !text.empty();
                    },
                    [](const settings& all) { return std::string(Field(all)); }};

constexpr string_view off = "off";

/// Where something goes; `off`: nowhere.
template <auto Field>
constexpr rule folder{[](settings& all, string_view text) {
                        Field(all) = text == off ? string_view() : text;
                        return !text.empty();
                      },
                      [](const settings& all) { return std::string(Field(all)); }};

/// The recorder reads them; what it refuses is told as of every other setting.
template <string_view const& Name, auto Show>
constexpr rule trace{[](settings& all, string_view text) {
                       try {
                         all.session.trace.set(std::string(Name), std::string(text));
                       } catch (const error&) {
                         return false;
                       }
                       return true;
                     },
                     [](const settings& all) { return std::string(Show(all.session.trace)); }};
constexpr string_view mode = "mode", events = "events", packet = "packet", limit = "limit",
                      io = "io", sync = "sync";

// Of ranks.

constexpr int most_ranks = 1 << 20;
constexpr string_view as_threads = "inproc:";

bool read_ranks(settings& all, string_view text) {
  all.world = world_kind::simulated;
  if (text.starts_with(as_threads)) {
    all.world = world_kind::threads;
    text.remove_prefix(as_threads.size());
  }
  return read_number(text, all.ranks, 1, most_ranks);
}
std::string show_ranks(const settings& all) {
  if (all.world == world_kind::automatic) return {};
  return (all.world == world_kind::threads ? std::string(as_threads) : "") +
         std::to_string(all.ranks);
}

// Of dry runs.

/// "1024", or "2/1024".
bool read_dry(settings& all, string_view text) {
  const auto slash = text.find('/');
  all.dry_shown = -1;
  all.dry_ranks = 0;
  if (text == off) return true;
  if (!read_number(text.substr(slash == text.npos ? 0 : slash + 1), all.dry_ranks, 1, most_ranks))
    return false;
  return slash == text.npos ||
         read_number(text.substr(0, slash), all.dry_shown, 0, all.dry_ranks - 1);
}
std::string show_dry(const settings& all) {
  if (all.dry_ranks == 0) return {};
  return (all.dry_shown < 0 ? "" : std::to_string(all.dry_shown) + "/") +
         std::to_string(all.dry_ranks);
}

// Of memory.

constexpr string_view of_cache = "cache=", not_shared = "shared=0";

bool read_cache(session_options& options, string_view text) {
  std::uint64_t bytes = 0;
  if (!read_bytes(text, bytes, std::uint64_t{0})) return false;
  options.cache = bytes != 0;
  if (bytes != 0) options.cache_bytes = bytes;
  return true;
}
bool read_memory(settings& all, string_view text) {
  for (const string_view one : words_of(text)) {
    if (one == not_shared) {
      all.session.shares_memory = false;
    } else if (!one.starts_with(of_cache) ||
               !read_cache(all.session, one.substr(of_cache.size()))) {
      return false;
    }
  }
  return true;
}
std::string show_memory(const settings& all) {
  std::string shown;
  if (!all.session.cache) {
    shown = std::string(of_cache) + "0";
  } else if (all.session.cache_bytes != session_options{}.cache_bytes) {
    shown = std::string(of_cache) + show_bytes(all.session.cache_bytes);
  }
  if (all.session.shares_memory) return shown;
  return shown + (shown.empty() ? "" : ",") + std::string(not_shared);
}

// Of verify mode.

struct named_check {
  string_view name;
  bool verify_options::* field;
};
constexpr std::array all_checks{named_check{"global", &verify_options::global},
                                named_check{"messages", &verify_options::messages},
                                named_check{"leaks", &verify_options::leaks},
                                named_check{"pages", &verify_options::pages}};
constexpr string_view no_checks = "local";

bool read_checks(settings& all, string_view text) {
  all.session.checks = {};
  if (text == no_checks) return true;
  for (const string_view one : words_of(text)) {
    const auto known = std::ranges::find(all_checks, one, &named_check::name);
    if (known == all_checks.end()) return false;
    all.session.checks.*(known->field) = true;
  }
  return true;
}
std::string show_checks(const settings& all) {
  std::string list;
  for (const named_check& each : all_checks) {
    if (all.session.checks.*(each.field))
      list += (list.empty() ? "" : ",") + std::string(each.name);
  }
  return list.empty() ? std::string(no_checks) : list;
}

// Of devices.

constexpr string_view emulated = "emulated:", by_cost_model = ":timed";

/// "2", or "2:timed".
bool read_emulated(gpu::emulated_options& wanted, string_view text) {
  using enum gpu::emulated_schedule;
  const bool by_costs = text.ends_with(by_cost_model);
  if (by_costs) text.remove_suffix(by_cost_model.size());
  if (by_costs != (wanted.schedule == timed))
    wanted.schedule = by_costs ? timed : gpu::emulated_options{}.schedule;
  return read_number(text, wanted.devices, 1, 64);
}

/// "cuda,hip", "emulated:2", "none".
bool read_devices(settings& all, string_view text) {
  gpu::device_options& wanted = all.session.devices;
  wanted.emulated.devices = 0;
  if (text == "auto") return wanted.cuda = wanted.hip = true;
  wanted.cuda = wanted.hip = false;
  if (text == "none") return true;
  for (const string_view one : words_of(text)) {
    if (one == "cuda") {
      wanted.cuda = true;
    } else if (one == "hip") {
      wanted.hip = true;
    } else if (!one.starts_with(emulated) ||
               !read_emulated(wanted.emulated, one.substr(emulated.size()))) {
      return false;
    }
  }
  return true;
}
std::string show_devices(const settings& all) {
  const gpu::device_options& wanted = all.session.devices;
  if (wanted.cuda && wanted.hip && wanted.emulated.devices == 0) return "auto";
  std::string list;
  const auto add = [&](const std::string& one) { list += (list.empty() ? "" : ",") + one; };
  if (wanted.cuda) add("cuda");
  if (wanted.hip) add("hip");
  if (wanted.emulated.devices != 0) {
    const bool by_costs = wanted.emulated.schedule == gpu::emulated_schedule::timed;
    add(std::string(emulated) + std::to_string(wanted.emulated.devices) +
        std::string(by_costs ? by_cost_model : ""));
  }
  return list.empty() ? "none" : list;
}

bool read_gpu_memory(settings& all, string_view text) {
  auto& devices = all.session.devices;
  const bool read = read_bytes(text, devices.memory_limit_bytes, std::size_t{1});
  if (read) devices.emulated.memory_bytes = devices.memory_limit_bytes;
  return read;
}
std::string show_gpu_memory(const settings& all) {
  const std::size_t bytes = all.session.devices.memory_limit_bytes;
  return bytes == session_options{}.devices.memory_limit_bytes ? "" : show_bytes(bytes);
}

constexpr std::array<string_view, 3> networks{"auto", "on", "off"};

bool read_mpi_gpu(settings& all, string_view text) {
  const auto at = std::ranges::find(networks, text);
  if (at == networks.end()) return false;
  all.session.mpi_gpu = static_cast<device_network>(at - networks.begin());
  return true;
}
std::string show_mpi_gpu(const settings& all) {
  return std::string(networks[static_cast<std::size_t>(all.session.mpi_gpu)]);
}

// Of checkpoints.

/// "run1,every=10"; a folder may have commas, but no `,word=` or number at its end, nor `every=` at
/// its begin, nor `,every=` anywhere.
bool read_checkpoint(settings& all, string_view text) {
  constexpr string_view every = "every=";
  auto& wanted = all.session.checkpoint;
  wanted = {.every = all.every, .partner = wanted.partner};
  if (text == off) return true;
  const auto comma = std::min(text.rfind(','), text.size());
  const string_view last = text.substr(std::min(comma + 1, text.size()));
  if (const auto equals = last.find('='); equals < last.find('/')) {
    if (!last.starts_with(every) ||
        !read_number(last.substr(every.size()), wanted.every, std::uint64_t{1},
                     std::numeric_limits<std::uint64_t>::max()))
      return false;
    text = text.substr(0, comma);
  }
  wanted.folder = text;
  const bool is_number = !last.empty() && last.find_first_not_of("0123456789") == last.npos;
  return !text.empty() && !is_number && !text.starts_with(every) &&
         text.find("," + std::string(every)) == text.npos;
}
std::string show_checkpoint(const settings& all) {
  const auto& wanted = all.session.checkpoint;
  if (wanted.folder.empty() || wanted.every == 1) return wanted.folder;
  return wanted.folder + ",every=" + std::to_string(wanted.every);
}

// Of what went wrong.

/// Throws D007 itself, with the part that is none.
bool read_faults(settings& all, string_view text) {
  all.faults = transport::parse(text);
  return true;
}

bool read_exceptions(settings& all, string_view text) {
  all.session.exceptions = text == "propagate" ? on_exception::propagate : on_exception::abort;
  return text == "propagate" || text == "abort";
}
std::string show_exceptions(const settings& all) {
  return all.session.exceptions == on_exception::propagate ? "propagate" : "abort";
}

constexpr std::array<string_view, 3> prunings{"on", "off", "compare"};

bool read_pruning(settings& all, string_view text) {
  const auto at = std::ranges::find(prunings, text);
  if (at == prunings.end()) return false;
  all.session.pruning = static_cast<pruning>(at - prunings.begin());
  return true;
}
std::string show_pruning(const settings& all) {
  return std::string(prunings[static_cast<std::size_t>(all.session.pruning)]);
}

constexpr std::array<string_view, 5> log_levels{"none", "error", "warning", "info", "debug"};
constexpr string_view of_all_ranks = ",all";

bool read_log(settings& all, string_view text) {
  log_options& log = all.session.log;
  log.all_ranks = text.ends_with(of_all_ranks);
  if (log.all_ranks) text.remove_suffix(of_all_ranks.size());
  const auto at = std::ranges::find(log_levels, text);
  if (at == log_levels.end()) return false;
  log.level = static_cast<log_level>(at - log_levels.begin());
  return true;
}
std::string show_log(const settings& all) {
  const log_options& log = all.session.log;
  return std::string(log_levels[static_cast<std::size_t>(log.level)]) +
         std::string(log.all_ranks ? of_all_ranks : "");
}

bool read_bind(settings& all, string_view text) {
  all.session.bind = text == "auto";
  return all.session.bind || text == "off";
}

constexpr std::array<string_view, 3> deferrals{"auto", "deferred", "undeferred"};

/// "64", "64,deferred" or "undeferred".
bool read_window(settings& all, string_view text) {
  const auto comma = text.find(',');
  const string_view word = comma == text.npos ? text : text.substr(comma + 1);
  const auto known = std::ranges::find(deferrals, word);
  const bool says = known != deferrals.end();
  if (says) all.session.defer = static_cast<deferral>(known - deferrals.begin());
  if (says && comma == text.npos) return true;
  return says == (comma != text.npos) && read_number(text.substr(0, comma), all.session.window,
                                                     std::size_t{1}, std::size_t{1} << 40);
}
std::string show_window(const settings& all) {
  const std::string number = std::to_string(all.session.window);
  if (all.session.defer == deferral::automatic) return number;
  return number + "," + std::string(deferrals[static_cast<std::size_t>(all.session.defer)]);
}

bool read_silence(settings& all, string_view text) {
  silence_options& silence = all.session.silence;
  constexpr string_view end = ",abort";
  silence.abort = text.ends_with(end);
  if (silence.abort) text.remove_suffix(end.size());
  std::int64_t seconds = 0;
  if (!read_number(text, seconds, std::int64_t{0}, std::int64_t{1'000'000})) return false;
  silence.limit = std::chrono::seconds(seconds);
  return seconds != 0 || !silence.abort;
}
std::string show_silence(const settings& all) {
  const silence_options& silence = all.session.silence;
  return std::to_string(silence.limit.count()) + (silence.abort ? ",abort" : "");
}

bool read_progress(settings& all, string_view text) {
  all.progress = text != "0";
  return text.empty() || text == "0" || text == "1";
}
std::string show_progress(const settings& all) {
  return !all.progress ? "" : *all.progress ? "1" : "0";
}

/// A file of the name `1` or `off` is not what somebody wants who asks for it like that.
bool read_summary(settings& all, string_view text) {
  const bool none = text == off || text == "0";
  all.session.summary = none ? "" : text == "1" ? "text" : text;
  return !text.empty();
}
std::string show_summary(const settings& all) { return all.session.summary; }

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

// A value for each field that a template names.
constexpr rule help = flag<[](auto& all) -> auto& { return all.help; }>;
constexpr rule seed = number<[](auto& all) -> auto& { return all.seed; }, std::uint64_t{0}, most>;
constexpr rule workers = number<[](auto& all) -> auto& { return all.session.workers; }, 1, 4096>;
constexpr rule history = text<[](auto& all) -> auto& { return all.session.history; }>;
constexpr rule device_sync = flag<[](auto& all) -> auto& { return all.session.device_sync; }>;
constexpr rule partner = flag<[](auto& all) -> auto& { return all.session.checkpoint.partner; }>;
constexpr rule checksums = flag<[](auto& all) -> auto& { return all.session.checksums; }>;
constexpr rule hang_report = text<[](auto& all) -> auto& { return all.session.hang_report; }>;
constexpr rule resume = folder<[](auto& all) -> auto& { return all.session.resume; }>;
constexpr rule trace_path = folder<[](auto& all) -> auto& { return all.session.trace.path; }>;
constexpr rule trace_mode = trace<mode, [](const auto& of) {
  return of.mode == deed::trace::recording::full ? std::string("full")
                                                 : "ring:" + show_bytes(of.ring_bytes);
}>;
constexpr rule trace_events =
    trace<events, [](const auto& of) { return deed::trace::names_of(of.categories); }>;
constexpr rule trace_packet =
    trace<packet, [](const auto& of) { return show_bytes(of.packet_bytes); }>;
constexpr rule trace_limit = trace<limit, [](const auto& of) {
  return of.limit_bytes == 0 ? std::string() : show_bytes(of.limit_bytes);
}>;

constexpr rule trace_io = trace<io, [](const auto& of) {
  return std::string(of.io == deed::trace::packet_place::folder ? "mmap" : "shm");
}>;
constexpr rule trace_sync = trace<sync, [](const auto& of) {
  const auto ms = of.sync.count();
  if (ms == 0) return std::string();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms";
}>;

constexpr bool of_run = true;

constexpr std::array table{
    setting{"help", "0 or 1", "0", "print this table and end", "1", help.read, help.show, of_run},
    setting{"ranks", "N or inproc:N, from 1 to 1048576", "inproc:4",
            "ranks of one process: N virtual, one at a time, or N as threads", "inproc:8",
            read_ranks, show_ranks, of_run},
    setting{"seed", "number", "1", "the order of a simulated run; 0: of virtual time", "7",
            seed.read, seed.show, of_run},
    setting{"dry", "N, R/N with R below N, or off", "off",
            "submit as N ranks, run no task, and tell what each would do; R/N: rank R in detail",
            "2/1024", read_dry, show_dry, of_run},
    setting{
        "fault", "plan", "none",
        "what goes wrong on virtual ranks: `kill 1 after 20`, `delay 4 5000`, `stall 2 at 0 for 9`",
        "kill 1 after 20", read_faults,
        [](const settings& all) { return transport::to_string(all.faults); }, of_run},
    setting{"workers", "1 to 4096 threads", "one per core of the launcher's mask",
            "threads of a rank that run tasks", "2", workers.read, workers.show},
    setting{"bind", "auto or off", "auto",
            "cores of its own for each worker, inside the launcher's mask", "off", read_bind,
            [](const settings& all) { return std::string(all.session.bind ? "auto" : "off"); }},
    setting{
        "window", "N, or N,WORD, or WORD: auto, deferred, undeferred", "4096",
        "tasks that may wait before insert_task helps to run them; undeferred: where none waits "
        "it runs its own, auto: if that is brief and quicker so, deferred: never",
        "64,deferred", read_window, show_window},
    setting{"memory", "cache=BYTES, shared=0, or both", "no limit, shared",
            "of copies of other ranks' data; cache=0: none; shared=0: all messages go by MPI, also "
            "the small ones between ranks of one machine",
            "cache=2G", read_memory, show_memory},
    setting{"pruning", "on, off or compare", "on",
            "ranks leave out tasks that do not concern them; compare: run twice, compare values",
            "off", read_pruning, show_pruning},
    setting{"checksum", "0 or 1", "0", "compare a hash of each message's bytes on arrival (D004)",
            "1", checksums.read, checksums.show},
    setting{"checks", "local, or of global,messages,leaks,pages", "local",
            "verify mode: what ranks submit, messages, what is left, memory that a task may use",
            "global,messages", read_checks, show_checks},
    setting{"devices", "auto, none, or of cuda,hip,emulated:N[:timed]", "auto",
            "devices that run tasks; an emulated one shows the errors of a real one, a timed one "
            "takes the time of a model on virtual ranks",
            "emulated:2", read_devices, show_devices},
    setting{"gpu-mem", "bytes", "9/10 of what is free", "memory that deed takes of each device",
            "512M", read_gpu_memory, show_gpu_memory},
    setting{"history", "auto, off or a file", "auto",
            "how long codelets took on processors and devices, kept between runs; auto: in the "
            "user's cache",
            "costs.txt", history.read, history.show},
    setting{"gpu-sync", "0 or 1", "0", "wait for each task on a device, to pin a fault on it", "1",
            device_sync.read, device_sync.show},
    setting{"mpi-gpu", "auto, on or off", "auto",
            "messages leave a device without a stop on the host, where MPI can and a trial at the "
            "start proves it; `on` says why not",
            "on", read_mpi_gpu, show_mpi_gpu},
    setting{"on-exception", "abort or propagate", "abort",
            "a task that throws ends all ranks, or cancels what depends on it", "propagate",
            read_exceptions, show_exceptions},
    setting{"silence", "seconds or seconds,abort", "10",
            "when a rank that does not answer is reported (D003); `abort` ends the run, 0 is never",
            "60,abort", read_silence, show_silence},
    setting{"checkpoint", "folder, folder,every=N or off", "off",
            "where `session.checkpoint(epoch)` writes, at every Nth epoch", "run1,every=10",
            read_checkpoint, show_checkpoint},
    setting{"checkpoint-partner", "0 or 1", "0",
            "another rank, on another machine where there is one, keeps a copy of what each rank "
            "writes of a checkpoint",
            "1", partner.read, partner.show},
    setting{"resume", "folder or off", "off", "where `session.resume()` looks for a checkpoint",
            "run1", resume.read, resume.show},
    setting{"progress", "0 or 1", "1 on a terminal", "a line every two seconds of what is done",
            "1", read_progress, show_progress, of_run},
    setting{"log", "none, error, warning, info or debug; ,all", "info",
            "lines on standard error, each with time and rank: of all ranks, or infos and "
            "debug of rank 0 alone",
            "debug,all", read_log, show_log},
    setting{"summary", "text, a file or off", "off",
            "what all ranks did: a table at the end, or a file of JSON", "text", read_summary,
            show_summary},
    setting{"hang-report", "file", "hang.json of a recorded run",
            "what every rank waits for, once a deadlock is proved; deed-view opens it", "hang.json",
            hang_report.read, hang_report.show},
    setting{"trace", "folder or off", "off", "record the run there, for deed-trace and deed-view",
            "run.deed", trace_path.read, trace_path.show},
    setting{"trace-mode", "full, ring, ring:BYTES or off", "full",
            "keep all events, or the last BYTES of each stream, 64M if not said, four packets at "
            "least",
            "ring:8M", trace_mode.read, trace_mode.show},
    setting{"trace-events", "of task,access,xfer,cache,owner,gpu,wait,mem,place,digest",
            "all but place and digest", "what is recorded", "task,xfer", trace_events.read,
            trace_events.show},
    setting{"trace-packet", "a power of two from 64K to 4M", "256K",
            "the unit of writing; by default 64K for more than 64 virtual ranks", "64K",
            trace_packet.read, trace_packet.show},
    setting{"trace-limit", "bytes", "none", "per rank; from there on only the last events are kept",
            "1G", trace_limit.read, trace_limit.show},
    setting{"trace-io", "mmap or shm", "mmap",
            "where packets are written: mapped from the folder, or in /dev/shm and copied", "shm",
            trace_io.read, trace_io.show},
    setting{"trace-sync", "time, as 5s or 200ms", "none",
            "how often it is brought to disk, against loss of power", "5s", trace_sync.read,
            trace_sync.show},
};

}  // namespace

std::span<const setting> settings_table() noexcept { return table; }

std::string variable_of(string_view name) {
  std::string variable = "DEED_";
  for (const char c : name) variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return variable;
}

std::string option_of(string_view name) { return "--deed-" + std::string(name); }

}  // namespace deed::runtime
