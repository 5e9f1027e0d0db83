# test/unit/test_*.c: one Criterion program each. test/programs/*: whole programs
# against the API, each twice: kernels with IR and (suffix _opaque) without.
file(GLOB unit_tests CONFIGURE_DEPENDS test/unit/test_*.c)

# op2_unit_test(<target> <folder> <source> ...)
function(op2_unit_test target folder source)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${target} ${source} ${ARGN})
  target_compile_definitions(${target} PRIVATE
    OP2_SOURCE_DIR="${CMAKE_SOURCE_DIR}" OP2_BUILD_DIR="${CMAKE_BINARY_DIR}")
  target_link_libraries(${target} PRIVATE op2core)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/${folder})
endfunction()

if(CRITERION_INCLUDE_DIR AND CRITERION_LIBRARY)
  # A CUDA driver without a GPU, under the driver's name; an old one, too
  foreach(old "" /old)
    string(REPLACE / _ mock mock_cuda${old})
    add_library(${mock} SHARED test/mock/libcuda.c)
    set_target_properties(${mock} PROPERTIES
      OUTPUT_NAME cuda VERSION 1 SOVERSION 1
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/mock${old})
  endforeach()
  target_compile_definitions(mock_cuda_old PRIVATE MOCK_OLD)
  foreach(source ${unit_tests})
    get_filename_component(name ${source} NAME_WE)
    op2_unit_test(${name} unit ${source})
    # the weak reference of lower/module.c alone takes nothing from the archive
    target_link_options(${name} PRIVATE -Wl,--undefined=op2_low_llvm)
    target_include_directories(${name} SYSTEM PRIVATE
                               ${CRITERION_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE ${CRITERION_LIBRARY})
    add_test(NAME ${name} COMMAND ${name})
    list(APPEND OP2_UNIT_TESTS ${name})
  endforeach()
endif()

# The same with a small runner in Criterion's place, for valgrind and
# ThreadSanitizer (test/plain). Built when asked for: target plain_tests. Those that
# compile kernels are left out, and so is LLVM, which takes valgrind seconds to load;
# long random ones are for the address sanitizer.
add_custom_target(plain_tests)
add_library(plain_runner OBJECT EXCLUDE_FROM_ALL test/plain/plain.c)
target_include_directories(plain_runner PRIVATE test/plain)
list(FILTER unit_tests EXCLUDE REGEX "test_(kernel|lower|api_cells|api_lost|api_owed|api_profile|passes_random)")
foreach(source ${unit_tests})
  get_filename_component(name ${source} NAME_WE)
  op2_unit_test(plain_${name} plain ${source}
                $<TARGET_OBJECTS:plain_runner>)
  target_include_directories(plain_${name} PRIVATE test/plain)
  set_target_properties(plain_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(plain_tests plain_${name})
endforeach()

if(TARGET mock_cuda) # test_rt_cuda* open them
  add_dependencies(plain_tests mock_cuda mock_cuda_old)
endif()

# programs_ir: those that op2cc makes. Files more/NAME_*.c belong to NAME.
add_custom_target(programs_ir)
file(GLOB sources CONFIGURE_DEPENDS test/programs/*.c test/programs/*.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  file(GLOB more CONFIGURE_DEPENDS test/programs/more/${name}_*.c)
  op2_add_program(${name}_opaque ${source} PLAIN MORE ${more})
  if(TARGET op2cc)
    op2_add_program(${name} ${source} MORE ${more})
    add_dependencies(programs_ir program_${name})
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
if(TARGET op2cc)
  op2_add_program(many test/cache/many.c)
endif()
# test/mpi: programs whose ranks declare parts, for test/mpi/run.sh
if(OP2_MPI)
  file(GLOB sources CONFIGURE_DEPENDS test/mpi/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    op2_add_program(mpi_${name} ${source})
  endforeach()
endif()
# A program that has MPI linked itself
if(TARGET PkgConfig::MPI_openmpi)
  add_executable(own_mpi test/mpi/own/own_mpi.c)
  target_include_directories(own_mpi PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(own_mpi PRIVATE op2lazy PkgConfig::MPI_openmpi m)
  set_target_properties(own_mpi PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                           ${CMAKE_BINARY_DIR}/test/mpi)
endif()
# test/io: programs with files, for test/io/run.sh; foreign_files.c makes some by itself
if(TARGET op2lazy-hdf5)
  file(GLOB sources CONFIGURE_DEPENDS test/io/*.c)
  list(FILTER sources EXCLUDE REGEX "(foreign_files|kill_at).c$")
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    op2_add_program(${name}_opaque ${source} PLAIN)
    if(TARGET op2cc)
      op2_add_program(${name} ${source})
    endif()
  endforeach()
  add_executable(foreign_files test/io/foreign_files.c)
  target_include_directories(foreign_files SYSTEM PRIVATE ${HDF5_INCLUDE_DIR})
  target_link_libraries(foreign_files PRIVATE ${HDF5_LIBRARY})
  add_library(kill_at MODULE test/io/kill_at.c)
  target_compile_definitions(kill_at PRIVATE _GNU_SOURCE)
  target_link_libraries(kill_at PRIVATE ${CMAKE_DL_LIBS})
  if(OP2_SANITIZE) # it is preloaded into programs that have no sanitizer, too
    target_compile_options(kill_at PRIVATE -fno-sanitize=all)
    target_link_options(kill_at PRIVATE -fno-sanitize=all)
  endif()
  set_target_properties(foreign_files kill_at PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/io
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/io)
endif()
# test/fields: meshes in, pictures out, for test/fields/run.sh
if(TARGET op2lazy-hdf5)
  op2_add_program(pictures_opaque test/fields/pictures.c PLAIN)
  if(TARGET op2cc)
    op2_add_program(pictures test/fields/pictures.c)
  endif()
  add_executable(check_pictures test/fields/check_pictures.c)
  target_include_directories(check_pictures SYSTEM PRIVATE ${HDF5_INCLUDE_DIR})
  target_link_libraries(check_pictures PRIVATE ${HDF5_LIBRARY})
  set(helpers check_pictures)
  if(TARGET op2-mesh)
    op2_add_program(read_mesh_opaque test/fields/read_mesh.c PLAIN)
    if(TARGET op2cc)
      op2_add_program(read_mesh test/fields/read_mesh.c)
    endif()
    add_executable(make_mesh test/fields/make_mesh.c)
    target_link_libraries(make_mesh PRIVATE m)
    add_executable(binary_mesh test/fields/binary_mesh.c)
    target_include_directories(binary_mesh SYSTEM PRIVATE ${GMSH_INCLUDE_DIR})
    target_link_libraries(binary_mesh PRIVATE ${GMSH_LIBRARY})
    list(APPEND helpers make_mesh binary_mesh)
  endif()
  foreach(helper ${helpers})
    target_include_directories(${helper} PRIVATE ${CMAKE_SOURCE_DIR})
  endforeach()
  set_target_properties(${helpers} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/fields)
endif()
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

# Errors that sanitizers, and oclgrind on devices, must find.
if(TARGET op2cc)
  op2_add_program(planted test/sanitize/planted.c)
endif()
