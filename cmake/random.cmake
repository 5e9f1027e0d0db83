# test/random: random programs. All but the kernels is compiled once, by the plain
# compiler; the kernels by op2cc (random_programs) and plainly
# (random_programs_opaque), one object for each group of types, so that a region
# parses little bitcode.
file(GLOB sources CONFIGURE_DEPENDS test/random/*.c)
list(FILTER sources EXCLUDE REGEX "/(kernels|peeks)\\.c$")
add_library(random_core STATIC ${sources})
target_include_directories(random_core PRIVATE ${CMAKE_SOURCE_DIR}/include)
# peeks.c alone reads dat->data with no call before it, in modes for that.
target_compile_definitions(random_core PRIVATE OP2_CALLS_ONLY)
# The interpreter computes as C says: no contraction.
set_source_files_properties(test/random/ref.c PROPERTIES
  COMPILE_OPTIONS "-O2;-ffp-contract=off")

function(random_kernels variable tag)
  set(sanitize ${OP2_IR_SANITIZE_FLAGS})
  if(tag STREQUAL opaque)
    set(sanitize ${OP2_SANITIZE_FLAGS})
  endif()
  foreach(group i d f u l L s c C b r q x y z j)
    set(object ${CMAKE_BINARY_DIR}/test/random/${tag}_${group}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory
              ${CMAKE_BINARY_DIR}/test/random
      COMMAND ${ARGN} -std=gnu11 -O2 ${sanitize} -DGROUP=${group}
              -DGROUP_${group} -DOP2_CALLS_ONLY -I${CMAKE_SOURCE_DIR}/include
              -c ${CMAKE_SOURCE_DIR}/test/random/kernels.c -o ${object}
      DEPENDS test/random/kernels.c test/random/kernels.def
              test/random/user_kernels.def test/random/user_types.def
              test/random/kernels.h test/random/names.h $<$<STREQUAL:${tag},ir>:op2cc>
      COMMENT "Kernels test/random ${tag} ${group}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(object ${CMAKE_BINARY_DIR}/test/random/${tag}_peeks.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${ARGN} -std=gnu11 -O2 -w ${sanitize} -DOP2_CALLS_ONLY
            -I${CMAKE_SOURCE_DIR}/include
            -c ${CMAKE_SOURCE_DIR}/test/random/peeks.c -o ${object}
    DEPENDS test/random/peeks.c test/random/peeks.h
            $<$<STREQUAL:${tag},ir>:op2cc>
    COMMENT "Peeks test/random ${tag}" VERBATIM)
  list(APPEND objects ${object})
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()

function(random_executable target tag)
  random_kernels(objects ${tag} ${ARGN})
  add_executable(${target} ${objects})
  target_link_libraries(${target} PRIVATE random_core op2lazy m)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/random)
endfunction()

random_executable(random_programs_opaque opaque ${CMAKE_C_COMPILER})
if(TARGET op2cc)
  random_executable(random_programs ir $<TARGET_FILE:op2cc>)
endif()
