/* Exchanges: values of owned elements go to the ranks that have copies.
 *
 * Problem. A loop needs copies to be right out to some reach; some already are.
 * Who sends what to whom, in as few messages as there are neighbours, whatever
 * number of dats of whatever sets are asked for at once?
 *
 * Idea. Both ends of a link list the shared elements in one order, each with its
 * levels. What has to travel from reach `have` to reach `want` are the elements
 * that want covers and have does not: a filter that both ends apply by
 * themselves. Its results, lists of elements, are kept per set. A message is the
 * elements of the first item, then of the second, ..., packed AoS, so that ranks
 * may lay their dats out differently.
 *
 *   have  own 0            links of cells to rank 1   at   7 9 12 15
 *   want  own 0, via 0                                via  0 0 1  1   7, 9 travel
 *
 * have is what the buffer says (rt_buf.reach), want what the trace asks for; both
 * are equal on all ranks.
 *
 * cost    each value copied once on either side; nothing is allocated or looked
 *         for in a repeated exchange */
#include "base/arena.h"
#include "base/counters.h"
#include "rt/dist.h"
#include "rt/store.h"
#include "rt/store_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What travels between two reaches: elements per link, of p->in and p->out. */
struct rt_lists {
  struct reach have, want;
  idx_l **in, **out;
  idx_l *nin, *nout;
};

static bool
covers(struct reach r, uint8_t level, uint8_t via) {
  return (int)level <= r.own || (int)via <= r.via;
}

/* ---- lists ---------------------------------------------------------------------- */

static void
filter(const struct rt_link *links, uint32_t n, const struct rt_lists *l,
       idx_l ***out, idx_l **counts) {
  *out = mem_alloc(n + 1, sizeof **out);
  *counts = mem_alloc(n + 1, sizeof **counts);
  for (uint32_t k = 0; k < n; k++) {
    const struct rt_link *x = &links[k];
    idx_l *at = mem_alloc((size_t)x->n + 1, sizeof *at), m = 0;
    for (idx_l i = 0; i < x->n; i++)
      if (covers(l->want, x->level[i], x->via[i]) &&
          !covers(l->have, x->level[i], x->via[i]))
        at[m++] = x->at[i];
    (*out)[k] = at;
    (*counts)[k] = m;
  }
}

/* KEEP until the part is cleared or other lists are got. */
static const struct rt_lists *
lists_get(struct rt_part *p, struct reach have, struct reach want) {
  for (uint32_t i = 0; i < p->nlists; i++)
    if (reach_same(p->lists[i].have, have) &&
        reach_same(p->lists[i].want, want))
      return &p->lists[i];
  struct rt_lists l = {.have = have, .want = want};
  filter(p->in, p->nin, &l, &l.in, &l.nin);
  filter(p->out, p->nout, &l, &l.out, &l.nout);
  VEC_PUSH(p->lists, p->nlists, p->caplists, l);
  return &p->lists[p->nlists - 1];
}

void
rt_lists_clear(struct rt_part *p) {
  for (uint32_t i = 0; i < p->nlists; i++) {
    struct rt_lists *l = &p->lists[i];
    for (uint32_t k = 0; k < p->nin; k++) free(l->in[k]);
    for (uint32_t k = 0; k < p->nout; k++) free(l->out[k]);
    free(l->in);
    free(l->out);
    free(l->nin);
    free(l->nout);
  }
  free(p->lists);
  p->lists = NULL;
  p->nlists = p->caplists = 0;
}

/* ---- messages -------------------------------------------------------------------- */

/* Bytes to or from one rank, in one message. */
struct side {
  char *memory;
  size_t cap;
  size_t *bytes, *at; /* [ranks] */
  struct rt_message *messages;
  int n;
};

struct rt_halo {
  struct rt_comm *c;
  struct side out, in;
  struct rt_halo_item *items; /* of the exchange under way */
  struct reach *had;
  uint32_t n, cap;
};

static void
side_init(struct side *s, int ranks) {
  s->bytes = mem_alloc((size_t)ranks, sizeof *s->bytes);
  s->at = mem_alloc((size_t)ranks, sizeof *s->at);
  s->messages = mem_alloc((size_t)ranks, sizeof *s->messages);
}

static void
side_clear(struct side *s) {
  free(s->memory);
  free(s->bytes);
  free(s->at);
  free(s->messages);
}

struct rt_halo *
rt_halo_new(struct rt_comm *c) {
  struct rt_halo *h = mem_alloc(1, sizeof *h);
  h->c = c;
  side_init(&h->out, c->size);
  side_init(&h->in, c->size);
  return h;
}

void
rt_halo_free(struct rt_halo *h) {
  if (!h) return;
  side_clear(&h->out);
  side_clear(&h->in);
  free(h->items);
  free(h->had);
  free(h);
}

static size_t
element_bytes(const struct rt_buf *b) {
  return (size_t)b->shape.dim * b->shape.type.size;
}

/* Messages as long as they have to be, at their places in memory. */
static void
side_lay_out(struct side *s, int ranks) {
  size_t total = 0;
  s->n = 0;
  for (int r = 0; r < ranks; r++) {
    s->at[r] = total;
    total += s->bytes[r];
  }
  if (total > s->cap) {
    free(s->memory);
    s->memory = mem_alloc(total, 1);
    s->cap = total;
  }
  for (int r = 0; r < ranks; r++)
    if (s->bytes[r])
      s->messages[s->n++] =
          (struct rt_message){r, s->memory + s->at[r], s->bytes[r]};
}

static void
count_bytes(struct rt_halo *h) {
  size_t ranks = (size_t)h->c->size;
  memset(h->out.bytes, 0, ranks * sizeof *h->out.bytes);
  memset(h->in.bytes, 0, ranks * sizeof *h->in.bytes);
  for (uint32_t i = 0; i < h->n; i++) {
    struct rt_part *p = h->items[i].part;
    const struct rt_lists *l = lists_get(p, h->had[i], h->items[i].want);
    size_t size = element_bytes(h->items[i].buf);
    for (uint32_t k = 0; k < p->nout; k++)
      h->out.bytes[p->out[k].peer] += size * (size_t)l->nout[k];
    for (uint32_t k = 0; k < p->nin; k++)
      h->in.bytes[p->in[k].peer] += size * (size_t)l->nin[k];
  }
  side_lay_out(&h->out, h->c->size);
  side_lay_out(&h->in, h->c->size);
}

/* message = elements of the buffer */
static void
pack(struct rt_halo *h, const struct rt_halo_item *x, struct reach had) {
  const struct rt_lists *l = lists_get(x->part, had, x->want);
  const struct rt_buf *b = x->buf;
  for (uint32_t k = 0; k < x->part->nout; k++) {
    size_t *at = &h->out.at[x->part->out[k].peer];
    if (!l->nout[k]) continue;
    rt_layout_permute(h->out.memory + *at, 1, NULL, b->mem, b->stride,
                      l->out[k], l->nout[k], b->shape.dim, b->shape.type.size);
    *at += element_bytes(b) * (size_t)l->nout[k];
  }
}

/* elements of the buffer = message */
static void
unpack(struct rt_halo *h, const struct rt_halo_item *x, struct reach had) {
  const struct rt_lists *l = lists_get(x->part, had, x->want);
  struct rt_buf *b = x->buf;
  for (uint32_t k = 0; k < x->part->nin; k++) {
    size_t *at = &h->in.at[x->part->in[k].peer];
    if (!l->nin[k]) continue;
    rt_layout_permute(b->mem, b->stride, l->in[k], h->in.memory + *at, 1, NULL,
                      l->nin[k], b->shape.dim, b->shape.type.size);
    *at += element_bytes(b) * (size_t)l->nin[k];
  }
}

static void
items_take(struct rt_halo *h, const struct rt_halo_item *items, uint32_t n) {
  if (n > h->cap) {
    h->cap = n;
    h->items = mem_grow(h->items, n, sizeof *h->items);
    h->had = mem_grow(h->had, n, sizeof *h->had);
  }
  h->n = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (reach_covers(items[i].buf->reach, items[i].want)) continue;
    h->items[h->n] = items[i];
    h->had[h->n++] = items[i].buf->reach;
  }
}

status
rt_halo_start(struct rt_halo *h, const struct rt_halo_item *items, uint32_t n) {
  items_take(h, items, n);
  if (!h->n) return OK;
  count_bytes(h);
  for (uint32_t i = 0; i < h->n; i++) pack(h, &h->items[i], h->had[i]);
  counters[CNT_exchanges]++;
  for (int i = 0; i < h->out.n; i++)
    counters[CNT_exchange_bytes] += (long long)h->out.messages[i].bytes;
  return rt_comm_start(h->c, h->out.messages, h->out.n, h->in.messages,
                       h->in.n);
}

status
rt_halo_finish(struct rt_halo *h) {
  if (!h->n) return OK;
  TRY(rt_comm_finish(h->c));
  for (uint32_t i = 0; i < h->n; i++) {
    struct reach *r = &h->items[i].buf->reach;
    unpack(h, &h->items[i], h->had[i]);
    *r = reach_join(*r, h->items[i].want);
  }
  h->n = 0;
  return OK;
}
