#!/bin/sh
# Format all C and C++ sources with the one pinned clang-format.
#   tools/format.sh           rewrite
#   tools/format.sh --check   compare only; the diffs, lines of the layers that are
#                             longer than 80 columns (comments; the formatter leaves
#                             those alone), then "N passed, N failed"
set -eu
cd "$(dirname "$0")/.."
tool=clang-format-19
sources() {
  find base ir passes rt lower frontend include tools bench test -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) | LC_ALL=C sort
}

# Shows them; true: there are some.
long_lines() {
  case $1 in include/* | tools/* | bench/* | test/*) return 1 ;; esac
  LC_ALL=C.UTF-8 grep -n '.\{81\}' "$1" | sed "s|^|$1:|" | grep .
}

if [ "${1-}" != --check ]; then
  sources | xargs "$tool" -i
  exit 0
fi
passed=0 failed=0
for f in $(sources); do
  if "$tool" "$f" | diff -u --label "$f" --label "$f, formatted" "$f" - &&
    ! long_lines "$f"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
