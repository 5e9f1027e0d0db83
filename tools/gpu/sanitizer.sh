# Step: compute-sanitizer, where it is installed: reads and writes out of bounds
# (memcheck) and races in shared memory (racecheck) of some test programs, in each form
# of increments, the last also with reads.
. "$files/steps/common.sh"
tool=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ ! -x "$tool" ] || [ "$device" != cuda ] || [ -n "$mock" ]; then
  say "skipped: sanitizer: no compute-sanitizer, or no CUDA"
  exit 0
fi

one() { # check program form
  log=$TMPDIR/sanitizer.$1.$2.$3 rc=0 good=1
  reads=direct form=$3
  [ "$form" != reads ] || reads=staged form=staged
  env "$(aim)" TEST_IR=1 OP2_INCREMENTS=$form OP2_READS=$reads timeout 200 "$tool" --tool "$1" \
    --error-exitcode 9 "$files/bin/programs/$2" >"$log" 2>&1 || rc=$?
  [ $rc = 0 ] || {
    good=0
    say "FAIL $1 $2 $3: exit $rc"
    grep '=====' "$log" | head -n 12 | tee -a "$table"
  }
  json kind sanitizer check "$1" name "$2" form "$3" ok $good status $rc
}

all() {
  for check in memcheck racecheck; do
    for name in ${PROGRAMS-airfoil_small colour_sums fem_small arg_idx info read_blocks extremes_odd}; do
      [ -x "$files/bin/programs/$name" ] || continue
      for form in atomic colour staged reads; do
        printf '%s\0%s\0%s\0' "$check" "$name" "$form"
      done
    done
  done
}

if [ "${1-}" = one ]; then
  one "$2" "$3" "$4"
  exit 0
fi
all >"$TMPDIR/.all"
xargs -0 -n 3 -P "$(nproc)" sh "$files/steps/sanitizer.sh" one <"$TMPDIR/.all"
