// SPDX-License-Identifier: MIT
#include <deed/transport/mpi_table.hpp>

namespace deed::transport {

int mpi_table::isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return MPI_Isend(from, count, type, to, tag, comm, request);
}
int mpi_table::irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return MPI_Irecv(to, count, type, from, tag, comm, request);
}
int mpi_table::recv_init(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  return MPI_Recv_init(to, count, type, from, tag, comm, request);
}
int mpi_table::start(MPI_Request* request) { return MPI_Start(request); }
int mpi_table::test(MPI_Request* request, int* done, MPI_Status* status) {
  return MPI_Test(request, done, status);
}
int mpi_table::testsome(int in, MPI_Request requests[], int* out, int indices[],
                        MPI_Status statuses[]) {
  return MPI_Testsome(in, requests, out, indices, statuses);
}
int mpi_table::cancel(MPI_Request* request) { return MPI_Cancel(request); }
int mpi_table::test_cancelled(const MPI_Status* status, int* flag) {
  return MPI_Test_cancelled(status, flag);
}
int mpi_table::wait(MPI_Request* request, MPI_Status* status) { return MPI_Wait(request, status); }
int mpi_table::request_free(MPI_Request* request) { return MPI_Request_free(request); }
int mpi_table::get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  return MPI_Get_count(status, type, count);
}
int mpi_table::type_create_hvector(int rows, int row, MPI_Aint pitch, MPI_Datatype of,
                                   MPI_Datatype* made) {
  return MPI_Type_create_hvector(rows, row, pitch, of, made);
}
int mpi_table::type_commit(MPI_Datatype* type) { return MPI_Type_commit(type); }
int mpi_table::type_free(MPI_Datatype* type) { return MPI_Type_free(type); }
int mpi_table::comm_dup(MPI_Comm comm, MPI_Comm* made) { return MPI_Comm_dup(comm, made); }
int mpi_table::comm_free(MPI_Comm* comm) { return MPI_Comm_free(comm); }
int mpi_table::comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return MPI_Comm_set_errhandler(comm, handler);
}
int mpi_table::comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  return MPI_Comm_get_errhandler(comm, handler);
}

}  // namespace deed::transport
