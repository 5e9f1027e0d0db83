#!/bin/sh
# The Python module against a build, with the first Python that has numpy.
#   test/python/run.sh BUILD
# Ends with "N passed, N failed[, N skipped]".
set -u
cd "$(dirname "$0")" || exit 2
top=$PWD/../..
build=$(cd "$OLDPWD" && cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
python=
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done
if [ -z "$python" ]; then
  echo "skipped: python: no Python with numpy (python3-numpy)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
export OP2LAZY_LIBRARY="$build/libop2lazy.so" PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$top/frontend/python" OP2_CACHE_DIR="${OP2_CACHE_DIR-$build/cache}"
passed=0 failed=0
for mode in OMP_NUM_THREADS=2 OP2_REPRODUCIBLE=1 "OP2_RENUMBER=rcm OP2_CHECK=1"; do
  # shellcheck disable=SC2086
  env $mode "$python" test_op2lazy.py -v >"$log" 2>&1
  status=$?
  ok=$(grep -c ' \.\.\. ok$' "$log")
  bad=$(grep -cE ' \.\.\. (FAIL|ERROR)$' "$log")
  [ $status -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
  passed=$((passed + ok)) failed=$((failed + bad))
  if [ "$bad" -gt 0 ] || [ $((ok + bad)) -eq 0 ]; then
    echo "FAIL python ($mode): exit $status"
    cat "$log"
  fi
done
if "$python" "$top/examples/python/heat.py" 40 /dev/null >"$log" 2>&1 &&
  grep -q '^heat 25600 at the beginning, 25600 in the end' "$log"; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAIL examples/python/heat.py"
  cat "$log"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
