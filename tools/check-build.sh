#!/bin/sh
# One of the builds of the checks; warnings are errors.
#   tools/check-build.sh <folder> gcc|clang <build type> [sanitizers [target ...]]
# "1 passed, 0 failed" if it builds.
set -eu
cd "$(dirname "$0")/.."
dir=$1 type=$3 sanitize=${4-}
case $2 in
gcc) cc=gcc cxx=g++ ;;
clang) cc=clang-19 cxx=clang++-19 ;;
esac
shift $(($# < 4 ? $# : 4))

# ThreadSanitizer wants fixed places in memory; it can't have them where the
# kernel spreads addresses widely and a container forbids to switch that off.
if [ "$sanitize" = thread ]; then
  mkdir -p "$dir"
  echo 'int main(void) { return 0; }' >"$dir/probe.c"
  $cc -fsanitize=thread "$dir/probe.c" -o "$dir/probe"
  "$dir/probe" || {
    echo "skipped: build-tsan: what ThreadSanitizer builds does not run here"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
  }
fi
if cmake -S . -B "$dir" -G Ninja -DCMAKE_C_COMPILER=$cc \
  -DCMAKE_CXX_COMPILER=$cxx -DCMAKE_BUILD_TYPE="$type" -DOP2_SANITIZE="$sanitize" \
  -DOP2_TESTS=ON \
  -DCMAKE_C_FLAGS=-Werror -DCMAKE_CXX_FLAGS=-Werror \
  -DCMAKE_INSTALL_PREFIX=/usr/local &&
  cmake --build "$dir" -j "$(nproc)" --target "${@:-all}"; then
  echo "1 passed, 0 failed"
else
  echo "0 passed, 1 failed"
  exit 1
fi
