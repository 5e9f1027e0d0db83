#!/bin/sh
# Man pages: of the tools from what they say to --help, of the options from op2-run, of
# op2.h by topic from its comments (tools/man/header.awk).
#   tools/man.sh OUT VERSION INCLUDE TOOL...     TOOL: a program, by its path
# OUT/man1, man3, man7 are made anew. A tool without a row below has no page.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1 version=$2 include=$3
shift 3
export LC_ALL=C ASAN_OPTIONS=detect_leaks=0

# tool | what its page says that it is
about() {
  sed -n "s/^$1  *| //p" <<TABLE
op2cc   | compile programs of op2lazy: clang that keeps the kernels' IR
op2-run | run a program with options, or a recorded trace
op2-opt | run passes on traces of op2lazy
op2-mesh | make a mesh file of a Gmsh mesh
op2-view | show what OP2_TRACE left behind as one HTML page
TABLE
}

escape() { # for troff
  sed 's/\\/\\e/g; s/-/\\-/g; s/'"'"'/\\(aq/g; s/`/\\(ga/g; s/\^/\\(ha/g; s/~/\\(ti/g
    s/^\./\\\&./'
}
head_of() { # head_of NAME SECTION "NAMES" "what"
  printf '.TH "%s" %s "" "op2lazy %s" "op2lazy"\n.SH NAME\n%s \\- %s\n' \
    "$(echo "$1" | tr '[:lower:]' '[:upper:]' | escape)" "$2" "$version" \
    "$(echo "$3" | escape)" "$(echo "$4" | escape)"
}
literal() { # stdin, as it stands
  echo .nf
  escape
  echo .fi
}
see() { # see SELF: the others; the last is never a tool
  echo '.SH SEE ALSO'
  for page in $pages 'op2-options(7)'; do
    name=${page%(*}
    [ "$name" = "$1" ] || printf '.BR %s (%s,\n' "$(echo "$name" | escape)" "${page#*(}"
  done
  echo '.BR op2.h (3)'
}

rm -rf "$out/man1" "$out/man3" "$out/man7"
mkdir -p "$out/man1" "$out/man3" "$out/man7"
pages= run=
for tool in "$@"; do
  name=$(basename "$tool")
  [ -z "$(about "$name")" ] || pages="$pages $name(1)"
  [ "$name" != op2-run ] || run=$tool
done
for tool in "$@"; do
  name=$(basename "$tool")
  what=$(about "$name")
  [ -n "$what" ] || continue
  names=$name
  [ "$name" != op2cc ] || names='op2cc, op2c++'
  {
    head_of "$name" 1 "$names" "$what"
    echo '.SH DESCRIPTION'
    "$tool" --help 2>&1 | sed '/^OVERVIEW: clang/,$d' | literal # clang has its own page
    see "$name"
  } >"$out/man1/$name.1"
done
[ ! -e "$out/man1/op2cc.1" ] || echo '.so man1/op2cc.1' >"$out/man1/op2c++.1"
if [ -n "$run" ]; then
  {
    head_of op2-options 7 op2-options 'options of programs that use op2lazy'
    echo '.SH DESCRIPTION'
    echo 'Options are environment variables, read by op_init: name, type, default, meaning.'
    echo '.PP'
    "$run" --options | literal
    see op2-options
  } >"$out/man7/op2-options.7"
fi
parts=$(sed -n 's/^#include "\(op2_[a-z]*\.h\)"$/\1/p' "$include/op2.h" | grep -v cpp)
for header in op2.h $parts; do
  awk -f "$here/man/header.awk" -v out="$out" -v version="$version" "$include/$header"
done
