# PETSc: a shared object that the library opens when a program asks for it, for the
# MPI library that PETSc is built for. Where PETSc is missing, or has other numbers
# than real doubles, such calls are errors. What pkg-config says for compiling is not
# taken: it would change the build's own flags.
if(PkgConfig_FOUND)
  pkg_check_modules(PETSC QUIET PETSc)
endif()
include(CheckCSourceCompiles)
include(CMakePushCheckState)
foreach(mpi openmpi mpich)
  if(NOT PETSC_FOUND OR NOT mpi IN_LIST OP2_MPI OR TARGET op2lazy-petsc)
    continue()
  endif()
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_INCLUDES ${PETSC_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES PkgConfig::MPI_${mpi} ${PETSC_LINK_LIBRARIES})
  check_c_source_compiles("
    #include <petscksp.h>
    #if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
    #error other numbers
    #endif
    #if PETSC_VERSION_LT(3, 18, 0)
    #error too old
    #endif
    int main(void) { return PetscInitializeNoArguments(); }" OP2_PETSC_${mpi})
  cmake_pop_check_state()
  if(NOT OP2_PETSC_${mpi})
    continue()
  endif()
  file(GLOB OP2_PETSC_SOURCES CONFIGURE_DEPENDS rt/petsc/*.c)
  add_library(op2petsc OBJECT ${OP2_PETSC_SOURCES})
  target_include_directories(op2petsc SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS})
  target_compile_definitions(op2petsc PRIVATE OP2_MPI_NAME="${mpi}")
  target_link_libraries(op2petsc PRIVATE op2_needs PkgConfig::MPI_${mpi})
  op2_add_shared(op2lazy-petsc MODULE ${CMAKE_SOURCE_DIR}/rt/petsc/exports.map
                 op2base op2petsc)
  target_link_libraries(op2lazy-petsc PRIVATE ${PETSC_LINK_LIBRARIES}
                        PkgConfig::MPI_${mpi})
  # PETSc starts MPI, and a library that finds MPI started opens its part for it.
  add_dependencies(op2lazy-petsc op2lazy-${mpi})
  list(APPEND OP2_MODULES op2lazy-petsc)
  # for programs that are compiled by a command of their own
  set(OP2_PETSC_WORDS ${PETSC_LINK_LIBRARIES} ${MPI_${mpi}_LDFLAGS})
  foreach(folder ${PETSC_INCLUDE_DIRS} ${MPI_${mpi}_INCLUDE_DIRS})
    list(PREPEND OP2_PETSC_WORDS -isystem ${folder})
  endforeach()
endforeach()
