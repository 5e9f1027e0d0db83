#!/bin/bash
# Data races in code for devices: test programs on oclgrind's simulated device, which
# watches every access, with increments atomic, coloured and staged (and what is read,
# too). Races planted there must be found, or all that silence means nothing.
#   test/races/run.sh BUILD
# Ends with "N passed, N failed[, N skipped]".
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
rt=/usr/lib/oclgrind/liboclgrind-rt.so

for tool in oclgrind llvm-spirv-14 llvm-spirv-15 llvm-dis-19 "$rt"; do
  command -v "$tool" >/dev/null || [ -e "$tool" ] || {
    echo "skipped: races on devices: no $tool"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
  }
done

tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
"${CC:-cc}" -shared -fPIC -o "$tmp/libOpenCL.so.1" "$here/opencl.c" \
  -Wl,--no-as-needed "$rt" -Wl,-soname,libOpenCL.so.1 || exit 2
ln -s "$rt" "$tmp/libOpenCL.so" # the name that oclgrind's goes by
export LD_LIBRARY_PATH=$tmp RACES_DIR=$tmp OCLGRIND_DATA_RACES=1 OCLGRIND_LOG=$tmp/log
export TEST_IR=1 OP2_CACHE=0 OP2_LOG=0 OP2_TARGET=opencl
passed=0 failed=0

# run NAME=VALUE... PROGRAM [ARGUMENT]: "ok" as its last line, and what oclgrind says
run() {
  : >"$OCLGRIND_LOG"
  env "$@" >"$tmp/out" 2>&1 && tail -n 1 "$tmp/out" | grep -q '^ok'
}
races() { grep -c 'data race' "$OCLGRIND_LOG"; }

verdict() { # name status
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $1: $(head -n 12 "$OCLGRIND_LOG" | tr '\n' ' ')" \
      "$(tail -n 3 "$tmp/out" | tr '\n' ' ' | cut -c1-400)"
  fi
}

# Each program in each form: right, and without a word from oclgrind.
for form in atomic colour staged "staged OP2_READS=staged"; do
  for program in airfoil_small fem_small shallow_small jacobi_small_double \
    dup_rows args64 minmax_vec types overlap read_blocks extremes extremes_odd; do
    # shellcheck disable=SC2086
    run OP2_INCREMENTS=$form timeout 300 "$build/test/programs/$program" &&
      [ ! -s "$OCLGRIND_LOG" ]
    verdict "$form $program" $?
  done
done

# The same through SPIR-V, as devices without SPIR get it.
for program in airfoil_small fem_small dup_rows minmax_vec types extremes_odd; do
  run RACES_IL=1 timeout 300 "$build/test/programs/$program" &&
    [ ! -s "$OCLGRIND_LOG" ]
  verdict "SPIR-V $program" $?
done
! run RACES_IL=1 PATH=/nowhere "$build/test/programs/airfoil_small" &&
  grep -q 'looked for the translator llvm-spirv-15' "$tmp/out"
verdict 'SPIR-V without a translator' $?

# A map said to be injective: no colours, no atomic sums. Barriers taken out: element
# colours meet, in the device's memory or in local memory.
planted=$build/test/sanitize/planted
run timeout 300 "$planted" && [ "$(races)" = 0 ]
verdict 'nothing planted' $?
run timeout 300 "$planted" race || :
[ "$(races)" -gt 0 ]
verdict 'planted: a map said to be injective' $?
for form in colour staged; do
  run RACES_PLANT=barriers OP2_INCREMENTS=$form timeout 300 "$planted" || :
  [ "$(races)" -gt 0 ]
  verdict "planted: $form without barriers" $?
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
