/* Is a region faster than its loops one by one?
 *
 * Problem. Pass fuse saves memory traffic and launches, which nearly always
 * pays. Not where one loop of a region keeps all of it from becoming vectors
 * (its kernel loops over something), or where many values at once do not fit
 * the registers: a published shallow-water code had regions 1.35 and 1.5 times
 * slower than their loops.
 *
 * Idea. Ask the clock, once there is something to win: when the regions of a
 * program that hold several loops have taken OP2_TRIAL (looked at in runs 2, 4,
 * 8, ...), the same program is made with these loops `apart`, a flag that fuse
 * respects,
 *
 *   loop @limiter over %cells (read %q, ...) apart
 *
 * and both run in turn, ROUNDS times each. A region whose best run is not
 * within MARGIN of the best runs of its loops is taken apart for good; the
 * program's code becomes that with these loops apart. op2_explain tells what
 * was measured.
 *
 * What the clock decides must not change a bit. So regions are tried only where
 * the same operations come in the same order either way:
 *   writes through maps   by one loop of the region at most
 *   payloads              none
 *   float sums            beside no writes through maps that meet, of which
 *                         threads take other elements; nor, over ranks, where
 *                         an exchange would cut the launch otherwise
 *
 * Over ranks all do the same: they make the same programs in the same order,
 * and what one measures counts only joined with what the others do (the slowest
 * one's).
 *
 * cost   before: a comparison a run. A trial: each loop of a tried region is
 *        compiled once more, and half of its runs go the slower way.
 * gain   that code, 180 000 cells, one thread beside other work, 150 steps with
 *        and without trials, three rounds in turns: 0.89 of the time (0.80 to
 *        0.90). Its regions: 0.82 and 0.89 apart; a third, 1.29 apart, stays
 *        fused.
 * limits all loops of a region or none; regions on devices are not tried, nor
 *        programs with fronts (rt/walk/front.c), nor such with loops that are
 *        inlined, of which one region's loops apart would change another's. */
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/trial.h"

#include "base/counters.h"
#include "base/log.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6 }; /* the first round is not counted */
#define MARGIN 0.97

static struct {
  double milliseconds; /* below 0: never */
} option;

bool
fe_trial_option(const char *text) {
  char *end;
  option.milliseconds = strtod(text, &end);
  if (!strcmp(text, "never")) option.milliseconds = -1;
  return option.milliseconds < 0 ? !strcmp(text, "never") : *text && !*end;
}

static void
trial_free(struct fe_trial *trial) {
  if (!trial) return;
  if (trial->apart) fe_program_free(trial->apart);
  for (uint32_t k = 0; k < trial->n; k++) free(trial->regions[k].name);
  free(trial->regions);
  free(trial->of_record);
  free(trial);
}

void
fe_trial_drop(struct fe_program *p) {
  trial_free(p->trial);
  p->trial = NULL;
}

struct fe_program *
fe_trial_other(const struct fe_program *p) {
  return p->trial ? p->trial->apart : NULL;
}

/* ---- over ranks --------------------------------------------------------- */

/* The largest of all ranks for each of n numbers. */
static status
agree_on(double *x, uint32_t n) {
  return fe_join(x, n, TYPE_F64, ACC_MAX);
}

/* Does it hold on all ranks? */
static status
agree_all(bool *holds) {
  double fails = !*holds;
  TRY(agree_on(&fails, 1));
  *holds = fails == 0;
  return OK;
}

/* ---- making programs ---------------------------------------------------- */

static bool
same_rest(const struct fe_program *p, const struct fe_program *q) {
  return p->nremaining == q->nremaining &&
         !memcmp(p->remaining, q->remaining,
                 p->nremaining * sizeof *p->remaining);
}

/* Do sums come as they did, also those beside an exchange that has moved? */
static bool
same_cuts(const struct fe_program *p, const struct fe_program *q) {
  for (uint32_t r = 0; r < p->nrecs; r++) {
    uint32_t i = p->launch_of[r], k = q->launch_of[r];
    if (i != FE_NO_REGION && k != FE_NO_REGION &&
        !fe_program_same_cut(p, i, q, k))
      return false;
  }
  return true;
}

/* p with the loops of these regions apart; NULL: some rank could not make it,
 * which changes nothing, or the clock must not choose between the two. */
static status
make_apart(struct fe_request rq, const struct fe_program *p,
           const double *chosen, struct fe_program **out) {
  SCOPED bool *apart = mem_alloc(p->nrecs + 1, sizeof *apart);
  for (uint32_t r = 0; r < p->nrecs; r++) {
    uint32_t k = p->trial->of_record[r];
    apart[r] = k != FE_NO_REGION && chosen[k] > 0;
  }
  *out = NULL;
  bool made = fe_program_variant(rq, apart, out) == OK;
  counters[CNT_programs] += made;
  bool fronts = made && (fe_program_fronts(p) || fe_program_fronts(*out));
  bool inlines = made && (p->inlines || (*out)->inlines);
  if (made &&
      (fronts || inlines || !same_rest(p, *out) || !same_cuts(p, *out))) {
    fe_program_free(*out);
    made = false;
  }
  bool mine = made;
  TRY(agree_all(&made));
  if (mine && !made) fe_program_free(*out);
  if (!made) *out = NULL;
  return OK;
}

/* What p is, but for its key and place, becomes what q was. TAKE q. */
static void
become(struct fe_program *p, struct fe_program *q) {
  struct fe_program was = *p;
  *p = *q;
  p->words = was.words, p->nwords = was.nwords;
  p->next = was.next, p->used = was.used;
  p->bytes = was.bytes, p->gone = was.gone;
  was.words = NULL;
  *q = was;
  fe_program_free(q);
}

static uint32_t
count_chosen(const double *chosen, uint32_t n) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < n; k++) count += chosen[k] > 0;
  return count;
}

/* ---- by the clock ------------------------------------------------------- */

/* Seconds of each region's launches in program q, which start anew. */
static void
times_take(const struct fe_trial *trial, struct fe_program *q, double *out) {
  for (uint32_t k = 0; k < trial->n; k++) out[k] = 0;
  for (uint32_t r = 0; r < q->nrecs; r++) {
    uint32_t k = trial->of_record[r], l = q->launch_of[r];
    if (k == FE_NO_REGION || l == FE_NO_REGION) continue;
    out[k] += *fe_program_seconds(q, l);
    *fe_program_seconds(q, l) = 0;
  }
}

static void
times_note(struct fe_trial *trial, struct fe_program *q, unsigned way) {
  SCOPED double *now = mem_alloc(trial->n, sizeof *now);
  times_take(trial, q, now);
  for (uint32_t k = 0; k < trial->n && trial->turns >= WAYS; k++) {
    double *best = &trial->regions[k].best[way];
    if (*best == 0 || now[k] < *best) *best = now[k];
  }
}

/* Have the regions taken long enough? */
static status
is_due(const struct fe_program *p, bool *due) {
  const struct fe_trial *trial = p->trial;
  double seconds = 0;
  *due = false;
  for (uint32_t r = 0; r < p->nrecs; r++) {
    uint32_t l =
        trial->of_record[r] == FE_NO_REGION ? FE_NO_REGION : p->launch_of[r];
    bool counted = r && l != FE_NO_REGION && p->launch_of[r - 1] == l;
    if (l != FE_NO_REGION && !counted) seconds += *fe_program_seconds(p, l);
  }
  TRY(agree_on(&seconds, 1));
  *due = trial->runs > 1 && seconds * 1e3 >= option.milliseconds;
  return OK;
}

static status
begin(struct fe_request rq, struct fe_program *p) {
  struct fe_trial *trial = p->trial;
  SCOPED double *all = mem_alloc(trial->n, sizeof *all);
  fe_tiers_finish(); /* optimised code is measured */
  for (uint32_t k = 0; k < trial->n; k++) all[k] = 1;
  status st = make_apart(rq, p, all, &trial->apart);
  times_take(trial, p, all);
  if (st != OK || !trial->apart) {
    fe_trial_drop(p);
    return st;
  }
  fe_trial_drop(trial->apart);
  counters[CNT_trials]++;
  return OK;
}

/* 1 for regions whose loops are faster. */
static void
choose(const struct fe_trial *trial, double *chosen) {
  for (uint32_t k = 0; k < trial->n; k++) {
    const struct region *r = &trial->regions[k];
    chosen[k] = r->best[APART] < MARGIN * r->best[TOGETHER];
  }
}

static void
tell(struct fe_program *p, const struct fe_trial *trial, const double *chosen) {
  struct str s = STR_INIT;
  str_add(&s, p->explain);
  for (uint32_t k = 0; k < trial->n; k++) {
    const struct region *r = &trial->regions[k];
    const char *what = chosen[k] > 0 ? "apart" : "fused";
    double fused = 1e6 * r->best[TOGETHER], alone = 1e6 * r->best[APART];
    str_printf(&s, "trial: %s takes %.1f us, its loops one by one %.1f: %s\n",
               r->name, fused, alone, what);
    LOG_INFO("%s takes %.1f us, its loops one by one %.1f: %s", r->name, fused,
             alone, what);
  }
  free(p->explain);
  p->explain = s.s;
}

static status
regions_agree(struct fe_trial *trial) {
  for (uint32_t k = 0; k < trial->n; k++)
    TRY(agree_on(trial->regions[k].best, WAYS));
  return OK;
}

/* Take what was faster; the trial is over. */
static status
settle(struct fe_request rq, struct fe_program *p) {
  struct fe_trial *trial = p->trial;
  SCOPED double *chosen = mem_alloc(trial->n, sizeof *chosen);
  status st = regions_agree(trial);
  if (st == OK) choose(trial, chosen);
  if (st == OK) st = agree_on(chosen, trial->n);
  uint32_t count = count_chosen(chosen, trial->n);
  struct fe_program *all = trial->apart;
  if (st == OK && count == trial->n) {
    p->trial = NULL; /* kept until it is told */
    trial->apart = NULL;
    become(p, all);
  } else if (st == OK && count) {
    struct fe_program *some;
    st = make_apart(rq, p, chosen, &some);
    if (some) fe_trial_drop(some);
    p->trial = NULL;
    if (st == OK && some) become(p, some);
  }
  p->trial = NULL;
  if (st == OK) tell(p, trial, chosen);
  trial_free(trial);
  return st;
}

bool
fe_trial_wants(const struct fe_program *p) {
  const struct fe_trial *t = p->trial;
  if (!t || option.milliseconds < 0) return false;
  return t->apart || !(t->runs & (t->runs - 1));
}

status
fe_trial_turn(struct fe_request rq, struct fe_program *p,
              struct fe_program **now) {
  *now = p;
  if (p->trial->turns == WAYS * ROUNDS) return settle(rq, p);
  bool due = false;
  if (!p->trial->apart) TRY(is_due(p, &due));
  if (due) TRY(begin(rq, p));
  if (p->trial && p->trial->apart && p->trial->turns % WAYS == APART)
    *now = p->trial->apart;
  return OK;
}

void
fe_trial_ran(struct fe_program *p) {
  struct fe_trial *trial = p->trial;
  trial->runs++;
  if (!trial->apart) return;
  unsigned way = trial->turns % WAYS;
  times_note(trial, way == APART ? trial->apart : p, way);
  trial->turns++;
}
