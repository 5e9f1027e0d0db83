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

case $2 in
thread) error=race says='WARNING: ThreadSanitizer: data race' ;;
address) error=bounds says='ERROR: AddressSanitizer: heap-buffer-overflow' ;;
esac

expect() { # found|nothing OP2_SANITIZE error
  OMP_NUM_THREADS=2 OP2_SANITIZE=$2 timeout 120 "$planted" $3 >"$tmp" 2>&1
  rc=$?
  found=nothing
  [ $rc != 0 ] && grep -qF "$says" "$tmp" && found=found
  tail -n 1 "$tmp" | grep -qx ok || [ $found = found ] || found="exit $rc"
  if [ "$found" = "$1" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL planted error '$3', OP2_SANITIZE='$2': expected $1, got $found"
    cat "$tmp"
  fi
}

expect found "$2" $error
expect nothing "$2" ''
expect nothing '' $error
echo "$passed passed, $failed failed"
[ $failed = 0 ]
