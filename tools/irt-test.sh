#!/bin/sh
# Text tests of the trace IR and the passes: test/ir/*.irt, test/passes/*.irt, and
# what programs recorded: test/traces/*.irt.
#   tools/irt-test.sh [--update] [build] [file.irt ...]
#
# A file holds a trace and, in comments at the start of a line,
#   ; RUN: op2-opt -p 'dce'     the command; without it plain op2-opt
#   ; EXPECT:                   the comment lines that follow are its output
#   ; EXPECT-NOT: text          nowhere in the output
#   ; ERROR: text               it fails, and says so (several: each of them)
# Whatever a trace prints as is read again and must print as the same text.
# --update writes what comes out in place of what EXPECT expects.
set -u
update=
[ "${1-}" = --update ] && update=1 && shift
build=build
[ -d "${1-}" ] && build=$1 && shift
opt=$(cd "$build" && pwd)/op2-opt
[ $# -gt 0 ] || set -- "$(dirname "$0")"/../test/ir/*.irt \
  "$(dirname "$0")"/../test/passes/*.irt \
  "$(dirname "$0")"/../test/traces/*.irt
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ -x "$opt" ] || {
  echo "$opt: not there; build first"
  exit 1
}

directive() { # file word: what stands behind "; word: ", line by line
  sed -n "s/^; $2: \{0,1\}//p" "$1"
}

# Text in $1 must come out of op2-opt as it went in.
round_trip() {
  "$opt" "$1" >"$tmp/again" 2>&1 && diff -u "$1" "$tmp/again"
}

# Positive part: output, forbidden text, round trips of input and output.
check_output() {
  if grep -q '^; EXPECT:' "$1"; then
    sed -n '/^; EXPECT:/,$p' "$1" |
      sed -n '2,${/^;/!q;/^; EXPECT-NOT:/q;s/^; \{0,1\}//;p;}' >"$tmp/want"
    diff -u "$tmp/want" "$tmp/out" || return 1
  fi
  directive "$1" EXPECT-NOT >"$tmp/not"
  while IFS= read -r text; do
    ! grep -nF -e "$text" "$tmp/out" || return 1
  done <"$tmp/not"
  "$opt" "$1" >"$tmp/in" && round_trip "$tmp/in" || return 1
  grep -v '^;' "$tmp/out" >"$tmp/body"
  case $(head -n 1 "$tmp/body") in trace*) round_trip "$tmp/body" ;; esac
}

check_error() {
  [ $rc -eq 1 ] || {
    echo "exit status $rc, expected an error"
    return 1
  }
  while IFS= read -r text; do
    grep -qF -e "$text" "$tmp/err" || {
      printf 'expected: %s\nfound: ' "$text"
      cat "$tmp/err"
      return 1
    }
  done <"$tmp/error"
}

one() {
  args=$(directive "$1" RUN | sed 's/^op2-opt//')
  rc=0
  eval "\"$opt\" $args \"$1\"" >"$tmp/out" 2>"$tmp/err" || rc=$?
  directive "$1" ERROR >"$tmp/error"
  [ ! -s "$tmp/error" ] || { check_error "$1"; return; }
  [ $rc -eq 0 ] || { cat "$tmp/err"; return 1; }
  if [ -n "$update" ] && grep -q '^; EXPECT:' "$1"; then
    {
      sed '/^; EXPECT:/,$d' "$1"
      echo "; EXPECT:"
      sed 's/^/; /' "$tmp/out"
      sed '1,/^; EXPECT:/d' "$1" | grep '^; EXPECT-NOT:'
    } >"$tmp/new"
    cmp -s "$tmp/new" "$1" || { cp "$tmp/new" "$1"; echo "updated $1"; }
  fi
  grep -q '^; EXPECT' "$1" || { echo "it expects nothing"; return 1; }
  check_output "$1"
}

passed=0 failed=0
for f in "$@"; do
  [ -e "$f" ] || continue
  if one "$f" >"$tmp/log" 2>&1; then
    passed=$((passed + 1))
    grep '^updated' "$tmp/log"
  else
    failed=$((failed + 1))
    echo "---- $f"
    cat "$tmp/log"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
