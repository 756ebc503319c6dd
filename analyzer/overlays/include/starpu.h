// SPDX-License-Identifier: MIT
// Stands before StarPU's own header, which it reads. Its calls send nothing to other ranks that the
// program has to receive: they change nothing of what is known.
#if !__has_include_next(<starpu.h>)
#error "'starpu.h' file not found"
#elif defined(DEED_OVERLAY_STARPU_READING) || !defined(__clang__)
#include_next <starpu.h>
#else
#define DEED_OVERLAY_STARPU_READING
#pragma clang attribute push(__attribute__((annotate("deed", "environment", "local"))), \
                             apply_to = function)
#include_next <starpu.h>
#pragma clang attribute pop
#undef DEED_OVERLAY_STARPU_READING

#ifndef DEED_OVERLAY_STARPU
#define DEED_OVERLAY_STARPU
// Where it begins on one rank, it begins on all.
#ifdef __cplusplus
extern "C"
#endif
    __attribute__((annotate("deed", "uniform"))) int
    starpu_init(struct starpu_conf*);
#endif
#endif
