#!/bin/sh
# The Criterion programs of a build; counts single tests. A program that ends
# without its summary (a crash of the runner) counts as one failure.
#   tools/check-unit.sh <build> [program ...]
set -eu
cd "$(dirname "$0")/.."
. tools/sanitizers.sh
build=$1 passed=0 failed=0
export OP2_CACHE_DIR="${OP2_CACHE_DIR-$(realpath "$build")/cache}"
shift
[ $# -gt 0 ] || set -- test/unit/test_*.c

# The number after "<word>: " in Criterion's summary line.
field() {
  echo "$summary" | sed -n "s/.*$1: *\([0-9]*\).*/\1/p"
}

for source in "$@"; do
  name=$(basename "$source" .c)
  rc=0
  timeout 300 "$build/test/unit/$name" --jobs 2 >"$build/$name.log" 2>&1 || rc=$?
  # Criterion colours its words, terminal or not
  summary=$(sed 's/\x1b\[[0-9;]*m//g' "$build/$name.log" |
    grep 'Synthesis: Tested:' || :)
  p=0 f=0
  if [ -n "$summary" ]; then
    p=$(field Passing) f=$(field Failing) # crashed ones among them
  fi
  [ $rc -eq 0 ] || [ $f -gt 0 ] || f=1
  printf '%-24s %s passed, %s failed\n' "$name" "$p" "$f"
  [ $f -eq 0 ] || cat "$build/$name.log"
  passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
