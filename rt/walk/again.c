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

/* Rows [lo, lo + n), the first of which is kept in place `at`. */
struct stretch {
  idx_l lo, n, at;
  bool shared; /* the others write there, too */
};
/* Rows of a slot: that of the launch's write `write`. */
struct rows {
  uint32_t write;
  struct stretch *stretches;
  uint32_t n, cap;
  char *saved, *now; /* rows; those of a stretch as the buffer has them */
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

/* Row `row`, behind those that are there. */
static void
add_row(struct rows *out, idx_l row, bool shared, idx_l at) {
  struct stretch *last = out->n ? &out->stretches[out->n - 1] : NULL;
  if (last && last->lo + last->n == row && last->shared == shared) {
    last->n++;
    return;
  }
  struct stretch x = {row, 1, at, shared};
  VEC_PUSH(out->stretches, out->n, out->cap, x);
}

/* Those that are written again. */
static status
make_rows(const struct rt_shape *shape, const struct span *s,
          struct rows *out) {
  idx_l width = s->hi < s->lo ? 0 : s->hi - s->lo + 1, n = 0;
  out->bytes = (size_t)shape->dim * shape->type.size;
  for (idx_l k = 0; k < width; k++)
    if (s->who[k] & AGAIN) add_row(out, s->lo + k, s->who[k] & OTHERS, n++);
  size_t room = (size_t)n * out->bytes + 1;
  out->saved = malloc(room);
  out->now = malloc(room);
  if (!out->saved || !out->now)
    FAIL(ERR_MEMORY, "no memory for %zu bytes of elements that run again",
         room);
  return OK;
}

/* The first of its writes to the slot of write i. */
static uint32_t
first_of(const struct rt_launch *l, uint32_t i) {
  uint32_t k = 0;
  while (l->writes[k].slot != l->writes[i].slot) k++;
  return k;
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
    if (first_of(l, i) < i) continue;
    each_row(p, l, slot, again, n, &s, span_widen);
    SCOPED char *who =
        mem_alloc((size_t)(s.hi < s.lo ? 0 : s.hi - s.lo) + 1, 1);
    s.who = who;
    each_row(p, l, slot, again, n, &s, span_again);
    each_row(p, l, slot, others, nothers, &s, span_others);
    a->rows[a->n].write = i;
    st = make_rows(&p->dats[p->slots[slot].dat]->shape, &s, &a->rows[a->n++]);
  }
  if (st == OK) return OK;
  rt_again_free(a);
  *out = NULL;
  return st;
}

bool
rt_again_fits(const struct rt_program *p, const struct rt_launch *l,
              const struct rt_launch *other) {
  if (l->nwrites != other->nwrites) return false;
  for (uint32_t i = 0; i < l->nwrites; i++) {
    const struct rt_write *x = &l->writes[i], *y = &other->writes[i];
    const struct rt_shape *a = &p->dats[p->slots[x->slot].dat]->shape;
    const struct rt_shape *b = &p->dats[p->slots[y->slot].dat]->shape;
    if (x->map != y->map || x->first != y->first || x->count != y->count)
      return false;
    if (a->dim != b->dim || a->type.size != b->type.size) return false;
    if (first_of(l, i) != first_of(other, i)) return false;
  }
  return true;
}

void
rt_again_free(struct rt_again *a) {
  if (!a) return;
  for (uint32_t i = 0; i < a->n; i++) {
    free(a->rows[i].stretches);
    free(a->rows[i].saved);
    free(a->rows[i].now);
  }
  free(a->rows);
  free(a);
}

/* ---- copies -------------------------------------------------------------- */

/* `bytes` from the buffer to what is kept, or back. */
static void
copy(char *here, char *kept, size_t bytes, bool out) {
  memcpy(out ? kept : here, out ? here : kept, bytes);
}

/* Rows of a stretch between the buffer and what is kept: as far as its block
 * goes, component by component. */
static void
copy_stretch(const struct rows *r, const struct rt_buf *b,
             const struct stretch *x, char *memory, bool out) {
  size_t size = b->shape.type.size, dim = b->shape.dim, block = b->stride;
  size_t e = (size_t)x->lo, end = e + (size_t)x->n;
  char *kept = memory + (size_t)x->at * r->bytes, *mem = b->mem;
  if (block == 1) {
    copy(mem + e * r->bytes, kept, (end - e) * r->bytes, out);
    return;
  }
  while (e < end) {
    size_t left = block - e % block, n = left < end - e ? left : end - e;
    char *first = mem + (e - e % block) * r->bytes + e % block * size;
    for (size_t c = 0; c < dim; c++, kept += n * size)
      copy(first + c * block * size, kept, n * size, out);
    e += n;
  }
}

void
rt_again_save(struct rt_again *a, const struct rt_launch *l,
              struct rt_buf **bufs) {
  for (struct rows *r = a->rows; r < a->rows + a->n; r++) {
    const struct rt_buf *b = bufs[l->writes[r->write].slot];
    for (uint32_t k = 0; k < r->n; k++)
      copy_stretch(r, b, &r->stretches[k], r->saved, true);
  }
}

void
rt_again_begin(struct rt_again *a, const struct rt_launch *l,
               struct rt_buf **bufs) {
  for (struct rows *r = a->rows; r < a->rows + a->n; r++) {
    const struct rt_buf *b = bufs[l->writes[r->write].slot];
    for (uint32_t k = 0; k < r->n; k++) {
      copy_stretch(r, b, &r->stretches[k], r->now, true);
      copy_stretch(r, b, &r->stretches[k], r->saved, false);
    }
  }
}

void
rt_again_end(struct rt_again *a, const struct rt_launch *l,
             struct rt_buf **bufs) {
  for (struct rows *r = a->rows; r < a->rows + a->n; r++) {
    const struct rt_buf *b = bufs[l->writes[r->write].slot];
    for (uint32_t k = 0; k < r->n; k++)
      if (!r->stretches[k].shared)
        copy_stretch(r, b, &r->stretches[k], r->now, false);
  }
}
