#!/bin/bash
# Files and checkpoints: test/io/run.sh BUILD
# Each program runs in a fresh folder in several modes, like test/programs; what it wrote
# is looked at with h5dump where that is installed.
set -u
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
. tools/sanitizers.sh
bin=$build/test/io
if ! ls "$build"/libop2lazy-hdf5.so >/dev/null 2>&1; then
  echo "skipped: HDF5: built without it (libhdf5-dev)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache} OP2_LOG=0
passed=0 failed=0 skipped=0

# check WHAT COMMAND...: the command must succeed
check() {
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $what: $(tail -n 3 "$work/log" | tr '\n' ' ' | cut -c1-600)"
  fi
}

modes() {
  echo "default|OMP_NUM_THREADS=2"
  echo "eager|OMP_NUM_THREADS=1 OP2_EAGER=1"
  echo "rcm|OMP_NUM_THREADS=2 OP2_RENUMBER=rcm"
  echo "soa|OMP_NUM_THREADS=2 OP2_LAYOUT=soa"
  echo "bisect-8|OMP_NUM_THREADS=3 OP2_RENUMBER=bisect OP2_LAYOUT=8 OP2_CHECK=1"
  echo "mirror|OMP_NUM_THREADS=2 OP2_MIRROR=1"
}

# program NAME [ARGUMENT...]: in a fresh folder with the foreign files; it must
# say ok
program() {
  rm -rf "$work/dir" && mkdir "$work/dir" && cd "$work/dir" || return
  "$bin/foreign_files" && timeout 120 "$bin/$1" "${@:2}" >out 2>&1
  local rc=$?
  cat out
  [ $rc = 0 ] && tail -n 1 out | grep -q '^ok'
}

for name in files read_foreign wrong_files; do
  while IFS='|' read -r mode vars; do
    # shellcheck disable=SC2086
    check "$name, $mode" eval "(export TEST_IR=1 $vars; program $name)"
  done < <(modes)
  check "$name, opaque" eval "(export TEST_IR=0; program ${name}_opaque)"
done

# OP_MAPS_BASE_INDEX counts in files, too; OP_NO_REALLOC leaves them alone
check "files, from 1" eval "(TEST_IR=1 program files OP_MAPS_BASE_INDEX=1)"
check "files, in the program's memory" eval "(TEST_IR=1 program files OP_NO_REALLOC)"

# What OP2 looks for in a file: attributes, and shapes as it has them.
#   has FILE PATH WORDS: h5dump's header of PATH, on one line, has these
has() {
  local text
  text=$(h5dump -A -d "$2" "$1" | tr -s ' \n' ' ')
  echo "$2: $text"
  [[ $text == *"$3"* ]]
}
if command -v h5dump >/dev/null; then
  (TEST_IR=1 program files) >/dev/null
  cd "$work/dir" || exit 2
  check "a set" has all.h5 cells 'H5T_STD_I32LE DATASPACE SIMPLE { ( 1 ) / ( 1 ) }'
  check "a map" has all.h5 maps/ecell \
    'H5T_STD_I32LE DATASPACE SIMPLE { ( 800, 2 ) / ( 800, 2 ) }'
  check "a map's dim" has all.h5 maps/ecell \
    'ATTRIBUTE "dim" { DATATYPE H5T_STD_I32LE DATASPACE SIMPLE { ( 1 ) / ( 1 ) } DATA { (0): 2 }'
  check "a map's size" has all.h5 maps/ecell 'SIMPLE { ( 1 ) / ( 1 ) } DATA { (0): 800 }'
  check "a map's type" has all.h5 maps/ecell \
    'ATTRIBUTE "type" { DATATYPE H5T_STRING { STRSIZE 10; STRPAD H5T_STR_NULLTERM; CSET H5T_CSET_ASCII; CTYPE H5T_C_S1; } DATASPACE SCALAR DATA { (0): "int" }'
  check "a dat" has q.h5 time/1/q \
    'H5T_IEEE_F64LE DATASPACE SIMPLE { ( 300, 3 ) / ( 300, 3 ) }'
  check "a dat's size" has q.h5 time/1/q \
    'ATTRIBUTE "size" { DATATYPE H5T_STD_I32LE DATASPACE SIMPLE { ( 1 ) / ( 1 ) } DATA { (0): 24 }'
  check "a dat's type" has q.h5 time/1/q \
    'ATTRIBUTE "type" { DATATYPE H5T_STRING { STRSIZE 6; STRPAD H5T_STR_NULLTERM; CSET H5T_CSET_ASCII; CTYPE H5T_C_S1; } DATASPACE SCALAR DATA { (0): "double" }'
  check "a constant" has const.h5 flow/three \
    'H5T_STD_I32LE DATASPACE SIMPLE { ( 3 ) / ( 3 ) } ATTRIBUTE "dim" { DATATYPE H5T_STD_I32LE DATASPACE SIMPLE { ( 1 ) / ( 1 ) } DATA { (0): 3 }'
else
  echo "skipped: the layout of files: no h5dump (hdf5-tools)"
  skipped=$((skipped + 1))
fi

# A library without the part with HDF5 says what it looked for.
mkdir "$work/bare" && cp -L "$build"/libop2lazy.so.0 "$build"/libop2lazy-llvm.so "$work/bare"
no_hdf5() {
  cd "$work/dir" || return
  LD_LIBRARY_PATH=$work/bare "$bin/read_foreign_opaque" 2>&1 | tee "$work/said"
  grep -q 'read_foreign.c:[0-9]*: op_decl_set_hdf5: HDF5 is not there: looked for libop2lazy-hdf5.so' "$work/said"
}
check "without HDF5" no_hdf5

[ $skipped = 0 ] && echo "$passed passed, $failed failed" ||
  echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
