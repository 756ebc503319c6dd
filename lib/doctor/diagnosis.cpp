// SPDX-License-Identifier: MIT
#include "diagnosis.hpp"

#if DEED_WITH_MPI
#include <deed/transport/mpi_facts.hpp>
#endif

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

namespace deed::doctor {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20, gibibyte = std::uint64_t{1} << 30;

std::string number(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string size_of(std::uint64_t bytes) {
  if (bytes == ~std::uint64_t{0}) return "no limit";
  if (bytes < gibibyte) return number("%.0f MiB", static_cast<double>(bytes) / mebibyte);
  return number("%.1f GiB", static_cast<double>(bytes) / gibibyte);
}

using members = std::vector<std::size_t>;  // Ranks.

std::map<std::string, members> by_host(std::span<const machine_facts> ranks) {
  std::map<std::string, members> hosts;
  for (std::size_t r = 0; r < ranks.size(); ++r) hosts[ranks[r].host.data()].push_back(r);
  return hosts;
}

finding judge_cores(const std::string& host, const members& here,
                    std::span<const machine_facts> ranks) {
  constexpr std::size_t shown = 8;
  const machine_facts& first = ranks[here.front()];
  std::string text = host + ": " + std::to_string(first.hardware_threads) + " hardware threads";
  const bool all_alike =
      std::ranges::all_of(here, [&](std::size_t r) { return ranks[r].granted == first.granted; });
  if (all_alike) {
    text += "; " + count_of(here.size(), "rank") + " on " + cores_of(first);
  } else {
    for (std::size_t i = 0; i < std::min(shown, here.size()); ++i)
      text += "; rank " + std::to_string(here[i]) + " on " + cores_of(ranks[here[i]]);
    if (here.size() > shown) text += "; …";
  }
  if (all_alike && here.size() > count_granted(first)) {
    return {health::note, "cores", text + ": more ranks than hardware threads",
            "correct but slow: start fewer ranks, or give them more cores"};
  }
  for (std::size_t i = 1; !all_alike && i < here.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const machine_facts &one = ranks[here[j]], &two = ranks[here[i]];
      if (shared_by(one, two) == 0 || one.granted == two.granted) continue;
      return {health::wrong, "cores",
              text + ": ranks " + std::to_string(here[j]) + " and " + std::to_string(here[i]) +
                  " share a part of their cores",
              "give every rank cores of its own: `mpirun --map-by slot:PE=4`, `srun -c 4`"};
    }
  }
  return {health::well, "cores", text};
}

finding judge_memory(const std::string& host, const members& here,
                     std::span<const machine_facts> ranks) {
  const machine_facts& first = ranks[here.front()];
  const std::string text = host + ": " + size_of(first.available_bytes) + " of " +
                           size_of(first.memory_bytes) + " available, " +
                           size_of(first.shared_memory_bytes) + " in /dev/shm";
  if (first.has_infiniband && first.lockable_bytes < gibibyte) {
    return {health::wrong, "memory", text + "; a rank may lock " + size_of(first.lockable_bytes),
            "InfiniBand registers memory: `ulimit -l unlimited`, on every machine"};
  }
  if (here.size() > 1 && first.shared_memory_bytes < here.size() * 32 * mebibyte) {
    return {health::note, "memory", text,
            "MPI moves messages between ranks of a machine through /dev/shm; a container may have "
            "more: `--shm-size=1g`"};
  }
  if (first.available_bytes / here.size() < gibibyte / 2) {
    return {health::note, "memory", text + ", for " + count_of(here.size(), "rank"),
            "bound the copies that are kept: `DEED_MEMORY=cache=100M`"};
  }
  return {health::well, "memory", text};
}

std::string_view devices_of(const machine_facts& facts) {
  std::string_view line = facts.devices.data();
  if (line.starts_with("gpu: ")) line.remove_prefix(5);
  return line;
}

bool has_devices(const machine_facts& facts) {
  return !devices_of(facts).starts_with("no devices");
}

finding judge_devices(const std::string& host, const members& here,
                      std::span<const machine_facts> ranks) {
  constexpr std::size_t shown = 8;
  const machine_facts& first = ranks[here.front()];
  const bool all_alike = std::ranges::all_of(
      here, [&](std::size_t r) { return devices_of(ranks[r]) == devices_of(first); });
  std::string text = host + ": ";
  if (!all_alike) {
    for (std::size_t i = 0; i < std::min(shown, here.size()); ++i)
      text += (i == 0 ? "rank " : "; rank ") + std::to_string(here[i]) + ": " +
              std::string(devices_of(ranks[here[i]]));
    return {health::well, "devices", text + (here.size() > shown ? "; …" : ""), ""};
  }
  text += devices_of(first);
  if (!has_devices(first)) {
    return {health::note, "devices", text,
            "tasks with a body for processors run there; nothing to do unless you expected a "
            "device"};
  }
  if (here.size() == 1) return {health::well, "devices", text, ""};
  return {health::note, "devices", text + ", the same for " + count_of(here.size(), "rank"),
          "ranks do not know what others take: one device for each, `srun --gpus-per-task=1`, or a "
          "share of its memory, `DEED_GPU_MEM=8G`"};
}

#if DEED_WITH_MPI
std::string_view word_of(transport::answer known) {
  return known == transport::answer::yes  ? "yes"
         : known == transport::answer::no ? "no, through host memory"
                                          : "it does not say";
}
#endif

}  // namespace

std::string count_of(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::vector<finding> judge_machines(std::span<const machine_facts> ranks) {
  std::vector<finding> found;
  const auto hosts = by_host(ranks);
  for (const auto& [host, here] : hosts) found.push_back(judge_cores(host, here, ranks));
  for (const auto& [host, here] : hosts) found.push_back(judge_memory(host, here, ranks));
  for (const auto& [host, here] : hosts) found.push_back(judge_devices(host, here, ranks));
  return found;
}

std::vector<finding> judge_build() {
  std::vector<finding> found;
#if DEED_WITH_MPI
  const transport::mpi_facts mpi = transport::ask_mpi();
  if (!mpi.running) {
    found.push_back({health::note, "MPI", "there, but not asked: all ranks are of one process",
                     "`mpirun -n 2 deed-doctor` looks at it"});
    return found;
  }
  found.push_back({mpi.any_thread_calls ? health::well : health::note, "MPI",
                   mpi.library + ", standard " + mpi.standard + ", " + mpi.threads,
                   mpi.any_thread_calls ? ""
                                        : "workers cannot help: tasks run while the program waits; "
                                          "use an MPI built for threads"});
  found.push_back({health::well, "MPI",
                   "takes memory of devices: CUDA " + std::string(word_of(mpi.cuda)) + ", ROCm " +
                       std::string(word_of(mpi.hip))});
#else
  found.push_back({health::note, "MPI", "not part of this build",
                   "install MPI and Boost.MPI, and build deed again"});
#endif
  return found;
}

finding judge_network(std::string_view way) {
  const std::string text = "values leave them for other ranks " + std::string(way);
  if (way.find("went wrong") == way.npos) return {health::well, "devices", text};
  return {health::note, "devices", text,
          "MPI says that it reads memory of devices, and does not: ask who built it; every value "
          "is right, for deed does not use it"};
}

std::vector<finding> judge_exercise(const exercise_result& result, int ranks) {
  std::vector<finding> found;
  found.push_back({health::well, "tasks",
                   std::to_string(result.tasks) + " tasks of a stencil on " +
                       count_of(static_cast<std::size_t>(ranks), "rank") +
                       ": every value is right"});
  if (ranks == 1) return found;
  found.push_back({health::well, "messages",
                   number("%.1f us from task to task on the next rank, ", result.hop_us) +
                       number("16 MiB at %.2f GB/s", result.large_gbps)});
  return found;
}

}  // namespace deed::doctor
