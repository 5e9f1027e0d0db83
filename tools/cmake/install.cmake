# Library, public headers (in a folder of their own: OP2's names are general),
# tools, pkg-config and CMake packages.
include(CMakePackageConfigHelpers)
set(OP2_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/op2lazy)

install(TARGETS op2lazy EXPORT op2lazyTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${OP2_MODULES} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(mpi ${OP2_MPI})
  install(TARGETS op2lazy-${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(FILES ${OP2_HEADERS}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/op2lazy)
if(OP2_TOOLS)
  install(TARGETS ${OP2_TOOLS} DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET op2cc)
  install(PROGRAMS ${OP2CXX} DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# A module that loads the library by its place: two folders above.
install(FILES frontend/python/op2lazy.py
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/op2lazy/python)
install(EXPORT op2lazyTargets NAMESPACE op2lazy::
        DESTINATION ${OP2_CMAKE_DIR})
configure_package_config_file(tools/cmake/op2lazyConfig.cmake.in
  op2lazyConfig.cmake
  INSTALL_DESTINATION ${OP2_CMAKE_DIR} NO_SET_AND_CHECK_MACRO
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(op2lazyConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
# whatever prefix `cmake --install` is given: the file says where it lies
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
  OUTPUT_VARIABLE OP2_PC_TO_PREFIX)
configure_file(tools/cmake/op2lazy.pc.in op2lazy.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/op2lazyConfig.cmake
              ${CMAKE_BINARY_DIR}/op2lazyConfigVersion.cmake
        DESTINATION ${OP2_CMAKE_DIR})
install(FILES ${CMAKE_BINARY_DIR}/op2lazy.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
