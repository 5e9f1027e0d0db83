#!/bin/sh
# Everything a card is asked for, in one command; see doc/gpu.md.
#
#   run.sh [--opencl | --mock] [--steps a,b,...] [--out FOLDER] [minutes]
#
# minutes   for all of it (default 30); each step has its share of them, and what is
#           not done by then is left out and named
# --opencl  on an OpenCL device instead of CUDA; --mock: on a driver that computes
#           nothing, to see that everything runs to its end
# --steps   only these: facts programs random bench sanitizer weights
#
# PROGRAMS, MODES, CASES, VARIANTS in the environment: only these test programs, their
# modes, benchmark cases, their variants; COUNT, SEED: of the random programs.
#
# Writes results.jsonl (a line as soon as something is known) and table.txt into FOLDER
# (default: results, beside this file). Ends with "N passed, N failed". Needs a kernel,
# a C library and libcuda.so.1; its shell and tools are in `busybox` beside it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${GPU_PACK_SHELL-}" ]; then
  export GPU_PACK_SHELL=1
  exec "$here/busybox" sh "$0" "$@"
fi

steps=facts,programs,random,bench,sanitizer,weights
device=cuda mock= out=$here/results minutes=30
while [ $# -gt 0 ]; do
  case $1 in
  --opencl) device=opencl ;;
  --mock) mock=1 ;;
  --steps)
    steps=$2
    shift
    ;;
  --out)
    out=$2
    shift
    ;;
  [0-9]*) minutes=$1 ;;
  *)
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,19p >&2
    exit 2
    ;;
  esac
  shift
done
# Seconds, without a program that may be missing so far
now() { "$here/busybox" date +%s; }
began=$(now)
deadline=$((began + minutes * 60))
"$here/busybox" mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)

# ---- unpacking ----------------------------------------------------------------

files=$here/files
if [ ! -e "$files/whole" ]; then
  "$here/busybox" mkdir -p "$files/applets" || exit 2
  "$here/busybox" --install -s "$files/applets"
  (cd "$files" && "$here/busybox" xzcat "$here/files.tar.xz" |
    "$here/busybox" tar xf -) || exit 2
  : >"$files/whole"
fi
export PATH=$files/applets:${PATH-}
export LD_LIBRARY_PATH=$files/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ -z "$mock" ] || LD_LIBRARY_PATH=$files/mock:$LD_LIBRARY_PATH
[ -d "${CUDA_HOME-}/nvvm/libdevice" ] || export CUDA_HOME=$files/cuda
export TMPDIR=$files/tmp OP2_CACHE_DIR=$files/cache OP2_LOG=0
mkdir -p "$TMPDIR"
export files out device mock deadline
export results=$out/results.jsonl table=$out/table.txt
: >"$results"
: >"$table"
. "$files/steps/common.sh"

# ---- the steps ----------------------------------------------------------------

# name | share of the minutes in per cent
limits() {
  cat <<TABLE
facts     | 5
programs  | 35
random    | 25
bench     | 40
sanitizer | 20
weights   | 5
TABLE
}

# A step and all that it has started, for so many seconds: busybox's timeout would
# end the step alone, and what goes on would disturb what comes next.
limited() { # seconds script
  setsid sh "$2" &
  step_group=$!
  setsid sh -c "sleep $1; kill -TERM -$step_group" &
  step_guard=$!
  step_rc=0
  wait "$step_group" || step_rc=$?
  kill -TERM -"$step_guard" 2>/dev/null
  return $step_rc
}

# One step, as long as there is time for it.
step() { # name share
  step_began=$(now)
  seconds=$(least $((minutes * 60 * $2 / 100)) $((deadline - step_began)))
  rc=0
  if [ "$seconds" -lt 1 ]; then
    rc=124
  else
    say "== $1"
    limited "$seconds" "$files/steps/$1.sh" || rc=$?
  fi
  json step "$1" status "$rc" seconds $(($(now) - step_began))
  case $rc in
  0) ;;
  124 | 143) say "$1: out of time after $(($(now) - step_began)) s" ;;
  *) say "$1: ended with status $rc" ;;
  esac
}

say "target $device, $minutes minutes, results in $out"
limits | while read -r name bar share; do
  case ,$steps, in *",$name,"*) step "$name" "$share" ;; esac
done
say "all of it took $(($(now) - began)) s"
verdict
