#!/bin/bash
# Code ahead of time (op2-run --emit) of the recorded traces of the benchmark
# programs, in every kind; SPIR-V is looked at by spirv-val; PTX goes through ptxas for sm_80 and sm_90 where that is
# installed, and no register may spill. (The slow path of libdevice's sine has 40
# bytes of stack of its own.) Kernels that need libdevice are skipped, by name, where
# there is none.
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

kernels() { # program: its kernels, as op2cc would keep them
  "$clang" -I"$top/include" -I"$top" -O2 -Xclang -disable-llvm-passes \
    -fno-math-errno -fno-trapping-math -ffp-contract=on -c -emit-llvm \
    "$top/bench/${1%%_*}/$1.c" -o "$tmp/$1.bc" >"$tmp/log" 2>&1
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

for trace in "$top"/test/traces/*_00.irt; do
  name=$(basename "$trace" .irt)
  program=${name%_00}
  [ -f "$top/bench/${program%%_*}/$program.c" ] || continue
  kernels "$program"
  verdict "$program: kernels" $?
  for kind in spir $spirv llvm object; do
    emit "$kind" "$trace" "$program" && [ -s "$(ls "$tmp"/out/* | head -n 1)" ] &&
      { [ "$kind" != spirv ] || validate; }
    verdict "$name: $kind" $?
  done
  for arch in sm_80 sm_90; do
    for how in atomic colour staged; do
      emit ptx "$trace" "$program" --arch $arch --increments $how &&
        { [ -z "$ptxas" ] || assemble $arch; }
      verdict "$name: ptx $arch $how" $?
    done
  done
done
waiting
verdict "constants wait for what they go over" $?
[ -n "$spirv" ] || echo "no llvm-spirv-15: SPIR-V was not made"
[ -n "$spirv_val" ] || echo "no spirv-val (package spirv-tools): SPIR-V was not looked at"
[ -n "$ptxas" ] || echo "no ptxas: PTX was made, not assembled"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed != 0 ]
