#!/bin/sh
# Fill in the parts of documents that are made from the code's tables: what lies
# between "<!-- table NAME -->" and "<!-- end -->" comes from `op2-docs NAME`.
#   tools/docs.sh [build]            rewrite
#   tools/docs.sh --check [build]    compare only, also that relative links
#                                    lead somewhere, and that doc/ir.md has each
#                                    word of the tests' traces; "N passed, N failed"
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

# Words of the trace language in the legal traces of the tests.
trace_words() {
  for f in test/ir/*.irt test/passes/*.irt test/traces/*.irt \
    test/traces/replay/*.irt; do
    grep -q '^; ERROR' "$f" || sed 's/;.*//' "$f"
  done | sed 's/"\([^"\]\|\\.\)*"//g; s/[%@][^ ,()]*//g' |
    grep -o '[a-z][a-z0-9]*' | grep -v '^[xb][0-9]*$' | LC_ALL=C sort -u
}

passed=0 failed=0
wrong() {
  echo "$1"
  failed=$((failed + 1))
}
for f in README.md CHANGELOG doc/*.md; do
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
for word in ${check:+$(trace_words)}; do
  grep -q "[\"\`]$word[\"\`]" doc/ir.md && passed=$((passed + 1)) ||
    wrong "doc/ir.md: no word \"$word\", which a test's trace has"
done
[ -z "$check" ] || echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
