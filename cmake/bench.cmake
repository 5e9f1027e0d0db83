# bench/<folder>/*: programs against the API in both builds, as test/programs.
# Sources named ref_*, *_ref.c and mkmesh.c know nothing of the library: plain
# compiler only; references in two flag sets, their own (-O3 -march=native) and
# the better one (suffix _fast), so that a gain of flags is not taken for ours.
set(OP2_REF_FLAGS -O3 -march=native -fopenmp)
set(OP2_REF_FAST ${OP2_REF_FLAGS} -fno-math-errno -fno-trapping-math
    -mprefer-vector-width=512)

function(op2_add_plain target source)
  add_executable(${target} ${source})
  target_compile_options(${target} PRIVATE ${ARGN})
  target_link_options(${target} PRIVATE ${ARGN})
  target_link_libraries(${target} PRIVATE m)
  get_filename_component(path ${source} ABSOLUTE)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_SOURCE_DIR}
             OUTPUT_VARIABLE relative)
  get_filename_component(folder ${relative} DIRECTORY)
  set_target_properties(${target} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
endfunction()

file(GLOB sources CONFIGURE_DEPENDS bench/*/*.c bench/*/*.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  if(name MATCHES "^ref_|_ref$")
    op2_add_plain(${name} ${source} ${OP2_REF_FLAGS})
    op2_add_plain(${name}_fast ${source} ${OP2_REF_FAST})
  elseif(name MATCHES "^mkmesh")
    op2_add_plain(${name} ${source} -O2)
  else()
    op2_add_program(${name}_opaque ${source} PLAIN)
    if(TARGET op2cc)
      op2_add_program(${name} ${source})
    endif()
  endif()
  list(APPEND OP2_BENCHMARKS ${name})
endforeach()
