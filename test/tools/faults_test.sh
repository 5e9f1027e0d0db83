#!/bin/sh
# The programs of examples/faults, built as their Makefile does: each says what the
# stories of doc/debugging.md and doc/performance.md show of it.
#   test/tools/faults_test.sh <build>
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OP2_CACHE_DIR="$work/cache" OMP_NUM_THREADS=1
passed=0 failed=0 skipped=0

# The documents' indented text, in one line: what they wrap is found in it.
sed -n 's/^    *//p' doc/debugging.md doc/performance.md | tr -s ' \n' ' ' >"$work/told"

# told <what> <pattern> <command ...>: what the command prints has a line with the
# pattern, and from there on it stands in the documents
told() {
  what=$1 pattern=$2
  shift 2
  (cd "$work/faults" && "$@") >"$work/log" 2>&1 || true
  line=$(sed -n "s/.*\($pattern\)/\1/p" "$work/log" | head -n 1 | tr -s ' ')
  if [ -n "$line" ] && grep -qF -- "$line" "$work/told"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $what: expected, in the documents, too: $pattern"
    tail -n 20 "$work/log"
  fi
}
# bound <what> <pattern> <command ...>: its report has such a line
bound() {
  what=$1 pattern=$2
  shift 2
  (cd "$work/faults" && OP2_REPORT=1 "$@") >"$work/log" 2>&1 || true
  if grep -q -- "$pattern" "$work/log"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $what: expected: $pattern"
    tail -n 30 "$work/log"
  fi
}

cp -r examples/faults "$work"
if ! make -s -C "$work/faults" OP2="$build/" CFLAGS="-g -O2 -I$PWD/include -Wall -Wextra -Werror" \
  >"$work/log" 2>&1; then
  echo "FAIL: make in examples/faults:"
  cat "$work/log"
  echo "0 passed, 1 failed"
  exit 1
fi
op2cc="$build/op2cc -I$PWD/include beyond.c -o beyond"
told 'a NaN' 'total -nan' ./rods
told 'the first NaN' 'op2lazy: error: .*' env OP2_CHECK=nan ./rods
told 'a component too many, compiled' 'beyond.c:[0-9]*: error.*' $op2cc
told 'a component too many, called' 'op2lazy: error: .*' sh -c "$op2cc -DAPART; ./beyond"
told 'a stale view' 'step 2: .*' ./cool
told 'no stale view' 'step 2: .*' env OP2_MIRROR=1 ./cool
told 'serial, without being asked' 'op2lazy: serial.c: .*' ./serial
told 'serial, why it flushed' '100 flushes because .*' env OP2_REPORT=1 ./serial
bound 'serial' 'walk: in the program.s order, on one thread' ./serial
bound 'serial, with an argument' '100 flushes because a global must be right' ./serial argument
bound 'serial, with a handle' ' 1 flush because the value of a global' ./serial handle
told 'a flush too many' '100 flushes because .*' env OP2_REPORT=1 ./residual
told 'a flush too many, deferred' '1 flush because .*' env OP2_REPORT=1 ./residual deferred
if [ -e "$build/libop2lazy-openmpi.so" ] && command -v mpirun.openmpi >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OP2_DECLARE=whole OP2_WAIT=nap
  ranks="mpirun.openmpi --oversubscribe -n 2 ./grid"
  bound 'exchanges' '^ *19999 .*(exchange)' $ranks
  bound 'fewer exchanges' '^ *1999 .*(exchange)' env OP2_HALO_LIMIT=20 $ranks
  bound 'starting MPI' 'op_init: starting MPI' $ranks
else
  echo "skipped: exchanges: no Open MPI"
  skipped=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
