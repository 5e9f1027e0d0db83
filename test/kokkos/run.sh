#!/bin/sh
# Connectors of Kokkos Tools (KOKKOS_TOOLS_LIBS): one that writes down what it is told, and
# what is wrong with it, on the host, on a device, on ranks, and several at once.
#   test/kokkos/run.sh BUILD     the folder that holds op2cc
# Ends with "N passed, N failed, N skipped".
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export OP2_CACHE=0 OP2_TRIAL=never OP2_RENUMBER=0
unset OP2_TARGET KOKKOS_TOOLS_LIBS
cd "$work" || exit 2
passed=0 failed=0 skipped=0

# check WHAT COMMAND...: it must succeed
check() {
  what=$1
  shift
  if "$@" >said 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what:"
    cat said
    [ ! -e log.0.0 ] || cat log.0.0
  fi
}
skip() {
  skipped=$((skipped + 1))
  echo "skipped: $1"
}
# runs LIBS [NAME=VALUE...]: the program says what it says without them
runs() {
  libs=$1
  shift
  rm -f log.*
  env TEST_OUT="$work/log" KOKKOS_TOOLS_LIBS="$libs" OP2_TEAM=all OMP_NUM_THREADS=2 "$@" \
    ./program >out 2>err
  cat err
  cmp out right
}
# says FILE: the text that is expected, from stdin
says() {
  diff - "$1"
}
sound() { # sound FILE...: nothing is wrong in these
  ! grep -H WRONG "$@" && [ "$(tail -qn 1 "$@" | sort -u)" = 'finalize: 0 open' ]
}
warns() { # warns WORDS LIBS: and nothing else happens
  runs "$2" && [ ! -e log.0.0 ] && grep -q "warning.*$1\|op2lazy: .*$1" err
}

check 'op2cc' "$build/op2cc" -O1 "-I$here/../../include" "$here/program.c" -o program
for kind in one: two:-DFIRST=1000 chain:'-DFIRST=2000 -DCHAIN'; do
  # shellcheck disable=SC2086
  check "connector ${kind%%:*}" cc -Wall -Wextra -Werror -shared -fPIC ${kind#*:} \
    "$here/connector.c" -o "${kind%%:*}.so" -ldl
done
printf 'sum 8192\nsum 8192\nv 4\n' >right

check 'one' runs "$work/one.so"
check 'what it is told' says log.0.0 <<'TEXT'
+ u, Host, 32768
+ r, Host, 32768
+ v, Host, 32768
section mesh
+ u, Host, 32768
+ r, Host, 32768
section flush: a variable that a loop writes is read
  section programs
    section compile
  section plan
  loops flux on 1:0
  loops update on 1:0
section flush: a variable that a loop writes is read
  loops flux on 1:0
  loops update on 1:0
section flush: values of a dat are looked at
  section programs
    section compile
  + v, Host, 32768
  loops twice on 1:0
- v, Host, 32768
- v, Host, 32768
- u, Host, 32768
- u, Host, 32768
- r, Host, 32768
- r, Host, 32768
finalize: 0 open
TEXT

check 'two' runs "$work/one.so;$work/two.so"
check 'both are called' sound log.0.0 log.1000.1
check 'both are told the same' cmp log.0.0 log.1000.1
check 'one that calls another' runs "$work/chain.so;$work/one.so"
check 'it is called' sound log.2000.0
check 'the other by it alone' [ "$(grep -c loops log.0.1)" = 5 ]
check 'one that is not there' warns 'cannot load .*nothing.so' "$work/nothing.so"
check 'one that is none' warns 'is no connector' libdl.so.2

# By depth of sections: what is told of a dat, without how deep it stands
if TEST_IR=1 OP2_LOG=0 OP2_TARGET=opencl ./program >/dev/null 2>&1; then
  check 'on a device' runs "$work/one.so" OP2_TARGET=opencl
  check 'nothing is wrong' sound log.0.0
  grep 'OpenCL\|loops' log.0.0 | sed 's/^ *//' >device
  check 'what it is told of the device' says device <<'TEXT'
+ u, OpenCL, 32768
+ r, OpenCL, 32768
copy u, OpenCL <- Host, 32768
copy r, OpenCL <- Host, 32768
loops flux on 9:0
loops update on 9:0
loops flux on 9:0
loops update on 9:0
+ v, OpenCL, 32768
loops twice on 9:0
copy v, Host <- OpenCL, 32768
- v, OpenCL, 32768
- u, OpenCL, 32768
- r, OpenCL, 32768
TEXT
else
  skip 'on a device: no OpenCL device'
fi

if [ -e "$build/libop2lazy-openmpi.so" ] && command -v mpirun.openmpi >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
  export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OP2_WAIT=nap OP2_DECLARE=whole
  on_ranks() {
    mpirun.openmpi --oversubscribe -n 3 sh -c "TEST_OUT=$work/rank\$OMPI_COMM_WORLD_RANK \
      KOKKOS_TOOLS_LIBS=$work/one.so ./program" >out && cmp out right
  }
  check 'on ranks' on_ranks
  check 'nothing is wrong on any' sound rank0.0.0 rank1.0.0 rank2.0.0
  check 'exchanges' [ "$(cat rank?.0.0 | grep -c "section exchange")" = 6 ]
  check 'sums over ranks' [ "$(grep -c 'section reduce' rank1.0.0)" = 2 ]
else
  skip 'on ranks: no Open MPI'
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
