#!/bin/sh
# Are sanitizers blind in compiled code? Errors planted there must be found, and
# only with OP2_SANITIZE, since nothing else instruments that code.
# Code for the host, that is.
#   test/sanitize/planted.sh BUILD thread|address
set -u
export OP2_TARGET=openmp
cd "$(dirname "$0")/../.." && . tools/sanitizers.sh
planted=$(cd "${1:?usage: planted.sh BUILD thread|address}" && pwd) || exit 2
planted=$planted/test/sanitize/planted
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
passed=0 failed=0

# Reports say where the memory is: "argument 1 of inc_next".
case $2 in
thread)
  errors=race
  says='WARNING: ThreadSanitizer: data race'
  ;;
address)
  errors='bounds tail mapped write before read inc wide value small sum bins
    global entry'
  says='ERROR: AddressSanitizer: '
  ;;
esac
named() { # what a report of this error names
  case $1 in
  write) echo "'argument 0 of write_next'" ;;
  inc) echo "'argument 1 of inc_next'" ;;
  value) echo "'argument 0 of read_value'" ;;
  bins) echo "'argument 1 of add_bin'" ;;
  esac
}

expect() { # found|nothing OP2_SANITIZE error
  OMP_NUM_THREADS=2 OP2_SANITIZE=$2 timeout 120 "$planted" $3 >"$tmp" 2>&1
  rc=$?
  found=nothing
  [ $rc != 0 ] && grep -qF "$says" "$tmp" && grep -qF "$(named "$3")" "$tmp" &&
    found=found
  tail -n 1 "$tmp" | grep -qx ok || [ $found = found ] || found="exit $rc"
  if [ "$found" = "$1" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL planted error '$3', OP2_SANITIZE='$2': expected $1, got $found"
    cat "$tmp"
  fi
}

for error in $errors; do
  expect found "$2" "$error"
  expect nothing '' "$error"
done
expect nothing "$2" ''
echo "$passed passed, $failed failed"
[ $failed = 0 ]
