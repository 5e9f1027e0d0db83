# op2_add_program(<target> <source> [PLAIN] [LIBRARY <target>] [MORE <source>...])
#
# A program as a user compiles it: through op2cc (op2c++ for C++), so that its
# kernels carry their IR; with PLAIN through the plain compiler, so that they
# are opaque. One command a program, outside CMake's own compiler handling,
# because the compiler is itself a product of this build. LIBRARY is a static
# library of the program's own, MORE its other files.
separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
set(OP2_PROGRAM_FLAGS -O2 -g -Wall -Wextra ${flags})
# Checks that clang itself puts into a kernel are side effects, so that its loops
# would no longer wait: programs of op2cc get the address sanitizer only.
set(OP2_IR_SANITIZE_FLAGS ${OP2_SANITIZE_FLAGS})
list(TRANSFORM OP2_IR_SANITIZE_FLAGS REPLACE "address,undefined" "address")
file(GLOB OP2_PROGRAM_HEADERS CONFIGURE_DEPENDS
     include/*.h bench/*.h bench/*/*.h bench/*/*.hpp test/fields/*.h test/mpi/*.h
     test/programs/*.h)

function(op2_add_program target source)
  cmake_parse_arguments(arg "PLAIN" "LIBRARY" "MORE" ${ARGN})
  get_filename_component(path ${source} ABSOLUTE)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_SOURCE_DIR}
             OUTPUT_VARIABLE relative)
  get_filename_component(folder ${relative} DIRECTORY)
  set(out ${CMAKE_BINARY_DIR}/${folder}/${target})
  op2_program_compiler(compiler ${path} "${arg_PLAIN}")
  set(flags ${OP2_PROGRAM_FLAGS} ${OP2_IR_SANITIZE_FLAGS})
  if(arg_PLAIN)
    set(flags ${OP2_PROGRAM_FLAGS} ${OP2_SANITIZE_FLAGS})
  endif()
  if(arg_LIBRARY)
    set(library $<TARGET_FILE:${arg_LIBRARY}>)
  endif()
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/${folder}
    COMMAND ${compiler} ${flags} -I${CMAKE_SOURCE_DIR}
            -I${CMAKE_SOURCE_DIR}/include ${path} ${arg_MORE} -o ${out} ${library}
            $<TARGET_FILE:op2lazy> -Wl,-rpath,$<TARGET_FILE_DIR:op2lazy>
            -lm
    DEPENDS ${path} ${arg_MORE} op2lazy ${OP2_MODULES} ${OP2_PROGRAM_HEADERS} ${arg_LIBRARY}
            $<$<NOT:$<BOOL:${arg_PLAIN}>>:op2cc>
    COMMENT "Program ${folder}/${target}" VERBATIM)
  add_custom_target(program_${target} ${OP2_ALL} DEPENDS ${out})
endfunction()

function(op2_program_compiler variable source plain)
  if(source MATCHES "\\.cpp$")
    set(choice ${OP2CXX} ${CMAKE_CXX_COMPILER} -std=gnu++17)
  else()
    set(choice ${OP2CC} ${CMAKE_C_COMPILER} -std=gnu11)
  endif()
  list(GET choice -1 standard)
  if(plain)
    list(GET choice -2 compiler)
  else()
    list(GET choice 0 compiler)
  endif()
  set(${variable} ${compiler} ${standard} PARENT_SCOPE)
endfunction()
