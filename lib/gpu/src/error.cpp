// SPDX-License-Identifier: MIT
#include <deed/gpu/fault.hpp>

#include "backend/device_api.hpp"

#include <array>
#include <utility>

namespace deed::gpu {
namespace {

error_code code_of(error_kind kind) noexcept {
  if (kind == error_kind::out_of_memory) return error_code::device_memory_exhausted;
  return is_sticky(kind) || kind == error_kind::no_device ? error_code::device_lost
                                                          : error_code::launch_failed;
}

std::string name_of(const fault_site& site) {
  if (!site.device_name.empty()) return "`" + site.device_name + "`";
  return site.device < 0 ? "the host" : "device " + std::to_string(site.device);
}

std::string what_happened(const status& outcome, const fault_site& site) {
  switch (code_of(outcome.kind)) {
    case error_code::device_memory_exhausted:
      return name_of(site) + " has no memory left";
    case error_code::device_lost:
      return name_of(site) + " is lost: " + std::string(to_string(outcome.kind));
    default:
      return name_of(site) + " refused a call: " + std::string(to_string(outcome.kind));
  }
}

std::vector<error::fact> facts_of(const fault_site& site) {
  std::vector<error::fact> facts;
  if (!site.one_of.empty()) {
    facts.push_back({"one of", site.one_of});
    return facts;
  }
  if (!site.after.empty()) facts.push_back({"because of", site.after});
  if (!site.task.empty()) facts.push_back({"task", "`" + site.task + "`"});
  if (!site.where.empty()) facts.push_back({"inserted", site.where});
  if (!site.data.empty()) facts.push_back({"data", site.data});
  if (!site.handle.empty()) facts.push_back({"handle", "`" + site.handle + "`"});
  if (site.bytes != 0) facts.push_back({"bytes", std::to_string(site.bytes)});
  return facts;
}

std::vector<error::fact> facts_of(const status& outcome, const fault_site& site) {
  std::vector<error::fact> facts{{"call", std::string(to_string(outcome.op))}};
  if (!site.native_name.empty()) facts.push_back({"it said", site.native_name});
  for (auto& fact : facts_of(site)) facts.push_back(std::move(fact));
  return facts;
}

std::string_view help_for(error_kind kind, const fault_site& site) noexcept {
  switch (kind) {
    case error_kind::out_of_memory:
      return "use smaller tiles, or lower DEED_GPU_MEM if other programs share the device";
    case error_kind::launch_failed:
      return "look at what the body asks for: threads of a block, shared memory, the device that "
             "it was built for";
    case error_kind::illegal_access:
      return site.one_of.empty() ? "`compute-sanitizer` names the access, in a run of one rank"
                                 : "run once with DEED_GPU_SYNC=1 to see which task it is";
    case error_kind::no_device:
    case error_kind::device_lost:
    case error_kind::timeout:
      return "look at the driver's log; tasks with a `cpu` body go on where another copy of their "
             "data exists";
    default:
      return "run once with DEED_GPU_SYNC=1 to see which task it is";
  }
}

}  // namespace

std::string_view to_string(error_kind kind) noexcept {
  constexpr std::array<std::string_view, 10> names{
      "no error",          "no device",      "out of memory", "invalid argument or moment",
      "launch failed",     "illegal access", "device lost",   "copy failed",
      "no answer in time", "not supported"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(operation op) noexcept {
  constexpr std::array<std::string_view, operations> names{"count devices",
                                                           "read attributes",
                                                           "ask for memory",
                                                           "set device",
                                                           "get device",
                                                           "allocate",
                                                           "release",
                                                           "allocate pinned",
                                                           "release pinned",
                                                           "register memory",
                                                           "unregister memory",
                                                           "create stream",
                                                           "destroy stream",
                                                           "query stream",
                                                           "wait for stream",
                                                           "wait for device",
                                                           "create event",
                                                           "destroy event",
                                                           "record event",
                                                           "make stream wait",
                                                           "query event",
                                                           "wait for event",
                                                           "measure time",
                                                           "copy to device",
                                                           "copy to host",
                                                           "copy on device",
                                                           "copy between devices",
                                                           "fill",
                                                           "ask for peer",
                                                           "enable peer",
                                                           "last error",
                                                           "launch"};
  return names.at(static_cast<std::size_t>(op));
}

operation copy_operation(const raw_span& to, const raw_span& from) noexcept {
  const bool to_device = to.space == memory_space::device;
  const bool from_device = from.space == memory_space::device;
  if (to_device && from_device) {
    return to.device == from.device ? operation::copy_within : operation::copy_peer;
  }
  if (to_device) return operation::copy_to_device;
  return from_device ? operation::copy_to_host : operation::copy_within;
}

gpu_error::gpu_error(status outcome, fault_site site)
    : gpu_error(code_of(outcome.kind), what_happened(outcome, site), facts_of(outcome, site),
                help_for(outcome.kind, site), outcome, site) {}

gpu_error::gpu_error(error_code code, std::string happened, std::vector<fact> facts,
                     std::string_view help, status outcome, fault_site site)
    : error(code, happened, std::move(facts), help), outcome_(outcome), site_(std::move(site)) {}

device_capacity_error::device_capacity_error(fault_site site, std::size_t capacity_bytes)
    : gpu_error(error_code::device_memory_exhausted,
                "`" + site.task + "` needs " + std::to_string(site.bytes) + " bytes at once; " +
                    name_of(site) + " has " + std::to_string(capacity_bytes),
                facts_of(site), "use smaller tiles, or add a `cpu` body",
                {error_kind::out_of_memory, 0, operation::allocate}, site) {}

data_lost::data_lost(fault_site site, std::string reason, std::exception_ptr cause)
    : gpu_error(
          error_code::device_lost, "the contents of `" + site.handle + "` are lost",
          [&] {
            auto facts = facts_of(site);
            facts.push_back({"because", std::move(reason)});
            return facts;
          }(),
          "write it anew, or keep a copy on the host before",
          {error_kind::device_lost, 0, operation::copy_to_host}, site),
      cause_(std::move(cause)) {}

}  // namespace deed::gpu
