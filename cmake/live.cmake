# SPDX-License-Identifier: Apache-2.0
# The engines as WebAssembly, for pages that recompute. Needs clang, wasm-ld, wasi-libc, compiler-rt for wasm32 and gzip; without them
# WEIR_LIVE_MISSING says what is not there, and pages do without.
option(WEIR_LIVE "compile the engines to WebAssembly, for live pages" ON)

set(WEIR_LIVE_MISSING "")
if(NOT WEIR_LIVE)
  set(WEIR_LIVE_MISSING "it was switched off when weir was built")
else()
  find_program(WEIR_LIVE_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
  find_program(WEIR_LIVE_LINKER NAMES wasm-ld wasm-ld-19 wasm-ld-18 wasm-ld-17 wasm-ld-16 wasm-ld-15 wasm-ld-14)
  find_program(WEIR_LIVE_GZIP NAMES gzip)
  if(NOT WEIR_LIVE_GZIP)
    set(WEIR_LIVE_MISSING "gzip was not there when weir was built")
  elseif(NOT WEIR_LIVE_CLANG)
    set(WEIR_LIVE_MISSING "clang was not there when weir was built")
  elseif(NOT WEIR_LIVE_LINKER)
    set(WEIR_LIVE_MISSING "wasm-ld (package lld) was not there when weir was built")
  elseif(NOT DEFINED WEIR_LIVE_WORKS)
    file(WRITE ${PROJECT_BINARY_DIR}/live/probe.c
      "#include <stdio.h>\n__extension__ typedef __int128 wide;\nint probe(long long a) { char t[32]; return snprintf(t, sizeof t, \"%lld\", (long long)((wide)a * a / 7)); }\n")
    execute_process(
      COMMAND ${WEIR_LIVE_CLANG} --target=wasm32-wasi -mexec-model=reactor -Wl,--export=probe
        ${PROJECT_BINARY_DIR}/live/probe.c -o ${PROJECT_BINARY_DIR}/live/probe.wasm
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(WEIR_LIVE_WORKS TRUE CACHE INTERNAL "clang makes WebAssembly")
    endif()
  endif()
  if(WEIR_LIVE_MISSING STREQUAL "" AND NOT WEIR_LIVE_WORKS)
    set(WEIR_LIVE_MISSING "wasi-libc or libclang-rt-dev-wasm32 was not there when weir was built")
  endif()
endif()

if(WEIR_LIVE_MISSING)
  message(STATUS "Left out: pages that recompute (${WEIR_LIVE_MISSING})")
endif()

# weir_embed(SYMBOL FILE...): compiles the files into the library as one array. The rule belongs to this folder, the library to
# another: a target stands between them.
function(weir_embed symbol)
  set(output ${PROJECT_BINARY_DIR}/live/${symbol}.c)
  list(JOIN ARGN "," files)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DNAME=${symbol} -DINPUT=${files} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  add_custom_target(${symbol} DEPENDS ${output})
  add_dependencies(weir_objects ${symbol})
  set_source_files_properties(${output} TARGET_DIRECTORY weir_objects PROPERTIES GENERATED TRUE)
  target_sources(weir_objects PRIVATE ${output})
endfunction()

# weir_live(OUTPUT): the WebAssembly module of live.c and the layers below it, compressed. What a page does not have is put in place
# by live_layout.c (Graphviz), live_pool.c (threads), live_read.c (files) and live_tree.c (libyaml). A stack that is too deep runs into the end of the memory,
# not into data; memory ends at 1 GiB.
function(weir_live output)
  set(src ${PROJECT_SOURCE_DIR}/src)
  set(sources ${src}/render/html/live.c ${src}/render/html/live_layout.c ${src}/render/html/live_pool.c ${src}/render/html/live_read.c ${src}/render/html/live_tree.c
    ${src}/render/html/answer.c ${src}/render/html/changes.c ${src}/render/html/distribution.c ${src}/render/html/picture.c ${src}/render/html/table.c
    ${src}/render/html/text.c ${src}/read/holoscan/observed.c
    ${src}/render/drawing/drawing.c ${src}/render/drawing/overview.c)
  foreach(layer base model check check/async check/edf check/exact check/gpu check/priority check/workers engine/async engine/edf
      engine/exact engine/gpu engine/priority engine/workers simulate answer answer/simulate answer/timeline format read read/yaml explore
      explore/change explore/margins render/json render/text render/timeline render/trace render/plot)
    file(GLOB found CONFIGURE_DEPENDS ${src}/${layer}/*.c)
    list(APPEND sources ${found})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/(base/(library|task_pool)|format/cuda|read/file|read/yaml/(json|tree))")
  # A command for each source, with what it includes as its compiler says: what did not change is not compiled again, and a compiler
  # cache helps here too.
  set(objects "")
  foreach(source ${sources})
    file(RELATIVE_PATH name ${src} ${source})
    set(object ${PROJECT_BINARY_DIR}/live/${name}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${WEIR_LIVE_CLANG} --target=wasm32-wasi -std=gnu17 -O2 -ffunction-sections -fdata-sections
        -fvisibility=hidden -fno-stack-protector ${WEIR_SHORT_PATHS} -I${PROJECT_SOURCE_DIR}/include -I${src} -DWEIR_EXPERIMENTAL
        -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "WebAssembly: ${name}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${output}
    COMMAND ${WEIR_LIVE_CLANG} --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-all -Wl,--stack-first
      -Wl,-z,stack-size=1048576 -Wl,--max-memory=1073741824 ${objects} -o ${PROJECT_BINARY_DIR}/live/live.wasm
    COMMAND ${WEIR_LIVE_GZIP} -9 -n -c ${PROJECT_BINARY_DIR}/live/live.wasm > ${output}
    DEPENDS ${objects}
    COMMENT "The engines as WebAssembly"
    VERBATIM)
endfunction()
