/* Regions over rows of relations, against plain loops over the program's maps, exact
 * in integers, on one thread and several. */
#include "lower/device.h"
#include "lower/llvm/code.h"
#include "test_lower.h"

enum { CELLS = 1500, EDGES = 4000, NODES = 700 };

static idx_l pecell[2 * EDGES], pedge[2 * EDGES];
static double w[EDGES], x[NODES], q[CELLS], res[CELLS];

static void
fill(void) {
  unsigned r = 12345;
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++) {
      r = r * 1664525u + 1013904223u; /* cells 0 .. 9 have no edge */
      idx_l t = (idx_l)((r >> 8) % (CELLS - 10));
      if (k && pecell[2 * e] == 10 + t) t = (t + 1) % (CELLS - 10);
      pecell[2 * e + k] = 10 + t; /* two cells */
      r = r * 1664525u + 1013904223u;
      pedge[2 * e + k] = (idx_l)((r >> 8) % NODES);
    }
  for (int e = 0; e < EDGES; e++) w[e] = e % 17 - 8;
  for (int n = 0; n < NODES; n++) x[n] = n % 23 - 11;
  for (int c = 0; c < CELLS; c++) q[c] = c % 7 - 3, res[c] = c % 5;
}

static const char head[] =
    "trace @t {\n"
    " set %cells n=1500\n set %edges n=4000\n set %nodes n=700\n"
    " map %pecell : %edges -> %cells x2\n map %pedge : %edges -> %nodes x2\n";
static const char dats[] =
    " dat %w : %edges f64 x1\n dat %x : %nodes f64 x1\n"
    " dat %q : %cells f64 x1\n dat %res : %cells f64 x1\n kernel @k\n";

/* Where loops run: "" or on "opencl"; that device, if it is there. */
static const char *on = "";
static struct rt_device *
device(void) {
  struct target t;
  struct rt_device *d;
  cr_assert_eq(target_parse("opencl", &t), OK);
  return rt_device_get(t, &d) == OK ? d : NULL;
}

static void
start(struct lower_case *c, const char *relations, const char *loop,
      const char *result, const char *source) {
  char text[2048];
  fill();
  snprintf(text, sizeof text, "%s %s\n%s %s %s\n fetch %s\n}\n", head,
           relations, dats, loop, on, result);
  lower_case_init(c, text, source);
  if (*on) c->device = device();
  lower_case_passes(c, "fuse,storage,place");
  lower_case_map(c, "pecell", pecell);
  lower_case_map(c, "pedge", pedge);
  lower_case_dat(c, "w", w);
  lower_case_dat(c, "x", x);
  lower_case_dat(c, "q", q);
  lower_case_dat(c, "res", res);
}

static void
expect(struct lower_case *c, const char *dat, const double *want, int n) {
  const double *got = lower_case_get(c, dat);
  cr_assert_eq(c->lp.program->launches[0].offload != NULL, *on != 0);
  for (int i = 0; i < n; i++)
    cr_assert_eq(got[i], want[i], "%s[%d]: expected %g, found %g", dat, i,
                 want[i], got[i]);
}

/* ---- what is gathered, and what is scattered ----------------------------- */

static const char gather[] =
    "%res.1 = loop @k over %cells for %e in %ecell (inc %res.0, read %q.0,"
    " read %w.0 via %e, read %x.0 via %e %pedge[0:2])";
static const char gather_code[] =
    "void k(double *res, const double *q, const double *w, double **x) {"
    " *res += *q + *w * (x[0][0] - 2 * x[1][0]); }";

static void
check_gather(struct lower_case *c, int threads) {
  double want[CELLS];
  memcpy(want, res, sizeof want);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++) {
      int t = pecell[2 * e + k];
      want[t] += q[t] + w[e] * (x[pedge[2 * e]] - 2 * x[pedge[2 * e + 1]]);
    }
  lower_case_run(c, threads);
  expect(c, "res", want, CELLS);
}

/* On threads, and on one with a device. */
static void
on_all(void (*test)(int threads)) {
  test(1);
  test(3);
  if (!device()) return;
  on = "on \"opencl\"";
  test(1);
  on = "";
  low_device_clear();
  rt_devices_close();
}

static void
inverse(int threads) {
  struct lower_case c;
  struct rt_relation r;
  start(&c, "relation %ecell : %cells -> %edges inverse %pecell", gather,
        "%res.1", gather_code);
  cr_assert_eq(rt_relation_inverse(lower_case_rows(&c, "pecell"), NULL, &r),
               OK);
  lower_case_relation(&c, "ecell", r);
  check_gather(&c, threads);
  lower_case_clear(&c);
  rt_relation_clear(&r);
}

Test(lower_rows, inverse) {
  on_all(inverse);
}

/* Neighbours: cells of the edges of a cell. Rows of a composed relation of maps have
 * one length, and entries that arguments name. */
static void
composed(int threads) {
  struct lower_case c;
  struct rt_relation r, n, s;
  double want[CELLS];
  memcpy(want, res, sizeof want);
  start(&c,
        "relation %ecell : %cells -> %edges inverse %pecell\n"
        " relation %near : %cells -> %cells composed %ecell %pecell\n"
        " map %first : %cells -> %edges x1\n"
        " relation %two : %cells -> %nodes composed %first %pedge",
        "%res.1 = loop @k over %cells for %e in %near (inc %res.0,"
        " read %q.0 via %e, read %x.0 via %two[1],"
        " read %w.0 via %e %first[0])",
        "%res.1",
        "void k(double *res, const double *q, const double *x, const double *w)"
        " { *res += *q * *x - *w; }");
  static idx_l first[CELLS];
  for (int i = 0; i < CELLS; i++) first[i] = (i * 7) % EDGES;
  lower_case_map(&c, "first", first);
  cr_assert_eq(rt_relation_inverse(lower_case_rows(&c, "pecell"), NULL, &r),
               OK);
  cr_assert_eq(rt_relation_composed(&r, lower_case_rows(&c, "pecell"), &n), OK);
  cr_assert_eq(rt_relation_composed(lower_case_rows(&c, "first"),
                                    lower_case_rows(&c, "pedge"), &s),
               OK);
  lower_case_relation(&c, "ecell", r);
  lower_case_relation(&c, "near", n);
  lower_case_relation(&c, "two", s);
  memcpy(want, res, sizeof want);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 2; j++) {
        int t = pecell[2 * e + k], o = pecell[2 * e + j];
        want[t] += q[o] * x[pedge[2 * first[t] + 1]] - w[first[o]];
      }
  lower_case_run(&c, threads);
  expect(&c, "res", want, CELLS);
  lower_case_clear(&c);
  rt_relation_clear(&r);
  rt_relation_clear(&n);
  rt_relation_clear(&s);
}

Test(lower_rows, composed) {
  on_all(composed);
}

/* Rows that the maker gives: of 0 to 6 entries, written through as well. */
static void
csr(int threads) {
  struct lower_case c;
  double want[NODES];
  static int64_t begin[CELLS + 1];
  static idx_l entry[CELLS * 6];
  start(
      &c, "relation %row : %cells -> %nodes csr",
      "%x.1 = loop @k over %cells for %e in %row (read %q.0, inc %x.0 via %e)",
      "%x.1", "void k(const double *q, double *x) { *x += *q + 1; }");
  memcpy(want, x, sizeof want);
  for (int i = 0; i < CELLS; i++) {
    begin[i + 1] = begin[i] + i % 7;
    for (int64_t k = begin[i]; k < begin[i + 1]; k++) {
      entry[k] = (idx_l)((i / 3 + 11 * k) % NODES);
      want[entry[k]] += q[i] + 1;
    }
  }
  struct rt_relation r = {.from = lower_case_rows(&c, "pecell")->to,
                          .to = lower_case_rows(&c, "pedge")->to,
                          .table = entry,
                          .start = begin,
                          .version = rt_version_new(),
                          .name = "row"};
  lower_case_relation(&c, "row", r);
  lower_case_run(&c, threads);
  expect(&c, "x", want, NODES);
  lower_case_clear(&c);
}

Test(lower_rows, csr) {
  on_all(csr);
}

/* Rows of one length: a map. */
static void
table(int threads) {
  struct lower_case c;
  double want[EDGES];
  memcpy(want, w, sizeof want);
  start(&c, "",
        "%w.1 = loop @k over %edges for %e in %pecell (rw %w.0, read %q.0 via"
        " %e)",
        "%w.1", "void k(double *w, const double *q) { *w = 3 * *w - *q; }");
  memcpy(want, w, sizeof want);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++) want[e] = 3 * want[e] - q[pecell[2 * e + k]];
  lower_case_run(&c, threads);
  expect(&c, "w", want, EDGES);
  lower_case_clear(&c);
}

Test(lower_rows, of_one_length) {
  on_all(table);
}

/* Elements meet in what rows name: parts of threads, by rows of any length. */
static void
scatter(int threads) {
  struct lower_case c;
  struct rt_relation r;
  double want[EDGES];
  start(&c, "relation %ecell : %cells -> %edges inverse %pecell",
        "%w.1 = loop @k over %cells for %e in %ecell (read %q.0,"
        " inc %w.0 via %e)",
        "%w.1", "void k(const double *q, double *w) { *w += *q; }");
  cr_assert_eq(rt_relation_inverse(lower_case_rows(&c, "pecell"), NULL, &r),
               OK);
  lower_case_relation(&c, "ecell", r);
  memcpy(want, w, sizeof want);
  for (int e = 0; e < EDGES; e++)
    want[e] += q[pecell[2 * e]] + q[pecell[2 * e + 1]];
  lower_case_run(&c, threads);
  expect(&c, "w", want, EDGES);
  lower_case_clear(&c);
  rt_relation_clear(&r);
}

Test(lower_rows, written_through) {
  on_all(scatter);
}

/* A global sum over all entries of all rows, and what a fused loop reads. */
Test(lower_rows, fused_with_its_consumer) {
  struct lower_case c;
  struct rt_relation r;
  double want[CELLS] = {0}, sum = 1, sum_want = 1;
  start(&c,
        "relation %ecell : %cells -> %edges inverse %pecell\n gbl %s : f64 x1\n"
        " dat %sum : %cells f64 x1 temp\n kernel @done",
        "%sum.1, %s.1 = loop @k over %cells for %e in %ecell (inc %sum.0,"
        " inc %s.0, read %w.0 via %e)\n"
        "%res.1 = loop @done over %cells (read %sum.1, write %res)",
        "%res.1\n fetch %s.1",
        "void k(double *sum, double *s, const double *w) { *sum += *w; *s += "
        "*w; }\n"
        "void done(const double *sum, double *res) { *res = 2 * *sum; }");
  cr_assert_eq(rt_relation_inverse(lower_case_rows(&c, "pecell"), NULL, &r),
               OK);
  lower_case_relation(&c, "ecell", r);
  lower_case_dat(&c, "sum", NULL);
  lower_case_global(&c, "s", &sum);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++) {
      want[pecell[2 * e + k]] += 2 * w[e];
      sum_want += w[e];
    }
  lower_case_run(&c, 2);
  cr_assert_eq(c.lp.program->nlaunches, 1);
  cr_assert_eq(sum, sum_want);
  expect(&c, "res", want, CELLS);
  lower_case_clear(&c);
  rt_relation_clear(&r);
}

/* What edges add to both of their cells, taken by each cell: in the order of the
 * edges. */
static void
own(int threads) {
  struct lower_case c;
  struct rt_relation r;
  double want[CELLS];
  start(&c, "relation %ecell : %cells -> %edges inverse %pecell",
        "%res.1 = loop @k over %cells for %e in %ecell (read %w.0 via %e,"
        " read %q.0 via %e %pecell[0:2], inc %res.0 own via %e %pecell[0:2])",
        "%res.1",
        "void k(const double *w, double **q, double **r) {"
        " r[0][0] += *w * q[1][0] + 1; r[1][0] -= *w * q[0][0]; }");
  cr_assert_eq(rt_relation_inverse(lower_case_rows(&c, "pecell"), NULL, &r),
               OK);
  lower_case_relation(&c, "ecell", r);
  memcpy(want, res, sizeof want);
  for (int e = 0; e < EDGES; e++) {
    const idx_l *p = &pecell[2 * e];
    want[p[0]] += w[e] * q[p[1]] + 1;
    want[p[1]] -= w[e] * q[p[0]];
  }
  lower_case_run(&c, threads);
  expect(&c, "res", want, CELLS);
  lower_case_clear(&c);
  rt_relation_clear(&r);
}

Test(lower_rows, own) {
  on_all(own);
}

/* An array of the kernel's own, in a branch of lanes whose row goes on: none of it
 * passes from lane to lane. */
static void
array(int threads) {
  struct lower_case c;
  struct rt_relation r;
  double want[CELLS];
  start(&c, "relation %ecell : %cells -> %edges inverse %pecell",
        "%res.1 = loop @k over %cells for %e in %ecell (read %w.0 via %e,"
        " read %x.0 via %e %pedge[0], inc %res.0)",
        "%res.1",
        "void k(const double *w, const double *x, double *r) {"
        " double d[4] = {0}; d[0] -= *w; d[3] += *x; *r += d[0] + 2 * d[3]; }");
  cr_assert_eq(rt_relation_inverse(lower_case_rows(&c, "pecell"), NULL, &r),
               OK);
  lower_case_relation(&c, "ecell", r);
  memcpy(want, res, sizeof want);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++)
      want[pecell[2 * e + k]] += 2 * x[pedge[2 * e]] - w[e];
  lower_case_run(&c, threads);
  expect(&c, "res", want, CELLS);
  if (!*on) cr_assert_gt(c.lp.program->launches[0].lanes, 1);
  lower_case_clear(&c);
  rt_relation_clear(&r);
}

Test(lower_rows, array_in_blocks) {
  on_all(array);
}

static status
region_text(void *user, const struct low_maker *m, struct low_span nodes,
            const struct low_region *r) {
  (void)m;
  (void)nodes;
  return low_jit_ir(r, user);
}

/* Rows of 3, but each seventh, which has its number modulo 7 more or none: code
 * for 3 stands by itself. */
static void
lengths(int threads) {
  static int64_t row_start[CELLS + 1];
  static idx_l to[CELLS * 9];
  struct lower_case c;
  double want[CELLS];
  start(&c, "relation %row : %cells -> %nodes csr usual=3",
        "%res.1 = loop @k over %cells (length via %row, inc %res.0,"
        " read %x.0 via %row[0:9])",
        "%res.1",
        "void k(const int *n, double *res, double **x) {"
        " for (int i = 0; i < *n; i++) *res += (i + 1) * *x[i]; }");
  memcpy(want, res, sizeof want);
  for (int e = 0; e < CELLS; e++) {
    int n = e % 7 ? 3 : e / 7 % 10;
    row_start[e + 1] = row_start[e] + n;
    for (int i = 0; i < n; i++) {
      to[row_start[e] + i] = (e * 31 + i * 17) % NODES;
      want[e] += (i + 1) * x[(e * 31 + i * 17) % NODES];
    }
  }
  struct rt_relation r = *lower_case_rows(&c, "pedge");
  r.from = lower_case_rows(&c, "pecell")->to;
  r.arity = 0;
  r.table = to;
  r.start = row_start;
  r.version = 77;
  lower_case_relation(&c, "row", r);
  lower_case_run(&c, threads);
  expect(&c, "res", want, CELLS);
  lower_case_clear(&c);
}

Test(lower_rows, usual_lengths) {
  on_all(lengths);
}

/* Rows of 0 to 4, of which the first, the last and each fifth are empty. */
static void
uneven(int64_t *row_start) {
  for (int e = 0; e < CELLS; e++)
    row_start[e + 1] = row_start[e] + (e == CELLS - 1 ? 0 : e % 5);
}

/* How many tables of row starts, and of first entries, the loop is given. */
static int
tables(const struct lower_case *c) {
  const struct rt_launch *l = &c->lp.program->launches[0];
  int n = 0;
  for (uint32_t k = 0; k < l->nbinds; k++)
    n += l->binds[k].kind == RT_BIND_START || l->binds[k].kind == RT_BIND_HEAD;
  return n;
}

/* Rows whose entries are 0, 1, 2, ...: of edges, gathered in blocks and one by one,
 * beside rows of nodes that begin where these do. */
static void
counting(const char *loop, const char *code, int threads) {
  static int64_t row_start[CELLS + 1];
  static idx_l count[CELLS * 4], to[CELLS * 4];
  struct lower_case c;
  double want[CELLS];
  start(&c,
        "relation %row : %cells -> %edges csr counts step=1\n"
        " relation %near : %cells -> %nodes csr starts %row",
        loop, "%res.1", code);
  uneven(row_start);
  memcpy(want, res, sizeof want);
  for (idx_l k = 0; k < row_start[CELLS]; k++) {
    count[k] = k;
    to[k] = (k * 31 + 5) % NODES;
  }
  for (int e = 0; e < CELLS; e++)
    for (int64_t k = row_start[e]; k < row_start[e + 1]; k++)
      want[e] += w[k] * (strstr(loop, "near") ? x[to[k]] : x[pedge[2 * k]]);
  struct rt_relation r = {.from = &c.sets[0], .to = &c.sets[1]};
  struct rt_relation near = {.from = &c.sets[0], .to = &c.sets[2]};
  r.table = count;
  r.start = row_start;
  r.version = 78;
  near.table = to;
  near.start = row_start;
  near.version = 79;
  lower_case_relation(&c, "row", r);
  lower_case_relation(&c, "near", near);
  lower_case_run(&c, threads);
  expect(&c, "res", want, CELLS);
  cr_expect_eq(tables(&c), 1);
  lower_case_clear(&c);
}

static void
counted(int threads) {
  counting("%res.1 = loop @k over %cells for %e in %row (inc %res.0,"
           " read %w.0 via %e, read %x.0 via %e %pedge[0])",
           "void k(double *res, const double *w, const double *x) {"
           " *res += *w * *x; }",
           threads);
}

Test(lower_rows, rows_that_count) {
  on_all(counted);
}

static void
counted_vectors(int threads) {
  counting("%res.1 = loop @k over %cells (length via %row, inc %res.0,"
           " read %w.0 via %row[0:4], read %x.0 via %near[0:4])",
           "void k(const int *n, double *res, double **w, double **x) {"
           " for (int i = 0; i < *n; i++) *res += *w[i] * *x[i]; }",
           threads);
}

Test(lower_rows, rows_that_begin_where_others_do) {
  on_all(counted_vectors);
}

/* Arrays of pointers are gone where a kernel only follows them. */
Test(lower_rows, pointers_are_computed_where_they_are_used) {
  struct lower_case c;
  SCOPED_STR text = STR_INIT;
  start(&c, "relation %row : %cells -> %nodes csr",
        "%res.1 = loop @k over %cells (length via %row, inc %res.0,"
        " read %x.0 via %row[0:6])",
        "%res.1",
        "void k(const int *n, double *res, double **x) {"
        " for (int i = 0; i < *n; i++) *res += *x[i]; }");
  struct low_env env = lower_case_env(&c);
  cr_assert_eq(low_regions_each(c.t, &env, region_text, &text), OK, "%s",
               err_last());
  cr_expect(strstr(text.s, "define"));
  cr_expect_not(strstr(text.s, "alloca"), "%s", text.s);
  lower_case_clear(&c);
}
