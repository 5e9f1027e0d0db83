# Step: times of the benchmark programs. For each: the answer against the host's, the
# time of an iteration, and each region's bandwidth in ideal bytes with its share of
# what a copy on the card reaches (step facts).
. "$files/steps/common.sh"
log=$TMPDIR/bench.log
copy=$(grep '"kind": "facts"' "$results" | field copy_gb_per_s)

# name | program and its options | variants | answer | may differ by
cases() {
  if slow; then small_cases; else large_cases; fi
}

# Is it a device for which the meshes of a card are too large (a processor's cores)?
slow() { [ -z "$mock" ] && awk "BEGIN { exit !(${copy:-0} < 200) }"; }

small_cases() {
  cat <<TABLE
airfoil-5k    | airfoil --size 36 48 --iters 200 --warmup 20     | small | rms | 1e-9
airfoil-45k   | airfoil --size 100 150 --iters 20 --warmup 4     | all   | rms | 1e-9
deferred-45k  | airfoil_lazy --size 100 150 --iters 20 --warmup 5 --flush-every 5 | fused | rms | 1e-9
shallow       | shallow --size 120 80 --iters 20 --warmup 4      | all   | max_h | 1e-9
fem           | fem --size 160 160 --iters 20 --warmup 4         | all   | rms | 1e-4
jacobi        | jacobi_double --size 200 200 --iters 20 --warmup 4 | fused | rms | 1e-9
layers        | layers --size 30 40 --layers 20 --iters 10 --warmup 2 | fused | rms | 1e-9
matrix        | fem_matrix --size 60 60 | fused | rms | 1e-4
diffusion     | diffusion --size 40 40 --layers 30 --iters 10 --warmup 2 | fused | rms | 1e-9
advection     | advection --size 60 60 --iters 10 --warmup 2 | fused | rms | 1e-9
icosahedral   | icosahedral --size 100 100 --iters 10 --warmup 2 | fused | rms | 1e-9
multigrid     | multigrid --size 60 60 --iters 4 --warmup 1 | fused | rms | 1e-6
TABLE
}

large_cases() {
  cat <<TABLE
airfoil-5k      | airfoil --size 36 48 --iters 2000 --warmup 200      | small | rms | 1e-9
airfoil-720k    | airfoil --size 400 600 --iters 300 --warmup 20      | all   | rms | 1e-9
airfoil-2880k   | airfoil --size 800 1200 --iters 200 --warmup 20     | all   | rms | 1e-9
deferred-5k     | airfoil_lazy --size 36 48 --iters 2000 --warmup 200 --flush-every 100 | small | rms | 1e-9
deferred-2880k  | airfoil_lazy --size 800 1200 --iters 200 --warmup 20 --flush-every 20 | fused | rms | 1e-9
shallow         | shallow --size 1200 800 --iters 200 --warmup 20     | all   | max_h | 1e-9
fem             | fem --size 1600 1600 --iters 100 --warmup 10        | all   | rms | 1e-4
jacobi          | jacobi_double --size 2000 2000 --iters 200 --warmup 20 | fused | rms | 1e-9
layers          | layers --size 212 212 --layers 60 --iters 100 --warmup 10 | fused | rms | 1e-9
matrix          | fem_matrix --size 400 400                             | fused | rms | 1e-4
diffusion       | diffusion --size 512 512 --layers 64 --iters 100 --warmup 10 | fused | rms | 1e-9
advection       | advection --size 500 500 --iters 100 --warmup 10      | fused | rms | 1e-9
icosahedral     | icosahedral --size 2000 2000 --iters 200 --warmup 20  | fused | rms | 1e-9
multigrid       | multigrid --size 1000 1000 --iters 10 --warmup 2      | fused | rms | 1e-6
euler           | euler --size 64 64 --iters 20 --warmup 2              | all   | rms | 1e-9
chebyshev       | chebyshev --size 100 100 --iters 20 --warmup 2        | fused | rms | 1e-9
TABLE
}

variants() { # which
  echo "default|"
  case $1 in
  small) echo "no-graphs|OP2_CUDA_GRAPHS=0" && echo "no-times|OP2_DEVICE_TIMES=0" ;;
  fused | all) echo "no-graphs|OP2_CUDA_GRAPHS=0" ;;
  esac
  echo "gather|OP2_GATHER=always"
  echo "one-a-loop|OP2_DISABLE=fuse"
  [ "$1" = all ] || return 0
  echo "atomic|OP2_INCREMENTS=atomic"
  echo "colour|OP2_INCREMENTS=colour"
  echo "staged|OP2_INCREMENTS=staged"
  echo "reads|OP2_INCREMENTS=staged OP2_READS=staged"
}

result() { sed -n "s/^result .* $1=\([^ ]*\).*/\1/p" "$log"; }

# Lines "regions" of the timing table in $log
regions() { # case variant
  sed -n 's/^ *\([0-9]*\); *\([0-9.]*\); *\([0-9.]*\);  *\(.*\)/\1|\2|\3|\4/p' "$log" |
    while IFS='|' read -r n seconds rate name; do
      share=$(awk "BEGIN { c = ${copy:-0}; print (c > 0 ? $rate / c : 0) }")
      json kind region case "$1" variant "$2" region "$name" count "$n" \
        seconds "$seconds" gb_per_s "$rate" share "$share"
      case $2 in default | gather | one-a-loop)
        printf '    %-40s %7s us %9s GB/s %5.2f of a copy\n' "$name" \
          "$(awk "BEGIN { printf \"%.1f\", $seconds / $n * 1e6 }")" "$rate" "$share" |
          tee -a "$table"
        ;;
      esac
    done
}

near() { # answer wanted within
  awk "BEGIN { d = $1 - $2; e = $3 * ($2 < 0 ? -($2) : $2); exit !(d <= e && -d <= e) }"
}


# The host's answer, by the best it has
host_answer() { # answer program options
  key=$1
  shift
  program=$1
  shift
  OP2_TARGET=openmp timeout 100 "$files/bin/bench/$program" "$@" >"$log" 2>&1
  result "$key"
}

one() { # case variant variables answer host's within program options
  case_name=$1 variant=$2 variables=$3 key=$4 wanted=$5 within=$6 good=0
  program=$7
  shift 7
  # shellcheck disable=SC2086
  env "$(aim)" $variables timeout 100 "$files/bin/bench/$program" "$@" >"$log" 2>&1
  ms=$(result ms_per_iter) answer=$(result "$key")
  if [ -z "$ms" ]; then
    say "FAIL $case_name $variant: $(escape "$(tail -n 3 "$log")")"
  elif [ -n "$mock" ] || near "$answer" "${wanted:-0}" "$within"; then
    good=1
  else
    say "FAIL $case_name $variant: $key is $answer, on the host ${wanted:-unknown}"
  fi
  parts=$(grep '^result' "$log" | grep -o '[a-z]*_ms=[^ ]*' | grep -v first_ms)
  json kind bench case "$case_name" variant "$variant" ok $good ms_per_iter "${ms:-0}" \
    answer "$answer" host "$wanted" first_ms "$(result first_ms)" parts "$parts"
  # shellcheck disable=SC2086
  printf '%-16s %-12s %10.4f ms %s\n' "$case_name" "$variant" "${ms:-0}" "$(echo $parts)" |
    tee -a "$table"
  [ -z "$ms" ] || regions "$case_name" "$variant"
}

! slow || say "slow: ${copy:-0} GB/s in a copy: small meshes"
cases | while IFS='|' read -r name command which key within; do
  name=$(echo $name) which=$(echo $which) key=$(echo $key) within=$(echo $within)
  case " ${CASES-$name} " in *" $name "*) ;; *) continue ;; esac
  # shellcheck disable=SC2086
  wanted=$(host_answer "$key" $command)
  variants "$which" | while IFS='|' read -r variant variables; do
    case " ${VARIANTS-$variant} " in *" $variant "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086
    one "$name" "$variant" "$variables" "$key" "$wanted" "$within" $command </dev/null
  done
done
