# SPDX-License-Identifier: Apache-2.0
# The method smt needs Z3's header to be built, and its library only when it is used: nothing is linked.
# Sets WEIR_Z3_INCLUDE, which is empty when weir is to be built without.
set(WEIR_Z3 AUTO CACHE STRING "the method smt: AUTO (if z3.h is there), ON, OFF")
set_property(CACHE WEIR_Z3 PROPERTY STRINGS AUTO ON OFF)

if(WEIR_Z3 STREQUAL "AUTO" OR WEIR_Z3)
  pkg_check_modules(Z3 QUIET z3)
  find_path(WEIR_Z3_INCLUDE z3.h HINTS ${Z3_INCLUDEDIR} PATH_SUFFIXES z3 NO_CACHE)
  if(NOT WEIR_Z3_INCLUDE AND NOT WEIR_Z3 STREQUAL "AUTO")
    message(FATAL_ERROR "WEIR_Z3 is ${WEIR_Z3}, but there is no z3.h (Debian: libz3-dev)")
  endif()
endif()
if(NOT WEIR_Z3_INCLUDE)
  message(STATUS "Left out: the method smt (z3.h was not found; Debian: libz3-dev)")
  set(WEIR_Z3_INCLUDE "")
endif()
