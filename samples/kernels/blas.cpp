// SPDX-License-Identifier: MIT
// The same calls of cuBLAS and of hipBLAS: with `VENDOR` as `cuda` or `hip`. Both keep matrices by
// columns, so that each of ours is its transpose for them, and lower is upper.
#include "blas.hpp"

#define DEED_SAMPLE_cuda 1
#define DEED_SAMPLE_hip 2
#define DEED_SAMPLE_JOIN(name) DEED_SAMPLE_##name
#define DEED_SAMPLE_VENDOR(name) DEED_SAMPLE_JOIN(name)

#if DEED_SAMPLE_VENDOR(VENDOR) == DEED_SAMPLE_hip
#include <hipblas/hipblas.h>
#define CALL(name) hipblas##name
#define NAME(name) HIPBLAS_##name
using vendor_stream = hipStream_t;
#else
#include <cublas_v2.h>
#define CALL(name) cublas##name
#define NAME(name) CUBLAS_##name
using vendor_stream = cudaStream_t;
#endif

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using handle = CALL(Handle_t);
using deed::gpu::device_tile;

int extent(std::size_t n) { return static_cast<int>(n); }

void check(CALL(Status_t) said, const char* call) {
  if (said != NAME(STATUS_SUCCESS))
    throw std::runtime_error(std::string(call) + " refused with " +
                             std::to_string(static_cast<int>(said)));
}

/// One per stream: what shares a handle between streams gets other bits from run to run. To make
/// one takes longer than many a task, so they stay.
class handles {
 public:
  handles() = default;
  handles(const handles&) = delete;
  handles& operator=(const handles&) = delete;
  handle on(deed::gpu::enqueue& queue) {
    const auto stream = queue.native_stream<vendor_stream>();
    const std::lock_guard lock(mutex_);  // Ranks of one process, each with its own streams.
    handle& found = made_[{queue.device().value, stream}];
    if (found == nullptr) check(CALL(Create)(&found), "Create");
    check(CALL(SetStream)(found, stream), "SetStream");
    return found;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, vendor_stream>, handle> made_;
};

handle blas_of(deed::gpu::enqueue& queue) {
  // deed-check: allow(D809) reason: handles of streams, under a lock, which no result depends on
  static handles& all = *new handles;  // At the end of the process CUDA may be gone before.
  return all.on(queue);
}

constexpr double one = 1, minus_one = -1;

}  // namespace

/// `b := b l^-T`, for them `b^T := l^-1 b^T`.
void VENDOR::trsm(deed::gpu::enqueue& queue, device_tile<double> b, device_tile<const double> l) {
  check(CALL(Dtrsm)(blas_of(queue), NAME(SIDE_LEFT), NAME(FILL_MODE_UPPER), NAME(OP_T),
                    NAME(DIAG_NON_UNIT), extent(b.cols()), extent(b.rows()), &one, queue.native(l),
                    extent(l.cols()), queue.native(b), extent(b.cols())),
        "Dtrsm");
}

/// `c := c - a a^T`, its lower half.
void VENDOR::syrk(deed::gpu::enqueue& queue, device_tile<double> c, device_tile<const double> a) {
  check(CALL(Dsyrk)(blas_of(queue), NAME(FILL_MODE_UPPER), NAME(OP_T), extent(c.rows()),
                    extent(a.cols()), &minus_one, queue.native(a), extent(a.cols()), &one,
                    queue.native(c), extent(c.cols())),
        "Dsyrk");
}

/// `c := c - a b^T`, for them `c^T := c^T - b a^T`.
void VENDOR::gemm(deed::gpu::enqueue& queue, device_tile<double> c, device_tile<const double> a,
                  device_tile<const double> b) {
  check(CALL(Dgemm)(blas_of(queue), NAME(OP_T), NAME(OP_N), extent(c.cols()), extent(c.rows()),
                    extent(a.cols()), &minus_one, queue.native(b), extent(b.cols()),
                    queue.native(a), extent(a.cols()), &one, queue.native(c), extent(c.cols())),
        "Dgemm");
}
