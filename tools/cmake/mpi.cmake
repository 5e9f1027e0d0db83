# Ranks: one shared object per MPI library that is installed, from the same source
# (rt/mpi/), which the library opens when a program runs on several ranks. Nothing
# else needs MPI, to build or to run. PT-Scotch goes through MPI, too: a module of
# its own, where it is installed for that MPI library.
find_package(PkgConfig)
file(GLOB OP2_MPI_SOURCES CONFIGURE_DEPENDS rt/mpi/comm_*.c)

# op2_add_mpi(<name> <module of pkg-config>)
function(op2_add_mpi name package)
  if(PkgConfig_FOUND)
    pkg_check_modules(MPI_${name} QUIET IMPORTED_TARGET ${package})
  endif()
  if(NOT MPI_${name}_FOUND)
    set(OP2_MPI_MISSING ${OP2_MPI_MISSING} ${name} PARENT_SCOPE)
    return()
  endif()
  add_library(op2mpi_${name} OBJECT ${OP2_MPI_SOURCES})
  target_compile_definitions(op2mpi_${name} PRIVATE OP2_MPI_NAME="${name}")
  target_link_libraries(op2mpi_${name} PRIVATE op2_needs PkgConfig::MPI_${name})
  # MPICH's "no statuses" is the address 1, which gcc takes for a short array
  target_compile_options(op2mpi_${name} PRIVATE
    $<$<C_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  op2_add_shared(op2lazy-${name} MODULE ${CMAKE_SOURCE_DIR}/rt/mpi/exports.map
                 op2base op2mpi_${name})
  target_link_libraries(op2lazy-${name} PRIVATE PkgConfig::MPI_${name})
  set(OP2_MPI ${OP2_MPI} ${name} PARENT_SCOPE)
endfunction()

op2_add_mpi(openmpi ompi-c)
op2_add_mpi(mpich mpich)

find_path(PTSCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch)
find_library(PTSCOTCH_LIBRARY ptscotch)
find_library(PTSCOTCHERR_LIBRARY ptscotcherr)
find_library(SCOTCH_LIBRARY scotch)
if("openmpi" IN_LIST OP2_MPI AND PTSCOTCH_INCLUDE_DIR AND PTSCOTCH_LIBRARY)
  add_library(op2ptscotch OBJECT rt/mpi/ptscotch.c)
  target_include_directories(op2ptscotch SYSTEM PRIVATE ${PTSCOTCH_INCLUDE_DIR})
  target_link_libraries(op2ptscotch PRIVATE op2_needs PkgConfig::MPI_openmpi)
  op2_add_shared(op2lazy-ptscotch MODULE ${CMAKE_SOURCE_DIR}/rt/mpi/ptscotch.map
                 op2ptscotch)
  target_link_libraries(op2lazy-ptscotch PRIVATE ${PTSCOTCH_LIBRARY}
    ${SCOTCH_LIBRARY} ${PTSCOTCHERR_LIBRARY} PkgConfig::MPI_openmpi)
  list(APPEND OP2_MPI ptscotch)
endif()
