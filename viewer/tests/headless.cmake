# SPDX-License-Identifier: MIT
# cmake -DTOOL=... -DVIEW=... -DFOLDER=... -P headless.cmake
# Without a display and without a folder for run-time files deed-view draws, and says nothing but what is its own.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${TOOL} gen -o ${FOLDER}/run.deed COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
foreach(name DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR QT_QPA_PLATFORM)
  list(APPEND absent --unset=${name})
endforeach()
function(expect status said)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${absent} ${VIEW} ${ARGN} RESULT_VARIABLE result ERROR_VARIABLE errors OUTPUT_QUIET)
  if(NOT result EQUAL ${status} OR NOT errors STREQUAL "${said}")
    message(FATAL_ERROR "deed-view ${ARGN}: status ${result}, not ${status}\n${errors}")
  endif()
endfunction()
expect(0 "" --help)
expect(64 "deed-view: there is no display for a window; log in with `ssh -X`, or draw with --screenshot FILE\n" ${FOLDER}/run.deed)
expect(0 "" ${FOLDER}/run.deed --screenshot ${FOLDER}/picture.png)
if(NOT EXISTS ${FOLDER}/picture.png)
  message(FATAL_ERROR "no picture")
endif()
expect(64 "deed-view: `at soon` cannot be done: write a time such as 12.3ms\n" ${FOLDER}/run.deed --at soon --screenshot ${FOLDER}/other.png)
expect(74 "deed-view: `screenshot ${FOLDER}/absent/a.png` cannot be done: the file cannot be written\n"
  ${FOLDER}/run.deed --screenshot ${FOLDER}/absent/a.png)
