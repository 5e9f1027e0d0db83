#!/bin/sh
# Debuggers and sanitizers under OP2_DEBUG=kernels: they see kernels as the program's
# own code, and without it they see none.
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

debug() { # COMMAND...: gdb stops at the line, and goes on
  line=$(grep -n 'stop here' "$here/kernels.c" | cut -d: -f1)
  gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex "break kernels.c:$line" \
    -ex run -ex backtrace -ex 'print slope' -ex delete -ex continue "$@" >log 2>&1
}

compile plain
if ! command -v gdb >/dev/null; then
  skipped=$((skipped + 1))
  echo "skipped: gdb: it is not installed"
elif ! gdb -q -nx -batch -ex run /bin/true 2>&1 | grep -q 'exited normally'; then
  skipped=$((skipped + 1))
  echo "skipped: gdb: it cannot run programs here"
else
  OP2_DEBUG=kernels debug ./plain
  check "gdb stops in the kernel" has "^Breakpoint 1, turn (a=0x.*kernels.c:$line"
  check "gdb shows it" has "^#0 *turn (a=0x.*, b=0x.*, to=0x.*) at .*kernels.c:$line"
  check "gdb shows its variables" has '^\$1 = 10$'
  check "the program goes on" has '^sum 0$'
  debug ./plain
  check "gdb does not see compiled code" lacks '^Breakpoint 1, '
  check "the program runs" has '^sum 0$'
fi

compile sanitized -fsanitize=address
OP2_DEBUG=kernels ./sanitized past >log 2>&1
check "address sanitizer" has 'ERROR: AddressSanitizer: global-buffer-overflow'
check "address sanitizer names the kernel" has '#0 .* in turn .*kernels.c:'
OP2_DEBUG=kernels ./sanitized >log 2>&1
check "nothing is found where nothing is" has '^sum 0$'

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
