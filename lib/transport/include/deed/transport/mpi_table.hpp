// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

/// @file
/// Seam 2: every MPI call of the endpoint that can fail in a run.

namespace deed::transport {

/// The calls themselves, with MPI's signatures. A decorator overrides those it is about and calls
/// the table it wraps.
class mpi_table {
 public:
  virtual ~mpi_table() = default;

  virtual int isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                    MPI_Request* request);
  virtual int irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                    MPI_Request* request);
  virtual int recv_init(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                        MPI_Request* request);
  virtual int start(MPI_Request* request);
  virtual int test(MPI_Request* request, int* done, MPI_Status* status);
  virtual int testsome(int in, MPI_Request requests[], int* out, int indices[],
                       MPI_Status statuses[]);
  virtual int cancel(MPI_Request* request);
  virtual int test_cancelled(const MPI_Status* status, int* flag);
  virtual int wait(MPI_Request* request, MPI_Status* status);  ///< In `close` alone.
  virtual int request_free(MPI_Request* request);
  virtual int get_count(const MPI_Status* status, MPI_Datatype type, int* count);
  virtual int type_create_hvector(int rows, int row, MPI_Aint pitch, MPI_Datatype of,
                                  MPI_Datatype* made);
  virtual int type_commit(MPI_Datatype* type);
  virtual int type_free(MPI_Datatype* type);
  virtual int comm_dup(MPI_Comm comm, MPI_Comm* made);
  virtual int comm_free(MPI_Comm* comm);
  virtual int comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
  virtual int comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler);
};

}  // namespace deed::transport
