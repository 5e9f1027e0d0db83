#!/bin/sh
# The layer table, checked: who may include whom, how long a function (60 lines)
# and a file (1000 lines) may be. Prints file:line of each offence; ends with
# "N passed, N failed", one count a file.
#
#   tools/layers.sh [folder]      default: the tree this script is in
#
# A layer is a folder, also one inside another. A row names what its files may
# include with "...", directly or through other headers: whole layers, or single
# files, which vouch for what they include. `header` rows name who may use a
# library's headers.
set -eu
cd "${1-$(dirname "$0")/..}"

find base ir passes rt lower frontend include tools bench test \
  \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.def' \
  -o -name '*.sh' -o -name '*.inc' \) -type f 2>/dev/null |
  LC_ALL=C sort >"${TMPDIR-/tmp}/layers.$$"
trap 'rm -f "${TMPDIR-/tmp}/layers.$$"' EXIT

# The table is the here-document; the program reads it first, then the files.
xargs awk -f tools/layers.awk /dev/fd/3 <"${TMPDIR-/tmp}/layers.$$" 3<<'TABLE'
layer base      base/
layer ir        base/ ir/
layer passes    base/ ir/ passes/
layer rt        base/ rt/
layer rt/hdf5   base/ rt/ rt/hdf5/
layer rt/petsc  base/ rt/mesh/petsc.h rt/petsc/
layer rt/mpi    base/ rt/ranks/comm.h rt/ranks/partition.h rt/mpi/
layer lower     base/ ir/ lower/ rt/plan.h rt/store/dev.h rt/device/device.h rt/device/code.h rt/walk/reduce.h rt/store/store.h include/op2_blob.h
layer lower/llvm base/ lower/ lower/llvm/ rt/plan.h rt/device/device.h include/op2_blob.h
layer frontend  base/ ir/ passes/ rt/ lower/ frontend/ include/
layer include   include/
layer tools     *
layer bench     *
layer test      *
header llvm-c/      lower/llvm tools test
header llvm/        lower/llvm
header mpi.h        rt/mpi include test
header petscksp.h   rt/petsc test bench
header ptscotch.h   rt/mpi
header cuda.h       rt
header CL/          rt
header omp.h        rt frontend include test bench
header gmshc.h      tools test
header hdf5.h       rt/hdf5 test
header Judy.h       base
header criterion/   test
TABLE
