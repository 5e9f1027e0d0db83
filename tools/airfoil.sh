#!/bin/sh
# From a clone to a checked result: install what is missing, build, make the mesh
# of 720 000 cells, run 1000 iterations, compare rms with the published value.
# Says what it does; fails if rms is off.
#   tools/airfoil.sh [build]       ITERS=n: fewer iterations, nothing to compare
set -eu
cd "$(dirname "$0")/.."
build=${1-build}
iters=${ITERS-1000}
mesh=$build/bench/airfoil/new_grid.dat

say() {
  echo "== $*"
}

say "1/4 dependencies"
tools/install-deps.sh build
say "2/4 building in $build/"
[ -e "$build/build.ninja" ] || {
  said=$(cmake -S . -B "$build" -G Ninja) || { echo "$said"; exit 1; }
  echo "$said" | sed -n '/left out/s/^-- *//p'
}
cmake --build "$build" -j "$(nproc)" \
  --target mkmesh op2-run program_airfoil | tail -n 1
say "3/4 mesh: I=400, J=600"
[ -s "$mesh" ] || "$build/bench/airfoil/mkmesh" 400 600 "$mesh"
say "4/4 airfoil, $iters iterations"
exec "$build/bench/airfoil/airfoil" --mesh "$mesh" --iters "$iters"
