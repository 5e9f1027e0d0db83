/* The CPU by its own account. LLVM takes name and features from the same
 * registers, so that code made on a CPU with equal text runs here; asking LLVM
 * would mean to load it. */
#include "lower/machine.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>

uint32_t
low_machine_vector(void) {
  if (__builtin_cpu_supports("avx512f")) return 64;
  return __builtin_cpu_supports("avx") ? 32 : 16;
}

/* Leaves and which registers of them describe the CPU; others hold sizes,
 * addresses or the number of the core that we happen to run on. */
static const struct {
  uint32_t leaf, part;
  bool a, b, c, d;
} machine_leaves[] = {
    {0x0, 0, 0, 1, 1, 1},        {0x1, 0, 1, 0, 1, 1},
    {0x7, 0, 0, 1, 1, 1},        {0x7, 1, 1, 1, 1, 1},
    {0xd, 1, 1, 0, 0, 0},        {0x14, 0, 0, 1, 0, 0},
    {0x19, 0, 0, 1, 0, 0},       {0x24, 0, 0, 1, 0, 0},
    {0x80000001, 0, 0, 0, 1, 1}, {0x80000008, 0, 0, 1, 0, 0},
};

/* Registers that the system saves: without them there are no wide vectors. */
static uint32_t
machine_saved(void) {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
  __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return a;
}

void
low_machine_text(struct str *out) {
  str_add(out, "x86-64");
  size_t n = sizeof machine_leaves / sizeof *machine_leaves;
  for (size_t k = 0; k < n; k++) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(machine_leaves[k].leaf, machine_leaves[k].part, &a, &b,
                      &c, &d);
    str_printf(out, " %x.%x", machine_leaves[k].leaf, machine_leaves[k].part);
    if (machine_leaves[k].a) str_printf(out, " %x", a);
    if (machine_leaves[k].b) str_printf(out, " %x", b);
    if (machine_leaves[k].c) str_printf(out, " %x", c);
    if (machine_leaves[k].d) str_printf(out, " %x", d);
  }
  str_printf(out, " xcr0 %x\n", machine_saved());
}

#else
uint32_t
low_machine_vector(void) {
  return 16;
}

/* Code is not kept here (loader.c); facts and sources do not depend on it. */
void
low_machine_text(struct str *out) {
  str_add(out, "another machine\n");
}
#endif
