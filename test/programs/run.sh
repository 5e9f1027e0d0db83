#!/bin/bash
# Run the test programs in every mode and compare:
#   test/programs/run.sh [--combinations | --tsan] BUILD [program ...]
# BUILD holds test/programs/P (compiled by op2cc), P_opaque (plain compiler, its
# kernels have no IR) and perhaps P_clang (another plain compiler). Each run must
# end with 0 and a last line "ok"; lines "bits ..." must be the same in all modes
# of one build. Then the benchmark programs run on small meshes against their
# plain-C references. JOBS runs at once (default: processors). MODES="2-threads
# seq": only these. SHARE=n: each program in one of n modes, the next program in
# others; all programs on one thread, compiled anew and instrumented.
#
# --combinations: instead, every layout with every numbering and both ways of
# threading, on two threads.
# --tsan: instead, on several threads with compiled code instrumented, in a build
# with ThreadSanitizer; only programs with IR, since the others run on one thread.
set -u
cd "$(dirname "$0")" || exit 2
here=$PWD
ir=ir_modes opaque=opaque_modes
if [ "${1-}" = --combinations ]; then
  ir=combinations opaque=opaque_combinations
  shift
elif [ "${1-}" = --tsan ]; then
  ir=tsan_modes opaque=:
  shift
fi
build=$(cd "$OLDPWD" && cd "${1:?usage: run.sh BUILD [program ...]}" && pwd) ||
  exit 2
shift
bin=$build/test/programs
[ -d "$bin" ] || bin=$build
export work; work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache}
. "$here/../../tools/skips.sh"
skipped_to=$work/skipped

# Modes that change nothing of how code is made: what sanitizers look at is the same
# where it is not optimised, and to compile is most of what a run with them takes.
lean() {
  if [ -z "${SANITIZE-}" ]; then
    cat
  else
    sed -E '/^(compiled-anew|[0-9]-eager|without-.*|checked|trials|pieces.*|seq|reproducible.*|small-blocks)\|/ s/\|([^|]*)$/ OP2_OPTIMISE=0|\1/'
  fi
}

# name | variables | which programs ("" all)
ir_modes() {
  all_ir_modes | lean
}
all_ir_modes() {
  echo "compiled-anew|OMP_NUM_THREADS=2 OP2_CACHE=0|"
  for t in 1 2 3; do
    echo "$t-threads|OMP_NUM_THREADS=$t|"
    echo "$t-eager|OMP_NUM_THREADS=$t OP2_EAGER=1|"
  done
  for pass in layout,number slice rename dce fuse slice,rename,dce,fuse; do
    echo "without-$pass|OMP_NUM_THREADS=2 OP2_DISABLE=$pass|"
  done
  for layout in aos soa 8; do
    echo "layout-$layout|OMP_NUM_THREADS=2 OP2_LAYOUT=$layout|"
  done
  echo "rcm|OMP_NUM_THREADS=1 OP2_RENUMBER=rcm|"
  echo "rcm-checked|OMP_NUM_THREADS=3 OP2_RENUMBER=rcm OP2_CHECK=1 OP2_IR_STRESS=1|"
  echo "rcm-soa|OMP_NUM_THREADS=2 OP2_RENUMBER=rcm OP2_LAYOUT=soa OP2_EAGER=1|"
  echo "bisect|OMP_NUM_THREADS=2 OP2_RENUMBER=bisect OP2_LAYOUT=8|"
  echo "checked|OMP_NUM_THREADS=3 OP2_CHECK=1 OP2_IR_STRESS=1 OP2_CACHE=0|"
  echo "quick|OMP_NUM_THREADS=2 OP2_OPTIMISE=0|"
  echo "tiers|OMP_NUM_THREADS=2 OP2_TIERS=always OP2_CACHE=0|"
  echo "all-threads|OMP_NUM_THREADS=3 OP2_TEAM=all OP2_LATE=always|"
  echo "places|OMP_NUM_THREADS=2 OP2_PLACE=1 OP2_CHECK=1 OP2_IR_STRESS=1|"
  echo "trials|OMP_NUM_THREADS=2 OP2_TRIAL=0|"
  echo "gather|OMP_NUM_THREADS=3 OP2_GATHER=always|"
  echo "gather-rcm|OMP_NUM_THREADS=2 OP2_GATHER=always OP2_RENUMBER=rcm OP2_CHECK=1 OP2_IR_STRESS=1|"
  echo "stretches|OMP_NUM_THREADS=2 OP2_STRETCHES=always OP2_CHECK=1|"
  echo "stretches-soa|OMP_NUM_THREADS=3 OP2_STRETCHES=always OP2_LAYOUT=soa OP2_IR_STRESS=1|"
  echo "streams|OMP_NUM_THREADS=3 OP2_STREAMS=always OP2_STRETCHES=always OP2_CHECK=1|"
  echo "streams-stored|OMP_NUM_THREADS=2 OP2_STREAMS=always OP2_STRETCHES=always OP2_DISABLE=hold|box grid"
  echo "streams-soa|OMP_NUM_THREADS=2 OP2_STREAMS=always OP2_TILE_ROWS=3 OP2_TEAM=all OP2_LAYOUT=soa OP2_IR_STRESS=1|"
  echo "runs|OMP_NUM_THREADS=3 OP2_RUNS=always OP2_TEAM=all OP2_CHECK=1|"
  echo "runs-soa|OMP_NUM_THREADS=2 OP2_RUNS=kept OP2_LAYOUT=soa OP2_RENUMBER=rcm OP2_IR_STRESS=1|"
  echo "tables|OMP_NUM_THREADS=2 OP2_STRETCHES=always OP2_DISABLE=stretch OP2_CHECK=1|box grid"
  echo "inline|OMP_NUM_THREADS=2 OP2_INLINE=always OP2_CHECK=1|box grid"
  echo "inline-soa|OMP_NUM_THREADS=3 OP2_INLINE=always OP2_STRETCHES=always OP2_TILE_ROWS=3 OP2_TEAM=all OP2_LAYOUT=soa OP2_IR_STRESS=1|box grid"
  echo "tiles|OMP_NUM_THREADS=3 OP2_TILE_ROWS=1 OP2_TEAM=all OP2_CHECK=1|box grid"
  echo "tiles-soa|OMP_NUM_THREADS=2 OP2_TILE_ROWS=3 OP2_TEAM=all OP2_LAYOUT=soa OP2_IR_STRESS=1|box grid"
  echo "tiles-1x1|OMP_NUM_THREADS=2 OP2_TILE_COLUMNS=1 OP2_TILE_ROWS=1 OP2_TEAM=all OP2_CHECK=1|box grid"
  echo "tiles-5x3|OMP_NUM_THREADS=3 OP2_TILE_COLUMNS=5 OP2_TILE_ROWS=3 OP2_TEAM=all OP2_LAYOUT=soa OP2_CHECK=1|box grid"
  echo "tiles-32x4|OMP_NUM_THREADS=1 OP2_TILE_COLUMNS=32 OP2_TILE_ROWS=4 OP2_TEAM=all|box grid"
  echo "pieces|OMP_NUM_THREADS=1 OP2_TILE_PIECE=1 OP2_CHECK=1|"
  echo "pieces-all|OMP_NUM_THREADS=3 OP2_TILE_PIECE=100 OP2_TEAM=all OP2_CHECK=1|"
  echo "pieces-rcm|OMP_NUM_THREADS=2 OP2_LATE=always OP2_TILE_PIECE=7 OP2_TEAM=all OP2_RENUMBER=rcm OP2_LAYOUT=soa OP2_IR_STRESS=1|"
  echo "seq|OP2_TARGET=seq|"
  echo "reproducible|OMP_NUM_THREADS=2 OP2_REPRODUCIBLE=1|"
  echo "reproducible-pieces|OMP_NUM_THREADS=3 OP2_REPRODUCIBLE=1 OP2_TILE_PIECE=100 OP2_TEAM=all OP2_CHECK=1|"
  echo "small-blocks|OMP_NUM_THREADS=3 OP2_LATE=always OP2_BLOCK_SIZE=4 OP2_THREADING=colours|"
  [ "${SANITIZE-}" = address ] &&
    echo "instrumented|OMP_NUM_THREADS=2 OP2_SANITIZE=address|"
  echo "short-trace|OMP_NUM_THREADS=2 OP2_TRACE_MAX_LOOPS=7|_small bound copy_chain"
  echo "defer-opaque|OMP_NUM_THREADS=2 OP2_DEFER_OPAQUE=1|effects"
}
tsan_modes() {
  echo "2-threads|OMP_NUM_THREADS=2 OP2_SANITIZE=thread|"
  echo "colours|OMP_NUM_THREADS=3 OP2_SANITIZE=thread OP2_THREADING=colours OP2_BLOCK_SIZE=4|"
  echo "tiers|OMP_NUM_THREADS=2 OP2_SANITIZE=thread OP2_TIERS=always OP2_CACHE=0|raw_waits trials tiers"
  echo "tiles|OMP_NUM_THREADS=3 OP2_SANITIZE=thread OP2_TILE_ROWS=1 OP2_TEAM=all|box_tiles"
}
opaque_modes() {
  all_opaque_modes | lean
}
all_opaque_modes() {
  for t in 1 2; do
    echo "$t-threads|OMP_NUM_THREADS=$t|"
  done
  echo "3-eager|OMP_NUM_THREADS=3 OP2_EAGER=1 OP2_CACHE=0|"
  echo "layout-soa|OMP_NUM_THREADS=2 OP2_LAYOUT=soa OP2_MIRROR=0|"
  echo "layout-8|OMP_NUM_THREADS=3 OP2_LAYOUT=8 OP2_MIRROR=0|"
  echo "rcm|OMP_NUM_THREADS=2 OP2_RENUMBER=rcm OP2_MIRROR=0|"
}

combinations() {
  local layout numbering threading
  for layout in aos soa 8; do
    for numbering in 0 rcm bisect; do
      for threading in auto colours; do
        echo "$layout-$numbering-$threading|OMP_NUM_THREADS=2 OP2_LAYOUT=$layout OP2_RENUMBER=$numbering OP2_THREADING=$threading|"
      done
    done
  done
}
opaque_combinations() {
  combinations | sed 's/|$/ OP2_MIRROR=0|/'
}

# On an OpenCL device (PoCL), if there is one.
have_opencl() {
  TEST_IR=1 OP2_LOG=0 OP2_TARGET=opencl timeout 120 "$bin/fetch" >/dev/null 2>&1
}

# one_run PROGRAM-FILE IR MODE VARIABLES: a line "pass ..." or "FAIL ..." in
# $work, and its output beside it. Each run has its own TMPDIR: Open MPI, which PETSc
# starts, keeps one folder a user there, and who ends removes it while another starts.
one_run() {
  local file=$1 ir=$2 mode=$3 vars=$4 name rc out
  exec 2>/dev/null # the shell's own words about a crash
  name=$(basename "$file").$mode
  out=$work/$name.out
  case ${ASAN_OPTIONS+asan}.$name in # leaks of MPI's unloaded plugins: test/lsan.supp
  asan.petsc*) vars="$vars ASAN_OPTIONS=$ASAN_OPTIONS:fast_unwind_on_malloc=0:malloc_context_size=60" ;;
  esac
  mkdir "$work/$name.d"
  # shellcheck disable=SC2086
  (cd "$work" && env TEST_IR="$ir" OP2_LOG=0 TMPDIR="$work/$name.d" $vars \
    timeout 120 "$file") >"$out" 2>"$out.err"
  rc=$?
  rm -rf "$work/$name.d"
  if [ $rc = 0 ] && tail -n 1 "$out" | grep -q '^ok'; then
    echo "pass $name" >"$work/$name.result"
  else
    echo "FAIL $name ($vars): exit $rc: $(cat "$out" "$out.err" | tail -n 3 |
      tr '\n' ' ' | cut -c1-400)" | tee "$work/$name.result"
  fi
}
export -f one_run

# Is the mode with this number among those of this turn?
in_share() {
  case $3 in compiled-anew | 1-threads | instrumented) return 0 ;; esac
  [ $((($1 + $2) % ${SHARE:-1})) = 0 ]
}

# The runs of one executable, as arguments of one_run, one a line; of all modes those
# of its turn
runs_of() {
  local turn=$1 file=$2 ir=$3 number=0 mode vars only word hit
  shift 3
  "$@" | while IFS='|' read -r mode vars only; do
    number=$((number + 1))
    in_share $turn $number "$mode" || continue
    case " ${MODES-$mode} " in *" $mode "*) ;; *) continue ;; esac
    hit=${only:+no}
    for word in $only; do
      case $(basename "$file") in *$word*) hit=yes ;; esac
    done
    [ "$hit" = no ] && continue
    skips "$(basename "$file")" "$vars" ||
      printf '%s\0%s\0%s\0%s\0' "$file" "$ir" "$mode" "$vars"
  done
}

opencl=yes
[ $ir = ir_modes ] && [ -z "${ASAN_OPTIONS-}" ] && have_opencl ||
  opencl=no # PoCL leaks
programs=("$@")
if [ ${#programs[@]} = 0 ]; then
  for source in "$here"/*.c "$here"/*.cpp; do
    [ -e "$source" ] || continue
    source=$(basename "$source")
    programs+=("${source%.c*}")
  done
fi
# Made once for all its runs; without its sources nobody has it.
export TEST_LOCALES=$work/locales
mkdir "$TEST_LOCALES"
case " ${programs[*]} " in
*" locale "*) localedef -i de_DE -f UTF-8 "$TEST_LOCALES/de_DE.UTF-8" 2>/dev/null ;;
esac
turn=0
for p in "${programs[@]}"; do
  found=no
  turn=$((turn + 1))
  for kind in "" _opaque _clang; do
    [ -x "$bin/$p$kind" ] || continue
    found=yes
    if [ -z "$kind" ]; then
      runs_of $turn "$bin/$p" 1 $ir
      [ "$opencl$ir" != yesir_modes ] || runs_of $turn "$bin/$p" 1 device_modes opencl "$p"
    else
      runs_of $turn "$bin/$p$kind" 0 $opaque
    fi
  done
  if [ $found = no ]; then
    echo "FAIL $p: not built in $bin" | tee "$work/$p.missing.result" >&2
  fi
done >"$work/runs"
xargs -r -0 -n 4 -P "${JOBS:-$(nproc)}" bash -c 'one_run "$@"' _ <"$work/runs"

# The same bits in all modes of one executable
for p in "${programs[@]}"; do
  for kind in "" _opaque _clang; do
    first=
    for out in "$work/$p$kind".*.out; do
      [ -e "$out" ] && grep -q '^bits ' "$out" || continue
      if [ -z "$first" ]; then
        first=$out
        continue
      fi
      name=$(basename "$out" .out)
      if cmp -s <(grep '^bits ' "$first") <(grep '^bits ' "$out"); then
        echo "pass $name.bits" >"$work/$name.bits.result"
      else
        echo "FAIL $name: other bits than $(basename "$first" .out): $(
          diff <(grep '^bits ' "$first") <(grep '^bits ' "$out") |
            tr '\n' ' ')" | tee "$work/$name.bits.result"
      fi
    done
  done
done

# Benchmark programs on small meshes against their references:
# program | reference | options | relative difference of the last value in the
# result line. With --simd the reference takes lanes of eight.
bench_table() {
  echo "airfoil/airfoil|airfoil/airfoil_ref|--size 8 12 --iters 20|1e-12"
  echo "airfoil/airfoil|airfoil/airfoil_ref|--size 8 12 --iters 20 --shuffle 5|1e-12"
  echo "airfoil/airfoil|airfoil/airfoil_ref|--size 8 12 --iters 20 --shuffle 5 --rcm|1e-12"
  echo "airfoil/airfoil|airfoil/airfoil_ref|--size 7 5 --iters 20 --simd|1e-12"
  echo "airfoil/airfoil_lazy|airfoil/airfoil_ref|--size 8 12 --iters 20|1e-12"
  echo "airfoil/airfoil_cpp|airfoil/airfoil_ref|--size 8 12 --iters 20|1e-12"
  echo "limit/airfoil_limit_plain|airfoil/airfoil_ref|--size 8 12 --iters 20|1e-12"
  echo "jacobi/jacobi_double|jacobi/jacobi_ref|--size 20 30 --iters 50|1e-12"
  echo "fem/fem|fem/fem_ref|--size 12 10 --iters 12|1e-9"
  echo "shallow/shallow|shallow/shallow_ref|--size 13 10 --iters 40|1e-12"
  echo "euler/euler|euler/euler_ref|--size 5 4 --iters 25|1e-11"
  echo "euler/euler|euler/euler_ref|--size 5 4 --iters 25 --shuffle 3|1e-11"
  echo "multigrid/multigrid|multigrid/multigrid_ref|--size 21 34 --iters 6|1e-9"
  echo "multigrid/multigrid|multigrid/multigrid_ref|--size 20 16 --iters 6 --shuffle 3|1e-9"
  echo "chebyshev/chebyshev|chebyshev/chebyshev_ref|--size 7 6 --iters 4|1e-11"
  echo "boxes/diffusion|boxes/diffusion_ref|--size 13 10 --layers 3 --iters 20|1e-12"
  echo "boxes/icosahedral|boxes/icosahedral_ref|--size 13 10 --iters 20|1e-12"
  echo "boxes/icosahedral|boxes/icosahedral_ref|--size 13 10 --layers 6 --table --iters 20|1e-12"
  echo "chebyshev/chebyshev_rows|chebyshev/chebyshev_ref|--size 7 6 --iters 3 --degree 8 --shuffle 3 --rows|1e-11"
}
last_value() { sed -n 's/^result .*=//p' | tail -n 1; }
if [ $# = 0 ] && [ -d "$build/bench" ]; then
  n=0
  while IFS='|' read -r p ref options within; do
    [ -x "$build/bench/$ref" ] || continue
    # shellcheck disable=SC2086
    want=$("$build/bench/$ref" --threads 1 $options | last_value)
    for kind in "" _opaque; do
      [ -x "$build/bench/$p$kind" ] || continue
      skips "$(basename "$p")$kind" && continue
      for vars in OMP_NUM_THREADS=1 OMP_NUM_THREADS=2 \
        "OMP_NUM_THREADS=3 OP2_EAGER=1" "OMP_NUM_THREADS=2 OP2_LAYOUT=8" \
        "OMP_NUM_THREADS=2 OP2_RENUMBER=rcm"; do
        n=$((n + 1))
        # shellcheck disable=SC2086
        found=$(env OP2_LOG=0 $vars timeout 120 "$build/bench/$p$kind" $options \
          2>/dev/null | last_value)
        if awk -v a="${found:-nan}" -v b="$want" -v w="$within" 'BEGIN {
            d = a - b; if (d < 0) d = -d; if (b < 0) b = -b
            exit !(a ~ /^[0-9]/ && d <= w * b) }'; then
          echo "pass bench $p$kind" >"$work/bench.$n.result"
        else
          echo "FAIL bench $p$kind $options ($vars): ${found:-none}," \
            "expected $want" | tee "$work/bench.$n.result"
        fi
      done
    done
  done < <(bench_table)
fi

if [ "$opencl" = no ]; then
  echo "no OpenCL device, or sanitizers: the OpenCL modes were left out"
fi
[ -e "$build/libop2lazy-petsc.so" ] || [[ " ${programs[*]} " != *" petsc "* ]] ||
  echo "built without PETSc (libpetsc-real-dev): petsc has tested only what is said then"
skips_say
passed=$(cat "$work"/*.result | grep -c '^pass')
failed=$(cat "$work"/*.result | grep -c '^FAIL')
echo "$passed passed, $failed failed, $(skips_count) skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
