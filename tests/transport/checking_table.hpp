// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/mpi_table.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// @file
/// MPI that is watched for wrong use of it.

namespace transport_test {

/// Notes each call that uses MPI wrongly: a request started twice, tested or freed when it is none,
/// two operations that write to the same memory or write to what is being sent, bytes that changed
/// under way, and whatever is left at the end.
/// Keeps: the wrapped table.
/// Threads: as the endpoint that uses it, one caller at a time.
class checking_table final : public deed::transport::mpi_table {
 public:
  explicit checking_table(std::unique_ptr<deed::transport::mpi_table> wrapped)
      : mpi_(std::move(wrapped)) {}

  /// What was wrong so far, one sentence each. Outlives the table: hold it before the world ends.
  [[nodiscard]] std::shared_ptr<const std::vector<std::string>> wrong() const { return wrong_; }

  int isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
            MPI_Request* request) override {
    const int result = mpi_->isend(from, count, type, to, tag, comm, request);
    if (result == MPI_SUCCESS) {
      opened(*request, {kind::send, memory_of(const_cast<void*>(from), count, type), comm, true});
    }
    return result;
  }
  int irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
            MPI_Request* request) override {
    const int result = mpi_->irecv(to, count, type, from, tag, comm, request);
    if (result == MPI_SUCCESS) {
      opened(*request, {kind::receive, memory_of(to, count, type), comm, true});
    }
    return result;
  }
  int recv_init(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                MPI_Request* request) override {
    const int result = mpi_->recv_init(to, count, type, from, tag, comm, request);
    if (result == MPI_SUCCESS) {
      opened(*request, {kind::persistent, memory_of(to, count, type), comm, false});
    }
    return result;
  }
  int start(MPI_Request* request) override {
    operation* const found = known(*request, "MPI_Start");
    if (found != nullptr) {
      note(found->what != kind::persistent, "MPI_Start of a request that is not persistent");
      note(found->active, "MPI_Start of a request that is active");
    }
    const int result = mpi_->start(request);
    if (found != nullptr && result == MPI_SUCCESS) {
      found->active = true;
      check_overlaps(*request, *found);
    }
    return result;
  }
  int test(MPI_Request* request, int* done, MPI_Status* status) override {
    const MPI_Request before = *request;
    if (const operation* const found = known(before, "MPI_Test"))
      note(!found->active, "MPI_Test of a request that is not active");
    const int result = mpi_->test(request, done, status);
    if (result == MPI_SUCCESS && *done != 0) ended(before);
    return result;
  }
  int testsome(int in, MPI_Request requests[], int* out, int indices[],
               MPI_Status statuses[]) override {
    const std::vector<MPI_Request> before(requests, requests + in);
    for (auto at = before.begin(); at != before.end(); ++at) {
      if (*at == MPI_REQUEST_NULL) continue;
      const operation* const found = known(*at, "MPI_Testsome");
      if (found == nullptr || found->shares > 1) continue;
      note(std::find(before.begin(), at, *at) != at, "MPI_Testsome of a request twice");
    }
    const int result = mpi_->testsome(in, requests, out, indices, statuses);
    if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) return result;
    for (int i = 0; *out != MPI_UNDEFINED && i < *out; ++i) {
      ended(before[static_cast<std::size_t>(indices[i])]);
    }
    return result;
  }
  int cancel(MPI_Request* request) override {
    if (operation* const found = known(*request, "MPI_Cancel")) {
      note(!found->active, "MPI_Cancel of a request that is not active");
      note(found->what == kind::send, "MPI_Cancel of a send, which MPI 4 deprecates");
      if (std::exchange(found->cancelled, true)) {  // Open MPI crashes.
        note(true, "MPI_Cancel of a request twice");
        return MPI_SUCCESS;
      }
    }
    return mpi_->cancel(request);
  }
  int wait(MPI_Request* request, MPI_Status* status) override {
    const MPI_Request before = *request;
    known(before, "MPI_Wait");
    const int result = mpi_->wait(request, status);
    ended(before);
    return result;
  }
  int request_free(MPI_Request* request) override {
    const MPI_Request before = *request;
    if (operation* const found = known(before, "MPI_Request_free")) {
      note(found->what != kind::send && found->active && !found->cancelled,
           "MPI_Request_free of a receive that may still write");
    }
    const int result = mpi_->request_free(request);
    const auto found = open_.find(before);
    if (found != open_.end() && --found->second.shares == 0) open_.erase(found);
    return result;
  }
  int type_create_hvector(int rows, int row, MPI_Aint pitch, MPI_Datatype of,
                          MPI_Datatype* made) override {
    const int result = mpi_->type_create_hvector(rows, row, pitch, of, made);
    if (result == MPI_SUCCESS) types_[*made] = false;
    return result;
  }
  int type_commit(MPI_Datatype* type) override {
    note(!types_.contains(*type), "MPI_Type_commit of an unknown type");
    types_[*type] = true;
    return mpi_->type_commit(type);
  }
  int type_free(MPI_Datatype* type) override {
    note(types_.erase(*type) == 0, "MPI_Type_free of an unknown type");
    return mpi_->type_free(type);
  }
  int comm_dup(MPI_Comm comm, MPI_Comm* made) override {
    const int result = mpi_->comm_dup(comm, made);
    if (result == MPI_SUCCESS) communicators_->push_back(*made);
    return result;
  }
  int comm_free(MPI_Comm* comm) override {
    note(std::erase(*communicators_, *comm) == 0, "MPI_Comm_free of an unknown communicator");
    for (const auto& [request, at] : open_) {
      note(at.comm == *comm, "MPI_Comm_free with a request on it");
    }
    return mpi_->comm_free(comm);
  }
  int test_cancelled(const MPI_Status* status, int* flag) override {
    return mpi_->test_cancelled(status, flag);
  }
  int get_count(const MPI_Status* status, MPI_Datatype type, int* count) override {
    return mpi_->get_count(status, type, count);
  }
  int comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) override {
    return mpi_->comm_set_errhandler(comm, handler);
  }
  int comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) override {
    return mpi_->comm_get_errhandler(comm, handler);
  }

  ~checking_table() override {
    note(!open_.empty(), "requests are left");
    note(!types_.empty(), "types are left");
  }
  /// Those that were not freed, oldest first; only an orderly end frees them. Outlives the table.
  [[nodiscard]] std::shared_ptr<const std::vector<MPI_Comm>> communicators() const {
    return communicators_;
  }

 private:
  enum class kind { send, receive, persistent };
  struct block {
    const std::byte* begin;
    std::size_t row, rows, pitch;
  };
  struct operation {
    kind what;
    block memory;
    MPI_Comm comm;
    bool active;
    bool cancelled = false;
    std::size_t hash = 0;  // Of what is sent.
    int shares = 1;        // MPICH gives one request to all sends that it completes at once.
  };

  void note(bool wrong, const char* what) {
    if (wrong) wrong_->push_back(what);
  }
  operation* known(MPI_Request request, const char* call) {
    const auto found = open_.find(request);
    if (found != open_.end()) return &found->second;
    wrong_->push_back(std::string(call) + " of an unknown request");
    return nullptr;
  }
  void opened(MPI_Request request, operation made) {
    if (made.what == kind::send) made.hash = hash_of(made.memory);
    if (made.active) check_overlaps(request, made);
    const auto [at, fresh] = open_.emplace(request, made);
    if (fresh) return;
    note(made.what != kind::send || at->second.what != kind::send, "MPI gave a request twice");
    ++at->second.shares;
    at->second.memory = {};
    at->second.hash = hash_of({});
  }
  void ended(MPI_Request request) {
    const auto found = open_.find(request);
    if (found == open_.end()) return;
    operation& at = found->second;
    if (at.what == kind::persistent) {
      at.active = at.cancelled = false;
      return;
    }
    note(at.what == kind::send && hash_of(at.memory) != at.hash,
         "memory changed while it was sent");
    if (--at.shares == 0) open_.erase(found);
  }
  void check_overlaps(MPI_Request request, const operation& mine) {
    for (const auto& [other, at] : open_) {
      if (other == request || !at.active) continue;
      if (at.what == kind::send && mine.what == kind::send) continue;
      note(overlap(at.memory, mine.memory), "two operations on the same memory");
    }
  }
  static bool overlap(const block& a, const block& b) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      for (std::size_t j = 0; j < b.rows; ++j) {
        const std::byte* const x = a.begin + i * a.pitch;
        const std::byte* const y = b.begin + j * b.pitch;
        if (x < y + b.row && y < x + a.row) return true;
      }
    }
    return false;
  }
  static std::size_t hash_of(const block& memory) {
    std::size_t hash = 14695981039346656037u;  // FNV-1a.
    for (std::size_t i = 0; i < memory.rows; ++i) {
      for (std::size_t j = 0; j < memory.row; ++j) {
        hash = (hash ^ std::to_integer<std::size_t>(memory.begin[i * memory.pitch + j])) *
               1099511628211u;
      }
    }
    return hash;
  }
  /// Bytes, or one of the strided types that the endpoint makes of them.
  static block memory_of(void* at, int count, MPI_Datatype type) {
    const auto* const begin = static_cast<const std::byte*>(at);
    if (type == MPI_BYTE) return {begin, static_cast<std::size_t>(count), 1, 0};
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    int numbers[3] = {};
    MPI_Aint pitch = 0;
    MPI_Datatype of = MPI_DATATYPE_NULL;
    MPI_Type_get_contents(type, 3, 1, 1, numbers, &pitch, &of);
    return {begin, static_cast<std::size_t>(numbers[1]), static_cast<std::size_t>(numbers[0]),
            static_cast<std::size_t>(pitch)};
  }

  std::unique_ptr<deed::transport::mpi_table> mpi_;
  std::map<MPI_Request, operation> open_;
  std::map<MPI_Datatype, bool> types_;  // And whether it is committed.
  std::shared_ptr<std::vector<MPI_Comm>> communicators_ = std::make_shared<std::vector<MPI_Comm>>();
  std::shared_ptr<std::vector<std::string>> wrong_ = std::make_shared<std::vector<std::string>>();
};

}  // namespace transport_test
