// SPDX-License-Identifier: MIT
// Kept in step with cuda.cpp, call by call; a test compares them.
#include "backend/backends.hpp"
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <type_traits>

namespace deed::gpu {
namespace {

error_kind kind_of(hipError_t code) noexcept {
  switch (code) {
    case hipSuccess:
      return error_kind::none;
    case hipErrorNoDevice:
    case hipErrorInvalidDevice:
    case hipErrorNotInitialized:
    case hipErrorInsufficientDriver:
      return error_kind::no_device;
    case hipErrorMemoryAllocation:
      return error_kind::out_of_memory;
    case hipErrorLaunchOutOfResources:
    case hipErrorInvalidDeviceFunction:
    case hipErrorInvalidConfiguration:
      return error_kind::launch_failed;
    case hipErrorIllegalAddress:
      return error_kind::illegal_access;
    case hipErrorLaunchTimeOut:
      return error_kind::timeout;
    case hipErrorLaunchFailure:
    case hipErrorECCNotCorrectable:
      return error_kind::device_lost;
    case hipErrorNotSupported:
    case hipErrorPeerAccessUnsupported:
      return error_kind::not_supported;
    default:
      return error_kind::invalid;
  }
}

template <class... Arguments>
hipError_t absent(Arguments...) noexcept {
  return hipErrorNotInitialized;
}
const char* absent_text(hipError_t) noexcept { return "hipErrorNotInitialized"; }

/// The entry points, looked up by name at first use: linking the library would load it, and nine
/// others, into every program.
struct symbols {
  decltype(&::hipDeviceCanAccessPeer) hipDeviceCanAccessPeer = absent;
  decltype(&::hipDeviceEnablePeerAccess) hipDeviceEnablePeerAccess = absent;
  decltype(&::hipDeviceGetAttribute) hipDeviceGetAttribute = absent;
  decltype(&::hipDeviceGetName) hipDeviceGetName = absent;
  decltype(&::hipDeviceGetPCIBusId) hipDeviceGetPCIBusId = absent;
  decltype(&::hipDeviceGetStreamPriorityRange) hipDeviceGetStreamPriorityRange = absent;
  decltype(&::hipDeviceSynchronize) hipDeviceSynchronize = absent;
  decltype(&::hipEventCreateWithFlags) hipEventCreateWithFlags = absent;
  decltype(&::hipEventDestroy) hipEventDestroy = absent;
  decltype(&::hipEventElapsedTime) hipEventElapsedTime = absent;
  decltype(&::hipEventQuery) hipEventQuery = absent;
  decltype(&::hipEventRecord) hipEventRecord = absent;
  decltype(&::hipEventSynchronize) hipEventSynchronize = absent;
  decltype(&::hipFree) hipFree = absent;
  decltype(&::hipGetDevice) hipGetDevice = absent;
  decltype(&::hipGetDeviceCount) hipGetDeviceCount = absent;
  const char* (*hipGetErrorName)(hipError_t) = absent_text;
  const char* (*hipGetErrorString)(hipError_t) = absent_text;
  decltype(&::hipGetLastError) hipGetLastError = absent;
  decltype(&::hipHostFree) hipHostFree = absent;
  hipError_t (*hipHostMalloc)(void**, std::size_t, unsigned) = absent;
  decltype(&::hipHostRegister) hipHostRegister = absent;
  decltype(&::hipHostUnregister) hipHostUnregister = absent;
  hipError_t (*hipMalloc)(void**, std::size_t) = absent;
  decltype(&::hipMemGetInfo) hipMemGetInfo = absent;
  decltype(&::hipMemcpyAsync) hipMemcpyAsync = absent;
  decltype(&::hipMemcpyPeerAsync) hipMemcpyPeerAsync = absent;
  decltype(&::hipMemsetAsync) hipMemsetAsync = absent;
  decltype(&::hipSetDevice) hipSetDevice = absent;
  decltype(&::hipStreamCreateWithPriority) hipStreamCreateWithPriority = absent;
  decltype(&::hipStreamDestroy) hipStreamDestroy = absent;
  decltype(&::hipStreamQuery) hipStreamQuery = absent;
  decltype(&::hipStreamSynchronize) hipStreamSynchronize = absent;
  decltype(&::hipStreamWaitEvent) hipStreamWaitEvent = absent;
};

// The C++ header overloads these two, so their types are written out above and checked here.
static_assert(std::is_same_v<decltype(static_cast<decltype(symbols::hipMalloc)>(&::hipMalloc)),
                             decltype(symbols::hipMalloc)>);
static_assert(
    std::is_same_v<decltype(static_cast<decltype(symbols::hipHostMalloc)>(&::hipHostMalloc)),
                   decltype(symbols::hipHostMalloc)>);

/// Of the version that the headers describe; never a name from the environment.
const std::string library_name = "libamdhip64.so." + std::to_string(HIP_VERSION_MAJOR);

template <class Function>
bool find(void* file, const char* name, Function& into) noexcept {
  void* address = dlsym(file, name);
  if (address != nullptr) into = reinterpret_cast<Function>(address);
  return address != nullptr;
}

/// AMD's kernel driver is here, under Linux or WSL. Its library is not even loaded where it is not:
/// that calibrates a clock before it looks for devices, which takes 13 ms, and on a machine with
/// more processes than cores was seen to take more than 8 s.
bool has_driver() noexcept {
  return access("/dev/kfd", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

/// All of the entry points, or none of them.
bool load(hip_driver wanted, symbols& into, std::string& why_none) {
  if (wanted == hip_driver::needed && !has_driver()) {
    why_none = "no /dev/kfd";
    return false;
  }
  void* file = dlopen(library_name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) {
    why_none = library_name + " is not installed";
    return false;
  }
  symbols found;
  bool all = true;
  all = all && find(file, "hipDeviceCanAccessPeer", found.hipDeviceCanAccessPeer);
  all = all && find(file, "hipDeviceEnablePeerAccess", found.hipDeviceEnablePeerAccess);
  all = all && find(file, "hipDeviceGetAttribute", found.hipDeviceGetAttribute);
  all = all && find(file, "hipDeviceGetName", found.hipDeviceGetName);
  all = all && find(file, "hipDeviceGetPCIBusId", found.hipDeviceGetPCIBusId);
  all = all && find(file, "hipDeviceGetStreamPriorityRange", found.hipDeviceGetStreamPriorityRange);
  all = all && find(file, "hipDeviceSynchronize", found.hipDeviceSynchronize);
  all = all && find(file, "hipEventCreateWithFlags", found.hipEventCreateWithFlags);
  all = all && find(file, "hipEventDestroy", found.hipEventDestroy);
  all = all && find(file, "hipEventElapsedTime", found.hipEventElapsedTime);
  all = all && find(file, "hipEventQuery", found.hipEventQuery);
  all = all && find(file, "hipEventRecord", found.hipEventRecord);
  all = all && find(file, "hipEventSynchronize", found.hipEventSynchronize);
  all = all && find(file, "hipFree", found.hipFree);
  all = all && find(file, "hipGetDevice", found.hipGetDevice);
  all = all && find(file, "hipGetDeviceCount", found.hipGetDeviceCount);
  all = all && find(file, "hipGetErrorName", found.hipGetErrorName);
  all = all && find(file, "hipGetErrorString", found.hipGetErrorString);
  all = all && find(file, "hipGetLastError", found.hipGetLastError);
  all = all && find(file, "hipHostFree", found.hipHostFree);
  all = all && find(file, "hipHostMalloc", found.hipHostMalloc);
  all = all && find(file, "hipHostRegister", found.hipHostRegister);
  all = all && find(file, "hipHostUnregister", found.hipHostUnregister);
  all = all && find(file, "hipMalloc", found.hipMalloc);
  all = all && find(file, "hipMemGetInfo", found.hipMemGetInfo);
  all = all && find(file, "hipMemcpyAsync", found.hipMemcpyAsync);
  all = all && find(file, "hipMemcpyPeerAsync", found.hipMemcpyPeerAsync);
  all = all && find(file, "hipMemsetAsync", found.hipMemsetAsync);
  all = all && find(file, "hipSetDevice", found.hipSetDevice);
  all = all && find(file, "hipStreamCreateWithPriority", found.hipStreamCreateWithPriority);
  all = all && find(file, "hipStreamDestroy", found.hipStreamDestroy);
  all = all && find(file, "hipStreamQuery", found.hipStreamQuery);
  all = all && find(file, "hipStreamSynchronize", found.hipStreamSynchronize);
  all = all && find(file, "hipStreamWaitEvent", found.hipStreamWaitEvent);
  if (all) into = found;
  if (!all) why_none = library_name + " lacks a function that deed needs";
  return all;  // The file stays open: its own threads may be running.
}

class hip_api final : public device_api {
 public:
  explicit hip_api(hip_driver wanted) : wanted_(wanted) {}
  backend made_by() const noexcept override { return backend::hip; }
  std::string native_name(int native) const override {
    return library().hipGetErrorName(static_cast<hipError_t>(native)) +
           (" (" + std::to_string(native) + ")");
  }

  status count(int& devices, std::string& why_none) override {
    devices = 0;
    if (library(); !missing_.empty()) {
      why_none = missing_;
      return {error_kind::no_device, hipErrorNotInitialized, operation::count};
    }
    const hipError_t code = library().hipGetDeviceCount(&devices);
    if (code != hipSuccess) {
      devices = 0;
      why_none = library().hipGetErrorString(code);
    }
    return done(code, operation::count);
  }
  status attributes(int device, device_attributes& found) override {
    char bus[32] = {};
    if (const hipError_t code = library().hipDeviceGetPCIBusId(bus, sizeof bus, device);
        code != hipSuccess) {
      return done(code, operation::attributes);
    }
    found.name = std::string("hip ") + bus;
    // Of all properties this one has a call of its own: their structure has changed its layout.
    if (char model[256] = {};
        library().hipDeviceGetName(model, sizeof model, device) == hipSuccess && model[0] != '\0')
      found.name = model + (" (" + found.name + ")");
    int integrated = 0;
    const struct {
      int* into;
      hipDeviceAttribute_t what;
    } wanted[] = {{&found.compute_major, hipDeviceAttributeComputeCapabilityMajor},
                  {&found.compute_minor, hipDeviceAttributeComputeCapabilityMinor},
                  {&found.multiprocessors, hipDeviceAttributeMultiprocessorCount},
                  {&found.copy_engines, hipDeviceAttributeAsyncEngineCount},
                  {&integrated, hipDeviceAttributeIntegrated}};
    for (const auto& [into, what] : wanted) {
      if (const hipError_t code = library().hipDeviceGetAttribute(into, what, device);
          code != hipSuccess) {
        return done(code, operation::attributes);
      }
    }
    found.integrated = integrated != 0;
    return done(hipSuccess, operation::attributes);
  }
  status memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept override {
    return done(library().hipMemGetInfo(&free_bytes, &total_bytes), operation::memory_info);
  }
  status set_device(int device) noexcept override {
    return done(library().hipSetDevice(device), operation::set_device);
  }
  status get_device(int& device) noexcept override {
    return done(library().hipGetDevice(&device), operation::get_device);
  }

  status allocate(std::size_t bytes, void*& address) noexcept override {
    return done(library().hipMalloc(&address, bytes), operation::allocate);
  }
  status release(void* address) noexcept override {
    return done(library().hipFree(address), operation::release);
  }
  status allocate_pinned(std::size_t bytes, void*& address) noexcept override {
    return done(library().hipHostMalloc(&address, bytes, hipHostMallocPortable),
                operation::allocate_pinned);
  }
  status release_pinned(void* address) noexcept override {
    return done(library().hipHostFree(address), operation::release_pinned);
  }
  status register_host(void* address, std::size_t bytes) noexcept override {
    return done(library().hipHostRegister(address, bytes, hipHostRegisterPortable),
                operation::register_host);
  }
  status unregister_host(void* address) noexcept override {
    return done(library().hipHostUnregister(address), operation::unregister_host);
  }

  status create_stream(bool urgent, void*& stream) noexcept override {
    int least = 0, greatest = 0;
    hipError_t code = library().hipDeviceGetStreamPriorityRange(&least, &greatest);
    hipStream_t made = nullptr;
    if (code == hipSuccess) {
      code = library().hipStreamCreateWithPriority(&made, hipStreamNonBlocking,
                                                   urgent ? greatest : least);
    }
    stream = made;
    return done(code, operation::create_stream);
  }
  status destroy_stream(stream_ref stream) noexcept override {
    return done(library().hipStreamDestroy(native(stream)), operation::destroy_stream);
  }
  status query_stream(stream_ref stream, bool& idle) noexcept override {
    const hipError_t code = library().hipStreamQuery(native(stream));
    idle = code == hipSuccess;
    return done(code == hipErrorNotReady ? hipSuccess : code, operation::query_stream);
  }
  status sync_stream(stream_ref stream) noexcept override {
    return done(library().hipStreamSynchronize(native(stream)), operation::sync_stream);
  }
  status sync_device() noexcept override {
    return done(library().hipDeviceSynchronize(), operation::sync_device);
  }

  status create_event(bool timing, void*& event) noexcept override {
    hipEvent_t made = nullptr;
    const unsigned flags = timing ? hipEventDefault : hipEventDisableTiming;
    const hipError_t code = library().hipEventCreateWithFlags(&made, flags);
    event = made;
    return done(code, operation::create_event);
  }
  status destroy_event(event_ref event) noexcept override {
    return done(library().hipEventDestroy(native(event)), operation::destroy_event);
  }
  status record(event_ref event, stream_ref stream) noexcept override {
    return done(library().hipEventRecord(native(event), native(stream)), operation::record);
  }
  status wait(stream_ref stream, event_ref event) noexcept override {
    return done(library().hipStreamWaitEvent(native(stream), native(event), 0), operation::wait);
  }
  status query(event_ref event, bool& finished) noexcept override {
    const hipError_t code = library().hipEventQuery(native(event));
    finished = code == hipSuccess;
    return done(code == hipErrorNotReady ? hipSuccess : code, operation::query);
  }
  status sync_event(event_ref event) noexcept override {
    return done(library().hipEventSynchronize(native(event)), operation::sync_event);
  }
  status elapsed(event_ref from, event_ref to, std::chrono::nanoseconds& time) noexcept override {
    float milliseconds = 0;
    const hipError_t code = library().hipEventElapsedTime(&milliseconds, native(from), native(to));
    time = std::chrono::nanoseconds(static_cast<long long>(milliseconds * 1e6f));
    return done(code, operation::elapsed);
  }

  status copy(stream_ref stream, raw_span to, raw_span from) noexcept override {
    const operation op = copy_operation(to, from);
    if (op == operation::copy_peer) {
      return done(library().hipMemcpyPeerAsync(to.address, to.device, from.address, from.device,
                                               to.bytes, native(stream)),
                  op);
    }
    const hipMemcpyKind kind = op == operation::copy_to_device    ? hipMemcpyHostToDevice
                               : op == operation::copy_to_host    ? hipMemcpyDeviceToHost
                               : to.space == memory_space::device ? hipMemcpyDeviceToDevice
                                                                  : hipMemcpyHostToHost;
    return done(library().hipMemcpyAsync(to.address, from.address, to.bytes, kind, native(stream)),
                op);
  }
  status fill(stream_ref stream, raw_span to, unsigned char value) noexcept override {
    return done(library().hipMemsetAsync(to.address, value, to.bytes, native(stream)),
                operation::fill);
  }
  status can_access_peer(int device, int peer, bool& can) noexcept override {
    int answer = 0;
    const hipError_t code = library().hipDeviceCanAccessPeer(&answer, device, peer);
    can = answer != 0;
    return done(code, operation::can_access_peer);
  }
  status enable_peer(int peer) noexcept override {
    const hipError_t code = library().hipDeviceEnablePeerAccess(peer, 0);
    const status made = done(code, operation::enable_peer);
    return code == hipErrorPeerAccessAlreadyEnabled ? done(hipSuccess, operation::enable_peer)
                                                    : made;
  }
  status last_error() noexcept override {
    return done(library().hipGetLastError(), operation::last_error);
  }

 private:
  const symbols& library() const noexcept {
    std::call_once(once_, [this] { load(wanted_, symbols_, missing_); });
    return symbols_;
  }
  static hipStream_t native(stream_ref stream) noexcept {
    return static_cast<hipStream_t>(stream.native());
  }
  static hipEvent_t native(event_ref event) noexcept {
    return static_cast<hipEvent_t>(event.native());
  }
  status done(hipError_t code, operation op) const noexcept {
    // Told here: the next launch must not be blamed for it.
    if (code != hipSuccess && op != operation::last_error)
      static_cast<void>(library().hipGetLastError());
    return {kind_of(code), static_cast<int>(code), op};
  }

  const hip_driver wanted_;
  mutable std::once_flag once_;
  mutable symbols symbols_;
  mutable std::string missing_;
};

}  // namespace

std::unique_ptr<device_api> make_hip_api(hip_driver wanted) {
  return std::make_unique<hip_api>(wanted);
}

}  // namespace deed::gpu
