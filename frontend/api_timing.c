/* Clocks, and the table of what ran: one line per region, which is one loop or
 * several fused ones under a name like "update+adt_calc". */
#include "frontend/context.h"
#include "frontend/decl.h"

#include "base/file.h"
#include "base/log.h"
#include "base/numbers.h"
#include "rt/device/device.h"

#include "op_lib_core.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void
op_timers(double *cpu, double *et) {
  if (cpu) *cpu = timer_cpu();
  if (et) *et = timer_wall();
}

void
op_timers_core(double *cpu, double *et) {
  op_timers(cpu, et);
}

static double
gb_per_second(const op_kernel *k) {
  return k->time > 0 ? (double)k->transfer / k->time * 1e-9 : 0;
}

/* The table covers all loops that the program called, so the pending ones
 * run. */
static status
table_update(void) {
  TRY(fe_run_for_call());
  fe_vars_kernels_update();
  return OK;
}

/* ---- on stdout ----------------------------------------------------------- */

static void
print_table(void) {
  SCOPED_NUMBERS;
  printf("\n  count   time (s)      GB/s   kernel name\n"
         " ------------------------------------------\n");
  for (int i = 0; i < OP_kern_max; i++) {
    const op_kernel *k = &OP_kernels[i];
    printf(" %6d;  %8.4f;  %8.4f;  %s\n", k->count, k->time, gb_per_second(k),
           k->name);
  }
  printf("Total plan time: %8.4f\n", OP_plan_time);
  if (rt_device_any() && !rt_device_times)
    printf("Regions on devices were not timed: OP2_DEVICE_TIMES=0\n");
}

void
op_timing_output(void) {
  if (!fe_enter("op_timing_output")) return;
  status st = table_update();
  if (st == OK && op_is_root()) print_table();
  fe_leave(st);
}

/* ---- to files ------------------------------------------------------------ */

static status
table_fail(const char *api, const char *path, int bad) {
  FAIL(ERR_IO, "%s: cannot write \"%s\": %s", api, path, strerror(bad));
}

/* Returns false where a write failed. */
typedef bool table_lines(FILE *f);

static status
table_write(const char *api, const char *path, table_lines *lines) {
  if (!path) FAIL(ERR_ARG, "%s: expected a file name, found NULL", api);
  TRY(table_update());
  if (!op_is_root()) return OK;
  struct file_new out;
  int bad = file_begin(&out, path);
  if (bad) return table_fail(api, path, bad);
  SCOPED_NUMBERS;
  bool ok = lines(out.f);
  bad = file_end(&out, ok);
  return ok && !bad ? OK : table_fail(api, path, bad ? bad : EIO);
}

static void
table_to_file(const char *api, const char *path, table_lines *lines) {
  if (fe_enter(api)) fe_leave(table_write(api, path, lines));
}

static bool
plain_lines(FILE *f) {
  double total = 0;
  bool ok = fprintf(f, "\n  count     time     GB/s   kernel name\n"
                       " ---------------------------------------\n") > 0;
  for (int i = 0; ok && i < OP_kern_max; i++) {
    const op_kernel *k = &OP_kernels[i];
    total += k->time;
    ok = fprintf(f, " %6d  %8.4f %8.4f   %s\n", k->count, k->time,
                 gb_per_second(k), k->name) > 0;
  }
  return ok && fprintf(f, "Total kernel time = %f\n", total) > 0;
}

void
op_timing_output_2_file(const char *file_name) {
  table_to_file("op_timing_output_2_file", file_name, plain_lines);
}

/* A field as RFC 4180 has it: quoted where it must be. */
static bool
csv_text(FILE *f, const char *s) {
  if (!strpbrk(s, ",\"\r\n")) return fputs(s, f) >= 0;
  fputc('"', f);
  for (; *s; s++) {
    if (*s == '"') fputc('"', f);
    fputc(*s, f);
  }
  return fputc('"', f) != EOF;
}

/* OP2's columns. */
static bool
csv_lines(FILE *f) {
  bool ok = fprintf(f, "rank,thread,nranks,nthreads,count,total time,plan time,"
                       "mpi time,GB used,GB total,kernel name\n") > 0;
  for (int i = 0; ok && i < OP_kern_max; i++) {
    const op_kernel *k = &OP_kernels[i];
    double gb = (double)k->transfer * 1e-9;
    ok = fprintf(f, "0,0,1,%d,%d,%f,%f,%f,%f,%f,", fe.nthreads, k->count,
                 k->time, (double)k->plan_time, k->mpi_time, gb, gb) > 0 &&
         csv_text(f, k->name) && fputc('\n', f) != EOF;
  }
  return ok;
}

void
op_timings_to_csv(const char *file_name) {
  table_to_file("op_timings_to_csv", file_name, csv_lines);
}
