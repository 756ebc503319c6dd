// SPDX-License-Identifier: MIT
#include <deed/transport/mpi_facts.hpp>

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <array>
#include <string_view>

namespace deed::transport {
namespace {

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "unknown";
  const std::string_view all(text.data(), static_cast<std::size_t>(length));
  const std::string_view line = all.substr(0, all.find_first_of(",\n"));
  return std::string(line);
}

std::string_view name_of(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE:
      return "MPI_THREAD_MULTIPLE";
    default:
      return "an unknown level";
  }
}

answer takes_cuda() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() != 0 ? answer::yes : answer::no;
#else
  return answer::unknown;
#endif
}

answer takes_hip() {
#if defined(OMPI_HAVE_MPI_EXT_ROCM) && OMPI_HAVE_MPI_EXT_ROCM
  return MPIX_Query_rocm_support() != 0 ? answer::yes : answer::no;
#else
  return answer::unknown;
#endif
}

}  // namespace

mpi_facts ask_mpi() {
  int begun = 0, over = 0, level = MPI_THREAD_SINGLE, major = 0, minor = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  mpi_facts facts;
  facts.running = begun != 0 && over == 0;
  if (!facts.running) return facts;
  MPI_Query_thread(&level);
  MPI_Get_version(&major, &minor);
  facts.library = library_version();
  facts.standard = std::to_string(major) + "." + std::to_string(minor);
  facts.threads = name_of(level);
  facts.any_thread_calls = level >= MPI_THREAD_SERIALIZED;
  facts.cuda = takes_cuda();
  facts.hip = takes_hip();
  return facts;
}

}  // namespace deed::transport
