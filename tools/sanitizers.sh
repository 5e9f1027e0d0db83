# Options of the sanitizers, for scripts that run what was built with them.
# Code from the JIT is not instrumented: an out-of-bounds access there is seen
# only where it enters the library or libc. What is suppressed, and why, stands
# in test/lsan.supp.
top=$(pwd)
export ASAN_OPTIONS="${ASAN_OPTIONS-detect_stack_use_after_return=0}"
export LSAN_OPTIONS="${LSAN_OPTIONS-suppressions=$top/test/lsan.supp:print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS-print_stacktrace=1}"
