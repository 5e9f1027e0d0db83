#!/bin/bash
# Code in the program (op2cc --bundle): a run fills a folder, a link takes it in, and
# where there is neither a cache nor LLVM the program finds it:
#   test/cache/bundle.sh BUILD
set -u
build=$(cd "${1:?usage: bundle.sh BUILD}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
. tools/sanitizers.sh
here=$PWD
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir tmp alone
cp "$build/libop2lazy.so.0" alone # a machine without LLVM
export TMPDIR=$work/tmp OP2_CACHE_DIR=$work/cache OP2_LOG=1 OMP_NUM_THREADS=2
unset OP2_CACHE OP2_BUNDLE
passed=0 failed=0 sanitize=
grep -q '^OP2_SANITIZE:.*address' "$build/CMakeCache.txt" && sanitize=-fsanitize=address

# cc ARGS...: by op2cc, what it says into cc.log
cc() {
  # shellcheck disable=SC2086 # no option or one
  "$build/op2cc" -O2 $sanitize -I"$here" -I"$here/include" "$@" >cc.log 2>&1
}
# start PROGRAM [NAME=VALUE ...]: its line into $line, the log into log
start() {
  local program=./$1
  shift
  line=$(env "$@" timeout 60 "$program" 2>log) || line="$line: failed"
  number() { echo "$line" | sed -n "s/.*\b$1 \([0-9]*\).*/\1/p"; }
  compiles=$(number compiles) loads=$(number loads) bad=$(number bad)
  llvm=$(number llvm) bundled=$(number bundled)
  case $line in *"result OK") ;; *) compiles=-1 loads=-1 bad=-1 llvm=-1 bundled=-1 ;; esac
}
check() { # check WHAT CONDITION
  if eval "$2"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $1: $line"
    cat log cc.log
  fi
}
bare="OP2_CACHE=0 LD_LIBRARY_PATH=$work/alone"
compiled='[ $compiles -gt 0 -a $bundled = 0 -a $llvm = 1 ]'
inside='[ $compiles = 0 -a $loads = 0 -a $bundled -gt 0 -a $bad = 0 -a $llvm = 0 ]'

# ---- a run, a link, a machine with nothing --------------------------------------
cc -c "$here/test/cache/start.c" -o start.o && cc start.o -o start || cat cc.log
start start OP2_CACHE_DIR="$work/code"
check 'the run that fills the folder' "$compiled"
regions=$compiles
check 'a link' 'cc --bundle=code start.o -o bundled && [ ! -s cc.log ]'
start bundled $bare
check 'no cache, no LLVM' "$inside && [ \$bundled = $regions ]"
start bundled
check 'before the cache' "$inside && [ ! -e cache ]"
start bundled $bare OMP_NUM_THREADS=1 OP2_EAGER=1
check 'other threads, other order' "$inside"
start bundled OP2_BUNDLE=0 OP2_CACHE=0
check 'switched off' "$compiled"
start bundled $bare OP2_LOG=2
check 'the log tells' "grep -q \"program's own code: .* 0 for other processors\" log"

# ---- linked and built anew --------------------------------------------------------
check 'another link' 'cc --bundle=code start.o -o again'
start again $bare
check 'another link finds the same' "$inside"
check 'and is the same' 'cp again bundled2 && cc --bundle=code start.o -o again && cmp again bundled2'
cc -c "$here/test/cache/start.c" -o start.o && cc --bundle=code start.o -o again
start again $bare
check 'built anew' "$inside"
mkdir elsewhere && cp "$here/test/cache/start.c" elsewhere/other.c
(cd elsewhere && cc --bundle=../code other.c -o other)
start elsewhere/other $bare
check 'built in another folder, to another name' "$inside && [ \$bundled = $regions ]"
cc -c -DFACTOR=3.0 "$here/test/cache/start.c" -o start.o && cc --bundle=code start.o -o changed
start changed OP2_CACHE_DIR="$work/more"
check 'a changed kernel: its region alone is compiled' \
  "[ \$compiles = 1 -a \$bundled = $((regions - 1)) -a \$bad = 0 ]"
check 'both folders' 'cc --bundle=code --bundle=more start.o -o changed'
start changed $bare
check 'both folders are found' "$inside && [ \$bundled = $regions ]"
cc -c "$here/test/cache/start.c" -o start.o
if [ -z "$sanitize" ]; then # gcc's is another one
  gcc -O2 -I"$here" -I"$here/include" -c "$here/test/cache/start.c" -o opaque.o
  cc opaque.o -o opaque
  start opaque OP2_CACHE_DIR="$work/of_opaque"
  cc --bundle=of_opaque opaque.o -o opaque
  start opaque $bare
  check 'kernels of another compiler' "$inside"
fi
cc --bundle=code "$here/test/cache/start.c" -c -o start.o
check '-c: says that it is not used' "grep -q 'warning: --bundle=code is not used' cc.log"

# ---- what cannot be used ----------------------------------------------------------
entries() { grep -abo op2lazy2 "$1" | cut -d: -f1; }
flip() { # file offset: one bit
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf "\\x$(printf %x $((byte ^ 16)))" |
    dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
first=$(entries bundled | head -n 1) last=$(entries bundled | tail -n 1)
for at in $first $last; do
  for byte in 0 8 16 24 32 50 300; do
    cp bundled damaged && flip damaged $((at + byte))
    start damaged OP2_CACHE=0
    check "damage at $at + $byte" "[ \$bad = 1 -a \$bundled -ge $((regions - 1)) ] &&
      grep -q 'own code.*it is not used' log"
  done
done
rm -rf broken && cp -r code broken
for f in broken/*-region.op2; do truncate -s -1 "$f"; break; done
check 'a truncated file is left out' "cc --bundle=broken start.o -o damaged &&
  grep -q 'warning: --bundle: broken/.*is truncated; it is left out' cc.log"
start damaged OP2_CACHE=0
check 'its region is compiled' "[ \$compiles = 1 -a \$bundled = $((regions - 1)) ]"
printf 'int main(void) { return 0; }\n' >none.c
check 'a folder that is not there' "! cc --bundle=nowhere none.c -o none &&
  grep -q 'op2cc: --bundle=nowhere: No such file' cc.log && [ ! -e none ]"
mkdir empty
check 'an empty folder' "cc --bundle=empty none.c -o none &&
  grep -q 'no compiled code in empty; a run with OP2_CACHE_DIR=empty' cc.log && ./none"
check '-w' 'cc -w --bundle=empty none.c -o none && [ ! -s cc.log ]'
check 'without the library' 'cc --bundle=code none.c -o none && ./none'

# ---- what is missing where there is no LLVM ------------------------------------------
rm -rf part && mkdir part && cp code/*-facts.op2 part
cc --bundle=part start.o -o part_of
line=$(env $bare ./part_of 2>&1)
check 'the error names the region and the way out' "echo \"\$line\" | grep -q \
  'start.c:[0-9]*: loop set_up: .*libop2lazy-llvm.so.*own code (op2cc --bundle)'"
line=$(env $bare ./start 2>&1)
check 'and where there is no code at all' "echo \"\$line\" | grep -q \
  'start.c:[0-9]*: loop .*op2cc --bundle puts what a run compiles into the program'"

# ---- devices, if there is one (PoCL leaks, so not under a sanitizer) -------------------
if [ -z "$sanitize" ]; then
  start start OP2_CACHE_DIR="$work/of_device" OP2_TARGET=opencl
  if grep -q 'looked for' log; then
    echo "no OpenCL device: its code in programs was left out"
  else
    cc --bundle=of_device start.o -o on_device
    start on_device $bare OP2_TARGET=opencl
    check 'code of a device' "$inside"
  fi
fi
check 'no temporary files are left' '[ -z "$(ls tmp)" ]'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
