#!/bin/sh
# All suites. Each prints, as its last line, "N passed, N failed[, N skipped]";
# this adds them up and ends with such a line of its own. A suite that prints none
# counts as failed, and so does one whose files are missing.
#
#   tools/check.sh               all
#   tools/check.sh layers unit   those whose name begins so
#
# CHECK_DIR (default build-check/) takes builds and logs. Four builds:
#   gcc     Debug (asserts, verifier, plan checks), -Werror
#   clang   the same with clang and address and undefined-behaviour sanitizers
#   tsan    clang and thread sanitizer: what runs on several threads
#   release as `make` builds it, for the installation and the timed parts
set -u
cd "$(dirname "$0")/.."
dir=${CHECK_DIR-build-check}
mkdir -p "$dir/logs"
export CHECK_DIR="$dir"
export OP2_CACHE_DIR="$PWD/$dir/cache" # never the one of who runs this

# PoCL asks hwloc for the machine, and gives up where /sys is not mounted.
if [ ! -d /sys/devices/system/cpu ]; then
  echo "skipped: all on OpenCL: /sys is not mounted"
  mkdir -p "$dir/no-opencl"
  export OCL_ICD_VENDORS="$PWD/$dir/no-opencl/"
fi

# name | command; suites that need a build come after it
suites() {
  cat <<TABLE
layers         | tools/layers.sh
layers-test    | test/tools/layers_test.sh
format         | tools/format.sh --check
mutants        | test/mutants/run.sh --check
build-gcc      | tools/check-build.sh $dir/gcc gcc Debug
build-clang    | tools/check-build.sh $dir/clang clang Debug address,undefined
build-release  | tools/check-build.sh $dir/release gcc RelWithDebInfo
build-tsan     | tools/check-build.sh $dir/tsan clang Debug thread programs_ir plain_tests program_planted
docs           | tools/docs.sh --check $dir/gcc
unit-gcc       | tools/check-unit.sh $dir/gcc
unit-clang     | tools/check-unit.sh $dir/clang
irt-gcc        | tools/irt-test.sh $dir/gcc
irt-clang      | . tools/sanitizers.sh; tools/irt-test.sh $dir/clang
traces         | test/traces/run.sh $dir/gcc
fuzz-ir        | test/fuzz/run.sh $dir/clang
programs-gcc   | test/programs/run.sh $dir/gcc
combinations   | test/programs/run.sh --combinations $dir/release
programs-clang | . tools/sanitizers.sh; SANITIZE=address test/programs/run.sh $dir/clang
random-gcc     | $dir/gcc/test/random/random_programs --jobs $(nproc) --count 64 --time 60 --out $dir
random-opaque  | $dir/gcc/test/random/random_programs_opaque --opaque --jobs $(nproc) --count 64 --time 30 --out $dir
random-clang   | . tools/sanitizers.sh; $dir/clang/test/random/random_programs --jobs $(nproc) --count 24 --time 60 --out $dir
ptx            | test/ptx/run.sh $dir/gcc
cache-gcc      | test/cache/run.sh $dir/gcc
cache-clang    | test/cache/run.sh $dir/clang
tsan           | test/sanitize/tsan.sh $dir/tsan
planted-asan   | test/sanitize/planted.sh $dir/clang address
valgrind       | cmake --build $dir/gcc --target plain_tests && test/sanitize/valgrind.sh $dir/gcc
op2cc          | test/op2cc/run.sh $dir/gcc
abi-gcc        | test/abi/run.sh $dir/gcc gcc g++
abi-clang      | test/abi/run.sh $dir/release clang-19 clang++-19
install        | test/tools/install_test.sh $dir/release
tidy           | tools/tidy.sh $dir/clang 240
TABLE
}

# Run one suite, keep its log, add up its last line.
passed=0 failed=0 skipped=0
run_suite() {
  log=$dir/logs/$1.log
  began=$(date +%s)
  rc=0
  sh -c "$2" >"$log" 2>&1 </dev/null || rc=$?
  last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
  p=$(number passed) f=$(number failed) s=$(number skipped)
  if [ -z "$last" ] || { [ $rc -ne 0 ] && [ "$f" -eq 0 ]; }; then
    f=$((f + 1))
    last="${last:-no result}, exit status $rc"
  elif [ $((p + f + s)) -eq 0 ]; then
    f=1
    last="$last: an empty suite"
  fi
  [ "$f" -eq 0 ] || {
    echo "---- $1 ($log)"
    tail -n 60 "$log"
    echo "----"
  }
  grep '^skipped: ' "$log"
  printf '%-14s %4ds  %s\n' "$1" $(($(date +%s) - began)) "$last"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

number() {
  echo "$last" | sed -n "s/.*\b\([0-9][0-9]*\) $1.*/\1/p" | grep . || echo 0
}

wanted() {
  [ -z "$only" ] && return 0
  for o in $only; do
    case $1 in "$o"*) return 0 ;; esac
  done
  return 1
}

only=$*
suites >"$dir/suites"
while read -r name bar command; do
  wanted "$name" && run_suite "$name" "$command"
done <"$dir/suites"
if [ $skipped -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
