#!/bin/sh
# ThreadSanitizer on what runs on several threads: unit tests of rt/, and the test
# programs with compiled code instrumented, too (OP2_SANITIZE=thread).
#   test/sanitize/tsan.sh BUILD
# A report is a failure: the program then ends with 66. It is about threads of the
# host; races of devices are for test/races.
set -u
export OP2_TARGET=openmp
cd "$(dirname "$0")/../.." && . tools/sanitizers.sh
build=${1:?usage: tsan.sh BUILD}
passed=0 failed=0
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT

add() { # output of a suite
  tail -n 20 "$tmp" | grep -v '^[0-9]* passed'
  last=$(tail -n 1 "$tmp" | grep -E '^[1-9][0-9]* passed, [0-9]+ failed' ||
    echo "0 passed, 1 failed")
  passed=$((passed + $(echo "$last" | cut -d' ' -f1)))
  failed=$((failed + $(echo "$last" | cut -d' ' -f3)))
}

[ -e "$OMP_TOOL_LIBRARIES" ] || {
  echo "no $OMP_TOOL_LIBRARIES: ThreadSanitizer would not understand OpenMP"
  echo "0 passed, 1 failed"
  exit 1
}
[ -x "$build/test/sanitize/planted" ] || {
  echo "skipped: tsan: there is no build with it"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}
test/sanitize/planted.sh "$build" thread >"$tmp" 2>&1
add
for name in rt_exec rt_parts rt_colours rt_reduce rt_store; do
  OMP_NUM_THREADS=3 timeout 300 "$build/test/plain/test_$name" >"$tmp" 2>&1
  add
done
test/programs/run.sh --tsan "$build" >"$tmp" 2>&1
add
echo "$passed passed, $failed failed"
[ $failed = 0 ]
