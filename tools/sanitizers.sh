# Options of the sanitizers, for scripts that run what was built with them.
# Compiled regions are instrumented where OP2_SANITIZE=address or thread asks for
# it. What is suppressed, and why, stands in test/lsan.supp and test/tsan.supp.
# ThreadSanitizer learns from OpenMP's tool Archer which accesses OpenMP orders.
top=$(pwd)
# Memory that was freed is overwritten: LLVM, which is not instrumented, stumbles over
# what we freed too early.
fill=max_free_fill_size=65536:free_fill_byte=85
export ASAN_OPTIONS="${ASAN_OPTIONS-detect_stack_use_after_return=0:$fill}"
# Drivers of devices leak, from places whose stacks tell nobody's name; leaks of ours
# around devices are for the mock drivers' tests to find.
case ${OP2_TARGET-} in opencl* | cuda*) ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 ;; esac
export LSAN_OPTIONS="${LSAN_OPTIONS-suppressions=$top/test/lsan.supp:print_suppressions=0}"
export TSAN_OPTIONS="${TSAN_OPTIONS-suppressions=$top/test/tsan.supp:ignore_noninstrumented_modules=1}"
export OMP_TOOL_LIBRARIES="${OMP_TOOL_LIBRARIES-$(llvm-config-19 --libdir)/libarcher.so}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS-print_stacktrace=1}"
