#!/bin/sh
# Record what the benchmark programs hand to the passes, on small meshes: one file
# for each different flush, with the counts of the default pipeline behind it.
#   test/traces/record.sh BUILD [folder]    default: this folder
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: record.sh BUILD [folder]}" && pwd)
out=${2-$here}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

programs() {
  cat <<TABLE
airfoil/airfoil       --size 8 12 --iters 4
airfoil/airfoil_lazy  --size 8 12 --iters 4
jacobi/jacobi_double  --size 20 30 --iters 10
fem/fem               --size 12 10 --iters 4
shallow/shallow       --size 13 10 --iters 6
TABLE
}

# One flush: the command, the trace, what is expected.
trace() { # recorded text
  echo "; RUN: op2-opt -p default --counts"
  echo "; Recorded by test/traces/record.sh."
  cat "$1"
  echo "; EXPECT:"
  "$build/op2-opt" -p default --counts "$1" | sed 's/^/; /'
}

rm -f "$out"/*.irt
programs | while read -r program options; do
  name=$(basename "$program")
  # shellcheck disable=SC2086
  OP2_TRACE=1 OP2_TRACE_DIR="$tmp/$name" "$build/bench/$program" $options \
    >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
  for before in "$tmp/$name"/*.before.irt; do
    number=$(basename "$before" .before.irt)
    sed "s|loc \"$top/|loc \"|" "$before" >"$tmp/text"
    "$build/op2-opt" "$tmp/text" >"$tmp/canonical"
    trace "$tmp/canonical" >"$out/${name}_${number#00}.irt"
  done
done
