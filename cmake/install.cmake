# SPDX-License-Identifier: Apache-2.0
install(TARGETS weir weir_static weir_shared
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/weir.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The recorder for Holoscan: in front of applications in Python, called by those in C++.
install(PROGRAMS tools/holoscan/weir-holoscan DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES tools/holoscan/weir_holoscan.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Runs the plans of a GPU in an application: headers alone
install(FILES tools/gpu/weir_gpu_plan.h tools/gpu/weir_gpu_plan_file.h tools/gpu/weir_gpu_driver.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# For GNU Radio: a program, and the modules that it finds from where it lies.
install(PROGRAMS tools/gnuradio/weir-gnuradio DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY tools/gnuradio/weir_gnuradio DESTINATION ${CMAKE_INSTALL_DATADIR}/weir/gnuradio FILES_MATCHING PATTERN *.py PATTERN *.c)

# The pkg-config file finds the rest from where it lies, so that an installed tree can be moved or staged.
file(RELATIVE_PATH WEIR_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" WEIR_PC_PREFIX "${WEIR_PC_PREFIX}")
# The linker prefers a shared library beside the static one, whatever pkg-config --static says: libweir.a has a file of its own.
foreach(name weir weir-static)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# For CMake: find_package(weir). A version below 1.0 is good for its own minor version alone, as docs/reference/abi.md has it.
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/weir-config.cmake.in ${PROJECT_BINARY_DIR}/weir-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weir-config.cmake ${PROJECT_BINARY_DIR}/weir-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

if(WEIR_SAYS)
  # For editors, and for whoever makes models or reads answers: every key that a model file and --json can have.
  install(FILES ${PROJECT_BINARY_DIR}/model.schema.json ${PROJECT_BINARY_DIR}/answer.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
  # Written by scripts/manual when the program is built.
  foreach(section 1 3 5)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} FILES_MATCHING PATTERN *.${section})
  endforeach()
  install(FILES ${PROJECT_BINARY_DIR}/manual/weir.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME weir)
  install(FILES ${PROJECT_BINARY_DIR}/manual/_weir DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/manual/weir.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# Laid out as in the repository, so that links between the documents hold.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples tools DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE)
