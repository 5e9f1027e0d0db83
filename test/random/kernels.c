/* The kernels' functions, as a program would have them: static, handed on by
 * address. Compiled once for each GROUP (a macro GROUP_<letter>, and GROUP its
 * letter), by op2cc or by the plain compiler. */
#include "kernels.h"
#include "names.h"

#include "op2.h"

#include <math.h>
#include <string.h>

#define USER(letter, name, ...) __VA_ARGS__
#include "user_types.def"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

__attribute__((unused, noinline)) static long long
k_clip(long long v) {
  return v > 50 ? 50 : v < -50 ? -50 : v;
}

#ifdef __clang__
#pragma GCC diagnostic ignored "-Wincompatible-library-redeclaration"
#else
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#define KERNEL(family, name, spec, params, ...)                                \
  static void name params __VA_ARGS__
#include "kernels.def"

/* The call stands beside the kernels, as in a program: op2cc looks only into files
 * that use the library. */
static void
loop(const struct kernel_entry *k, const char *file, int line, void *set,
     int order, int nargs, const void *args) {
  if (order)
    op2_par_loop_scan_at(file, line, k->function, k->name, set, order, nargs,
                         args, NULL, 0);
  else
    op2_par_loop_at(file, line, k->function, k->name, set, nargs, args);
}

static const struct kernel_entry entries[] = {
#define KERNEL(family, name, spec, params, ...)                                \
  {#name, PLAIN, (void (*)(void))name, loop},
#include "kernels.def"
};

extern const struct kernel_group JOIN(kernel_group_, GROUP);
const struct kernel_group JOIN(kernel_group_, GROUP) = {
    entries, sizeof entries / sizeof *entries};
