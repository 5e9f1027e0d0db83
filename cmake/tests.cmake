# test/unit/test_*.c: one Criterion program each. test/programs/*: whole programs
# against the API, each twice: kernels with IR and (suffix _opaque) without.
if(CRITERION_INCLUDE_DIR AND CRITERION_LIBRARY)
  # A CUDA driver without a GPU, under the driver's name
  add_library(mock_cuda SHARED test/mock/libcuda.c)
  set_target_properties(mock_cuda PROPERTIES
    OUTPUT_NAME cuda VERSION 1 SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/mock)
  file(GLOB sources CONFIGURE_DEPENDS test/unit/test_*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} SYSTEM PRIVATE
                               ${CRITERION_INCLUDE_DIR})
    target_compile_definitions(${name} PRIVATE
      OP2_SOURCE_DIR="${CMAKE_SOURCE_DIR}" OP2_BUILD_DIR="${CMAKE_BINARY_DIR}")
    target_link_libraries(${name} PRIVATE op2core ${CRITERION_LIBRARY})
    # the weak reference of lower/module.c alone takes nothing from the archive
    target_link_options(${name} PRIVATE -Wl,--undefined=op2_low_llvm)
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit)
    add_test(NAME ${name} COMMAND ${name})
    list(APPEND OP2_UNIT_TESTS ${name})
  endforeach()
endif()

file(GLOB sources CONFIGURE_DEPENDS test/programs/*.c test/programs/*.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  op2_add_program(${name}_opaque ${source} PLAIN)
  if(TARGET op2cc)
    op2_add_program(${name} ${source})
  endif()
  list(APPEND OP2_PROGRAMS ${name})
endforeach()
# test/cache: programs that are started again and again, by test/cache/run.sh
foreach(name start changed)
  op2_add_program(${name}_opaque test/cache/${name}.c PLAIN)
  if(TARGET op2cc)
    op2_add_program(${name} test/cache/${name}.c)
  endif()
endforeach()
include(random) # test/random: random programs

# libFuzzer on the trace IR: its sources once more, with coverage counted.
if(CMAKE_C_COMPILER_ID STREQUAL Clang AND OP2_SANITIZE MATCHES address)
  file(GLOB sources CONFIGURE_DEPENDS base/*.c ir/*.c passes/*.c)
  add_executable(fuzz_ir test/fuzz/fuzz_ir.c ${sources})
  target_include_directories(fuzz_ir SYSTEM PRIVATE ${JUDY_INCLUDE_DIR})
  target_link_libraries(fuzz_ir PRIVATE op2_needs)
  target_compile_options(fuzz_ir PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(fuzz_ir PRIVATE -fsanitize=fuzzer)
endif()
