/* Lowering: kinds of arguments other than dats, constants, opaque kernels. */
#include "test_lower.h"

#include <math.h>

enum { N = 43 };

/* A loop over N elements with dat %a (x1) and whatever `decls` adds. */
static void
start(struct lower_case *c, const char *decls, const char *loop,
      const char *source) {
  char text[1024];
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d\n dat %%a : %%s f64 x1\n %s\n"
           " kernel @k\n %s\n}\n",
           N, decls, loop);
  lower_case_init(c, text, source);
  lower_case_passes(c, "fuse,storage");
}

static void
fill(struct lower_case *c, double *a) {
  for (int i = 0; i < N; i++) a[i] = (i * 29) % N - 7;
  lower_case_dat(c, "a", a);
}

Test(lower_args, captured_values) {
  struct lower_case c;
  start(&c, "param %p : f64 x2",
        "%a.1 = loop @k over %s (read %p, rw %a.0)\n live %a.1",
        "void k(const double *p, double *a) { *a = *a * p[0] + p[1]; }");
  double a[N], p[2] = {3, 0.5};
  fill(&c, a);
  lower_case_global(&c, "p", p);
  lower_case_run(&c, 1);
  for (int i = 0; i < N; i++)
    cr_assert_eq(lower_case_get(&c, "a")[i], 3 * a[i] + 0.5);
  p[0] = -1;
  lower_case_run(&c, 1);
  cr_assert_eq(lower_case_get(&c, "a")[1], -(3 * a[1] + 0.5) + 0.5);
  lower_case_clear(&c);
}

Test(lower_args, captured_values_too_large_to_copy) {
  struct lower_case c;
  start(&c, "param %p : f64 x100",
        "%a.1 = loop @k over %s (read %p, idx, rw %a.0)\n live %a.1",
        "void k(const double *p, const int *i, double *a) { *a = p[*i]; }");
  double a[N], p[100];
  fill(&c, a);
  for (int i = 0; i < 100; i++) p[i] = 100 - i;
  lower_case_global(&c, "p", p);
  lower_case_run(&c, 1);
  for (int i = 0; i < N; i++) cr_assert_eq(lower_case_get(&c, "a")[i], 100 - i);
  lower_case_clear(&c);
}

Test(lower_args, globals_that_are_read) {
  struct lower_case c;
  start(&c, "gbl %g : f64 x1",
        "%a.1 = loop @k over %s (read %g.0, write %a)\n live %a.1",
        "void k(const double *g, double *a) { *a = *g + 1; }");
  double a[N], g = 4;
  fill(&c, a);
  lower_case_global(&c, "g", &g);
  lower_case_run(&c, 2);
  for (int i = 0; i < N; i++) cr_assert_eq(lower_case_get(&c, "a")[i], 5);
  lower_case_clear(&c);
}

/* Sum, smallest and largest of many elements, in blocks and on two threads. */
static void
check_reductions(const char *type, const char *ctype, int threads) {
  char decls[200], source[400], text[900];
  enum { MANY = 3001 };
  snprintf(decls, sizeof decls,
           "gbl %%sum : %s x2\n gbl %%min : %s x1\n gbl %%max : %s x1", type,
           type, type);
  snprintf(source, sizeof source,
           "typedef %s T; void k(const T *a, T *s, T *lo, T *hi) {"
           " s[0] += *a; s[1] += 2 * *a; if (*a < *lo) *lo = *a;"
           " if (*a > *hi) *hi = *a; }",
           ctype);
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d\n dat %%a : %%s %s x1\n %s\n"
           " kernel @k\n %%sum.1, %%min.1, %%max.1 = loop @k over %%s "
           "(read %%a.0, inc %%sum.0, min %%min.0, max %%max.0)\n"
           " live %%sum.1, %%min.1, %%max.1\n}\n",
           MANY, type, decls);
  struct lower_case c;
  lower_case_init(&c, text, source);
  lower_case_passes(&c, "fuse,storage");
  struct type t = c.t->dats[0].type;
  char *a = mem_alloc(MANY, t.size), sum[16], min[8], max[8];
#define PUT(T)                                                                 \
  do {                                                                         \
    for (int i = 0; i < MANY; i++) ((T *)a)[i] = (T)(i * 11 % 97);             \
    ((T *)sum)[0] = 5, ((T *)sum)[1] = 7;                                      \
    *(T *)min = 50, *(T *)max = 50;                                            \
  } while (0)
#define CHECK(T)                                                               \
  do {                                                                         \
    T want = 0;                                                                \
    for (int i = 0; i < MANY; i++) want = (T)(want + (T)(i * 11 % 97));        \
    cr_assert_eq(((T *)sum)[0], (T)(want + 5), "%s sum", type);                \
    cr_assert_eq(((T *)sum)[1], (T)(2 * want + 7), "%s sum[1]", type);         \
    cr_assert_eq(*(T *)min, 0, "%s min", type);                                \
    cr_assert_eq(*(T *)max, 96, "%s max", type);                               \
  } while (0)
#define EACH(what)                                                             \
  if (t.kind == TYPE_F64) what(double);                                        \
  if (t.kind == TYPE_F32) what(float);                                         \
  if (t.kind == TYPE_I32) what(int32_t);                                       \
  if (t.kind == TYPE_U64) what(uint64_t);                                      \
  if (t.kind == TYPE_I16) what(int16_t);                                       \
  if (t.kind == TYPE_U8) what(uint8_t)
  EACH(PUT);
  lower_case_dat(&c, "a", a);
  lower_case_global(&c, "sum", sum);
  lower_case_global(&c, "min", min);
  lower_case_global(&c, "max", max);
  lower_case_run(&c, threads);
  EACH(CHECK);
  lower_case_clear(&c);
  free(a);
}

Test(lower_args, reductions_of_all_classes_of_types) {
  static const char *const types[][2] = {
      {"f64", "double"},        {"f32", "float"}, {"i32", "int"},
      {"u64", "unsigned long"}, {"i16", "short"}, {"u8", "unsigned char"}};
  for (int i = 0; i < 6; i++)
    for (int threads = 1; threads <= 2; threads++)
      check_reductions(types[i][0], types[i][1], threads);
}

Test(lower_args, a_nan_is_never_the_largest) {
  struct lower_case c;
  start(&c, "gbl %m : f64 x1",
        "%m.1 = loop @k over %s (read %a.0, max %m.0)\n live %m.1",
        "void k(const double *a, double *m) { *m = *a > *m ? *a : *m; }");
  double a[N], m = -100;
  for (int i = 0; i < N; i++) a[i] = i % 3 ? NAN : i;
  lower_case_dat(&c, "a", a);
  lower_case_global(&c, "m", &m);
  lower_case_run(&c, 1);
  cr_assert_eq(m, 42);
  lower_case_clear(&c);
}

Test(lower_args, a_histogram) {
  struct lower_case c;
  start(&c, "gbl %h : i32 x50",
        "%h.1 = loop @k over %s (read %a.0, inc %h.0)\n live %h.1",
        "void k(const double *a, int *h) { h[(int)*a + 7] += 2; }");
  double a[N];
  int h[50] = {0};
  fill(&c, a);
  lower_case_global(&c, "h", h);
  lower_case_run(&c, 1);
  for (int i = 0; i < 50; i++) cr_assert_eq(h[i], i < N ? 2 : 0, "%d", i);
  lower_case_clear(&c);
}

/* The place of the largest: ties keep the first, in element order. */
static void
check_payload(int threads) {
  enum { MANY = 4000 };
  char text[500];
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d\n dat %%a : %%s f64 x1\n"
           " gbl %%m : f64 x1\n gbl %%w : i32 x2\n kernel @k\n"
           " %%m.1, %%w.1 = loop @k over %%s "
           "(read %%a.0, max %%m.0, idx, info %%w.0 of 1)\n"
           " live %%m.1, %%w.1\n}\n",
           MANY);
  struct lower_case c;
  lower_case_init(&c, text,
                  "void k(const double *a, double *m, const int *i, int *w) {"
                  " if (*a > *m) { *m = *a; w[0] = *i; w[1] = -*i; } }");
  lower_case_passes(&c, "fuse,storage");
  double *a = mem_alloc(MANY, sizeof *a), m = -1;
  int w[2] = {-5, -5};
  for (int i = 0; i < MANY; i++) a[i] = i % 1000;
  lower_case_dat(&c, "a", a);
  lower_case_global(&c, "m", &m);
  lower_case_global(&c, "w", w);
  lower_case_run(&c, threads);
  cr_assert_eq(m, 999);
  cr_assert_eq(w[0], 999);
  cr_assert_eq(w[1], -999);
  m = 5000, w[0] = w[1] = -5;
  lower_case_run(&c, threads);
  cr_assert_eq(m, 5000);
  cr_assert_eq(w[0], -5);
  lower_case_clear(&c);
  free(a);
}

Test(lower_args, the_place_of_the_largest) {
  check_payload(1);
  check_payload(2);
}

Test(lower_args, a_global_read_and_written_runs_in_order) {
  struct lower_case c;
  start(&c, "gbl %g : f64 x1",
        "%a.1, %g.1 = loop @k over %s (rw %a.0, rw %g.0) serial\n"
        " live %a.1, %g.1",
        "void k(double *a, double *g) { *g = *a - *g; *a = *g; }");
  double a[N], g = 3, want = 3;
  fill(&c, a);
  lower_case_global(&c, "g", &g);
  lower_case_run(&c, 2);
  for (int i = 0; i < N; i++) {
    want = a[i] - want;
    cr_assert_eq(lower_case_get(&c, "a")[i], want);
  }
  cr_assert_eq(g, want);
  lower_case_clear(&c);
}

Test(lower_args, a_global_that_is_written_holds_the_last_value) {
  struct lower_case c;
  start(&c, "gbl %g : f64 x1",
        "%g.1 = loop @k over %s (read %a.0, write %g)\n live %g.1",
        "void k(const double *a, double *g) { *g = *a; }");
  double a[N], g = 3;
  fill(&c, a);
  lower_case_global(&c, "g", &g);
  lower_case_run(&c, 2);
  cr_assert_eq(g, a[N - 1]);
  lower_case_clear(&c);
}

Test(lower_args, set_gives_a_global_a_captured_value) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=3\n dat %a : %s f64 x1\n"
                  " gbl %g : f64 x1\n param %p : f64 x1\n kernel @k\n"
                  " %g.1 = set read %p, write %g\n"
                  " %a.1 = loop @k over %s (read %g.1, write %a)\n"
                  " live %a.1, %g.1\n}\n",
                  "void k(const double *g, double *a) { *a = *g; }");
  lower_case_passes(&c, "fuse,storage");
  double g = 1, p = 8;
  lower_case_dat(&c, "a", NULL);
  lower_case_global(&c, "g", &g);
  lower_case_global(&c, "p", &p);
  lower_case_run(&c, 1);
  cr_assert_eq(g, 8);
  cr_assert_eq(lower_case_get(&c, "a")[2], 8);
  lower_case_clear(&c);
}

/* ---- indices, vectors, switched off -------------------------------------- */

static const char mapped[] =
    "map %%m : %%s -> %%v x3\n dat %%x : %%v f64 x%d block=%d";

static void
start_mapped(struct lower_case *c, int dim, int block, const char *loop,
             const char *source, idx_l *table, double *x) {
  char decls[200], with_set[300];
  snprintf(decls, sizeof decls, mapped, dim, block);
  snprintf(with_set, sizeof with_set, "set %%v n=%d\n %s", N, decls);
  start(c, with_set, loop, source);
  for (int i = 0; i < 3 * N; i++) table[i] = (i * 17 + 5) % N;
  for (int i = 0; i < dim * N; i++) x[i] = i;
  lower_case_map(c, "m", table);
  lower_case_dat(c, "x", x);
}

Test(lower_args, element_numbers_and_map_entries) {
  struct lower_case c;
  idx_l table[3 * N];
  double x[N];
  start_mapped(&c, 1, 1,
               "%a.1 = loop @k over %s (idx, idx via %m[2], write %a)\n"
               " live %a.1",
               "void k(const int *e, const int *v, double *a) {"
               " *a = 1000 * *e + *v; }",
               table, x);
  lower_case_dat(&c, "a", NULL);
  lower_case_run(&c, 1);
  for (int e = 0; e < N; e++)
    cr_assert_eq(lower_case_get(&c, "a")[e], 1000 * e + table[3 * e + 2]);
  lower_case_clear(&c);
}

static void
check_vector(int block) {
  struct lower_case c;
  idx_l table[3 * N];
  double x[2 * N], a[N];
  start_mapped(&c, 2, block,
               "%a.1 = loop @k over %s (read %x.0 via %m[0:3], rw %a.0)\n"
               " live %a.1",
               "void k(const double **x, double *a) {"
               " for (int i = 0; i < 3; i++) *a += x[i][0] - 2 * x[i][1]; }",
               table, x);
  fill(&c, a);
  lower_case_run(&c, 1);
  for (int e = 0; e < N; e++) {
    for (int i = 0; i < 3; i++) {
      int v = table[3 * e + i];
      a[e] += x[2 * v] - 2 * x[2 * v + 1];
    }
    cr_assert_eq(lower_case_get(&c, "a")[e], a[e], "block %d at %d", block, e);
  }
  lower_case_clear(&c);
}

Test(lower_args, vector_arguments) {
  check_vector(1);
  check_vector(0);
}

Test(lower_args, vector_arguments_that_add) {
  struct lower_case c;
  idx_l table[3 * N];
  double x[N];
  start_mapped(&c, 1, 1,
               "%x.1 = loop @k over %s (inc %x.0 via %m[0:2])\n live %x.1",
               "void k(double **x) { *x[0] += 1; *x[1] -= 3; }", table, x);
  lower_case_dat(&c, "a", NULL);
  lower_case_run(&c, 1);
  for (int e = 0; e < N; e++) {
    x[table[3 * e]] += 1;
    x[table[3 * e + 1]] -= 3;
  }
  for (int i = 0; i < N; i++)
    cr_assert_eq(lower_case_get(&c, "x")[i], x[i], "%d", i);
  lower_case_clear(&c);
}

/* Through which entries a loop with these two arguments is told to write. */
static void
check_conflicts(const char *loop, uint32_t n, uint32_t first, uint32_t count) {
  struct lower_case c;
  idx_l table[3 * N];
  double x[N];
  start_mapped(&c, 1, 1, loop,
               "void k(double *x, double *y) { *x += 1; *y -= 3; }", table, x);
  lower_case_dat(&c, "a", NULL);
  lower_case_run(&c, 1);
  const struct rt_launch *l = &c.lp.program->launches[0];
  cr_assert_eq(l->nconflicts, n, "%s: %u", loop, l->nconflicts);
  cr_assert_eq(l->conflicts[0].first, first);
  cr_assert_eq(l->conflicts[0].count, count);
  lower_case_clear(&c);
}

Test(lower_args, entries_that_touch_are_one_conflict) {
  check_conflicts("%x.1 = loop @k over %s (inc %x.0 via %m[2], "
                  "inc %x.0 via %m[1])\n live %x.1",
                  1, 1, 2);
  check_conflicts("%x.1 = loop @k over %s (inc %x.0 via %m[2], "
                  "inc %x.0 via %m[0])\n live %x.1",
                  2, 2, 1);
  check_conflicts("%x.1 = loop @k over %s (inc %x.0 via %m[1], "
                  "inc %x.0 via %m[1])\n live %x.1",
                  1, 1, 1);
}

Test(lower_args, an_argument_that_is_off_is_null) {
  struct lower_case c;
  start(&c, "", "%a.1 = loop @k over %s (off, write %a)\n live %a.1",
        "void k(const double *x, double *a) { *a = x ? *x : 12; }");
  lower_case_dat(&c, "a", NULL);
  lower_case_run(&c, 1);
  for (int e = 0; e < N; e++) cr_assert_eq(lower_case_get(&c, "a")[e], 12);
  lower_case_clear(&c);
}

/* ---- types --------------------------------------------------------------- */

Test(lower_args, single_precision) {
  struct lower_case c;
  idx_l table[3 * N];
  char text[500];
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d\n map %%m : %%s -> %%s x2\n"
           " dat %%x : %%s f32 x3\n dat %%y : %%s f32 x3\n kernel @k\n"
           " %%y.1 = loop @k over %%s (read %%x.0 via %%m[0], "
           "read %%x.0, inc %%y.0 via %%m[1])\n live %%y.1\n}\n",
           N);
  lower_case_init(&c, text,
                  "void k(const float *p, const float *q, float *r) {"
                  " for (int c = 0; c < 3; c++) r[c] += p[c] + 2 * q[c]; }");
  lower_case_passes(&c, "fuse,storage");
  float x[3 * N], y[3 * N] = {0};
  for (int i = 0; i < 3 * N; i++) x[i] = (float)(i % 11);
  for (int i = 0; i < 2 * N; i++) table[i] = (i * 5 + 1) % N;
  lower_case_map(&c, "m", table);
  lower_case_dat(&c, "x", x);
  lower_case_dat(&c, "y", y);
  lower_case_run(&c, 1);
  for (int e = 0; e < N; e++)
    for (int d = 0; d < 3; d++)
      y[3 * table[2 * e + 1] + d] += x[3 * table[2 * e] + d] + 2 * x[3 * e + d];
  const float *got = (const float *)(const void *)lower_case_get(&c, "y");
  for (int i = 0; i < 3 * N; i++) cr_assert_eq(got[i], y[i], "%d", i);
  lower_case_clear(&c);
}

struct particle {
  double x;
  int cell;
  char tag;
};

Test(lower_args, user_types_are_moved_as_bytes) {
  struct lower_case c;
  char text[300];
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d\n dat %%p : %%s b%zu x1\n kernel @k\n"
           " %%p.1 = loop @k over %%s (rw %%p.0)\n live %%p.1\n}\n",
           N, sizeof(struct particle));
  lower_case_init(&c, text,
                  "struct particle { double x; int cell; char tag; };"
                  "void k(struct particle *p) { p->x *= 2; p->cell++; }");
  lower_case_passes(&c, "fuse,storage");
  struct particle p[N];
  memset(p, 0, sizeof p);
  for (int i = 0; i < N; i++) p[i] = (struct particle){i, 3 * i, (char)i};
  lower_case_dat(&c, "p", p);
  lower_case_run(&c, 1);
  const struct particle *got =
      (const struct particle *)(const void *)lower_case_get(&c, "p");
  for (int i = 0; i < N; i++) {
    cr_assert_eq(got[i].x, 2 * i);
    cr_assert_eq(got[i].cell, 3 * i + 1);
    cr_assert_eq(got[i].tag, (char)i);
  }
  lower_case_clear(&c);
}

/* ---- constants ----------------------------------------------------------- */

static const double const_old[2] = {2, 10}, const_new[2] = {3, 20};
static struct low_const consts[] = {
    {.name = "scale", .size = sizeof const_old}};

static const void *
folded_by_epoch(uint32_t epoch, uint32_t i) {
  cr_assert_eq(i, 0);
  return epoch ? const_new : const_old;
}

static const void *
captured_by_node(uint32_t node_tag, uint32_t i) {
  cr_assert_eq(i, 0);
  return node_tag ? const_new : const_old;
}

/* Two loops of one region with different values of one constant. */
static void
check_constants(bool folded) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=19\n dat %a : %s f64 x1\n kernel @k\n"
                  " %a.1 = loop @k over %s (rw %a.0)\n"
                  " %a.2 = loop @k over %s (rw %a.1) epoch=1\n live %a.2\n}\n",
                  "extern double scale[2];"
                  "void k(double *a) { *a = *a * scale[0] + scale[1]; }");
  lower_case_passes(&c, "fuse,storage");
  cr_assert_eq(c.t->nregions, 1);
  c.consts = consts;
  c.nconsts = 1;
  c.constant = folded ? folded_by_epoch : NULL;
  c.captured = captured_by_node;
  double a[19];
  for (int i = 0; i < 19; i++) a[i] = i;
  lower_case_dat(&c, "a", a);
  lower_case_run(&c, 1);
  cr_assert_eq(c.lp.program->nparams, folded ? 0 : 2);
  for (int i = 0; i < 19; i++)
    cr_assert_eq(lower_case_get(&c, "a")[i], (2 * i + 10) * 3 + 20);
  lower_case_clear(&c);
}

Test(lower_args, folded_constants_of_two_epochs) {
  check_constants(true);
}

Test(lower_args, bound_constants_of_two_calls) {
  check_constants(false);
}

Test(lower_args, other_constants_are_other_code) {
  static const char text[] =
      "trace @t {\n set %s n=5\n dat %a : %s f64 x1\n kernel @k\n"
      " %a.1 = loop @k over %s (rw %a.0) epoch=%d\n live %a.1\n}\n";
  for (int epoch = 0; epoch < 2; epoch++) {
    struct lower_case c;
    char filled[200];
    snprintf(filled, sizeof filled, "%.*s%d%s",
             (int)(strstr(text, "%d") - text), text, epoch,
             strstr(text, "%d") + 2);
    lower_case_init(&c, filled,
                    "extern double scale[2];"
                    "void k(double *a) { *a = scale[1]; }");
    lower_case_passes(&c, "fuse,storage");
    c.consts = consts;
    c.nconsts = 1;
    c.constant = folded_by_epoch;
    lower_case_dat(&c, "a", NULL);
    lower_case_run(&c, 1);
    cr_assert_eq(lower_case_get(&c, "a")[0], epoch ? 20 : 10);
    lower_case_clear(&c);
  }
}

/* ---- opaque kernels ------------------------------------------------------ */

static double opaque_calls;

static void
opaque_kernel(double *x, double *y, const double *p, double *g) {
  opaque_calls++;
  x[0] += p[0];
  y[1] = x[0] + opaque_calls;
  *g = y[1] - *g;
}

/* Element order, shared memory where rows repeat, any layout. */
static void
check_opaque(int block) {
  char text[600];
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d\n map %%m : %%s -> %%s x2 repeats\n"
           " dat %%x : %%s f64 x2 block=%d\n param %%p : f64 x1\n"
           " gbl %%g : f64 x1\n kernel @k opaque\n"
           " %%x.1, %%g.1 = loop @k over %%s (rw %%x.0 via %%m[0], "
           "rw %%x.0 via %%m[1], read %%p, rw %%g.0)\n"
           " live %%x.1, %%g.1\n}\n",
           N, block);
  struct lower_case c;
  lower_case_init(&c, text, NULL);
  lower_case_passes(&c, "fuse,storage");
  c.kernels[0].address = (void (*)(void))opaque_kernel;
  c.kernels[0].bitcode = NULL;
  idx_l table[2 * N];
  double x[2 * N], p = 4, g = 1, want = 1;
  for (int i = 0; i < 2 * N; i++) {
    table[i] = i * 7 / 3 % N;
    x[i] = i;
  }
  lower_case_map(&c, "m", table);
  lower_case_dat(&c, "x", x);
  lower_case_global(&c, "p", &p);
  lower_case_global(&c, "g", &g);
  opaque_calls = 0;
  lower_case_run(&c, 2);
  opaque_calls = 0;
  for (int e = 0; e < N; e++)
    opaque_kernel(x + 2 * table[2 * e], x + 2 * table[2 * e + 1], &p, &want);
  for (int i = 0; i < 2 * N; i++)
    cr_assert_eq(lower_case_get(&c, "x")[i], x[i], "block %d at %d", block, i);
  cr_assert_eq(g, want);
  lower_case_clear(&c);
}

Test(lower_args, opaque_kernels_run_in_order_on_memory) {
  check_opaque(1);
}

Test(lower_args, opaque_kernels_on_other_layouts) {
  check_opaque(0);
  check_opaque(4);
}
