#!/bin/sh
# The public headers against OP2's facts.
#   run.sh <build folder> <C compiler> <C++ compiler>
# In <build folder>/test/abi lies what is built here. Where the build folder holds
# the library, its symbols are checked, too. One line for each check that fails.
set -u
build=$1 cc=$2 cxx=$3
here=$(cd "$(dirname "$0")" && pwd)
include=$(cd "$here/../../include" && pwd)
out=$build/test/abi
mkdir -p "$out" || exit 1
warn="-Wall -Wextra -pedantic -Werror -Wno-unused-function"
failed=0
checks=0

# check <what> <command...>: the command must succeed.
check() {
  what=$1
  shift
  checks=$((checks + 1))
  "$@" >"$out/log" 2>&1 && return
  failed=$((failed + 1))
  echo "abi: failed: $what"
  head -20 "$out/log"
}

# must_fail <file> <command...>: it must fail, with the words of the file's first
# line behind "expect:".
must_fail() {
  file=$1
  shift
  checks=$((checks + 1))
  words=$(sed -n '1s/.*expect: \(.*[^ */]\).*/\1/p' "$file")
  ! "$@" >"$out/log" 2>&1 && grep -q "$words" "$out/log" && return
  failed=$((failed + 1))
  echo "abi: failed: $file: should not compile, saying \"$words\""
  head -20 "$out/log"
}

c="$cc -std=c11 $warn -I$include -I$here"
for header in "$include"/*.h; do
  name=$(basename "$header")
  echo "#include \"$name\"
typedef int something;" >"$out/alone.c"
  cp "$out/alone.c" "$out/alone.cpp"
  case $name in
  op2_cpp.h) ;;
  *) check "$name alone in C" $c -I"$here/mpi" -c "$out/alone.c" \
    -o "$out/alone.o" ;;
  esac
  for std in 11 17; do
    case $name in
    op2_c.h) ;;
    *) check "$name alone in C++$std" $cxx -std=c++$std $warn -I"$include" \
      -I"$here/mpi" -c "$out/alone.cpp" -o "$out/alone.o" ;;
    esac
  done
done

check "facts in C" $c -c "$here/facts_c.c" -o "$out/facts.o"
check "op_mpi_init in C" $c -I"$here/mpi" -c -x c "$here/mpi/init.h" \
  -o "$out/mpi.o"
check "doubles" $c -c "$here/stubs.c" -o "$out/stubs.o"
check "macros" $c "$here/calls_c.c" "$out/stubs.o" -o "$out/calls_c"
check "macros at work" "$out/calls_c"
for file in "$here"/wrong/*.c; do
  must_fail "$file" $c -c "$file" -o "$out/wrong.o"
done

for std in 11 17; do
  cpp="$cxx -std=c++$std $warn -Wno-ignored-attributes -I$include -I$here"
  check "facts in C++$std" $cpp -c "$here/facts_cpp.cpp" -o "$out/facts.o"
  check "op_mpi_init in C++$std" $cpp -I"$here/mpi" -c -x c++ \
    "$here/mpi/init.h" -o "$out/mpi.o"
  check "templates in C++$std" $cpp "$here/calls_cpp.cpp" "$out/stubs.o" \
    -o "$out/calls_cpp"
  check "templates at work in C++$std" "$out/calls_cpp"
  for file in "$here"/wrong/*.cpp; do
    must_fail "$file" $cpp -c "$file" -o "$out/wrong.o"
  done
done

# Each name of the table in doc/porting.md is in a header.
documented() {
  awk '/^### Names that are not here/ { exit } on; /^## OP2.s names/ { on = 1 }' \
    "$here/../../doc/porting.md" | grep '^| `' | cut -d'|' -f2 |
    grep -o '`[A-Za-z0-9_]*`' | tr -d '`' >"$out/documented"
  [ "$(wc -l <"$out/documented")" -gt 200 ] || return 1
  while read -r name; do
    grep -qw -- "$name" "$include"/*.h || { echo "in no header: $name"; return 1; }
  done <"$out/documented"
}
check "names of doc/porting.md" documented

lib=$(find "$build" -maxdepth 2 -name libop2lazy.so | head -1)
if [ -n "$lib" ]; then
  dir=$(dirname "$lib")
  check "link against the library" $cc -std=c11 -I"$include" -I"$here" \
    "$here/link.c" -o "$out/link" -L"$dir" -lop2lazy -Wl,-rpath,"$dir"
  check "linked program" "$out/link"
  # __jit_debug_...: gdb looks for code made at run time by these names
  strange() { ! nm -D --defined-only "$lib" | awk '{print $3}' |
    grep -vE '^(op_|op2_|OP_|__jit_debug_(descriptor|register_code)$)'; }
  check "nothing else is exported" strange
fi

echo "$((checks - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
