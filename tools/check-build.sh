#!/bin/sh
# One of the builds of the checks; warnings are errors.
#   tools/check-build.sh <folder> gcc|clang <build type> [sanitizers]
# "1 passed, 0 failed" if it builds.
set -eu
cd "$(dirname "$0")/.."
case $2 in
gcc) cc=gcc cxx=g++ ;;
clang) cc=clang-19 cxx=clang++-19 ;;
esac
if cmake -S . -B "$1" -G Ninja -DCMAKE_C_COMPILER=$cc \
  -DCMAKE_CXX_COMPILER=$cxx -DCMAKE_BUILD_TYPE="$3" -DOP2_SANITIZE="${4-}" \
  -DCMAKE_C_FLAGS=-Werror -DCMAKE_CXX_FLAGS=-Werror \
  -DCMAKE_INSTALL_PREFIX=/usr/local &&
  cmake --build "$1" -j "$(nproc)"; then
  echo "1 passed, 0 failed"
else
  echo "0 passed, 1 failed"
  exit 1
fi
