#!/bin/bash
# Do the checks find errors? Plant each fault of mutants.table into a copy of the
# sources, one at a time, build, and run the checks, cheap ones first, until one
# fails; then the random programs alone, which must find some faults by themselves.
#
#   test/mutants/run.sh --check            every row changes one line as it should
#   test/mutants/run.sh FOLDER [name ...]  plant all, or those; FOLDER takes copy,
#                                          build and logs, and is used again
#
# COUNT random programs (default 96) from seed SEED (default 8) with JOBS processes:
# fixed numbers, so that a run can be repeated. Ends with "N of N caught".
set -u
cd "$(dirname "$0")/../.." || exit 2
top=$PWD
table=$top/test/mutants/mutants.table

# Calls $1 with name, file, lines, what, edit of each row whose name is in $2...
rows() {
  local call=$1 name file lines what edit
  shift
  while IFS='|' read -r name file lines what edit; do
    case $name in \#* | '') continue ;; esac
    read -r name <<<"$name"
    read -r file <<<"$file"
    read -r lines <<<"$lines"
    read -r what <<<"$what"
    case " $* " in
    "  " | *" $name "*) "$call" "$name" "$file" "$lines" "$what" "${edit# }" ;;
    esac
  done <"$table"
}

check_row() {
  total=$((total + 1))
  [ "$(sed "$5" "$2" 2>&1 | diff "$2" - | grep -c '^[<>]')" = 2 ] && return
  echo "FAIL $1: does not change one line of $2: $5"
  failed=$((failed + 1))
}

if [ "${1-}" = --check ]; then
  total=0 failed=0
  rows check_row
  echo "$((total - failed)) passed, $failed failed"
  [ $failed = 0 ] && [ $total -ge 15 ]
  exit
fi

mkdir -p "${1:?usage: run.sh --check | FOLDER [name ...]}" || exit 2
folder=$(cd "$1" && pwd)
shift
tree=$folder/tree build=$folder/build release=$folder/release log=$folder/log
jobs=${JOBS:-$(nproc)}

# The copy has the files' times, so that a second run builds little.
prepare() {
  rm -rf "$tree" "$log"
  mkdir -p "$tree" "$log"
  tar --exclude=./.git --exclude='./build*' -cf - . | tar -C "$tree" -xf - || exit 2
  rows refresh
  {
    cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
      -DOP2_TESTS=ON &&
      cmake --build "$build" -j "$jobs" &&
      cmake -S "$tree" -B "$release" -G Ninja -DOP2_TESTS=ON &&
      cmake --build "$release" -j "$jobs" --target op2cc random_programs
  } >"$log/build" 2>&1 || {
    tail -n 20 "$log/build"
    exit 2
  }
}
refresh() { touch "$tree/$2"; }

# ---- checks: each names the first test that failed, or nothing ----------------

texts() {
  timeout 120 tools/irt-test.sh "$build" |
    sed -n 's/^---- .*test\//text test\//p' | head -n 1
}

# The unit tests of the layer
units() {
  local tests=
  case $1 in
  ir/* | passes/*) tests='test_ir_*.c test_passes*.c' ;;
  rt/*) tests='test_rt_*.c' ;;
  lower/*) tests='test_kernel*.c test_lower*.c' ;;
  frontend/*) tests='test_api_*.c' ;;
  esac
  tests=$(cd test/unit && for t in $tests; do echo "${t%.c}"; done)
  # shellcheck disable=SC2086
  cmake --build "$build" -j "$jobs" --target $tests >"$log/units.build" 2>&1 || {
    echo "FAIL $1: its unit tests do not build: $(tail -n 1 "$log/units.build")" |
      tee -a "$log/broken" >&2
    return
  }
  # shellcheck disable=SC2086
  timeout 300 tools/check-unit.sh "$build" $tests |
    sed 's/\x1b\[[0-9;]*m//g' | sed -n \
    's/^\[FAIL\] \([^ ]*\):.*/unit test \1/p; s/^\[----\] .*\(CRASH\|Crash\).*/unit test crashes/p' |
    head -n 1
}

# On the host; of what runs on devices alone, there, in the mode that uses most of it;
# of gather form, of runs and of what is inlined, in these
programs() { # file name
  local modes='2-threads 2-eager defer-opaque'
  case $2 in
  gather-*) modes='gather gather-rcm' ;;
  run-*) modes='runs runs-soa' ;;
  inline-*) modes='inline inline-soa' ;;
  esac
  case $1 in lower/device* | lower/llvm/device* | rt/device/*) modes=opencl-reads ;; esac
  MODES=$modes JOBS=$jobs timeout 300 test/programs/run.sh "$build" \
    $(cd test/programs && ls *.c *.cpp | sed 's/\.c.*//') |
    sed -n 's/^FAIL \([^ ]*\).*/program \1/p' | head -n 1
}

# Random programs; a file of the program found stays in $log/NAME. To be shrunk it must
# be found without the verifier's help, by a wrong value.
random() {
  local name=$1 lines=$2 binary from=$build shrink=0
  mkdir -p "$log/$name"
  if [ "$lines" != - ]; then
    shrink=60 from=$release
    cmake --build "$from" -j "$jobs" --target op2lazy op2lazy-llvm \
      >>"$log/$name.build"
  fi
  for binary in random_programs random_programs_opaque; do
    (cd "$from" && "test/random/$binary" --seed "${SEED:-8}" \
      --count "${COUNT:-96}" --failures 1 --shrink "$shrink" --jobs "$jobs" \
      --out "$log/$name" $([ $binary = random_programs ] || echo --opaque)) \
      >"$log/$name/$binary" 2>&1
    sed -n 's/^FAIL \(seed [0-9]*\) \(mode [^ ]*\).*/random programs (\1, \2)/p' \
      "$log/$name/$binary" | head -n 1 | grep . && return
  done
}

# Files over ranks: rows file-* are theirs.
files() {
  timeout 300 test/io/run.sh "$build" | sed -n 's/^FAIL \([^:]*\):.*/files: \1/p' |
    head -n 1
}

# Random host programs: rows owed-* are theirs.
hosts() {
  timeout 300 test/hosts/run.sh "$build" --seed "${SEED:-8}" --files 16 --first |
    sed -n 's/^FAIL \(seed [0-9]*\).*/random host programs (\1)/p'
}

# The shrunk program: small, and it fails when compiled and run as it says.
check_shrunk() {
  local name=$1 limit=$2 program lines command
  program=$(ls "$log/$name"/random_*.c 2>/dev/null | head -n 1)
  [ -n "$program" ] || { echo "no shrunk program"; return; }
  lines=$(grep -c . "$program")
  [ "$lines" -le "$limit" ] || echo "shrunk to $lines lines, expected $limit"
  command=$(sed -n 's/^.*x\.c -o x && \(.*\) \.\/x\(.*\) \*\/$/env \1 .\/x\2/p' \
    "$program")
  (cd "$log/$name" && "$release/op2cc" -I"$tree/include" "$program" -o x \
    -L"$release" -lop2lazy -Wl,-rpath,"$release" -lm) >"$log/$name/cc" 2>&1 ||
    echo "the shrunk program does not compile"
  # shellcheck disable=SC2086
  if (cd "$log/$name" && OP2_LOG=0 timeout 60 $command) >"$log/$name/run" 2>&1
  then
    echo "the shrunk program does not fail"
  fi
}

# ---- one fault ------------------------------------------------------------------

total=0 caught=0 bad=0 found=0
plant() {
  local name=$1 file=$2 lines=$3 what=$4 edit=$5 by= alone='' wrong=
  total=$((total + 1))
  sed "$edit" "$top/$file" >"$tree/$file"
  # code of another lowering must not come from the cache, nor stay there
  export OP2_CACHE_DIR=$build/cache
  case $file in lower/* | base/*) OP2_CACHE_DIR=$log/$name.cache ;; esac
  if ! cmake --build "$build" -j "$jobs" --target op2lazy op2lazy-llvm op2-opt op2cc >"$log/$name.build" 2>&1
  then
    by='the compiler' bad=$((bad + 1))
  elif [[ $name = owed-* ]]; then
    by=$(hosts) alone=$by
  elif [[ $name = file-* ]]; then
    by=$(files)
  else
    case $file in ir/* | passes/* | base/*) by=$(texts) ;; esac
    [ -n "$by" ] || by=$(units "$file")
    [ -n "$by" ] || by=$(programs "$file" "$name")
    alone=$(random "$name" "$lines")
    [ -n "$by" ] || by=$alone
    [ "$lines" = - ] || wrong=$(check_shrunk "$name" "$lines")
  fi
  cp "$top/$file" "$tree/$file"
  rm -rf "$log/$name.cache"
  [ -n "$by" ] && caught=$((caught + 1))
  [ -n "$alone" ] && found=$((found + 1))
  [ -n "$wrong" ] && bad=$((bad + 1))
  printf '%-16s %s\n%-16s   caught by %s; random programs: %s\n' "$name" \
    "$what" '' "${by:-NOTHING}" "${alone:-no}"
  [ -z "$wrong" ] || echo "FAIL $name: $wrong"
}

prepare
rows plant "$@"
echo "random programs alone: $found of $total"
echo "$caught of $total caught"
[ $caught = $total ] && [ $bad = 0 ] && [ $total -gt 0 ] && [ ! -e "$log/broken" ]
