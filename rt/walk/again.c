/* Elements that run again, for some of what they write.
 *
 * Problem. Sums at a target are to be in the order of elements. A thread has
 * run later elements already when the turn of an earlier one comes, which had
 * to wait for another thread: their sums at the targets that they share with it
 * are in the wrong order. What they gave to other targets is right, as they
 * read nothing of the sums, and perhaps somebody has gone on from there.
 *
 * Idea. Rows that they write are saved before they run for the first time. When
 * the earlier element's turn has come, what they share with it gets back what
 * it held, and all of them run in order; what they do not share is put back
 * afterwards.
 *
 *   edges e join cells e and e + 1; 4 waits, 5 and 6 do not
 *   save    cells 5 6 7                 run 5 6: cell 5 lacks what 4 adds
 *   begin   cell 5 as saved; keep 6 7   run 4 5 6: cells 4 and 5 are right
 *   end     cells 6 7 as kept
 *
 * Begin puts back all that was saved, not only what is shared: an element that
 * reads what it writes (rw) then computes the same as before.
 *
 * Cost. Two copies of what few elements write. Source: speculation with a log
 * of old values; here it is known who has to run again.
 * Limits: what others changed meanwhile at those rows, by other launches, is
 * for whoever orders launches to prevent (front_plan.c). Elements that read
 * through a map what they write through it (rw) run on one thread. */
#include "rt/walk/again.h"

#include "base/arena.h"
#include "rt/mesh/relation.h"
#include "rt/store/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a slot. */
struct rows {
  uint32_t slot;
  idx_l *at, n;
  bool *shared;      /* the others write there, too */
  char *saved, *now; /* n rows each, AoS */
  size_t bytes;      /* of a row */
};
struct rt_again {
  struct rows *rows;
  uint32_t n;
};

/* ---- which rows ---------------------------------------------------------- */

/* Rows from `lo` to `hi`, and who writes each. */
enum { AGAIN = 1, OTHERS = 2 };
struct span {
  idx_l lo, hi;
  char *who;
};

/* fn for each row of the slot that elements write. */
static void
each_row(const struct rt_program *p, const struct rt_launch *l, uint32_t slot,
         const idx_l *elements, idx_l n, struct span *s,
         void (*fn)(struct span *s, idx_l row)) {
  for (uint32_t i = 0; i < l->nwrites; i++) {
    const struct rt_write *w = &l->writes[i];
    struct rt_entries x = {NULL, w->first, w->count};
    if (w->slot != slot) continue;
    if (w->map != RT_DIRECT) x.of = p->maps[w->map];
    for (idx_l e = 0; e < n; e++) {
      struct rt_row row = {&elements[e], 1};
      if (x.of) row = rt_entries_of(&x, elements[e]);
      for (uint32_t k = 0; k < row.n; k++) fn(s, row.at[k]);
    }
  }
}

static void
span_widen(struct span *s, idx_l row) {
  if (row < s->lo) s->lo = row;
  if (row > s->hi) s->hi = row;
}

static void
span_again(struct span *s, idx_l row) {
  s->who[row - s->lo] |= AGAIN;
}

static void
span_others(struct span *s, idx_l row) {
  if (s->lo <= row && row <= s->hi) s->who[row - s->lo] |= OTHERS;
}

/* Those that are written again. */
static status
make_rows(const struct rt_shape *shape, const struct span *s,
          struct rows *out) {
  idx_l width = s->hi < s->lo ? 0 : s->hi - s->lo + 1;
  out->bytes = (size_t)shape->dim * shape->type.size;
  for (idx_l k = 0; k < width; k++) out->n += s->who[k] & AGAIN;
  size_t room = (size_t)out->n * out->bytes + 1;
  out->at = mem_alloc((size_t)out->n + 1, sizeof *out->at);
  out->shared = mem_alloc((size_t)out->n + 1, sizeof *out->shared);
  out->saved = malloc(room);
  out->now = malloc(room);
  if (!out->saved || !out->now)
    FAIL(ERR_MEMORY, "no memory for %zu bytes of elements that run again",
         room);
  for (idx_l k = 0, i = 0; k < width; k++) {
    if (!(s->who[k] & AGAIN)) continue;
    out->at[i] = s->lo + k;
    out->shared[i++] = s->who[k] & OTHERS;
  }
  return OK;
}

static bool
seen_before(const struct rt_launch *l, uint32_t i) {
  uint32_t k = 0;
  while (l->writes[k].slot != l->writes[i].slot) k++;
  return k < i;
}

status
rt_again_make(const struct rt_program *p, const struct rt_launch *l,
              const idx_l *again, idx_l n, const idx_l *others, idx_l nothers,
              struct rt_again **out) {
  struct rt_again *a = *out = mem_alloc(1, sizeof *a);
  status st = OK;
  a->rows = mem_alloc((size_t)l->nwrites + 1, sizeof *a->rows);
  for (uint32_t i = 0; st == OK && i < l->nwrites; i++) {
    uint32_t slot = l->writes[i].slot;
    struct span s = {INT32_MAX, -1, NULL};
    if (seen_before(l, i)) continue;
    each_row(p, l, slot, again, n, &s, span_widen);
    SCOPED char *who =
        mem_alloc((size_t)(s.hi < s.lo ? 0 : s.hi - s.lo) + 1, 1);
    s.who = who;
    each_row(p, l, slot, again, n, &s, span_again);
    each_row(p, l, slot, others, nothers, &s, span_others);
    a->rows[a->n].slot = slot;
    st = make_rows(&p->dats[p->slots[slot].dat]->shape, &s, &a->rows[a->n++]);
  }
  if (st == OK) return OK;
  rt_again_free(a);
  *out = NULL;
  return st;
}

void
rt_again_free(struct rt_again *a) {
  if (!a) return;
  for (uint32_t i = 0; i < a->n; i++) {
    free(a->rows[i].at);
    free(a->rows[i].shared);
    free(a->rows[i].saved);
    free(a->rows[i].now);
  }
  free(a->rows);
  free(a);
}

/* ---- copies -------------------------------------------------------------- */

/* Row k between the buffer and AoS memory. */
static void
copy_row(const struct rows *r, const struct rt_buf *b, idx_l k, char *memory,
         bool out) {
  const struct rt_shape *s = &b->shape;
  size_t e = (size_t)r->at[k], size = s->type.size, block = b->stride;
  char *kept = memory + (size_t)k * r->bytes;
  char *first =
      (char *)b->mem + (e / block * block * s->dim + e % block) * size;
  for (uint32_t c = 0; c < s->dim; c++) {
    char *here = first + c * block * size;
    memcpy(out ? kept : here, out ? here : kept, size);
    kept += size;
  }
}

void
rt_again_save(struct rt_again *a, struct rt_buf **bufs) {
  for (struct rows *r = a->rows; r < a->rows + a->n; r++)
    for (idx_l k = 0; k < r->n; k++)
      copy_row(r, bufs[r->slot], k, r->saved, true);
}

void
rt_again_begin(struct rt_again *a, struct rt_buf **bufs) {
  for (struct rows *r = a->rows; r < a->rows + a->n; r++)
    for (idx_l k = 0; k < r->n; k++) {
      copy_row(r, bufs[r->slot], k, r->now, true);
      copy_row(r, bufs[r->slot], k, r->saved, false);
    }
}

void
rt_again_end(struct rt_again *a, struct rt_buf **bufs) {
  for (struct rows *r = a->rows; r < a->rows + a->n; r++)
    for (idx_l k = 0; k < r->n; k++)
      if (!r->shared[k]) copy_row(r, bufs[r->slot], k, r->now, false);
}
