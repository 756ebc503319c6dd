// SPDX-License-Identifier: MIT
// The numbers of HIP's attributes, apart from CUDA's headers, which clash with HIP's.
#include <hip/hip_runtime_api.h>

extern const int hip_attributes[5] = {
    hipDeviceAttributeComputeCapabilityMajor, hipDeviceAttributeComputeCapabilityMinor,
    hipDeviceAttributeMultiprocessorCount, hipDeviceAttributeAsyncEngineCount,
    hipDeviceAttributeIntegrated};
