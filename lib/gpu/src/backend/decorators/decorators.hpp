// SPDX-License-Identifier: MIT
#pragma once

#include "backend/device_api.hpp"
#include "backend/happens_before.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace deed::gpu {

/// Hands every call on to another table. `before` may answer instead.
class forwarding_api : public device_api {
 public:
  explicit forwarding_api(std::unique_ptr<device_api> inner) noexcept : inner_(std::move(inner)) {}

  backend made_by() const noexcept override { return inner_->made_by(); }
  std::string native_name(int native) const override { return inner_->native_name(native); }
  status count(int& devices, std::string& why_none) override;
  status attributes(int device, device_attributes& found) override;
  status memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept override;
  status set_device(int device) noexcept override;
  status get_device(int& device) noexcept override;
  status allocate(std::size_t bytes, void*& address) noexcept override;
  status release(void* address) noexcept override;
  status allocate_pinned(std::size_t bytes, void*& address) noexcept override;
  status release_pinned(void* address) noexcept override;
  status register_host(void* address, std::size_t bytes) noexcept override;
  status unregister_host(void* address) noexcept override;
  status create_stream(bool urgent, void*& stream) noexcept override;
  status destroy_stream(stream_ref stream) noexcept override;
  status query_stream(stream_ref stream, bool& idle) noexcept override;
  status sync_stream(stream_ref stream) noexcept override;
  status sync_device() noexcept override;
  status create_event(bool timing, void*& event) noexcept override;
  status destroy_event(event_ref event) noexcept override;
  status record(event_ref event, stream_ref stream) noexcept override;
  status wait(stream_ref stream, event_ref event) noexcept override;
  status query(event_ref event, bool& done) noexcept override;
  status sync_event(event_ref event) noexcept override;
  status elapsed(event_ref from, event_ref to, std::chrono::nanoseconds& time) noexcept override;
  status copy(stream_ref stream, raw_span destination, raw_span source) noexcept override;
  status fill(stream_ref stream, raw_span destination, unsigned char value) noexcept override;
  status can_access_peer(int device, int peer, bool& can) noexcept override;
  status enable_peer(int peer) noexcept override;
  status last_error() noexcept override;
  status launch(stream_ref stream, emulated_kernel kernel) noexcept override;
  bool disturb(const fault& disturbance) noexcept override { return inner_->disturb(disturbance); }
  std::byte* network_address(raw_span memory) noexcept override {
    return inner_->network_address(memory);
  }
  std::optional<std::chrono::nanoseconds> next_change() noexcept override {
    return inner_->next_change();
  }
  void note_access(stream_ref stream, std::span<const touched> memory,
                   access_label label) noexcept override {
    inner_->note_access(stream, memory, label);
  }
  void note_host(touched memory, access_label label) noexcept override {
    inner_->note_host(memory, label);
  }
  void note_label(access_label label) noexcept override { inner_->note_label(label); }

  [[nodiscard]] device_api& inner() const noexcept { return *inner_; }

 protected:
  /// False: `instead` is the answer, and the call does not happen. `device` is -1 for the current
  /// one.
  virtual bool before(operation op, int device, status& instead) noexcept {
    (void)op, (void)device, (void)instead;
    return true;
  }

 private:
  std::unique_ptr<device_api> inner_;
};

/// Makes the faults of a plan, over any table, and counts calls.
class fault_api final : public forwarding_api {
 public:
  fault_api(std::unique_ptr<device_api> inner, fault_plan plan);
  ~fault_api() override;

  /// Calls so far, of each operation.
  [[nodiscard]] std::array<std::uint64_t, operations> calls() const;
  /// Faults that were made.
  [[nodiscard]] std::uint64_t made() const;

 private:
  bool before(operation op, int device, status& instead) noexcept override;
  bool by_plan(operation op, int device, status& instead) noexcept;

  mutable std::mutex mutex_;
  fault_plan plan_;
  std::vector<std::uint64_t> seen_;
  std::array<std::atomic<std::uint64_t>, operations> calls_{};
  std::set<int> lost_;
  std::uint64_t made_ = 0;
};

/// Watches that conflicting accesses are ordered; see `happens_before`.
class check_api final : public forwarding_api {
 public:
  explicit check_api(std::unique_ptr<device_api> inner) noexcept
      : forwarding_api(std::move(inner)) {}

  [[nodiscard]] std::vector<happens_before::conflict> conflicts() const;
  [[nodiscard]] std::uint64_t redundant_waits() const;

  status allocate(std::size_t bytes, void*& address) noexcept override;
  status release(void* address) noexcept override;
  status allocate_pinned(std::size_t bytes, void*& address) noexcept override;
  status release_pinned(void* address) noexcept override;
  status query_stream(stream_ref stream, bool& idle) noexcept override;
  status sync_stream(stream_ref stream) noexcept override;
  status sync_device() noexcept override;
  status destroy_event(event_ref event) noexcept override;
  status record(event_ref event, stream_ref stream) noexcept override;
  status wait(stream_ref stream, event_ref event) noexcept override;
  status query(event_ref event, bool& done) noexcept override;
  status sync_event(event_ref event) noexcept override;
  status copy(stream_ref stream, raw_span destination, raw_span source) noexcept override;
  status fill(stream_ref stream, raw_span destination, unsigned char value) noexcept override;
  status launch(stream_ref stream, emulated_kernel kernel) noexcept override;
  void note_access(stream_ref stream, std::span<const touched> memory,
                   access_label label) noexcept override;
  void note_host(touched memory, access_label label) noexcept override;
  void note_label(access_label label) noexcept override;

 private:
  [[nodiscard]] std::string text(std::string_view verb) const;

  mutable std::mutex mutex_;
  happens_before order_;
  std::map<void*, std::size_t> sizes_;
  std::string task_;
  std::string handle_;
};

}  // namespace deed::gpu
