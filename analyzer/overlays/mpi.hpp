// SPDX-License-Identifier: MIT
// The words of deed's model for MPI, on redeclarations: read before every file that is analysed.
// Only functions whose types need no header of MPI.
#define DEED_BEGINS \
  __attribute__((annotate("deed", "environment", "begins"), annotate("deed", "uniform")))
#ifdef __cplusplus
extern "C" {
#endif
DEED_BEGINS int MPI_Init(int*, char***);
DEED_BEGINS int MPI_Init_thread(int*, char***, int, int*);
__attribute__((annotate("deed", "environment", "ends"))) int MPI_Finalize(void);
#ifdef __cplusplus
}
#endif
#undef DEED_BEGINS
