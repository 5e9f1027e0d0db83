/* Neighbours by rule in boxes of all shapes: lines too short for stretches, offsets
 * further than a periodic box is wide, halos of their own on each side; what is read,
 * and what is added through each entry. Exact: integers. */
#include "check.h"

enum { ENTRIES = 3, WIDE = 4, MOST = 64 * 8 };

struct shape {
  int n[2], periodic[2];
};

static const int rules[][ENTRIES][2] = {
    {{0, 0}, {1, 0}, {-1, 0}},
    {{-3, 1}, {2, -2}, {1, 4}},
    {{4, 0}, {0, -4}, {-4, 4}},
};

static void
take(int **x, int *out) {
  for (int k = 0; k < ENTRIES; k++) *out += (k + 1) * x[k][0];
}
static void
give(const int *x, int *a, int *b, int *c) {
  *a += *x;
  *b += 2 * *x;
  *c += 3 * *x;
}

static int
around(int i, int n) {
  return (i % n + n) % n;
}

/* A number for each place, halo included. */
static int
value(const struct shape *s, int i, int j) {
  if (s->periodic[0]) i = around(i, s->n[0]);
  if (s->periodic[1]) j = around(j, s->n[1]);
  return 7 + 3 * i + 1000 * j;
}

static op_dat
field(const struct shape *s, op_set box) {
  static int at[(64 + 2 * WIDE) * (8 + 2 * WIDE)];
  int wi = s->periodic[0] ? 0 : WIDE, wj = s->periodic[1] ? 0 : WIDE, e = 0;
  for (int j = -wj; j < s->n[1] + wj; j++)
    for (int i = -wi; i < s->n[0] + wi; i++) at[e++] = value(s, i, j);
  return op2_decl_dat_box(box, ((int[]){wi, wi, wj, wj}), 1, "int", at, "x");
}

static void
check_taken(const struct shape *s, const int by[ENTRIES][2], op_dat out) {
  static int found[MOST];
  op_fetch_data(out, found);
  for (int e = 0; e < s->n[0] * s->n[1]; e++) {
    int i = e % s->n[0], j = e / s->n[0], sum = 0;
    for (int k = 0; k < ENTRIES; k++)
      sum += (k + 1) * value(s, i + by[k][0], j + by[k][1]);
    CHECK_INT(found[e], sum);
  }
}

/* Each point gives to those that it names. */
static void
check_given(const struct shape *s, const int by[ENTRIES][2], op_dat sums) {
  static int found[MOST], expected[MOST];
  memset(expected, 0, sizeof expected);
  for (int e = 0; e < s->n[0] * s->n[1]; e++)
    for (int k = 0; k < ENTRIES; k++) {
      int i = around(e % s->n[0] + by[k][0], s->n[0]);
      int j = around(e / s->n[0] + by[k][1], s->n[1]);
      expected[i + s->n[0] * j] += (k + 1) * (e + 1);
    }
  op_fetch_data(sums, found);
  for (int e = 0; e < s->n[0] * s->n[1]; e++) CHECK_INT(found[e], expected[e]);
}

static void
try_rule(const struct shape *s, op_set box, op_dat x, int k) {
  static int zero[MOST], count[MOST];
  for (int e = 0; e < MOST; e++) count[e] = e + 1;
  op_map rule = op2_decl_map_rule(box, box, ENTRIES, &rules[k][0][0], "rule");
  op_dat out = op_decl_dat(box, 1, "int", zero, "out");
  op_dat own = op_decl_dat(box, 1, "int", count, "own");
  op_dat sums = op_decl_dat(box, 1, "int", zero, "sums");
  op_par_loop(take, "take", box,
              op_arg_dat(x, -ENTRIES, rule, 1, "int", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "int", OP_INC));
  if (s->periodic[0] && s->periodic[1])
    op_par_loop(give, "give", box,
                op_arg_dat(own, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(sums, 0, rule, 1, "int", OP_INC),
                op_arg_dat(sums, 1, rule, 1, "int", OP_INC),
                op_arg_dat(sums, 2, rule, 1, "int", OP_INC));
  check_taken(s, rules[k], out);
  if (s->periodic[0] && s->periodic[1]) check_given(s, rules[k], sums);
}

int
main(int argc, char **argv) {
  static const int sizes[][2] = {{1, 1}, {2, 3}, {5, 4}, {3, 1}, {64, 8}};
  check_start(argc, argv);
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
    for (int ends = 0; ends < 4; ends++) {
      struct shape s = {{sizes[n][0], sizes[n][1]}, {ends & 1, ends >> 1}};
      int boundary[2];
      for (int d = 0; d < 2; d++)
        boundary[d] = s.periodic[d] ? OP2_PERIODIC : OP2_HALO;
      op_set box =
          op2_decl_box(2, (idx_g_t[]){s.n[0], s.n[1]}, boundary, "box");
      op_dat x = field(&s, box);
      for (int k = 0; k < 3; k++) try_rule(&s, box, x, k);
    }
  return check_end();
}
