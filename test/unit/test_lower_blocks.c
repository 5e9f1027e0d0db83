/* Lowering: hot regions become vector code, and blocks change no bit. */
#include "test_lower.h"

#include "lower/llvm/code.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/* Airfoil's kernels after doc formulas: pressure, fluxes, local time step. */
static const char airfoil[] =
    "#include <math.h>\n"
    "static const double gam = 1.4f, gm1 = 0.4f, cfl = 0.9f, eps = 0.05f;\n"
    "static inline double pressure(const double *q) {"
    " return gm1 * (q[3] - 0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0]); }\n"
    "void save_soln(const double *q, double *old) {"
    " for (int c = 0; c < 4; c++) old[c] = q[c]; }\n"
    "static inline double side(const double *a, const double *b, double u,"
    "                          double v, double s) {"
    " double dx = b[0] - a[0], dy = b[1] - a[1];"
    " return fabs(u * dy - v * dx) + s * sqrt(dx * dx + dy * dy); }\n"
    "void adt_calc(const double *x1, const double *x2, const double *x3,"
    "              const double *x4, const double *q, double *adt) {"
    " double u = q[1] / q[0], v = q[2] / q[0];"
    " double s = sqrt(gam * gm1 * (q[3] / q[0] - 0.5 * (u * u + v * v)));"
    " *adt = (side(x1, x2, u, v, s) + side(x2, x3, u, v, s) +"
    "         side(x3, x4, u, v, s) + side(x4, x1, u, v, s)) / cfl; }\n"
    "void res_calc(const double *x1, const double *x2, const double *q1,"
    "              const double *q2, const double *a1, const double *a2,"
    "              double *r1, double *r2) {"
    " double dx = x1[0] - x2[0], dy = x1[1] - x2[1], f[4];"
    " double p1 = pressure(q1), p2 = pressure(q2);"
    " double v1 = (q1[1] * dy - q1[2] * dx) / q1[0];"
    " double v2 = (q2[1] * dy - q2[2] * dx) / q2[0];"
    " double mu = 0.5 * eps * (*a1 + *a2);"
    " f[0] = 0.5 * (v1 * q1[0] + v2 * q2[0]);"
    " f[1] = 0.5 * (v1 * q1[1] + p1 * dy + v2 * q2[1] + p2 * dy);"
    " f[2] = 0.5 * (v1 * q1[2] - p1 * dx + v2 * q2[2] - p2 * dx);"
    " f[3] = 0.5 * (v1 * (q1[3] + p1) + v2 * (q2[3] + p2));"
    " for (int c = 0; c < 4; c++) {"
    "  double g = f[c] + mu * (q1[c] - q2[c]); r1[c] += g; r2[c] -= g; } }\n"
    "void bres_calc(const double *x1, const double *x2, const double *q,"
    "               const double *a, double *r, const int *type) {"
    " double dx = x1[0] - x2[0], dy = x1[1] - x2[1], p = pressure(q);"
    " if (*type == 1) { r[1] += p * dy; r[2] -= p * dx; return; }"
    " double v = (q[1] * dy - q[2] * dx) / q[0], mu = eps * *a;"
    " for (int c = 0; c < 4; c++) r[c] += 0.5 * v * q[c] + mu * (q[c] - 1); }\n"
    "void update(const double *old, double *q, double *res, const double *adt,"
    "            double *rms, double *most) {"
    " for (int c = 0; c < 4; c++) {"
    "  double d = res[c] / *adt; q[c] = old[c] - d; res[c] = 0;"
    "  *rms += d * d; if (d * d > *most) *most = d * d; } }\n";

#define DECLS                                                                  \
  "trace @t {\n set %%n n=%d\n set %%e n=%d\n set %%c n=%d\n"                  \
  " map %%en : %%e -> %%n x2\n map %%ec : %%e -> %%c x2\n"                     \
  " map %%cn : %%c -> %%n x4\n"                                                \
  " dat %%x : %%n f64 x2 block=%d\n dat %%q : %%c f64 x4 block=%d\n"           \
  " dat %%old : %%c f64 x4 block=%d\n dat %%res : %%c f64 x4 block=%d\n"       \
  " dat %%adt : %%c f64 x1\n dat %%type : %%e i32 x1\n"                        \
  " gbl %%rms : f64 x1\n gbl %%most : f64 x1\n"                                \
  " kernel @save_soln\n kernel @adt_calc\n kernel @res_calc\n"                 \
  " kernel @bres_calc\n kernel @update\n"
#define NODES(set, map) "read %x.0 via %" map "[0], read %x.0 via %" map "[1]"

/* One step; bres_calc adds to res like res_calc, so that the two fuse. */
static const char before[] =
    " %old.1 = loop @save_soln over %c (read %q.0, write %old)\n"
    " %adt.1 = loop @adt_calc over %c (" NODES(
        "c", "cn") ","
                   " read %x.0 via %cn[2], read %x.0 via %cn[3], read %q.0, "
                   "write %adt)\n"
                   " %res.1 = loop @res_calc over %e (" NODES(
                       "e", "en") ","
                                  " read %q.0 via %ec[0], read %q.0 via "
                                  "%ec[1], read %adt.1 via %ec[0],"
                                  " read %adt.1 via %ec[1], inc %res.0 via "
                                  "%ec[0], inc %res.0 via %ec[1])\n";
static const char border[] = " %res.2 = loop @bres_calc over %e (" NODES(
    "e", "en") ","
               " read %q.0 via %ec[0], read %adt.1 via %ec[0], inc %res.1 via "
               "%ec[1],"
               " read %type.0)\n";
static const char after[] =
    " %%q.1, %%res.%d, %%rms.1, %%most.1 = loop @update over %%c (read %%old.1,"
    " write %%q, rw %%res.%d, read %%adt.1, inc %%rms.0, max %%most.0)\n"
    " live %%old.1, %%adt.1, %%q.1, %%res.%d, %%rms.1, %%most.1\n}\n";

enum { NODE = 97, EDGE = 203, CELL = 101 };

static void
airfoil_init(struct lower_case *c, int block, bool with_border,
             const char *pipeline) {
  struct str text = STR_INIT;
  str_printf(&text, DECLS, NODE, EDGE, CELL, block, block, block, block);
  str_add(&text, before);
  if (with_border) str_add(&text, border);
  int res = 1 + with_border;
  str_printf(&text, after, res + 1, res, res + 1);
  lower_case_init(c, text.s, airfoil);
  lower_case_passes(c, pipeline);
  str_clear(&text);
}

struct blocks {
  const char *name, *cpu, *features;
  struct str all;
};

static status
blocks_assembly(void *user, const struct low_maker *m, struct low_span nodes,
                const struct low_region *r) {
  struct blocks *b = user;
  (void)m;
  (void)nodes;
  if (strcmp(r->calls[0].name, b->name)) return OK;
  return low_jit_assembly(r, b->cpu, b->features, &b->all);
}

/* Instructions of function `blocks` in the region that loop `name` begins. */
static void
blocks_of(struct lower_case *c, const char *name, const char *cpu,
          const char *features, struct str *out) {
  struct low_env env = lower_case_env(c);
  struct blocks b = {name, cpu, features, STR_INIT};
  cr_assert_eq(low_regions_each(c->t, &env, blocks_assembly, &b), OK, "%s",
               err_last());
  const char *begin = strstr(b.all.s, "\nblocks:");
  const char *end = begin ? strstr(begin, ".Lfunc_end") : NULL;
  if (end) str_addn(out, begin, (size_t)(end - begin));
  str_clear(&b.all);
}

/* Registers of loops over maps, and of `update`, which has none. */
static void
check_vector_code(int block, const char *cpu, const char *features,
                  const char *far, const char *near) {
  static const char *const names[] = {"adt_calc", "res_calc", "bres_calc",
                                      "update"};
  struct lower_case c;
  airfoil_init(&c, block, true, "fuse{max=1},storage");
  for (int i = 0; i < 4; i++) {
    const char *reg = i == 3 ? near : far;
    struct str text = STR_INIT;
    blocks_of(&c, names[i], cpu, features, &text);
    cr_assert(strstr(text.s, "vmulpd"), "%s block %d: no vectors", names[i],
              block);
    cr_assert(strstr(text.s, reg), "%s block %d: no %s", names[i], block, reg);
    cr_assert(!strstr(text.s, "vmulsd"), "%s block %d: scalar left", names[i],
              block);
    cr_assert(!strstr(text.s, "gather"), "%s block %d: gathers", names[i],
              block);
    str_clear(&text);
  }
  lower_case_clear(&c);
}

Test(lower_blocks, airfoil_becomes_vectors_of_eight) {
  check_vector_code(1, "skylake-avx512", "+avx512f", "%zmm", "%zmm");
}

/* In SoA each component comes through a map by itself. */
Test(lower_blocks, airfoil_in_soa_becomes_vectors_of_four) {
  check_vector_code(0, "skylake-avx512", "+avx512f", "%ymm", "%zmm");
}

Test(lower_blocks, airfoil_becomes_vectors_of_four_without_avx512) {
  check_vector_code(1, "haswell", "+avx2,+fma", "%ymm", "%ymm");
}

Test(lower_blocks, lanes_are_registers) {
  struct lower_case c;
  struct str text = STR_INIT;
  airfoil_init(&c, 1, true, "fuse{max=1},storage");
  blocks_of(&c, "update", "skylake-avx512", "+avx512f", &text);
  cr_assert(text.len > 0);
  cr_assert(!strstr(text.s, "-64, %rsp"), "lanes in memory:\n%s", text.s);
  str_clear(&text);
  lower_case_clear(&c);
}

#if defined(__x86_64__) && defined(__GLIBC__)
/* float: sixteen lanes are two blocks of eight; one padded call each. */
Test(lower_blocks, exp_is_the_vector_variant) {
  struct lower_case c;
  struct str text = STR_INIT;
  lower_case_init(&c,
                  "trace @t {\n set %s n=21\n dat %a : %s f64 x1\n"
                  " dat %f : %s f32 x1\n kernel @k\n"
                  " %a.1, %f.1 = loop @k over %s (rw %a.0, rw %f.0)\n"
                  " live %a.1, %f.1\n}\n",
                  "#include <math.h>\nvoid k(double *a, float *f) {"
                  " *a = exp(*a); *f = powf(*f, 0.3f); }");
  lower_case_passes(&c, "fuse,storage");
  blocks_of(&c, "k", "skylake-avx512", "+avx512f", &text);
  cr_assert(strstr(text.s, "_ZGVeN8v_exp"), "%s", text.s);
  cr_assert(strstr(text.s, "_ZGVeN16vv_powf"), "%s", text.s);
  str_clear(&text);
  blocks_of(&c, "k", "haswell", "+avx2,+fma", &text);
  cr_assert(strstr(text.s, "_ZGVdN4v_exp"), "%s", text.s);
  str_clear(&text);
  lower_case_clear(&c);
}
#endif

/* A sum of `points` small matrices: loops within loops, all of known length. */
static void
quadrature(int points, const char *to, const char *late, struct str *out) {
  char source[640], trace[320];
  struct lower_case c;
  snprintf(
      source, sizeof source,
      "void k(const double *x, double *m) {"
      " for (int p = 0; p < %d; p++) {"
      "  double s = p & 1 ? 0.5 : -0.5, t = p & 2 ? 0.3 : -0.3, g[4][2];"
      "  double det = (x[0] + s * x[1]) * (x[3] - t * x[2]) - x[1] * x[4];"
      "  for (int a = 0; a < 4; a++) {"
      "   g[a][0] = (x[a] * s - x[a + 4] * t) / det;"
      "   g[a][1] = (x[a + 4] * s + x[a] * t) / det; }"
      "  for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++)"
      "   m[4 * a + b] += det * (g[a][0] * g[b][0] + g[a][1] * g[b][1]); } }",
      points);
  snprintf(trace, sizeof trace,
           "trace @t {\n set %%s n=21\n map %%p : %%s -> %%s x1\n"
           " dat %%x : %%s f64 x8\n dat %%m : %%s f64 x16\n kernel @k\n"
           " %%m.1 = loop @k over %%s (read %%x.0, %s)\n"
           " live %%m.1\n}\n",
           to);
  lower_case_init(&c, trace, source);
  lower_case_passes(&c, "fuse,storage");
  struct pass_options o = {.pipeline = late, .verify = true};
  cr_assert_eq(pass_run(&c.t, &o), OK, "%s", err_last());
  blocks_of(&c, "k", "skylake-avx512", "+avx512f", out);
  lower_case_clear(&c);
}

Test(lower_blocks, loops_of_known_length_are_unrolled_for_vectors) {
  struct str text = STR_INIT;
  quadrature(9, "rw %m.0", "late",
             &text); /* more than LLVM takes for worth while */
  cr_assert(strstr(text.s, "vmulpd"), "no vectors");
  cr_assert(!strstr(text.s, "vmulsd"), "scalar left");
  str_clear(&text);
}

/* Of blocks that add late, whose code stands there twice, too. */
Test(lower_blocks, loops_of_late_blocks_are_unrolled_as_far_as_others) {
  struct str text = STR_INIT;
  quadrature(26, "inc %m.0 via %p[0]", "late{least=1,most=99}", &text);
  cr_assert(strstr(text.s, "vmulpd"), "no vectors");
  str_clear(&text);
}

Test(lower_blocks, loops_too_long_to_unroll_stay) {
  struct str text = STR_INIT;
  quadrature(1000, "rw %m.0", "late", &text);
  cr_assert_eq(text.len, 0, "%s", text.s);
  str_clear(&text);
}

Test(lower_blocks, a_kernel_that_calls_a_library_runs_without_blocks) {
  struct lower_case c;
  struct str text = STR_INIT;
  lower_case_init(&c,
                  "trace @t {\n set %s n=21\n dat %a : %s f64 x1\n kernel @k\n"
                  " %a.1 = loop @k over %s (rw %a.0)\n live %a.1\n}\n",
                  "#include <math.h>\nvoid k(double *a) { *a = lgamma(*a); }");
  lower_case_passes(&c, "fuse,storage");
  blocks_of(&c, "k", "skylake-avx512", "+avx512f", &text);
  cr_assert_eq(text.len, 0, "%s", text.s);
  double a[21];
  for (int i = 0; i < 21; i++) a[i] = i + 0.5;
  lower_case_dat(&c, "a", a);
  lower_case_run(&c, 1);
  for (int i = 0; i < 21; i++)
    cr_assert_eq(lower_case_get(&c, "a")[i], lgamma(a[i]));
  str_clear(&text);
  lower_case_clear(&c);
}

/* Memory of the user may overlap with other memory of the user. */
Test(lower_blocks, pinned_memory_is_written_without_blocks) {
  struct lower_case c;
  struct str text = STR_INIT;
  lower_case_init(&c,
                  "trace @t {\n set %s n=21\n dat %a : %s f64 x1 pinned\n"
                  " kernel @k\n %a.1 = loop @k over %s (rw %a.0)\n"
                  " live %a.1\n}\n",
                  "void k(double *a) { *a += 1; }");
  lower_case_passes(&c, "fuse,storage");
  blocks_of(&c, "k", "skylake-avx512", "+avx512f", &text);
  cr_assert_eq(text.len, 0, "%s", text.s);
  str_clear(&text);
  lower_case_clear(&c);
}

/* ---- bit for bit --------------------------------------------------------- */

struct field {
  idx_l en[2 * EDGE], ec[2 * EDGE], cn[4 * CELL];
  double x[2 * NODE], q[4 * CELL], res[4 * CELL];
  int type[EDGE];
};

static void
field_fill(struct field *f) {
  for (int i = 0; i < 2 * EDGE; i++) {
    f->en[i] = i * 31 % NODE;
    f->ec[i] = i * 17 % CELL;
  }
  for (int i = 0; i < 4 * CELL; i++) {
    f->cn[i] = (i * 7 + i / 4) % NODE;
    f->q[i] = (i % 4 == 3 ? 4 : 1) + 0.1 * sin(i);
    f->res[i] = 0.01 * cos(i);
  }
  for (int i = 0; i < 2 * NODE; i++) f->x[i] = sin(3 * i) + i;
  for (int i = 0; i < EDGE; i++) f->type[i] = i % 3;
}

/* Values after a step: old, adt, q, res. */
static void
field_run(const struct field *f, int block, const char *pipeline, bool quick,
          double *out) {
  static const struct {
    const char *name;
    int dim;
  } dats[] = {{"old", 4}, {"adt", 1}, {"q", 4}, {"res", 4}};
  struct lower_case c;
  double rms = 0, most = 0;
  airfoil_init(&c, block, false, pipeline);
  c.quick = quick;
  lower_case_map(&c, "en", f->en);
  lower_case_map(&c, "ec", f->ec);
  lower_case_map(&c, "cn", f->cn);
  lower_case_dat(&c, "x", f->x);
  lower_case_dat(&c, "q", f->q);
  lower_case_dat(&c, "res", f->res);
  lower_case_dat(&c, "old", NULL);
  lower_case_dat(&c, "adt", NULL);
  lower_case_dat(&c, "type", f->type);
  lower_case_global(&c, "rms", &rms);
  lower_case_global(&c, "most", &most);
  lower_case_run(&c, 1);
  for (uint32_t i = 0; i < c.lp.program->nlaunches; i++)
    cr_assert_eq(c.lp.program->launches[i].lanes == 1, quick);
  for (int i = 0; i < 4; i++) {
    size_t n = (size_t)dats[i].dim * CELL;
    memcpy(out, lower_case_get(&c, dats[i].name), n * sizeof *out);
    out += n;
  }
  out[0] = rms;
  out[1] = most;
  lower_case_clear(&c);
}

enum { FIELD = 13 * CELL + 2 };

Test(lower_blocks, fused_loops_give_the_bits_of_single_ones) {
  static struct field f;
  static double fused[FIELD], single[FIELD];
  field_fill(&f);
  for (int block = 0; block <= 8; block += block ? 7 : 1) {
    field_run(&f, block, "rename,fuse,storage", false, fused);
    field_run(&f, block, "fuse{max=1},storage", false, single);
    for (int i = 0; i < FIELD; i++)
      cr_assert_eq(fused[i], single[i], "block %d at %d: %a, %a", block, i,
                   fused[i], single[i]);
  }
}

Test(lower_blocks, layouts_give_the_same_bits) {
  static struct field f;
  static double aos[FIELD], soa[FIELD], mixed[FIELD];
  field_fill(&f);
  field_run(&f, 1, "rename,fuse,storage", false, aos);
  field_run(&f, 0, "rename,fuse,storage", false, soa);
  field_run(&f, 8, "rename,fuse,storage", false, mixed);
  for (int i = 0; i < FIELD; i++) {
    cr_assert_eq(aos[i], soa[i], "at %d: %a, %a", i, aos[i], soa[i]);
    cr_assert_eq(aos[i], mixed[i], "at %d: %a, %a", i, aos[i], mixed[i]);
  }
}

Test(lower_blocks, code_that_is_not_optimised_has_the_same_bits) {
  static struct field f;
  static double quick[FIELD], slow[FIELD];
  field_fill(&f);
  for (int block = 0; block <= 8; block += block ? 7 : 1) {
    field_run(&f, block, "rename,fuse,storage", true, quick);
    field_run(&f, block, "rename,fuse,storage", false, slow);
    for (int i = 0; i < FIELD; i++)
      cr_assert_eq(quick[i], slow[i], "block %d at %d: %a, %a", block, i,
                   quick[i], slow[i]);
  }
}

/* The same elements in blocks and one by one: [0, n) against n calls. */
Test(lower_blocks, blocks_and_single_elements_give_the_same_bits) {
  struct lower_case c;
  lower_case_init(&c,
                  "trace @t {\n set %s n=32\n dat %a : %s f64 x2\n kernel @k\n"
                  " %a.1 = loop @k over %s (rw %a.0)\n live %a.1\n}\n",
                  "#include <math.h>\n"
                  "void k(double *a) { double b = a[0] * a[1] + 0.1;"
                  " a[0] = sqrt(fabs(b * b - a[0])) / (a[1] + 3);"
                  " a[1] = a[0] > b ? a[0] * b - 1 : b; }");
  lower_case_passes(&c, "fuse,storage");
  double a[64], once[64];
  for (int i = 0; i < 64; i++) a[i] = sin(i);
  lower_case_dat(&c, "a", a);
  lower_case_run(&c, 1);
  memcpy(once, lower_case_get(&c, "a"), sizeof once);
  void *table[] = {a};
  for (int i = 0; i < 32; i++) c.lp.program->launches[0].fn(table, i, i + 1);
  for (int i = 0; i < 64; i++)
    cr_assert_eq(a[i], once[i], "%d: %a, %a", i, a[i], once[i]);
  lower_case_clear(&c);
}

/* What elements add to a few targets, of sizes whose sum depends on the order:
 * that of a plain loop. */
static void
check_order(int dim) {
  enum { N = 40, TO = 3, MOST = 15 };
  static double w[N * MOST], r[TO * MOST];
  idx_l table[2 * N];
  char text[500], source[200];
  struct lower_case c;
  snprintf(text, sizeof text,
           "trace @t {\n set %%e n=%d\n set %%v n=%d\n"
           " map %%m : %%e -> %%v x2\n dat %%w : %%e f64 x%d\n"
           " dat %%r : %%v f64 x%d\n kernel @k\n"
           " %%r.1 = loop @k over %%e (read %%w.0, inc %%r.0 via %%m[0], "
           "inc %%r.0 via %%m[1])\n live %%r.1\n}\n",
           N, TO, dim, dim);
  snprintf(source, sizeof source,
           "void k(const double *w, double *p, double *q) {"
           " for (int c = 0; c < %d; c++) p[c] += w[c], q[c] -= w[c]; }",
           dim);
  for (int i = 0; i < N * dim; i++) w[i] = (i % 5 - 2) * pow(10, i * 3 % 17);
  for (int i = 0; i < TO * dim; i++) r[i] = 0.1 * i;
  for (int i = 0; i < 2 * N; i++) table[i] = (i + i / 3) % TO;
  lower_case_init(&c, text, source);
  lower_case_passes(&c, "fuse,storage");
  lower_case_map(&c, "m", table);
  lower_case_dat(&c, "w", w);
  lower_case_dat(&c, "r", r);
  lower_case_run(&c, 1);
  for (int i = 0; i < 2 * N * dim; i++) {
    double x = w[i / (2 * dim) * dim + i % dim];
    r[table[i / dim] * dim + i % dim] += i / dim % 2 ? -x : x;
  }
  const double *got = lower_case_get(&c, "r");
  for (int i = 0; i < TO * dim; i++)
    cr_assert_eq(got[i], r[i], "dim %d at %d: %a, not %a", dim, i, got[i],
                 r[i]);
  lower_case_clear(&c);
}

Test(lower_blocks, sums_through_maps_are_in_the_order_of_elements) {
  static const int dims[] = {1, 2, 3, 4, 5, 7, 9, 15};
  for (size_t k = 0; k < sizeof dims / sizeof *dims; k++) check_order(dims[k]);
}

/* n entries in front of memory that nobody may touch. */
static idx_l *
guarded_table(size_t n) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(p != MAP_FAILED && n * sizeof(idx_l) <= page);
  cr_assert_eq(mprotect(p + page, page, PROT_NONE), 0);
  return (idx_l *)(p + page) - n;
}

/* Blocks look at entries of those further on: of none behind the last. */
Test(lower_blocks, targets_are_looked_for_within_the_table) {
  enum { N = 40, TO = 20 };
  double w[TO * 8], r[TO];
  idx_l *table = guarded_table(2 * N);
  struct lower_case c;
  for (int i = 0; i < TO * 8; i++) w[i] = i % 7;
  for (int i = 0; i < TO; i++) r[i] = i;
  for (int i = 0; i < 2 * N; i++) table[i] = i / 4;
  lower_case_init(&c,
                  "trace @t {\n set %e n=40\n set %v n=20\n"
                  " map %m : %e -> %v x2\n dat %w : %v f64 x8\n"
                  " dat %r : %v f64 x1\n kernel @k\n"
                  " %r.1 = loop @k over %e (read %w.0 via %m[0], "
                  "inc %r.0 via %m[1])\n live %r.1\n}\n",
                  "void k(const double *w, double *r) {"
                  " for (int c = 0; c < 8; c++) *r += w[c]; }");
  struct pass_options o = {.pipeline = "fuse,storage,colour,hold,width,stretch,"
                                       "ahead{band=0,targets=9}",
                           .verify = true};
  cr_assert_eq(pass_run(&c.t, &o), OK, "%s", err_last());
  cr_assert_eq(c.t->regions[0].targets, 9);
  lower_case_map(&c, "m", table);
  lower_case_dat(&c, "w", w);
  lower_case_dat(&c, "r", r);
  lower_case_run(&c, 1);
  for (int e = 0; e < N; e++)
    for (int d = 0; d < 8; d++) r[table[2 * e + 1]] += w[table[2 * e] * 8 + d];
  const double *got = lower_case_get(&c, "r");
  for (int i = 0; i < TO; i++) cr_assert_eq(got[i], r[i], "%d: %g", i, got[i]);
  lower_case_clear(&c);
}
