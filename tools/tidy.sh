#!/bin/sh
# clang-tidy-19 over the layers, with the rules of .clang-tidy.
#   tools/tidy.sh [build] [seconds]
# `build` holds compile_commands.json, of gcc or clang. What is not committed comes
# first, then what changed last; after `seconds` (default TIDY_SECONDS, or 600) what is
# left is skipped, and said so. Ends with "N passed, N failed[, N skipped]".
set -eu
cd "$(dirname "$0")/.."
build=${1-build}
end=$(($(date +%s) + ${2-${TIDY_SECONDS-600}}))
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# One file: its findings, and a line pass, fail or skip.
one='
  f=$1 name=$(echo "$1" | tr / _)
  if [ "$(date +%s)" -ge "$2" ]; then
    echo skip >"$4/$name.rc"
  elif clang-tidy-19 --quiet -p "$3" --extra-arg=-Wno-unknown-warning-option "$f" \
    >"$4/$name.log" 2>/dev/null &&
    ! grep -q "warning:\|error:" "$4/$name.log"; then
    echo pass >"$4/$name.rc"
  else
    echo fail >"$4/$name.rc"
    cat "$4/$name.log"
  fi'
find base ir passes rt -name "*.c" ! -path "rt/mpi/*" ! -path "rt/hdf5/*" ! -path "rt/petsc/*" |
  sort >"$out/all"
{
  git ls-files --others --exclude-standard 2>/dev/null
  git diff HEAD --name-only 2>/dev/null
  git log -n 200 --format= --name-only 2>/dev/null
  cat "$out/all"
} |
  awk 'NR == FNR { all[$0] = 1; next } all[$0] && !seen[$0]++' "$out/all" - |
  xargs -P "$(nproc)" -I{} sh -c "$one" tidy {} "$end" "$build" "$out"

count() {
  cat "$out"/*.rc | grep -c "$1" || :
}
skipped=$(count skip)
[ "$skipped" -eq 0 ] || echo "skipped: $skipped files, out of time"
echo "$(count pass) passed, $(count fail) failed, $skipped skipped"
[ "$(count fail)" -eq 0 ]
