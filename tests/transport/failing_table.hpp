// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/mpi_table.hpp>

/// @file
/// MPI whose k-th call fails.

namespace transport_test {

/// Returns an error in place of the k-th call, and does what MPI does in all others. Calls that
/// only end things are left alone, so that a failing run leaves nothing behind.
class failing_table final : public deed::transport::mpi_table {
 public:
  failing_table(int fails_at, int error) : fails_at_(fails_at), error_(error) {}

  int isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
            MPI_Request* request) override {
    return fails() ? error_ : mpi_table::isend(from, count, type, to, tag, comm, request);
  }
  int irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
            MPI_Request* request) override {
    return fails() ? error_ : mpi_table::irecv(to, count, type, from, tag, comm, request);
  }
  int recv_init(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                MPI_Request* request) override {
    return fails() ? error_ : mpi_table::recv_init(to, count, type, from, tag, comm, request);
  }
  int start(MPI_Request* request) override { return fails() ? error_ : mpi_table::start(request); }
  int testsome(int in, MPI_Request requests[], int* out, int indices[],
               MPI_Status statuses[]) override {
    return fails() ? error_ : mpi_table::testsome(in, requests, out, indices, statuses);
  }
  int get_count(const MPI_Status* status, MPI_Datatype type, int* count) override {
    return fails() ? error_ : mpi_table::get_count(status, type, count);
  }
  int type_create_hvector(int rows, int row, MPI_Aint pitch, MPI_Datatype of,
                          MPI_Datatype* made) override {
    return fails() ? error_ : mpi_table::type_create_hvector(rows, row, pitch, of, made);
  }
  int type_commit(MPI_Datatype* type) override {
    return fails() ? error_ : mpi_table::type_commit(type);
  }
  int comm_dup(MPI_Comm comm, MPI_Comm* made) override {
    return fails() ? error_ : mpi_table::comm_dup(comm, made);
  }
  int comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) override {
    return fails() ? error_ : mpi_table::comm_set_errhandler(comm, handler);
  }

 private:
  bool fails() { return ++calls_ == fails_at_; }

  int fails_at_, error_;
  int calls_ = 0;
};

}  // namespace transport_test
