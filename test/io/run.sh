#!/bin/bash
# Files and checkpoints: test/io/run.sh BUILD
# Each program runs in a fresh folder in several modes, like test/programs; what it wrote
# is looked at with h5dump where that is installed.
set -u
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
. tools/sanitizers.sh
. tools/skips.sh
bin=$build/test/io
if ! ls "$build"/libop2lazy-hdf5.so >/dev/null 2>&1; then
  echo "skipped: HDF5: built without it (libhdf5-dev)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
skipped_to=$work/skipped
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache} OP2_LOG=0
passed=0 failed=0 skipped=0

# check WHAT COMMAND...: the command must succeed
check() {
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
    [ -n "${VERBOSE-}" ] && tail -n 1 "$work/log"
  else
    failed=$((failed + 1))
    echo "FAIL $what: $(tail -n 3 "$work/log" | tr '\n' ' ' | cut -c1-600)"
  fi
}

modes() {
  echo "default|OMP_NUM_THREADS=2"
  echo "eager|OMP_NUM_THREADS=1 OP2_EAGER=1"
  echo "rcm|OMP_NUM_THREADS=2 OP2_RENUMBER=rcm"
  echo "soa|OMP_NUM_THREADS=2 OP2_LAYOUT=soa"
  echo "bisect-8|OMP_NUM_THREADS=3 OP2_RENUMBER=bisect OP2_LAYOUT=8 OP2_CHECK=1"
  echo "mirror|OMP_NUM_THREADS=2 OP2_MIRROR=1"
}

# program NAME [ARGUMENT...]: in a fresh folder with the foreign files; it must
# say ok
program() {
  rm -rf "$work/dir" && mkdir "$work/dir" && cd "$work/dir" || return
  "$bin/foreign_files" && timeout 120 "$bin/$1" "${@:2}" >out 2>&1
  local rc=$?
  cat out
  [ $rc = 0 ] && tail -n 1 out | grep -q '^ok'
}

for name in files read_foreign wrong_files; do
  while IFS='|' read -r mode vars; do
    # shellcheck disable=SC2086
    check "$name, $mode" eval "(export TEST_IR=1 $vars; program $name)"
  done < <(modes)
  skips ${name}_opaque || check "$name, opaque" eval "(export TEST_IR=0; program ${name}_opaque)"
done

# OP_MAPS_BASE_INDEX counts in files, too; OP_NO_REALLOC leaves them alone
check "files, from 1" eval "(TEST_IR=1 program files OP_MAPS_BASE_INDEX=1)"
check "files, in the program's memory" eval "(TEST_IR=1 program files OP_NO_REALLOC)"

# What OP2 looks for in a file: attributes, and shapes as it has them.
#   has FILE PATH WORDS: h5dump's header of PATH, on one line, has these
has() {
  local text
  text=$(h5dump -A -d "$2" "$1" | tr -s ' \n' ' ')
  echo "$2: $text"
  [[ $text == *"$3"* ]]
}
if command -v h5dump >/dev/null; then
  (TEST_IR=1 program files) >/dev/null
  cd "$work/dir" || exit 2
  check "a set" has all.h5 cells 'H5T_STD_I32LE DATASPACE SIMPLE { ( 1 ) / ( 1 ) }'
  check "a map" has all.h5 maps/ecell \
    'H5T_STD_I32LE DATASPACE SIMPLE { ( 800, 2 ) / ( 800, 2 ) }'
  check "a map's dim" has all.h5 maps/ecell \
    'ATTRIBUTE "dim" { DATATYPE H5T_STD_I32LE DATASPACE SIMPLE { ( 1 ) / ( 1 ) } DATA { (0): 2 }'
  check "a map's size" has all.h5 maps/ecell 'SIMPLE { ( 1 ) / ( 1 ) } DATA { (0): 800 }'
  check "a map's type" has all.h5 maps/ecell \
    'ATTRIBUTE "type" { DATATYPE H5T_STRING { STRSIZE 10; STRPAD H5T_STR_NULLTERM; CSET H5T_CSET_ASCII; CTYPE H5T_C_S1; } DATASPACE SCALAR DATA { (0): "int" }'
  check "a dat" has q.h5 time/1/q \
    'H5T_IEEE_F64LE DATASPACE SIMPLE { ( 300, 3 ) / ( 300, 3 ) }'
  check "a dat's size" has q.h5 time/1/q \
    'ATTRIBUTE "size" { DATATYPE H5T_STD_I32LE DATASPACE SIMPLE { ( 1 ) / ( 1 ) } DATA { (0): 24 }'
  check "a dat's type" has q.h5 time/1/q \
    'ATTRIBUTE "type" { DATATYPE H5T_STRING { STRSIZE 6; STRPAD H5T_STR_NULLTERM; CSET H5T_CSET_ASCII; CTYPE H5T_C_S1; } DATASPACE SCALAR DATA { (0): "double" }'
  check "a constant" has const.h5 flow/three \
    'H5T_STD_I32LE DATASPACE SIMPLE { ( 3 ) / ( 3 ) } ATTRIBUTE "dim" { DATATYPE H5T_STD_I32LE DATASPACE SIMPLE { ( 1 ) / ( 1 ) } DATA { (0): 3 }'
else
  echo "skipped: the layout of files: no h5dump (hdf5-tools)"
  skipped=$((skipped + 1))
fi

# Matrices to a file and to a checkpoint, and back
matrices() {
  program "$1" write && cd "$work/dir" &&
    for what in read restart wrong; do
      timeout 120 "$bin/$1" $what | tee out
      tail -n 1 out | grep -q '^ok' || return
    done
}
while IFS='|' read -r mode vars; do
  # shellcheck disable=SC2086
  check "matrices, $mode" eval "(export TEST_IR=1 $vars; matrices matrices)"
done < <(modes)
skips matrices_opaque || check "matrices, opaque" eval "(export TEST_IR=0; matrices matrices_opaque)"

# ---- checkpoints ---------------------------------------------------------------

while IFS='|' read -r mode vars; do
  [ "$mode" = mirror ] && continue # saves all that is written
  # shellcheck disable=SC2086
  check "wrong_checkpoint, $mode" eval "(export TEST_IR=1 $vars; program wrong_checkpoint)"
done < <(modes)
skips wrong_checkpoint_opaque ||
  check "wrong_checkpoint, opaque" eval "(export TEST_IR=0 OP2_MIRROR=0; program wrong_checkpoint_opaque)"

# checkpoint VARIABLES PROGRAM ARGUMENTS: its output into $work/out
checkpoint() {
  # shellcheck disable=SC2086
  env OP2_REPRODUCIBLE=1 $1 timeout 120 "$bin/$2" "${@:3}" >"$work/out" 2>&1
  local rc=$?
  cat "$work/out"
  [ $rc = 0 ] && tail -n 1 "$work/out" | grep -q '^ok'
}
bits() { grep '^bits' "$work/out"; }
# goes_on SAVED WRITE-VARS RESTART-VARS PROGRAM [WORD]: the restarted run ends with the
# bits of one that was never interrupted, and so many dats were saved
goes_on() {
  local saved=$1 writes=$2 restarts=$3 p=$4 want
  checkpoint "$writes" "$p" none all 9 || return
  want=$(bits)
  rm -f "$work/run.h5"
  checkpoint "$writes" "$p" "$work/run.h5" write 4 9 ${5-} || return
  [ "$(bits)" = "$want" ] && grep "^saved $saved dats, .* in 1\$" "$work/out" || return
  checkpoint "$restarts" "$p" "$work/run.h5" restart 9 && [ "$(bits)" = "$want" ] &&
    grep '^from 4' "$work/out" &&
    checkpoint "$restarts" "$p" "$work/run.h5" restart 9 init && [ "$(bits)" = "$want" ]
}
two=OMP_NUM_THREADS=2
check "goes on" goes_on 5 $two $two checkpoint
check "goes on, one thread" goes_on 5 $two OMP_NUM_THREADS=1 checkpoint
check "goes on, three threads" goes_on 5 OMP_NUM_THREADS=1 OMP_NUM_THREADS=3 checkpoint
check "goes on, eager" goes_on 5 $two "OP2_EAGER=1" checkpoint
check "goes on from eager" goes_on 5 "OP2_EAGER=1" $two checkpoint
check "goes on, SoA" goes_on 5 "OP2_LAYOUT=soa" "OP2_LAYOUT=8 $two" checkpoint
check "goes on, no passes" goes_on 5 "OP2_DISABLE=slice,rename,dce,fuse" $two checkpoint
check "goes on, all" goes_on 8 "OP2_CHECKPOINT=all" $two checkpoint
check "goes on, flushed" goes_on 8 $two $two checkpoint flush
check "goes on, mirrors" goes_on 9 "OP2_MIRROR=1" "OP2_MIRROR=1" checkpoint
skips checkpoint_opaque || check "goes on, opaque" goes_on 9 $two $two checkpoint_opaque

# Killed while writing, at each call that changes a file in turn: what was there
# before is whole until the new one has its place.
killed_at() {
  local call=$1 n=0 want status
  checkpoint $two checkpoint none all 9 || return
  want=$(bits)
  rm -f "$work/run.h5"*
  checkpoint $two checkpoint "$work/run.h5" write 2 3 || return
  while :; do
    n=$((n + 1))
    LD_PRELOAD=$bin/libkill_at.so KILL_AT="$call $n" OP2_CACHE=0 \
      checkpoint $two checkpoint "$work/run.h5" write 5 7
    status=$(tail -n 1 "$work/out")
    checkpoint $two checkpoint "$work/run.h5" restart 9 && [ "$(bits)" = "$want" ] || return
    [ "$status" = ok ] && break
    # the former one; but when its folder is synced the new one has its place
    grep '^from 2' "$work/out" || [ "$call $n" = "fsync 2" ] || return
    [ $n = 200 ] && return 1
  done
  grep '^from 5' "$work/out" && echo "$((n - 1)) calls of $call" && [ $n -gt 1 ]
}
for call in pwrite fsync rename; do
  check "killed at $call" killed_at $call
done

# ---- ranks ---------------------------------------------------------------------

# on RANKS PROGRAM ARGUMENTS: each rank must say ok
on() {
  mpirun.openmpi --oversubscribe -n "$1" "$bin/$2" "${@:3}" >"$work/out" 2>&1
  local rc=$?
  cat "$work/out"
  [ $rc = 0 ] && [ "$(grep -c '^ok' "$work/out")" = "$1" ]
}
# On so many ranks, so: in turn "ranks OP2_FILES"
write_on() {
  (cd "$work/dir" && rm -f ./*.h5 && OP2_FILES=$2 on "$1" ranks write ${3-})
}
read_on() {
  (cd "$work/dir" && OP2_FILES=$2 on "$1" ranks read ${3-} &&
    OP2_FILES=$2 on "$1" ranks restart ${3-})
}
matrices_on() {
  (cd "$work/dir" && OP2_FILES=$2 on "$1" matrices "${@:3}")
}
# boxes_on RANKS FILES: files as on one rank
boxes_on() {
  local file
  rm -rf "$work/boxes" && mkdir "$work/boxes" && cd "$work/boxes" || return
  OP2_FILES=$2 on "$1" box_files write || return
  [ "$1" = 1 ] && rm -rf "$work/boxes-one" && cp -r "$work/boxes" "$work/boxes-one"
  for file in x copy heights odd; do cmp {../boxes-one/,}$file.txt || return; done
  command -v h5diff >/dev/null || return 0
  for file in boxes.h5 boxes.vtkhdf square.vtkhdf run.h5 all.h5; do
    h5diff --exclude-path /sparsity_columns --exclude-path /sparsity_entries \
      {../boxes-one/,}$file || return
  done
}
boxes_read_on() {
  (cd "$work/boxes" && OP2_FILES=$2 on "$1" box_files read &&
    OP2_FILES=$2 on "$1" box_files restart)
}
wrong_on() {
  (cd "$work/dir" && "$bin/foreign_files" && OP2_FILES=$2 on "$1" ranks wrong)
}
# Rank 0 dies in the middle of the second checkpoint: the first goes on
killed_on() {
  (cd "$work/dir" && OP2_FILES=$2 on "$1" ranks write || exit 1
    LD_PRELOAD=$bin/libkill_at.so KILL_AT=$3 OP2_FILES=$2 on "$1" ranks write && exit 1
    OP2_FILES=$2 on "$1" ranks restart)
}
if [ ! -e "$build/libop2lazy-openmpi.so" ] || ! command -v mpirun.openmpi >/dev/null; then
  echo "skipped: files on several ranks: no Open MPI"
  skipped=$((skipped + 1))
else
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
  export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OP2_WAIT=nap
  export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" # Open MPI's are many
  ways=root
  if [ -e "$build/libop2lazy-hdf5-openmpi.so" ]; then
    ways="root auto"
  else
    echo "skipped: MPI-IO: no HDF5 for Open MPI (libhdf5-openmpi-dev)"
    skipped=$((skipped + 1))
  fi
  mkdir -p "$work/dir"
  for way in $ways; do
    for n in 1 4; do
      check "written on $n ($way)" write_on $n $way
      for m in 1 2 3; do
        check "written on $n, read on $m ($way)" read_on $m $way
      done
    done
    check "written on 3, partitioned ($way)" write_on 3 $way moved
    check "read on 4, partitioned ($way)" read_on 4 $way moved
    check "read on 2 ($way)" read_on 2 $way
    for n in 1 3; do
      check "matrices written on $n ($way)" matrices_on $n $way write
      for m in 1 2 4; do
        check "matrices written on $n, read on $m ($way)" matrices_on $m $way read
        check "matrices written on $n, restarted on $m ($way)" matrices_on $m $way restart
      done
      check "matrices read on 3, partitioned ($way)" matrices_on 3 $way read moved
    done
    for n in 1 2 4; do
      check "boxes written on $n ($way)" eval "(boxes_on $n $way)"
      for m in 1 2 3; do
        check "boxes written on $n, read on $m ($way)" boxes_read_on $m $way
      done
    done
    check "matrices wrong on 3 ($way)" matrices_on 3 $way wrong
    check "matrices written on 4, partitioned ($way)" matrices_on 4 $way write moved
    check "matrices read on 2 ($way)" matrices_on 2 $way read
    check "wrong on 2 ($way)" wrong_on 2 $way
    check "wrong on 3 ($way)" wrong_on 3 $way
    check "a rank killed at rename ($way)" killed_on 3 $way "rename 2"
  done
  check "a rank killed at pwrite" killed_on 3 root "pwrite 5"
fi

# ---- Airfoil from a file, as OP2's airfoil_hdf5 ---------------------------------

airfoil_from_file() {
  local airfoil=$build/bench/airfoil/$1 made
  cd "$work" || return
  made=$("$airfoil" --size 8 12 --iters 20 --dump grid.h5 | sed -n 's/^result .*rms=//p')
  [ -n "$made" ] && [ "$made" = "$("$airfoil" --mesh grid.h5 --iters 20 |
    sed -n 's/^result .*rms=//p')" ]
}
for name in airfoil airfoil_opaque; do
  [ -x "$build/bench/airfoil/$name" ] || continue
  skips $name && continue
  check "$name from a file" eval "(export OMP_NUM_THREADS=1 OP2_REPRODUCIBLE=1; airfoil_from_file $name)"
done

# A library without the part with HDF5 says what it looked for.
mkdir "$work/bare" && cp -L "$build"/libop2lazy.so.0 "$build"/libop2lazy-llvm.so "$work/bare"
no_hdf5() {
  cd "$work/dir" || return
  LD_LIBRARY_PATH=$work/bare "$bin/read_foreign_opaque" 2>&1 | tee "$work/said"
  grep -q 'read_foreign.c:[0-9]*: op_decl_set_hdf5: HDF5 is not there: looked for libop2lazy-hdf5.so' "$work/said"
}
check "without HDF5" no_hdf5

skips_say
echo "$passed passed, $failed failed, $((skipped + $(skips_count))) skipped"
[ $failed = 0 ]
