#!/bin/sh
# What programs that are linked already count on: the symbols of the public library, the
# sizes of its variables and of public structs, against tools/abi/op2.abi.
#   tools/abi.sh [--update] [BUILD]      BUILD: the folder of libop2lazy.so (build)
# A line that is gone or differs breaks such programs: then the library's major version
# has to change. A new one must be written down (--update). Ends with "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."
update=
[ "${1-}" != --update ] || { update=1 && shift; }
build=${1-build}
kept=tools/abi/op2.abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

symbols() { # the map file's own name is no symbol
  nm -D --defined-only -S "$build/libop2lazy.so" | awk '
    $3 == "A" || $2 == "A" { next }
    NF == 4 && $3 ~ /[TW]/ { print "function", $4; next }
    NF == 4 { size = $2; sub(/^0*/, "", size); print "variable", $4, "0x" size }'
}

# Structs with bodies of op2.h and what it includes for C
structs() {
  parts=$(sed -n 's/^#include "\(op2_[a-z]*\.h\)"$/include\/\1/p' include/op2.h | grep -v cpp)
  headers="include/op2.h $parts include/op_hdf5.h include/op_profile.h"
  # shellcheck disable=SC2086
  names=$(sed -n 's/^\(typedef \)\?struct \([A-Za-z0-9_]*\) {.*/\2/p' $headers)
  {
    for header in $headers; do echo "#include \"$(basename "$header")\""; done
    echo '#include <stdio.h>'
    printf '%s\n' '#define say(name, size) printf("struct %s 0x%zx\n", name, size)' \
      'int main(void) {'
    for name in $names; do
      echo "say(\"$name\", sizeof(struct $name));"
    done
    echo 'return 0; }'
  } >"$work/sizes.c"
  ${CC:-cc} -std=c11 -Iinclude "$work/sizes.c" -o "$work/sizes" && "$work/sizes"
}

sort "$kept" >"$work/kept"
{ symbols && structs; } >"$work/found" || exit 2
sort -o "$work/found" "$work/found"
[ -z "$update" ] || tee "$kept" "$work/kept" <"$work/found" >/dev/null
comm -23 "$work/kept" "$work/found" | sed 's/^/gone or different: /'
comm -13 "$work/kept" "$work/found" | sed 's/^/new, or different: /' >"$work/new"
cat "$work/new"
[ ! -s "$work/new" ] || echo "tools/abi.sh --update writes new ones down"
bad=$(comm -3 "$work/kept" "$work/found" | wc -l)
echo "$(comm -12 "$work/kept" "$work/found" | wc -l) passed, $bad failed"
[ "$bad" = 0 ]
