# All layers, compiled once: as a static library for tests and tools, which reach
# inside, and as the shared library that programs link. Which layer may include
# which is checked by tools/layers.sh, not by the build.
file(GLOB OP2_SOURCES CONFIGURE_DEPENDS
     base/*.c ir/*.c passes/*.c rt/*.c lower/*.c frontend/*.c)
file(GLOB OP2_HEADERS CONFIGURE_DEPENDS include/*.h)

# What compiling and linking any of it takes.
add_library(op2_needs INTERFACE)
target_include_directories(op2_needs INTERFACE ${CMAKE_SOURCE_DIR}
                           ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(op2_needs INTERFACE
  _GNU_SOURCE OP2_VERSION="${PROJECT_VERSION}" OP2_CLANG="${OP2_CLANG}")
target_link_libraries(op2_needs INTERFACE OpenMP::OpenMP_C op2_llvm
  ${JUDY_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} m)

add_library(op2objects OBJECT ${OP2_SOURCES})
target_include_directories(op2objects SYSTEM PRIVATE ${JUDY_INCLUDE_DIR})
target_link_libraries(op2objects PRIVATE op2_needs)
add_library(op2core STATIC $<TARGET_OBJECTS:op2objects>)
target_link_libraries(op2core PUBLIC op2_needs)

# The version script hides everything that is not the API.
set(OP2_EXPORTS ${CMAKE_SOURCE_DIR}/frontend/exports.map)
add_library(op2lazy SHARED $<TARGET_OBJECTS:op2objects>)
set_target_properties(op2lazy PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(op2lazy PRIVATE op2_needs)
target_include_directories(op2lazy INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/op2lazy>)
if(EXISTS ${OP2_EXPORTS})
  target_link_options(op2lazy PRIVATE
                      -Wl,--version-script=${OP2_EXPORTS})
  set_target_properties(op2lazy PROPERTIES LINK_DEPENDS ${OP2_EXPORTS})
endif()
