# test/random: random programs. All but the kernels and what these call is compiled
# once, by the plain compiler; the kernels by op2cc (random_programs), plainly
# (random_programs_opaque), or some so and some so (random_programs_mixed), one object
# for each group of types, so that a region parses little bitcode.
file(GLOB sources CONFIGURE_DEPENDS test/random/*.c)
list(FILTER sources EXCLUDE REGEX "/(kernels|peeks|far)\\.c$")
add_library(random_core STATIC ${sources})
target_include_directories(random_core PRIVATE ${CMAKE_SOURCE_DIR}/include)
# peeks.c alone reads dat->data with no call before it, in modes for that.
target_compile_definitions(random_core PRIVATE OP2_CALLS_ONLY)
# The interpreter computes as C says: no contraction.
set_source_files_properties(test/random/ref.c PROPERTIES
  COMPILE_OPTIONS "-O2;-ffp-contract=off")

# One object: its name, its source, ir or plain, then flags. Its path goes into
# `object` of the caller.
function(random_object name source how)
  set(object ${CMAKE_BINARY_DIR}/test/random/${name}.o)
  set(compiler ${CMAKE_C_COMPILER} ${OP2_SANITIZE_FLAGS})
  set(tool)
  set(plain 1)
  if(how STREQUAL ir)
    set(compiler $<TARGET_FILE:op2cc> ${OP2_IR_SANITIZE_FLAGS})
    set(tool op2cc)
    set(plain 0)
  endif()
  file(GLOB headers CONFIGURE_DEPENDS test/random/*.def test/random/*.h)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/test/random
    COMMAND ${compiler} -std=gnu11 -O2 ${ARGN} -DPLAIN=${plain} -I${CMAKE_SOURCE_DIR}/include
            -c ${CMAKE_SOURCE_DIR}/test/random/${source} -o ${object}
    DEPENDS test/random/${source} ${headers} ${tool}
    COMMENT "Random programs ${name}" VERBATIM)
  set(object ${object} PARENT_SCOPE)
endfunction()

# tag: ir, opaque, or mixed, where every second object is plain, and so is peeks.c,
# which says so to the library.
function(random_executable target tag)
  set(how ir)
  if(tag STREQUAL opaque)
    set(how plain)
  endif()
  set(promise -DOP2_CALLS_ONLY)
  foreach(group i d f u l L s c C b r q x y z j h)
    random_object(${tag}_${group} kernels.c ${how} -DGROUP=${group}
      -DGROUP_${group} ${promise})
    list(APPEND objects ${object})
    if(tag STREQUAL mixed)
      string(REPLACE ${how} "" how "irplain")
    endif()
  endforeach()
  foreach(file 1 2)
    random_object(${tag}_far${file} far.c ${how} -DFAR_FILE=${file})
    list(APPEND objects ${object})
    if(tag STREQUAL mixed)
      string(REPLACE ${how} "" how "irplain")
    endif()
  endforeach()
  if(tag STREQUAL mixed)
    set(how plain)
    set(promise)
  endif()
  random_object(${tag}_peeks peeks.c ${how} -w ${promise})
  add_executable(${target} ${objects} ${object})
  target_link_libraries(${target} PRIVATE random_core op2lazy m)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/random)
endfunction()

random_executable(random_programs_opaque opaque)
if(TARGET op2cc)
  random_executable(random_programs ir)
  random_executable(random_programs_mixed mixed)
endif()
