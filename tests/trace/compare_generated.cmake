# SPDX-License-Identifier: MIT
# cmake -DROOT=... -DFOLDER=... -P compare_generated.cmake
# Makes lib/trace/generated anew in FOLDER and compares each file.
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND python3 ${ROOT}/lib/trace/schema/regenerate.py ${FOLDER} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "regenerate.py failed; is python3-barectf installed?")
endif()
file(GLOB made RELATIVE ${FOLDER} ${FOLDER}/*)
foreach(name IN LISTS made)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${FOLDER}/${name} ${ROOT}/lib/trace/generated/${name}
    RESULT_VARIABLE differs)
  if(differs)
    message(FATAL_ERROR "lib/trace/generated/${name} is not what deed.yaml gives; run lib/trace/schema/regenerate.py")
  endif()
endforeach()
