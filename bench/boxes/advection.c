/* Implicit vertical advection on a box of I x J x layers points: scans along k. */
#include "op2.h"

#include "../common.h"
#include "../take.h"
#include "fields.h"
#include "kernels.h"

struct advection {
  op_set box, bottom, top;
  op_dat w, x, next;
};

static op_dat
field(op_set box, size_t from, const char *name) {
  size_t n = (size_t)op_get_size(box);
  double *values = bench_take(n, sizeof *values);
  for (size_t e = 0; e < n; e++) values[e] = fields_rough(e + from);
  op_dat d = op_decl_dat(box, 1, "double", values, name);
  free(values);
  return d;
}

/* The points of layer k. */
static op_set
layer(op_set box, int plane, int k, const char *name) {
  int *at = bench_take((size_t)plane, sizeof *at);
  for (int p = 0; p < plane; p++) at[p] = k * plane + p;
  op_set s = op2_decl_subset(box, plane, at, name);
  free(at);
  return s;
}

static void
advection_declare(struct advection *a, const struct bench_options *o) {
  idx_g_t n[] = {o->size[0], o->size[1], o->layers};
  int plane = o->size[0] * o->size[1];
  a->box = op2_decl_box(3, n, NULL, "box");
  a->bottom = layer(a->box, plane, 0, "bottom");
  a->top = layer(a->box, plane, o->layers - 1, "top");
  a->w = field(a->box, 7, "w");
  a->x = field(a->box, 0, "x");
  a->next = field(a->box, 0, "next");
}

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define LAYER(d, dl) op2_arg_dat_layer(d, dl, 1, "double", OP_READ)

/* The first and the last layer have equations of their own. */
static void
advection_step(struct advection *a) {
  op_dat w = a->w, x = a->x, out = a->next;
  op_dat c = op_decl_dat_temp(a->box, 1, "double", (double *)NULL, "c");
  op_dat d = op_decl_dat_temp(a->box, 1, "double", (double *)NULL, "d");
  op2_par_loop_scan(advect_bottom, "advect_bottom", a->bottom, OP2_FORWARD,
                    LAYER(w, 1), OWN(x, OP_READ), OWN(c, OP_WRITE),
                    OWN(d, OP_WRITE));
  op2_par_loop_scan(advect_up, "advect_up", a->box, OP2_FORWARD,
                    OWN(w, OP_READ), LAYER(w, 1), OWN(x, OP_READ), LAYER(c, -1),
                    LAYER(d, -1), OWN(c, OP_WRITE), OWN(d, OP_WRITE));
  op2_par_loop_scan(advect_top, "advect_top", a->top, OP2_FORWARD,
                    OWN(w, OP_READ), OWN(x, OP_READ), LAYER(c, -1),
                    LAYER(d, -1), OWN(out, OP_WRITE));
  op2_par_loop_scan(advect_down, "advect_down", a->box, OP2_BACKWARD,
                    OWN(c, OP_READ), OWN(d, OP_READ), LAYER(out, 1),
                    OWN(out, OP_WRITE));
  op_free_dat_temp(c);
  op_free_dat_temp(d);
  a->x = out;
  a->next = x;
}

static double
mean_square(struct advection *a) {
  double sum = 0;
  op_par_loop(add_square, "add_square", a->box, OWN(a->x, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  return sum / (double)op_get_size(a->box);
}

/* A flush ends each step: what waits is the same each second time. */
static void
run(struct advection *a, const struct bench_options *o, struct bench_timer *t) {
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    advection_step(a);
    bench_progress(iter, o->iters);
    op2_flush();
  }
  bench_iteration(t);
}

int
main(int argc, char **argv) {
  struct bench_options o = {
      .size = {128, 128}, .layers = 60, .iters = 100, .warmup = 4};
  struct advection a;
  struct bench_timer t;
  double squares[2];
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  advection_declare(&a, &o);
  squares[0] = mean_square(&a);
  run(&a, &o, &t);
  squares[1] = mean_square(&a);
  op_timing_output();
  double ideal = 3.0 * sizeof(double) * (double)op_get_size(a.box);
  int wrong = fields_result(argv[0], &o, bench_threads(), &t, ideal, squares);
  op_exit();
  return wrong;
}
