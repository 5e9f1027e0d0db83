#!/bin/sh
# All suites. Each prints, as its last line, "N passed, N failed[, N skipped]";
# this adds them up and ends with such a line of its own. A suite that prints none
# counts as failed, and so does one whose files are missing.
#
#   tools/check.sh               all
#   tools/check.sh layers unit   those whose name begins so
#
# The builds come one after another, each on all processors. Then two suites run at
# a time (CHECK_LANES), since half of them do one thing after another. A line tells
# wall-clock and processor seconds.
#
# CHECK_DIR (default build-check/) takes builds and logs. Four builds:
#   gcc     Debug (asserts, verifier, plan checks), -Werror
#   clang   the same with clang and address and undefined-behaviour sanitizers
#   tsan    clang and thread sanitizer: what runs on several threads
#   release as `make` builds it, for the installation and the timed parts
set -u
self=$(cd "$(dirname "$0")" && pwd)/check.sh
cd "$(dirname "$0")/.."
dir=${CHECK_DIR-build-check}
mkdir -p "$dir/logs"
export CHECK_DIR="$dir"
export OP2_CACHE_DIR="$(cd "$dir" && pwd)/cache" # never the one of who runs this

# PoCL asks hwloc for the machine, and gives up where /sys is not mounted.
if [ ! -d /sys/devices/system/cpu ]; then
  [ "${1-}" = --suite ] || echo "skipped: all on OpenCL: /sys is not mounted"
  mkdir -p "$dir/no-opencl"
  export OCL_ICD_VENDORS="$PWD/$dir/no-opencl/"
fi

# name | command; those that need no build, the builds, those that need them
suites() {
  cat <<TABLE
layers         | tools/layers.sh
layers-test    | test/tools/layers_test.sh
format         | tools/format.sh --check
configure      | test/tools/configure_test.sh
mutants        | test/mutants/run.sh --check
build-gcc      | tools/check-build.sh $dir/gcc gcc Debug "" all plain_tests
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
mpi            | test/mpi/run.sh $dir/gcc
combinations   | SHARE=5 test/programs/run.sh --combinations $dir/release
programs-clang | . tools/sanitizers.sh; SHARE=2 SANITIZE=address test/programs/run.sh $dir/clang
random-gcc     | $dir/gcc/test/random/random_programs --jobs $(nproc) --count 64 --time 60 --out $dir
random-opaque  | $dir/gcc/test/random/random_programs_opaque --opaque --jobs $(nproc) --count 64 --time 30 --out $dir
random-mixed   | $dir/gcc/test/random/random_programs_mixed --mixed --jobs $(nproc) --count 32 --time 30 --out $dir
random-clang   | . tools/sanitizers.sh; $dir/clang/test/random/random_programs --jobs $(nproc) --count 24 --time 60 --out $dir
ptx            | test/ptx/run.sh $dir/gcc
races          | test/races/run.sh $dir/gcc
cache-gcc      | test/cache/run.sh $dir/gcc
cache-clang    | test/cache/run.sh $dir/clang
bundle-gcc     | test/cache/bundle.sh $dir/gcc
bundle-clang   | test/cache/bundle.sh $dir/clang
tsan           | test/sanitize/tsan.sh $dir/tsan
planted-asan   | test/sanitize/planted.sh $dir/clang address
valgrind       | test/sanitize/valgrind.sh $dir/gcc
io-gcc         | test/io/run.sh $dir/gcc
io-clang       | test/io/run.sh $dir/clang
fields-gcc     | test/fields/run.sh $dir/gcc
fields-clang   | test/fields/run.sh $dir/clang
op2cc          | test/op2cc/run.sh $dir/gcc
debug          | test/debug/run.sh $dir/gcc
kokkos         | test/kokkos/run.sh $dir/gcc
view           | test/view/run.sh $dir/gcc
hosts          | test/hosts/run.sh $dir/gcc --files 8 --time 60
hosts-ranks    | test/hosts/run.sh $dir/gcc --ranks 3 --seed 50 --files 8 --time 60
abi-gcc        | test/abi/run.sh $dir/gcc gcc g++
man            | test/tools/man_test.sh $dir/gcc
abi-list       | tools/abi.sh $dir/gcc
abi-clang      | test/abi/run.sh $dir/release clang-19 clang++-19
python         | test/python/run.sh $dir/release
install        | test/tools/install_test.sh $dir/release
package        | test/package/run.sh $dir/release
example        | test/tools/example_test.sh $dir/gcc
faults         | test/tools/faults_test.sh $dir/gcc
site           | test/tools/site_test.sh
gpu            | test/gpu/run.sh $dir/release
tidy           | TIDY_SECONDS=${TIDY_SECONDS-240} tools/tidy.sh $dir/gcc
TABLE
}

. tools/skips.sh

# ---- one suite ----------------------------------------------------------------

number() {
  echo "$last" | sed -n "s/.*\b\([0-9][0-9]*\) $1.*/\1/p" | grep . || echo 0
}

# Run suite $1 by command $2, keep its log, leave "passed failed skipped" in a file. It
# has a TMPDIR of its own: Open MPI's folder there is one for all runs of a user.
run_suite() {
  log=$dir/logs/$1.log
  began=$(date +%s)
  rc=0
  why=$(skip_reason "$1")
  if [ -n "$why" ]; then
    printf 'skipped: %s: %s\n0 passed, 0 failed, 1 skipped\n' "$1" "$why" >"$log"
  else
    tmp=$(mktemp -d)
    TMPDIR=$tmp sh -c "$2" >"$log" 2>&1 </dev/null || rc=$?
    rm -rf "$tmp"
  fi
  last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
  p=$(number passed) f=$(number failed) s=$(number skipped)
  if [ -z "$last" ] || { [ $rc -ne 0 ] && [ "$f" -eq 0 ]; }; then
    f=$((f + 1))
    last="${last:-no result}, exit status $rc"
  elif [ $((p + f + s)) -eq 0 ]; then
    f=1
    last="$last: an empty suite"
  fi
  times >"$log.times"
  cpu=$(sed -n '2{s/m/ /g;s/s//g;p;}' "$log.times" |
    awk '{ printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }')
  report=$(
    [ "$f" -eq 0 ] || {
      echo "---- $1 ($log)"
      tail -n 60 "$log"
      echo "----"
    }
    grep '^skipped: ' "$log"
    printf '%-14s %4ds %4ds cpu  %s' "$1" $(($(date +%s) - began)) "$cpu" "$last"
  )
  echo "$report" # at once: another suite may be writing
  echo "$p $f $s" >"$dir/logs/$1.result"
}

if [ "${1-}" = --suite ]; then
  run_suite "$2" "$(sed -n "s/^$2  *| //p" "$dir/suites")"
  exit 0
fi

# ---- all of them --------------------------------------------------------------

wanted() {
  [ -z "$only" ] && return 0
  for o in $only; do
    case $1 in "$o"*) return 0 ;; esac
  done
  return 1
}

names() { # before, build or after
  stage=before
  while read -r name bar command; do
    case $name in build-*) stage=build ;; *) [ $stage = before ] || stage=after ;; esac
    [ $stage != "$1" ] || ! wanted "$name" || echo "$name"
  done <"$dir/suites"
}

# The end of each log that tells of a failure, after all suites.
say_again() {
  for name in $(names before && names build && names after); do
    read -r p f s <"$dir/logs/$name.result" || continue
    [ "$f" -gt 0 ] || continue
    echo "failed: $name: $f"
    grep -v -E ' 0 failed' "$dir/logs/$name.log" | tail -n 20 | sed 's/^/  /'
  done 2>/dev/null
}

only=$*
suites >"$dir/suites"
rm -f "$dir"/logs/*.result
lanes=${CHECK_LANES:-2}
names before | xargs -r -n 1 -P "$lanes" "$self" --suite
names build | xargs -r -n 1 "$self" --suite
names after | xargs -r -n 1 -P "$lanes" "$self" --suite
say_again # a log may be cut off at its beginning
for name in $(names before && names build && names after); do
  cat "$dir/logs/$name.result" 2>/dev/null || echo 0 1 0
done | awk '{ p += $1; f += $2; s += $3 }
  END {
    printf "%d passed, %d failed", p, f
    if (s) printf ", %d skipped", s
    print ""
    exit f > 0 || p + f + s == 0
  }'
