// SPDX-License-Identifier: MIT
// An address of the host means nothing on a device.
// expect-error: deed[D817] memory spaces mixed; use `copy
#include <deed/gpu/ptr.hpp>

#ifdef DEED_MISUSE
deed::gpu::device_ptr<double> send(deed::gpu::host_ptr<double> values) { return values; }
#else
deed::gpu::host_ptr<double> send(deed::gpu::host_ptr<double> values) { return values; }
#endif
