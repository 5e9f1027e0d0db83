#!/bin/sh
# op2cc end to end: real compiler runs against a stand-in for the registration.
#   test/op2cc/run.sh <build>     the folder that holds op2cc and op2c++
# Ends with "N passed, N failed".
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
cc=$build/op2cc cxx=$build/op2c++
work=$(mktemp -d) || exit 1
export OP2_CACHE_DIR=$work/cache
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export TMPDIR="$work/tmp"
cd "$work" || exit 1
include="-I$here -I$here/../../include"
passed=0 failed=0

# check <name> <command...>: the command must succeed
check() {
  name=$1
  shift
  if "$@" >log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
    cat log
  fi
}
# fails <command...>: the command must fail
fails() { ! "$@"; }
# rc <n> <command...>: the command must end with status n
rc() {
  want=$1
  shift
  "$@"
  got=$?
  [ $got -eq "$want" ] || { echo "status $got, not $want"; return 1; }
}
says() { # says <pattern> <command...>: output has the pattern; status is kept
  pattern=$1
  shift
  "$@" >said 2>&1
  said_rc=$?
  cat said
  grep -q -- "$pattern" said && return $said_rc
  echo "does not say: $pattern"
  return 1
}

gcc -c $include "$here/registry.c" -o registry.o || exit 1

# ---- programs under the options that people use ------------------------------
c_program() { # c_program <options...>
  rm -f prog
  $cc $include "$@" "$here/c_main.c" "$here/c_other.c" registry.o -o prog \
    -lm && ./prog
}
cxx_program() {
  rm -f prog
  $cxx $include "$@" "$here/cxx_main.cpp" registry.o -o prog && ./prog
}
while read -r options; do
  # shellcheck disable=SC2086 # options are words
  check "C $options" c_program $options
  # shellcheck disable=SC2086
  check "C++ $options" cxx_program $options
done <<'OPTIONS'

-O0
-O1 -g
-O2 -Wall -Wextra -Werror
-O3 -march=native -funroll-loops
-Os -fno-inline
-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
-O2 -flto
-O1 -flto=thin
-O2 -fPIC -pie
-static
-O0 -g -fsanitize=undefined
-O1 -fvisibility=hidden
-x none -DNDEBUG -pthread
OPTIONS

# ---- without the library, and without op2 --------------------------------------
no_library() {
  printf 'void op2_nothing(void (*k)(void)) { (void)k; }\nstatic void k(void) {}
int main(void) { op2_nothing(k); return 0; }\n' >alone.c
  $cc -O2 alone.c -o alone && ./alone
}
check "links and runs without the library" no_library
check "no op2: nothing embedded, errno kept" \
  sh -c "$cc -O2 $include $here/plain.c registry.o -o plain -lm && ./plain"
check "no op2 under -O0: __OPTIMIZE__ is not defined" \
  sh -c "$cc $include $here/plain.c registry.o -o plain -lm && { ./plain; [ \$? = 100 ]; }"

# ---- separate compilation, shared objects ----------------------------------------
separate() {
  $cc $include -c "$here/c_main.c" "$here/c_other.c" && [ -f c_other.o ] &&
    $cc c_main.o c_other.o registry.o -lm -o prog && ./prog
}
check "-c of two files, then a link" separate
from_asm() {
  $cc $include -S -O2 "$here/c_main.c" -o main.s &&
    $cc $include -S "$here/c_other.c" && [ -f c_other.s ] &&
    clang-19 main.s c_other.s registry.o -lm -o prog && ./prog
}
check "-S, then assembled" from_asm
shared() {
  $cc $include -O2 -fPIC -shared "$here/shared.c" -o shared.so &&
    $cc $include -rdynamic "$here/shared_main.c" registry.o -o prog -ldl &&
    ./prog ./shared.so
}
check "a shared object registers and unregisters" shared
by_response() {
  printf '%s "%s"\n-o prog\n' "-O1 $include" "$here/c_main.c" >args
  echo "$here/c_other.c registry.o -lm" >more
  $cc @args @more && ./prog
}
check "response files" by_response
by_language() {
  cp "$here/c_main.c" main.txt
  $cc $include -x c main.txt "$here/c_other.c" -x none registry.o -lm \
    -o prog && ./prog
}
check "-x c, then -x none" by_language
check "a .c file as C++ by -x" sh -c \
  "cp $here/cxx_main.cpp as.c && $cc $include -x c++ as.c -x none registry.o \
   -lstdc++ -lm -o prog && ./prog"
if command -v mpicc >/dev/null; then
  through_mpicc() {
    OMPI_CC=$cc mpicc $include "$here/c_main.c" "$here/c_other.c" registry.o \
      -lm -o prog && ./prog
  }
  check "mpicc with OMPI_CC=op2cc" through_mpicc
fi

# ---- as clang does -----------------------------------------------------------------
same_deps() { # the dependency file of clang, byte for byte
  rm -f ./*.d
  clang-19 $include "$@" -c "$here/c_other.c" && cat ./*.d >expected.txt &&
    ls ./*.d >>expected.txt && rm -f ./*.d &&
    $cc $include "$@" -c "$here/c_other.c" && cat ./*.d >got.txt &&
    ls ./*.d >>got.txt && diff expected.txt got.txt
}
check "-MD" same_deps -MD
check "-MMD -o" same_deps -MMD -o other_name.o
check "-MMD -MF" same_deps -MMD -MF named.d
check "-MMD -MT -MP" same_deps -MMD -MT target -MP
check "-Wp,-MMD" same_deps -Wp,-MMD,wp.d -o x.o
same_text() { # same_text <command line of both>
  clang-19 "$@" >expected.txt 2>&1
  want=$?
  $cc "$@" >got.txt 2>&1
  [ $? -eq $want ] && diff expected.txt got.txt
}
check "-E" same_text $include -E "$here/c_main.c"
check "-M" same_text $include -M "$here/c_main.c"
check "--version" same_text --version
says_what_is_ours() {
  $cc --help >help.txt && grep -q -- -showme help.txt &&
    grep -q -- '--version' help.txt
}
check "--help" says_what_is_ours
check "-dumpmachine" same_text -dumpmachine
check "no input files" same_text
check "a missing file" same_text -c nowhere.c
printf 'int f(void) { return undeclared; }\n' >broken.c
check "diagnostics of an error, once" same_text -c broken.c
printf 'int f(int unused) { return 0; }\n' >warns.c
check "diagnostics of a warning, once" same_text -Wall -Wextra -c warns.c
check "status 1 on an error" rc 1 $cc -c broken.c
check "one bad file of two" rc 1 $cc -c broken.c warns.c
check "-Werror" fails $cc -Wextra -Werror -c warns.c
check "an undefined symbol fails the link" \
  fails $cc $include "$here/c_other.c" -o prog
check "-fsyntax-only writes nothing" \
  sh -c "rm -f warns.o; $cc -fsyntax-only warns.c && [ ! -e warns.o ]"
check "from standard input" \
  sh -c "echo 'int main(void){return 0;}' | $cc -x c - -o prog && ./prog"
check "-o with two sources and -c" fails $cc -c broken.c warns.c -o two.o

# ---- reads of dat->data ----------------------------------------------------------------
peek() {
  $cc $include "$@" "$here/peek.c" registry.o -o prog && ./prog
}
check "a read of dat->data" peek -O2
check "a read of dat->data, -O0 -g" peek -O0 -g
check "a read of dat->data, no lines left in the object" sh -c \
  "$cc $include -O2 -w -c $here/peek.c && ! readelf -S peek.o | grep debug"
looks() {
  $cc -w $include "$@" "$here/looks.c" registry.o -o prog && ./prog
}
check "what becomes of dat->data" looks -O2
check "what becomes of dat->data, -O0 -g" looks -O0 -g
check "what becomes of dat->data, -O3 -flto" looks -O3 -flto
check "what becomes of dat->data, sanitizer" looks -O1 -fsanitize=address
peek_cxx() {
  printf '#include "op2.h"\nstatic double *p;\nvoid keep(op_dat d);
void\nkeep(op_dat d) {\n
  p = (double *)d->data;\n}\ndouble last() { return *p; }\n' >peek_cxx.cpp
  says "peek_cxx.cpp:7: warning: keeps the pointer dat->data" \
    $cxx $include -c peek_cxx.cpp
}
check "a pointer of dat->data is kept, in C++" peek_cxx
check "-w: no warning" sh -c \
  "$cc -w $include -c $here/peek.c 2>out && [ ! -s out ]"
check "other fields are no reads" sh -c \
  "$cc $include $here/peek_not.c registry.o -o prog 2>out && [ ! -s out ] &&
   ./prog"

# ---- raw globals whose result may wait ---------------------------------------
owed() {
  $cc -w $include "$@" "$here/owed.c" registry.o -o prog && ./prog
}
check "what becomes of raw globals" owed -O2
check "what becomes of raw globals, -O0 -g" owed -O0 -g
check "what becomes of raw globals, -O3 -flto" owed -O3 -flto
check "what becomes of raw globals, sanitizer" owed -O1 -fsanitize=address
check "what becomes of raw globals, no PIC" owed -O1 -fno-pic -no-pie

# ---- files of other compilers, with the library --------------------------------
plain() { # plain <compiler> <options...>: one file by it, one by op2cc
  plain_cc=$1
  shift
  $plain_cc $include "$@" -Wall -Wextra -Werror -c "$here/plain_main.c" -o main.o &&
    $cc $include -O2 -c "$here/plain_kernel.c" -o kernel.o &&
    $cc main.o kernel.o "$build/libop2lazy.so" "-Wl,-rpath,$build" -o prog &&
    OP2_LOG=1 says "$said_of_plain" ./prog
}
said_of_plain="plain_main.c was not compiled by op2cc"
check "main by gcc reads dat->data" plain gcc -O2
check "main by clang reads dat->data" plain clang-19 -O2
check "main by gcc as C++" plain g++ -xc++ -O2
said_of_plain="read"
check "main by op2cc" plain "$cc" -O2
plain_shared() {
  gcc $include -O2 -fPIC -shared "$here/plain_main.c" -DLATE -o plain.so &&
    $cc $include -O2 "$here/plain_kernel.c" -DLATE -rdynamic "$build/libop2lazy.so" \
      "-Wl,-rpath,$build" -ldl -o prog && ./prog ./plain.so
}
check "a shared object by gcc comes late" plain_shared
promise() {
  gcc $include -DOP2_CALLS_ONLY -c "$here/plain_main.c" -o main.o &&
    ! nm main.o | grep op2_plain_file
}
check "OP2_CALLS_ONLY leaves no mark" promise
check "op2cc leaves no mark, after -E as well" sh -c "$cc $include -E \
  $here/plain_main.c -o p.i && $cc -O2 -c p.i -o p.o && ! nm p.o | grep plain_file"

# ---- kernels outside their arguments ---------------------------------------------------
beyond() { # beyond OPTIONS...: both errors, at their calls; no third, no object
  rm -f beyond.o
  $cc $include "$@" -c "$here/beyond.c" -o beyond.o >said 2>&1 && return 1
  cat said
  sed -n 's/^.*beyond.c:\([0-9]*\): error: .*: argument /\1 /p' said >found
  calls=$(grep -n 'op_par_loop' "$here/beyond.c" | cut -d: -f1 | tr '\n' ' ')
  set -- $calls
  printf '%s 1: %s expected components 0 to 0, found 1\n%s 0: %s %s\n' \
    "$1" "kernel outside its argument:" "$2" "kernel outside its argument:" \
    "expected entries 0 to 1, found 2" | diff - found && [ ! -e beyond.o ]
}
check "a component and an entry too many" beyond -O2
check "a component and an entry too many, -O0 -g" beyond -O0 -g
check "a component and an entry too many, C++" beyond -O2 -x c++
for language in c c++; do
  check "none too many, $language" \
    $cc $include -DRIGHT -O2 -Wall -Wextra -Werror -x $language -c "$here/beyond.c" -o b.o
done

# ---- left behind -----------------------------------------------------------------------
check "no temporary files are left" sh -c '[ -z "$(ls "$TMPDIR")" ]'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
