// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/recorder.hpp>

#include "analysis/read/records.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

/// @file
/// Events that are made out of order and recorded in order.

namespace deed::viewer {

class manual_clock final : public clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override {
    return std::chrono::nanoseconds{at};
  }
  std::int64_t at = 0;
};

/// One recorder per rank; each with an application, a progress and some worker streams.
class event_log {
 public:
  static constexpr int application = 0, progress = 1, first_worker = 2;

  event_log(const std::string& path, int ranks, int workers, std::uint64_t seed);

  void add(std::int64_t time, int rank, int stream, record what,
           std::initializer_list<std::uint64_t> fields);
  /// Records all that was added since the last time. Times must not lie before earlier ones.
  void flush();
  void close();
  /// Of the last event that was recorded: none can be earlier.
  [[nodiscard]] std::int64_t recorded_until() const { return clock_.at; }

  [[nodiscard]] trace::recorder& rank(int number) {
    return *recorders_[static_cast<std::size_t>(number)];
  }
  void set_time(std::int64_t time) { clock_.at = time; }
  [[nodiscard]] std::uint64_t events() const { return events_ + pending_.size(); }

 private:
  struct pending {
    std::int64_t time;
    std::uint32_t rank;
    std::uint16_t stream;
    record what;
    std::array<std::uint64_t, 9> f;
  };
  void write(const pending& p);

  manual_clock clock_;
  std::vector<std::unique_ptr<trace::recorder>> recorders_;
  std::vector<std::vector<trace::stream*>> streams_;
  std::vector<pending> pending_;
  std::uint64_t events_ = 0;
};

}  // namespace deed::viewer
