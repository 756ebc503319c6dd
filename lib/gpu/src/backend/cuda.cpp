// SPDX-License-Identifier: MIT
// Kept in step with hip.cpp, call by call; a test compares them.
#include "backend/backends.hpp"
#include <cuda_runtime.h>

#include <string>

namespace deed::gpu {
namespace {

error_kind kind_of(cudaError_t code) noexcept {
  switch (code) {
    case cudaSuccess:
      return error_kind::none;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInitializationError:
    case cudaErrorInsufficientDriver:
      return error_kind::no_device;
    case cudaErrorMemoryAllocation:
      return error_kind::out_of_memory;
    case cudaErrorLaunchOutOfResources:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidConfiguration:
      return error_kind::launch_failed;
    case cudaErrorIllegalAddress:
      return error_kind::illegal_access;
    case cudaErrorLaunchTimeout:
      return error_kind::timeout;
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
      return error_kind::device_lost;
    case cudaErrorNotSupported:
    case cudaErrorPeerAccessUnsupported:
      return error_kind::not_supported;
    default:
      return error_kind::invalid;
  }
}

class cuda_api final : public device_api {
 public:
  backend made_by() const noexcept override { return backend::cuda; }
  std::string native_name(int native) const override {
    return cudaGetErrorName(static_cast<cudaError_t>(native)) +
           (" (" + std::to_string(native) + ")");
  }

  status count(int& devices, std::string& why_none) override {
    devices = 0;  // Without a driver the call below leaves its argument as it was.
    const cudaError_t code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess) {
      devices = 0;
      why_none = cudaGetErrorString(code);
    }
    return done(code, operation::count);
  }
  status attributes(int device, device_attributes& found) override {
    char bus[32] = {};
    if (const cudaError_t code = cudaDeviceGetPCIBusId(bus, sizeof bus, device);
        code != cudaSuccess) {
      return done(code, operation::attributes);
    }
    found.name = std::string("cuda ") + bus;
    if (cudaDeviceProp model; cudaGetDeviceProperties(&model, device) == cudaSuccess)
      found.name = model.name + (" (" + found.name + ")");
    int integrated = 0;
    const struct {
      int* into;
      cudaDeviceAttr what;
    } wanted[] = {{&found.compute_major, cudaDevAttrComputeCapabilityMajor},
                  {&found.compute_minor, cudaDevAttrComputeCapabilityMinor},
                  {&found.multiprocessors, cudaDevAttrMultiProcessorCount},
                  {&found.copy_engines, cudaDevAttrAsyncEngineCount},
                  {&integrated, cudaDevAttrIntegrated}};
    for (const auto& [into, what] : wanted) {
      if (const cudaError_t code = cudaDeviceGetAttribute(into, what, device);
          code != cudaSuccess) {
        return done(code, operation::attributes);
      }
    }
    found.integrated = integrated != 0;
    return done(cudaSuccess, operation::attributes);
  }
  status memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept override {
    return done(cudaMemGetInfo(&free_bytes, &total_bytes), operation::memory_info);
  }
  status set_device(int device) noexcept override {
    return done(cudaSetDevice(device), operation::set_device);
  }
  status get_device(int& device) noexcept override {
    return done(cudaGetDevice(&device), operation::get_device);
  }

  status allocate(std::size_t bytes, void*& address) noexcept override {
    return done(cudaMalloc(&address, bytes), operation::allocate);
  }
  status release(void* address) noexcept override {
    return done(cudaFree(address), operation::release);
  }
  status allocate_pinned(std::size_t bytes, void*& address) noexcept override {
    return done(cudaHostAlloc(&address, bytes, cudaHostAllocPortable), operation::allocate_pinned);
  }
  status release_pinned(void* address) noexcept override {
    return done(cudaFreeHost(address), operation::release_pinned);
  }
  status register_host(void* address, std::size_t bytes) noexcept override {
    return done(cudaHostRegister(address, bytes, cudaHostRegisterPortable),
                operation::register_host);
  }
  status unregister_host(void* address) noexcept override {
    return done(cudaHostUnregister(address), operation::unregister_host);
  }

  status create_stream(bool urgent, void*& stream) noexcept override {
    int least = 0, greatest = 0;
    cudaError_t code = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStream_t made = nullptr;
    if (code == cudaSuccess) {
      code = cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, urgent ? greatest : least);
    }
    stream = made;
    return done(code, operation::create_stream);
  }
  status destroy_stream(stream_ref stream) noexcept override {
    return done(cudaStreamDestroy(native(stream)), operation::destroy_stream);
  }
  status query_stream(stream_ref stream, bool& idle) noexcept override {
    const cudaError_t code = cudaStreamQuery(native(stream));
    idle = code == cudaSuccess;
    return done(code == cudaErrorNotReady ? cudaSuccess : code, operation::query_stream);
  }
  status sync_stream(stream_ref stream) noexcept override {
    return done(cudaStreamSynchronize(native(stream)), operation::sync_stream);
  }
  status sync_device() noexcept override {
    return done(cudaDeviceSynchronize(), operation::sync_device);
  }

  status create_event(bool timing, void*& event) noexcept override {
    cudaEvent_t made = nullptr;
    const unsigned flags = timing ? cudaEventDefault : cudaEventDisableTiming;
    const cudaError_t code = cudaEventCreateWithFlags(&made, flags);
    event = made;
    return done(code, operation::create_event);
  }
  status destroy_event(event_ref event) noexcept override {
    return done(cudaEventDestroy(native(event)), operation::destroy_event);
  }
  status record(event_ref event, stream_ref stream) noexcept override {
    return done(cudaEventRecord(native(event), native(stream)), operation::record);
  }
  status wait(stream_ref stream, event_ref event) noexcept override {
    return done(cudaStreamWaitEvent(native(stream), native(event), 0), operation::wait);
  }
  status query(event_ref event, bool& finished) noexcept override {
    const cudaError_t code = cudaEventQuery(native(event));
    finished = code == cudaSuccess;
    return done(code == cudaErrorNotReady ? cudaSuccess : code, operation::query);
  }
  status sync_event(event_ref event) noexcept override {
    return done(cudaEventSynchronize(native(event)), operation::sync_event);
  }
  status elapsed(event_ref from, event_ref to, std::chrono::nanoseconds& time) noexcept override {
    float milliseconds = 0;
    const cudaError_t code = cudaEventElapsedTime(&milliseconds, native(from), native(to));
    time = std::chrono::nanoseconds(static_cast<long long>(milliseconds * 1e6f));
    return done(code, operation::elapsed);
  }

  status copy(stream_ref stream, raw_span to, raw_span from) noexcept override {
    const operation op = copy_operation(to, from);
    if (op == operation::copy_peer) {
      return done(cudaMemcpyPeerAsync(to.address, to.device, from.address, from.device, to.bytes,
                                      native(stream)),
                  op);
    }
    const cudaMemcpyKind kind = op == operation::copy_to_device    ? cudaMemcpyHostToDevice
                                : op == operation::copy_to_host    ? cudaMemcpyDeviceToHost
                                : to.space == memory_space::device ? cudaMemcpyDeviceToDevice
                                                                   : cudaMemcpyHostToHost;
    return done(cudaMemcpyAsync(to.address, from.address, to.bytes, kind, native(stream)), op);
  }
  status fill(stream_ref stream, raw_span to, unsigned char value) noexcept override {
    return done(cudaMemsetAsync(to.address, value, to.bytes, native(stream)), operation::fill);
  }
  status can_access_peer(int device, int peer, bool& can) noexcept override {
    int answer = 0;
    const cudaError_t code = cudaDeviceCanAccessPeer(&answer, device, peer);
    can = answer != 0;
    return done(code, operation::can_access_peer);
  }
  status enable_peer(int peer) noexcept override {
    const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
    const status made = done(code, operation::enable_peer);
    return code == cudaErrorPeerAccessAlreadyEnabled ? done(cudaSuccess, operation::enable_peer)
                                                     : made;
  }
  status last_error() noexcept override { return done(cudaGetLastError(), operation::last_error); }

 private:
  static cudaStream_t native(stream_ref stream) noexcept {
    return static_cast<cudaStream_t>(stream.native());
  }
  static cudaEvent_t native(event_ref event) noexcept {
    return static_cast<cudaEvent_t>(event.native());
  }
  static status done(cudaError_t code, operation op) noexcept {
    // Told here: the next launch must not be blamed for it.
    if (code != cudaSuccess && op != operation::last_error) static_cast<void>(cudaGetLastError());
    return {kind_of(code), static_cast<int>(code), op};
  }
};

}  // namespace

std::unique_ptr<device_api> make_cuda_api() { return std::make_unique<cuda_api>(); }

}  // namespace deed::gpu
