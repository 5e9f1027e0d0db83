#!/bin/sh
# The examples as a user builds them, from what is installed: by make and by CMake, on one
# rank and on three; doc/tutorial.md against examples/heat.
#   test/tools/example_test.sh <build>
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OP2_CACHE_DIR="$work/cache" OP2_LOG=0 OP2_REPRODUCIBLE=1
prefix=$work/usr
passed=0 failed=0 skipped=0

# try <what> <command ...>: passes if it succeeds
try() {
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $what:"
    tail -n 20 "$work/log"
  fi
}

# Each block of C of the tutorial stands in the program, word for word
tutorial() {
  awk 'NR == FNR { program = program $0 "\n"; next }
       /^```c$/ { inside = 1; block = ""; n++; next }
       /^```$/ && inside {
         inside = 0
         if (!index(program, block)) { print "not in heat.c:\n" block; bad = 1 }
         next
       }
       inside { block = block $0 "\n" }
       END { exit bad || n < 15 }' examples/heat/heat.c doc/tutorial.md
}
# What a run prints begins and ends as the tutorial says, and there are 7 pictures
ran() { # ran <folder> <command ...>
  (cd "$1" && shift && rm -f heat.vtkhdf heat.xdmf && "$@" | tee out) || return
  [ "$(sed -n '/^time/{p;q;}' "$1/out")" = "$(sed -n 's/^    \(time 0.000\)/\1/p' doc/tutorial.md)" ] &&
    [ "$(tail -n 1 "$1/out")" = "$(sed -n 's/^    \(time [1-9]\)/\1/p' doc/tutorial.md)" ] &&
    [ "$(grep -c '<Time Value' "$1/heat.xdmf")" = 7 ] && [ -s "$1/heat.vtkhdf" ]
}
told() { # op2-mesh says what the tutorial shows
  (cd "$work/make" && "$prefix/bin/op2-mesh" --normals plate.msh plate.h5) >"$work/told" &&
    sed -n '/^    plate.h5: from/,/^      \.\.\./p' doc/tutorial.md | sed '$d; s/^    //' |
    grep -vxFf "$work/told" && return 1
  return 0
}
by_make() {
  cp -r examples/heat "$work/make" &&
    ran "$work/make" env PATH="$prefix/bin:$PATH" make -s run
}
by_cmake() {
  cp -r examples/heat "$work/cmake" &&
    PATH=$prefix/bin:$PATH cmake -S "$work/cmake" -B "$work/cmake/build" \
      -DCMAKE_C_COMPILER="$prefix/bin/op2cc" -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build "$work/cmake/build" && ran "$work/cmake/build" ./heat
}
on_ranks() {
  ran "$work/make" mpirun.openmpi --oversubscribe -n 3 ./heat
}

# small <name> <last line>: an example of one file that needs no mesh
small() {
  name=$1 last=$2
  ends() { [ "$(tail -n 1)" = "$last" ]; }
  small_make() {
    cp -r "examples/$name" "$work/$name" &&
      (cd "$work/$name" && PATH="$prefix/bin:$PATH" make -s run) | tee "$work/out" | ends
  }
  small_cmake() {
    cmake -S "examples/$name" -B "$work/$name/build" -DCMAKE_C_COMPILER="$prefix/bin/op2cc" \
      -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/$name/build" &&
      "$work/$name/build/$name" | ends
  }
  small_eager() { OP2_EAGER=1 "$work/$name/$name" | ends; }
  small_ranks() {
    OP2_DECLARE=whole mpirun.openmpi --oversubscribe -n 3 "$work/$name/$name" | ends
  }
  try "$name by make" small_make
  try "$name by CMake" small_cmake
  try "$name, loop by loop" small_eager
  [ -z "$ranks" ] || try "$name on three ranks" small_ranks
}

try 'tutorial' tutorial
try 'install' cmake --install "$build" --prefix "$prefix"
ranks=
if [ -e "$build/libop2lazy-openmpi.so" ] && command -v mpirun.openmpi >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
  export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OP2_WAIT=nap
  ranks=yes
else
  echo "skipped: examples on ranks: no Open MPI"
  skipped=1
fi
small pagerank 'all ranks: 1.000000000; most, 0.003197, has page 1'
small shallow '10000 cells, 221 steps: volume 112.640000, highest 1.4873'
small multigrid '16129 nodes, 6 levels: 10 cycles, error 5.020e-05'
solved='39601 nodes: converged, residual below 1e-8; error 2.056e-05'
small poisson "$solved"
with_matrix() { "$work/poisson/poisson" 200 "$@" | ends; }
try 'poisson, assembled' with_matrix 'cg jacobi maxit=2000'
if [ -e "$build/libop2lazy-petsc.so" ]; then
  try 'poisson by PETSc' with_matrix 'petsc -ksp_type cg -pc_type gamg'
else
  echo "skipped: poisson by PETSc: built without (libpetsc-real-dev)"
  skipped=$((skipped + 1))
fi

if [ ! -x "$build/op2-mesh" ] || [ ! -e "$build/libop2lazy-hdf5.so" ]; then
  echo "skipped: examples/heat: built without op2-mesh (libgmsh-dev) or HDF5 (libhdf5-dev)"
  echo "$passed passed, $failed failed, $((skipped + 1)) skipped"
  exit $((failed > 0))
fi
try 'by make' by_make
try 'by CMake' by_cmake
try 'the mesh' told
[ -z "$ranks" ] || try 'on three ranks' on_ranks
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
