// SPDX-License-Identifier: MIT
// HIP's host interface over CUDA's, as a library with the name of the real one: with it, hip.cpp
// runs on an NVIDIA device, unchanged. Numbers of errors, flags and directions are the same in
// both.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>

extern const int hip_attributes[5];

extern "C" {

cudaError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return cudaDeviceCanAccessPeer(can, device, peer);
}
cudaError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return cudaDeviceEnablePeerAccess(peer, flags);
}
cudaError_t hipDeviceGetName(char* name, int length, int device) {
  cudaDeviceProp found;
  const cudaError_t code = cudaGetDeviceProperties(&found, device);
  if (code == cudaSuccess) std::snprintf(name, static_cast<std::size_t>(length), "%s", found.name);
  return code;
}
cudaError_t hipDeviceGetPCIBusId(char* id, int length, int device) {
  return cudaDeviceGetPCIBusId(id, length, device);
}
cudaError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return cudaDeviceGetStreamPriorityRange(least, greatest);
}
cudaError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t hipEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
cudaError_t hipEventDestroy(cudaEvent_t event) { return cudaEventDestroy(event); }
cudaError_t hipEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return cudaEventElapsedTime(milliseconds, from, to);
}
cudaError_t hipEventQuery(cudaEvent_t event) { return cudaEventQuery(event); }
cudaError_t hipEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecord(event, stream);
}
cudaError_t hipEventSynchronize(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t hipFree(void* address) { return cudaFree(address); }
cudaError_t hipGetDevice(int* device) { return cudaGetDevice(device); }
cudaError_t hipGetDeviceCount(int* count) { return cudaGetDeviceCount(count); }
cudaError_t hipGetLastError() { return cudaGetLastError(); }
cudaError_t hipHostFree(void* address) { return cudaFreeHost(address); }
cudaError_t hipHostMalloc(void** address, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(address, bytes, flags);
}
cudaError_t hipHostRegister(void* address, std::size_t bytes, unsigned flags) {
  return cudaHostRegister(address, bytes, flags);
}
cudaError_t hipHostUnregister(void* address) { return cudaHostUnregister(address); }
cudaError_t hipMalloc(void** address, std::size_t bytes) { return cudaMalloc(address, bytes); }
cudaError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  return cudaMemGetInfo(free_bytes, total);
}
cudaError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                           cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, kind, stream);
}
cudaError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                               std::size_t bytes, cudaStream_t stream) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream);
}
cudaError_t hipMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return cudaMemsetAsync(to, value, bytes, stream);
}
cudaError_t hipSetDevice(int device) { return cudaSetDevice(device); }
cudaError_t hipStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return cudaStreamCreateWithPriority(stream, flags, priority);
}
cudaError_t hipStreamDestroy(cudaStream_t stream) { return cudaStreamDestroy(stream); }
cudaError_t hipStreamQuery(cudaStream_t stream) { return cudaStreamQuery(stream); }
cudaError_t hipStreamSynchronize(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t hipStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(stream, event, flags);
}
const char* hipGetErrorName(cudaError_t code) { return cudaGetErrorName(code); }
const char* hipGetErrorString(cudaError_t code) { return cudaGetErrorString(code); }
cudaError_t hipDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr cudaDeviceAttr same[5] = {
      cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
      cudaDevAttrMultiProcessorCount, cudaDevAttrAsyncEngineCount, cudaDevAttrIntegrated};
  for (int i = 0; i < 5; ++i) {
    if (hip_attributes[i] == attribute) return cudaDeviceGetAttribute(value, same[i], device);
  }
  return cudaErrorInvalidValue;
}

}  // extern "C"
