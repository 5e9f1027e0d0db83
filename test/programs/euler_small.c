/* The Euler equations on a small mesh of tetrahedra against plain C: u after every
 * second step, the step's length and the residual to 1e-12; the mesh by its sums:
 * volumes fill the cube, the dual cell of each node is closed; and limits hold. */
#include "check.h"

#include "../../bench/colour.c"
#include "../../bench/euler/box.c"
#include "../../bench/euler/loops.h"
#include "../../bench/euler/ref.c"

enum { N = 5, STEPS = 8 };

static void
close_edge(const double *n, double *a, double *b) {
  for (int c = 0; c < 3; c++) {
    a[c] += n[c];
    b[c] -= n[c];
  }
}
static void
close_wall(const double *n, double *a) {
  for (int c = 0; c < 3; c++) a[c] += n[c];
}
static void
count_edge(int *a, int *b) {
  *a += 1;
  *b += 1;
}
static void
most_open(const double *s, const int *rows, double *open, int *least,
          int *most) {
  for (int c = 0; c < 3; c++) *open = fabs(s[c]) > *open ? fabs(s[c]) : *open;
  *least = *rows < *least ? *rows : *least;
  *most = *rows > *most ? *rows : *most;
}

/* Faces of each dual cell, those of the surface with them, sum to nothing. */
static void
check_mesh(struct euler *f) {
  op_dat s = euler_zeros(f->nodes, 3, "faces");
  op_dat rows = op_decl_dat(f->nodes, 1, "int", (int *)NULL, "rows");
  double open = 0;
  int least = 1000, most = 0;
  op_par_loop(close_edge, "close_edge", f->edges,
              EULER_OWN(f->normal, 3, OP_READ), EULER_ENDS(s, 3, OP_INC));
  op_par_loop(close_wall, "close_wall", f->walls,
              EULER_OWN(f->wall_normal, 3, OP_READ),
              EULER_VIA(s, 0, f->at, 3, OP_INC));
  op_par_loop(count_edge, "count_edge", f->edges,
              op_arg_dat(rows, 0, f->ends, 1, "int", OP_INC),
              op_arg_dat(rows, 1, f->ends, 1, "int", OP_INC));
  op_par_loop(most_open, "most_open", f->nodes, EULER_OWN(s, 3, OP_READ),
              op_arg_dat(rows, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&open, 1, "double", OP_MAX),
              op_arg_gbl(&least, 1, "int", OP_MIN),
              op_arg_gbl(&most, 1, "int", OP_MAX));
  CHECK(open <= 1e-15);
  CHECK(least >= 3);
  CHECK(most > 18 && most <= 26);
}

static void
compare_u(const struct euler *f, const struct eref *want, int iter) {
  double *found = malloc((size_t)want->b->nnode * 5 * sizeof *found);
  if (!found) exit(2);
  op_fetch_data(f->u, found);
  for (int i = 0; i < 5 * want->b->nnode; i++)
    if (!(fabs(found[i] - want->u[i]) <= 1e-12))
      check_fail(__FILE__, __LINE__,
                 "step %d: u[%d][%d] is %.17g, expected %.17g", iter, i / 5,
                 i % 5, found[i], want->u[i]);
  free(found);
}

static void
compare_step(struct euler *f, const struct eref *want) {
  double dt;
  op2_gbl_get(f->dt, &dt);
  CHECK_NEAR(dt, want->dt, 1e-12);
  CHECK_NEAR(euler_rms(f), want->rms, 1e-12);
}

int
main(int argc, char **argv) {
  static struct eref want;
  struct box b;
  struct euler f;
  double first[3], last[3];
  check_start(argc, argv);
  box_make(&b, N, N, N - 1, 7);
  eref_start(&want, &b, 1, 0);
  euler_declare(&f, &b);
  check_mesh(&f);
  euler_start(&f);
  euler_totals(&f, first);
  CHECK_NEAR(first[0], 1.0, 1e-12);
  for (int iter = 1; iter <= STEPS; iter++) {
    euler_step(&f);
    eref_step(&want);
    if (iter % 2 == 0) compare_step(&f, &want);
    if (iter % 2 == 0) compare_u(&f, &want, iter);
  }
  euler_totals(&f, last);
  for (int c = 0; c < 3; c++) CHECK_NEAR(last[c], first[c], 1e-12);
  CHECK(euler_excess(&f) <= EULER_SLACK * (1 + 1e-9));
  eref_stop(&want);
  box_clear(&b);
  return check_end();
}
