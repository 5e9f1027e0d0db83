# What the library stands on. All of it is in Debian 12; tools/install-deps.sh
# installs it.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)

# libLLVM is named by its path in the system's library folder: LLVM's own folder
# holds a libgomp.so that is libomp in disguise, which `-L` would find first.
set(OP2_LLVM_MAJOR 19)
find_program(LLVM_CONFIG NAMES llvm-config-${OP2_LLVM_MAJOR} llvm-config)
if(NOT LLVM_CONFIG)
  message(FATAL_ERROR "op2lazy needs LLVM ${OP2_LLVM_MAJOR}, found none "
    "(Debian: llvm-${OP2_LLVM_MAJOR}-dev clang-${OP2_LLVM_MAJOR}; elsewhere "
    "-DLLVM_CONFIG=/path/to/llvm-config)")
endif()
function(op2_llvm_config variable option)
  execute_process(COMMAND ${LLVM_CONFIG} ${option} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} ${text} PARENT_SCOPE)
endfunction()
op2_llvm_config(LLVM_VERSION --version)
# IR, passes and C API differ between versions; no other one passes the tests.
# What was found is forgotten, so that the next run finds what is installed then.
if(NOT LLVM_VERSION MATCHES "^${OP2_LLVM_MAJOR}\\.")
  set(refused ${LLVM_CONFIG})
  unset(LLVM_CONFIG CACHE)
  message(FATAL_ERROR "op2lazy needs LLVM ${OP2_LLVM_MAJOR}, found ${LLVM_VERSION} "
    "(${refused}); another one: -DLLVM_CONFIG=/path/to/llvm-config")
endif()
op2_llvm_config(LLVM_INCLUDE_DIR --includedir)
op2_llvm_config(LLVM_LIB_DIR --libdir)
op2_llvm_config(LLVM_BIN_DIR --bindir)
find_library(LLVM_LIBRARY NAMES LLVM-19 libLLVM.so.19.1
             HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
             PATHS ${LLVM_LIB_DIR} REQUIRED)
find_program(OP2_CLANG NAMES clang-19 clang HINTS ${LLVM_BIN_DIR} REQUIRED)

find_path(JUDY_INCLUDE_DIR Judy.h REQUIRED)
find_library(JUDY_LIBRARY Judy REQUIRED)

find_path(CRITERION_INCLUDE_DIR criterion/criterion.h)
find_library(CRITERION_LIBRARY criterion)

find_path(GMSH_INCLUDE_DIR gmshc.h) # for op2-mesh alone
find_library(GMSH_LIBRARY gmsh)
if(NOT GMSH_INCLUDE_DIR)
  unset(GMSH_LIBRARY CACHE)
endif()

add_library(op2_llvm INTERFACE)
target_include_directories(op2_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIR})
target_link_libraries(op2_llvm INTERFACE ${LLVM_LIBRARY})
