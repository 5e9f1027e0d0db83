/* The checker of fronts: it trusts nothing that the maker did.
 *
 * It goes through the pieces thread by thread, first those that run beside each
 * other, then those behind them, and keeps for every target in some memory
 * which launch was there last, which wrote last, and on which thread:
 *
 *   a launch that was there before is a later one      it came too late
 *   the same half of the plan, another thread          a race
 *
 * What will run again is there when it is saved, too. Over ranks what a front
 * leaves comes behind it, launch by launch.
 *
 * Of a launch in order, and on one thread of any, it keeps for every target
 * which element wrote there last. Where elements are to run again, what they
 * share with the gap in front of them is forgotten, as it is put back, and
 * nothing else is written.
 *
 * Cost: O(entries of all launches) for each memory that is written, 20 bytes a
 * target. */
#include "rt/walk/front_plan.h"

#include "base/arena.h"
#include "rt/ranks/dist.h"
#include "rt/walk/front_layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Whom a target has seen; launches plus one, 0: none. */
struct seen {
  uint32_t launch, wrote; /* the latest that was there, that wrote */
  int half, thread;       /* the last half in which somebody was, */
  int writer;             /* and who wrote then; NOBODY */
};
enum { NOBODY = -1, SEVERAL = -2 };

/* Whose writes a target of a launch in order has. */
struct last {
  idx_l element; /* plus one; 0: nobody's */
  uint32_t gap;  /* plus one: the latest piece that begins to run again, whose
                    gap names it */
};

struct checker {
  const struct rt_program *p;
  const struct rt_chain *c;
  const struct rt_front_plan *x;
  struct seen *seen;
  struct last *last;
};

static const char *
name_of(const struct checker *k, uint32_t launch) {
  return k->p->launches[k->c->first + launch].name;
}

static idx_l
elements_of(const struct checker *k, uint32_t launch) {
  return rt_launch_deep(k->p, &k->p->launches[k->c->first + launch]);
}

/* Those that run behind the front, launch by launch. */
static struct rt_piece
rest_of(const struct checker *k, uint32_t launch) {
  const struct rt_launch *l = &k->p->launches[k->c->first + launch];
  const struct rt_part *part = k->p->sets[l->set]->part;
  idx_l lo = elements_of(k, launch);
  idx_l hi = part ? part->level[l->level] : lo;
  return (struct rt_piece){.launch = launch, .lo = lo, .hi = hi};
}

/* ---- each element once --------------------------------------------------- */

/* Does the plan's piece have elements that run? */
static bool
runs(const struct rt_piece *y) {
  return y->kind == RT_PIECE_RUN || y->kind == RT_PIECE_AGAIN;
}

static status
check_once(const struct checker *k, uint32_t launch) {
  idx_l n = elements_of(k, launch), ran = 0;
  SCOPED uint8_t *times = mem_alloc((size_t)n + 1, 1);
  for (uint32_t i = 0; i < k->x->npieces; i++) {
    const struct rt_piece *y = &k->x->pieces[i];
    bool again = y->kind == RT_PIECE_AGAIN;
    if (y->launch != launch || !runs(y)) continue;
    if (y->lo < 0 || y->hi > n || y->lo >= y->hi)
      FAIL(ERR_STATE, "front: %s has elements [%d, %d) of %d",
           name_of(k, launch), y->lo, y->hi, n);
    for (idx_l e = y->lo; e < y->hi; e++, ran += !again)
      if (times[e]++ != again)
        FAIL(ERR_STATE, "front: element %d of %s runs twice", e,
             name_of(k, launch));
  }
  if (ran == n) return OK;
  FAIL(ERR_STATE, "front: %d of %d elements of %s run", ran, n,
       name_of(k, launch));
}

/* ---- in order, and alone ------------------------------------------------- */

static status
visit(const struct checker *k, const struct rt_touch *touch, int half,
      int thread, idx_l target) {
  struct seen *s = &k->seen[target];
  uint32_t me = touch->launch + 1, other = touch->writes ? s->launch : s->wrote;
  if (other > me)
    FAIL(ERR_STATE, "front: %s comes to target %d in memory %u after %s",
         name_of(k, me - 1), target, touch->memory, name_of(k, other - 1));
  bool now = s->half == half, beside = now && s->thread != thread;
  bool raced = now && s->writer != NOBODY && s->writer != thread;
  if (raced || (beside && touch->writes))
    FAIL(ERR_STATE, "front: %s meets another thread at target %d in memory %u",
         name_of(k, me - 1), target, touch->memory);
  if (!now) s->writer = NOBODY;
  s->half = half;
  s->thread = beside ? SEVERAL : thread;
  if (me > s->launch) s->launch = me;
  if (!touch->writes) return OK;
  s->writer = thread;
  if (me > s->wrote) s->wrote = me;
  return OK;
}

static status
visit_piece(const struct checker *k, const struct rt_touch *touch, int half,
            int thread, const struct rt_piece *y) {
  const struct rt_relation *map =
      touch->map == RT_DIRECT ? NULL : k->p->maps[touch->map];
  for (idx_l e = y->lo; e < y->hi; e++) {
    struct rt_row row = map ? rt_row(map, e) : (struct rt_row){&e, 1};
    for (uint32_t i = 0; i < row.n; i++)
      TRY(visit(k, touch, half, thread, row.at[i]));
  }
  return OK;
}

/* Reads first: an element may write where it has read. */
static status
check_piece(const struct checker *k, uint32_t memory, int half, int thread,
            const struct rt_piece *y) {
  for (int writes = 0; writes < 2; writes++)
    for (uint32_t i = 0; i < k->c->ntouches; i++) {
      const struct rt_touch *touch = &k->c->touches[i];
      if (touch->memory == memory && touch->launch == y->launch &&
          touch->writes == writes && (runs(y) || y->kind == RT_PIECE_SAVE))
        TRY(visit_piece(k, touch, half, thread, y));
    }
  return OK;
}

static status
check_memory(struct checker *k, uint32_t memory, idx_l targets) {
  const struct rt_front_plan *x = k->x;
  k->seen = mem_alloc((size_t)targets + 1, sizeof *k->seen);
  for (idx_l i = 0; i < targets; i++) k->seen[i].half = NOBODY;
  status st = OK;
  for (int t = 0; st == OK && t < 2 * x->threads; t++)
    for (uint32_t i = x->begin[t]; st == OK && i < x->begin[t + 1]; i++)
      st =
          check_piece(k, memory, t / x->threads, t % x->threads, &x->pieces[i]);
  for (uint32_t r = 0; st == OK && r < k->c->count; r++) {
    struct rt_piece rest = rest_of(k, r);
    st = check_piece(k, memory, 2, 0, &rest);
  }
  free(k->seen);
  return st;
}

/* ---- elements of a launch in order --------------------------------------- */

/* Targets of the piece by the touch, each to fn. */
static status
each_target(const struct checker *k, const struct rt_touch *touch,
            const struct rt_piece *y,
            status (*fn)(const struct checker *k, uint32_t number, idx_l e,
                         idx_l target),
            uint32_t number) {
  const struct rt_relation *map =
      touch->map == RT_DIRECT ? NULL : k->p->maps[touch->map];
  for (idx_l e = y->lo; e < y->hi; e++) {
    struct rt_row row = map ? rt_row(map, e) : (struct rt_row){&e, 1};
    for (uint32_t i = 0; i < row.n; i++) TRY(fn(k, number, e, row.at[i]));
  }
  return OK;
}

static status
note_gap(const struct checker *k, uint32_t number, idx_l e, idx_l target) {
  (void)e;
  k->last[target].gap = number + 1;
  return OK;
}

static status
forget(const struct checker *k, uint32_t number, idx_l e, idx_l target) {
  (void)e;
  if (k->last[target].gap == number + 1) k->last[target].element = 0;
  return OK;
}

/* What runs again is of no account but for the gap of piece `number`. */
static status
write_last(const struct checker *k, uint32_t number, idx_l e, idx_l target) {
  struct last *l = &k->last[target];
  if (number && l->gap != number) return OK;
  if (l->element > e + 1)
    FAIL(ERR_STATE, "front: element %d comes to target %d behind element %d", e,
         target, l->element - 1);
  l->element = e + 1;
  return OK;
}

/* Piece i; *begun: the latest one that begins to run again. */
static status
check_turn(const struct checker *k, const struct rt_touch *touch, uint32_t i,
           uint32_t *begun) {
  const struct rt_piece *y = &k->x->pieces[i];
  if (y->kind == RT_PIECE_RUN) return each_target(k, touch, y, write_last, 0);
  if (y->kind == RT_PIECE_AGAIN)
    return each_target(k, touch, y, write_last, *begun + 1);
  if (y->kind != RT_PIECE_BEGIN) return OK;
  *begun = i;
  if (i + 1 < k->x->npieces && y[1].kind == RT_PIECE_RUN)
    TRY(each_target(k, touch, &y[1], note_gap, i));
  return each_target(k, touch, y, forget, i);
}

/* Of a launch in order, and on one thread of any: so are increments then. */
static status
check_elements(struct checker *k, const struct rt_touch *touch, idx_l targets) {
  uint32_t begun = 0;
  const struct rt_launch *l = &k->p->launches[k->c->first + touch->launch];
  if (!touch->writes || (l->mode != RT_RUN_IN_ORDER && k->x->threads > 1))
    return OK;
  SCOPED struct last *last = mem_alloc((size_t)targets + 1, sizeof *last);
  k->last = last;
  for (uint32_t i = 0; i < k->x->npieces; i++)
    if (k->x->pieces[i].launch == touch->launch)
      TRY(check_turn(k, touch, i, &begun));
  struct rt_piece rest = rest_of(k, touch->launch);
  return each_target(k, touch, &rest, write_last, 0);
}

/* ---- all ----------------------------------------------------------------- */

/* The set that the touch leads to. */
static idx_l
targets_of(const struct checker *k, const struct rt_touch *touch) {
  if (touch->map == RT_DIRECT)
    return k->p->sets[k->p->launches[k->c->first + touch->launch].set]->n;
  return k->p->maps[touch->map]->to->n;
}

status
rt_front_check(const struct rt_program *p, const struct rt_chain *c,
               const struct rt_front_plan *x) {
  struct checker k = {.p = p, .c = c, .x = x};
  assert(x->threads > 0 && x->begin[2 * x->threads] == x->npieces);
  for (uint32_t r = 0; r < c->count; r++) TRY(check_once(&k, r));
  for (uint32_t i = 0; i < c->ntouches; i++) {
    const struct rt_touch *touch = &c->touches[i];
    bool first = touch->writes;
    for (uint32_t j = 0; j < i; j++)
      first &= c->touches[j].memory != touch->memory || !c->touches[j].writes;
    if (first) TRY(check_memory(&k, touch->memory, targets_of(&k, touch)));
    TRY(check_elements(&k, touch, targets_of(&k, touch)));
  }
  return OK;
}
