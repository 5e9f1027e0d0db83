/* A run that ends in the middle goes on from its checkpoint as if nothing had
 * happened, to the last bit:
 *   checkpoint PATH all STEPS          run all steps, no checkpoint
 *   checkpoint PATH write AT STEPS     run all steps; checkpoint behind step AT
 *   checkpoint PATH restart STEPS      the steps behind the checkpoint
 * prints the bits of all dats at the end, and how many dats were saved. With "flush" as
 * last word op2_flush follows op2_checkpoint; with "init" the restarted program
 * runs its first loops again. */
#include "test/programs/check.h"

enum { N = 200, E = 3 * N };

static op_set cells, edges, nodes;
static op_map ecell;
static op_dat x, q, qold, adt, res, volume, unused, host, temp;
static op2_gbl rms, now;

static void
measure(const double *x, double *volume, double *unused) {
  *volume = 1.0 + x[0] * x[1];
  *unused = *volume / 3.0;
}
static void
save(const double *q, double *qold) {
  qold[0] = q[0];
  qold[1] = q[1];
}
static void
area(const double *x, const double *v, const double *q, double *adt,
     double *temp) {
  *adt = x[0] / 7.0 + q[0] / *v;
  *temp = *adt * 0.5;
}
static void
flux(const double *q1, const double *q2, const double *a1, const double *t2,
     double *r1, double *r2) {
  double f = 0.01 * (q1[0] * *t2 - q2[1] * *a1);
  r1[0] += f;
  r2[0] -= f;
  r1[1] += f / 3.0;
  r2[1] += f / 7.0;
}
/* Half of res stays: what it held counts. */
static void
update(const double *qold, double *q, double *res, const double *adt,
       const double *host, double *rms) {
  for (int k = 0; k < 2; k++) {
    q[k] = qold[k] - 0.1 * res[k] / (1.0 + *adt * *adt) + 1e-3 * *host;
    *rms += res[k] * res[k];
    res[k] *= 0.5;
  }
}

static void
declare(void) {
  static int table[E][2];
  static double x0[N][2], q0[N][2];
  for (int e = 0; e < E; e++) {
    table[e][0] = e % N;
    table[e][1] = (7 * e + 3) % N;
  }
  for (int c = 0; c < N; c++)
    for (int k = 0; k < 2; k++) {
      x0[c][k] = 0.1 * c + k;
      q0[c][k] = 1.0 / (1 + c + k);
    }
  cells = op_decl_set(N, "cells");
  edges = op_decl_set(E, "edges");
  nodes = op_decl_set(0, "nodes");
  ecell = op_decl_map(edges, cells, 2, &table[0][0], "ecell");
  x = op_decl_dat(cells, 2, "double", &x0[0][0], "x");
  q = op_decl_dat(cells, 2, "double", &q0[0][0], "state/q");
  qold = op_decl_dat(cells, 2, "double", (double *)NULL, "same");
  adt = op_decl_dat(cells, 1, "double", (double *)NULL, "same");
  res = op_decl_dat(cells, 2, "double", (double *)NULL, "res");
  volume = op_decl_dat(cells, 1, "double", (double *)NULL, "volume");
  unused = op_decl_dat(cells, 1, "double", (double *)NULL, "unused");
  host = op_decl_dat(cells, 1, "double", (double *)NULL, "host");
  temp = op_decl_dat_temp(cells, 1, "double", (double *)NULL, "temp");
  rms = op2_decl_gbl(1, "double", NULL, "rms");
  now = op2_decl_gbl(1, "int", NULL, "now");
}

static void
first(void) {
  op_par_loop(measure, "measure", cells,
              op_arg_dat(x, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(volume, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(unused, -1, OP_ID, 1, "double", OP_WRITE));
}

static void
step(int n) {
  op_par_loop(save, "save", cells,
              op_arg_dat(q, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(qold, -1, OP_ID, 2, "double", OP_WRITE));
  op_par_loop(area, "area", cells,
              op_arg_dat(x, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(volume, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(q, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(adt, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(temp, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(flux, "flux", edges,
              op_arg_dat(q, 0, ecell, 2, "double", OP_READ),
              op_arg_dat(q, 1, ecell, 2, "double", OP_READ),
              op_arg_dat(adt, 0, ecell, 1, "double", OP_READ),
              op_arg_dat(temp, 1, ecell, 1, "double", OP_READ),
              op_arg_dat(res, 0, ecell, 2, "double", OP_INC),
              op_arg_dat(res, 1, ecell, 2, "double", OP_INC));
  op_par_loop(update, "update", cells,
              op_arg_dat(qold, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(q, -1, OP_ID, 2, "double", OP_WRITE),
              op_arg_dat(res, -1, OP_ID, 2, "double", OP_RW),
              op_arg_dat(adt, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(host, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_gbl(rms, 1, "double", OP_INC));
  double *h = op2_dat_data_rw(host);
  for (int c = n % 5; c < N; c += 5) h[c] += n;
  op2_gbl_set(now, &n);
}

static uint64_t
hash_of(op_dat d, uint64_t hash) {
  return check_hash(op2_dat_data(d), (size_t)d->set->size * (size_t)d->size,
                    hash);
}

static void
print_bits(void) {
  op_dat all[] = {x, q, qold, adt, res, volume, unused, host, temp};
  uint64_t hash = 1;
  double sum;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    hash = hash_of(all[i], hash);
  op2_gbl_get(rms, &sum);
  CHECK(sum > 0);
  printf("bits %016llx\n", (unsigned long long)check_hash(&sum, 8, hash));
  printf("saved %lld dats, %lld bytes, in %lld\n",
         op2_counter("checkpoint_dats"), op2_counter("checkpoint_bytes"),
         op2_counter("checkpoints"));
}

int
main(int argc, char **argv) {
  const char *path = argv[1], *what = argv[2], *last = argv[argc - 1];
  int n = 0, at = atoi(argv[3]), steps = at;
  check_start(0, NULL);
  declare();
  if (!strcmp(what, "write")) steps = atoi(argv[4]);
  if (strcmp(what, "restart") || !strcmp(last, "init")) first();
  if (!strcmp(what, "restart")) {
    CHECK_INT(op2_restart(path), 0);
    op2_gbl_get(now, &n);
    printf("from %d\n", n);
    CHECK(n > 0);
  }
  for (n++; n <= steps; n++) {
    step(n);
    if (strcmp(what, "write") || n != at) continue;
    CHECK_INT(op2_checkpoint(path), 0);
    if (!strcmp(last, "flush")) op2_flush();
  }
  print_bits();
  return check_end();
}
