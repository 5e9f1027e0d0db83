# Debian packages: `cpack` in the build folder (make deb).
#   libop2lazy0        the library, its compiler, HDF5 for one process
#   libop2lazy0-<mpi>  ranks: modules for this MPI library
#   libop2lazy0-petsc  matrices and solvers of PETSc
#   libop2lazy-dev     headers, op2cc, CMake and pkg-config files, the Python module
#   op2lazy-tools      op2-run, op2-opt, ...
#   op2lazy-mesh       op2-mesh
# What the files link to is asked of dpkg-shlibdeps; what is opened or run by name is
# said here. The version is the project's.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME op2lazy)
set(CPACK_PACKAGE_VENDOR "op2lazy authors")
set(CPACK_PACKAGE_CONTACT "op2lazy authors <authors@op2lazy.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${OP2_COMPONENTS})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# op2_deb(<component> <package> <section> <"depends"> <line of description>)
function(op2_deb component package section depends line)
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${COMPONENT}_DESCRIPTION "${PROJECT_DESCRIPTION}: ${line}"
      PARENT_SCOPE)
endfunction()

set(library libop2lazy${PROJECT_VERSION_MAJOR})
set(same "(= ${PROJECT_VERSION})")
op2_deb(library ${library} libs "" "the library")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "clang-19, pocl-opencl-icd")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
foreach(mpi openmpi mpich)
  op2_deb(${mpi} ${library}-${mpi} libs "${library} ${same}" "ranks through ${mpi}")
endforeach()
op2_deb(petsc ${library}-petsc libs "${library} ${same}" "solvers of PETSc")
op2_deb(dev libop2lazy-dev libdevel "${library} ${same}, clang-19, libc6-dev"
        "headers and op2cc")
op2_deb(tools op2lazy-tools devel "${library} ${same}" "tools")
op2_deb(mesh op2lazy-mesh devel "${library} ${same}" "meshes from Gmsh")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE RENAME copyright COMPONENT library
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${library})
include(CPack)
