# SPDX-License-Identifier: MIT
# Debian packages, by `cpack` in the build folder: one for programmers, one per tool.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the maintainers of deed")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME}: distributed task programs whose ownership is proved")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_STRIP_FILES ON)

# The library is static: what a program links beside it comes with the package for programmers.
set(needs g++ libhwloc-dev pkg-config)
if(DEED_HAS_TRANSPORT_MPI)
  list(APPEND needs libopenmpi-dev openmpi-bin libboost-mpi1.81-dev libboost-serialization1.81-dev)
endif()
if(DEED_HAS_FIBERS)
  list(APPEND needs libboost-context1.81-dev)
endif()
if(DEED_HAS_CUDA)
  list(APPEND needs cuda-cudart-dev-${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR})  # NVIDIA's archive has it.
endif()
list(JOIN needs ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdeed-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and libraries, for CMake and for pkg-config.")

set(CPACK_COMPONENTS_ALL development)
foreach(tool deed-doctor deed-trace deed-view deed-check)
  if(TARGET ${tool})
    list(APPEND CPACK_COMPONENTS_ALL ${tool})
    string(TOUPPER ${tool} name)
    set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${tool})
    set(CPACK_DEBIAN_${name}_PACKAGE_SHLIBDEPS ON)
  endif()
endforeach()
set(CPACK_COMPONENT_DEED-DOCTOR_DESCRIPTION "Whether MPI, cores, memory and devices of a machine are as deed needs them.")
set(CPACK_COMPONENT_DEED-TRACE_DESCRIPTION "What happened in a recorded run, as text, JSON or CSV.")
set(CPACK_COMPONENT_DEED-VIEW_DESCRIPTION "A window that replays a recorded run.")
set(CPACK_COMPONENT_DEED-CHECK_DESCRIPTION "Finds ownership errors before a program runs.")

# Packages are hardened: others install them.
if(NOT DEED_HARDENING)
  file(WRITE ${PROJECT_BINARY_DIR}/not_hardened.cmake
    "message(FATAL_ERROR \"packages are made of a hardened build; configure with -DDEED_HARDENING=ON\")\n")
  set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/not_hardened.cmake)
endif()

include(CPack)
