#!/bin/sh
# A folder with everything that a machine with a card needs, and one command to run
# there, run.sh:
#
#   tools/gpu-pack.sh OUT [BUILD]
#
# BUILD (default build-gpu, made if it is not there) is a build with tests. Programs are
# stripped; the libraries that they need go with them, all but the C library, whose
# least version is printed. XZ_LEVEL (default 6): smaller or sooner.
set -eu
cd "$(dirname "$0")/.."
out=${1:?usage: gpu-pack.sh OUT [BUILD]} build=${2-build-gpu}
[ -e "$build/build.ninja" ] ||
  tools/check-build.sh "$build" gcc RelWithDebInfo "" all mock_cuda
command -v busybox >/dev/null && busybox --help 2>&1 | grep -q xzcat || {
  echo "gpu-pack: needs busybox (package busybox-static)" >&2
  exit 1
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$out" "$tmp/bin/programs" "$tmp/bin/bench" "$tmp/lib" "$tmp/mock" "$tmp/steps"
rm -rf "$out/files" "$out/files.tar.xz"

# ---- programs -------------------------------------------------------------------

for source in test/programs/*.c test/programs/*.cpp; do
  name=$(basename "$source")
  name=${name%.c*}
  [ ! -x "$build/test/programs/$name" ] || cp "$build/test/programs/$name" "$tmp/bin/programs"
done
for file in "$build"/bench/*/*; do
  case $file in *_opaque | *_ref | *_ref_jit | *_petsc | */mkmesh) continue ;; esac
  cp "$file" "$tmp/bin/bench"
done
cp "$build/test/random/random_programs" "$tmp/bin"
${CC:-cc} -O2 -o "$tmp/bin/facts" tools/gpu/facts.c -ldl
cp tools/gpu/*.sh "$tmp/steps"
rm "$tmp/steps/run.sh"
cp tools/skips.sh "$tmp/steps"

# ---- libraries ------------------------------------------------------------------

cp -L "$build/libop2lazy.so.0" "$build/libop2lazy-llvm.so" "$tmp/lib"
cp "$build/test/mock/libcuda.so.1" "$tmp/mock"

# What these need, and what that needs; not what the C library's package holds
needs() {
  LD_LIBRARY_PATH=$tmp/lib ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u
}
libc=$(basename "$(ldd "$tmp/bin/facts" | awk '/libc\.so/ { print $3 }')")
needs "$tmp"/bin/*/* "$tmp/bin/facts" "$tmp"/lib/* | while read -r file; do
  name=$(basename "$file")
  case $name in
  "$libc" | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libmvec.so.*) ;;
  *) [ -e "$tmp/lib/$name" ] || cp -L "$file" "$tmp/lib/$name" ;;
  esac
done
find "$tmp/bin" "$tmp/lib" -type f -exec strip --strip-unneeded {} + 2>/dev/null || true

for home in "${CUDA_HOME-}" /usr/local/cuda /usr/lib/cuda /usr/lib/nvidia-cuda-toolkit; do
  file=$home/nvvm/libdevice/libdevice.10.bc
  [ -n "$home" ] && [ -e "$file" ] || continue
  mkdir -p "$tmp/cuda/nvvm/libdevice"
  cp "$file" "$tmp/cuda/nvvm/libdevice"
  break
done
[ -d "$tmp/cuda" ] || echo "without libdevice: exp, sin and the like need CUDA's there"

# ---- the folder -----------------------------------------------------------------

cp tools/gpu/run.sh "$out"
cp "$(command -v busybox)" "$out/busybox"
tar -C "$tmp" -cf - . | xz -T0 "-${XZ_LEVEL:-6}" >"$out/files.tar.xz"
least=$(find "$tmp/bin" "$tmp/lib" -type f -exec objdump -T {} + 2>/dev/null |
  grep -o 'GLIBC_2[0-9.]*' | sort -uV | tail -n 1)
echo "$out: $(du -sm "$out" | cut -f1) MB; needs ${least#GLIBC_} or later of glibc, x86-64"
