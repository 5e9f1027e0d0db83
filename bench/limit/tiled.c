#include "tiled.h"

#include <string.h>

#include "team.h"

enum { HALVES = 2 * TILED_STEPS };

/* What a thread runs of each half: blocks [lo, hi), then up to the next
 * thread's lo. */
struct range {
  int lo[HALVES], hi[HALVES];
  double rms[TILED_STEPS];
};

/* Half h of blocks [lo, hi). */
static void
run(struct limit *l, const struct loops *s, struct range *r, int h, int lo,
    int hi) {
  double rms = lo < hi ? s->gather(l, h % 2, lo, hi) : 0.0;
  if (h % 2) r->rms[h / 2] += rms;
}

/* ---- trapezoids ---------------------------------------------------------- */

/* The least block from which on nobody reads below `lo`. */
static int
recede(const struct limit *l, int lo) {
  int b = lo;
  while (b < l->nblock && l->reach_lo[b] < lo) b++;
  return lo > 0 ? b : 0;
}

/* The blocks from `b` on that read only below `hi`. */
static int
follow(const struct limit *l, int b, int hi) {
  while (b < hi && l->reach_hi[b] < hi) b++;
  return b;
}

/* Where each half of thread t begins and ends; false if it has no room. */
static bool
range_make(const struct limit *l, struct range *r, int t, int halves) {
  int lo = (int)((long)l->nblock * t / l->threads);
  int hi = (int)((long)l->nblock * (t + 1) / l->threads);
  memset(r->rms, 0, sizeof r->rms);
  for (int h = 0; h < halves; h++) {
    r->lo[h] = lo = h ? recede(l, lo) : lo;
    r->hi[h] = hi = h ? follow(l, lo, hi) : hi;
    if (lo >= hi) return false;
  }
  return true;
}

/* The wavefront inside a range. */
static void
range_run(struct limit *l, const struct loops *s, struct range *r, int halves) {
  int tile = (l->how.tile + l->how.width - 1) / l->how.width, at[HALVES];
  memcpy(at, r->lo, sizeof at);
  while (at[halves - 1] < r->hi[halves - 1])
    for (int h = 0; h < halves; h++) {
      int to = h ? follow(l, at[h], at[h - 1]) : at[0] + tile;
      if (to > r->hi[h]) to = r->hi[h];
      run(l, s, r, h, at[h], to);
      if (to > at[h]) at[h] = to;
    }
}

/* ---- all ----------------------------------------------------------------- */

bool
tiled_run(struct limit *l, const struct loops *s, int steps, double *rms) {
  static struct range ranges[LIMIT_THREADS];
  int halves = 2 * steps;
  bool room = true;
  for (int t = 0; t < l->threads; t++)
    room = room && range_make(l, &ranges[t], t, halves);
  if (!room) return false;
  TEAM(l->threads) {
    struct range *r = &ranges[THREAD];
    range_run(l, s, r, halves);
    BARRIER
    for (int h = 1; h < halves && THREAD + 1 < l->threads; h++)
      run(l, s, r, h, r->hi[h], r[1].lo[h]);
  }
  for (int i = 0; i < steps; i++) rms[i] = 0.0;
  for (int t = 0; t < l->threads; t++)
    for (int i = 0; i < steps; i++) rms[i] += ranges[t].rms[i];
  return true;
}
