# SPDX-License-Identifier: MIT
# The only ways to make a target: deed_library, deed_sample, deed_sample_on_devices, deed_test, deed_mpi_test, deed_misuse_test,
# deed_fuzz_test, deed_benchmark, deed_peer, deed_tool_library and deed_tool.

# The layering rule. A library may use libraries with a smaller number only.
set(DEED_LAYER_base 0)
set(DEED_LAYER_trace 1)
set(DEED_LAYER_ownership 2)
set(DEED_LAYER_data 3)
set(DEED_LAYER_tasks 3)
set(DEED_LAYER_transport 3)
set(DEED_LAYER_gpu 3)
set(DEED_LAYER_runtime 4)
set(DEED_LAYER_starpu 5)

# deed_library(<name> [USES <deed libraries>...] [LINKS <outside targets>...]
#              HEADERS <public headers>... SOURCES <files>...)
# LINKS is for what public headers show; link anything else PRIVATE, after this call.
function(deed_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;LINKS;HEADERS;SOURCES")
  if(NOT DEFINED DEED_LAYER_${name})
    message(FATAL_ERROR "deed_library(${name}): it has no layer yet; give it one in cmake/DeedTargets.cmake")
  endif()
  foreach(used IN LISTS arg_USES)
    if(NOT DEED_LAYER_${used} LESS DEED_LAYER_${name})
      message(FATAL_ERROR "deed_library(${name}): may not use ${used}, layer ${DEED_LAYER_${used}} is not below "
                          "${DEED_LAYER_${name}}; move the shared type down, or pass it in from runtime")
    endif()
  endforeach()

  add_library(deed_${name} STATIC ${arg_SOURCES})
  add_library(deed::${name} ALIAS deed_${name})
  target_sources(deed_${name} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${arg_HEADERS})
  target_compile_features(deed_${name} PUBLIC cxx_std_20)
  list(TRANSFORM arg_USES PREPEND deed::)
  target_link_libraries(deed_${name} PUBLIC ${arg_USES} ${arg_LINKS} PRIVATE $<BUILD_INTERFACE:deed_warnings>)
  set_target_properties(deed_${name} PROPERTIES
    EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL} DEED_OWN ON)
  install(TARGETS deed_${name} EXPORT deed ARCHIVE COMPONENT development FILE_SET HEADERS COMPONENT development)
endfunction()

# Of every test that starts ranks with mpirun: more ranks than cores, that give way to each other, none of them
# bound, and as root in a container.
set(DEED_MPI_ENVIRONMENT "OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_hwloc_base_binding_policy=none;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")

# deed_sample(<name> USES <deed libraries>... [ARGUMENTS <of its tests>...] [STARTS_MPI])
# samples/<name>.cpp is one program that checks itself. It is also a test, in each way to run it: as
# threads, on virtual ranks, and under mpirun; one that starts MPI itself has no virtual ranks.
function(deed_sample name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STARTS_MPI" "" "USES;ARGUMENTS")
  list(TRANSFORM arg_USES PREPEND deed::)
  add_executable(sample_${name} ${name}.cpp)
  set_target_properties(sample_${name} PROPERTIES OUTPUT_NAME ${name})
  target_link_libraries(sample_${name} PRIVATE ${arg_USES} deed_warnings)
  set_property(GLOBAL APPEND PROPERTY DEED_SAMPLES $<TARGET_FILE:sample_${name}>)
  if(NOT arg_STARTS_MPI)
    set_property(GLOBAL APPEND PROPERTY DEED_SAMPLES_OF_RUN $<TARGET_FILE:sample_${name}>)
  endif()
  add_test(NAME sample.${name}.as_it_is COMMAND sample_${name} ${arg_ARGUMENTS})
  set(tests sample.${name}.as_it_is)
  set(virtual 1 2 3 5 8 64 1024)
  if(arg_STARTS_MPI)
    set(virtual)
  endif()
  foreach(n IN LISTS virtual)
    add_test(NAME sample.${name}.on_${n}_virtual_ranks COMMAND sample_${name} ${arg_ARGUMENTS} --deed-ranks=${n})
    list(APPEND tests sample.${name}.on_${n}_virtual_ranks)
  endforeach()
  if(DEED_HAS_TRANSPORT_MPI)
    foreach(n 1 2 4 8)
      add_test(NAME sample.${name}.on_${n}_mpi_ranks
        COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${MPIEXEC_PREFLAGS}
                $<TARGET_FILE:sample_${name}> ${arg_ARGUMENTS})
      set_tests_properties(sample.${name}.on_${n}_mpi_ranks PROPERTIES PROCESSORS 2 ENVIRONMENT "${DEED_MPI_ENVIRONMENT}")
      list(APPEND tests sample.${name}.on_${n}_mpi_ranks)
    endforeach()
  endif()
  # One after the other: they may write the same file.
  set_tests_properties(${tests} PROPERTIES LABELS sample TIMEOUT 300 RESOURCE_LOCK sample_${name})
  if(TEST sample.${name}.on_8_mpi_ranks)
    deed_long(sample.${name}.on_8_mpi_ranks)
  endif()
endfunction()

# deed_sample_on_devices(<name> <file with its kernels> SAYS <at its end> [LINKS_CUDA <target>] [LINKS_HIP <target>]
#                       [ARGUMENTS <of its tests>...])
# The sample has bodies for devices: in samples/kernels, one file for the compilers of all vendors that are here
# (nvcc and hipcc where it ends with .cu), or for the vendors' libraries of which the target is here. Its tests run
# on emulated devices, in each way to run it: some of its tasks ran there, and it found its result right.
function(deed_sample_on_devices name kernels)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SAYS;LINKS_CUDA;LINKS_HIP" "ARGUMENTS")
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${kernels})
  get_target_property(vendors deed_gpu INTERFACE_COMPILE_DEFINITIONS)
  set(includes -I${PROJECT_SOURCE_DIR}/lib/gpu/include -I${PROJECT_SOURCE_DIR}/lib/base/include)
  if(kernels MATCHES "[.]cu$")
    find_program(DEED_NVCC nvcc PATHS /usr/local/cuda/bin)
    find_program(DEED_HIPCC hipcc PATHS /opt/rocm/bin)
    mark_as_advanced(DEED_NVCC DEED_HIPCC)
    set(cuda_compiler ${DEED_NVCC} -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90)
    find_library(DEED_HIP_LIBRARY amdhip64 PATHS /opt/rocm/lib)  # What hipcc compiles registers itself there.
    mark_as_advanced(DEED_HIP_LIBRARY)
    set(hip_library ${DEED_HIP_LIBRARY})
    set(hip_compiler ${DEED_HIPCC} -x hip -fPIE --offload-arch=gfx90a)
    foreach(vendor cuda hip)
      string(TOUPPER ${vendor} upper)
      list(GET ${vendor}_compiler 0 compiler)
      if(vendor STREQUAL "hip" AND NOT DEED_HIP_LIBRARY)
        continue()
      endif()
      if(compiler AND vendors MATCHES "DEED_WITH_${upper}")
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${kernels}.${vendor}.o)
        add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM
          COMMENT "Compiling samples/kernels/${kernels} for ${vendor}"
          COMMAND ${${vendor}_compiler} -std=c++20 -O2 -DVENDOR=${vendor} ${includes}
                  -MD -MF ${object}.d -c ${source} -o ${object})
        target_sources(sample_${name} PRIVATE ${object})
        target_compile_definitions(sample_${name} PRIVATE SAMPLE_${upper})
        target_link_libraries(sample_${name} PRIVATE ${${vendor}_library})
      endif()
    endforeach()
  else()
    foreach(vendor cuda hip)
      string(TOUPPER ${vendor} upper)
      set(library "${arg_LINKS_${upper}}")
      if(NOT TARGET "${library}" OR NOT vendors MATCHES "DEED_WITH_${upper}")
        continue()
      endif()
      add_library(sample_${name}_${vendor} OBJECT ${source})
      target_compile_definitions(sample_${name}_${vendor} PRIVATE VENDOR=${vendor})
      target_link_libraries(sample_${name}_${vendor} PRIVATE deed::gpu ${library} deed_warnings)
      if(vendor STREQUAL "hip")
        target_compile_definitions(sample_${name}_hip PRIVATE __HIP_PLATFORM_AMD__)
        target_include_directories(sample_${name}_hip SYSTEM PRIVATE ${HIP_HOST_INCLUDE})
      endif()
      target_link_libraries(sample_${name} PRIVATE sample_${name}_${vendor} ${library})
      target_compile_definitions(sample_${name} PRIVATE SAMPLE_${upper})
    endforeach()
  endif()

  set(tests)
  function(on_devices how)
    add_test(NAME sample.${name}.devices_${how} COMMAND ${ARGN} ${arg_ARGUMENTS} --deed-devices=emulated:2)
    set_tests_properties(sample.${name}.devices_${how} PROPERTIES LABELS "sample;gpu" TIMEOUT 300
      RESOURCE_LOCK sample_${name} PASS_REGULAR_EXPRESSION "tasks on devices[^\n]*: [1-9].*${arg_SAYS}")
  endfunction()
  on_devices(on_1_virtual_rank sample_${name} --deed-ranks=1)
  on_devices(on_8_virtual_ranks sample_${name} --deed-ranks=8)
  on_devices(on_2_threads sample_${name} --deed-ranks=inproc:2)
  if(DEED_HAS_TRANSPORT_MPI)
    foreach(n 1 4)
      on_devices(on_${n}_mpi_ranks ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${MPIEXEC_PREFLAGS}
        $<TARGET_FILE:sample_${name}>)
      set_tests_properties(sample.${name}.devices_on_${n}_mpi_ranks PROPERTIES
        PROCESSORS 2 ENVIRONMENT "${DEED_MPI_ENVIRONMENT}")
    endforeach()
  endif()
endfunction()

# deed_same_bits_test(<sample> <what it prints before the hash> [<argument>...])
# The sample prints the same hash of its result on every number of ranks, whatever carries the messages.
function(deed_same_bits_test name label)
  if(NOT DEED_HAS_TRANSPORT_MPI)
    return()
  endif()
  list(JOIN ARGN " " arguments)
  add_test(NAME sample.${name}.same_bits
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:sample_${name}> -DLABEL=${label} "-DARGUMENTS=${arguments}"
            "-DMPIRUN=${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG}"
            -P ${PROJECT_SOURCE_DIR}/tests/support/same_bits.cmake)
  set_tests_properties(sample.${name}.same_bits PROPERTIES
    LABELS sample TIMEOUT 300 PROCESSORS 2 ENVIRONMENT "${DEED_MPI_ENVIRONMENT}" RESOURCE_LOCK sample_${name})
endfunction()

# deed_precompiled(<target> <header>...)
# The headers that nearly all of its files include are read once.
function(deed_precompiled name)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # GCC 12 doubts the standard library's strings where they come precompiled.
    target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
  endif()
endfunction()

# deed_quick_to_compile(<test> <deed libraries>...)
# A test's time goes into the library, and half of its compilation into headers that its files share and into code that runs
# once: where it has some files, the headers are read once, and its own code is optimised little.
function(deed_quick_to_compile name)
  get_target_property(files ${name} SOURCES)
  list(LENGTH files count)
  if(count LESS 4)
    return()
  endif()
  target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  set(headers <gmock/gmock.h> <gtest/gtest.h>)
  if(runtime IN_LIST ARGN)
    list(APPEND headers <deed/deed.hpp>)
  endif()
  deed_precompiled(${name} ${headers})
endfunction()

# deed_long(<test>...)
# Tests that take long: `.ci/run` runs one of six of them, which the commit selects; `tests/run` all.
function(deed_long)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS long)
endfunction()

# deed_test(<name> SOURCES <files>... USES <deed libraries>... [LABELS <one of all its tests>])
function(deed_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;LABELS")
  add_executable(${name} ${arg_SOURCES})
  deed_quick_to_compile(${name} ${arg_USES})
  list(TRANSFORM arg_USES PREPEND deed::)
  target_link_libraries(${name} PRIVATE ${arg_USES} deed_warnings GTest::gmock_main)
  set(properties TIMEOUT 300)  # Also under sanitizers, on a busy machine.
  if(arg_LABELS)
    list(APPEND properties LABELS ${arg_LABELS})
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." NO_PRETTY_VALUES PROPERTIES ${properties})
endfunction()

# deed_mpi_test(<name> RANKS <n>... SOURCES <files>... [USES <deed libraries>...])
# One ctest test per number of ranks. PROCESSORS keeps ctest from running too many ranks at once.
function(deed_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "RANKS;SOURCES;USES")
  add_executable(${name} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp)
  deed_quick_to_compile(${name} ${arg_USES})
  list(TRANSFORM arg_USES PREPEND deed::)
  target_link_libraries(${name} PRIVATE ${arg_USES} deed_warnings GTest::gmock MPI::MPI_CXX)
  foreach(n IN LISTS arg_RANKS)
    add_test(NAME ${name}.on_${n}_ranks
      COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}.on_${n}_ranks PROPERTIES PROCESSORS ${n} LABELS mpi TIMEOUT 600
      ENVIRONMENT "TEST_RANKS=${n};${DEED_MPI_ENVIRONMENT}")
  endforeach()
endfunction()

# deed_misuse_headers(<misuse>)
# What every misuse of the runtime includes, compiled once by the test misuse.headers, with the include folders of one of
# them: five sixths of the time of each. Compilers take deed.hpp.gch where deed.hpp is asked for and that is there.
function(deed_misuse_headers misuse)
  set(header ${PROJECT_BINARY_DIR}/misuse/deed.hpp)
  if(NOT TEST misuse.headers)
    file(CONFIGURE OUTPUT ${header} CONTENT "#include <deed/deed.hpp>\n")
    add_test(NAME misuse.headers COMMAND_EXPAND_LISTS
      COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 "-I$<JOIN:$<TARGET_PROPERTY:${misuse},INCLUDE_DIRECTORIES>,;-I>"
              -x c++-header ${header} -o ${header}.gch)
    set_tests_properties(misuse.headers PROPERTIES LABELS misuse TIMEOUT 120 FIXTURES_SETUP misuse_headers)
  endif()
  set_tests_properties(${misuse} PROPERTIES FIXTURES_REQUIRED misuse_headers)
endfunction()

# deed_misuse_test(compile_fail/<folder>/<what>.cpp USES <deed libraries>...)
# The file must compile as it stands, and must fail with DEED_MISUSE defined, with the text it names.
function(deed_misuse_test file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  string(REGEX REPLACE "^(.*/)?compile_fail/(.*)/(.*)[.]cpp$" "misuse.\\2.\\3" name ${file})
  list(TRANSFORM arg_USES PREPEND deed::)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${file})  # Never built: it collects the include folders.
  target_link_libraries(${name} PRIVATE ${arg_USES})
  set(includes $<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>)
  set(first)
  if("deed::runtime" IN_LIST arg_USES)
    set(first -DFIRST=${PROJECT_BINARY_DIR}/misuse/deed.hpp)
  endif()
  add_test(NAME ${name}
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DFILE=${CMAKE_CURRENT_SOURCE_DIR}/${file} ${first}
            "-DINCLUDES=$<JOIN:${includes},;>" -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/ExpectCompileError.cmake)
  set_tests_properties(${name} PROPERTIES LABELS misuse TIMEOUT 60)
  if(first)
    deed_misuse_headers(${name})
  endif()
endfunction()

# deed_fuzz_test(<name> SOURCES <files>... USES <deed libraries>... [RUNS <n>])
# A target of libFuzzer, with the sanitizers on; Clang only. What it links is looked at only in a build with
# -fsanitize=fuzzer-no-link,address,undefined. It starts from what make_seeds writes for it. As a test it makes RUNS inputs
# (200000), the same each time; with DEED_FUZZ_SECONDS it runs for so long. What it finds new is kept in the build folder.
set(DEED_FUZZ_SECONDS 0 CACHE STRING "how long each fuzzer runs as a test; 0: a fixed number of inputs")
function(deed_fuzz_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RUNS" "SOURCES;USES")
  if(NOT arg_RUNS)
    set(arg_RUNS 200000)
  endif()
  set(until -runs=${arg_RUNS})
  if(DEED_FUZZ_SECONDS)
    set(until -max_total_time=${DEED_FUZZ_SECONDS})
  endif()
  list(TRANSFORM arg_USES PREPEND deed::)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_USES} deed_warnings)
  add_dependencies(${name} fuzz_seeds)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/found/${name})
  add_test(NAME fuzz.${name}
    COMMAND ${name} -seed=1 ${until} -max_len=4096 -timeout=10 -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1
            found/${name} seeds/${name})
  math(EXPR limit "300 + 2 * ${DEED_FUZZ_SECONDS}")
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT ${limit})
endfunction()

# deed_benchmark(<name> SOURCES <files>... USES <deed libraries>...)
# Prints a table of ratios within one run. Not a test: a clock decides nothing on a shared machine.
function(deed_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
  list(TRANSFORM arg_USES PREPEND deed::)
  add_executable(bench_${name} ${arg_SOURCES})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name})
  target_link_libraries(bench_${name} PRIVATE ${arg_USES} deed_warnings)
  deed_benchmarks_need(bench_${name})
endfunction()

# deed_peer(<name> <source> [OPTIONS <flags>...] [LINKS <targets or flags>...])
# A program of another system to compare with; built by the target `benchmarks` alone.
function(deed_peer name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS;LINKS")
  add_executable(peer_${name} EXCLUDE_FROM_ALL ${source})
  set_target_properties(peer_${name} PROPERTIES OUTPUT_NAME ${name})
  target_compile_options(peer_${name} PRIVATE -O3 -march=native ${arg_OPTIONS})
  target_link_libraries(peer_${name} PRIVATE ${arg_LINKS})
  deed_benchmarks_need(peer_${name})
endfunction()

# What bench/run builds.
function(deed_benchmarks_need target)
  if(NOT TARGET benchmarks)
    add_custom_target(benchmarks)
  endif()
  add_dependencies(benchmarks ${target})
endfunction()

# deed_tool_library(<name> USES <deed libraries>... [LINKS <outside targets>...] SOURCES <files>...)
# What the programs of one tool share, and their tests (as deed::<name>). It is not installed. Its files include each other by their path
# from the tool's folder.
function(deed_tool_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;LINKS;SOURCES")
  list(TRANSFORM arg_USES PREPEND deed::)
  add_library(${name} STATIC ${arg_SOURCES})
  add_library(deed::${name} ALIAS ${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_USES} ${arg_LINKS} PRIVATE deed_warnings)
endfunction()

# deed_tool(<program> USES <tool libraries>... SOURCES <files>...)
function(deed_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;SOURCES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_USES} deed_warnings)
  install(TARGETS ${name} RUNTIME COMPONENT ${name})
endfunction()
