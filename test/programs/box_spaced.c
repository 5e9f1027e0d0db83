/* Fields with a halo whose lines lie apart in memory (pass number): whatever the
 * program sees of them is as it declared it. Lines of 32 points with the halo begin
 * elsewhere, those of 45 lie apart, too. Exact: integers. */
#include "check.h"

enum {
  NI = 28,
  NJ = 9,
  HALO = 2,
  MOST_I = 45 + 2 * HALO,
  MOST_J = NJ + 2 * HALO
};
enum { MOST = MOST_I * MOST_J, DIM = 3, SITES = 57 };

/* A box of ni x NJ points, and its field with the values that it should have. */
struct field {
  int ni, wide, points;
  op_set box;
  op_map star;
  op_dat x, next;
  int want[MOST], fresh[MOST];
};

static int got[MOST * DIM];

static void
average(int **x, int *out) {
  *out = 5 * x[0][0] - x[1][0] + 2 * x[2][0] - 3 * x[3][0] + x[4][0];
}
static void
copy(const int *x, int *out) {
  *out = *x;
}
static void
add(const int *x, int *to) {
  *to += *x;
}
static void
pair(int **x, const int *at, int *out) {
  *out = x[0][0] + 7 * x[1][0] + 1000 * *at;
}
static void
turn(double **x, double *out) {
  for (int c = 0; c < DIM; c++) out[c] = x[1][(c + 1) % DIM] - x[0][c];
}

static int
place(const struct field *f, int i, int j) {
  return i + HALO + f->wide * (j + HALO);
}

static int
number(const struct field *f, int i, int j) {
  return i + f->ni * j;
}

static void
field_new(struct field *f, int ni, const char *name) {
  int star[] = {0, 0, -2, 0, 1, 0, 0, -1, 0, 2};
  int around[] = {HALO, HALO, HALO, HALO};
  *f = (struct field){.ni = ni, .wide = ni + 2 * HALO};
  f->points = f->wide * MOST_J;
  for (int p = 0; p < f->points; p++) f->want[p] = f->fresh[p] = p % 97 - 40;
  f->box = op2_decl_box(2, (idx_g_t[]){ni, NJ}, NULL, name);
  f->star = op2_decl_map_rule(f->box, f->box, 5, star, "star");
  f->x = op2_decl_dat_box(f->box, around, 1, "int", f->want, "x");
  f->next = op2_decl_dat_box(f->box, around, 1, "int", f->want, "next");
}

static void
step(struct field *f) {
  op_dat x = f->x;
  op_par_loop(average, "average", f->box,
              op_arg_dat(x, -5, f->star, 1, "int", OP_READ),
              op_arg_dat(f->next, -1, OP_ID, 1, "int", OP_WRITE));
  f->x = f->next;
  f->next = x;
  for (int j = 0; j < NJ; j++)
    for (int i = 0; i < f->ni; i++) {
      const int *p = &f->want[place(f, i, j)];
      f->fresh[place(f, i, j)] =
          5 * p[0] - p[-2] + 2 * p[1] - 3 * p[-f->wide] + p[2 * f->wide];
    }
  for (int p = 0; p < f->points; p++) {
    int was = f->want[p];
    f->want[p] = f->fresh[p] % 1000;
    f->fresh[p] = was;
  }
}

/* Values stay small. */
static void
cut(int *x) {
  *x %= 1000;
}

static void
steps(struct field *f, int n) {
  for (int k = 0; k < n; k++) {
    step(f);
    op_par_loop(cut, "cut", f->box,
                op_arg_dat(f->x, -1, OP_ID, 1, "int", OP_RW));
  }
}

static void
check_field(struct field *f) {
  op_fetch_data(f->x, got);
  CHECK_INTS(got, f->want, f->points);
}

/* Fetches of all and of some, views that are read and written, halo too. */
static void
looks(struct field *f) {
  steps(f, 3);
  check_field(f);
  steps(f, 1);
  int low = f->wide - 3, high = 3 * f->wide + 5;
  op_fetch_data_idx(f->x, got, low, high);
  CHECK_INTS(got, f->want + low, high - low + 1);
  steps(f, 1);
  int *host = (int *)op2_dat_data_rw(f->x);
  CHECK_INTS(host, f->want, f->points);
  for (int p = 0; p < f->points; p += 5) host[p] = f->want[p] = p;
  steps(f, 2);
  check_field(f);
}

/* Other sets name points of the domain, get the program's numbers, and add. */
static void
beside(struct field *f) {
  int table[2 * SITES], want[SITES], ones[SITES];
  for (int e = 0; e < 2 * SITES; e++) table[e] = 7 * e % (f->ni * NJ);
  for (int e = 0; e < SITES; e++) ones[e] = e;
  op_set sites = op_decl_set(SITES, "sites");
  op_map to = op_decl_map(sites, f->box, 2, table, "to");
  op_dat out = op_decl_dat(sites, 1, "int", ones, "out");
  op_par_loop(add, "give", sites, op_arg_dat(out, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(f->x, 1, to, 1, "int", OP_INC));
  op_par_loop(pair, "pair", sites, op_arg_dat(f->x, -2, to, 1, "int", OP_READ),
              op_arg_idx(1, to),
              op_arg_dat(out, -1, OP_ID, 1, "int", OP_WRITE));
  for (int e = 0; e < SITES; e++) {
    int p = table[2 * e + 1];
    f->want[place(f, p % f->ni, p / f->ni)] += e;
  }
  for (int e = 0; e < SITES; e++) {
    int p = table[2 * e], q = table[2 * e + 1];
    want[e] = f->want[place(f, p % f->ni, p / f->ni)] +
              7 * f->want[place(f, q % f->ni, q / f->ni)] + 1000 * q;
  }
  op_fetch_data(out, got);
  CHECK_INTS(got, want, SITES);
  check_field(f);
}

/* A subset of the box, and what adds through a rule. */
static void
some(struct field *f) {
  int list[NJ], n = 0, zero[MOST] = {0}, want[MOST] = {0};
  for (int j = 0; j < NJ; j += 2) list[n++] = number(f, j, j);
  op_set diagonal = op2_decl_subset(f->box, n, list, "diagonal");
  op_dat out = op_decl_dat(f->box, 1, "int", zero, "taken");
  op_par_loop(copy, "copy", diagonal,
              op_arg_dat(f->x, 3, f->star, 1, "int", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "int", OP_WRITE));
  for (int k = 0; k < n; k++)
    want[list[k]] = f->want[place(f, 2 * k, 2 * k - 1)];
  op_fetch_data(out, got);
  CHECK_INTS(got, want, f->ni * NJ);
  op_par_loop(add, "add", f->box, op_arg_dat(out, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(f->x, 0, f->star, 1, "int", OP_INC));
  for (int k = 0; k < n; k++) f->want[place(f, 2 * k, 2 * k)] += want[list[k]];
  check_field(f);
}

/* Several components, in whatever layout. */
static void
vectors(struct field *f) {
  int around[] = {1, 0, 0, 1}, by[] = {-1, 0, 0, 1}, wide = f->ni + 1;
  static double x[MOST * DIM], found[MOST * DIM];
  for (int k = 0; k < wide * (NJ + 1) * DIM; k++) x[k] = k % 31;
  op_map near = op2_decl_map_rule(f->box, f->box, 2, by, "near");
  op_dat v = op2_decl_dat_box(f->box, around, DIM, "double", x, "v");
  op_dat w = op2_decl_dat_box(f->box, around, DIM, "double", x, "w");
  op_par_loop(turn, "turn", f->box,
              op_arg_dat(v, -2, near, DIM, "double", OP_READ),
              op_arg_dat(w, -1, OP_ID, DIM, "double", OP_WRITE));
  op_fetch_data(w, found);
  for (int j = 0; j <= NJ; j++)
    for (int i = -1; i < f->ni; i++)
      for (int c = 0; c < DIM; c++) {
        int at = i + 1 + wide * j;
        double is = x[at * DIM + c]; /* the halo */
        if (i >= 0 && j < NJ)
          is = x[(at + wide) * DIM + (c + 1) % DIM] - x[(at - 1) * DIM + c];
        CHECK_REAL(found[at * DIM + c], is);
      }
}

/* A temporary comes to lie on the same points, or is `more` wider but made as far as
 * these: from now on loops go over them. */
static void
spread(struct field *f, int more) {
  int w = HALO + more, around[] = {w, w, w, w};
  steps(f, 2);
  op_dat t = op2_decl_dat_box_temp(f->box, around, 1, "int", "t");
  op_par_loop(copy, "spread", f->box,
              op_arg_dat(f->x, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(average, "average", f->box,
              op_arg_dat(t, -5, f->star, 1, "int", OP_READ),
              op_arg_dat(f->next, -1, OP_ID, 1, "int", OP_WRITE));
  if (!more) {
    op_fetch_data(t, got);
    CHECK_INTS(got, f->want, f->points);
  }
  op_dat was = f->x;
  f->x = f->next;
  op_fetch_data(f->x, got);
  for (int j = 0; j < NJ; j++)
    for (int i = 0; i < f->ni; i++) {
      const int *p = &f->want[place(f, i, j)];
      CHECK_INT(got[place(f, i, j)],
                5 * p[0] - p[-2] + 2 * p[1] - 3 * p[-f->wide] + p[2 * f->wide]);
    }
  f->next = f->x;
  f->x = was;
  op_free_dat_temp(t);
  steps(f, 3);
  check_field(f);
}

static void
ones(double *block) {
  for (int k = 0; k < 25; k++) block[k] += 1;
}

/* Rows of a matrix are the points that a table leads to. */
static void
matrix_on(struct field *f, op_map table) {
  op2_sparsity s = op2_decl_sparsity(1, &table, &table, "couplings");
  CHECK(s != NULL);
  if (!s) return;
  op2_mat m = op2_decl_mat(s, 1, 1, "double", "m");
  op2_mat_zero(m);
  op_par_loop(ones, "ones", f->box,
              op2_arg_mat(m, table, table, 1, 1, "double", OP_INC));
  struct op2_csr c = op2_mat_csr(m);
  const double *values = c.values;
  double sum = 0;
  CHECK_INT(c.rows, (f->ni + 3) * (NJ + 3));
  for (idx_g_t k = 0; k < (idx_g_t)c.row_ptr[c.rows]; k++) sum += values[k];
  CHECK_REAL(sum, 25.0 * f->ni * NJ);
}

/* The rule as a table, which leads to points with its own halo, and from them on to
 * those of a field with a wider one. */
static void
written_down(struct field *f) {
  int around[] = {3, 3, 3, 3}, wide = f->ni + 6, n = f->ni * NJ;
  static int w[(45 + 6) * (NJ + 6)], want[45 * NJ];
  for (int p = 0; p < wide * (NJ + 6); p++) w[p] = p % 53;
  for (int p = 0; p < n; p++) {
    const int *x = &w[p % f->ni + 3 + wide * (p / f->ni + 3)];
    want[p] = 5 * x[0] - x[-2] + 2 * x[1] - 3 * x[-wide] + x[2 * wide];
  }
  op_dat near = op2_decl_dat_box(f->box, ((int[]){2, 1, 1, 2}), 1, "int",
                                 (int *)NULL, "near_dat");
  op_par_loop(average, "none", f->box,
              op_arg_dat(near, -5, f->star, 1, "int", OP_READ),
              op_arg_dat(f->next, -1, OP_ID, 1, "int", OP_WRITE));
  op2_flush();
  for (int p = 0; p < n; p++) /* of zeros */
    f->fresh[place(f, p % f->ni, p / f->ni)] = 0;
  op_map table = op2_map_materialise(f->star, "star_table");
  if (f->ni == 45) matrix_on(f, table);
  op_dat wider = op2_decl_dat_box(f->box, around, 1, "int", w, "wider");
  op_dat out = op_decl_dat(f->box, 1, "int", (int *)NULL, "of_wider");
  op_par_loop(average, "average", f->box,
              op_arg_dat(wider, -5, f->star, 1, "int", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(out, got);
  CHECK_INTS(got, want, n);
  op_par_loop(average, "average", f->box,
              op_arg_dat(wider, -5, table, 1, "int", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(out, got);
  CHECK_INTS(got, want, n);
  steps(f, 1);
  check_field(f);
}

int
main(int argc, char **argv) {
  static struct field f;
  static const int lines[] = {NI, 45, 12};
  check_start(argc, argv);
  for (int k = 0; k < 3; k++) {
    char name[] = "box0";
    name[3] = (char)('0' + k);
    field_new(&f, lines[k], name);
    looks(&f);
    beside(&f);
    some(&f);
    vectors(&f);
    if (k) written_down(&f);
    spread(&f, k == 0);
  }
  return check_end();
}
