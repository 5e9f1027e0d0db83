/* Facts against behaviour: random kernels are compiled for both, and what was
 * proven must hold in every run.
 *
 * Each kernel gets read-only data a, two arrays u and v, and a vector argument w.
 * It is run twice on data that differ in one argument only (by d, per component):
 *   not written   the argument stays as it was
 *   only added to the argument's results differ by d, everything else is equal
 *   not read      results are equal where written, and what is said to be
 *                 written on every path is equal in any case
 *   only lowered  results are the least of where it started and of what it gives
 *                 from the largest value, payloads those of who won; raised likewise
 * Unsigned arithmetic wraps, so that "differs by d" is exact.
 */
#include "base/arena.h"
#include "base/str.h"
#include "lower/kernel.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef OP2_CLANG
#define OP2_CLANG "clang-19"
#endif

enum { KERNELS = 80, RUNS = 24, DIM = 4, ROWS = 3 };

/* ---- random kernels ------------------------------------------------------ */

static uint64_t state;

static uint32_t
draw(uint32_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 33) % n;
}

/* Kernels that mostly add, set, or keep the better value: else little would be
 * provable. */
enum style { MIXED, ADDING, SETTING, KEEPING, STYLES };
struct maker {
  struct str s;
  enum style style;
  bool max;     /* KEEPING: mostly the greater one */
  bool payload; /* KEEPING: u[0], with v[0] and v[1] as its payload */
};

/* An element of u, v or w; v is left to payloads where there are some. */
static void
make_place(struct maker *m) {
  uint32_t c = draw(DIM);
  if (m->style == KEEPING && draw(8)) {
    str_printf(&m->s, "u[%u]", c);
    return;
  }
  static const char *const by_loop[] = {"u[i]", "v[i]", "w[1][i]"};
  if (!draw(4))
    str_add(&m->s, by_loop[draw(3)]);
  else if (draw(3))
    str_printf(&m->s, "%c[%u]", "uv"[draw(2)], c);
  else
    str_printf(&m->s, "w[%u][%u]", draw(ROWS), c);
}

static void
make_leaf(struct maker *m) {
  switch (draw(m->style == KEEPING ? 60 : m->style ? 16 : 5)) {
  case 0: make_place(m); break;
  case 1: str_printf(&m->s, "%uu", draw(5)); break;
  case 2: str_add(&m->s, "t"); break;
  case 3: str_add(&m->s, "a[i]"); break;
  default: str_printf(&m->s, "a[%u]", draw(DIM));
  }
}

static void
make_value(struct maker *m, int depth) {
  if (!depth || !draw(3)) {
    make_leaf(m);
    return;
  }
  str_add(&m->s, "(");
  make_value(m, depth - 1);
  str_add(&m->s, (const char *const[]){" + ", " - ", " * ", " ^ "}[draw(4)]);
  make_value(m, depth - 1);
  str_add(&m->s, ")");
}

/* What `make` appends, as a text of its own. */
static char *
make_text(struct maker *m, void (*make)(struct maker *)) {
  size_t before = m->s.len;
  make(m);
  char *text = strdup(m->s.s + before);
  m->s.len = before;
  m->s.s[before] = 0;
  return text;
}

static void
make_short_value(struct maker *m) {
  make_value(m, 1);
}

/* Keep the better of a place and a value, in one of the ways that programs have;
 * now and then with a payload, or wrongly. */
static void
make_keep(struct maker *m) {
  char *p = make_text(m, make_place);
  char *x = make_text(m, make_short_value), *y = make_text(m, make_short_value);
  if (m->payload) {
    str_printf(&m->s, "if (%s %c u[0]) { u[0] = %s; v[0] = %s;", x,
               m->max ? '>' : '<', x, y);
    str_add(&m->s, draw(20) ? " v[1] = i; }\n" : "}\n");
    free(p), free(x), free(y);
    return;
  }
  const char *better = (m->max == !!draw(25)) ? ">" : "<";
  const char *worse = *better == '>' ? "<" : ">";
  switch (draw(8)) {
  case 0:
  case 1:
    str_printf(&m->s, "if (%s %s %s) %s = %s;\n", x, better, p, p, x);
    break;
  case 2:
    str_printf(&m->s, "if (%s %s %s) %s = %s;\n", p, worse, x, p, x);
    break;
  case 3:
    str_printf(&m->s, "%s = %s %s %s ? %s : %s;\n", p, x, better, p, x, p);
    break;
  case 4:
    str_printf(&m->s, "%s = %s %s %s ? %s : %s;\n", p, p, better, x, p, x);
    break;
  case 5:
    str_printf(&m->s, "if ((a[0] & 1) && %s %s %s) %s = %s;\n", x, better, p, p,
               x);
    break;
  case 6:
  case 7:
    str_printf(&m->s, "if (%s %s %s) { %s = %s; v[%u] = %s; }\n", x, better, p,
               p, x, draw(DIM), y);
    break;
  default:
    str_printf(&m->s, "if (%s %s= %s) %s = %s;\n", x, better, p, p,
               draw(3) ? x : y);
  }
  free(p), free(x), free(y);
}

static void
make_assign(struct maker *m) {
  if (m->style == KEEPING && draw(30)) {
    make_keep(m);
    return;
  }
  struct str place = STR_INIT;
  size_t before = m->s.len;
  make_place(m);
  str_add(&place, m->s.s + before);
  uint32_t how = m->style == SETTING ? 0 : draw(m->style ? 20 : 5);
  if (how == 0)
    str_add(&m->s, " = ");
  else if (how == 1)
    str_printf(&m->s, " = %s + ", place.s);
  else
    str_add(&m->s, how % 2 ? " += " : " -= ");
  make_value(m, 2);
  str_add(&m->s, ";\n");
  str_clear(&place);
}

static void
make_statement(struct maker *m, int depth) {
  static const char *const heads[] = {
      "for (unsigned i = 0; i < 4; i++) {\n",
      "for (unsigned i = 0; i < (a[2] & 3); i++) {\n", "if (a[0] & 1) {\n",
      "if (a[1] > a[3]) {\n"};
  uint32_t what = draw(depth ? 9 : 5);
  if (what < 4) {
    make_assign(m);
  } else if (what == 4) {
    str_add(&m->s, "t = ");
    make_value(m, 2);
    str_add(&m->s, ";\n");
  } else {
    str_add(&m->s, heads[what - 5]);
    make_statement(m, depth - 1);
    make_statement(m, depth - 1);
    bool other = what > 6 && draw(2);
    if (other) {
      str_add(&m->s, "} else {\n");
      make_statement(m, depth - 1);
    }
    str_add(&m->s, "}\n");
  }
}

static void
make_kernel(struct maker *m, uint32_t number) {
  str_printf(&m->s,
             "void k%u(const unsigned *a, unsigned *u, unsigned *v,\n"
             "unsigned **w) {\nunsigned i = 0, t = a[0];\n",
             number);
  for (uint32_t n = 1 + draw(m->payload ? 2 : 6); n--;) make_statement(m, 2);
  str_add(&m->s, "(void)t, (void)i, (void)v, (void)w;\n}\n");
}

/* ---- running ------------------------------------------------------------- */

typedef void (*kernel_fn)(const unsigned *, unsigned *, unsigned *,
                          unsigned **);

/* Arguments 1 to 3 as rows: u, v, w[0], w[1], w[2]. */
enum { U, V, W, ALL_ROWS = W + ROWS };
struct data {
  unsigned a[DIM], row[ALL_ROWS][DIM];
};

static uint32_t
row_param(int row) {
  return row < W ? 1 + (uint32_t)row : 3;
}

static void
data_fill(struct data *d) {
  for (int c = 0; c < DIM; c++) d->a[c] = draw(8);
  for (int r = 0; r < ALL_ROWS; r++)
    for (int c = 0; c < DIM; c++) d->row[r][c] = draw(1000);
}

static struct data
run(kernel_fn k, struct data d) {
  unsigned *w[ROWS];
  for (int r = 0; r < ROWS; r++) w[r] = d.row[W + r];
  k(d.a, d.row[U], d.row[V], w);
  return d;
}

/* `x` and `y` differ in row r before; `x1` and `y1` are the results. */
struct runs {
  int r;
  const struct data *x, *y, *x1, *y1;
};

static bool
others_equal(const struct runs *d) {
  for (int r = 0; r < ALL_ROWS; r++)
    if (r != d->r && memcmp(d->x1->row[r], d->y1->row[r], sizeof d->x1->row[r]))
      return false;
  return true;
}

static bool
adds_hold(const struct runs *d) {
  for (int c = 0; c < DIM; c++)
    if (d->y1->row[d->r][c] - d->x1->row[d->r][c] !=
        d->y->row[d->r][c] - d->x->row[d->r][c])
      return false;
  return others_equal(d);
}

static bool
unread_holds(const struct runs *d, const struct low_param *p) {
  bool full = !p->indirect || (uint32_t)(d->r - W) < p->nentries;
  for (int c = 0; c < DIM; c++) {
    unsigned x1 = d->x1->row[d->r][c], y1 = d->y1->row[d->r][c];
    bool kept = x1 == d->x->row[d->r][c] && y1 == d->y->row[d->r][c];
    bool must = full && (c + 1) * sizeof(unsigned) <= p->full_bytes;
    if (x1 != y1 && (must || !kept)) return false;
  }
  return others_equal(d);
}

/* Payload rows of an extreme in d->r: as they were where no component won, those
 * of the other run where each did or is none; else of either. */
static bool
payload_holds(const struct runs *d, bool max, uint64_t with) {
  bool kept = true, won = true;
  for (int c = 0; c < DIM; c++) {
    bool wins = d->x1->row[d->r][c] != d->x->row[d->r][c];
    kept &= !wins;
    won &= wins || d->y1->row[d->r][c] == (max ? 0 : UINT32_MAX);
  }
  for (int r = 0; r < ALL_ROWS; r++) {
    bool payload = with >> row_param(r) & 1;
    for (int c = 0; c < DIM && r != d->r; c++) {
      unsigned v = d->x1->row[r][c];
      bool old = payload && !won && v == d->x->row[r][c];
      bool new = !(payload && kept) && v == d->y1->row[r][c];
      if (!old && !new && !(payload && kept && v == d->x->row[r][c]))
        return false;
    }
  }
  return true;
}

/* y starts from the worst value. */
static bool
extreme_holds(const struct runs *d, bool max, uint64_t with) {
  for (int c = 0; c < DIM; c++) {
    unsigned x = d->x->row[d->r][c], y1 = d->y1->row[d->r][c];
    if (d->x1->row[d->r][c] != ((max ? x > y1 : x < y1) ? x : y1)) return false;
  }
  return payload_holds(d, max, with);
}

static const char *
extreme_check(kernel_fn fn, int r, bool max, uint64_t with) {
  for (int i = 0; i < 4 * RUNS; i++) {
    struct data x, y;
    data_fill(&x);
    for (int k = 0; i % 2 && k < ALL_ROWS; k++)
      for (int c = 0; c < DIM; c++) x.row[k][c] %= 8;
    y = x;
    memset(y.row[r], max ? 0 : 0xff, sizeof y.row[r]);
    struct data x1 = run(fn, x), y1 = run(fn, y);
    if (!extreme_holds(&(struct runs){r, &x, &y, &x1, &y1}, max, with))
      return max ? "is not only raised" : "is not only lowered";
  }
  return NULL;
}

static const char *
runs_check(const struct runs *d, const struct low_param *p) {
  size_t n = sizeof d->x->row[0];
  if (!p->writes && memcmp(d->x->row[d->r], d->x1->row[d->r], n))
    return "is written";
  if (p->writes && p->adds_as && !adds_hold(d)) return "is not only added to";
  if (!p->reads && !unread_holds(d, p)) return "is read, or not fully written";
  return NULL;
}

static const char *
row_check(kernel_fn fn, const struct low_param *p, int r) {
  const char *why = NULL;
  for (int i = 0; i < RUNS && !why; i++) {
    struct data x, y;
    data_fill(&x);
    y = x;
    for (int c = 0; c < DIM; c++) y.row[r][c] += 1 + draw(5);
    struct data x1 = run(fn, x), y1 = run(fn, y);
    why = runs_check(&(struct runs){r, &x, &y, &x1, &y1}, p);
  }
  if (r >= W && (p->lowers_with | p->raises_with))
    return why; /* of one entry */
  if (!why && p->writes && p->lowers_as)
    why = extreme_check(fn, r, false, p->lowers_with);
  if (!why && p->writes && p->raises_as)
    why = extreme_check(fn, r, true, p->raises_with);
  return why;
}

/* ---- the test ------------------------------------------------------------ */

static void *
compile(const char *source) {
  char dir[] = "/tmp/op2-random.XXXXXX";
  struct str c = STR_INIT, so = STR_INIT, cmd = STR_INIT, text = STR_INIT;
  cr_assert(mkdtemp(dir) != NULL);
  str_printf(&c, "%s/k.c", dir);
  str_printf(&so, "%s/k.so", dir);
  str_add(&text, source);
  cr_assert_eq(str_write_file(&text, c.s), 0);
  str_printf(&cmd, "%s -w -O0 -shared -fPIC %s -o %s", OP2_CLANG, c.s, so.s);
  cr_assert_eq(system(cmd.s), 0);
  void *lib = dlopen(so.s, RTLD_NOW);
  cr_assert(lib != NULL, "%s", dlerror());
  remove(c.s);
  remove(so.s);
  rmdir(dir);
  str_clear(&c);
  str_clear(&so);
  str_clear(&cmd);
  str_clear(&text);
  return lib;
}

struct proven {
  int adds, full, unread, keeps, payloads;
};

static void
kernel_check(void *lib, uint32_t number, const char *source,
             struct proven *count) {
  char name[16];
  kernel_fn fn;
  snprintf(name, sizeof name, "k%u", number);
  void *symbol = dlsym(lib, name);
  memcpy(&fn, &symbol, sizeof fn);
  cr_assert_eq(low_kernel_source(name, source), OK, "%s", err_last());
  const struct low_kernel *k = low_kernel_get(NULL, name);
  cr_assert_not(k->effects, "%s: %s\n%s", name, k->why, source);
  for (int r = 0; r < ALL_ROWS; r++) {
    const struct low_param *p = &k->params[row_param(r)];
    const char *why = row_check(fn, p, r);
    cr_expect(!why, "%s: row %d %s\n%s", name, r, why, source);
    count->adds += p->writes && p->adds_as;
    count->full += p->full_bytes > 0;
    count->keeps += p->writes && (p->lowers_as || p->raises_as);
    count->payloads += (p->lowers_with | p->raises_with) != 0;
    count->unread += p->writes && !p->reads;
  }
}

Test(kernel_random, facts_hold) {
  const char *seed = getenv("OP2_TEST_SEED");
  state = 88172645463325252u + (seed ? strtoull(seed, NULL, 10) : 0);
  struct maker all = {.s = STR_INIT};
  struct str one[KERNELS];
  for (uint32_t i = 0; i < KERNELS; i++) {
    struct maker m = {.s = STR_INIT, .style = (enum style)draw(STYLES)};
    m.max = draw(2);
    m.payload = m.style == KEEPING && !draw(3);
    make_kernel(&m, i);
    str_add(&all.s, m.s.s);
    one[i] = m.s;
  }
  void *lib = compile(all.s.s);
  struct proven count = {0};
  for (uint32_t i = 0; i < KERNELS; i++) {
    kernel_check(lib, i, one[i].s, &count);
    str_clear(&one[i]);
  }
  str_clear(&all.s);
  dlclose(lib);
  low_kernels_clear();
  /* else the checks above were about nothing */
  cr_expect_gt(count.adds, KERNELS / 4);
  cr_expect_gt(count.keeps, KERNELS / 20);
  cr_expect_gt(count.payloads, 0);
  cr_expect_gt(count.full, KERNELS / 10);
  cr_expect_gt(count.unread, KERNELS / 20);
}
