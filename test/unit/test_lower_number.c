/* Numbers over all ranks: 64-bit, beyond what an int holds, of elements and of what
 * entries name; in blocks, one by one, by kernels with code and without. */
#include "rt/ranks/dist.h"
#include "test_lower.h"

enum { N = 301, M = 97 };

static const idx_g first_s = (idx_g)5 << 32, first_t = 3000000000;

static idx_l table[3 * N];
static int64_t start[N + 1];
static idx_g of_s[N], of_t[M];
static struct rt_part part_s = {.global = of_s, .level = {N}, .owned = N};
static struct rt_part part_t = {.global = of_t, .level = {M}, .owned = M};

static const char source[] =
    "void k(const long long *e, const long long *v, double *a) {"
    " *a = *e - 2 * *v; }"
    "void j(const int *e, const long long *v, float *b) {"
    " *b = *v - *e - 3000000000ll; }"
    "void l(const long long *v, double *a) { *a = *v; }";

/* Elements of a part have numbers in any order. */
static void
fill(void) {
  for (int i = 0; i < 3 * N; i++) table[i] = (i * 17 + 5) % M;
  for (int e = 0; e <= N; e++) start[e] = e + e / 2;
  for (int e = 0; e < N; e++) of_s[e] = first_s + (idx_g)e * 1000003 % 4001;
  for (int e = 0; e < M; e++) of_t[e] = first_t + (idx_g)(e * 31 % M);
}

static void
begin(struct lower_case *c, const char *flags, const char *kernel,
      const char *loops) {
  char text[1024];
  fill();
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d %s\n set %%t n=%d %s\n"
           " map %%m : %%s -> %%t x3\n relation %%row : %%s -> %%t csr\n"
           " dat %%a : %%s f64 x1\n dat %%b : %%s f32 x1\n"
           " kernel @k %s\n kernel @j\n kernel @l\n %s\n}\n",
           N, flags, M, flags, kernel, loops);
  lower_case_init(c, text, source);
  lower_case_passes(c, "fuse,storage");
  lower_case_map(c, "m", table);
  lower_case_relation(c, "row",
                      (struct rt_relation){.from = &c->sets[0],
                                           .to = &c->sets[1],
                                           .table = table,
                                           .start = start,
                                           .version = rt_version_new(),
                                           .name = "row"});
  c->sets[0].part = &part_s;
  c->sets[1].part = &part_t;
  lower_case_dat(c, "a", NULL);
  lower_case_dat(c, "b", NULL);
}

static const char both[] =
    "%a.1 = loop @k over %s (number, number via %m[2], write %a)\n live %a.1";

static void
expect_both(struct lower_case *c) {
  for (int e = 0; e < N; e++)
    cr_assert_eq(lower_case_get(c, "a")[e],
                 (double)(of_s[e] - 2 * of_t[table[3 * e + 2]]), "at %d", e);
  lower_case_clear(c);
}

Test(lower_number, elements_and_entries) {
  struct lower_case c;
  begin(&c, "parts", "", both);
  cr_assert_gt(c.t->regions[0].width, 1);
  lower_case_run(&c, 2);
  expect_both(&c);
}

static void
called(const idx_g *e, const idx_g *v, double *a) {
  *a = (double)(*e - 2 * *v);
}

Test(lower_number, kernels_without_code) {
  struct lower_case c;
  begin(&c, "parts", "opaque", both);
  c.kernels[0].address = (void (*)(void))called;
  c.kernels[0].bitcode = NULL;
  lower_case_run(&c, 2);
  expect_both(&c);
}

/* Of sets that are not in parts they are the indices. */
Test(lower_number, of_sets_that_are_whole) {
  struct lower_case c;
  begin(&c, "", "", both);
  lower_case_run(&c, 2);
  for (int e = 0; e < N; e++)
    cr_assert_eq(lower_case_get(&c, "a")[e], e - 2.0 * table[3 * e + 2]);
  lower_case_clear(&c);
}

/* Two loops in one region, one with an index of the rank's own beside it, on values
 * of which more fit into a block. */
Test(lower_number, beside_indices_and_narrow_values) {
  struct lower_case c;
  begin(&c, "parts", "",
        "%b.1 = loop @j over %s (idx via %m[0], number via %m[0], write %b)\n"
        " %a.1 = loop @l over %s (number via %m[0], write %a)\n"
        " live %a.1, %b.1");
  lower_case_run(&c, 2);
  const float *b = (const void *)lower_case_get(&c, "b");
  for (int e = 0; e < N; e++) {
    idx_l to = table[3 * e];
    cr_assert_eq(b[e], (float)(of_t[to] - to - first_t), "at %d", e);
    cr_assert_eq(lower_case_get(&c, "a")[e], (double)of_t[to], "at %d", e);
  }
  lower_case_clear(&c);
}

Test(lower_number, first_entries_of_rows_of_any_length) {
  struct lower_case c;
  begin(&c, "parts", "",
        "%a.1 = loop @l over %s (number via %row[0], write %a)\n live %a.1");
  lower_case_run(&c, 2);
  for (int e = 0; e < N; e++)
    cr_assert_eq(lower_case_get(&c, "a")[e], (double)of_t[table[start[e]]]);
  lower_case_clear(&c);
}
