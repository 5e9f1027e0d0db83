#!/bin/bash
# op2-view: pages of real runs, opened by a browser without a window.
#   test/view/run.sh BUILD     the folder that holds op2-view and bench/
# Ends with "N passed, N failed, N skipped". Without Chromium (Debian's chromium) only
# what the tool says and writes is looked at. KEEP=folder keeps pages and pictures.
set -u
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
if [ -n "${KEEP-}" ]; then
  mkdir -p "$KEEP" && work=$(cd "$KEEP" && pwd) || exit 2
else
  work=$(mktemp -d) || exit 2
  trap 'rm -rf "$work"' EXIT
fi
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache} OP2_TARGET=openmp OP2_LOG=0
cd "$work" || exit 2
passed=0 failed=0 skipped=0

check() { # NAME COMMAND...
  name=$1
  shift
  if "$@" >log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name: $*"
    head -c 2000 log
  fi
}
exits() { # STATUS COMMAND...
  status=$1
  shift
  "$@"
  [ $? -eq "$status" ]
}
says() { # WORDS STATUS COMMAND...
  words=$1
  shift
  exits "$@" 2>&1 | tee said && grep -qF -- "$words" said
}
airfoil() { # FOLDER [OPTION=VALUE...]: 22 time steps in one flush, 9 loops each
  mkdir -p "$1" && (cd "$1" && shift && env "$@" OP2_TRACE=1 OP2_REPORT=1 \
    "$build/bench/airfoil/airfoil_lazy" --size ${SIZE-8 12} --iters 22 --flush-every 22)
}
alone() { # PAGE: it asks for no other file
  ! grep -E 'src=|href=|@import|url\((["'\'']?)[^#]' "$1" &&
    ! grep -o 'https\?://[a-z0-9./]*' "$1" | grep -v www.w3.org/2000/svg
}
ranks() { # as three leave it, the last with a thread's shares in place of regions
  from=lazy/op2_trace/timeline.json
  share='s/"cat": "region"\(.*\)"tid": 0/"cat": "share"\1"tid": 1001/'
  mkdir -p ranks/rank-0 ranks/rank-1 ranks/rank-2 && cp lazy/op2_trace/* ranks/rank-0 &&
    sed 's/"pid": 0/"pid": 1/' $from >ranks/rank-1/timeline.json &&
    sed -e 's/"pid": 0/"pid": 2/' -e "$share" $from >ranks/rank-2/timeline.json
}
merged() {
  "$build/op2-view" --timeline all.json ranks &&
    [ "$(grep -c '"cat": "flush", .*"pid": 0' all.json)" -gt 0 ] &&
    [ "$(grep -c '"pid": 0' all.json)" -eq "$(grep -c '"pid": 1' all.json)" ]
}

said_of() { # NAME KIND ARGS: an event of the run's timeline
  grep -F "\"name\": \"$1\", \"cat\": \"$2\"" lazy/op2_trace/timeline.json |
    grep -q "\"args\": {$3"
}

check "a run" airfoil lazy
check "a region's event" said_of res_calc region \
  '"bytes": [1-9][0-9]*, "elements": 548, "walk": "[a-z]*", "steps": [0-9]*, '
check "a flush's event" said_of 'flush: the program asks for it (op2_flush)' flush \
  '"program": 1, "loops": 189, "why": "flush: because the program asks for it'
check "a program's event" said_of 'program 0001' passes '"program": 1, "loops": 189'
check "a rank is a process" grep -q \
  '"process_name", "ph": "M", "pid": 0, .*"name": "op2lazy"' lazy/op2_trace/timeline.json
SIZE="24 32" check "a front" airfoil front OP2_TILE_PIECE=64 OMP_NUM_THREADS=2
check "a region's event in it" grep -q '"name": "res_calc", "cat": "region".*"args": {"bytes"'\
': [1-9][0-9]*, "elements": 4528, "walk": "front", "steps": 2, "threads": 2, "lanes": ' \
  front/op2_trace/timeline.json
check "its threads' shares" grep -q '>...", "cat": "share", .*"tid": 1001' \
  front/op2_trace/timeline.json
check "its page" "$build/op2-view" front/op2_trace -o front.html
check "another, loop by loop" env OP2_EAGER=1 bash -c "$(declare -f airfoil)
  build=$build; airfoil eager"
check "its page" "$build/op2-view" lazy/op2_trace -o lazy.html
check "the page is whole" alone lazy.html
check "two folders" "$build/op2-view" lazy/op2_trace eager/op2_trace -o both.html
check "ranks" ranks
check "their page" "$build/op2-view" ranks -o ranks.html
check "their timelines as one" merged
mkdir -p 'end</script>' && cp -r lazy/op2_trace 'end</script>'
check "a name that ends a script" "$build/op2-view" 'end</script>/op2_trace' -o end.html
check "--help" says "usage: op2-view trace_dir" 0 "$build/op2-view" --help
check "no folder" says "usage: op2-view" 2 "$build/op2-view"
check "three folders" exits 2 "$build/op2-view" a b c
check "none such" says "op2-view: none: expected a folder of OP2_TRACE" 1 \
  "$build/op2-view" none
mkdir -p empty wrong && echo 'trace @t { loop' >wrong/0000.before.irt
check "nothing in it" says "empty: expected traces or a timeline" 1 \
  "$build/op2-view" empty
check "a broken trace" says "wrong/0000.before.irt:2:1: expected" 1 "$build/op2-view" wrong
check "no place for it" says "cannot write none/page.html" 1 \
  "$build/op2-view" lazy/op2_trace -o none/page.html

browser=$(command -v chromium || command -v chromium-browser)
if [ -z "$browser" ]; then
  echo "skipped: pages in a browser: chromium is not installed"
  echo "$passed passed, $failed failed, 1 skipped"
  [ $failed -eq 0 ]
  exit
fi

chromium() { # as root there is no sandbox
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
    --disable-dev-shm-usage --window-size=1500,1040 --user-data-dir="$work/profile" \
    "$@" 2>browser.log
}
opened() { # PAGE [#UNIT]: into dom
  chromium --dump-dom "file://$work/$1${2-}" >dom && grep -q 'data-ready=' dom
}
count() { # NUMBER PATTERN: so often in dom
  found=$(grep -o -- "$2" dom | wc -l)
  [ "$found" -eq "$1" ] || { echo "$2: expected $1, found $found" && false; }
}
row() { # LABEL EVENTS
  count 1 "data-row=\"$1\" data-events=\"$2\""
}
events() { # KIND: in the timeline of the run
  grep -c "\"cat\": \"$1\"" lazy/op2_trace/timeline.json
}
picture() { # PAGE
  chromium --virtual-time-budget=4000 --screenshot="$work/$1.png" "file://$work/$1"
  [ "$(head -c 4 "$1.png" | tail -c 3)" = PNG ] &&
    [ "$(wc -c <"$1.png")" -gt 20000 ] # an empty page has some 5 kB
}

check "it opens" opened lazy.html
# 22 steps: the first begins, the last ends otherwise; a step is shown once
check "steps are folded" count 1 '>× 20</text>'
check "loops of a step" count 4 'class="unit" data-name="res_calc"'
check "fused regions" count 3 'class="unit region" data-name="update+adt_calc"'
check "coloured by time" count 3 \
  'data-name="update+adt_calc"[^>]*><rect [^>]*fill="hsl('
# 288 cells: the corners' coordinates, q and adt: 325 * 16 + 288 * (32 + 8)
check "bytes of loops" count 4 'over cells · 16.7 kB · airfoil_lazy.c:50'
check "edges have accesses" grep -q '>inc p_res.[0-9]*<' dom
check "row of regions" row region "$(events region)"
check "row of flushes" row flush "$(events flush)"
check "row of passes" row passes "$(events passes)"
check "the report" count 1 '<table id="report">'
check "its advice" grep -q '<th class="text">would help</th>' dom
check "no comparison" count 0 '<table id="compare-regions">'
check "one unit's details" opened lazy.html '#update+adt_calc'
check "its walk" grep -q '<dt>walk</dt><dd>range</dd>' dom
check "its layout" grep -q '<td>f64 x4 AoS</td>' dom
check "two runs open" opened both.html
check "their regions" count 1 '<table id="compare-regions">'
check "their flushes" count 1 '<table id="compare-flushes">'
check "ranks open" opened ranks.html
check "rows of rank 0" row "rank 0 region" "$(events region)"
check "rows of rank 1" row "rank 1 region" "$(events region)"
check "a row for each thread" row "rank 2 thread 1" "$(events region)"
check "a name that ends a script opens" opened end.html
check "a front opens" opened front.html '#res_calc'
check "how its region ran" grep -q '<dt>ran</dt><dd>front, 2 steps, 2 threads</dd>' dom
check "its bytes" grep -q '<dt>moved</dt><dd>[1-9][0-9.]* [kM]B a run</dd>' dom
check "its threads' rows" row "thread 1" "$(grep -c '"share", .*"tid": 1001' \
  front/op2_trace/timeline.json)"
check "a picture" picture lazy.html
check "a picture of two" picture both.html
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
