/* The CPU by its own account. LLVM takes name and features from the same
 * registers, so that code made on a CPU with equal text runs here; asking LLVM
 * would mean to load it. Caches by the system's files: sysconf tells of all
 * that the processor was sold with, 384 MB where a virtual machine has 32.
 * (hwloc reads the same files, and all others: it is not worth its start.) */
#include "lower/machine.h"

#include "base/str.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- caches -------------------------------------------------------------- */

/* The first line of a file; "" if there is none. */
static void
read_line(const char *path, char *out, int n) {
  FILE *f = fopen(path, "re");
  out[0] = 0;
  if (f && !fgets(out, n, f)) out[0] = 0;
  if (f) fclose(f);
}

/* Processors of a list: 0-3,8-11 */
static unsigned
list_count(const char *list) {
  unsigned n = 0;
  for (char *end; *list >= '0' && *list <= '9'; list = end + (*end == ',')) {
    unsigned long first = strtoul(list, &end, 10), last = first;
    if (*end == '-') last = strtoul(end + 1, &end, 10);
    if (last < first) return 0;
    n += (unsigned)(last - first) + 1;
  }
  return n;
}

/* 32768K, 32M */
static uint64_t
size_bytes(const char *text) {
  char *end;
  uint64_t n = strtoull(text, &end, 10);
  return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : n;
}

struct low_machine_cache
low_machine_last_cache(const char *folder) {
  struct low_machine_cache last = {0, 0};
  char line[4096];
  for (int k = 0; k < 16; k++) { /* the system counts them from the core on */
    SCOPED_STR size = STR_INIT, list = STR_INIT;
    str_printf(&size, "%s/index%d/size", folder, k);
    str_printf(&list, "%s/index%d/shared_cpu_list", folder, k);
    read_line(size.s, line, sizeof line);
    if (!*line) break;
    uint64_t bytes = size_bytes(line);
    read_line(list.s, line, sizeof line);
    unsigned shared = list_count(line);
    if (bytes > last.bytes && shared)
      last = (struct low_machine_cache){bytes, shared};
  }
  return last;
}

uint32_t
low_machine_share(struct low_machine_cache c) {
  uint64_t share = c.shared ? c.bytes / 5 * 4 / c.shared : 0;
  if (share < LOW_SHARE_LEAST) return LOW_SHARE_LEAST;
  return share < LOW_SHARE_MOST ? (uint32_t)share : LOW_SHARE_MOST;
}

/* ---- the processor ------------------------------------------------------- */

#if defined(__x86_64__)
#include <cpuid.h>

uint32_t
low_machine_vector(void) {
  if (__builtin_cpu_supports("avx512f")) return 64;
  return __builtin_cpu_supports("avx") ? 32 : 16;
}

uint32_t
low_machine_registers(void) {
  return __builtin_cpu_supports("avx512f") ? 32 : 16;
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

uint32_t
low_machine_registers(void) {
  return 16;
}

/* Code is not kept here (loader.c); facts and sources do not depend on it. */
void
low_machine_text(struct str *out) {
  str_add(out, "another machine\n");
}
#endif
