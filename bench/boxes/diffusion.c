/* Horizontal diffusion on a box of I x J x layers points, one loop a stage. */
#include "op2.h"

#include "../common.h"
#include "../take.h"
#include "fields.h"
#include "kernels.h"

struct diffusion {
  op_set box;
  op_map star, east, north, west_here, south_here;
  op_dat x, next;
};

static op_dat
field(op_set box, double *values, const char *name) {
  int halo[] = {FIELDS_HALO, FIELDS_HALO, FIELDS_HALO, FIELDS_HALO, 0, 0};
  return op2_decl_dat_box(box, halo, 1, "double", values, name);
}

static op_dat
temporary(op_set box, int west, int east, int south, int north,
          const char *name) {
  int halo[] = {west, east, south, north, 0, 0};
  return op2_decl_dat_box_temp(box, halo, 1, "double", name);
}

static op_map
two(op_set box, int from_i, int from_j, int to_i, int to_j, const char *name) {
  int rule[] = {from_i, from_j, 0, to_i, to_j, 0};
  return op2_decl_map_rule(box, box, 2, rule, name);
}

static void
diffusion_declare(struct diffusion *d, const struct bench_options *o) {
  static const int star[] = {0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0};
  idx_g_t n[] = {o->size[0], o->size[1], o->layers};
  size_t points = fields_points(o);
  double *values = bench_take(points, sizeof *values);
  for (size_t e = 0; e < points; e++) values[e] = fields_rough(e);
  d->box = op2_decl_box(3, n, NULL, "box");
  d->star = op2_decl_map_rule(d->box, d->box, 5, star, "star");
  d->east = two(d->box, 0, 0, 1, 0, "east");
  d->north = two(d->box, 0, 0, 0, 1, "north");
  d->west_here = two(d->box, -1, 0, 0, 0, "west_here");
  d->south_here = two(d->box, 0, -1, 0, 0, "south_here");
  d->x = field(d->box, values, "x");
  d->next = field(d->box, values, "next");
  free(values);
}

/* Nobody wants the temporaries of a step behind it. */
static void
diffusion_step(struct diffusion *d) {
  op_dat x = d->x;
  op_dat lap = temporary(d->box, 1, 1, 1, 1, "lap");
  op_dat flx = temporary(d->box, 1, 0, 0, 0, "flx");
  op_dat fly = temporary(d->box, 0, 0, 1, 0, "fly");
  op_par_loop(laplacian, "laplacian", d->box,
              op_arg_dat(x, -5, d->star, 1, "double", OP_READ),
              op_arg_dat(lap, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(limited_flux, "flux_x", d->box,
              op_arg_dat(lap, -2, d->east, 1, "double", OP_READ),
              op_arg_dat(x, -2, d->east, 1, "double", OP_READ),
              op_arg_dat(flx, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(limited_flux, "flux_y", d->box,
              op_arg_dat(lap, -2, d->north, 1, "double", OP_READ),
              op_arg_dat(x, -2, d->north, 1, "double", OP_READ),
              op_arg_dat(fly, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(diffuse, "diffuse", d->box,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(flx, -2, d->west_here, 1, "double", OP_READ),
              op_arg_dat(fly, -2, d->south_here, 1, "double", OP_READ),
              op_arg_dat(d->next, -1, OP_ID, 1, "double", OP_WRITE));
  op_free_dat_temp(lap);
  op_free_dat_temp(flx);
  op_free_dat_temp(fly);
  d->x = d->next;
  d->next = x;
}

static double
mean_square(struct diffusion *d) {
  double sum = 0;
  op_par_loop(add_square, "add_square", d->box,
              op_arg_dat(d->x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  return sum / (double)op_get_size(d->box);
}

/* A flush ends each step: what waits is the same each second time. */
static void
run(struct diffusion *d, const struct bench_options *o, struct bench_timer *t) {
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    diffusion_step(d);
    bench_progress(iter, o->iters);
    op2_flush();
  }
  bench_iteration(t);
}

int
main(int argc, char **argv) {
  struct bench_options o = {
      .size = {256, 256}, .layers = 32, .iters = 100, .warmup = 4};
  struct diffusion d;
  struct bench_timer t;
  double squares[2];
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  diffusion_declare(&d, &o);
  squares[0] = mean_square(&d);
  run(&d, &o, &t);
  squares[1] = mean_square(&d);
  op_timing_output();
  double ideal = 2.0 * sizeof(double) * (double)op_get_size(d.box);
  int wrong = fields_result(argv[0], &o, bench_threads(), &t, ideal, squares);
  op_exit();
  return wrong;
}
