#!/bin/bash
# Random host programs (gen.c): built by op2cc, whose raw globals wait, each must
# print what it prints when another compiler built it, with each loop at its call.
#   test/hosts/run.sh BUILD [--seed S] [--files N] [--time SECONDS] [--keep FOLDER]
#                     [--ranks R] [--first]
# A file has 20 functions. --keep: files that differ stay there. --ranks: what each of
# so many ranks prints, under Open MPI. --first: up to the first that differs. Ends with
# "N passed, N failed": functions, files.
set -u
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
shift
seed=1 files=10 time=100000 ranks=1 keep= first=
while [ $# -gt 0 ]; do
  case $1 in
  --first)
    first=yes
    shift
    continue
    ;;
  --seed) seed=$2 ;;
  --files) files=$2 ;;
  --time) time=$2 ;;
  --ranks) ranks=$2 ;;
  --keep) keep=$(mkdir -p "$2" && cd "$2" && pwd) ;;
  *) exit 2 ;;
  esac
  shift 2
done
functions=20
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache}
export OP2_TARGET=openmp OP2_LOG=0 OP2_DISABLE=fuse # what is compiled is the same in all
include="-I$here -I$here/../../include"
link="-L$build -lop2lazy -Wl,-rpath,$build -lm -pthread"
${CC:-gcc} -O1 "$here/gen.c" -o gen || exit 2

one_of() { # one_of N words...: the word number N modulo how many there are
  local n=$1
  shift
  shift $((n % $#))
  echo "$1"
}

# Ranks that wait for their turn let go of the processor.
export HOSTS_RANKS=$ranks OP2_DECLARE=whole OP2_WAIT=nap
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
if [ "$ranks" -gt 1 ] && ! { [ -e "$build/libop2lazy-openmpi.so" ] &&
  command -v mpirun.openmpi >/dev/null; }; then
  echo "skipped: programs on ranks: no mpirun.openmpi, or not in this build"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi

# said PROGRAM FILE: what it prints, and how it ends, of each rank
said() {
  local k
  rm -f "$2".[0-9]*
  if [ "$ranks" = 1 ]; then
    timeout 60 "$1" >"$2.0" 2>&1
    echo "ends with $?" >>"$2.0"
  else
    # shellcheck disable=SC2016
    timeout 90 mpirun.openmpi --oversubscribe -n "$ranks" sh -c 'timeout 60 "$0" \
      >"$1.$OMPI_COMM_WORLD_RANK" 2>&1
      echo "ends with $?" >>"$1.$OMPI_COMM_WORLD_RANK"' "$1" "$2" >log 2>&1
  fi
  for ((k = 0; k < ranks; k++)); do cat "$2.$k"; done >"$2"
}

# both SEED: p.c made, built and run in both ways; expected and found
both() {
  local s=$1 lang=c ours=op2cc other=gcc wide
  [ $((s % 3)) = 2 ] && lang=c++ ours=op2c++ other=g++
  ./gen "$s" $functions >p.c || return 1
  wide=$(one_of $((s / 3)) -O2 -O0 -O1 -O3 -Os "-O2 -g" "-O1 -fno-inline")
  # shellcheck disable=SC2086
  $other $include -w -O1 -x $lang p.c -x none -o plain $link &&
    "$build/$ours" $include -w $wide -x $lang p.c -x none -o lazy $link ||
    return 1
  OP2_EAGER=1 said ./plain expected
  OMP_NUM_THREADS=$(one_of "$s" 1 2) \
    OP2_TRACE_MAX_LOOPS=$(one_of $((s / 2)) 1000 3 1000 7) \
    OP2_TRACE_MAX_BYTES=$(one_of $((s / 3)) 16M 16M 200) said ./lazy found
  [ "$(grep -c "^ends with 0" expected)" = "$ranks" ] && cmp -s expected found
}

passed=0 failed=0
for ((s = seed; s < seed + files && SECONDS < time; s++)); do
  if both "$s" 2>log; then
    passed=$((passed + functions))
    continue
  fi
  failed=$((failed + 1))
  echo "FAIL seed $s: $(diff expected found 2>&1 | sed -n 2p) $(head -n 1 log)"
  [ -z "$keep" ] || cp p.c "$keep/hosts_$s.c"
  [ -z "$first" ] || break
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
