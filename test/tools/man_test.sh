#!/bin/sh
# Man pages of a build: man and mandoc take them without a warning, every function of op2.h
# has one, and every tool.
#   test/tools/man_test.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 2
pages=$(realpath "${1:?usage: man_test.sh BUILD}")/man
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
unset MANPATH

check() { # check WHAT COMMAND...
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what:"
    tail -n 10 "$work/log"
  fi
}
skip() {
  skipped=$((skipped + 1))
  echo "skipped: $1"
}

# ---- which there are --------------------------------------------------------------

has_page() { # NAME SECTION: and the page that it leads to names it
  file=$pages/man$2/$1.$2
  [ -s "$file" ] || return
  to=$(sed -n '1s/^\.so //p' "$file")
  file=${to:+$pages/$to}${to:-$file}
  [ -z "$to" ] || file=$pages/$to
  sed -n '/^\.SH NAME/,/^\.SH SYN/p' "$file" | sed 's/\\-/-/g' | tr ' ,' '\n\n' | grep -qx "$1"
}
for tool in op2cc op2c++ op2-run op2-opt; do
  check "$tool(1)" has_page $tool 1
done
for tool in op2-mesh op2-view; do
  [ ! -x "$pages/../$tool" ] || check "$tool(1)" has_page $tool 1
done
check 'op2-options(7)' has_page op2-options 7
# What is declared at the beginning of a line, but for the macros' entry points, and what
# the macros stand for
functions() {
  { sed '/^\/\* ---- entry points/,$d' include/op2.h && cat include/op2_boxes.h \
    include/op2_algebra.h; } |
    sed -n 's/^[a-z][A-Za-z0-9_ ]*[ *]\(op2\{0,1\}_[a-z0-9_]*\)(.*/\1/p'
  printf '%s\n' op_arg_dat op2_decl_gbl op_decl_dat op_decl_const op_fetch_data op_arg_gbl \
    op_par_loop
}
functions >"$work/functions"
check 'functions' [ "$(wc -l <"$work/functions")" -ge 100 ]
for function in $(grep -v '^op2_solve_info$' "$work/functions"); do
  check "$function(3)" has_page "$function" 3
done
check 'a comment is there, word for word' grep -qx 'Run all that is pending, free everything. No handle and no mirror is valid after' \
  "$pages/man3/op2_start_and_end.3"

# ---- what is wrong with them -------------------------------------------------------

quiet() { # no word on stderr
  "$@" 2>"$work/said" >/dev/null
  cat "$work/said"
  [ ! -s "$work/said" ]
}
grep -L '^\.so' "$pages"/man?/*.? >"$work/real"
if command -v man >/dev/null && [ "$(man --version 2>/dev/null | cut -c1-4)" = 'man ' ]; then
  while read -r page; do
    check "man: $page" quiet man --warnings -E UTF-8 -l "$page"
  done <"$work/real"
else
  skip 'man: it is not installed'
fi
if command -v mandoc >/dev/null; then # no date: it would be that of the build
  while read -r page; do
    check "mandoc: $page" mandoc -T lint -W error "$page"
  done <"$work/real"
else
  skip 'mandoc: it is not installed'
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
