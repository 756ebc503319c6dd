// SPDX-License-Identifier: MIT
// Stands before StarPU's own header, which it reads, and gives the messages of a program their
// words. Those that StarPU sends for a task need none: every rank inserts it.
#include <mpi.h>
#include <starpu.h>
#if !__has_include_next(<starpu_mpi.h>)
#error "'starpu_mpi.h' file not found"
#elif !defined(__clang__)
#include_next <starpu_mpi.h>
#else
#pragma clang attribute push(__attribute__((annotate("deed", "environment", "local"))), \
                             apply_to = function)
#include_next <starpu_mpi.h>
#pragma clang attribute pop
#endif

#if !defined(DEED_OVERLAY_STARPU_MPI) && defined(DEED_OVERLAY_MPI)
#define DEED_OVERLAY_STARPU_MPI

#ifdef __cplusplus
extern "C" {
#endif

DEED_SAME int starpu_mpi_init(int*, char***, int);
DEED_SAME int starpu_mpi_init_conf(int*, char***, int, MPI_Comm, struct starpu_conf*);
DEED_SAME int starpu_mpi_init_comm(int*, char***, int, MPI_Comm);
int starpu_mpi_comm_rank(MPI_Comm comm DEED_COMM, int* rank DEED_WORD("rank_source"));
int starpu_mpi_comm_size(MPI_Comm comm DEED_COMM, int* size DEED_WORD("uniform", "size"));
DEED_WORD("rank_source") int starpu_mpi_world_rank(void);

DEED_SEND DEED_BLOCKS int starpu_mpi_send(starpu_data_handle_t, int to DEED_PEER,
                                          starpu_mpi_tag_t tag DEED_TAG, MPI_Comm comm DEED_COMM);
DEED_SEND int starpu_mpi_isend(starpu_data_handle_t, starpu_mpi_req*, int to DEED_PEER,
                               starpu_mpi_tag_t tag DEED_TAG, MPI_Comm comm DEED_COMM);
DEED_SEND int starpu_mpi_issend(starpu_data_handle_t, starpu_mpi_req*, int to DEED_PEER,
                                starpu_mpi_tag_t tag DEED_TAG, MPI_Comm comm DEED_COMM);
DEED_SEND int starpu_mpi_isend_detached(starpu_data_handle_t, int to DEED_PEER,
                                        starpu_mpi_tag_t tag DEED_TAG, MPI_Comm comm DEED_COMM,
                                        void (*)(void*), void*);
DEED_SEND int starpu_mpi_issend_detached(starpu_data_handle_t, int to DEED_PEER,
                                         starpu_mpi_tag_t tag DEED_TAG, MPI_Comm comm DEED_COMM,
                                         void (*)(void*), void*);
DEED_SEND int starpu_mpi_isend_detached_unlock_tag(starpu_data_handle_t, int to DEED_PEER,
                                                   starpu_mpi_tag_t tag DEED_TAG,
                                                   MPI_Comm comm DEED_COMM, starpu_tag_t);
DEED_RECEIVE DEED_BLOCKS int starpu_mpi_recv(starpu_data_handle_t, int from DEED_PEER,
                                             starpu_mpi_tag_t tag DEED_TAG, MPI_Comm comm DEED_COMM,
                                             MPI_Status*);
DEED_RECEIVE int starpu_mpi_irecv(starpu_data_handle_t, starpu_mpi_req*, int from DEED_PEER,
                                  starpu_mpi_tag_t tag DEED_TAG, MPI_Comm comm DEED_COMM);
DEED_RECEIVE int starpu_mpi_irecv_detached(starpu_data_handle_t, int from DEED_PEER,
                                           starpu_mpi_tag_t tag DEED_TAG, MPI_Comm comm DEED_COMM,
                                           void (*)(void*), void*);
DEED_RECEIVE int starpu_mpi_irecv_detached_unlock_tag(starpu_data_handle_t, int from DEED_PEER,
                                                      starpu_mpi_tag_t tag DEED_TAG,
                                                      MPI_Comm comm DEED_COMM, starpu_tag_t);
// Peers and tags in lists are not followed: with these, nothing is known of the messages.
DEED_SEND int starpu_mpi_isend_array_detached_unlock_tag(unsigned, starpu_data_handle_t*, int*,
                                                         starpu_mpi_tag_t*, MPI_Comm*,
                                                         starpu_tag_t);
DEED_RECEIVE int starpu_mpi_irecv_array_detached_unlock_tag(unsigned, starpu_data_handle_t*, int*,
                                                            starpu_mpi_tag_t*, MPI_Comm*,
                                                            starpu_tag_t);

DEED_STEP("barrier") DEED_BLOCKS int starpu_mpi_barrier(MPI_Comm comm DEED_COMM);

#ifdef __cplusplus
}
#endif
#endif
