#!/bin/sh
# examples/heat as a user builds it, from what is installed: by make and by CMake, on one
# rank and on three; doc/tutorial.md against it.
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

try 'tutorial' tutorial
if [ ! -x "$build/op2-mesh" ] || [ ! -e "$build/libop2lazy-hdf5.so" ]; then
  echo "skipped: examples/heat: built without op2-mesh (libgmsh-dev) or HDF5 (libhdf5-dev)"
  echo "$passed passed, $failed failed, 1 skipped"
  exit $((failed > 0))
fi
try 'install' cmake --install "$build" --prefix "$prefix"
try 'by make' by_make
try 'by CMake' by_cmake
try 'the mesh' told
if [ -e "$build/libop2lazy-openmpi.so" ] && command -v mpirun.openmpi >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
  export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OP2_WAIT=nap
  try 'on three ranks' on_ranks
else
  echo "skipped: examples/heat on ranks: no Open MPI"
  skipped=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
