#!/bin/bash
# Code apart from running (op2-run --emit) of the recorded traces of the benchmark
# programs, in every kind; SPIR-V is looked at by spirv-val; PTX goes through ptxas for sm_80 and sm_90 where that is
# installed, and no register may spill. (The slow path of libdevice's sine has 40
# bytes of stack of its own.) Kernels that need libdevice are skipped, by name, where
# there is none. What a program writes of its pending loops (op2_generate) has the
# same bytes as what is made of their recorded trace.
#   test/ptx/run.sh BUILD
# Ends with "N passed, N failed".
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
clang=${CLANG:-clang-19}
ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
[ -x "$ptxas" ] || ptxas=
spirv=$(command -v llvm-spirv-15 >/dev/null && echo spirv)
spirv_val=$(command -v spirv-val)
python=$(command -v python3)
passed=0 failed=0 skipped=0

verdict() { # name status
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  elif grep -q 'looked for libdevice' "$tmp/log"; then
    skipped=$((skipped + 1))
    echo "skipped: $1: $(grep -m 1 'looked for libdevice' "$tmp/log" | cut -c1-200)"
  else
    failed=$((failed + 1))
    echo "FAIL $1: $(tail -n 3 "$tmp/log" | tr '\n' ' ' | cut -c1-400)"
  fi
}

kernels() { # source name: its kernels
  "$clang" -I"$top/include" -I"$top" -O2 -Xclang -disable-llvm-passes \
    -fno-math-errno -fno-trapping-math -ffp-contract=on -c -emit-llvm \
    "$top/$1" -o "$tmp/$2.bc" >"$tmp/log" 2>&1
}

emit() { # kind trace program options...
  local kind=$1 trace=$2 program=$3
  shift 3
  rm -rf "$tmp/out" && mkdir "$tmp/out"
  "$build/op2-run" --emit="$kind" "$trace" --kernels "$tmp/$program.bc" \
    --out "$tmp/out" "$@" >"$tmp/log" 2>&1
}

# Every file that was written, through ptxas.
assemble() { # arch
  local f
  for f in "$tmp"/out/*.ptx; do
    "$ptxas" -v -arch="$1" "$f" -o /dev/null >"$tmp/log" 2>&1 || return 1
    ! grep -E '[1-9][0-9]* bytes spill' "$tmp/log" || return 1
  done
}

# Every file that was written, by the rules of SPIR-V 1.2. (Not by those of OpenCL, which
# leave 64-bit atomics to an extension, cl_khr_int64_base_atomics.)
validate() {
  local f
  for f in "$tmp"/out/*.spv; do
    [ -z "$spirv_val" ] || "$spirv_val" --target-env spv1.2 "$f" >"$tmp/log" 2>&1 ||
      return 1
  done
}

# Kernels of PTX have as many parameters as the index lists arguments.
read -r -d '' counts <<'PYTHON'
import json, re, sys
out = sys.argv[1]
for r in json.load(open(out + '/index.json'))['regions']:
    if not r['file'].endswith('.ptx'): continue
    ptx = open(out + '/' + r['file']).read()
    found = {e: p.count('.param')
             for e, p in re.findall(r'\.entry (\w+)\((.*?)\)', ptx, re.S)}
    listed = {r['entry']: len(r['arguments'])}
    if 'combine' in r: listed[r['combine']] = len(r['combine_arguments'])
    if found != listed: sys.exit(f"{r['file']}: has {found}, listed {listed}")
PYTHON

# The index names the files that are there.
indexed() {
  local f
  for f in "$tmp"/out/[0-9]*; do
    grep -q "\"file\": \"$(basename "$f")\"" "$tmp/out/index.json" || return 1
  done
  [ -z "$python" ] || "$python" -c "$counts" "$tmp/out" >"$tmp/log" 2>&1
}

# What is pending in a program, and its trace.
generated() {
  local f
  mkdir -p "$tmp/pending"
  (cd "$tmp" && TEST_IR=1 OP2_LOG=0 OP2_TARGET=openmp OP2_EAGER=0 \
    "$build/test/programs/generate" "$tmp/pending") >"$tmp/log" 2>&1 &&
    kernels test/programs/generate.c generate &&
    emit cuda "$tmp/pending/pending.irt" generate && indexed || return 1
  for f in "$tmp"/out/*.ptx "$tmp/out/trace.irt"; do
    cmp "$f" "$tmp/pending/$(basename "$f")" >"$tmp/log" 2>&1 || return 1
  done
  [ -z "$ptxas" ] || assemble sm_80
}

# Each loop of a region has captured values of its own, and variables of the program
# may change: 320 bytes of each are memory of the launch, which is read in words.
apart() {
  cat >"$tmp/apart.c" <<'C'
static double by[40] = {2};
void k(double *q, const double *a) { *q += *a * by[0] + by[39]; }
C
  cat >"$tmp/apart.irt" <<'TRACE'
trace @t {
  set %cells n=100
  dat %q : %cells f64 x1
  dat %w : %cells f64 x1
  param %a : f64 x1
  param %b : f64 x1
  kernel @k
  %q.1 = loop @k over %cells (rw %q.0, read %a)
  %w.1 = loop @k over %cells (rw %w.0, read %b)
  live %q.1, %w.1
}
TRACE
  "$clang" -O2 -Xclang -disable-llvm-passes -c -emit-llvm "$tmp/apart.c" \
    -o "$tmp/apart.bc" >"$tmp/log" 2>&1 &&
    emit ptx "$tmp/apart.irt" apart && indexed &&
    [ "$(grep -c '"is": "value"' "$tmp/out/index.json")" = 2 ] &&
    grep -q '"is": "memory", "name": "values"' "$tmp/out/index.json" &&
    ! grep -q 'ld.global.*u8' "$tmp"/out/*.ptx &&
    [ "$(grep -c '"is": "constant", "name": "by"' "$tmp/out/index.json")" = 2 ]
}

# A constant goes over what was loaded only when that has come: what is stored is made
# of it (lower/llvm/target_ptx.c says why). One that goes over nothing does not wait.
waiting() {
  cat >"$tmp/wait.c" <<'C'
void k(double *q, double *r) { *r += *q; *q = 0; }
void n(double *q) { *q = 0; }
C
  for kernel in k n; do
    cat >"$tmp/wait.irt" <<TRACE
trace @t {
  set %cells n=100
  dat %q : %cells f64 x1
  dat %r : %cells f64 x1
  kernel @$kernel
$([ "$kernel" = n ] && echo "  %q.1 = loop @n over %cells (write %q)" ||
      echo "  %q.1, %r.1 = loop @k over %cells (rw %q.0, rw %r.0)")
  live %q.1$([ "$kernel" = n ] || echo ", %r.1")
}
TRACE
    "$clang" -O2 -Xclang -disable-llvm-passes -c -emit-llvm "$tmp/wait.c" \
      -o "$tmp/wait.bc" >"$tmp/log" 2>&1 && emit ptx "$tmp/wait.irt" wait || return 1
    grep -q 'ctaid.y' "$tmp"/out/*.ptx
    case $kernel,$? in n,1 | k,0) ;; *) return 1 ;; esac
  done
}

# Extremes are atomic operations of the type's kind, floats by their bits.
extremes() {
  cat >"$tmp/extremes.c" <<'C'
void k(const double *x, const float *y, const int *i, const unsigned *u,
       const unsigned long *l, double *a, float *b, int *c, unsigned *d,
       unsigned long *e) {
  if (*x < *a) *a = *x;
  if (*y > *b) *b = *y;
  if (*i < *c) *c = *i;
  if (*u > *d) *d = *u;
  if (*l < *e) *e = *l;
}
C
  cat >"$tmp/extremes.irt" <<'TRACE'
trace @t {
  set %edges n=400
  set %nodes n=100
  map %ends : %edges -> %nodes x2
  dat %x : %edges f64 x1
  dat %y : %edges f32 x1
  dat %i : %edges i32 x1
  dat %u : %edges u32 x1
  dat %l : %edges u64 x1
  dat %a : %nodes f64 x1
  dat %b : %nodes f32 x1
  dat %c : %nodes i32 x1
  dat %d : %nodes u32 x1
  dat %e : %nodes u64 x1
  kernel @k
  %a.1, %b.1, %c.1, %d.1, %e.1 = loop @k over %edges (
      read %x.0, read %y.0, read %i.0, read %u.0, read %l.0,
      min %a.0 via %ends[0], max %b.0 via %ends[0], min %c.0 via %ends[0],
      max %d.0 via %ends[1], min %e.0 via %ends[1])
  live %a.1, %b.1, %c.1, %d.1, %e.1
}
TRACE
  "$clang" -O2 -Xclang -disable-llvm-passes -c -emit-llvm "$tmp/extremes.c" \
    -o "$tmp/extremes.bc" >"$tmp/log" 2>&1 &&
    emit ptx "$tmp/extremes.irt" extremes --arch "$1" --increments "$2" && indexed ||
    return 1
  for op in min.s64 max.u64 max.s32 min.u32 min.s32 max.u32 min.u64; do
    grep -q "atom.*$op" "$tmp"/out/*.ptx || {
      echo "no atom with $op" >"$tmp/log"
      return 1
    }
  done
  [ -z "$ptxas" ] || assemble "$1"
}

for trace in "$top"/test/traces/*_00.irt; do
  name=$(basename "$trace" .irt)
  program=${name%_00}
  [ -f "$top/bench/${program%%_*}/$program.c" ] || continue
  kernels "bench/${program%%_*}/$program.c" "$program"
  verdict "$program: kernels" $?
  for kind in spir $spirv llvm object; do
    emit "$kind" "$trace" "$program" && [ -s "$(ls "$tmp"/out/* | head -n 1)" ] &&
      indexed &&
      { [ "$kind" != spirv ] || validate; }
    verdict "$name: $kind" $?
  done
  for arch in sm_80 sm_90; do
    for how in atomic colour staged "staged --reads staged"; do
      # shellcheck disable=SC2086
      emit ptx "$trace" "$program" --arch $arch --increments $how && indexed &&
        { [ -z "$ptxas" ] || assemble $arch; }
      verdict "$name: ptx $arch $how" $?
    done
  done
done
for how in atomic staged; do
  extremes sm_90 $how
  verdict "extremes: ptx $how" $?
done
waiting
verdict "constants wait for what they go over" $?
apart
verdict "captured values of two loops" $?
generated
verdict "generate: what is pending, and its trace" $?
[ -n "$spirv" ] || echo "no llvm-spirv-15: SPIR-V was not made"
[ -n "$spirv_val" ] || echo "no spirv-val (package spirv-tools): SPIR-V was not looked at"
[ -n "$ptxas" ] || echo "no ptxas: PTX was made, not assembled"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed != 0 ]
