/* Items and questions between ranks: sorted by the rank they are for, sent in
 * one round, answered in a second. */
#include "base/arena.h"
#include "rt/ranks/dist.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* place[i]: where item i stands when items are sorted by rank, stably. */
static size_t *
places(int ranks, size_t n, const int *to, size_t *counts) {
  SCOPED size_t *next = mem_alloc((size_t)ranks + 1, sizeof *next);
  size_t *place = mem_alloc(n + 1, sizeof *place);
  memset(counts, 0, (size_t)ranks * sizeof *counts);
  for (size_t i = 0; i < n; i++) {
    assert(to[i] >= 0 && to[i] < ranks);
    counts[to[i]]++;
  }
  for (int r = 0; r < ranks; r++) next[r + 1] = next[r] + counts[r];
  for (size_t i = 0; i < n; i++) place[i] = next[to[i]]++;
  return place;
}

static char *
sorted_items(size_t n, const size_t *place, const void *items, size_t bytes) {
  char *out = mem_alloc(n + 1, bytes);
  for (size_t i = 0; i < n; i++)
    memcpy(out + place[i] * bytes, (const char *)items + i * bytes, bytes);
  return out;
}

static size_t
total_of(const size_t *counts, int ranks) {
  size_t n = 0;
  for (int r = 0; r < ranks; r++) n += counts[r];
  return n;
}

status
rt_send_items(struct rt_comm *c, size_t n, const int *to, const void *items,
              size_t bytes, void *recv_out, size_t *counts, size_t *n_out) {
  SCOPED size_t *given = mem_alloc((size_t)c->size, sizeof *given);
  SCOPED size_t *place = places(c->size, n, to, given);
  SCOPED char *send = sorted_items(n, place, items, bytes);
  status s = rt_alltoall(c, send, given, bytes, recv_out, counts);
  if (s == OK) *n_out = total_of(counts, c->size);
  return s;
}

status
rt_tell(struct rt_comm *c, int to, const void *items, size_t n, size_t bytes,
        void *recv_out, size_t *n_out) {
  SCOPED size_t *counts = mem_alloc(2 * (size_t)c->size, sizeof *counts);
  SCOPED char *send = mem_alloc((size_t)to * n + 1, bytes);
  for (int r = 0; r < to; r++) {
    counts[r] = n;
    if (n) memcpy(send + (size_t)r * n * bytes, items, n * bytes);
  }
  TRY(rt_alltoall(c, send, counts, bytes, recv_out, counts + c->size));
  *n_out = total_of(counts + c->size, c->size);
  return OK;
}

/* The answers to what others asked, given back to them. */
static status
give_answers(struct rt_comm *c, const idx_g *asked, const size_t *counts,
             rt_answer *answer, void *user, size_t bytes, char *back,
             const size_t *mine) {
  size_t n = total_of(counts, c->size);
  SCOPED char *answers = mem_alloc(n + 1, bytes);
  for (size_t i = 0; i < n; i++) answer(user, asked[i], answers + i * bytes);
  return rt_alltoall_known(c, answers, counts, bytes, back, mine);
}

status
rt_ask(struct rt_comm *c, size_t n, const int *to, const idx_g *question,
       rt_answer *answer, void *user, size_t bytes, void *out) {
  assert(c->size > 0 && bytes > 0);
  SCOPED size_t *mine = mem_alloc(2 * (size_t)c->size, sizeof *mine);
  size_t *theirs = mine + c->size;
  SCOPED size_t *place = places(c->size, n, to, mine);
  SCOPED char *send = sorted_items(n, place, question, sizeof *question);
  SCOPED char *back = mem_alloc(n + 1, bytes);
  SCOPED idx_g *asked = NULL;
  status s = rt_alltoall(c, send, mine, sizeof *asked, &asked, theirs);
  if (s == OK)
    s = give_answers(c, asked, theirs, answer, user, bytes, back, mine);
  for (size_t i = 0; s == OK && i < n; i++)
    memcpy((char *)out + i * bytes, back + place[i] * bytes, bytes);
  return s;
}
