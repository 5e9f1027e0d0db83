#include "forms.h"

#include <math.h>
#include <stdio.h>

#include "team.h"
#include "tiled.h"

/* ---- threads ------------------------------------------------------------- */

/* First of thread t's blocks. */
static int
share(const struct limit *l, int t) {
  return (int)((long)l->nblock * t / l->threads);
}

/* ---- increments ---------------------------------------------------------- */

/* Edges inside each thread's cells; then those between, and the boundary; then
 * cells. */
static void
half_increments(struct limit *l, const struct loops *s, int from) {
  TEAM(l->threads) {
    int t = THREAD, lo = share(l, t), hi = share(l, t + 1);
    s->res(l, from, l->edge_part[t], l->edge_part[t + 1]);
    BARRIER
    if (t == 0) {
      s->res(l, from, l->edge_part[l->threads], l->edge_part[l->threads + 1]);
      loops_bound(l, from);
    }
    BARRIER
    l->rms[t * LIMIT_PAD] = s->update(l, from, lo, hi);
    if (l->how.apart_adt) s->adt(l, !from, lo, hi);
  }
}

/* ---- gather -------------------------------------------------------------- */

static void
half_gather(struct limit *l, const struct loops *s, int from) {
  const struct limit_how *h = &l->how;
  int edges = l->nedge / h->width;
  TEAM(l->threads) {
    int t = THREAD, lo = share(l, t), hi = share(l, t + 1);
    if (h->flux) {
      s->flux(l, from, (int)((long)edges * t / l->threads),
              (int)((long)edges * (t + 1) / l->threads));
      BARRIER
    }
    double rms = s->gather(l, from, lo, hi);
    BARRIER
    if (h->apart_update) rms = s->update(l, from, lo, hi);
    if (h->apart_adt) s->adt(l, !from, lo, hi);
    l->rms[t * LIMIT_PAD] = rms;
  }
}

/* ---- the step ------------------------------------------------------------ */

static double
step(struct limit *l, const struct loops *s) {
  double rms = 0.0;
  for (int half = 0; half < 2; half++) {
    if (l->how.form == LIMIT_INCREMENTS)
      half_increments(l, s, half);
    else
      half_gather(l, s, half);
  }
  for (int t = 0; t < l->threads; t++) rms += l->rms[t * LIMIT_PAD];
  return rms;
}

void
forms_run(struct limit *l, const struct loops *s, bool first, int steps,
          double *rms) {
  if (first) s->adt(l, 0, 0, l->nblock);
  if (l->how.form == LIMIT_TILED && !tiled_run(l, s, steps, rms)) {
    printf("ranges are too short for tiles: gather form\n");
    l->how.form = LIMIT_GATHER;
  }
  for (int i = 0; i < steps && l->how.form != LIMIT_TILED; i++)
    rms[i] = step(l, s);
  for (int i = 0; i < steps; i++) rms[i] = sqrt(rms[i] / l->m->ncell);
}
