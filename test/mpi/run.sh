#!/bin/bash
# Programs on several ranks:
#   test/mpi/run.sh BUILD [program ...]
#   test/mpi/run.sh --all BUILD [program ...]
# First those of test/programs, in which every rank declares everything
# (OP2_DECLARE=whole): what they check on one rank must hold on several. Then those
# of test/mpi, in which ranks declare parts, in the runs that their first comment names
# (ranks, variables; "!": it need not end with 0). Each rank must print a line "ok".
# At last random programs (--ranks), where no names are given.
# Lines "bits ..." of a program are the same in all its runs under OP2_REPRODUCIBLE.
# --all: instead, each bench program on 1, 2, 3, 4 and 7 ranks with 1 and 2 threads,
# by each partitioner, on the host and on an OpenCL device (some 20 minutes), and random
# programs on as many, by each partitioner.
# Runs with OP2_TARGET=opencl are left out where there is no such device, and under
# the address sanitizer (PoCL leaks).
# Once for each MPI library that the build has a module for and whose mpirun is
# installed. JOBS at once (default: processors).
set -u
here=$(cd "$(dirname "$0")" && pwd)
all=
[ "${1-}" != --all ] || { all=1 && shift; }
build=$(cd "${1:?usage: run.sh BUILD [program ...]}" && pwd) || exit 2
shift
. "$here/../../tools/skips.sh"
export work; work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache} OP2_LOG=0
export OP2_TARGET=openmp # runs on devices name theirs
export POCL_MAX_PTHREAD_COUNT=1 # of each rank
export OP2_WAIT=${OP2_WAIT-nap} # other suites have the processors as well
jobs=${JOBS-$(nproc)}

# name | ranks | variables | which programs of test/programs ("" all)
whole_modes() {
  echo "2-ranks|2|OMP_NUM_THREADS=1|"
  echo "3-ranks|3|OMP_NUM_THREADS=2 OP2_LAYOUT=soa|airfoil fem_small shallow chain_bits gbl_raw info minmax"
  echo "4-eager|4|OMP_NUM_THREADS=1 OP2_EAGER=1|airfoil_small fem_small info"
  echo "7-checked|7|OMP_NUM_THREADS=1 OP2_CHECK=1 OP2_IR_STRESS=1|airfoil_small partial vector_arg"
  echo "2-tiers|2|OMP_NUM_THREADS=1 OP2_TIERS=always OP2_CACHE_DIR=$work/tiers|airfoil_small fem_small shallow_small chain gbl_raw info minmax"
  echo "3-tiers|3|OMP_NUM_THREADS=1 OP2_TIERS=always OP2_CACHE=0 OP2_EAGER=1|airfoil_small fem_small chain gbl_raw"
  echo "2-opencl|2|OMP_NUM_THREADS=1 OP2_TARGET=opencl|"
  echo "3-opencl-deep|3|OMP_NUM_THREADS=1 OP2_TARGET=opencl OP2_HALO_LIMIT=6 OP2_CHECK=1|airfoil_small fem_small shallow targets gbl_raw info"
  echo "4-opencl-staged|4|OMP_NUM_THREADS=1 OP2_TARGET=opencl OP2_INCREMENTS=staged OP2_EAGER=1|airfoil_small vector_arg partial"
  echo "3-opencl-reads|3|OMP_NUM_THREADS=1 OP2_TARGET=opencl OP2_INCREMENTS=staged OP2_READS=staged OP2_CHECK=1|airfoil_small read_blocks fem_small"
  echo "3-rcm|3|OMP_NUM_THREADS=1 OP2_RENUMBER=rcm|airfoil_small fem_small shallow_small arg_idx info vector_arg partial upload"
  echo "2-pieces|2|OMP_NUM_THREADS=1 OP2_TILE_PIECE=1 OP2_CHECK=1|"
  echo "3-pieces|3|OMP_NUM_THREADS=3 OP2_TILE_PIECE=7 OP2_TEAM=all OP2_HALO_LIMIT=6 OP2_RENUMBER=rcm OP2_CHECK=1|airfoil_small fem_small shallow_small multigrid_small chain gbl_raw info minmax extremes"
  echo "3-deep|3|OMP_NUM_THREADS=1 OP2_HALO_LIMIT=6 OP2_WAIT=spin|airfoil fem_small shallow chain"
  echo "3-auto|3|OMP_NUM_THREADS=1 OP2_HALO_LIMIT=auto OP2_HALO_COSTS=1000,1000,1|airfoil_small fem_small shallow chain"
}
# Programs that one rank alone can run:
#   effects noargs renumber own_functions   kernels count calls in memory of the
#                             program, of which each rank has its own
#   no_realloc overlap overlay overlay_temp upload_all given_in_dat   loops work in memory
#                                  of the program
#   fetch                     each rank removes the file that it has read
whole_skips="effects noargs renumber own_functions no_realloc overlap overlay overlay_temp upload_all given_in_dat fetch"

on_device() { # VARIABLES
  case " $1" in *" OP2_TARGET=opencl"*) ;; *) return 1 ;; esac
}
have_opencl() {
  [ -z "${ASAN_OPTIONS-}" ] &&
    TEST_IR=1 OP2_TARGET=opencl timeout 120 "$build/test/programs/fetch" >/dev/null 2>&1
}
opencl=no
have_opencl && opencl=yes
[ $opencl = yes ] || echo "no OpenCL device, or sanitizers: runs on one were left out"

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
  on_device "$3" && [ $opencl = no ] && return 1
  [ "$1" != mpich ] && return 0
  case $3 in *PTSCOTCH*) return 1 ;; esac
  [ "${2#!}" = 2 ]
}

# Lines "file mode ranks variables", tab-separated, of what is to run.
runs() {
  local name ranks vars only file base skip
  whole_modes | while IFS='|' read -r name ranks vars only; do
    is_for "$mpi" "$ranks" "$vars" || continue
    [ "$mpi" = mpich ] && [ "$name" != 2-ranks ] && continue
    [ "$mpi" = mpich ] && only=_small
    for file in "$build"/test/programs/*; do
      base=$(basename "$file")
      case $base in *.* | *_clang) continue ;; esac
      [ -x "$file" ] || continue
      skip=${base%_opaque}
      case " $whole_skips " in *" $skip "*) continue ;; esac
      [ "$base" = "$skip" ] || [ -n "$only" ] || continue # opaque: some
      ! on_device "$vars" || [ "$base" = "$skip" ] || continue # opaque: none
      [ -z "$(skip_reason "$base" "$vars")" ] || continue
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

# The same for --all: every combination.
all_runs() { # PROGRAM...
  local name ranks threads part target vars
  [ $# -gt 0 ] || set -- airfoil fem jacobi shallow euler multigrid chebyshev
  for name in "$@"; do
    for ranks in 1 2 3 4 7; do
      for threads in 1 2; do
        for part in none RANDOM INERTIAL EXTERNAL PTSCOTCH; do
          for target in openmp opencl; do
            vars="OMP_NUM_THREADS=$threads OP2_TARGET=$target"
            [ $part = none ] || vars="$vars PART=$part"
            is_for "$mpi" "$ranks" "$vars" || continue
            [ $name-$part != jacobi-INERTIAL ] || continue # it has no coordinates
            printf '%s\tall-%s-%s-%s-%s\t%s\t%s\n' "$build/test/mpi/mpi_$name" \
              "$ranks" "$threads" $part $target "$ranks" "$vars"
          done
        done
      done
    done
  done
}

# Random programs on these numbers of ranks, with both numbers of threads (the modes
# do), by each partitioner.
all_random() { # COMMAND...
  local ranks part
  for ranks in 1 2 3 4 7; do
    for part in none RANDOM INERTIAL EXTERNAL PTSCOTCH; do
      random random_programs $ranks "--seed 8000 --count 16 --batch 4 --partition $part" "$@"
    done
    random random_programs_opaque $ranks "--opaque --seed 9000 --count 20 --batch 4" "$@"
    random random_programs $ranks "--parts --seed 8100 --count 48 --kind boxes" "$@"
  done
}

# Random programs: each rank plays all; one line "N passed, N failed" a rank.
random() { # BINARY RANKS FLAGS COMMAND...
  local file=$build/test/random/$1 ranks=$2 flags=$3 out=$work/random.out
  shift 3
  [ -x "$file" ] || return 0
  # shellcheck disable=SC2086
  (cd "$work" && OMP_NUM_THREADS=1 timeout 300 "$@" "$ranks" "$file" --ranks $flags) \
    >"$out" 2>&1
  if [ "$(grep -c ' passed, 0 failed' "$out")" = "$ranks" ]; then
    passed=$((passed + $(sed -n 's/ passed, 0 failed//p' "$out" | head -n 1)))
  else
    failed=$((failed + 1))
    echo "FAIL $(basename "$file") $flags on $ranks ranks: $(grep -m 1 FAIL "$out")"
  fi
}

# Ranks whose flags differ: one program for each start, since such ranks can only end.
random_apart() { # COMMAND...
  local seed
  for seed in 6400 6408 6416; do
    random random_programs 3 "--seed $seed --count 8 --modes ranks-apart --out ." "$@"
  done
}

# A program that calls MPI itself: without a launcher, and on one rank and more.
own_mpi() { # COMMAND...
  local file=$build/test/mpi/own_mpi ranks how said
  [ -x "$file" ] && wanted own_mpi "$*" || return 0
  for ranks in none 1 4; do
    for how in "" started halves; do
      set -- "$file" $how
      # shellcheck disable=SC2086
      [ $ranks = none ] || set -- $command $ranks "$@"
      said=$(cd "$work" && OP2_DECLARE=parts OMP_NUM_THREADS=1 timeout 60 "$@" 2>&1)
      if [ $? = 0 ] && [ "$(echo "$said" | grep -o ok | wc -l)" = "${ranks/none/1}" ]; then
        passed=$((passed + 1))
      else
        failed=$((failed + 1))
        echo "FAIL own_mpi $how on $ranks ranks: $(echo "$said" | head -n 2 | tr '\n' ' ')"
      fi
    done
  done
}

# Do all these outputs hold the same lines "bits ..."?
same_bits() { # NAME OUTPUT...
  local name=$1 out kinds
  shift
  [ -e "$1" ] || return 0
  kinds=$(for out in "$@"; do grep "^bits" "$out" | uniq | md5sum; done | sort -u | wc -l)
  if [ "$kinds" = 1 ] && grep "^bits" "$1" | grep -qv " 0*$"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $name: other bits on another number of ranks or threads:"
    grep '^bits' "$@" | sed 's|.*/|  |'
  fi
}

# Random programs in reproducible modes, on 1, 2, 3, 4 and 7 ranks: so many that some have
# sums whose bits could differ.
random_bits() { # COMMAND...
  local ranks
  for ranks in 1 2 3 4 7; do
    random random_programs $ranks \
      "--seed 8100 --count 48 --batch 4 --modes ranks-reproducible,ranks-reproducible-3" "$@"
    cp "$work/random.out" "$work/random.bits.$ranks"
  done
  same_bits "random programs" "$work"/random.bits.*
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
  ${all:+all_}runs "$@" | tr '\t\n' '\0\0' |
    xargs -0 -r -n 4 -P "$jobs" bash -c 'one_run "$@" '"$command" _
  cat "$work"/*.result 2>/dev/null | grep FAIL
  passed=$((passed + $(cat "$work"/*.result 2>/dev/null | grep -c ^pass)))
  failed=$((failed + $(cat "$work"/*.result 2>/dev/null | grep -c ^FAIL)))
  for name in $(cd "$work" && ls | sed -n 's/\.parts-.*REPRODUCIBLE-1.*\.out$//p' | sort -u); do
    case $name in mpi_wrong | mpi_apart | mpi_numbers | mpi_looks | mpi_looks_raw) continue ;; esac
    same_bits "$name" "$work/$name".parts-*REPRODUCIBLE-1*.out
  done
  rm -rf "${work:?}"/*
  [ $mpi = mpich ] || [ -n "$all" ] || own_mpi "$@"
  { [ $# -gt 0 ] || [ $mpi = mpich ]; } && continue
  # shellcheck disable=SC2086
  [ -z "$all" ] || { all_random $command && continue; }
  # shellcheck disable=SC2086
  random random_programs 3 "--seed 5000 --count 12 --batch 4" $command
  # shellcheck disable=SC2086
  random random_programs 3 "--parts --seed 5100 --count 32 --kind boxes" $command
  # shellcheck disable=SC2086
  random_bits $command
  # shellcheck disable=SC2086
  random random_programs_opaque 2 "--opaque --seed 6000 --count 12 --batch 4" $command
  # shellcheck disable=SC2086
  random random_programs_mixed 2 "--mixed --seed 6500 --count 8 --batch 4" $command
  # shellcheck disable=SC2086
  random_apart $command
done
[ $found = 1 ] || { echo "0 passed, 0 failed, 1 skipped"; exit 0; }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
