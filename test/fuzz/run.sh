#!/bin/sh
# Fuzz the trace IR: fuzz_ir over a corpus of all the traces of the tests.
#   test/fuzz/run.sh BUILD [libFuzzer's options]
# BUILD is one of clang with sanitizers. Without options a fixed number of runs
# from a fixed seed, for the checks; `make fuzz-ir` goes on until stopped. What is
# found lies in BUILD/fuzz: crash-*, with the text that makes it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" && . tools/sanitizers.sh
build=$(cd "${1:?usage: run.sh BUILD [options]}" && pwd) || exit 2
shift
[ -x "$build/fuzz_ir" ] || {
  echo "$build/fuzz_ir: not there; it needs clang and address sanitizer"
  exit 1
}
[ $# -gt 0 ] || set -- -runs=20000 -seed=1
mkdir -p "$build/fuzz/seeds" "$build/fuzz/found"
rm -f "$build"/fuzz/seeds/*
seeds=0
for f in test/ir/*.irt test/passes/*.irt test/traces/*.irt \
  test/traces/replay/*.irt; do
  seeds=$((seeds + 1))
  grep -v '^;' "$f" >"$build/fuzz/seeds/$(basename "$f")"
done
# the language's own words
cat test/ir/*.irt | grep -v '^;' | tr -c 'a-z=' '\n' | LC_ALL=C sort -u |
  sed -n 's/..*/"&"/p' >"$build/fuzz/words"

echo "log: $build/fuzz/log"
cd "$build/fuzz" || exit 2
if "$build/fuzz_ir" -timeout=20 -rss_limit_mb=2048 -max_len=8192 \
  -dict=words -artifact_prefix="$build/fuzz/" "$@" found seeds \
  >"$build/fuzz/log" 2>&1; then
  sed -n 's/^Done/fuzz_ir:/p' "$build/fuzz/log"
  tail -n 30 "$build/fuzz/log" | grep 'cov:' | tail -n 1
  echo "$seeds seeds"
  echo "1 passed, 0 failed"
else
  tail -n 60 "$build/fuzz/log"
  echo "0 passed, 1 failed"
  exit 1
fi
