# SPDX-License-Identifier: MIT
# deed_check(<target> [STRICT] [OPTIONS <options of deed-check>...])
# A target <target>_deed_check, part of no other: deed-check over the sources of <target>, with the flags that
# they are compiled with. It builds <target> before, and with it what is generated for it. Facts of sources that
# have not changed are kept in the build folder. Where deed-check is not installed, the target says so and succeeds.
function(deed_check target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STRICT" "" "OPTIONS")
  set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(made_in ${target} BINARY_DIR)
  set(read "[.](cpp|cxx|cc|C|cu)$")
  set(files "")
  set(expressions "")  # Known when the build is made; what is relative in them, from the folder of <target>.
  set(open 0)          # An expression with several files is several entries of the list.
  foreach(source IN LISTS sources)
    if(open OR source MATCHES "[$]<")
      list(APPEND expressions ${source})
      string(REGEX MATCHALL "[$]<" opened "${expressions}")
      string(REGEX MATCHALL ">" closed "${expressions}")
      list(LENGTH opened opened)
      list(LENGTH closed closed)
      math(EXPR open "${opened} - ${closed}")
      continue()
    elseif(NOT source MATCHES "${read}")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE file)
    if(NOT EXISTS ${file})
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${made_in} NORMALIZE OUTPUT_VARIABLE file)
    endif()
    list(APPEND files ${file})
  endforeach()
  if(arg_STRICT)
    list(APPEND arg_OPTIONS --strict)
  endif()

  if(TARGET deed-check)
    set(tool $<TARGET_FILE:deed-check>)
  else()
    find_program(DEED_CHECK deed-check HINTS ${DEED_TOOLS_FOLDER})
    set(tool ${DEED_CHECK})
  endif()
  if(NOT files AND NOT expressions)
    add_custom_target(${target}_deed_check COMMAND ${CMAKE_COMMAND} -E echo "${target} has no source that deed-check reads" VERBATIM)
  elseif(tool)
    add_custom_target(${target}_deed_check
      COMMAND ${tool} -p ${CMAKE_BINARY_DIR} --root=${CMAKE_SOURCE_DIR} --cache=${CMAKE_BINARY_DIR}/deed-check.cache
              ${arg_OPTIONS} ${files} "$<FILTER:${expressions},INCLUDE,${read}>"
      WORKING_DIRECTORY ${folder} COMMAND_EXPAND_LISTS
      COMMENT "deed-check ${target}" VERBATIM)
    add_dependencies(${target}_deed_check ${target})
  else()
    add_custom_target(${target}_deed_check COMMAND ${CMAKE_COMMAND} -E echo "deed-check is not installed" VERBATIM)
  endif()
endfunction()
