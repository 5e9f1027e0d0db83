/* Launches over ranks, and sums.
 *
 * Problem. Several ranks run parts of a loop; what it gives to globals must be
 * as if one had run all of it.
 *
 * Idea. Sums and extremes take owned elements only; elements of others, which
 * are run for what they add to dats, give to accumulators that nobody reads.
 * Extremes with payloads are claimed with the number of the element that made
 * them, and the best claim wins. Globals that are updated in place (tokens) go
 * from rank to rank in the order of global numbers.
 *
 * Latency is hidden: while values of others are on their way, those elements
 * run that name owned ones only, which are the first (rt/ranks/dist.h).
 *
 *   exchange starts    own values are copied out, into messages
 *   core elements      read and write elements that this rank owns
 *   exchange finishes  messages are copied into elements that others own
 *   other elements
 *
 * Core elements therefore read nothing that comes, overwrite nothing that goes
 * (it is copied), and nothing that they write is overwritten, whatever dats the
 * launch and the exchange have in common. Only the launch right behind an
 * exchange is cut: what comes after reads its results, of which core elements
 * may still lack increments from others. Tables and accumulators are those of
 * one launch at a time, and stay between its halves.
 *
 * Exact sums (exact_sums.c) look at each element by itself; they are whole
 * behind each launch, so that neither a begin nor a reduction is for them.
 *
 * On a device it is the same, with launches in the place of calls; a device
 * says by itself which element made an extreme.
 *
 * cost    sums: a reduction for each type and access at the end of a flush.
 *         Claims: an element at a time, one allgather. Tokens: an allgather for
 *         each change of rank */
#include "rt/walk/launch.h"

#include "base/arena.h"
#include "rt/device/globals.h"
#include "rt/ranks/dist.h"
#include "rt/walk/exact.h"
#include "rt/walk/reduce.h"
#include "rt/ranks/comm.h"

#include <stdlib.h>
#include <string.h>

/* ---- launches ----------------------------------------------------------- */

/* Tokens in one block of bytes. */
static size_t
tokens_copy(const struct rt_program *p, const struct rt_launch *l, char *block,
            bool out) {
  size_t at = 0;
  for (uint32_t i = 0; i < l->ntokens; i++) {
    const struct rt_token *t = &l->tokens[i];
    if (block && out) memcpy(block + at, p->globals[t->global], t->bytes);
    if (block && !out) memcpy(p->globals[t->global], block + at, t->bytes);
    at += t->bytes;
  }
  return at;
}

/* On a device: elements [lo, hi) of those that count. */
static status
run_on_device(const struct rt_program *p, const struct rt_run *r, char *claim,
              idx_l lo, idx_l hi) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_launch *l = r->l;
  const struct rt_part *part = p->sets[l->set]->part;
  if (lo >= hi) return OK;
  TRY(rt_offload_launch(p, l, &r->offload, s->bufs, lo, hi,
                        claim ? s->acc : NULL));
  if (!claim) return OK;
  rt_reduce_claim_globals(l, s->acc, part->sorted, part->global);
  rt_reduce_claim_join(l, claim, s->acc);
  memcpy(s->acc, claim, rt_reduce_row(l));
  return OK;
}

/* Elements of others: what they give to globals is given by their owners. */
static void
redundant_calls(const struct rt_program *p, const struct rt_run *r) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_launch *l = r->l;
  assert(r->n < r->end && !l->offload);
  SCOPED char *kept = mem_alloc(tokens_copy(p, l, NULL, true) + 1, 1);
  tokens_copy(p, l, kept, true);
  rt_launch_bind(p, r);
  rt_reduce_start(l, p->globals, s->acc, s->acc_row, 1);
  if (l->nreductions) rt_launch_point(l, s->table, s->acc);
  rt_launch_here(r, s, 0, r->n, r->end, false);
  tokens_copy(p, l, kept, false);
}

static status
run_redundant(const struct rt_program *p, const struct rt_run *r) {
  const struct rt_scratch *s = p->scratch;
  if (r->end <= r->n) return OK;
  if (r->l->offload)
    return rt_offload_launch(p, r->l, &r->offload, s->bufs, r->n, r->end, NULL);
  redundant_calls(p, r);
  return OK;
}

static status
start_elements(const struct rt_program *p, const struct rt_run *r,
               char *claim) {
  const struct rt_scratch *s = p->scratch;
  if (r->l->offload && !claim) return OK; /* all is there */
  TRY(rt_globals_here(p, r->l));
  if (!r->l->offload) rt_launch_bind(p, r);
  rt_reduce_start(r->l, p->globals, s->acc, s->acc_row, r->threads);
  if (r->nexact)
    memset(s->exact, 0, r->nexact * (size_t)r->threads * sizeof *s->exact);
  if (!claim) return OK;
  memcpy(claim, s->acc, rt_reduce_row(r->l));
  rt_reduce_claim_start(r->l, claim);
  return OK;
}

/* Elements [lo, hi) in the program's order; of claims one after the other: who
 * changed what? Others' elements claim nothing, their owners do. */
static status
run_in_order(const struct rt_program *p, const struct rt_run *r, char *claim,
             idx_l lo, idx_l hi) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_part *part = p->sets[r->l->set]->part;
  assert(0 <= lo && lo <= hi && hi <= r->n);
  if (r->l->offload) return run_on_device(p, r, claim, lo, hi);
  if (!claim) rt_launch_call(r, s, 0, lo, hi);
  assert(!claim || r->walk->at);
  for (idx_l i = lo; claim && i < hi; i++) {
    idx_l e = r->walk->at[i];
    rt_launch_call(r, s, 0, i, i + 1);
    if (e < part->owned)
      rt_reduce_claim_note(r->l, claim, s->acc, part->global[e]);
    else
      memcpy(s->acc, claim, rt_reduce_row(r->l));
  }
  return OK;
}

/* Extremes with payloads: the best of what the ranks began with, then of what
 * they claim. */
static status
settle_claims(const struct rt_program *p, const struct rt_run *r,
              const char *claim) {
  size_t bytes = rt_reduce_claim(r->l), row = rt_reduce_row(r->l);
  size_t ranks = (size_t)p->comm->size;
  SCOPED char *claims = mem_alloc(bytes + row, ranks + 1);
  char *starts = claims + ranks * bytes, *mine = starts + ranks * row;
  TRY(rt_globals_here(p, r->l));
  rt_reduce_begun(r->l, p->globals, mine);
  status st = rt_allgather(p->comm, claim, bytes, claims);
  if (st == OK) st = rt_allgather(p->comm, mine, row, starts);
  if (st == OK) {
    rt_reduce_begin_best(r->l, starts, p->comm->size, p->globals);
    rt_reduce_pick(r->l, claims, p->comm->size, p->scratch->acc);
    rt_reduce_finish(r->l, p->globals, p->scratch->acc, p->scratch->acc_row, 1);
  }
  return st;
}

static status
finish_elements(const struct rt_program *p, const struct rt_run *r,
                const char *claim) {
  const struct rt_scratch *s = p->scratch;
  if (r->l->offload) return OK;
  if (!claim)
    rt_reduce_finish(r->l, p->globals, s->acc, s->acc_row, r->threads);
  return rt_exact_finish(p, r, s->exact, r->threads);
}

/* Where a rank is: its next element, and the globals as it knows them. */
struct turn {
  idx_g next; /* INT64_MAX: it has run all */
};

/* Whose turn it is, and the element with which that of the next one begins. */
static int
turn_of(const char *turns, size_t bytes, int ranks, idx_g *until) {
  int who = 0;
  idx_g first = INT64_MAX;
  *until = INT64_MAX;
  for (int i = 0; i < ranks; i++) {
    struct turn t;
    memcpy(&t, turns + (size_t)i * bytes, sizeof t);
    if (t.next < first) {
      *until = first;
      first = t.next;
      who = i;
    } else if (t.next < *until) {
      *until = t.next;
    }
  }
  return first == INT64_MAX ? -1 : who;
}

/* Globals that are updated in place, in the order of all ranks' elements: each
 * runs until another one's come, and hands the globals on. */
static status
run_tokens(const struct rt_program *p, const struct rt_run *r, char *claim) {
  const struct rt_launch *l = r->l;
  const struct rt_part *part = p->sets[l->set]->part;
  struct rt_comm *c = p->comm;
  size_t head = sizeof(struct turn);
  size_t bytes = head + tokens_copy(p, l, NULL, true);
  SCOPED char *mine = mem_alloc(bytes, (size_t)c->size + 1);
  char *all = mine + bytes;
  status st = OK;
  idx_l at = 0;
  TRY(start_elements(p, r, claim));
  for (int who = 0; st == OK;) {
    struct turn t = {INT64_MAX};
    if (at < r->n) t.next = part->global[part->sorted[at]];
    memcpy(mine, &t, head);
    TRY(rt_globals_here(p, l));
    tokens_copy(p, l, mine + head, true);
    st = rt_allgather(c, mine, bytes, all);
    if (st != OK) break;
    tokens_copy(p, l, all + (size_t)who * bytes + head, false);
    idx_g until;
    who = turn_of(all, bytes, c->size, &until);
    if (who < 0) break;
    idx_l from = at;
    while (who == c->rank && at < r->n &&
           part->global[part->sorted[at]] < until)
      at++;
    st = run_in_order(p, r, claim, from, at);
  }
  if (st == OK) st = finish_elements(p, r, claim);
  return st;
}

/* Without tokens; with claims in order. */
static status
run_alone_or_team(const struct rt_program *p, const struct rt_run *r,
                  char *claim) {
  status st = OK;
  if (r->n <= 0 && !claim && !r->nexact) return OK;
  if (!r->begun) TRY(start_elements(p, r, claim));
  if (claim || r->l->offload)
    st = run_in_order(p, r, claim, r->begun ? r->core : 0, r->n);
  else
    rt_launch_team(r, p->scratch, r->begun ? r->halves[1] : r->walk);
  return st == OK ? finish_elements(p, r, claim) : st;
}

status
rt_launch_core(const struct rt_program *p, struct rt_run *r, bool *ran) {
  *ran = r->core > 0;
  assert(!r->begun && r->core <= r->n);
  if (!r->core) return OK;
  TRY(start_elements(p, r, NULL));
  if (r->l->offload)
    TRY(run_in_order(p, r, NULL, 0, r->core));
  else
    rt_launch_team(r, p->scratch, r->halves[0]);
  r->begun = true;
  return OK;
}

status
rt_launch_run(const struct rt_program *p, const struct rt_run *r) {
  const struct rt_launch *l = r->l;
  bool spread = rt_joins(p) && p->sets[l->set]->part;
  char *claim =
      spread && rt_reduce_ordered(l) ? mem_alloc(rt_reduce_claim(l), 1) : NULL;
  status st = OK;
  if (spread && l->ntokens)
    st = run_tokens(p, r, claim);
  else
    st = run_alone_or_team(p, r, claim);
  if (st == OK && claim) st = settle_claims(p, r, claim);
  free(claim);
  return st == OK ? run_redundant(p, r) : st;
}

status
rt_launch_rest(const struct rt_program *p, const struct rt_run *r,
               const char *acc, size_t row, int rows) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_launch *l = r->l;
  const struct rt_walk *rest = r->core ? r->halves[1] : r->walk;
  int shared = rows < r->threads ? rows : r->threads;
  assert(!l->offload && !l->ntokens && !r->nexact && !rt_reduce_ordered(l));
  TRY(start_elements(p, r, NULL));
  for (int t = 0; l->nreductions && t < shared; t++)
    memcpy(s->acc + (size_t)t * s->acc_row, acc + (size_t)t * row,
           rt_reduce_row(l));
  if (r->core < r->n) rt_launch_team(r, s, rest);
  TRY(finish_elements(p, r, NULL));
  if (shared < rows)
    rt_reduce_finish(l, p->globals, acc + (size_t)shared * row, row,
                     rows - shared);
  return run_redundant(p, r);
}

/* ---- sums --------------------------------------------------------------- */

/* A sum's start value counts on rank 0; of an extreme, that of each rank. */
void
rt_sum_begin(const struct rt_program *p, const struct rt_sum *s) {
  if (!rt_joins(p) || !p->comm->rank || s->access != ACC_INC) return;
  type_identity(s->type, s->access, p->globals[s->global], s->dim);
  rt_global_written(p, s->global);
}

/* sums[first .. n) that are like the first: in one message. */
static status
reduce_alike(const struct rt_program *p, const struct rt_sum *s, uint32_t first,
             uint32_t n_sums, bool *done) {
  const struct rt_sum *lead = &s[first];
  assert(first < n_sums && !done[first]);
  char *at, *block;
  size_t n = 0;
  for (uint32_t i = first; i < n_sums; i++) n += s[i].dim;
  at = block = mem_alloc(n, lead->type.size);
  n = 0;
  for (uint32_t i = first; i < n_sums; i++) {
    if (!type_same(s[i].type, lead->type) || s[i].access != lead->access)
      continue;
    memcpy(at, p->globals[s[i].global], s[i].dim * s[i].type.size);
    at += s[i].dim * s[i].type.size;
    n += s[i].dim;
    done[i] = true;
  }
  status st = rt_allreduce(p->comm, block, n, lead->type, lead->access);
  at = block;
  for (uint32_t i = first; st == OK && i < n_sums; i++) {
    if (!type_same(s[i].type, lead->type) || s[i].access != lead->access)
      continue;
    memcpy(p->globals[s[i].global], at, s[i].dim * s[i].type.size);
    at += s[i].dim * s[i].type.size;
  }
  free(block);
  return st;
}

status
rt_sums_reduce(const struct rt_program *p, const struct rt_sum *sums,
               uint32_t n) {
  if (!rt_joins(p)) return OK;
  SCOPED bool *done = mem_alloc(n, sizeof *done);
  status st = OK;
  for (uint32_t i = 0; st == OK && i < n; i++) {
    st = rt_global_here(p, sums[i].global);
    rt_global_written(p, sums[i].global);
  }
  for (uint32_t i = 0; st == OK && i < n; i++)
    if (!done[i]) st = reduce_alike(p, sums, i, n, done);
  return st;
}
