#!/bin/bash
# The cache on disk, by starting a program again and again:
#   test/cache/run.sh BUILD
set -u
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
. tools/sanitizers.sh
. tools/skips.sh
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
skipped_to=$work/skipped
export OP2_CACHE_DIR=$work/a/cache OP2_LOG=1 OMP_NUM_THREADS=2
unset OP2_CACHE OP2_CACHE_SIZE XDG_CACHE_HOME
passed=0 failed=0

# start PROGRAM [NAME=VALUE ...]: its line into $line, the log into $work/log
start() {
  local program=$build/test/cache/$1
  shift
  line=$(env "$@" timeout 60 "$program" 2>"$work/log") || line="$line: failed"
  number() { echo "$line" | sed -n "s/.*\b$1 \([0-9]*\).*/\1/p"; }
  compiles=$(number compiles) loads=$(number loads) bad=$(number bad)
  llvm=$(number llvm)
  case $line in *"result OK") ;; *) compiles=-1 loads=-1 bad=-1 llvm=-1 ;; esac
}
# check WHAT CONDITION
check() {
  if eval "$2"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $1: $line"
    cat "$work/log"
  fi
}
entries() { find "$OP2_CACHE_DIR" -name "*$1.op2" | sort; }
compiled='[ $compiles -gt 0 -a $loads = 0 -a $llvm = 1 ]'
loaded='[ $compiles = 0 -a $loads -gt 0 -a $bad = 0 -a $llvm = 0 ]'

kind=region
case ${OP2_TARGET-} in opencl* | cuda*) kind=device ;; esac
for p in start start_opaque; do
  skips $p && continue
  rm -rf "$work/a"
  start $p OP2_CACHE=0
  check "$p, switched off" "$compiled && [ ! -e '$work/a' ]"
  start $p
  check "$p, first start" "$compiled && [ $bad = 0 ]"
  first=$compiles
  start $p
  check "$p, second start" "$loaded && [ $loads = $first ]"
  start $p OP2_EAGER=1 OMP_NUM_THREADS=3
  start $p OP2_EAGER=1 OMP_NUM_THREADS=1
  check "$p, other number of threads" "$loaded"
done

# Code for devices, if there is one (PoCL leaks, so not under a sanitizer)
if [ $kind = region ] && [ -z "${ASAN_OPTIONS-}" ]; then
  rm -rf "$work/a"
  start start OP2_TARGET=opencl
  if grep -q 'looked for' "$work/log"; then
    echo "no OpenCL device: its code in the cache was left out"
  else
    check 'on a device, first start' "$compiled && [ $bad = 0 ]"
    start start OP2_TARGET=opencl
    check 'on a device, second start' "$loaded"
    start start OP2_TARGET=opencl OP2_INCREMENTS=staged
    check 'another form is other code' "[ $compiles = 1 ]"
    start start OP2_TARGET=opencl OP2_INCREMENTS=staged
    check 'another form, again' "$loaded"
    for f in $(entries device); do truncate -s -1 "$f"; done
    start start OP2_TARGET=opencl
    check 'truncated code of a device' "[ $bad = 3 -a $compiles = 3 ]"
    start start
    check 'on the host after a device' "$compiled"
  fi
fi

# Code that is not optimised at first: the next start finds all the same
if [ $kind = region ]; then
  for p in start start_opaque; do
    rm -rf "$work/a"
    start $p OP2_TIERS=always OP2_CACHE=0
    check "$p, replaced while it runs" "$compiled && [ ! -e '$work/a' ]"
    start $p OP2_TIERS=always
    check "$p, replaced and kept" "$compiled && [ $bad = 0 ]"
    first=$compiles
    start $p
    check "$p, the next start" "$loaded && [ $loads = $first ]"
  done
  rm -rf "$work/a"
  start many OP2_TIERS=always
  check 'many kernels, replaced' "[ $compiles = 64 -a $loads = 0 ]"
  start many
  check 'many kernels, the next start' "[ $compiles = 0 -a $loads = 64 ]"
fi

# The default places
start start -u OP2_CACHE_DIR XDG_CACHE_HOME="$work/xdg" HOME="$work/home"
check 'XDG_CACHE_HOME' "$compiled && [ -d '$work/xdg/op2lazy' ]"
start start -u OP2_CACHE_DIR HOME="$work/home"
check 'HOME' "$compiled && [ -d '$work/home/.cache/op2lazy' ]"
start start -u OP2_CACHE_DIR -u HOME
check 'no place at all' "$compiled"
start start OP2_CACHE_DIR=/proc/nowhere
check 'place that cannot be made' "$compiled && grep -q /proc/nowhere '$work/log'"

# Entries that are not as they were written: ignored, said so, replaced
rm -rf "$work/a"
start start
cp -r "$OP2_CACHE_DIR" "$work/good"
# damage WHAT KIND COMMAND: the command gets a file, and the next one of its kind
damage() {
  rm -rf "$OP2_CACHE_DIR" && cp -r "$work/good" "$OP2_CACHE_DIR"
  local list next
  mapfile -t list < <(entries "$2")
  next=${list[1]}
  file=${list[0]}
  eval "$3"
  start start
  check "$1 ($2)" "[ $bad = 1 ] && grep -q '$file.*made anew' '$work/log'"
  start start
  check "$1 ($2), replaced" "$loaded"
}
flip() { # file offset: one bit
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf "\\x$(printf %x $((byte ^ 16)))" |
    dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
for kind in $kind facts; do
  damage 'empty' $kind ': >"$file"'
  damage 'head alone' $kind 'truncate -s 32 "$file"'
  damage 'truncated' $kind 'truncate -s -1 "$file"'
  damage 'longer' $kind 'echo >>"$file"'
  damage 'garbage' $kind 'head -c 9000 /dev/urandom >"$file"'
  damage 'version' $kind 'flip "$file" 7'
  damage 'length of key' $kind 'flip "$file" 8'
  damage 'key' $kind 'flip "$file" 50'
  damage 'last byte' $kind 'flip "$file" $(($(stat -c %s "$file") - 1))'
  damage 'of another key' $kind 'cp "$next" "$file"'
  damage 'writable by others' $kind 'chmod 666 "$file"'
  damage 'a link' $kind 'mv "$file" "$work/away"; ln -s "$work/away" "$file"'
  damage 'a pipe' $kind 'rm "$file"; mkfifo "$file"'
  damage 'a folder' $kind 'rm "$file"; mkdir "$file"; rmdir "$file"; ln -s / "$file"'
done

# A folder that others may write to, or that is another's, is not used
not_used="$compiled && [ \$bad = 0 ] && grep -q 'it is not used' '$work/log'"
for wrong in 'chmod g+w' 'chmod o+w' 'chown 65534'; do
  [ "$wrong" = 'chown 65534' ] && [ "$(id -u)" != 0 ] && continue
  rm -rf "$OP2_CACHE_DIR" && cp -r "$work/good" "$OP2_CACHE_DIR"
  $wrong "$OP2_CACHE_DIR"
  before=$(entries '' | xargs cat | cksum)
  start start
  check "folder after $wrong" "$not_used"
  check "folder after $wrong stays as it is" \
    "[ '$before' = '$(entries '' | xargs cat | cksum)' ]"
done

# A changed kernel is another one; both stay, and the file's other kernels as well
rm -rf "$OP2_CACHE_DIR"
start start
start changed
check 'changed kernel' "[ $compiles -gt 0 -a $loads -gt 0 -a $bad = 0 ]"
start changed
check 'changed kernel, again' "$loaded"
start start
check 'former kernel' "$loaded"

# Many kernels in one file: entries hold what a region needs, not the file
rm -rf "$OP2_CACHE_DIR"
start many
check 'many kernels' "[ $compiles = 64 -a $loads = 0 ]"
check 'their entries' \
  "[ \$(du -bs '$OP2_CACHE_DIR' | cut -f1) -lt 1000000 ]"
[ -n "${ASAN_OPTIONS-}${OP2_TARGET-}" ] ||
  check 'nothing of the compiler stays' "[ $(number grown) -lt 300 ]"
start many
check 'many kernels, again' "[ $compiles = 0 -a $loads = 64 -a $bad = 0 ]"

# Processes that start together
for round in 1 2 3; do
  rm -rf "$work/a"
  for k in 1 2 3; do
    (start start; echo "$line" >"$work/line.$k") &
  done
  wait
  line=$(cat "$work"/line.*)
  check "three at once, round $round" \
    "[ \$(cat '$work'/line.* | grep -c 'bad 0.*result OK') = 3 ]"
  start start
  check "after them, round $round" "$loaded"
  check "nothing left over, round $round" \
    "! find '$OP2_CACHE_DIR' -type f | grep -v '[.]op2$'"
done

# The bound: the oldest go, nothing else in the folder does
rm -rf "$OP2_CACHE_DIR"
start start
touch -d '2001-01-01' "$OP2_CACHE_DIR"/*.op2 "$OP2_CACHE_DIR/mine"
start changed OP2_CACHE_SIZE=12K
check 'bound' "[ \$(du -b '$OP2_CACHE_DIR' --exclude=mine | cut -f1) -lt 20000 ]"
check 'not ours' "[ -e '$OP2_CACHE_DIR/mine' ]"
check 'oldest first' "[ -z \"\$(find '$OP2_CACHE_DIR' -name '*.op2' -mtime +1)\" ]"

# An entry that serves is no longer old
rm -rf "$OP2_CACHE_DIR"
start start
touch -d '2001-01-01' "$OP2_CACHE_DIR"/*.op2
start start
check 'used today' "[ -z \"\$(find '$OP2_CACHE_DIR' -mtime +1)\" ]"

# Without the compiler beside the library
mkdir "$work/alone"
cp "$build/libop2lazy.so.0" "$work/alone"
line=$(OP2_CACHE=0 LD_LIBRARY_PATH="$work/alone" "$build/test/cache/start" 2>&1)
check 'no compiler' "echo '$line' | grep -q 'start.c:.*alone/libop2lazy-llvm.so'"

skips_say
echo "$passed passed, $failed failed, $(skips_count) skipped"
[ $failed = 0 ]
