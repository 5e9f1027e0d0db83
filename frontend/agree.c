/* Agreement: ranks make the same calls, or all learn that they don't.
 *
 * Problem. A rank that records one loop more, takes another branch or stops with
 * an error leaves the others in a message that nobody sends. They would wait for
 * ever.
 *
 * Idea. Before anything that takes all ranks there is one reduction of three
 * words: what it is, all loops recorded so far (a hash of hashes), the worst
 * status. A minimum of h and of ~h tells whether all have the same. So ranks
 * that come apart meet in that reduction, whatever they came for. Then they have
 * time: they look for the first loop in which they differ, in a ring of the last
 * ones, and each reports its own and another rank's.
 *
 * Cost: one reduction of 24 bytes for each flush, fetch or print, on several
 * ranks; a multiplication for each loop.
 * Limits: a rank that makes no call at all any more (an endless loop of the
 * program) is waited for. A hash may agree by chance, once in 2^64. */
#include "frontend/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 256, TEXT = 240 };

static struct {
  uint64_t said; /* hash of all loops */
  uint64_t n;    /* loops */
  uint64_t ring[RING];
  const struct fe_call *calls[RING];
} agree;

static uint64_t
mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static uint64_t
mix_text(uint64_t h, const char *s) {
  for (; s && *s; s++) h = mix(h, (unsigned char)*s);
  return mix(h, 256);
}

uint64_t
fe_agree_call(const struct fe_call *c) {
  uint64_t h = mix_text(mix_text(1, c->name), c->file);
  h = mix(mix(h, (uint64_t)c->line), (uint64_t)c->set_handle->index);
  for (uint32_t a = 0; a < c->nargs; a++) {
    const struct fe_arg *x = &c->args[a];
    const op_arg *key = &c->key[a];
    h = mix(h, x->dat ? x->dat->index : UINT64_MAX);
    h = mix(h, x->map ? (uint64_t)x->map->pub.index : UINT64_MAX);
    h = mix(h, x->gbl ? x->gbl->index : UINT64_MAX);
    h = mix(h, (uint64_t)(uint32_t)key->idx << 32 | (uint32_t)key->dim);
    h = mix(h, (uint64_t)(uint32_t)key->acc << 32 | (uint32_t)key->argtype);
    h = mix_text(mix(h, key->opt != 0), key->type);
  }
  return h;
}

void
fe_agree_loop(const struct fe_call *c) {
  if (!fe_ranked()) return;
  agree.said = mix(agree.said, c->said);
  agree.ring[agree.n % RING] = agree.said;
  agree.calls[agree.n % RING] = c;
  agree.n++;
}

/* ---- telling why ------------------------------------------------------------------ */

/* Loop number i as text; what comes instead if there is none. */
static void
describe(uint64_t i, const char *what, char *out) {
  if (i >= agree.n) {
    snprintf(out, TEXT, "%s%s%s after %llu loops", what, fe.file ? " at " : "",
             fe.file ? fe.file : "", (unsigned long long)agree.n);
  } else if (agree.n - i > RING) {
    snprintf(out, TEXT, "a loop more than %d loops ago", RING);
  } else {
    const struct fe_call *c = agree.calls[i % RING];
    snprintf(out, TEXT, "op_par_loop \"%s\" at %s:%d", c->name,
             c->file ? c->file : "?", c->line);
  }
}

struct past {
  uint64_t n, ring[RING];
};

/* The first loop in which some rank differs from rank 0. */
static uint64_t
first_difference(const struct past *all) {
  uint64_t first = UINT64_MAX;
  for (int r = 1; r < fe.comm.size; r++) {
    uint64_t a = all[0].n, b = all[r].n, n = a < b ? a : b;
    uint64_t from = (a > b ? a : b) > RING ? (a > b ? a : b) - RING : 0;
    uint64_t i = from < n ? from : n;
    while (i < n && all[0].ring[i % RING] == all[r].ring[i % RING]) i++;
    if (i < first && (a != b || i < n)) first = i;
  }
  return first;
}

/* Texts of all ranks; this rank reports its own and the first other one. */
static status
report(const char *texts, const char *head) {
  const char *mine = texts + (size_t)fe.comm.rank * TEXT;
  for (int r = 0; r < fe.comm.size; r++) {
    const char *text = texts + (size_t)r * TEXT;
    if (strncmp(text, mine, TEXT))
      FAIL(ERR_STATE, "%s: rank %d: %s; rank %d: %s", head, fe.comm.rank, mine,
           r, text);
  }
  FAIL(ERR_STATE, "%s: rank %d: %s", head, fe.comm.rank, mine);
}

static status
tell_difference(const char *what) {
  struct past *mine = mem_alloc(1, sizeof *mine);
  struct past *all = mem_alloc((size_t)fe.comm.size, sizeof *all);
  char *texts = mem_alloc((size_t)fe.comm.size + 1, TEXT);
  char *text = texts + (size_t)fe.comm.size * TEXT;
  mine->n = agree.n;
  memcpy(mine->ring, agree.ring, sizeof agree.ring);
  status st = rt_allgather(&fe.comm, mine, sizeof *mine, all);
  if (st == OK) {
    describe(first_difference(all), what, text);
    st = rt_allgather(&fe.comm, text, TEXT, texts);
  }
  if (st == OK) st = report(texts, "ranks do not make the same calls");
  free(mine);
  free(all);
  free(texts);
  return st;
}

/* Some rank has an error; whose has none says whose and which. */
static status
tell_error(status st) {
  char *texts = mem_alloc((size_t)fe.comm.size + 1, TEXT);
  char *text = texts + (size_t)fe.comm.size * TEXT;
  if (st != OK) snprintf(text, TEXT, "%s", err_last());
  status sent = rt_allgather(&fe.comm, text, TEXT, texts);
  for (int r = 0; sent == OK && st == OK && r < fe.comm.size; r++)
    if (texts[(size_t)r * TEXT])
      st = err_set(ERR_STATE, "rank %d: %s", r, texts + (size_t)r * TEXT);
  free(texts);
  return st == OK ? sent : st;
}

status
fe_agree(const char *what, uint64_t detail, status st) {
  if (!fe_ranked()) return st;
  uint64_t h = mix(mix_text(agree.said, what), detail);
  uint64_t words[] = {h, ~h, ~(uint64_t)st};
  TRY(rt_allreduce(&fe.comm, words, 3, (struct type){TYPE_U64, 8}, ACC_MIN));
  if (~words[2]) return tell_error(st);
  if (words[0] != ~words[1]) return tell_difference(what);
  return OK;
}
