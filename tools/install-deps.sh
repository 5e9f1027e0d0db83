#!/bin/sh
# Install what building (and, with `check`, testing) needs, from Debian's own
# packages. What is there already is left alone, and nothing is asked of the
# network then. Works as root, or with sudo.
#
#   tools/install-deps.sh [build|check|bench|deb|site]     default: build
set -eu

build='gcc g++ make cmake ninja-build pkg-config
  clang-19 llvm-19-dev libjudy-dev libhdf5-dev libgmsh-dev'
check="$build libcriterion-dev libclang-rt-19-dev libomp-19-dev
  clang-format-19 clang-tidy-19 hdf5-tools graphviz gdb valgrind pocl-opencl-icd ocl-icd-libopencl1
  libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libptscotch-dev
  oclgrind llvm-spirv-14 llvm-spirv-15 spirv-tools busybox-static python3-numpy
  debootstrap file dpkg-dev mandoc chromium"
bench="$build libomp-19-dev python3"
deb="$build file dpkg-dev"
site="python3 python3-markdown"

case ${1-build} in
build) wanted=$build ;;
check) wanted=$check ;;
bench) wanted=$bench ;;
deb) wanted=$deb ;;
site) wanted=$site ;;
*)
  echo "usage: $0 [build|check|bench|deb|site]" >&2
  exit 2
  ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps: not a Debian system; needed are: " $wanted >&2
  exit 0
fi

installed() {
  dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}
missing=
for package in $wanted; do
  installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "install-deps: no root and no sudo; please install:$missing" >&2
    exit 1
  }
  as_root=sudo
fi
echo "install-deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get -q update </dev/null
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get -q install -y --no-install-recommends $missing </dev/null
