# Step: the test programs on the device, in each of its modes, and in plain order on
# the host; lines "bits ...", where it prints them, must be the host's. The mock computes nothing: there only
# a crash is a failure.
. "$files/steps/common.sh"
. "$files/steps/skips.sh"
export work=$TMPDIR/programs skipped_to=$TMPDIR/skipped

# What a program's end says: ok, failed or crashed
ending() { # status output
  if [ "$1" = 0 ] && tail -n 1 "$2" | grep -q '^ok'; then
    echo ok
  elif [ "$1" -gt 128 ]; then
    echo crashed
  else
    echo failed
  fi
}

one() { # program mode variables
  log=$work/$1.$2
  rc=0 begin=$(date +%s)
  # shellcheck disable=SC2086
  (cd "$work" && env TEST_IR=1 $3 timeout 120 "$files/bin/programs/$1") \
    >"$log" 2>"$log.err" || rc=$?
  end=$(ending "$rc" "$log") good=1
  case $end,$mock in ok, | ok,1 | failed,1) ;; *) good=0 ;; esac
  why=
  [ $good = 1 ] || {
    why="exit $rc: $(cat "$log" "$log.err" | tail -n 4)"
    say "FAIL $1 $2: $(escape "$why")"
  }
  json kind program name "$1" mode "$2" ok $good seconds $(($(date +%s) - begin)) why "$why"
}

# What some need beyond the folder and a C library.
needs_more() {
  case $1 in
  algebra | beyond | kernel_source | nan | refused) there=$(command -v clang-19) lack="clang-19" ;;
  locale | without_data) there=$(ls /bin/sh) lack="/bin/sh" ;;
  out_of_memory) there=$(ls /proc/self/statm) lack="/proc" ;;
  *) return 1 ;;
  esac 2>/dev/null
  [ -n "$there" ] && return 1
  echo "$1: no $lack" >>"$skipped_to"
}

all() {
  for file in "$files"/bin/programs/*; do
    name=${file##*/}
    ! needs_more "$name" || continue
    case " ${PROGRAMS-$name} " in *" $name "*) ;; *) continue ;; esac
    printf '%s\0%s\0%s\0' "$name" host "OP2_TARGET=seq"
    device_modes "$device" "$name" | while IFS="|" read -r mode variables rest; do
      case " ${MODES-$mode} " in *" $mode "*) ;; *) continue ;; esac
      skips "$name" "$variables" ||
        printf '%s\0%s\0%s\0' "$name" "$mode" "$variables"
    done
  done
}

if [ "${1-}" = one ]; then
  one "$2" "$3" "$4"
  exit 0
fi
rm -rf "$work" && mkdir -p "$work"
all >"$work/.all"
xargs -0 -n 3 -P "$(nproc)" sh "$files/steps/programs.sh" one <"$work/.all"

[ -n "$mock" ] || for log in "$work"/*.host; do
  name=${log##*/}
  name=${name%.host}
  grep '^bits ' "$log" >"$work/.host" || continue
  for other in "$work/$name.$device"*; do
    case $other in *.err) continue ;; esac
    grep '^bits ' "$other" >"$work/.device" || continue # it names none there
    good=1
    cmp -s "$work/.host" "$work/.device" || good=0
    [ $good = 1 ] || say "FAIL ${other##*/}: other bits than the host's: $(
      escape "$(diff "$work/.host" "$work/.device" | head -n 4)")"
    json kind bits name "${other##*/}" ok $good
  done
done
skips_say | tee -a "$table"
