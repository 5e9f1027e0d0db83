#!/bin/bash
# The folder of tools/gpu-pack.sh in a root that holds nothing but a C library: from
# start to end on a CUDA driver that computes nothing (test/mock), and, with PoCL added to
# that root, on OpenCL.
#   test/gpu/run.sh BUILD
# Ends with "N passed, N failed".
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
if ! command -v busybox >/dev/null || ! chroot / true 2>/dev/null; then
  echo "skipped: gpu: needs busybox-static, and the right to a root of its own"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
mkdir -p "$root/tmp" "$root/dev"
passed=0 failed=0 skipped=0

verdict() { # name status
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $1"
    tail -n 30 "$tmp/log"
  fi
}

# Files of that name, with the links that lead to them, at their places in the root
put() {
  local file
  for file in "$@"; do
    [ -f "$file" ] || continue
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
}

closure() { ldd "$@" 2>/dev/null | grep -o '/[^ )]*' | grep -v ':$' | sort -u; }

put $(dpkg -L libc6:amd64 | grep '\.so') /lib64/ld-linux-x86-64.so.2
mknod -m 666 "$root/dev/null" c 1 3 2>/dev/null || : >"$root/dev/null"
XZ_LEVEL=1 "$top/tools/gpu-pack.sh" "$root/pack" "$build" >"$tmp/log" 2>&1
verdict pack $?
mb=$(XZ_LEVEL=6 du -sm "$root/pack" | cut -f1)
[ "$mb" -le 75 ] # with the quickest packing; 45 by default
verdict "size: $mb MB" $?

run() { # options of run.sh
  chroot "$root" /pack/busybox env -i PATH=/usr/bin TMPDIR=/tmp "${few[@]}" \
    /pack/busybox sh /pack/run.sh "$@" >"$tmp/log" 2>&1
}

few=(PROGRAMS="fetch airfoil_small info" COUNT=4 CASES="airfoil-5k" "VARIANTS=default one-a-loop")
run --mock 10
verdict mock $?
for kind in program random bench; do
  grep -q "\"kind\": \"$kind\".*\"ok\": 1" "$root/pack/results/results.jsonl"
  verdict "mock: results of $kind" $?
done

mkdir -p "$root/sys" # PoCL asks for the machine there
if OP2_LOG=0 TEST_IR=1 OP2_TARGET=opencl "$build/test/programs/fetch" >"$tmp/log" 2>&1 &&
  mount --bind /sys "$root/sys" 2>/dev/null; then
  trap 'umount "$root/sys"; rm -rf "$tmp"' EXIT
  put /etc/OpenCL/vendors/*.icd $(find /usr/share/pocl /usr/lib/*/pocl* /usr/lib/clang* -type f 2>/dev/null)
  put $(dpkg -L libc6-dev libgcc-12-dev | grep -E '\.(o|a|so)$') # it links
  put /lib/x86_64-linux-gnu/libgcc_s.so.1
  put $(closure /usr/lib/*/libpocl.so.2* /usr/lib/*/libOpenCL.so.1 /usr/bin/ld) \
    /usr/lib/*/libpocl.so.2* /usr/lib/*/libOpenCL.so.1 /usr/bin/ld
  run --opencl 20
  verdict opencl $?
  grep -q '"kind": "bench".*"ok": 1' "$root/pack/results/results.jsonl"
  verdict "opencl: results of bench" $?
else
  skipped=$((skipped + 1))
  echo "skipped: gpu: no OpenCL here, or /sys cannot be mounted in a root of its own"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
