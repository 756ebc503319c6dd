// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/mpi_table.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// MPI with something before or after every call: a call that fails, a record of all calls.

namespace transport_test {

/// Every call passes `before` and `after`; the names are those of MPI.
class around_table : public deed::transport::mpi_table {
 public:
  explicit around_table(std::unique_ptr<mpi_table> wrapped = std::make_unique<mpi_table>())
      : mpi_(std::move(wrapped)) {}

  int isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
            MPI_Request* request) override {
    return call("MPI_Isend",
                [&] { return mpi_->isend(from, count, type, to, tag, comm, request); });
  }
  int irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
            MPI_Request* request) override {
    return call("MPI_Irecv",
                [&] { return mpi_->irecv(to, count, type, from, tag, comm, request); });
  }
  int recv_init(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                MPI_Request* request) override {
    return call("MPI_Recv_init",
                [&] { return mpi_->recv_init(to, count, type, from, tag, comm, request); });
  }
  int start(MPI_Request* request) override {
    return call("MPI_Start", [&] { return mpi_->start(request); });
  }
  int test(MPI_Request* request, int* done, MPI_Status* status) override {
    return call("MPI_Test", [&] { return mpi_->test(request, done, status); });
  }
  int testsome(int in, MPI_Request requests[], int* out, int indices[],
               MPI_Status statuses[]) override {
    return call("MPI_Testsome",
                [&] { return mpi_->testsome(in, requests, out, indices, statuses); });
  }
  int cancel(MPI_Request* request) override {
    return call("MPI_Cancel", [&] { return mpi_->cancel(request); });
  }
  int test_cancelled(const MPI_Status* status, int* flag) override {
    return call("MPI_Test_cancelled", [&] { return mpi_->test_cancelled(status, flag); });
  }
  int wait(MPI_Request* request, MPI_Status* status) override {
    return call("MPI_Wait", [&] { return mpi_->wait(request, status); });
  }
  int request_free(MPI_Request* request) override {
    return call("MPI_Request_free", [&] { return mpi_->request_free(request); });
  }
  int get_count(const MPI_Status* status, MPI_Datatype type, int* count) override {
    return call("MPI_Get_count", [&] { return mpi_->get_count(status, type, count); });
  }
  int type_create_hvector(int rows, int row, MPI_Aint pitch, MPI_Datatype of,
                          MPI_Datatype* made) override {
    return call("MPI_Type_create_hvector",
                [&] { return mpi_->type_create_hvector(rows, row, pitch, of, made); });
  }
  int type_commit(MPI_Datatype* type) override {
    return call("MPI_Type_commit", [&] { return mpi_->type_commit(type); });
  }
  int type_free(MPI_Datatype* type) override {
    return call("MPI_Type_free", [&] { return mpi_->type_free(type); });
  }
  int comm_dup(MPI_Comm comm, MPI_Comm* made) override {
    return call("MPI_Comm_dup", [&] { return mpi_->comm_dup(comm, made); });
  }
  int comm_free(MPI_Comm* comm) override {
    return call("MPI_Comm_free", [&] { return mpi_->comm_free(comm); });
  }
  int comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) override {
    return call("MPI_Comm_set_errhandler",
                [&] { return mpi_->comm_set_errhandler(comm, handler); });
  }
  int comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) override {
    return call("MPI_Comm_get_errhandler",
                [&] { return mpi_->comm_get_errhandler(comm, handler); });
  }

 protected:
  /// @return what the call returns in place of being made; MPI_SUCCESS: it is made.
  virtual int before(std::string_view) { return MPI_SUCCESS; }
  virtual void after(std::string_view, int) {}

 private:
  template <class Made>
  int call(std::string_view name, Made&& made) {
    int result = before(name);
    if (result == MPI_SUCCESS) result = made();
    after(name, result);
    return result;
  }

  std::unique_ptr<mpi_table> mpi_;
};

/// Returns an error in place of the k-th call. Calls that only end things are left alone, so that a
/// failing run leaves nothing behind.
class failing_table final : public around_table {
 public:
  failing_table(int fails_at, int error, std::unique_ptr<mpi_table> wrapped)
      : around_table(std::move(wrapped)), fails_at_(fails_at), error_(error) {}

 protected:
  int before(std::string_view name) override {
    static constexpr std::array<std::string_view, 7> endings{
        "MPI_Cancel",    "MPI_Test_cancelled",      "MPI_Wait",     "MPI_Request_free",
        "MPI_Type_free", "MPI_Comm_get_errhandler", "MPI_Comm_free"};
    if (std::ranges::find(endings, name) != endings.end()) return MPI_SUCCESS;
    opened_ = opened_ || name == "MPI_Recv_init";
    if (opened_ && name == "MPI_Comm_set_errhandler") return MPI_SUCCESS;  // Puts the user's back.
    return ++calls_ == fails_at_ ? error_ : MPI_SUCCESS;
  }

 private:
  int fails_at_, error_;
  int calls_ = 0;
  bool opened_ = false;
};

/// Keeps a record of all calls, which outlives it.
class tracing_table final : public around_table {
 public:
  using record = std::vector<std::pair<std::string, int>>;  ///< Name and result.
  explicit tracing_table(std::shared_ptr<record> into,
                         std::unique_ptr<mpi_table> wrapped = std::make_unique<mpi_table>())
      : around_table(std::move(wrapped)), into_(std::move(into)) {}

 protected:
  void after(std::string_view name, int result) override {
    into_->emplace_back(std::string(name), result);
  }

 private:
  std::shared_ptr<record> into_;
};

}  // namespace transport_test
