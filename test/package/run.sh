#!/bin/sh
# The Debian packages that cpack makes of a build: what they hold and need; installed into a
# bare Debian 12, where the program of README.md is compiled and run; removed again.
#   test/package/run.sh BUILD
# CHECK_DIR (default BUILD) keeps the bare system and downloaded packages for the next time.
# Ends with "N passed, N failed, N skipped"; the part in a root of its own is skipped where
# that cannot be made.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(realpath "${1:?usage: run.sh BUILD}")
keep=$(realpath "${CHECK_DIR:-$build}")
work=$(mktemp -d) || exit 2
trap 'umount "$work/root/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
passed=0 failed=0 skipped=0
version=$(sed -n 's/^project(op2lazy VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

check() { # check WHAT COMMAND...
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what:"
    tail -n 30 "$work/log"
  fi
}
end() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed = 0 ]
  exit
}
skip() { # and that is all
  skipped=$((skipped + 1))
  echo "skipped: package: $1"
  end
}

command -v cpack >/dev/null && command -v dpkg-shlibdeps >/dev/null ||
  skip 'no cpack or dpkg-shlibdeps (dpkg-dev)'
pack() {
  (cd "$build" && cpack -G DEB -B "$work/packages")
}
check 'cpack' pack
debs=$work/packages
field() { dpkg-deb -f "$debs/$1_${version}_"*.deb "$2"; }
needs() { # needs PACKAGE PATTERN...: among what it depends on
  depends=", $(field "$1" Depends)," && shift || return
  for pattern in "$@"; do
    case $depends in *", $pattern"*) ;; *) echo "no $pattern: $depends" && return 1 ;; esac
  done
}
holds() { # holds PACKAGE FILE...
  package=$1
  shift
  dpkg-deb -c "$debs/${package}_${version}_"*.deb >"$work/list" || return
  for file in "$@"; do
    grep -q " ./$file\$\| ./$file -> " "$work/list" || { echo "no $file" && return 1; }
  done
}
check 'version' [ "$(field libop2lazy0 Version)" = "$version" ]
check 'what the library needs' needs libop2lazy0 libllvm19 libjudydebian1 libgomp1
check 'what op2cc needs' needs libop2lazy-dev "libop2lazy0 (= $version)" clang-19
check 'what tools need' needs op2lazy-tools "libop2lazy0 (= $version)"
check 'the library' holds libop2lazy0 "usr/lib.*/libop2lazy.so.$version" \
  'usr/lib.*/libop2lazy-llvm.so'
check 'dev' holds libop2lazy-dev usr/include/op2lazy/op2.h usr/bin/op2cc \
  usr/bin/op2c++ usr/share/man/man1/op2cc.1 usr/share/man/man3/op_par_loop.3 \
  'usr/lib.*/libop2lazy.so' 'usr/lib.*/op2lazyConfig.cmake'
check 'tools' holds op2lazy-tools usr/bin/op2-run usr/bin/op2-opt

# ---- in a bare Debian -------------------------------------------------------------

command -v debootstrap >/dev/null || skip 'no debootstrap: not installed anywhere'
chroot / true 2>/dev/null || skip 'no right to a root of its own: not installed anywhere'
bare=$keep/debian-12.tar archives=$keep/debian-12-archives
root=$work/root
mkdir -p "$archives" "$root"
if [ ! -e "$bare" ]; then
  debootstrap --variant=minbase bookworm "$work/bare" >"$work/log" 2>&1 ||
    skip 'debootstrap makes no Debian 12 here (no mirror?)'
  tar -C "$work/bare" -cf "$bare.new" . && mv "$bare.new" "$bare"
  rm -rf "$work/bare"
fi
tar -C "$root" -xf "$bare" || skip 'a root cannot be unpacked here'
mount -t proc proc "$root/proc" 2>/dev/null || skip 'no right to mount /proc in a root'
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  DEBIAN_FRONTEND=noninteractive OP2_CACHE_DIR=/tmp/cache "$@"; }
echo 'Binary::apt::APT::Keep-Downloaded-Packages "true";' >"$root/etc/apt/apt.conf.d/keep"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null
cp "$archives"/*.deb "$root/var/cache/apt/archives/" 2>/dev/null
inside apt-get -q update >"$work/log" 2>&1 || skip 'no mirror of Debian: not installed anywhere'

mkdir "$root/packages"
for package in libop2lazy0 libop2lazy-dev op2lazy-tools; do
  cp "$debs/${package}_"*.deb "$root/packages/"
done
check 'apt-get install' inside sh -c \
  'apt-get -q install -y --no-install-recommends /packages/*.deb'
cp "$root"/var/cache/apt/archives/*.deb "$archives/" 2>/dev/null

sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' >"$root/tmp/readme.c"
gives() { # gives ANSWER COMMAND...
  answer=$1
  shift
  inside "$@" >"$work/out"
  cat "$work/out"
  [ "$(cat "$work/out")" = "$answer" ]
}
check 'op2cc' inside op2cc -O2 /tmp/readme.c -o /tmp/readme
check 'the program' gives '1 1 -2' /tmp/readme
check 'its kernels are fused' inside sh -c \
  'OP2_CACHE=0 OP2_LOG=3 /tmp/readme 2>&1 | grep "compiling.*flux"'
check 'op2-run' inside op2-run --version
check 'apt-get remove' inside apt-get -q remove -y libop2lazy-dev op2lazy-tools
check 'apt-get autoremove' inside apt-get -q autoremove -y \
  -o APT::AutoRemove::SuggestsImportant=false
check 'no compiler is left' [ ! -e "$root/usr/bin/clang-19" ]
check 'the program runs with the library alone' gives '1 1 -2' \
  env OP2_CACHE=0 /tmp/readme
check 'apt-get purge' inside apt-get -q purge -y libop2lazy0
check 'nothing is left' [ -z "$(find "$root/usr" "$root/etc" -name '*op2*')" ]
end
