#!/bin/sh
# Debuggers and sanitizers under OP2_DEBUG=kernels: they see kernels as the program's
# own code, and without it they see none. OP2_DEBUG=lines: they see lines and names in
# compiled regions, made or from the cache, and perf has a file of names.
#   test/debug/run.sh BUILD     the folder that holds op2cc
# Ends with "N passed, N failed, N skipped"; gdb is skipped where it is not installed
# or must not run programs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export OP2_CACHE_DIR="$work/cache" OP2_TARGET=openmp OP2_LOG=0
export ASAN_OPTIONS=detect_leaks=0
cd "$work" || exit 2
passed=0 failed=0 skipped=0

# check NAME has|lacks PATTERN: in the file log
check() {
  found=lacks
  grep -q -- "$3" log && found=has
  if [ $found = "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1: the output $found '$3':"
    cat log
  fi
}

# compile NAME OPTIONS...
compile() {
  name=$1
  shift
  "$build/op2cc" -g -O0 "$@" "-I$here/../../include" "$here/kernels.c" -o "$name" \
    -lm >log 2>&1 && return
  failed=$((failed + 1))
  echo "FAILED: op2cc $*"
  cat log
}

debug() { # MARK COMMAND...: gdb stops at the line with this comment, and goes on
  line=$(grep -n "; /\* $1 \*/" "$here/kernels.c" | cut -d: -f1)
  shift
  gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex "break kernels.c:$line" \
    -ex run -ex backtrace -ex 'print slope' -ex delete -ex continue "$@" >log 2>&1
}

names_drop() { # perf's file of what gdb has run
  sed -n 's/.*(process \([0-9]*\)).*/\1/p' log | while read -r pid; do
    rm -f "/tmp/perf-$pid.map"
  done
}

refused() { # COMMAND...: the same where the loader takes no code, and LLVM's own runs
  line=$(grep -n '; /\* fused \*/' "$here/kernels.c" | cut -d: -f1)
  cat >script <<SCRIPT
set debuginfod enabled off
set confirm off
set breakpoint pending on
break low_load_told
commands
  return 7
  continue
end
break kernels.c:$line
run
backtrace 2
SCRIPT
  gdb -q -nx -batch -x script "$@" >log 2>&1
}

compile plain
if ! command -v gdb >/dev/null; then
  skipped=$((skipped + 1))
  echo "skipped: gdb: it is not installed"
elif ! gdb -q -nx -batch -ex run /bin/true 2>&1 | grep -q 'exited normally'; then
  skipped=$((skipped + 1))
  echo "skipped: gdb: it cannot run programs here"
else
  OP2_DEBUG=kernels debug "stop here" ./plain
  check "gdb stops in the kernel" has "^Breakpoint 1, turn (a=0x.*kernels.c:$line"
  check "gdb shows it" has "^#0 *turn (a=0x.*, b=0x.*, to=0x.*) at .*kernels.c:$line"
  check "gdb shows its variables" has '^\$1 = 10$'
  check "the program goes on" has '^sum 0$'
  debug "stop here" ./plain
  check "gdb does not see compiled code" lacks '^Breakpoint 1, '
  check "the program runs" has '^sum 0$'
  compile optimised -O2
  call=$(grep -n 'op_par_loop(halve' "$here/kernels.c" | cut -d: -f1)
  for code in "new" "cached"; do
    OP2_DEBUG=lines debug fused ./optimised
    check "gdb stops in $code code" has "^Breakpoint 1.*, halve () at .*kernels.c:$line"
    check "gdb names the kernel in $code code" has "^#0 .*halve () at .*kernels.c:$line"
    check "gdb names the region of $code code" has \
      "^#1 .* region put+halve () at .*kernels.c:$call"
    check "gdb sees who runs $code code" has '^#[0-9]* .* in main (.*kernels.c:'
    check "the program goes on from $code code" has '^sum 0$'
    names_drop
  done
  OP2_CACHE=0 OP2_DEBUG=lines OP2_LOG=2 refused ./optimised
  check "the loader takes no code" has 'code of put+halve is the compiler.s'
  check "gdb stops in LLVM's code" has "^#0 .*halve () at .*kernels.c:$line"
  check "gdb names the region of LLVM's code" has '^#1 .* region put+halve () at'
  names_drop
fi

if [ "$(uname -sm)" = "Linux x86_64" ]; then
  compile optimised -O2
  OP2_DEBUG=lines ./optimised >log 2>&1 &
  wait $!
  check "the program runs with lines" has '^sum 0$'
  cat "/tmp/perf-$!.map" >>log 2>&1
  check "perf finds the region" has '^[0-9a-f]* [0-9a-f]* put+halve (op2_region)$'
  rm -f "/tmp/perf-$!.map"
  OP2_DEBUG=0 ./optimised >log 2>&1 &
  wait $!
  [ -e "/tmp/perf-$!.map" ] && echo "a file of names" >>log
  check "perf is told nothing unasked" lacks 'a file of names'
fi

compile sanitized -fsanitize=address
OP2_DEBUG=kernels ./sanitized past >log 2>&1
check "address sanitizer" has 'ERROR: AddressSanitizer: global-buffer-overflow'
check "address sanitizer names the kernel" has '#0 .* in turn .*kernels.c:'
OP2_DEBUG=kernels ./sanitized >log 2>&1
check "nothing is found where nothing is" has '^sum 0$'

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
