#!/bin/sh
# tools/layers.sh catches each kind of offence, names its place, and leaves an
# innocent tree alone. Each case plants one file in a small tree of its own.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# plant <path> <wanted line of output> [header [what it includes]] : the file's
# text comes on stdin; beside it stands the header
plant() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/tools" "$work/tree/$(dirname "$1")"
  cp "$top"/tools/layers.* "$work/tree/tools/"
  cat >"$work/tree/$1"
  if [ $# -gt 2 ]; then
    mkdir -p "$work/tree/$(dirname "$3")"
    echo "#include \"$4\"" >"$work/tree/$3"
  fi
  rc=0
  "$work/tree/tools/layers.sh" >"$work/out" 2>&1 || rc=$?
  if [ -z "$2" ]; then
    [ $rc -eq 0 ] && ! grep -q '^[a-z]*/' "$work/out"
  else
    [ $rc -ne 0 ] && grep -qF "$2" "$work/out"
  fi && echo pass >>"$work/result" || {
    echo fail >>"$work/result"
    echo "FAIL $1: wanted '$2', rc $rc:"
    cat "$work/out"
  }
}

echo '#include "ir/ir.h"' |
  plant base/a.c 'base/a.c:1: layer base may not include "ir/ir.h"'
printf '\n  # include "rt/store/store.h"\n' |
  plant passes/a.c 'passes/a.c:2: layer passes may not include "rt/store/store.h"'
echo '#include "rt/exec.h"' |
  plant lower/a.c 'lower/a.c:1: layer lower may not include "rt/exec.h"'
echo '#include "ir/ir.h"' |
  plant rt/a.h 'rt/a.h:1: layer rt may not include "ir/ir.h"'
echo '#include "base/err.h"' |
  plant include/op2.h 'layer include may not include "base/err.h"'
echo '#include <llvm-c/Core.h>' |
  plant frontend/a.c 'layer frontend may not use <llvm-c/Core.h>'
echo '#include <llvm-c/Core.h>' |
  plant lower/a.c 'layer lower may not use <llvm-c/Core.h>'
echo '#include "lower/llvm/ll.h"' |
  plant lower/a.c 'layer lower may not include "lower/llvm/ll.h"'
echo '#include "ir/ir.h"' |
  plant lower/llvm/a.c 'layer lower/llvm may not include "ir/ir.h"'
echo '#include "lower/a.h"' |
  plant lower/llvm/a.c \
    'lower/llvm/a.c: layer lower/llvm may not see "ir/ir.h": lower/llvm/a.c -> lower/a.h -> ir/ir.h' \
    lower/a.h ir/ir.h
echo '#include <mpi.h>' | plant ir/a.c 'layer ir may not use <mpi.h>'
awk 'BEGIN { for (i = 1; i <= 1001; i++) print "" }' |
  plant ir/a.c 'ir/a.c:1001: file of 1001 lines'
awk 'BEGIN { print "static int\nf(int a,\n  int b) {"
             for (i = 0; i < 58; i++) print "  a++;"; print "}" }' |
  plant ir/a.c 'ir/a.c:62: function of 61 lines'

# innocent: the longest function and file that are allowed, and a long table
awk 'BEGIN { print "#include \"base/err.h\"\nint\nf(int a) {"
             for (i = 0; i < 58; i++) print "  a++;"; print "}" }' |
  plant ir/a.c ''
awk 'BEGIN { print "int a[] = {"
             for (i = 0; i < 998; i++) print "  1,"; print "};" }' |
  plant ir/a.c ''
printf '#include "rt/plan.h"\n#include "lower/region.h"\n' | plant lower/a.c ''
printf '#include "lower/region.h"\n#include <llvm-c/Core.h>\n' |
  plant lower/llvm/a.c ''
printf '#include "op2.h"\n#include "rt/plan.h"\n' | plant frontend/a.c ''
echo '#include "lower/a.h"' | plant lower/llvm/a.c '' lower/a.h rt/plan.h
echo '#include "rt/plan.h"' | plant lower/llvm/a.c '' rt/plan.h rt/store/store.h

passed=$(grep -c pass "$work/result" || :)
failed=$(grep -c fail "$work/result" || :)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
