/* The program for a recording, found by its whole key or made.
 *
 * The key is the recording's words, the request, and the few facts of state
 * that shape code. First the program that followed the last one is tried: one
 * memcmp, and a look at where its dats are. Then the table, which compares
 * whole keys; their last words number where all dats are. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"

#include "base/counters.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

struct fe_programs fe_programs;
static struct table known; /* words -> struct fe_program */

static uint32_t
words_add(const uint32_t *words, int n) {
  for (int i = 0; i < n; i++)
    VEC_PUSH(fe_recs.words, fe_recs.nwords, fe_recs.capwords, words[i]);
  return fe_recs.nwords;
}

/* The request and the state stand behind the recording's words while looking
 * up. How many words there are then; without those that number where dats are,
 * which take a look at all of them. The recording itself is not closed. */
static uint32_t
words_close(struct fe_request rq, bool where) {
  uint32_t open = fe_recs.nwords;
  uint32_t index = rq.want == FE_WANT_RAW ? fe_recs.n - 1 - rq.index : rq.index;
  uint32_t want = (uint32_t)rq.want << 1 | fe.apart;
  uint32_t n =
      words_add((uint32_t[]){want, index, fe.state_id, fe.setup_id}, 4);
  if (where)
    n = words_add((uint32_t[]){fe_residency_id(), fe_reach_id()},
                  FE_WHERE_WORDS);
  fe_recs.nwords = open;
  return n;
}

/* The program that followed the last one, if it fits: where dats are is seen
 * from its own. */
static struct fe_program *
guess_fits(struct fe_request rq) {
  struct fe_program *p = fe_programs.last ? fe_programs.last->next : NULL;
  size_t n = words_close(rq, false);
  if (!p || p->nwords != n + FE_WHERE_WORDS) return NULL;
  if (memcmp(p->words, fe_recs.words, n * sizeof *p->words)) return NULL;
  return fe_program_stands(p) ? p : NULL;
}

static void
program_keep(struct fe_program *p, const uint32_t *words, uint32_t n) {
  p->words = mem_alloc(n, sizeof *words);
  memcpy(p->words, words, n * sizeof *words);
  p->nwords = n;
  p->bytes = fe_program_bytes(p);
  fe_programs.bytes += p->bytes;
  VEC_PUSH(fe_programs.all, fe_programs.n, fe_programs.cap, p);
  *table_slot(&known, p->words, n * sizeof *words) = (uintptr_t)p;
}

status
fe_program_find(struct fe_request rq, struct fe_program **out) {
  struct fe_program *guess = guess_fits(rq);
  fe_programs.failed = UINT32_MAX;
  if (guess) {
    counters[CNT_cache_hits]++;
    *out = guess;
    return OK;
  }
  uint32_t n = words_close(rq, true);
  uintptr_t id = table_get(&known, fe_recs.words, n * sizeof *fe_recs.words, 0);
  if (id) {
    counters[CNT_cache_hits]++;
    *out = (struct fe_program *)id;
    return OK;
  }
  fe_sweep();
  TRY(fe_program_make(rq, out));
  fe_program_stand(*out);
  program_keep(*out, fe_recs.words, words_close(rq, true)); /* of new layouts */
  counters[CNT_programs]++;
  return OK;
}

void
fe_programs_drop(uint32_t keep) {
  for (uint32_t i = keep; i < fe_programs.n; i++)
    fe_programs.all[i]->gone = true;
  for (uint32_t i = 0; i < keep; i++) {
    struct fe_program *p = fe_programs.all[i];
    if (p->next && p->next->gone) p->next = NULL;
  }
  for (uint32_t i = keep; i < fe_programs.n; i++) {
    struct fe_program *p = fe_programs.all[i];
    table_remove(&known, p->words, p->nwords * sizeof *p->words);
    fe_programs.bytes -= p->bytes;
    if (fe_programs.last == p) fe_programs.last = NULL;
    fe_program_free(p);
    counters[CNT_programs_dropped]++;
  }
  fe_programs.n = keep;
}

void
fe_programs_clear(void) {
  for (uint32_t i = 0; i < fe_programs.n; i++)
    fe_program_free(fe_programs.all[i]);
  free(fe_programs.all);
  table_clear(&known);
  fe_explain_clear();
  fe_programs = (struct fe_programs){0};
}
