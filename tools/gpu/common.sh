# What the steps share; sourced. Each JSON line is written by one small append, so that
# steps may run several programs at once.

say() { echo "$*" | tee -a "$table"; }

least() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }

# Text as it may stand between a JSON string's quotes
escape() { printf %s "$1" | tr '\n\t\r' '   ' | sed 's/\\/\\\\/g; s/"/\\"/g' | cut -c1-600; }

# json KEY VALUE ...: one line; values that look like numbers are numbers.
json() {
  json_line=
  while [ $# -ge 2 ]; do
    case $2 in
    '' | *[!0-9.e+-]* | *[!0-9]) json_value="\"$(escape "$2")\"" ;;
    [0-9]* | -[0-9]*) json_value=$2 ;;
    *) json_value="\"$(escape "$2")\"" ;;
    esac
    json_line="$json_line${json_line:+, }\"$1\": $json_value"
    shift 2
  done
  echo "{$json_line}" >>"$results"
}

# The field of that name of a line "{...}" from json above
field() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p"; }

# Variables that aim at the device
aim() { echo "OP2_TARGET=$device"; }

# All that passed or failed, counted; nonzero if something failed.
verdict() {
  passed=$(grep -c '"ok": 1' "$results")
  failed=$(grep -c '"ok": 0' "$results")
  say "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" != 0 ]
}
