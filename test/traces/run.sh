#!/bin/bash
# Recorded traces (*.irt here): programs still record the same, a replay gives the
# same results eager and deferred, and recording the replay gives the trace again,
# so that made-up maps and kernels are what the library takes them for.
#   test/traces/run.sh BUILD
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
tmp=$(mktemp -d) || exit 2
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache}
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

verdict() { # name status
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $1"
    cat "$tmp/log"
  fi
}

# A trace as it stands in a file, without comments
body() {
  grep -v '^;' "$1"
}

replayed() { # file options...: both ways agree
  rm -rf "$tmp/again"
  OMP_NUM_THREADS=2 OP2_TRACE=1 OP2_TRACE_DIR=$tmp/again timeout 120 \
    "$build/op2-run" "$@" >"$tmp/log" 2>&1 &&
    tail -n 1 "$tmp/log" | grep -qx 'eager and deferred agree'
}

# What a trace says, but for drifts, runs, stretches and usual lengths of rows, and what
# kernels compute: a made-up mesh has its own, and made-up kernels.
no_stretches() {
  sed '/^  map /s/ stretch=[0-9]*\( still=[0-9]*\)*//; /^  relation /s/ usual=[0-9]*//
    /^  \(map\|relation\) /s/ drift=[0-9]*//; s/ run=[0-9]*\( at=[0-9]*\)*//
    /^  kernel /s/ work=[0-9]*//'
}

# The recording of that: its first flush, or the second where `same` wants a copy
# before. (The deferred way comes last and overwrites what the eager one left.)
recorded_again() {
  local n=0000
  grep -q '^  same ' "$1" && n=0001
  diff <(body "$1" | no_stretches) \
    <(no_stretches <"$tmp/again/$n.before.irt") >>"$tmp/log"
}

refused() { # file message
  ! "$build/op2-run" "$1" >"$tmp/log" 2>&1 && grep -qF -e "$2" "$tmp/log"
}

for f in "$here"/*.irt "$here"/replay/*.irt; do
  name=$(basename "$f")
  said=$(sed -n 's/^; ERROR: //p' "$f")
  if [ -n "$said" ]; then
    refused "$f" "$said"
    verdict "$name is refused" $?
    continue
  fi
  replayed "$f" --repeat 3
  verdict "$name replayed" $?
  grep -q '^; REPLAY ONLY' "$f" && continue
  case ${OP2_TARGET-} in opencl* | cuda*) # a recording names the device
    OP2_TARGET=openmp replayed "$f" --repeat 3 ;;
  esac
  recorded_again "$f"
  verdict "$name recorded again" $?
done
replayed "$here/airfoil_lazy_01.irt" --scale 40 --repeat 2
verdict "airfoil_lazy_01.irt, 40 times the size" $?

mkdir "$tmp/now"
OP2_TARGET=openmp "$here/record.sh" "$build" "$tmp/now" >"$tmp/log" 2>&1 &&
  diff -ru --exclude=replay --exclude='*.sh' "$here" "$tmp/now" >>"$tmp/log"
verdict "programs record what stands in test/traces" $?
echo "$passed passed, $failed failed"
[ $failed = 0 ]
