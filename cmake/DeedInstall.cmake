# SPDX-License-Identifier: MIT
# What `cmake --install` puts in place beside the libraries: the CMake package and deed.pc.

# All that a program links, under one name.
add_library(deed_all INTERFACE)
add_library(deed::deed ALIAS deed_all)
target_link_libraries(deed_all INTERFACE deed::runtime)
set_target_properties(deed_all PROPERTIES EXPORT_NAME deed)
install(TARGETS deed_all EXPORT deed)

# What lib/gpu was built with.
get_target_property(gpu_definitions deed_gpu INTERFACE_COMPILE_DEFINITIONS)
foreach(vendor CUDA HIP)
  set(DEED_HAS_${vendor} OFF)
  if(gpu_definitions MATCHES "DEED_WITH_${vendor}")
    set(DEED_HAS_${vendor} ON)
  endif()
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/deed)
install(EXPORT deed FILE deedTargets.cmake NAMESPACE deed:: DESTINATION ${package_folder}
  COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/deedConfig.cmake.in
  ${PROJECT_BINARY_DIR}/deedConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(deedConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/deedConfig.cmake ${PROJECT_BINARY_DIR}/deedConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/DeedCheck.cmake
  DESTINATION ${package_folder} COMPONENT development)

# For programs that are not built by CMake. Relocatable: every path starts from that of deed.pc.
set(pc_libraries "")
foreach(name runtime gpu transport tasks data ownership trace base)
  string(APPEND pc_libraries " -ldeed_${name}")
endforeach()
set(pc_cflags "-std=c++20")
if(DEED_HAS_TRANSPORT_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  string(APPEND pc_cflags " -DDEED_WITH_MPI=1 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX")
  foreach(folder IN LISTS MPI_CXX_INCLUDE_DIRS)
    string(APPEND pc_cflags " -I${folder}")
  endforeach()
  string(APPEND pc_libraries " -lboost_mpi -lboost_serialization")
  foreach(library IN LISTS MPI_CXX_LIBRARIES)
    string(APPEND pc_libraries " ${library}")
  endforeach()
endif()
if(DEED_HAS_FIBERS)
  string(APPEND pc_libraries " -lboost_context")
endif()
if(DEED_HAS_CUDA)
  find_package(CUDAToolkit QUIET)
  string(APPEND pc_cflags " -DDEED_WITH_CUDA=1")
  string(APPEND pc_libraries " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt")
endif()
if(DEED_HAS_HIP)
  string(APPEND pc_cflags " -DDEED_WITH_HIP=1")
endif()
if(DEED_HAS_CUDA OR DEED_HAS_HIP)
  string(APPEND pc_libraries " -ldl")
endif()
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/deed.pc.in ${PROJECT_BINARY_DIR}/deed.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/deed.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
