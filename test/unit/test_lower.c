/* Lowering: what regions compute, in all layouts, with and without blocks. */
#include "test_lower.h"

#include "base/log.h"
#include "lower/disk.h"

#include <math.h>

/* ---- one loop ------------------------------------------------------------ */

/* b = 2a + component, on n elements: whole blocks, ragged ends, neither. */
static void
check_direct(int block, int n) {
  char text[512];
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d\n"
           " dat %%a : %%s f64 x3 block=%d\n dat %%b : %%s f64 x3 block=%d\n"
           " kernel @k\n"
           " %%b.1 = loop @k over %%s (read %%a.0, write %%b)\n"
           " live %%b.1\n}\n",
           n, block, block);
  double a[3 * 67];
  for (int i = 0; i < 3 * n; i++) a[i] = i * 0.5;
  struct lower_case c;
  lower_case_init(&c, text,
                  "void k(const double *a, double *b) {"
                  " for (int c = 0; c < 3; c++) b[c] = 2 * a[c] + c; }");
  lower_case_passes(&c, "fuse,storage");
  lower_case_dat(&c, "a", a);
  lower_case_dat(&c, "b", NULL);
  lower_case_run(&c, 1);
  const double *b = lower_case_get(&c, "b");
  for (int i = 0; i < 3 * n; i++)
    cr_assert_eq(b[i], 2 * a[i] + i % 3, "block %d, n %d, at %d: %g", block, n,
                 i, b[i]);
  lower_case_clear(&c);
}

Test(lower, direct_loops_in_all_layouts_and_sizes) {
  static const int blocks[] = {1, 0, 4, 8, 16}, sizes[] = {1, 7, 8, 16, 67};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 5; k++) check_direct(blocks[i], sizes[k]);
}

/* A ring of n edges; edge e joins e and (e+1) % n. */
static void
ring(int n, idx_l *table) {
  for (int e = 0; e < n; e++) {
    table[2 * e] = e;
    table[2 * e + 1] = (e + 1) % n;
  }
}

static const char flux_source[] =
    "void flux(const double *x, const double *y, double *p, double *q) {"
    " for (int c = 0; c < %d; c++) {"
    "  double f = 3 * y[c] - x[c]; p[c] += f; q[c] -= 2 * f; } }";

/* Increments through a map; small integers, so that sums are exact. */
static void
check_flux(int block, int dim, int n, int threads) {
  char text[600], source[300];
  snprintf(text, sizeof text,
           "trace @t {\n set %%e n=%d\n set %%v n=%d\n"
           " map %%m : %%e -> %%v x2\n"
           " dat %%x : %%v f64 x%d block=%d\n"
           " dat %%r : %%v f64 x%d block=%d\n kernel @flux\n"
           " %%r.1 = loop @flux over %%e (read %%x.0 via %%m[0], "
           "read %%x.0 via %%m[1], inc %%r.0 via %%m[0], "
           "inc %%r.0 via %%m[1])\n live %%r.1\n}\n",
           n, n, dim, block, dim, block);
  snprintf(source, sizeof source, flux_source, dim);
  idx_l *table = mem_alloc(2 * (size_t)n, sizeof *table);
  double *x = mem_alloc((size_t)(n * dim), sizeof *x);
  double *r = mem_alloc((size_t)(n * dim), sizeof *r);
  ring(n, table);
  for (int i = 0; i < n * dim; i++) x[i] = (i * 7) % 31, r[i] = i % 5;
  struct lower_case c;
  lower_case_init(&c, text, source);
  lower_case_passes(&c, "fuse,storage");
  lower_case_map(&c, "m", table);
  lower_case_dat(&c, "x", x);
  lower_case_dat(&c, "r", r);
  lower_case_run(&c, threads);
  for (int e = 0; e < n; e++)
    for (int d = 0; d < dim; d++) {
      int p = e * dim + d, q = (e + 1) % n * dim + d;
      r[p] += 3 * x[q] - x[p];
      r[q] -= 2 * (3 * x[q] - x[p]);
    }
  const double *got = lower_case_get(&c, "r");
  for (int i = 0; i < n * dim; i++)
    cr_assert_eq(got[i], r[i], "block %d dim %d n %d: [%d] %g, want %g", block,
                 dim, n, i, got[i], r[i]);
  lower_case_clear(&c);
  free(table);
  free(x);
  free(r);
}

Test(lower, increments_through_a_map_in_all_layouts) {
  static const int blocks[] = {1, 0, 8};
  for (int i = 0; i < 3; i++) check_flux(blocks[i], 4, 43, 1);
}

Test(lower, increments_of_all_widths) {
  for (int dim = 1; dim <= 7; dim++) check_flux(1, dim, 35, 1);
}

Test(lower, increments_of_many_components_run_without_blocks) {
  check_flux(1, 40, 35, 1);
  check_flux(0, 40, 35, 1);
}

Test(lower, increments_on_two_threads) {
  check_flux(1, 4, 5000, 2);
}

Test(lower, a_row_that_names_one_target_twice_adds_both) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %e n=20\n set %v n=1\n"
                  " map %m : %e -> %v x2 repeats\n dat %r : %v f64 x1\n"
                  " kernel @k\n"
                  " %r.1 = loop @k over %e (inc %r.0 via %m[0], "
                  "inc %r.0 via %m[1])\n live %r.1\n}\n",
                  "void k(double *p, double *q) { *p += 1; *q += 10; }");
  lower_case_passes(&c, "fuse,storage");
  idx_l table[40] = {0};
  lower_case_map(&c, "m", table);
  lower_case_dat(&c, "r", NULL);
  lower_case_run(&c, 1);
  cr_assert_eq(lower_case_get(&c, "r")[0], 220);
  lower_case_clear(&c);
}

/* ---- fused --------------------------------------------------------------- */

Test(lower, a_kernel_sees_what_the_one_before_it_left) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=21\n dat %a : %s f64 x1\n"
                  " dat %b : %s f64 x1\n kernel @f\n kernel @g\n"
                  " %a.1 = loop @f over %s (rw %a.0)\n"
                  " %b.1 = loop @g over %s (read %a.1, write %b)\n"
                  " live %a.1, %b.1\n}\n",
                  "void f(double *a) { *a += 1; }"
                  "void g(const double *a, double *b) { *b = 10 * *a; }");
  lower_case_passes(&c, "fuse,storage");
  cr_assert_eq(c.t->nregions, 1);
  double a[21];
  for (int i = 0; i < 21; i++) a[i] = i;
  lower_case_dat(&c, "a", a);
  lower_case_dat(&c, "b", NULL);
  lower_case_run(&c, 1);
  cr_assert_eq(c.lp.program->nlaunches, 1);
  cr_assert_str_eq(c.lp.program->launches[0].name, "f+g");
  for (int i = 0; i < 21; i++) {
    cr_assert_eq(lower_case_get(&c, "a")[i], i + 1);
    cr_assert_eq(lower_case_get(&c, "b")[i], 10 * (i + 1));
  }
  lower_case_clear(&c);
}

Test(lower, a_temporary_inside_a_region_has_no_memory) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=21\n dat %a : %s f64 x1\n"
                  " dat %t : %s f64 x1 temp\n kernel @f\n kernel @g\n"
                  " %t.1 = loop @f over %s (read %a.0, write %t)\n"
                  " %a.1 = loop @g over %s (read %t.1, write %a)\n"
                  " free %t.1\n live %a.1\n}\n",
                  "void f(const double *a, double *t) { *t = *a + 1; }"
                  "void g(const double *t, double *a) { *a = 2 * *t; }");
  lower_case_passes(&c, "fuse,storage");
  lower_case_dat(&c, "a", NULL);
  lower_case_dat(&c, "t", NULL);
  lower_case_run(&c, 1);
  cr_assert_eq(c.lp.program->nslots, 1, "%u", c.lp.program->nslots);
  for (int i = 0; i < 21; i++) cr_assert_eq(lower_case_get(&c, "a")[i], 2);
  lower_case_clear(&c);
}

/* Two names, one buffer, written through one of them in the same region in
 * which the other is read. */
Test(lower, the_old_version_under_another_name_is_read_before_the_store) {
  struct lower_case c;
  lower_case_init(
      &c,
      "trace @t {\n set %s n=21\n dat %q : %s f64 x1\n dat %old : %s f64 x1\n"
      " dat %d : %s f64 x1\n kernel @f\n kernel @g\n same %old.0 %q.0\n"
      " region over %s walk range {\n"
      " %q.1 = loop @f over %s (rw %q.0)\n"
      " %old.1, %d.1 = loop @g over %s (read %q.1, rw %old.0, write %d)\n"
      " hold copy %q.1 %old.1 %d.1\n }\n"
      " live %q.1, %old.1, %d.1\n"
      " buffer #0 : %q.0 %old.0 %q.1\n buffer #1 : %d.1\n"
      " buffer #2 : %old.1\n}\n",
      "void f(double *q) { *q *= 3; }"
      "void g(const double *q, double *o, double *d) { *d = *q - *o; *o += 5; "
      "}");
  double q[21];
  for (int i = 0; i < 21; i++) q[i] = i;
  lower_case_dat(&c, "q", q);
  lower_case_dat(&c, "old", q);
  lower_case_dat(&c, "d", NULL);
  lower_case_run(&c, 1);
  for (int i = 0; i < 21; i++) {
    cr_assert_eq(lower_case_get(&c, "q")[i], 3 * i);
    cr_assert_eq(lower_case_get(&c, "d")[i], 2 * i);
    cr_assert_eq(lower_case_get(&c, "old")[i], i + 5);
  }
  lower_case_clear(&c);
}

/* t = a*b - ab rounded is 0 unless the product of one kernel and the difference
 * of the next became one operation. */
Test(lower, nothing_is_contracted_across_kernels) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=37\n dat %a : %s f64 x1\n"
                  " dat %p : %s f64 x1\n dat %d : %s f64 x1\n"
                  " kernel @mul\n kernel @sub\n"
                  " %p.1 = loop @mul over %s (read %a.0, write %p)\n"
                  " %d.1 = loop @sub over %s (read %p.1, rw %d.0)\n"
                  " live %p.1, %d.1\n}\n",
                  "void mul(const double *a, double *p) { *p = *a * *a; }"
                  "void sub(const double *p, double *d) { *d = *p - *d; }");
  lower_case_passes(&c, "fuse,storage");
  cr_assert_eq(c.t->nregions, 1);
  double a[37], d[37];
  for (int i = 0; i < 37; i++) {
    a[i] = 1.0 / (i + 3);
    volatile double rounded = a[i] * a[i];
    d[i] = rounded;
  }
  lower_case_dat(&c, "a", a);
  lower_case_dat(&c, "p", NULL);
  lower_case_dat(&c, "d", d);
  lower_case_run(&c, 1);
  for (int i = 0; i < 37; i++) cr_assert_eq(lower_case_get(&c, "d")[i], 0);
  lower_case_clear(&c);
}

/* ---- read-write through maps --------------------------------------------- */

/* Rows (e, e+1), and every third one (e, e): element order, shared copies. */
static void
check_far_rw(int block) {
  char text[400];
  snprintf(text, sizeof text,
           "trace @t {\n set %%e n=30\n set %%v n=31\n"
           " map %%m : %%e -> %%v x2 repeats\n"
           " dat %%r : %%v f64 x2 block=%d\n kernel @k\n"
           " %%r.1 = loop @k over %%e (rw %%r.0 via %%m[0], "
           "rw %%r.0 via %%m[1]) serial\n live %%r.1\n}\n",
           block);
  struct lower_case c;
  lower_case_init(&c, text,
                  "void k(double *p, double *q) {"
                  " p[0] += 1; q[0] = 2 * q[0] + p[1]; p[1] = q[0] - 3; }");
  lower_case_passes(&c, "fuse,storage");
  idx_l table[60];
  double r[62];
  for (int i = 0; i < 62; i++) r[i] = i % 4;
  for (int e = 0; e < 30; e++) {
    table[2 * e] = e;
    table[2 * e + 1] = e % 3 ? e + 1 : e;
  }
  lower_case_map(&c, "m", table);
  lower_case_dat(&c, "r", r);
  lower_case_run(&c, 2);
  for (int e = 0; e < 30; e++) {
    double *p = r + 2 * table[2 * e], *q = r + 2 * table[2 * e + 1];
    p[0] += 1, q[0] = 2 * q[0] + p[1], p[1] = q[0] - 3;
  }
  for (int i = 0; i < 62; i++)
    cr_assert_eq(lower_case_get(&c, "r")[i], r[i], "block %d at %d", block, i);
  lower_case_clear(&c);
}

Test(lower, arguments_that_meet_share_one_copy) {
  check_far_rw(1);
  check_far_rw(0);
}

/* ---- overlapping memory -------------------------------------------------- */

Test(lower, dats_that_overlap_are_worked_on_in_place) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=9\n dat %a : %s f64 x1 pinned\n"
                  " dat %b : %s f64 x1 pinned storage %a\n kernel @f\n"
                  " %a.1 = loop @f over %s (rw %a.0, rw %a.0 as %b) serial\n"
                  " live %a.1\n}\n",
                  "void f(double *a, double *b) { *b += *a; }");
  lower_case_passes(&c, "fuse,storage");
  double x[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  lower_case_dat(&c, "a", x);
  lower_case_dat(&c, "b", x + 1);
  lower_case_run(&c, 2);
  for (int i = 0; i < 10; i++) cr_assert_eq(x[i], i + 1, "%d: %g", i, x[i]);
  lower_case_clear(&c);
}

/* ---- programs ------------------------------------------------------------ */

Test(lower, equal_regions_are_compiled_once_whatever_their_size) {
  static const char text[] =
      "trace @t {\n set %%s n=%d\n dat %%a : %%s f64 x1\n kernel @k\n"
      " %%a.1 = loop @k over %%s (rw %%a.0)\n"
      " %%a.2 = loop @k over %%s (rw %%a.1)\n live %%a.2\n}\n";
  char sized[300];
  for (int n = 5; n < 8; n++) {
    struct lower_case c;
    snprintf(sized, sizeof sized, text, n);
    lower_case_init(&c, sized, "void k(double *a) { *a += 1; }");
    lower_case_passes(&c, "fuse{max=1},storage");
    long long before = counters[CNT_compiles];
    lower_case_dat(&c, "a", NULL);
    lower_case_run(&c, 1);
    cr_assert_eq(counters[CNT_compiles] - before, n == 5, "n %d", n);
    cr_assert_eq(lower_case_get(&c, "a")[n - 1], 2);
    lower_case_clear(&c);
  }
}

static void
shell(const char *command, const char *folder) {
  char text[200];
  snprintf(text, sizeof text, command, folder);
  cr_assert_eq(system(text), 0, "%s", text);
}

/* Another process may put the code there between two looks. A damaged entry
 * counts looks. */
Test(lower, equal_regions_are_one_look_at_the_disk) {
  char folder[] = "/tmp/op2-lower-XXXXXX";
  log_level = 0;
  cr_assert_not_null(mkdtemp(folder));
  for (int round = 0; round < 2; round++) {
    struct lower_case c;
    lower_case_init(&c,
                    "trace @t {\n set %s n=9\n dat %a : %s f64 x1\n"
                    " kernel @k\n %a.1 = loop @k over %s (rw %a.0)\n"
                    " %a.2 = loop @k over %s (rw %a.1)\n live %a.2\n}\n",
                    "void k(double *a) { *a += 4; }");
    lower_case_passes(&c, "fuse{max=1},storage");
    lower_case_dat(&c, "a", NULL);
    low_made_open("cpu", true);
    low_disk_open(folder, 1 << 20);
    lower_case_run(&c, 1);
    cr_expect_eq(counters[CNT_cache_bad], round);
    cr_assert_eq(lower_case_get(&c, "a")[8], 8);
    lower_case_clear(&c);
    low_clear();
    low_made_close();
    shell("find %s -name '*region.op2' -exec truncate -s 9 {} +", folder);
  }
  shell("rm -r %s", folder);
}

Test(lower, copies_and_aliases) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=5\n dat %a : %s f64 x1\n"
                  " dat %b : %s f64 x1\n dat %d : %s f64 x1\n kernel @k\n"
                  " %b.1 = alias read %a.0, write %b\n"
                  " %d.1 = copy read %b.1, write %d\n"
                  " %d.2 = loop @k over %s (rw %d.1)\n"
                  " live %b.1, %d.2\n}\n",
                  "void k(double *d) { *d += 1; }");
  lower_case_passes(&c, "fuse,storage");
  double a[5] = {4, 5, 6, 7, 8};
  lower_case_dat(&c, "a", a);
  lower_case_dat(&c, "b", NULL);
  lower_case_dat(&c, "d", NULL);
  lower_case_run(&c, 1);
  for (int i = 0; i < 5; i++) {
    cr_assert_eq(lower_case_get(&c, "a")[i], i + 4);
    cr_assert_eq(lower_case_get(&c, "b")[i], i + 4);
    cr_assert_eq(lower_case_get(&c, "d")[i], i + 5);
  }
  lower_case_clear(&c);
}

Test(lower, deferred_nodes_are_left_out_and_keep_what_they_need) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=5\n dat %a : %s f64 x1\n"
                  " dat %b : %s f64 x1\n kernel @k\n"
                  " %a.1 = loop @k over %s (rw %a.0)\n"
                  " %a.2 = loop @k over %s (rw %a.1) deferred\n"
                  " fetch %a.1\n}\n",
                  "void k(double *a) { *a += 1; }");
  lower_case_passes(&c, "fuse,storage");
  lower_case_dat(&c, "a", NULL);
  lower_case_dat(&c, "b", NULL);
  lower_case_run(&c, 1);
  cr_assert_eq(c.lp.program->nlaunches, 1);
  cr_assert_eq(lower_case_get(&c, "a")[4], 1);
  lower_case_clear(&c);
}

Test(lower, a_kernel_of_other_arity_is_named_with_its_call) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=5\n dat %a : %s f64 x1\n kernel @k\n"
                  " %a.1 = loop @k over %s (rw %a.0) loc \"p.c\":77\n"
                  " live %a.1\n}\n",
                  "void k(double *a, double *b) { *a += *b; }");
  lower_case_passes(&c, "fuse,storage");
  c.kernels[0].nparams = 2;
  lower_case_dat(&c, "a", NULL);
  cr_assert_eq(lower_case_lower(&c), ERR_COMPILE);
  cr_assert(strstr(err_last(), "p.c:77"), "%s", err_last());
  cr_assert(strstr(err_last(), "loop k"), "%s", err_last());
  lower_case_clear(&c);
}

Test(lower, an_unknown_function_is_named_with_the_call) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=5\n dat %a : %s f64 x1\n kernel @k\n"
                  " %a.1 = loop @k over %s (rw %a.0) loc \"p.c\":78\n"
                  " live %a.1\n}\n",
                  "double nowhere_to_be_found(double);"
                  "void k(double *a) { *a = nowhere_to_be_found(*a); }");
  lower_case_passes(&c, "fuse,storage");
  lower_case_dat(&c, "a", NULL);
  cr_assert_eq(lower_case_lower(&c), ERR_COMPILE);
  cr_assert(strstr(err_last(), "p.c:78"), "%s", err_last());
  cr_assert(strstr(err_last(), "nowhere_to_be_found"), "%s", err_last());
  lower_case_clear(&c);
}

Test(lower, broken_bitcode_is_an_error) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=5\n dat %a : %s f64 x1\n kernel @k\n"
                  " %a.1 = loop @k over %s (rw %a.0) loc \"p.c\":79\n"
                  " live %a.1\n}\n",
                  "void k(double *a) { *a += 1; }");
  lower_case_passes(&c, "fuse,storage");
  memset(c.bitcode.s + 4, 0x5a, 100);
  lower_case_dat(&c, "a", NULL);
  cr_assert_eq(lower_case_lower(&c), ERR_COMPILE);
  cr_assert(strstr(err_last(), "p.c:79"), "%s", err_last());
  lower_case_clear(&c);
}

/* ---- how launches run ---------------------------------------------------- */

static enum rt_run_mode
mode_of(const char *dats, const char *kernel, const char *loop) {
  char text[800];
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=9\n set %%v n=9\n map %%m : %%s -> %%v x2\n"
           " map %%w : %%s -> %%v x2\n map %%i : %%s -> %%s x1 injective\n"
           " dat %%a : %%s f64 x1\n dat %%b : %%v f64 x1\n %s\n kernel @k %s\n"
           " %s\n}\n",
           dats, kernel, loop);
  struct lower_case c;
  lower_case_init(&c, text,
                  "void k(double *a, double *b, double *c, double *d) {}");
  lower_case_passes(&c, "fuse,storage");
  cr_assert_eq(lower_case_lower(&c), OK, "%s", err_last());
  enum rt_run_mode mode = c.lp.program->launches[0].mode;
  cr_assert_eq(mode == RT_RUN_PARTS, c.lp.program->launches[0].nconflicts > 0 &&
                                         mode != RT_RUN_SERIAL);
  lower_case_clear(&c);
  return mode;
}

Test(lower, modes_of_launches) {
  cr_assert_eq(mode_of("", "",
                       "%a.1 = loop @k over %s (rw %a.0, off, off, off)"
                       "\n live %a.1"),
               RT_RUN_RANGE);
  cr_assert_eq(mode_of("", "",
                       "%b.1 = loop @k over %s (inc %b.0 via %m[0], off, off, "
                       "read %a.0)\n live %b.1"),
               RT_RUN_PARTS);
  cr_assert_eq(mode_of("", "",
                       "%b.1 = loop @k over %s (rw %b.0 via %m[0], "
                       "rw %b.0 via %w[1], off, off)\n live %b.1"),
               RT_RUN_PARTS);
  cr_assert_eq(mode_of("", "",
                       "%a.1 = loop @k over %s (inc %a.0 via %i[0], off, off, "
                       "off)\n live %a.1"),
               RT_RUN_RANGE, "no two elements meet");
  cr_assert_eq(mode_of("", "",
                       "%a.1 = loop @k over %s (rw %a.0 via %i[0], rw %a.0, "
                       "off, off)\n live %a.1"),
               RT_RUN_SERIAL, "direct and mapped");
  cr_assert_eq(
      mode_of("gbl %g : f64 x1\n gbl %h : f64 x1", "",
              "%b.1, %g.1, %h.1 = loop @k over %s (inc %b.0 via %m[0],"
              " max %g.0, info %h.0 of 1, off)\n live %b.1, %g.1, %h.1"),
      RT_RUN_SERIAL, "a payload wants element order");
  cr_assert_eq(mode_of("gbl %g : f64 x1", "",
                       "%g.1 = loop @k over %s (read %a.0, rw %g.0, off, off)\n"
                       " live %g.1"),
               RT_RUN_SERIAL, "a global read and written");
}

Test(lower, after_clear_everything_is_compiled_anew) {
  for (int round = 0; round < 2; round++) {
    struct lower_case c;
    lower_case_init(&c,
                    "trace @t {\n set %s n=9\n dat %a : %s f64 x1\n"
                    " kernel @k\n %a.1 = loop @k over %s (rw %a.0)\n"
                    " live %a.1\n}\n",
                    "void k(double *a) { *a += 4; }");
    lower_case_passes(&c, "fuse,storage");
    lower_case_dat(&c, "a", NULL);
    lower_case_run(&c, 1);
    cr_assert_eq(counters[CNT_compiles], round + 1);
    cr_assert_eq(lower_case_get(&c, "a")[8], 4);
    lower_case_clear(&c);
    low_clear();
  }
}
