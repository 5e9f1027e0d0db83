# All layers, compiled once: as a static library for tests and tools, which reach
# inside, and as the shared library that programs link. What needs LLVM is a shared
# object of its own, which the library opens when something has to be compiled
# (lower/module.h), and so is what needs HDF5 (rt/io/io.h). Which layer may include
# which is checked by tools/layers.sh, not by the build.
file(GLOB OP2_BASE_SOURCES CONFIGURE_DEPENDS base/*.c)
file(GLOB OP2_SOURCES CONFIGURE_DEPENDS
     ir/*.c passes/*.c rt/*.c rt/store/*.c rt/mesh/*.c
     rt/walk/*.c rt/device/*.c rt/ranks/*.c rt/io/*.c lower/*.c frontend/*.c)
file(GLOB OP2_LLVM_SOURCES CONFIGURE_DEPENDS lower/llvm/*.c lower/llvm/*.cpp)
file(GLOB OP2_HEADERS CONFIGURE_DEPENDS include/*.h)

# Where the library lies, seen from the folder of tools, in whatever prefix.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
           BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
           OUTPUT_VARIABLE OP2_BIN_TO_LIB)

# What compiling and linking any of it takes.
add_library(op2_needs INTERFACE)
target_include_directories(op2_needs INTERFACE ${CMAKE_SOURCE_DIR}
                           ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(op2_needs INTERFACE
  _GNU_SOURCE OP2_CALLS_ONLY OP2_VERSION="${PROJECT_VERSION}" OP2_CLANG="${OP2_CLANG}"
  OP2_LLVM_VERSION="${LLVM_VERSION}" OP2_LLVM_LIBRARY="${LLVM_LIBRARY}"
  OP2_BIN_TO_LIB="${OP2_BIN_TO_LIB}")
target_link_libraries(op2_needs INTERFACE OpenMP::OpenMP_C ${JUDY_LIBRARY}
                      Threads::Threads ${CMAKE_DL_LIBS} m)

add_library(op2base OBJECT ${OP2_BASE_SOURCES})
target_include_directories(op2base SYSTEM PRIVATE ${JUDY_INCLUDE_DIR})
target_link_libraries(op2base PRIVATE op2_needs)
# What code that was made before was made by and is run by (lower/entry.c): the
# digest of these layers' sources.
file(GLOB_RECURSE code_sources CONFIGURE_DEPENDS
     base/*.[ch] base/*.def ir/*.[ch] ir/*.def rt/*.[ch] lower/*.[ch] lower/*.cpp
     include/op2_blob.h)
set(code_list ${CMAKE_BINARY_DIR}/code_sources.txt)
list(JOIN code_sources "\n" code_lines)
file(CONFIGURE OUTPUT ${code_list} CONTENT "${code_lines}\n")
set(code_id ${CMAKE_BINARY_DIR}/code_id.c)
add_custom_command(OUTPUT ${code_id}
  COMMAND ${CMAKE_COMMAND} -DOUT=${code_id} -DLIST=${code_list}
          -P ${CMAKE_SOURCE_DIR}/tools/cmake/code_id.cmake
  DEPENDS ${code_sources} ${code_list} tools/cmake/code_id.cmake
  COMMENT "Digest of what makes code" VERBATIM)
add_library(op2objects OBJECT ${OP2_SOURCES} ${code_id})
target_link_libraries(op2objects PRIVATE op2_needs)
# What it measures is the machine, not the build: optimised always, and its loops
# as they stand there.
set_source_files_properties(rt/speed.c PROPERTIES COMPILE_OPTIONS
  "-O2;-ffp-contract=fast;-fno-tree-vectorize;-fno-tree-slp-vectorize")
add_library(op2llvm OBJECT ${OP2_LLVM_SOURCES})
# LLVM may be built without type information, and C programs lack what checks it.
set_source_files_properties(lower/llvm/object.cpp lower/llvm/blob_types.cpp
                            lower/llvm/rescue.cpp lower/llvm/unroll.cpp
                            PROPERTIES
                            COMPILE_OPTIONS -fno-rtti)
target_link_libraries(op2llvm PRIVATE op2_needs op2_llvm)

add_library(op2core STATIC $<TARGET_OBJECTS:op2base>
            $<TARGET_OBJECTS:op2objects> $<TARGET_OBJECTS:op2llvm>)
target_link_libraries(op2core PUBLIC op2_needs op2_llvm)

# op2_add_shared(<target> <version script> <object library ...>): hides everything
# that the script does not name; all that it needs must be there.
function(op2_add_shared target kind exports)
  foreach(objects ${ARGN})
    list(APPEND sources $<TARGET_OBJECTS:${objects}>)
  endforeach()
  add_library(${target} ${kind} ${sources})
  target_link_libraries(${target} PRIVATE op2_needs)
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${exports})
  if(NOT OP2_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
endfunction()

op2_add_shared(op2lazy SHARED ${CMAKE_SOURCE_DIR}/frontend/exports.map
               op2base op2objects)
set_target_properties(op2lazy PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_include_directories(op2lazy INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/op2lazy>)

op2_add_shared(op2lazy-llvm MODULE ${CMAKE_SOURCE_DIR}/lower/llvm/exports.map
               op2base op2llvm)
target_link_libraries(op2lazy-llvm PRIVATE op2_llvm)

set(OP2_MODULES op2lazy-llvm)
