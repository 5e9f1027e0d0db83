#!/bin/sh
# The site made of the documents (make site): complete, of one piece, without a network;
# a link that leads nowhere is an error.
#   test/tools/site_test.sh
set -eu
cd "$(dirname "$0")/../.."
/usr/bin/python3 -c 'import markdown' 2>/dev/null || {
  echo "skipped: site: python3-markdown is not installed"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# try <what> <command ...>: passes if it succeeds
try() {
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $what:"
    tail -n 20 "$work/log"
  fi
}

page() { [ -s "$work/site/$(basename "$1" .md).html" ] || { echo "no page of $1"; false; }; }
pages() { for document in doc/*.md; do page "$document" || return; done; }
alone() { ! grep -rlE '(src|rel="stylesheet" href)="(https?:)?//' "$work/site"; }
table() { grep -q '<td><code>OP2_DEBUG</code></td>' "$work/site/options.html"; }
reference() { grep -q 'op_par_loop' "$work/site/source/include/op2.h.html"; }
picture() { [ -s "$work/site/doc/op2-view.png" ]; }
broken() { # broken <link>: is it found in a copy of the documents?
  cp README.md "$work/tree/README.md"
  echo "[nowhere]($1)" >>"$work/tree/README.md"
  "$work/tree/tools/site.py" "$work/other" && return 1
  "$work/tree/tools/site.py" "$work/other" 2>&1 | grep "README.md: $1"
}

try 'make site' make -s site SITE="$work/site"
try 'a page of each document' pages
try 'nothing from elsewhere' alone
try 'tables are tables' table
try 'the header is the reference' reference
try 'pictures' picture
mkdir "$work/tree"
cp -r README.md CHANGELOG LICENSE doc include examples bench base ir passes rt lower \
  frontend tools test "$work/tree"
try 'a file that is not there' broken doc/none.md
try 'a heading that is not there' broken doc/debugging.md#none
echo "$passed passed, $failed failed"
[ $failed = 0 ]
