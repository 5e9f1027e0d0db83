# RelWithDebInfo is -O2 -g without asserts, what a program should run with. Debug
# has asserts, the verifier after each pass and the check of every plan; it is
# what the tests run. (The C dialect is gnu11, for MAP_ANONYMOUS, madvise and
# asprintf; nothing else of GNU C is used.)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")

# Symbols that are not exported are still interposable in a shared library
# unless the compiler is told otherwise; then it may inline them.
add_compile_options(-Wall -Wextra -fno-semantic-interposition
                    -ffp-contract=off)
# gcc cannot see that an out parameter is set whenever a status from another file
# is OK; what is really not set, clang's analyser finds (make tidy).
add_compile_options($<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
add_link_options(-Wl,--as-needed)

if(OP2_SANITIZE)
  set(OP2_SANITIZE_FLAGS -fsanitize=${OP2_SANITIZE} -fno-omit-frame-pointer)
  if(OP2_SANITIZE MATCHES undefined)
    list(APPEND OP2_SANITIZE_FLAGS -fno-sanitize-recover=undefined)
    if(CMAKE_C_COMPILER_ID STREQUAL Clang)
      # reads the words before a called function, where JIT code may have no page
      list(APPEND OP2_SANITIZE_FLAGS -fno-sanitize=function)
    endif()
  endif()
  add_compile_options(${OP2_SANITIZE_FLAGS})
  add_link_options(${OP2_SANITIZE_FLAGS})
endif()
