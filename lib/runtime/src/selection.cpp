// SPDX-License-Identifier: MIT
#include <deed/base/undone.hpp>
#include <deed/runtime/selection.hpp>

#include "core.hpp"
#include "report.hpp"

#include <array>
#include <vector>

namespace deed {
namespace {

/// Two accesses with one owner and one size may be one datum: the ledger knows, so the default is
/// decided there and not here.
deed::rank not_asked(const task_view& task) { return task.parts().front().owner(); }

}  // namespace

constinit const selection_policy most_bytes_read{"most_bytes_read", &not_asked};

namespace runtime {

void use_policy(core& home, const selection_policy& policy, place where) {
  if (!undone("use_policy")) home.use_policy(policy, where);
}
const selection_policy& policy_of(const core& home) noexcept { return home.policy(); }

void core::use_policy(const selection_policy& policy, place where) {
  const turn held(*this, caller(call_kind::steps, where));
  policy_ = policy;
  default_policy_ = policy == most_bytes_read;
}

std::uint32_t core::choose_by(const selection_policy& policy,
                              std::span<const ownership::request> requests, place where) const {
  if (policy == most_bytes_read) {
    return ledger_.most_bytes(requests, [this](ownership::slot datum) { return bytes_of(datum); });
  }
  std::vector<task_part> parts;
  parts.reserve(requests.size());
  for (const auto& [datum, mode] : requests)
    parts.emplace_back(mode, deed::rank{owner_of(datum)}, bytes_of(datum));
  const int chosen = policy.choose(task_view(parts, size())).value;
  if (chosen >= 0 && chosen < size()) return static_cast<std::uint32_t>(chosen);
  throw error(error_code::no_such_rank,
              "policy `" + std::string(policy.name()) + "` chooses rank " + std::to_string(chosen) +
                  ", and there is none",
              {{"inserted", to_string(where)}, {"ranks", "there are " + std::to_string(size())}},
              "return a rank in [0, " + std::to_string(size()) + "), for example `part.owner()`");
}

}  // namespace runtime
}  // namespace deed
