#!/bin/sh
# What configuring refuses, before anything is built: other versions of LLVM, and none. The
# recipe of Spack is Python.
#   test/tools/configure_test.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

check() { # check WHAT COMMAND...
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what:"
    tail -n 20 "$work/log"
  fi
}
refuses() { # refuses WORDS OPTION...: the words, whatever lines they are on
  words=$1
  shift
  rm -rf "$work/build"
  cmake -S . -B "$work/build" "$@" >"$work/said" 2>&1 && echo 'configured' && return 1
  cat "$work/said"
  tr -s ' \n' ' ' <"$work/said" | grep -q "$words"
}
for version in 18.1.8 20.1.0 190.0; do
  printf '#!/bin/sh\necho %s\n' "$version" >"$work/llvm-config"
  chmod +x "$work/llvm-config"
  check "LLVM $version" refuses "op2lazy needs LLVM 19, found $version ($work/llvm-config)" \
    -DLLVM_CONFIG="$work/llvm-config"
done
check 'the next run finds the right one' cmake -S . -B "$work/build"
check 'no LLVM' refuses 'op2lazy needs LLVM 19, found none' -DLLVM_CONFIG:FILEPATH=
recipe=tools/spack/packages/op2lazy/package.py
check 'the recipe of Spack' python3 -c "compile(open('$recipe').read(), '$recipe', 'exec')"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
