# bench/<folder>/ is one benchmark. Sources that have a header of their own name
# (meshes, references) are parts, which each program may use, as bench/*.c; every
# other source is a program.
#
#   <name>.c, .cpp     against the API, in both builds as in test/programs
#   <name>_ref.c       knows nothing of the library; in two flag sets: those that
#                      OP2's users take, and (suffix _jit) those of this library's
#                      code generator, so that a gain of flags is not taken for
#                      ours. By clang as the kernels are; needs its OpenMP.
#   mkmesh.c           a plain program
#
# Under OP2's flags sqrt may set errno, so that `omp simd` over it has no effect:
# part of what is measured, no warning.
set(OP2_REF_FLAGS -std=gnu11 -O3 -march=native -fopenmp -Wall -Wextra
    -Wno-pass-failed)
set(OP2_REF_JIT_FLAGS ${OP2_REF_FLAGS} -fno-math-errno -fno-trapping-math
    -ffp-contract=on -mprefer-vector-width=512)
find_library(OP2_LIBOMP omp HINTS ${LLVM_LIB_DIR})

function(op2_add_reference target program parts flags)
  get_filename_component(folder ${program} DIRECTORY)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
  set(out ${CMAKE_BINARY_DIR}/${folder}/${target})
  file(GLOB headers CONFIGURE_DEPENDS bench/*.h ${folder}/*.h)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/${folder}
    COMMAND ${OP2_CLANG} ${flags} -I${CMAKE_SOURCE_DIR} ${program} ${parts}
            -o ${out} -lm
    DEPENDS ${program} ${parts} ${headers}
    COMMENT "Reference ${folder}/${target}" VERBATIM)
  add_custom_target(program_${target} ${OP2_ALL} DEPENDS ${out})
  add_dependencies(benchmarks program_${target})
endfunction()

function(op2_add_benchmark folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.cpp)
  file(GLOB parts CONFIGURE_DEPENDS bench/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    if(EXISTS ${folder}/${name}.h)
      list(APPEND parts ${source})
    else()
      list(APPEND programs ${source})
    endif()
  endforeach()
  get_filename_component(name ${folder} NAME)
  add_library(bench_${name} STATIC EXCLUDE_FROM_ALL ${parts})
  target_include_directories(bench_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(bench_${name} PUBLIC OpenMP::OpenMP_C m)
  # references ask for vectors, which unoptimised builds cannot give
  target_compile_options(bench_${name} PRIVATE
                         $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
  foreach(program ${programs})
    op2_add_bench_program(${program} bench_${name} "${parts}")
  endforeach()
  set(OP2_BENCHMARKS ${OP2_BENCHMARKS} ${name} PARENT_SCOPE)
endfunction()

function(op2_add_bench_program program support parts)
  get_filename_component(name ${program} NAME_WE)
  if(name STREQUAL mkmesh)
    add_executable(${name} ${program})
    target_link_libraries(${name} PRIVATE ${support})
    get_filename_component(folder ${program} DIRECTORY)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
    if(NOT OP2_TESTS)
      set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    add_dependencies(benchmarks ${name})
  elseif(name MATCHES "_ref$")
    if(OP2_LIBOMP)
      op2_add_reference(${name} ${program} "${parts}" "${OP2_REF_FLAGS}")
      op2_add_reference(${name}_jit ${program} "${parts}"
                        "${OP2_REF_JIT_FLAGS}")
    endif()
  else()
    op2_add_program(${name}_opaque ${program} PLAIN LIBRARY ${support})
    add_dependencies(benchmarks program_${name}_opaque)
    if(TARGET op2cc)
      op2_add_program(${name} ${program} LIBRARY ${support})
      add_dependencies(benchmarks program_${name})
    endif()
  endif()
endfunction()

add_custom_target(benchmarks)
file(GLOB folders CONFIGURE_DEPENDS bench/*)
foreach(folder ${folders})
  if(IS_DIRECTORY ${folder})
    op2_add_benchmark(${folder})
  endif()
endforeach()
