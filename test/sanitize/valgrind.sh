#!/bin/sh
# Valgrind's memcheck on unit tests: wrong reads, values that were never written,
# and leaks at the end of each process. Those that compile kernels are left to the
# address sanitizer, which takes a hundredth of the time.
#   test/sanitize/valgrind.sh BUILD
# BUILD has the target plain_tests. On the host: what an OpenCL driver does inside is
# not ours, and the units of devices bring their own (a mock).
set -u
export OP2_TARGET=openmp
cd "$(dirname "$0")/../.."

one() { # program
  together=--together
  case $1 in # these count what the process did from its start
  *_api_* | *_rt_cuda* | *_rt_exec | *_rt_residency | *_rt_store) together= ;;
  esac
  log=$tmp/$(basename "$1")
  timeout 600 valgrind -q --leak-check=full --error-exitcode=9 \
    --show-leak-kinds=definite,indirect \
    --errors-for-leak-kinds=definite,indirect \
    --suppressions=test/valgrind.supp "$1" $together >"$log" 2>&1
  rc=$?
  last=$(tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed' ||
    echo "0 passed, 1 failed")
  [ $rc = 0 ] || case $last in *' 0 failed'*) last="0 passed, 1 failed" ;; esac
  case $last in *' 0 failed'*) ;; *) cat "$log" ;; esac
  echo "$(basename "$1"): $last" | tee "$log.last"
}

if [ "$1" = --one ]; then
  one "$2"
  exit 0
fi
build=${1:?usage: valgrind.sh BUILD}
export tmp; tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ls "$build"/test/plain/test_* | xargs -P "${JOBS:-$(nproc)}" -n 1 "$0" --one
cat "$tmp"/*.last | awk '{ p += $2; f += $4 }
  END { printf "%d passed, %d failed\n", p, f; exit f > 0 }'
