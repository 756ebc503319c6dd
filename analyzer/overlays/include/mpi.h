// SPDX-License-Identifier: MIT
// Stands before the MPI library's own header, which it reads, and gives its functions the words of
// deed's model. A peer or tag below zero is a wildcard or nobody: then nothing is known of the
// messages. What a communicator other than MPI_COMM_WORLD is, is not known either. A function
// without words may send anything: a program that calls one is not judged by its messages.
#if __has_include_next(<mpi.h>)
#include_next <mpi.h>
#else
#error "'mpi.h' file not found"
#endif

#if !defined(DEED_OVERLAY_MPI) && defined(MPI_VERSION) && MPI_VERSION >= 3
#define DEED_OVERLAY
#define DEED_OVERLAY_MPI
#define DEED_WORD(...) __attribute__((annotate("deed", __VA_ARGS__)))
#define DEED_PEER DEED_WORD("type", "peer")
#define DEED_TAG DEED_WORD("type", "message_tag")
#define DEED_COMM DEED_WORD("type", "session")
#define DEED_SAME DEED_WORD("uniform")
#define DEED_SEND DEED_WORD("posts", "send")
#define DEED_RECEIVE DEED_WORD("posts", "receive")
#define DEED_BLOCKS DEED_WORD("blocks", "outside")
#define DEED_STEP(kind) DEED_WORD("step", kind)
#define DEED_LOCAL DEED_WORD("environment", "local")

DEED_COMM static const MPI_Comm deed_overlay_world = MPI_COMM_WORLD;

#ifdef __cplusplus
extern "C" {
#endif

DEED_WORD("environment", "ends_all") int MPI_Abort(MPI_Comm, int);
DEED_LOCAL int MPI_Comm_rank(MPI_Comm comm DEED_COMM, int* rank DEED_WORD("rank_source"));
DEED_LOCAL int MPI_Comm_size(MPI_Comm comm DEED_COMM, int* size DEED_WORD("uniform", "size"));

// Messages.
DEED_SEND DEED_BLOCKS int MPI_Send(const void*, int, MPI_Datatype, int to DEED_PEER,
                                   int tag DEED_TAG, MPI_Comm comm DEED_COMM);
DEED_SEND DEED_BLOCKS int MPI_Ssend(const void*, int, MPI_Datatype, int to DEED_PEER,
                                    int tag DEED_TAG, MPI_Comm comm DEED_COMM);
DEED_SEND DEED_BLOCKS int MPI_Rsend(const void*, int, MPI_Datatype, int to DEED_PEER,
                                    int tag DEED_TAG, MPI_Comm comm DEED_COMM);
DEED_SEND int MPI_Bsend(const void*, int, MPI_Datatype, int to DEED_PEER, int tag DEED_TAG,
                        MPI_Comm comm DEED_COMM);
DEED_SEND int MPI_Isend(const void*, int, MPI_Datatype, int to DEED_PEER, int tag DEED_TAG,
                        MPI_Comm comm DEED_COMM, MPI_Request*);
DEED_SEND int MPI_Issend(const void*, int, MPI_Datatype, int to DEED_PEER, int tag DEED_TAG,
                         MPI_Comm comm DEED_COMM, MPI_Request*);
DEED_SEND int MPI_Irsend(const void*, int, MPI_Datatype, int to DEED_PEER, int tag DEED_TAG,
                         MPI_Comm comm DEED_COMM, MPI_Request*);
DEED_SEND int MPI_Ibsend(const void*, int, MPI_Datatype, int to DEED_PEER, int tag DEED_TAG,
                         MPI_Comm comm DEED_COMM, MPI_Request*);
DEED_RECEIVE DEED_BLOCKS int MPI_Recv(void*, int, MPI_Datatype, int from DEED_PEER,
                                      int tag DEED_TAG, MPI_Comm comm DEED_COMM, MPI_Status*);
DEED_RECEIVE int MPI_Irecv(void*, int, MPI_Datatype, int from DEED_PEER, int tag DEED_TAG,
                           MPI_Comm comm DEED_COMM, MPI_Request*);
DEED_BLOCKS int MPI_Probe(int, int, MPI_Comm, MPI_Status*);
DEED_BLOCKS int MPI_Wait(MPI_Request*, MPI_Status*);
DEED_BLOCKS int MPI_Waitall(int, MPI_Request*, MPI_Status*);
DEED_BLOCKS int MPI_Waitany(int, MPI_Request*, int*, MPI_Status*);
DEED_BLOCKS int MPI_Waitsome(int, MPI_Request*, int*, int*, MPI_Status*);

// What all ranks of a communicator call, in the same order.
DEED_STEP("barrier") DEED_BLOCKS int MPI_Barrier(MPI_Comm comm DEED_COMM);
DEED_STEP("barrier") int MPI_Ibarrier(MPI_Comm comm DEED_COMM, MPI_Request*);
DEED_STEP("broadcast")
DEED_BLOCKS int MPI_Bcast(void* data DEED_SAME, int, MPI_Datatype, int root DEED_PEER,
                          MPI_Comm comm DEED_COMM);
DEED_STEP("broadcast")
int MPI_Ibcast(void* data DEED_SAME, int, MPI_Datatype, int root DEED_PEER, MPI_Comm comm DEED_COMM,
               MPI_Request*);
DEED_STEP("gather")
DEED_BLOCKS int MPI_Gather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                           int root DEED_PEER, MPI_Comm comm DEED_COMM);
DEED_STEP("gather")
DEED_BLOCKS int MPI_Gatherv(const void*, int, MPI_Datatype, void*, const int*, const int*,
                            MPI_Datatype, int root DEED_PEER, MPI_Comm comm DEED_COMM);
DEED_STEP("scatter")
DEED_BLOCKS int MPI_Scatter(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                            int root DEED_PEER, MPI_Comm comm DEED_COMM);
DEED_STEP("scatter")
DEED_BLOCKS int MPI_Scatterv(const void*, const int*, const int*, MPI_Datatype, void*, int,
                             MPI_Datatype, int root DEED_PEER, MPI_Comm comm DEED_COMM);
DEED_STEP("reduce")
DEED_BLOCKS int MPI_Reduce(const void*, void*, int, MPI_Datatype, MPI_Op, int root DEED_PEER,
                           MPI_Comm comm DEED_COMM);
DEED_STEP("reduce to all")
DEED_BLOCKS int MPI_Allreduce(const void*, void* result DEED_SAME, int, MPI_Datatype, MPI_Op,
                              MPI_Comm comm DEED_COMM);
DEED_STEP("reduce to all")
int MPI_Iallreduce(const void*, void* result DEED_SAME, int, MPI_Datatype, MPI_Op,
                   MPI_Comm comm DEED_COMM, MPI_Request*);
DEED_STEP("gather to all")
DEED_BLOCKS int MPI_Allgather(const void*, int, MPI_Datatype, void* result DEED_SAME, int,
                              MPI_Datatype, MPI_Comm comm DEED_COMM);
DEED_STEP("gather to all")
DEED_BLOCKS int MPI_Allgatherv(const void*, int, MPI_Datatype, void* result DEED_SAME, const int*,
                               const int*, MPI_Datatype, MPI_Comm comm DEED_COMM);
DEED_STEP("all to all")
DEED_BLOCKS int MPI_Alltoall(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                             MPI_Comm comm DEED_COMM);
DEED_STEP("all to all")
DEED_BLOCKS int MPI_Alltoallv(const void*, const int*, const int*, MPI_Datatype, void*, const int*,
                              const int*, MPI_Datatype, MPI_Comm comm DEED_COMM);
DEED_STEP("reduce and scatter")
DEED_BLOCKS int MPI_Reduce_scatter(const void*, void*, const int*, MPI_Datatype, MPI_Op,
                                   MPI_Comm comm DEED_COMM);
DEED_STEP("reduce and scatter")
DEED_BLOCKS int MPI_Reduce_scatter_block(const void*, void*, int, MPI_Datatype, MPI_Op,
                                         MPI_Comm comm DEED_COMM);
DEED_STEP("scan")
DEED_BLOCKS int MPI_Scan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm DEED_COMM);
DEED_STEP("scan")
DEED_BLOCKS int MPI_Exscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm DEED_COMM);
DEED_STEP("split") DEED_BLOCKS int MPI_Comm_split(MPI_Comm comm DEED_COMM, int, int, MPI_Comm*);
DEED_STEP("duplicate") DEED_BLOCKS int MPI_Comm_dup(MPI_Comm comm DEED_COMM, MPI_Comm*);

// What no other rank notices.
DEED_LOCAL DEED_WORD("rank_local") double MPI_Wtime(void);
DEED_LOCAL DEED_WORD("rank_local") int MPI_Get_processor_name(char*, int*);
DEED_LOCAL double MPI_Wtick(void);
DEED_LOCAL int MPI_Get_version(int*, int*);
DEED_LOCAL int MPI_Get_library_version(char*, int*);
DEED_LOCAL int MPI_Get_count(const MPI_Status*, MPI_Datatype, int*);
DEED_LOCAL int MPI_Get_address(const void*, MPI_Aint*);
DEED_LOCAL int MPI_Initialized(int*);
DEED_LOCAL int MPI_Finalized(int*);
DEED_LOCAL int MPI_Query_thread(int*);
DEED_LOCAL int MPI_Error_class(int, int*);
DEED_LOCAL int MPI_Error_string(int, char*, int*);
DEED_LOCAL int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
DEED_LOCAL int MPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype*);
DEED_LOCAL int MPI_Type_vector(int, int, int, MPI_Datatype, MPI_Datatype*);
DEED_LOCAL int MPI_Type_indexed(int, const int*, const int*, MPI_Datatype, MPI_Datatype*);
DEED_LOCAL int MPI_Type_create_struct(int, const int*, const MPI_Aint*, const MPI_Datatype*,
                                      MPI_Datatype*);
DEED_LOCAL int MPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype*);
DEED_LOCAL int MPI_Type_size(MPI_Datatype, int*);
DEED_LOCAL int MPI_Type_commit(MPI_Datatype*);
DEED_LOCAL int MPI_Type_free(MPI_Datatype*);
DEED_LOCAL int MPI_Op_create(MPI_User_function*, int, MPI_Op*);
DEED_LOCAL int MPI_Op_free(MPI_Op*);
DEED_LOCAL int MPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm);
DEED_LOCAL int MPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm);
DEED_LOCAL int MPI_Buffer_attach(void*, int);
DEED_LOCAL int MPI_Buffer_detach(void*, int*);
DEED_LOCAL int MPI_Alloc_mem(MPI_Aint, MPI_Info, void*);
DEED_LOCAL int MPI_Free_mem(void*);
DEED_LOCAL int MPI_Dims_create(int, int, int*);

#ifdef __cplusplus
}
#endif
#endif
