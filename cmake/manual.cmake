# SPDX-License-Identifier: Apache-2.0
# WEIR_SAYS is the command that runs weir while it is built, to write manual pages, completions and schemas. A program for another
# machine runs under an emulator, or a weir of this machine speaks for it; with neither, WEIR_SAYS is empty and these files are left out.
set(WEIR_NATIVE "" CACHE FILEPATH "when cross-compiling: a weir of the same version that runs on this machine")

if(WEIR_NATIVE)
  execute_process(COMMAND ${WEIR_NATIVE} --version OUTPUT_VARIABLE said ERROR_QUIET)
  if(NOT said MATCHES "^weir ${PROJECT_VERSION}\n")
    message(FATAL_ERROR "WEIR_NATIVE, ${WEIR_NATIVE}, is no weir ${PROJECT_VERSION} that runs on this machine")
  endif()
  set(WEIR_SAYS ${WEIR_NATIVE})
elseif(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  set(WEIR_SAYS ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:weir>)
else()
  set(WEIR_SAYS "")
  message(STATUS "Left out: manual pages, completions and schemas (the program cannot run here; set WEIR_NATIVE to a weir that can)")
endif()
