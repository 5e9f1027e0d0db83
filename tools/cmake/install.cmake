# Library, public headers (in a folder of their own: OP2's names are general),
# tools, pkg-config and CMake packages. Components are what packages are made of
# (package.cmake).
include(CMakePackageConfigHelpers)
set(OP2_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/op2lazy)

install(TARGETS op2lazy EXPORT op2lazyTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
                NAMELINK_COMPONENT dev)
# What is for one MPI library is a component of that name.
set(OP2_COMPONENTS library dev tools)
foreach(module ${OP2_MODULES} ${OP2_MPI})
  string(REGEX REPLACE "^op2lazy-" "" module ${module})
  set(component library)
  foreach(mpi openmpi mpich)
    if(module MATCHES "${mpi}$")
      set(component ${mpi})
      list(APPEND OP2_COMPONENTS ${mpi})
    endif()
  endforeach()
  if(module STREQUAL "ptscotch")
    set(component openmpi)
  endif()
  if(module STREQUAL "petsc") # it brings many libraries along
    set(component petsc)
    list(APPEND OP2_COMPONENTS petsc)
  endif()
  install(TARGETS op2lazy-${module}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
endforeach()
list(REMOVE_DUPLICATES OP2_COMPONENTS)
install(FILES ${OP2_HEADERS} COMPONENT dev
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/op2lazy)
set(programs ${OP2_TOOLS})
if(TARGET op2cc) # compiling takes headers
  list(REMOVE_ITEM programs op2cc)
  install(TARGETS op2cc DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dev)
  install(PROGRAMS ${OP2CXX} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dev)
endif()
if(TARGET op2-mesh) # Gmsh's library brings many others along
  list(REMOVE_ITEM programs op2-mesh)
  list(APPEND OP2_COMPONENTS mesh)
  install(TARGETS op2-mesh DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mesh)
endif()
if(programs)
  install(TARGETS ${programs} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()

# A module that loads the library by its place: two folders above.
install(FILES frontend/python/op2lazy.py COMPONENT dev
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/op2lazy/python)
install(EXPORT op2lazyTargets NAMESPACE op2lazy:: COMPONENT dev
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
        COMPONENT dev DESTINATION ${OP2_CMAKE_DIR})
install(FILES ${CMAKE_BINARY_DIR}/op2lazy.pc COMPONENT dev
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
