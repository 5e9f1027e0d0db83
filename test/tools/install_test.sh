#!/bin/sh
# The installed package: the program of README.md, taken from there, compiled
# through each of the ways that README and doc/porting.md promise, and run.
#   test/tools/install_test.sh <build>
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OP2_CACHE_DIR="$work/cache"
prefix=$work/usr
passed=0 failed=0
. tools/skips.sh
skipped_to=$work/skipped

# try <what> <command ...>: passes if it succeeds
try() {
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $what:"
    cat "$work/log"
  fi
}
# gives <program> : does it print the answer?
gives() {
  [ "$("$1")" = '1 1 -2' ]
}
# build_and_run <name> <compiler ...>
build_and_run() {
  out=$work/$1
  shift
  # shellcheck disable=SC2046
  "$@" "$src" -o "$out" $(pkg-config --cflags --libs op2lazy) &&
    gives "$out"
}
exports_only_the_api() {
  nm -D --defined-only "$prefix/lib/libop2lazy.so" |
    awk '$2 !~ /A/ && $3 !~ /^(op_|op2_|OP_|__jit_debug_)/ { print; bad = 1 }
         END { exit bad }'
}
with_cmake() {
  mkdir -p "$work/cmake"
  cat >"$work/cmake/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(readme LANGUAGES C)
find_package(op2lazy REQUIRED)
add_executable(readme $work/readme.c)
target_link_libraries(readme PRIVATE op2lazy::op2lazy)
CMAKE
  cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_C_COMPILER="$prefix/bin/op2cc" &&
    cmake --build "$work/cmake/build" && gives "$work/cmake/build/readme"
}
warned() { # a compiler that keeps no IR is told of, op2cc is not, nor where QUIET
  configure() { # configure COMPILER [QUIET]
    rm -rf "$work/warn" && mkdir "$work/warn" &&
      printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(warn LANGUAGES C)' \
        "find_package(op2lazy REQUIRED ${2-})" >"$work/warn/CMakeLists.txt" &&
      cmake -S "$work/warn" -B "$work/warn/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$1" >"$work/warnings" 2>&1
  }
  says() { tr -s ' \n' ' ' <"$work/warnings" | grep -q "$1"; }
  configure cc && says "op2lazy: the C compiler is .*cc, which keeps no IR" &&
    says "CMAKE_C_COMPILER=$prefix/bin/op2cc" &&
    configure cc QUIET && ! says 'op2lazy:' &&
    configure "$prefix/bin/op2cc" && ! says 'op2lazy:'
}
alone() { # alone <name> <compiler ...>: nothing said about the library
  out=$work/$1
  shift
  "$@" "$src" -o "$out" && gives "$out"
}
in_two_steps() {
  "$prefix/bin/op2cc" -O2 -c "$src" -o "$work/two.o" &&
    "$prefix/bin/op2cc" "$work/two.o" -o "$work/two" && gives "$work/two"
}
as_shared() { # the library is not linked where nothing of it is used
  echo 'int f(void) { return 1; }' >"$work/f.c"
  "$prefix/bin/op2cc" -fPIC -shared "$work/f.c" -o "$work/f.so" &&
    ! readelf -d "$work/f.so" | grep op2lazy
}
own_header_first() {
  mkdir -p "$work/own" && echo '#define MINE 1' >"$work/own/op2.h"
  printf '#include "op2.h"\nint main(void) { return !MINE; }\n' >"$work/own.c"
  "$prefix/bin/op2cc" -I"$work/own" "$work/own.c" -o "$work/own.out" &&
    "$work/own.out"
}
by_showme() {
  # shellcheck disable=SC2046
  cc "$src" -o "$work/showme" $("$prefix/bin/op2cc" -showme:compile) \
    $("$prefix/bin/op2cc" -showme:link) && gives "$work/showme" &&
    "$prefix/bin/op2cc" -showme -c x.c | grep -q -- "-c x.c -I$prefix"
}
from_build() { # not installed
  "$build/op2cc" -O2 "$src" -o "$work/from_build" && gives "$work/from_build"
}
long_rows() { # 10^10 comparisons, if each were compared with each
  cat >"$work/long.irt" <<'TRACE'
trace @t {
  set %cells n=3
  set %edges n=2
  map %pecell : %edges -> %cells x60000 onto repeats
  dat %q : %cells f64 x1
  dat %w : %edges f64 x1
  kernel @k
  %w.1 = loop @k over %edges (read %q.0 via %pecell[1], write %w)
  live %w.1
}
TRACE
  timeout 60 "$prefix/bin/op2-run" "$work/long.irt"
}
moved() { # the prefix is another folder now
  mv "$prefix" "$work/elsewhere" &&
    PKG_CONFIG_PATH=$(find "$work/elsewhere" -name pkgconfig -type d) \
      build_and_run moved_cc cc &&
    alone moved_op2cc "$work/elsewhere/bin/op2cc"
}
python_module() { # finds its library by its place
  module=$(find "$prefix" -name op2lazy.py) &&
    [ "$(PYTHONPATH=$(dirname "$module") "$python" -c 'import op2lazy as op2
print(op2.Dat(op2.Set(2), [3.0, 4.0]).fetch())')" = '[3. 4.]' ]
}
kernel_is_kept() { # fused code is made, which opaque kernels have none of
  OP2_CACHE=0 OP2_LOG=3 "$work/c_op2cc" 2>&1 | grep -q 'compiling.*flux'
}

try install cmake --install "$build" --prefix "$prefix"
PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig -type d)
lib=$(dirname "$PKG_CONFIG_PATH")
[ -e "$prefix/lib/libop2lazy.so" ] || ln -s "$lib"/* "$prefix/lib/"
export PKG_CONFIG_PATH # and no LD_LIBRARY_PATH: rpath has to do
src=$work/readme.c
sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' >"$src"
cp "$src" "$work/readme.cpp"

skips cc_opaque || try 'cc' build_and_run c_cc cc -std=c11
try 'op2cc' build_and_run c_op2cc "$prefix/bin/op2cc" -O2
try 'kernel has IR' kernel_is_kept
src=$work/readme.cpp
skips c++_opaque || try 'c++' build_and_run cxx_cc c++ -std=c++17
try 'op2c++' build_and_run cxx_op2cc "$prefix/bin/op2c++" -O2
src=$work/readme.c
try 'op2cc alone' alone c_alone "$prefix/bin/op2cc" -O2
try 'op2cc alone, two steps' in_two_steps
try 'op2cc -shared without the library' as_shared
try "op2cc: the user's folders come first" own_header_first
try 'op2cc -showme' by_showme
try 'op2cc of the build' from_build
try 'find_package' with_cmake
try 'find_package warns' warned
try 'op2-run --version' "$prefix/bin/op2-run" --version
try 'man pages' [ -s "$prefix/share/man/man3/op_par_loop.3" -a -s "$prefix/share/man/man1/op2cc.1" ]
try 'op2-view --help' "$prefix/bin/op2-view" --help
try 'exports' exports_only_the_api
try 'op2-run trace.irt' "$prefix/bin/op2-run" test/traces/fem_00.irt --deferred
try 'a map of long rows' long_rows
for python in python3 /usr/bin/python3 ''; do
  [ -z "$python" ] || "$python" -c 'import numpy' 2>/dev/null && break
done
if [ -n "$python" ]; then
  try 'the module of Python' python_module
else
  echo "skipped: the module of Python: no Python with numpy"
fi
try 'moved' moved
skips_say
echo "$passed passed, $failed failed, $(skips_count) skipped"
[ $failed -eq 0 ]
