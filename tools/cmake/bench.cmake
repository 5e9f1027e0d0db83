# bench/<folder>/ is one benchmark. Sources that have a header of their own name
# (meshes, references) are parts, which each program may use, as bench/*.c; every
# other source is a program.
#
#   <name>.c, .cpp     against the API, in both builds as in test/programs
#   <name>_ref.c       knows nothing of the library; in two flag sets: those that
#                      OP2's users take, and (suffix _jit) those of this library's
#                      code generator, so that a gain of flags is not taken for
#                      ours. By clang as the kernels are; needs its OpenMP.
#   <name>_petsc.c     against PETSc; knows nothing of the library. By clang with the
#                      flags of the code generator, where PETSc is found.
#   <name>_limit.c     a bound written by hand; knows nothing of the library, either.
#                      By clang with the flags of the code generator, and (suffix
#                      _plain) by the project's own compiler with its flags.
#   mkmesh.c           a plain program
#
# OP2_PARTS_OF_<folder> names folders whose parts are used as well.
#
# Under OP2's flags sqrt may set errno, so that `omp simd` over it has no effect:
# part of what is measured, no warning.
set(OP2_REF_FLAGS -std=gnu11 -O3 -march=native -fopenmp -Wall -Wextra
    -Wno-pass-failed)
set(OP2_REF_JIT_FLAGS ${OP2_REF_FLAGS} -fno-math-errno -fno-trapping-math
    -ffp-contract=on -mprefer-vector-width=512)
set(OP2_PARTS_OF_limit airfoil)
set(OP2_PARTS_OF_chebyshev euler)
find_library(OP2_LIBOMP omp HINTS ${LLVM_LIB_DIR})

# Behind the flags: more words for the compiler.
function(op2_add_reference target program parts flags)
  get_filename_component(folder ${program} DIRECTORY)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
  set(out ${CMAKE_BINARY_DIR}/${folder}/${target})
  file(GLOB headers CONFIGURE_DEPENDS bench/*.h ${folder}/*.h)
  foreach(part ${parts})
    get_filename_component(from ${part} DIRECTORY)
    file(GLOB more CONFIGURE_DEPENDS ${from}/*.h)
    list(APPEND headers ${more})
  endforeach()
  list(REMOVE_DUPLICATES headers)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/${folder}
    COMMAND ${OP2_CLANG} ${flags} -I${CMAKE_SOURCE_DIR} ${program} ${parts}
            -o ${out} ${ARGN} -lm
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
  foreach(other ${OP2_PARTS_OF_${name}})
    file(GLOB sources CONFIGURE_DEPENDS bench/${other}/*.c)
    foreach(source ${sources})
      string(REGEX REPLACE "c$" "h" header ${source})
      if(EXISTS ${header})
        list(APPEND parts ${source})
      endif()
    endforeach()
  endforeach()
  add_library(bench_${name} STATIC EXCLUDE_FROM_ALL ${parts})
  target_include_directories(bench_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(bench_${name} PUBLIC OpenMP::OpenMP_C m)
  # references ask for vectors, which unoptimised builds cannot give
  target_compile_options(bench_${name} PRIVATE
                         $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
  # gcc tells of every vector argument that older ones passed it otherwise
  target_compile_options(bench_${name} PRIVATE
                         $<$<C_COMPILER_ID:GNU>:-Wno-psabi>)
  foreach(program ${programs})
    op2_add_bench_program(${program} bench_${name} "${parts}")
  endforeach()
  set(OP2_BENCHMARKS ${OP2_BENCHMARKS} ${name} PARENT_SCOPE)
endfunction()

# A program of the project's own compiler.
function(op2_add_plain_program target program support)
  add_executable(${target} ${program})
  target_link_libraries(${target} PRIVATE ${support})
  get_filename_component(folder ${program} DIRECTORY)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
  if(NOT OP2_TESTS)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  add_dependencies(benchmarks ${target})
endfunction()

function(op2_add_bench_program program support parts)
  get_filename_component(name ${program} NAME_WE)
  if(name STREQUAL mkmesh)
    op2_add_plain_program(${name} ${program} ${support})
  elseif(name MATCHES "_limit$")
    op2_add_plain_program(${name}_plain ${program} ${support})
    if(OP2_LIBOMP)
      op2_add_reference(${name} ${program} "${parts}" "${OP2_REF_JIT_FLAGS}")
    endif()
  elseif(name MATCHES "_petsc$")
    if(OP2_LIBOMP AND TARGET op2lazy-petsc)
      op2_add_reference(${name} ${program} "${parts}" "${OP2_REF_JIT_FLAGS}"
                        ${OP2_PETSC_WORDS})
    endif()
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
  if(IS_DIRECTORY ${folder} AND NOT folder MATCHES "__pycache__")
    op2_add_benchmark(${folder})
  endif()
endforeach()
