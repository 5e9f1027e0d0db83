/* The program for a recording, found by its whole key or made.
 *
 * The key is the recording's words, the request, and the few facts of state
 * that shape code. First the program that followed the last one is tried: one
 * memcmp. Then the table, which compares whole keys. */
#include "frontend/ranks.h"

#include <string.h>

/* The request and the state stand behind the recording's words while looking
 * up. */
static void
words_close(struct fe_request rq) {
  uint32_t index = rq.want == FE_WANT_RAW ? 0 : rq.index;
  uint32_t want = (uint32_t)rq.want << 1 | fe.apart;
  uint32_t tail[FE_REQUEST_WORDS] = {
      want, index, fe.state_id, fe.setup_id, fe_residency_id(), fe_reach_id()};
  for (int i = 0; i < FE_REQUEST_WORDS; i++)
    VEC_PUSH(fe.words, fe.nwords, fe.capwords, tail[i]);
}

static void
program_keep(struct fe_program *p, const uint32_t *words, uint32_t n) {
  p->words = mem_alloc(n, sizeof *words);
  memcpy(p->words, words, n * sizeof *words);
  p->nwords = n;
  p->bytes = fe_program_bytes(p);
  fe.program_bytes += p->bytes;
  VEC_PUSH(fe.programs, fe.nprograms, fe.capprograms, p);
  *table_slot(&fe.program_ids, p->words, n * sizeof *words) = (uintptr_t)p;
}

status
fe_program_find(struct fe_request rq, struct fe_program **out) {
  struct fe_program *guess = fe.last_program ? fe.last_program->next : NULL;
  words_close(rq);
  fe.failed = IR_NONE;
  uint32_t n = fe.nwords;
  fe.nwords -= FE_REQUEST_WORDS; /* the recording itself is not closed */
  if (guess && guess->nwords == n &&
      !memcmp(guess->words, fe.words, n * sizeof *fe.words)) {
    counters[CNT_cache_hits]++;
    *out = guess;
    return OK;
  }
  uintptr_t id = table_get(&fe.program_ids, fe.words, n * sizeof *fe.words, 0);
  if (id) {
    counters[CNT_cache_hits]++;
    *out = (struct fe_program *)id;
    return OK;
  }
  bool changed;
  TRY(fe_layout_update(&changed));
  if (changed) return fe_program_find(rq, out);
  fe_sweep();
  TRY(fe_program_make(rq, out));
  program_keep(*out, fe.words, n);
  return OK;
}
