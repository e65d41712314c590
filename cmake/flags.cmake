# SPDX-License-Identifier: Apache-2.0
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # __int128, POSIX
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(WEIR_TESTS "build the tests" ON)
option(WEIR_WERROR "treat warnings as errors" OFF)
option(WEIR_FUZZ "build the fuzz targets (clang only)" OFF)
option(WEIR_BENCH "build the benchmarks" OFF)
option(WEIR_COVERAGE "count which lines run" OFF)
# Not part of the command line: what is compiled with a warning is not compiled again when warnings become errors.
set(WEIR_OPTIONS_FILE "" CACHE FILEPATH "a file with further options for the compiler; changing it compiles nothing again")
set(WEIR_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize= takes them")

# A broken invariant asserts in every build, so no -DNDEBUG.
# Backtraces and profilers see lines; for variables there is the debug build, and -g1 takes a seventh less to compile.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# No path of the machine that built it: what asserts and messages know as __FILE__ begins in the source folder.
set(WEIR_SHORT_PATHS -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
add_compile_options($<$<NOT:$<CONFIG:Debug>>:${WEIR_SHORT_PATHS}>)
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(WEIR_WERROR)
  add_compile_options(-Werror)
endif()
if(WEIR_OPTIONS_FILE)
  file(TOUCH ${WEIR_OPTIONS_FILE})
  add_compile_options(@${WEIR_OPTIONS_FILE})
endif()
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()
if(WEIR_FUZZ)
  # The library only counts its branches; a fuzz target links the engine itself with -fsanitize=fuzzer.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(WEIR_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
