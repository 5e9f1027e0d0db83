#!/bin/bash
# Programs on several ranks:
#   test/mpi/run.sh BUILD [program ...]
# First those of test/programs, in which every rank declares everything
# (OP2_DECLARE=whole): what they check on one rank must hold on several. Then those
# of test/mpi, in which ranks declare parts, in the runs that their first comment names
# (ranks, variables; "!": it need not end with 0). Each rank must print a line "ok".
# At last random programs (--ranks), where no names are given.
# Once for each MPI library that the build has a module for and whose mpirun is
# installed. JOBS at once (default: processors).
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD [program ...]}" && pwd) || exit 2
shift
export work; work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache} OP2_LOG=0
jobs=${JOBS-$(nproc)}

# name | ranks | variables | which programs of test/programs ("" all)
whole_modes() {
  echo "2-ranks|2|OMP_NUM_THREADS=1|"
  echo "3-ranks|3|OMP_NUM_THREADS=2 OP2_LAYOUT=soa|airfoil fem_small shallow chain_bits gbl_raw info minmax"
  echo "4-eager|4|OMP_NUM_THREADS=1 OP2_EAGER=1|airfoil_small fem_small info"
  echo "7-checked|7|OMP_NUM_THREADS=1 OP2_CHECK=1 OP2_IR_STRESS=1|airfoil_small partial vector_arg"
  echo "3-deep|3|OMP_NUM_THREADS=1 OP2_HALO_LIMIT=6|airfoil fem_small shallow chain"
}
# Programs that one rank alone can run:
#   effects noargs renumber   kernels count calls in memory of the program, of
#                             which each rank has its own
#   mirror no_realloc overlap overlay upload_all   loops work in memory of the program
#   fetch                     each rank removes the file that it has read
whole_skips="effects noargs renumber mirror no_realloc overlap overlay upload_all fetch"

# launcher NAME: the command that starts $ranks ranks under that MPI library; empty:
# there is none
launcher() {
  local mpirun
  mpirun=$(command -v "mpirun.$1") || return
  case $1 in
  openmpi)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
    export OMPI_MCA_mpi_yield_when_idle=1
    echo "$mpirun --oversubscribe -n"
    ;;
  mpich) echo "$mpirun -n" ;;
  esac
}

# one_run FILE MODE RANKS VARIABLES COMMAND...: a line "pass ..." or "FAIL ..." in
# $work
one_run() {
  local file=$1 mode=$2 ranks=$3 vars=$4 name rc out said ir=1 bad=0
  shift 4
  exec 2>/dev/null
  case $ranks in !*) bad=1 ranks=${ranks#!} ;; esac
  case $file in *_opaque) ir=0 ;; esac
  name=$(basename "$file").$mode
  out=$work/$name.out
  mkdir "$work/$name.d"
  # shellcheck disable=SC2086
  (cd "$work/$name.d" && env TEST_IR=$ir TMPDIR="$work/$name.d" $vars timeout 60 "$@" "$ranks" "$file") \
    >"$out" 2>&1
  rc=$?
  # two ranks may write between one's "ok" and its end of line
  said=$(sed 's/^okok/ok\nok/; s/okok$/ok\nok/' "$out" | grep -c '^ok')
  [ $bad = 1 ] && [ $rc != 124 ] && rc=0 # how it ends is the launcher's business
  if [ $rc = 0 ] && [ "$said" = "$ranks" ]; then
    echo "pass $name" >"$work/$name.result"
  else
    echo "FAIL $name ($vars): exit $rc: $(grep -v '^-\|^$' "$out" | head -n 3 |
      tr '\n' ' ')" >"$work/$name.result"
  fi
}
export -f one_run

wanted() { # PROGRAM PATTERNS: does the name hold one of them; none: all
  local p
  [ -n "$2" ] || return 0
  for p in $2; do case $1 in *$p*) return 0 ;; esac done
  return 1
}

# Ranks that wait for their turn don't let go of the processor under MPICH: two at a
# time; and PT-Scotch's module goes with Open MPI.
is_for() { # MPI RANKS VARIABLES
  [ "$1" != mpich ] && return 0
  case $3 in *PTSCOTCH*) return 1 ;; esac
  [ "${2#!}" = 2 ]
}

# Lines "file mode ranks variables", tab-separated, of what is to run.
runs() {
  local name ranks vars only file base skip
  whole_modes | while IFS='|' read -r name ranks vars only; do
    [ "$mpi" = mpich ] && [ "$name" != 2-ranks ] && continue
    [ "$mpi" = mpich ] && only=_small
    for file in "$build"/test/programs/*; do
      base=$(basename "$file")
      case $base in *.* | *_clang) continue ;; esac
      [ -x "$file" ] || continue
      skip=${base%_opaque}
      case " $whole_skips " in *" $skip "*) continue ;; esac
      [ "$base" = "$skip" ] || [ -n "$only" ] || continue # opaque: some
      wanted "$base" "$only" || continue
      wanted "$base" "$*" || continue
      printf '%s\twhole-%s\t%s\t%s\n' "$file" "$name" "$ranks" \
        "OP2_DECLARE=whole $vars"
    done
  done
  for file in "$build"/test/mpi/mpi_*; do
    base=$(basename "$file")
    case $base in *.*) continue ;; esac
    [ -x "$file" ] || continue
    wanted "$base" "$*" || continue
    sed -n 's/^ \* RUN: *//p' "$here/${base#mpi_}.c" |
      while read -r ranks vars; do
        is_for "$mpi" "$ranks" "$vars" || continue
        printf '%s\tparts-%s\t%s\t%s\n' "$file" "$ranks${vars:+-}${vars//[ \/=]/-}" \
          "$ranks" "OMP_NUM_THREADS=1 $vars"
      done
  done
}

# Random programs: each rank plays all; one line "N passed, N failed" a rank.
random() { # BINARY RANKS FLAGS COMMAND...
  local file=$build/test/random/$1 ranks=$2 flags=$3 out=$work/random.out
  shift 3
  [ -x "$file" ] || return 0
  # shellcheck disable=SC2086
  (cd "$work" && OMP_NUM_THREADS=1 timeout 120 "$@" "$ranks" "$file" --ranks $flags) \
    >"$out" 2>&1
  if [ "$(grep -c ' passed, 0 failed' "$out")" = "$ranks" ]; then
    passed=$((passed + $(sed -n 's/ passed, 0 failed//p' "$out" | head -n 1)))
  else
    failed=$((failed + 1))
    echo "FAIL $(basename "$file") on $ranks ranks: $(grep -m 1 FAIL "$out")"
  fi
}

found=0 passed=0 failed=0
for mpi in openmpi mpich; do
  if [ ! -e "$build/libop2lazy-$mpi.so" ]; then
    echo "skipped: ranks under $mpi: not in this build"
    continue
  fi
  command=$(launcher $mpi)
  launcher $mpi >/dev/null
  if [ -z "$command" ]; then
    echo "skipped: ranks under $mpi: no mpirun.$mpi"
    continue
  fi
  found=1
  # shellcheck disable=SC2086
  runs "$@" | tr '\t\n' '\0\0' |
    xargs -0 -r -n 4 -P "$jobs" bash -c 'one_run "$@" '"$command" _
  cat "$work"/*.result 2>/dev/null | grep FAIL
  passed=$((passed + $(cat "$work"/*.result 2>/dev/null | grep -c ^pass)))
  failed=$((failed + $(cat "$work"/*.result 2>/dev/null | grep -c ^FAIL)))
  rm -rf "${work:?}"/*
  { [ $# -gt 0 ] || [ $mpi = mpich ]; } && continue
  # shellcheck disable=SC2086
  random random_programs 3 "--seed 5000 --count 12 --batch 4" $command
  # shellcheck disable=SC2086
  random random_programs_opaque 2 "--opaque --seed 6000 --count 12 --batch 4" $command
done
[ $found = 1 ] || { echo "0 passed, 0 failed, 1 skipped"; exit 0; }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
