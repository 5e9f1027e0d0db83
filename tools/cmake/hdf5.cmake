# HDF5: a shared object for one process, and one for each MPI library that HDF5 is
# installed for, from the same source (rt/hdf5/), which the library opens with the
# first file. Where HDF5 is missing, such files are errors.
file(GLOB OP2_HDF5_SOURCES CONFIGURE_DEPENDS rt/hdf5/*.c)

# op2_add_hdf5(<suffix of the target> <folder of headers> <names of the library>
#              [targets to link ...])
function(op2_add_hdf5 suffix folder names)
  find_path(HDF5${suffix}_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/${folder})
  find_library(HDF5${suffix}_LIBRARY NAMES ${names})
  if(NOT HDF5${suffix}_INCLUDE_DIR OR NOT HDF5${suffix}_LIBRARY)
    return()
  endif()
  add_library(op2hdf5${suffix} OBJECT ${OP2_HDF5_SOURCES})
  target_include_directories(op2hdf5${suffix} SYSTEM PRIVATE
                             ${HDF5${suffix}_INCLUDE_DIR})
  target_link_libraries(op2hdf5${suffix} PRIVATE op2_needs ${ARGN})
  op2_add_shared(op2lazy-hdf5${suffix} MODULE
                 ${CMAKE_SOURCE_DIR}/rt/hdf5/exports.map
                 op2base op2hdf5${suffix})
  target_link_libraries(op2lazy-hdf5${suffix} PRIVATE
                        ${HDF5${suffix}_LIBRARY} ${ARGN})
  set(OP2_MODULES ${OP2_MODULES} op2lazy-hdf5${suffix} PARENT_SCOPE)
endfunction()

op2_add_hdf5("" serial "hdf5_serial;hdf5")
foreach(mpi ${OP2_MPI})
  op2_add_hdf5(-${mpi} ${mpi} hdf5_${mpi} PkgConfig::MPI_${mpi})
endforeach()
