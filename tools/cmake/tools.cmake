# tools/<name>.c is the program <name>. op2c++ is op2cc under another name: it
# looks at argv[0], as mpicc does.
file(GLOB sources CONFIGURE_DEPENDS tools/*.c)
if(NOT GMSH_LIBRARY)
  list(FILTER sources EXCLUDE REGEX "op2-mesh.c$")
endif()
file(GLOB replay CONFIGURE_DEPENDS tools/replay/*.c tools/emit/*.c)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  if(name STREQUAL op2-docs) # tables only; not installed
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  else()
    target_link_libraries(${name} PRIVATE op2core)
    list(APPEND OP2_TOOLS ${name})
  endif()
endforeach()

if(TARGET op2-run)
  target_sources(op2-run PRIVATE ${replay})
endif()
if(TARGET op2-mesh)
  file(GLOB mesh CONFIGURE_DEPENDS tools/mesh/*.c)
  target_sources(op2-mesh PRIVATE ${mesh})
  target_include_directories(op2-mesh SYSTEM PRIVATE ${GMSH_INCLUDE_DIR})
  target_link_libraries(op2-mesh PRIVATE ${GMSH_LIBRARY})
endif()
if(TARGET op2-view) # its page is in the program
  file(GLOB view CONFIGURE_DEPENDS tools/view/*.c)
  file(GLOB scripts CONFIGURE_DEPENDS tools/view/*.js)
  list(JOIN scripts "," script_list)
  set(page ${CMAKE_BINARY_DIR}/view_page.c)
  set(view_dir ${CMAKE_SOURCE_DIR}/tools/view)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DOUT=${page} "-DNAMES=html;css;js"
            -Dhtml=${view_dir}/page.html -Dcss=${view_dir}/page.css
            -Djs=${script_list} -P ${CMAKE_SOURCE_DIR}/tools/cmake/embed.cmake
    DEPENDS ${view_dir}/page.html ${view_dir}/page.css ${scripts}
            tools/cmake/embed.cmake
    VERBATIM)
  target_sources(op2-view PRIVATE ${view} ${page})
endif()
if(TARGET op2cc)
  file(GLOB cc CONFIGURE_DEPENDS tools/cc/*.c)
  target_sources(op2cc PRIVATE ${cc})
  # where the library lies, seen from bin/ of whatever prefix
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
             BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
             OUTPUT_VARIABLE to_include)
  target_compile_definitions(op2cc PRIVATE
    OP2_SOURCE_INCLUDE="${CMAKE_SOURCE_DIR}/include"
    OP2_BIN_TO_INCLUDE="${to_include}/op2lazy")
  set(OP2CC ${CMAKE_BINARY_DIR}/op2cc)
  set(OP2CXX ${CMAKE_BINARY_DIR}/op2c++)
  add_custom_command(TARGET op2cc POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink op2cc ${OP2CXX}
    BYPRODUCTS ${OP2CXX} VERBATIM)
endif()
