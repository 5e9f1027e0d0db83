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
    awk '$2 !~ /A/ && $3 !~ /^(op_|op2_|OP_)/ { print; bad = 1 }
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
kernel_is_kept() { # fused code is made, which opaque kernels have none of
  OP2_CACHE=0 OP2_LOG=3 "$work/c_op2cc" 2>&1 | grep -q 'compiling.*flux'
}

try install cmake --install "$build" --prefix "$prefix"
PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig -type d)
sed -i "s|^prefix=.*|prefix=$prefix|" "$PKG_CONFIG_PATH/op2lazy.pc"
lib=$(dirname "$PKG_CONFIG_PATH")
[ -e "$prefix/lib/libop2lazy.so" ] || ln -s "$lib"/* "$prefix/lib/"
export PKG_CONFIG_PATH LD_LIBRARY_PATH="$lib"
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
try 'find_package' with_cmake
try 'op2-run --version' "$prefix/bin/op2-run" --version
try 'exports' exports_only_the_api
skips_say
echo "$passed passed, $failed failed, $(skips_count) skipped"
[ $failed -eq 0 ]
