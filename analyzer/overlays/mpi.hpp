// SPDX-License-Identifier: MIT
// The words of deed's model for MPI, on redeclarations: read before every file that is analysed.
// Only functions whose types need no header of MPI.
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((annotate("deed", "environment", "begins"))) int MPI_Init(int*, char***);
__attribute__((annotate("deed", "environment", "begins"))) int MPI_Init_thread(int*, char***, int,
                                                                               int*);
__attribute__((annotate("deed", "environment", "ends"))) int MPI_Finalize(void);
#ifdef __cplusplus
}
#endif
