/* Subsets: loops over them with dats and maps of the whole set and with their own,
 * sets of sets, and what is refused. Exact: integers. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { N = 32, LARGE = 5000, WORD = 1 << 20 };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)
#define VIA(d, i, m, acc) op_arg_dat(d, i, m, 1, "int", acc)

static void
set_one(int *x) {
  *x = 1;
}
static void
set_two(int *x) {
  *x = 2;
}
static void
twice(const int *x, int *y) {
  *y = 2 * *x + 1;
}
static void
add_unsigned(const unsigned *x, unsigned *sum) {
  *sum += *x;
}
static void
copy(const int *from, int *to) {
  *to = *from;
}
static void
clear(int *x) {
  *x = -1;
}
static int found[LARGE], want[LARGE], list[LARGE];

/* Every `step`-th from `first` on; how many. */
static int
every(int first, int step, int n) {
  int k = 0;
  for (int i = first; i < n; i += step) list[k++] = i;
  return k;
}

static op_set
subset(op_set set, int first, int step, int n, const char *name) {
  return op2_decl_subset(set, every(first, step, n), list, name);
}

static void
check_dat(op_dat d, int n) {
  op_fetch_data(d, found);
  CHECK_INTS(found, want, n);
}

/* ---- vectors -------------------------------------------------------------- */

static void
halves(void) {
  op_set set = op_decl_set(N, "halves");
  op_set evens = subset(set, 0, 2, N, "evens");
  op_set odds = subset(set, 1, 2, N, "odds");
  op_set none = op2_decl_subset(set, 0, NULL, "none");
  op_set quarter = subset(evens, 0, 2, N / 2, "quarter");
  for (int i = 0; i < N; i++) list[i] = 7;
  op_dat x = op_decl_dat(set, 1, "int", list, "x");
  int shuffled[] = {9, 3, 9, 31, 0, 3};
  op_set some = op2_decl_subset(set, 6, shuffled, "some");
  op_dat own = op_decl_dat(some, 1, "int", shuffled, "own"); /* 9 3 9 31 */
  CHECK_INT(op_get_size(some), 4);
  CHECK_INT(op_get_size(evens), N / 2);
  CHECK_INT(op_get_size(none), 0);
  CHECK_INT(op_get_size(quarter), N / 4);
  op_par_loop(set_one, "set_one", evens, OWN(x, OP_WRITE));
  op_par_loop(set_two, "set_two", none, OWN(x, OP_WRITE));
  for (int i = 0; i < N; i++) want[i] = i % 2 ? 7 : 1;
  check_dat(x, N);
  op_par_loop(set_two, "set_two", quarter, OWN(x, OP_WRITE));
  for (int i = 0; i < N; i += 4) want[i] = 2;
  check_dat(x, N);
  op_par_loop(set_one, "set_one", odds, OWN(x, OP_RW));
  for (int i = 1; i < N; i += 2) want[i] = 1;
  check_dat(x, N);
  op_par_loop(twice, "twice", some, OWN(own, OP_READ), OWN(x, OP_WRITE));
  want[0] = 19, want[3] = 7, want[9] = 19, want[31] = 63;
  check_dat(x, N);
}

/* Sums of one half, through a map from the whole set. */
static void
folded(void) {
  static unsigned x[N], sum[2];
  op_set set = op_decl_set(N, "set"), two = op_decl_set(2, "two");
  for (int i = 0; i < N; i++) {
    x[i] = i % 2 ? 2976579765u : (unsigned)i / 2;
    want[i] = i % 2;
  }
  op_map fold = op_decl_map(set, two, 1, want, "fold");
  op_dat dx = op_decl_dat(set, 1, "uint", x, "dx");
  op_dat ds = op_decl_dat(two, 1, "uint", sum, "ds");
  op_set evens = subset(set, 0, 2, N, "evens");
  op_par_loop(add_unsigned, "add_unsigned", evens,
              op_arg_dat(dx, -1, OP_ID, 1, "uint", OP_READ),
              op_arg_dat(ds, 0, fold, 1, "uint", OP_INC));
  op_fetch_data(ds, sum);
  CHECK_INT(sum[0], 120);
  CHECK_INT(sum[1], 0);
}

/* ---- sets of sets --------------------------------------------------------- */

struct marked {
  op_set set;
  op_dat id, mark;
};

static void
check_members(const struct marked *m, op_set s, int (*in)(int)) {
  int n = 0;
  for (int i = 0; i < N; i++) {
    n += in(i);
    want[i] = in(i) ? i : -1;
  }
  CHECK_INT(op_get_size(s), n);
  op_par_loop(clear, "clear", m->set, OWN(m->mark, OP_WRITE));
  op_par_loop(copy, "copy", s, OWN(m->id, OP_READ), OWN(m->mark, OP_WRITE));
  check_dat(m->mark, N);
}
static int
in_union(int i) {
  return i % 2 == 0 || i % 3 == 0;
}
static int
in_both(int i) {
  return i % 6 == 0;
}
static int
in_first(int i) {
  return i % 2 == 0 && i % 3;
}
static int
in_rest(int i) {
  return i % 2;
}
static int
in_all(int i) {
  return i >= 0;
}
static int
in_none(int i) {
  return i < 0;
}

static void
algebra(void) {
  op_set set = op_decl_set(N, "set");
  op_set a = subset(set, 0, 2, N, "a"), b = subset(set, 0, 3, N, "b");
  op_set sixth = subset(a, 0, 3, N / 2, "sixth");
  every(0, 1, N);
  struct marked m = {set, op_decl_dat(set, 1, "int", list, "id"),
                     op_decl_dat(set, 1, "int", list, "mark")};
  check_members(&m, op2_set_union(a, b, "u"), in_union);
  check_members(&m, op2_set_intersection(a, b, "i"), in_both);
  check_members(&m, op2_set_difference(a, b, "d"), in_first);
  check_members(&m, op2_set_difference(set, a, "r"), in_rest);
  check_members(&m, op2_set_union(set, a, "all"), in_all);
  check_members(&m, op2_set_union(set, set, "same"), in_all);
  check_members(&m, op2_set_difference(a, a, "n"), in_none);
  check_members(&m, op2_set_intersection(sixth, b, "s"), in_both);
}

/* ---- a mesh: maps of the whole set ------------------------------------------ */

static void
gather(const int *own, const int *a, const int *b, int *out) {
  *out = *own + 3 * *a + 5 * *b;
}
static void
gather_vector(int **v, int *out) {
  *out += v[0][0] - 2 * v[1][0];
}
static void
scatter(const int *own, int *a, int *b) {
  *a += *own;
  *b += 2 * *own;
}
static void
extremes(const int *own, int *low, int *high, int *here) {
  if (*own < *low) *low = *own;
  if (*own > *high) *high = *own;
  if (*own < *here) *here = *own;
}
static void
mark_both(int *a, int *b) {
  *a = -5;
  *b = -5;
}
static void
count(const int *e, const int *own, int *n, int *least, int *which, int *most) {
  *n += 1;
  if (*own < *least) {
    *least = *own;
    *which = *e;
  }
  if (*own > *most) *most = *own;
}

struct mesh {
  op_set edges, nodes, part;
  op_map ends;
  op_dat id, x, y, sum, low, high, here;
};

static int at[2 * LARGE], x[LARGE], y[LARGE], sum[LARGE], low[LARGE],
    high[LARGE], here[LARGE], in[LARGE], nin;

static int
draw(int n) {
  static unsigned state = 3;
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 9) % (unsigned)n);
}

static struct mesh
mesh_make(void) {
  struct mesh m;
  nin = 0;
  for (int e = 0; e < LARGE; e++) {
    at[2 * e] = draw(LARGE);
    at[2 * e + 1] = draw(LARGE);
    x[e] = draw(WORD);
    sum[e] = low[e] = high[e] = here[e] = WORD / 2;
    if (draw(3)) in[nin++] = e;
  }
  m.edges = op_decl_set(LARGE, "edges");
  m.nodes = op_decl_set(LARGE, "nodes");
  m.part = op2_decl_subset(m.edges, nin, in, "part");
  m.ends = op_decl_map(m.edges, m.nodes, 2, at, "ends");
  every(0, 1, LARGE);
  m.id = op_decl_dat(m.edges, 1, "int", list, "id");
  m.x = op_decl_dat(m.edges, 1, "int", x, "x");
  m.y = op_decl_dat(m.edges, 1, "int", y, "y");
  m.sum = op_decl_dat(m.nodes, 1, "int", sum, "sum");
  m.low = op_decl_dat(m.nodes, 1, "int", low, "low");
  m.high = op_decl_dat(m.nodes, 1, "int", high, "high");
  m.here = op_decl_dat(m.edges, 1, "int", here, "here");
  return m;
}

static void
same(op_dat d, const int *values) {
  memcpy(want, values, sizeof want);
  check_dat(d, LARGE);
}

static void
loops(const struct mesh *m) {
  op_par_loop(scatter, "scatter", m->part, OWN(m->x, OP_READ),
              VIA(m->sum, 0, m->ends, OP_INC), VIA(m->sum, 1, m->ends, OP_INC));
  op_par_loop(gather, "gather", m->part, OWN(m->x, OP_READ),
              VIA(m->sum, 0, m->ends, OP_READ),
              VIA(m->sum, 1, m->ends, OP_READ), OWN(m->y, OP_WRITE));
  op_par_loop(gather_vector, "gather_vector", m->part,
              VIA(m->sum, -2, m->ends, OP_READ), OWN(m->y, OP_RW));
  op_par_loop(extremes, "extremes", m->part, OWN(m->x, OP_READ),
              VIA(m->low, 0, m->ends, OP_MIN), VIA(m->high, 1, m->ends, OP_MAX),
              OWN(m->here, OP_MIN));
}

static void
loops_reference(void) {
  for (int k = 0; k < nin; k++) {
    sum[at[2 * in[k]]] += x[in[k]];
    sum[at[2 * in[k] + 1]] += 2 * x[in[k]];
  }
  for (int k = 0; k < nin; k++) {
    int e = in[k], a = at[2 * e], b = at[2 * e + 1];
    y[e] = x[e] + 3 * sum[a] + 5 * sum[b];
    y[e] += sum[a] - 2 * sum[b];
    extremes(&x[e], &low[a], &high[b], &here[e]);
  }
}

static void
mesh(void) {
  struct mesh m = mesh_make();
  for (int step = 0; step < 3; step++) {
    loops(&m);
    loops_reference();
  }
  same(m.sum, sum);
  same(m.y, y);
  same(m.low, low);
  same(m.high, high);
  same(m.here, here);
  int n = 5, least = WORD, which = -1, most = -1, want_which = -1;
  op_par_loop(
      count, "count", m.part, OWN(m.id, OP_READ), OWN(m.x, OP_READ),
      op_arg_gbl(&n, 1, "int", OP_INC), op_arg_gbl(&least, 1, "int", OP_MIN),
      op_arg_info(&which, 1, "int", 3), op_arg_gbl(&most, 1, "int", OP_MAX));
  int want_n = 5, want_least = WORD, want_most = -1;
  for (int k = 0; k < nin; k++)
    count(&in[k], &x[in[k]], &want_n, &want_least, &want_which, &want_most);
  CHECK_INT(n, want_n);
  CHECK_INT(least, want_least);
  CHECK_INT(which, want_which);
  CHECK_INT(most, want_most);
  op_par_loop(mark_both, "mark_both", m.part, VIA(m.sum, 0, m.ends, OP_WRITE),
              VIA(m.sum, 1, m.ends, OP_WRITE));
  for (int k = 0; k < 2 * nin; k++) sum[at[2 * in[k / 2] + k % 2]] = -5;
  same(m.sum, sum);
}

/* ---- its own dats and maps -------------------------------------------------- */

static void
own_maps(void) {
  op_set set = op_decl_set(N, "set"), ring = op_decl_set(N, "ring");
  op_set third = subset(set, 1, 3, N, "third"); /* 1 4 7 ... 31 */
  enum { THIRD = 11 };
  int next[THIRD], into[N];
  for (int i = 0; i < THIRD; i++) next[i] = (i + 1) % THIRD;
  for (int i = 0; i < N; i++) into[i] = i % THIRD, list[i] = 10 * i;
  op_map mnext = op_decl_map(third, third, 1, next, "next");
  op_map minto = op_decl_map(ring, third, 1, into, "into");
  op_dat x = op_decl_dat(set, 1, "int", list, "x");
  op_dat y = op_decl_dat(third, 1, "int", list, "y");
  op_dat z = op_decl_dat(ring, 1, "int", list, "z");
  /* its dat through its map, the whole set's at the element */
  op_par_loop(twice, "twice", third, VIA(y, 0, mnext, OP_READ),
              OWN(x, OP_WRITE));
  for (int i = 0; i < N; i++) want[i] = 10 * i;
  for (int i = 0; i < THIRD; i++) want[1 + 3 * i] = 20 * next[i] + 1;
  check_dat(x, N);
  /* a map to it leads to the whole set's dat as well */
  op_par_loop(twice, "twice", ring, VIA(x, 0, minto, OP_READ),
              OWN(z, OP_WRITE));
  for (int i = 0; i < N; i++) want[i] = 40 * next[i % THIRD] + 3;
  check_dat(z, N);
  op_par_loop(twice, "twice", third, VIA(x, 0, mnext, OP_READ),
              OWN(y, OP_WRITE));
  for (int i = 0; i < THIRD; i++) want[i] = 40 * next[next[i]] + 3;
  check_dat(y, THIRD);
}

#ifndef TEST_MPI_SLICE_H
/* ---- indices ---------------------------------------------------------------- */

static void
number(const int *e, int *x) {
  *x = *e;
}
static void
number_and_next(const int *e, const int *next, int *x) {
  *x = 100 * *e + *next;
}

static void
indices(void) {
  op_set set = op_decl_set(N, "set");
  op_set third = subset(set, 1, 3, N, "third");
  for (int i = 0; i < N; i++) list[i] = 7 * i % N;
  op_map m = op_decl_map(set, set, 1, list, "m");
  op_dat x = op_decl_dat(set, 1, "int", found, "x");
  op_par_loop(clear, "clear", set, OWN(x, OP_WRITE));
  op_par_loop(number, "number", third, op_arg_idx(-1, OP_ID), OWN(x, OP_WRITE));
  for (int i = 0; i < N; i++) want[i] = i % 3 == 1 ? i : -1;
  check_dat(x, N);
  op_par_loop(number_and_next, "number_and_next", third, op_arg_idx(-1, OP_ID),
              op_arg_idx(0, m), OWN(x, OP_WRITE));
  for (int i = 1; i < N; i += 3) want[i] = 100 * i + list[i];
  check_dat(x, N);
}

/* ---- what is refused ---------------------------------------------------------- */

#define REFUSED(call, text)                                                    \
  do {                                                                         \
    int before = errors;                                                       \
    CHECK((call) == NULL);                                                     \
    CHECK_INT(errors, before + 1);                                             \
    CHECK_INT(code, OP2_ERR_ARG);                                              \
    if (!strstr(message, text)) puts(message), CHECK_INT(0, __LINE__);         \
  } while (0)

static void
refused(void) {
  op_set set = op_decl_set(N, "set"), other = op_decl_set(N, "other");
  op_set a = subset(set, 0, 2, N, "a"), b = subset(other, 0, 2, N, "b");
  op_dat y = op_decl_dat(other, 1, "int", found, "y");
  every(0, 1, N);
  op_map m = op_decl_map(other, set, 1, list, "m");
  op2_set_error_handler(on_error, NULL);
  int below[] = {0, -1}, above[] = {3, N};
  REFUSED(op2_decl_subset(set, 2, below, "s"),
          "\"s\": index 1: expected 0 to 31 (set \"set\"), found -1");
  REFUSED(op2_decl_subset(set, 2, above, "s"), "found 32");
  REFUSED(op2_decl_subset(a, 1, (int[]){N / 2}, "s"),
          "expected 0 to 15 (set \"a\"), found 16");
  REFUSED(op2_decl_subset(set, -1, below, "s"), "0 or more, found -1");
  REFUSED(op2_decl_subset(set, 2, NULL, "s"), "2 numbers, found NULL");
  REFUSED(op2_decl_subset(NULL, 0, NULL, "s"), "declared set, found NULL");
  REFUSED(op2_decl_subset(set, 0, NULL, NULL), "a text, found NULL");
  REFUSED(op2_set_union(a, b, "s"),
          "b: expected set \"set\" or a subset of it as a, found \"b\" of set "
          "\"other\"");
  REFUSED(op2_set_intersection(set, other, "s"), "of set \"other\"");
  REFUSED(op2_set_difference(a, NULL, "s"), "b: expected a declared set");
  size_t pending = op2_pending();
  int before = errors;
  op_par_loop(set_one, "set_one", a, OWN(y, OP_WRITE));
  CHECK(strstr(message, "a dat on the loop's set \"a\" or on its whole set "
                        "\"set\" (or a map), found y on set \"other\""));
  op_par_loop(set_one, "set_one", a, VIA(y, 0, m, OP_WRITE));
  CHECK(strstr(message, "from the loop's set \"a\" or from its whole set "
                        "\"set\", found \"m\" from \"other\""));
  CHECK_INT(errors, before + 2);
  CHECK_INT(op2_pending(), pending);
  op2_set_error_handler(NULL, NULL);
}

#endif

int
main(int argc, char **argv) {
  check_start(argc, argv);
  halves();
  folded();
  algebra();
  mesh();
  own_maps();
#ifndef TEST_MPI_SLICE_H /* there they are of the rank's part */
  indices();
  refused();
#endif
  return check_end();
}
