#!/bin/bash
# Programs on several ranks:
#   test/mpi/run.sh BUILD [program ...]
# First those of test/programs, in which every rank declares everything
# (OP2_DECLARE=whole): what they check on one rank must hold on several. Then those
# of test/mpi, in which ranks declare parts, in the runs that their first comment names
# (ranks, variables; "!": it must not end with 0). Each rank must print a line "ok".
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
  local file=$1 mode=$2 ranks=$3 vars=$4 name rc out ir=1 bad=0
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
  if [ $((rc != 0)) = $bad ] && [ $rc != 124 ] && [ "$(grep -c '^ok' "$out")" = "$ranks" ]; then
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

# Lines "file mode ranks variables", tab-separated, of what is to run.
runs() {
  local name ranks vars only file base skip
  whole_modes | while IFS='|' read -r name ranks vars only; do
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
        printf '%s\tparts-%s\t%s\t%s\n' "$file" "$ranks${vars:+-}${vars//[ \/=]/-}" \
          "$ranks" "OMP_NUM_THREADS=1 $vars"
      done
  done
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
done
[ $found = 1 ] || { echo "0 passed, 0 failed, 1 skipped"; exit 0; }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
