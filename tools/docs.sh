#!/bin/sh
# Fill in the parts of documents that are made from the code's tables: what lies
# between "<!-- table NAME -->" and "<!-- end -->" comes from `op2-docs NAME`.
#   tools/docs.sh [build]            rewrite
#   tools/docs.sh --check [build]    compare only, also that relative links
#                                    lead somewhere; "N passed, N failed"
set -eu
check=
[ "${1-}" = --check ] && check=1 && shift
cd "$(dirname "$0")/.."
docs=${1-build}/op2-docs
new=$(mktemp)
trap 'rm -f "$new"' EXIT

fill() {
  awk -v docs="$docs" '
    /^<!-- end -->/ { skipping = 0 }
    !skipping { print }
    /^<!-- table [a-z]+ -->/ {
      skipping = 1
      command = docs " " $3
      while ((command | getline line) > 0) print line
      if (close(command) != 0) exit 1
    }
    END { if (skipping) exit 1 }' "$1" >"$new"
}

# Targets of relative links, one a line, without #fragments.
links() {
  grep -o '](\([^)]*\))' "$1" | sed 's/^](//; s/)$//; s/#.*//' |
    grep -v '^[a-z]*:' | grep . || :
}

passed=0 failed=0
wrong() {
  echo "$1"
  failed=$((failed + 1))
}
for f in README.md CHANGELOG.md doc/*.md; do
  [ -e "$f" ] || continue
  fill "$f" || {
    wrong "$f: a table is unknown or has no end"
    continue
  }
  if [ -z "$check" ]; then
    cmp -s "$f" "$new" || cp "$new" "$f"
    continue
  fi
  if diff -u --label "$f" --label "$f, from the tables" "$f" "$new"; then
    passed=$((passed + 1))
  else
    wrong "$f: out of date; run make docs"
  fi
  for to in $(links "$f"); do
    [ -e "$(dirname "$f")/$to" ] && passed=$((passed + 1)) ||
      wrong "$f: link to $to leads nowhere"
  done
done
[ -z "$check" ] || echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
