/* Maps whose rows have any length, and step: up, down, by three, with empty rows
 * between; read, added to, lowered, one entry of each, beside rows that do not.
 * Exact: integers. */
#include "check.h"

enum { ROWS = 240, LONGEST = 7, TARGETS = 3 * ROWS * LONGEST };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)
#define ROW(d, m, acc) op_arg_dat(d, -LONGEST, m, 1, "int", acc)
#define ONE(d, m, acc) op_arg_dat(d, 0, m, 1, "int", acc)

static idx_g_t start[ROWS + 1];
static int table[ROWS * LONGEST], other[ROWS * LONGEST], from_rows[ROWS],
    from_targets[TARGETS];
static int want[TARGETS], out[ROWS];

static void
weigh(const int *n, int **x, int *sum) {
  *sum = *n;
  for (int i = 0; i < *n; i++) *sum = 3 * *sum % 1001 + *x[i];
}
static void
give(const int *n, const int *v, int **x) {
  for (int i = 0; i < *n; i++) *x[i] += *v + i;
}
static void
lower(const int *n, const int *v, int **x) {
  for (int i = 0; i < *n; i++)
    if (*v - 9 * i < *x[i]) *x[i] = *v - 9 * i;
}
static void
first_of(const int *x, int *sum) {
  *sum += 5 * *x;
}
static void
both(const int *n, int **x, int **y, int *sum) {
  for (int i = 0; i < *n; i++) *sum += *x[i] * *y[i];
}

/* Rows of 0 (where `empty`) or 1 to LONGEST entries, each `step` after the one
 * before; rows may name what others do. */
static void
fill(int step, int empty) {
  for (int r = 0; r < ROWS; r++) {
    int n = empty && r % 5 == 2 ? 0 : 1 + r * 11 % LONGEST;
    int first = r * 37 % (TARGETS - 3 * LONGEST);
    if (step < 0) first += 3 * (LONGEST - 1);
    start[r + 1] = start[r] + n;
    for (int i = 0; i < n; i++) table[start[r] + i] = first + i * step;
  }
  for (int k = 0; k < start[ROWS]; k++) other[k] = k * k % TARGETS;
  for (int r = 0; r < ROWS; r++) from_rows[r] = r % 23 + 1;
  for (int t = 0; t < TARGETS; t++) from_targets[t] = t * 13 % 101;
}

static struct steps {
  op_set rows, targets;
  op_map row, other;
  op_dat v, x, sum;
} s;

static void
declare(void) {
  s.rows = op_decl_set(ROWS, "rows");
  s.targets = op_decl_set(TARGETS, "targets");
  s.row = op2_decl_map_csr(s.rows, s.targets, start, table, "row");
  s.other = op2_decl_map_csr(s.rows, s.targets, start, other, "other");
  s.v = op_decl_dat(s.rows, 1, "int", from_rows, "v");
  s.x = op_decl_dat(s.targets, 1, "int", from_targets, "x");
  s.sum = op_decl_dat(s.rows, 1, "int", from_rows, "sum");
}

static int
length(int r) {
  return (int)(start[r + 1] - start[r]);
}

/* The pointers that a kernel gets for row r of `data`. */
static int **
pointers(int r, int *data) {
  static int *at[LONGEST];
  for (int i = 0; i < length(r); i++) at[i] = &data[table[start[r] + i]];
  return at;
}

static void
check_dat(op_dat d, const int *expected, int n) {
  static int found[TARGETS];
  op_fetch_data(d, found);
  CHECK_INTS(found, expected, n);
}

static void
reads(void) {
  op_par_loop(weigh, "weigh", s.rows, op2_arg_row_length(s.row),
              ROW(s.x, s.row, OP_READ), OWN(s.sum, OP_WRITE));
  for (int r = 0; r < ROWS; r++) {
    int n = length(r);
    weigh(&n, pointers(r, from_targets), &out[r]);
  }
  check_dat(s.sum, out, ROWS);
}

static void
first_entries(void) {
  op_par_loop(first_of, "first_of", s.rows, ONE(s.x, s.row, OP_READ),
              OWN(s.sum, OP_INC));
  for (int r = 0; r < ROWS; r++)
    first_of(&from_targets[table[start[r]]], &out[r]);
  check_dat(s.sum, out, ROWS);
}

static void
writes(void) {
  op_par_loop(give, "give", s.rows, op2_arg_row_length(s.row),
              OWN(s.v, OP_READ), ROW(s.x, s.row, OP_INC));
  op_par_loop(lower, "lower", s.rows, op2_arg_row_length(s.row),
              OWN(s.v, OP_READ), ROW(s.x, s.row, OP_MIN));
  memcpy(want, from_targets, sizeof want);
  for (int r = 0; r < ROWS; r++) {
    int n = length(r);
    give(&n, &from_rows[r], pointers(r, want));
  }
  for (int r = 0; r < ROWS; r++) {
    int n = length(r);
    lower(&n, &from_rows[r], pointers(r, want));
  }
  check_dat(s.x, want, TARGETS);
}

/* Beside a map with the same lengths whose rows do not step. */
static void
beside(void) {
  op_par_loop(both, "both", s.rows, op2_arg_row_length(s.row),
              ROW(s.x, s.row, OP_READ), ROW(s.x, s.other, OP_READ),
              OWN(s.v, OP_INC));
  memcpy(out, from_rows, sizeof out);
  for (int r = 0; r < ROWS; r++)
    for (int k = (int)start[r]; k < start[r + 1]; k++)
      out[r] += want[table[k]] * want[other[k]];
  check_dat(s.v, out, ROWS);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  const int steps[] = {1, -1, 3};
  for (int k = 0; k < 3; k++)
    for (int empty = 0; empty < 2; empty++) {
      fill(steps[k], empty);
      declare();
      reads();
      if (!empty) first_entries();
      writes();
      beside();
    }
  return check_end();
}
