// SPDX-License-Identifier: MIT
#include "field_check.hpp"

#include <deed/base/error.hpp>

#include <string>

namespace deed::runtime {
namespace {

void need(bool fits, const std::string& field, std::int64_t value, const std::string& wanted) {
  if (fits) return;
  throw error(
      error_code::bad_setting,
      "session_options::" + field + " = " + std::to_string(value) + ": not a value of this field",
      {{"wanted", wanted}}, "look at where the program fills in its options");
}

}  // namespace

const session_options& checked(const session_options& options) {
  need(options.workers >= 0 && options.workers <= 4096, "workers", options.workers,
       "1 to 4096 threads, or 0 for the default");
  need(options.window > 0, "window", 0, "at least 1 task");
  need(options.silence.limit.count() >= 0, "silence.limit", options.silence.limit.count(),
       "seconds, or 0 for never");
  need(options.checkpoint.every > 0, "checkpoint.every", 0, "at least 1 epoch");
  trace::recorder_options(options.trace).set("packet", std::to_string(options.trace.packet_bytes));
  return options;
}

}  // namespace deed::runtime
