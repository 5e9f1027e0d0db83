/* Exchanges: values of owned elements go to the ranks that have copies.
 *
 * Problem. A loop needs copies to be right out to some reach; some already are.
 * Who sends what to whom, in as few messages as there are neighbours, whatever
 * number of dats of whatever sets are asked for at once?
 *
 * Idea. Both ends of a link list the shared elements in one order, each with
 * its levels. What has to travel from reach `have` to reach `want` are the
 * elements that want covers and have does not: a filter that both ends apply by
 * themselves. Its results, lists of elements, are kept per set. A message is
 * the elements of the first item, then of the second, ..., packed AoS, so that
 * ranks may lay their dats out differently. Time steps exchange the same again
 * and again, if of other buffers: lists, memory of the messages and the
 * communicator's (persistent) requests are kept by what moves.
 *
 *   have  own 0            links of cells to rank 1   at   7 9 12 15
 *   want  own 0, via 0                              via  0 0 1 1  7, 9 travel
 *
 * A buffer whose values are on a device is packed there (halo_device.c); what
 * comes goes to every place that has the values.
 *
 * have is what the buffer says (rt_buf.reach), want what the trace asks for;
 * both are equal on all ranks.
 *
 * cost    each value copied once on either side; nothing is allocated in a
 *         repeated exchange, which keeps the memory of its messages */
#include "base/arena.h"
#include "base/counters.h"
#include "base/kept.h"
#include "rt/ranks/dist.h"
#include "rt/device/halo_device.h"
#include "rt/store/store.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 8 }; /* places in messages are multiples of it */

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

/* ---- lists -------------------------------------------------------------- */

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

/* KEEP until other lists are got; the lists in it until the part is cleared. */
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

/* ---- messages ----------------------------------------------------------- */

/* Bytes to or from each rank, in one message. */
struct side {
  char *memory;
  struct rt_message *messages;
  int n;
  size_t total;
};

/* What an item moves, whatever buffer it is of; bytes of keys. */
struct move {
  struct rt_part *part;
  uint32_t bytes; /* of an element */
  struct reach have, want;
};
_Static_assert(sizeof(struct move) == 16, "no padding in keys");

/* An exchange that may come again. */
struct plan {
  struct kept kept; /* first; its key: */
  struct move *moves;
  struct rt_lists *lists; /* of each move */
  uint32_t n;
  struct side out, in;
  struct rt_comm *comm;
  void *messages; /* the communicator's */
  /* of each move; NULL: no device has taken part */
  struct rt_moved *from, *to;
};

struct rt_halo {
  struct rt_comm *c;
  struct keeper plans;  /* moves -> struct plan */
  struct plan *now;     /* of the exchange under way */
  struct rt_buf **bufs; /* of its moves */
  struct move *moves;
  uint32_t n, cap;
  size_t *at; /* [ranks] */
};

struct rt_halo *
rt_halo_new(struct rt_comm *c) {
  struct rt_halo *h = mem_alloc(1, sizeof *h);
  h->c = c;
  h->at = mem_alloc((size_t)c->size, sizeof *h->at);
  return h;
}

static void
moved_free(struct rt_moved *m, uint32_t n) {
  for (uint32_t i = 0; m && i < n; i++) {
    free(m[i].list);
    free(m[i].place);
  }
  free(m);
}

static void
plan_clear(struct kept *e) {
  struct plan *p = (struct plan *)e;
  moved_free(p->from, p->n);
  moved_free(p->to, p->n);
  if (p->messages) rt_comm_release(p->comm, p->messages);
  free(p->out.memory);
  free(p->out.messages);
  free(p->in.memory);
  free(p->in.messages);
  free(p->lists);
}

void
rt_halo_forget(struct rt_halo *h) {
  assert(!h || !h->now);
  if (h) kept_clear(&h->plans, plan_clear);
}

void
rt_halo_sweep(struct rt_halo *h) {
  assert(!h || !h->now);
  if (h) kept_sweep(&h->plans, plan_clear);
}

void
rt_halo_free(struct rt_halo *h) {
  if (!h) return;
  rt_halo_forget(h);
  free(h->bufs);
  free(h->moves);
  free(h->at);
  free(h);
}

/* Messages as long as bytes[rank], at their places in memory. */
static void
side_make(struct side *s, int ranks, const size_t *bytes) {
  size_t at = 0;
  for (int r = 0; r < ranks; r++) {
    s->total += bytes[r];
    s->n += bytes[r] > 0;
  }
  s->memory = mem_alloc(s->total + 1, 1);
  s->messages = mem_alloc((size_t)s->n + 1, sizeof *s->messages);
  s->n = 0;
  for (int r = 0; r < ranks; at += bytes[r++])
    if (bytes[r])
      s->messages[s->n++] = (struct rt_message){r, s->memory + at, bytes[r]};
}

/* Bytes of n elements in a message, where all begin at words. */
static size_t
piece(const struct move *m, idx_l n) {
  return round_up(m->bytes * (size_t)n, WORD);
}

static status
plan_make(struct rt_halo *h, struct plan *p) {
  size_t ranks = (size_t)h->c->size;
  SCOPED size_t *out = mem_alloc(2 * ranks, sizeof *out);
  size_t *in = out + ranks;
  for (uint32_t i = 0; i < p->n; i++) {
    const struct move *m = &p->moves[i];
    p->lists[i] = *lists_get(m->part, m->have, m->want);
    for (uint32_t k = 0; k < m->part->nout; k++)
      out[m->part->out[k].peer] += piece(m, p->lists[i].nout[k]);
    for (uint32_t k = 0; k < m->part->nin; k++)
      in[m->part->in[k].peer] += piece(m, p->lists[i].nin[k]);
  }
  side_make(&p->out, h->c->size, out);
  side_make(&p->in, h->c->size, in);
  return rt_comm_prepare(h->c, p->out.messages, p->out.n, p->in.messages,
                         p->in.n, &p->messages);
}

/* The plan for h->moves. */
static status
plan_get(struct rt_halo *h, struct plan **out) {
  size_t bytes = h->n * sizeof *h->moves;
  struct plan *p = kept_find(&h->plans, h->moves, bytes);
  if (!p) {
    p = mem_alloc(1, sizeof *p);
    p->comm = h->c;
    p->n = h->n;
    p->moves = h->moves;
    p->lists = mem_alloc(h->n, sizeof *p->lists);
    status st = plan_make(h, p);
    if (st != OK) {
      plan_clear(&p->kept);
      free(p);
      return st;
    }
    kept_add(&h->plans, &p->kept, h->moves, bytes);
    p->moves = p->kept.key;
  }
  p->kept.used = true;
  *out = p;
  return OK;
}

/* Where the message to or from each rank begins. */
static void
side_begin(struct rt_halo *h, const struct side *s) {
  for (int i = 0; i < s->n; i++)
    h->at[s->messages[i].peer] =
        (size_t)((char *)s->messages[i].data - s->memory);
}

/* ---- devices ------------------------------------------------------------ */

/* Where elements of the next move are on one side, for a device. */
static struct rt_moved
moved_make(struct rt_halo *h, const struct move *m, const struct rt_link *links,
           uint32_t nlinks, idx_l *const *lists, const idx_l *counts) {
  struct rt_moved x = {.unit = rt_moved_unit(m->bytes),
                       .version = rt_version_new()};
  for (uint32_t k = 0; k < nlinks; k++) x.n += counts[k];
  x.list = mem_alloc((size_t)x.n + 1, sizeof *x.list);
  x.place = mem_alloc((size_t)x.n + 1, sizeof *x.place);
  x.n = 0;
  for (uint32_t k = 0; k < nlinks; k++) {
    size_t *at = &h->at[links[k].peer];
    for (idx_l i = 0; i < counts[k]; i++) {
      x.list[x.n] = lists[k][i];
      x.place[x.n++] = (idx_l)((*at + m->bytes * (size_t)i) / x.unit);
    }
    *at += piece(m, counts[k]);
  }
  return x;
}

static status
plan_for_devices(struct rt_halo *h) {
  struct plan *p = h->now;
  if (p->from) return OK;
  if (p->out.total > INT32_MAX || p->in.total > INT32_MAX)
    FAIL(ERR_DEVICE, "messages of %zu bytes from a device: at most %d",
         p->out.total > p->in.total ? p->out.total : p->in.total, INT32_MAX);
  p->from = mem_alloc(p->n, sizeof *p->from);
  p->to = mem_alloc(p->n, sizeof *p->to);
  side_begin(h, &p->out);
  for (uint32_t i = 0; i < p->n; i++)
    p->from[i] =
        moved_make(h, &p->moves[i], p->moves[i].part->out,
                   p->moves[i].part->nout, p->lists[i].out, p->lists[i].nout);
  side_begin(h, &p->in);
  for (uint32_t i = 0; i < p->n; i++)
    p->to[i] =
        moved_make(h, &p->moves[i], p->moves[i].part->in, p->moves[i].part->nin,
                   p->lists[i].in, p->lists[i].nin);
  return OK;
}

/* The device that move i is packed on; NULL: the host has the values. */
static struct rt_device *
packs_on(const struct rt_halo *h, uint32_t i) {
  const struct rt_buf *b = h->bufs[i];
  assert(!b->stale || b->dev_valid);
  return b->stale ? b->dev->device : NULL;
}

/* The device on which move i is unpacked, too; NULL: none. */
static struct rt_device *
unpacks_on(const struct rt_halo *h, uint32_t i) {
  const struct rt_buf *b = h->bufs[i];
  return b->dev_valid ? b->dev->device : NULL;
}

/* Is move i the first on its device? */
static bool
is_first(const struct rt_halo *h, uint32_t i,
         struct rt_device *(*on)(const struct rt_halo *, uint32_t)) {
  uint32_t j = 0;
  while (j < i && on(h, j) != on(h, i)) j++;
  return j == i;
}

/* d->message_host = elements of all moves on device d */
static status
pack_on(struct rt_halo *h, struct rt_device *d) {
  const struct plan *p = h->now;
  assert(d);
  if (!p->out.total) return OK;
  TRY(rt_moved_room(d, p->out.total));
  for (uint32_t i = 0; i < p->n; i++)
    if (packs_on(h, i) == d) TRY(rt_moved_pack(&p->from[i], h->bufs[i]));
  counters[CNT_halo_d2h_bytes] += (long long)p->out.total;
  return d->driver->read(d, d->message_host, d->message, p->out.total);
}

static status
unpack_on(struct rt_halo *h, struct rt_device *d) {
  const struct plan *p = h->now;
  if (!p->in.total) return OK;
  TRY(rt_moved_room(d, p->in.total));
  counters[CNT_halo_h2d_bytes] += (long long)p->in.total;
  TRY(d->driver->write(d, d->message, p->in.memory, p->in.total));
  for (uint32_t i = 0; i < p->n; i++)
    if (unpacks_on(h, i) == d) TRY(rt_moved_unpack(&p->to[i], h->bufs[i]));
  return OK;
}

/* `each` for every device that has some of the moves. */
static status
devices_each(struct rt_halo *h,
             struct rt_device *(*on)(const struct rt_halo *, uint32_t),
             status (*each)(struct rt_halo *, struct rt_device *)) {
  for (uint32_t i = 0; i < h->n; i++) {
    struct rt_device *d = on(h, i);
    if (!d || !is_first(h, i, on)) continue;
    TRY(plan_for_devices(h));
    TRY(each(h, d));
  }
  return OK;
}

/* ---- packing ------------------------------------------------------------ */

/* messages = elements of the move's buffer */
static void
pack(struct rt_halo *h, uint32_t i) {
  const struct move *m = &h->now->moves[i];
  const struct rt_lists *l = &h->now->lists[i];
  const struct rt_buf *b = h->bufs[i];
  const struct rt_device *d = packs_on(h, i);
  for (uint32_t k = 0; k < m->part->nout; k++) {
    size_t *at = &h->at[m->part->out[k].peer];
    char *to = h->now->out.memory + *at;
    if (!l->nout[k]) continue;
    if (d)
      memcpy(to, (char *)d->message_host + *at, piece(m, l->nout[k]));
    else
      rt_layout_permute(to, 1, NULL, b->mem, b->stride, l->out[k], l->nout[k],
                        b->shape.dim, b->shape.type.size);
    *at += piece(m, l->nout[k]);
  }
}

/* elements of the move's buffer, on the host = messages */
static void
unpack(struct rt_halo *h, uint32_t i) {
  const struct move *m = &h->now->moves[i];
  const struct rt_lists *l = &h->now->lists[i];
  struct rt_buf *b = h->bufs[i];
  for (uint32_t k = 0; k < m->part->nin; k++) {
    size_t *at = &h->at[m->part->in[k].peer];
    if (!l->nin[k]) continue;
    if (!b->stale)
      rt_layout_permute(b->mem, b->stride, l->in[k], h->now->in.memory + *at, 1,
                        NULL, l->nin[k], b->shape.dim, b->shape.type.size);
    *at += piece(m, l->nin[k]);
  }
}

/* What of the items is to move. */
static void
moves_find(struct rt_halo *h, const struct rt_halo_item *items, uint32_t n) {
  if (n > h->cap) {
    h->cap = n;
    h->bufs = mem_grow(h->bufs, n, sizeof(struct rt_buf *));
    h->moves = mem_grow(h->moves, n, sizeof *h->moves);
  }
  h->n = 0;
  for (uint32_t i = 0; i < n; i++) {
    struct rt_buf *b = items[i].buf;
    if (reach_covers(b->reach, items[i].want)) continue;
    h->bufs[h->n] = b;
    h->moves[h->n++] = (struct move){
        items[i].part, b->shape.dim * (uint32_t)b->shape.type.size, b->reach,
        items[i].want};
  }
}

status
rt_halo_start(struct rt_halo *h, const struct rt_halo_item *items, uint32_t n) {
  assert(!h->now && "one exchange at a time");
  moves_find(h, items, n);
  if (!h->n) return OK;
  TRY(plan_get(h, &h->now));
  status st = devices_each(h, packs_on, pack_on);
  side_begin(h, &h->now->out);
  for (uint32_t i = 0; st == OK && i < h->n; i++) pack(h, i);
  counters[CNT_exchanges]++;
  counters[CNT_exchange_bytes] += (long long)h->now->out.total;
  counters[CNT_messages] += h->now->out.n;
  if (st == OK) st = rt_comm_start(h->c, h->now->messages);
  if (st != OK) h->now = NULL;
  return st;
}

status
rt_halo_finish(struct rt_halo *h) {
  const struct plan *p = h->now;
  if (!p) return OK;
  status st = rt_comm_finish(h->c, p->messages);
  if (st == OK) st = devices_each(h, unpacks_on, unpack_on);
  side_begin(h, &p->in);
  for (uint32_t i = 0; st == OK && i < p->n; i++) {
    unpack(h, i);
    struct reach *r = &h->bufs[i]->reach;
    *r = reach_join(*r, p->moves[i].want);
  }
  h->now = NULL;
  return st;
}
