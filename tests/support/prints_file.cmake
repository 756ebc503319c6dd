# SPDX-License-Identifier: MIT
# cmake -DPROGRAM=... -DFILE=... -P prints_file.cmake: fails unless the program prints what is in the file.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FILE} kept)
if(NOT printed STREQUAL kept)
  message(FATAL_ERROR "${FILE} is out of date: ${PROGRAM} > ${FILE}")
endif()
