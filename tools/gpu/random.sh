# Step: random programs on the device against the interpreter on the host, in all modes
# for devices.
. "$files/steps/common.sh"
count=${COUNT-200} log=$TMPDIR/random.log
modes=opencl,opencl-eager,opencl-colours,opencl-atomic,opencl-staged
modes=$modes,opencl-reads,opencl-staged-rcm,opencl-no-passes,opencl-mixed,opencl-mixed-rcm
modes=$modes,opencl-no-realloc,opencl-looks,opencl-fallback # each on `device`
cd "$TMPDIR" || exit 1
rc=0
env "$(aim)" TEST_IR=1 "$files/bin/random_programs" --seed "${SEED-1}" --count "$count" \
  --modes "$modes" --jobs "$(nproc)" --failures 5 --shrink 20 --out "$out" \
  >"$log" 2>&1 || rc=$?
last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
passed=${last%% passed*} good=1
case $last,$mock in *' 0 failed',*) ;; *,1) [ "$rc" -le 128 ] || good=0 ;; *) good=0 ;; esac
[ $good = 1 ] || tail -n 40 "$log" | tee -a "$table"
say "random programs: $last"
json kind random ok $good passed "${passed:-0}" status "$rc" last "$last"
