/* Loops that cannot be compiled are refused; nothing else suffers.
 *
 * Problem. A flush compiles many loops at once. One that no compiler takes (a
 * device has not what its kernel calls, a symbol is nowhere) would keep all
 * others from running, now and at each later try, so that nothing could be
 * looked at any more.
 *
 * Idea. The same work is lowered again with each loop in a region of its own,
 * so that the error names one. All records of that loop go, with those that
 * want its results, and what they would have written is lost (lost.c). The rest
 * is tried again, and all of it runs. The error is told once, at the flush that
 * found it, and concerns the loop, not the call: that goes on, where there is a
 * handler to tell. Where OP2_OFFLOAD_FALLBACK=host allows it, the loop goes to
 * the host instead. If each loop compiles for itself, loops are not fused from
 * then on.
 *
 * Over ranks the first record that fails on any rank goes on all, with its
 * message.
 *
 * cost  none until something fails; then two lowerings for each loop refused */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/refuse.h"

#include "base/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool
fe_is_refusal(status st) {
  return (st == ERR_COMPILE || st == ERR_TARGET) &&
         fe_programs.failed != UINT32_MAX;
}

/* No loop fails for itself: those that failed did so together. */
static status
keep_apart(status st) {
  TRY(fe_agree("compiling loops apart", 0, st));
  if (!fe.apart)
    LOG_WARN("loops compile for themselves only, and are not fused from here "
             "on: %s",
             err_last());
  fe.apart = true;
  return OK;
}

/* The loop's records, moved to the host. */
static void
move_to_host(const struct fe_rec *bad, const char *why) {
  SCOPED uint32_t *all = mem_alloc(fe_recs.n + 1, sizeof *all);
  LOG_WARN("%s does not take a loop, which runs on the host instead: %s",
           fe_target_name(bad->target), why);
  for (uint32_t i = 0; i < fe_recs.n; i++) {
    all[i] = i;
    if (fe_rec_same_loop(&fe_recs.all[i], bad)) fe_recs.all[i].target = 0;
  }
  fe_call_to_host(bad->what);
  fe_recs_keep(all, fe_recs.n, false); /* their words say where they run */
}

/* The last message, without the ends of lines that compilers leave behind. */
static char *
message(void) {
  char *text = fe_text_copy(err_last());
  size_t n = strlen(text);
  while (n && (text[n - 1] == '\n' || text[n - 1] == ' ')) text[--n] = 0;
  return text;
}

static void
drop(const struct fe_rec *bad, struct fe_cause why, struct fe_refusal *r) {
  uint32_t was = fe_recs.loops;
  fe_lost_drop(bad, why);
  uint32_t n = was - fe_recs.loops;
  assert(n > 0);
  str_printf(&r->text, "%s%s; %u recorded loop%s dropped, what %s is lost",
             r->text.len ? "; " : "", why.text, n, n == 1 ? " is" : "s are",
             n == 1 ? "it writes" : "they write");
  r->st = why.st;
}

status
fe_refuse(struct fe_request rq, struct fe_refusal *r) {
  struct fe_program *p;
  bool apart = fe.apart;
  fe.apart = true;
  status st = fe_program_find(rq, &p);
  fe.apart = apart;
  uint64_t mine = fe_is_refusal(st) ? fe_programs.failed : UINT64_MAX,
           first = mine;
  TRY(fe_join(&first, 1, TYPE_U64, ACC_MIN));
  if (first == UINT64_MAX) return keep_apart(st);
  (void)fe_agree_tell(mine == first ? st : OK);
  assert(first < fe_recs.n && fe_recs.all[first].kind == FE_REC_LOOP);
  struct fe_rec bad = fe_recs.all[first];
  SCOPED char *text = message();
  if (fe_target_is_device(bad.target) && fe.opt.fallback == OPT_fallback_host)
    move_to_host(&bad, text);
  else
    drop(&bad, (struct fe_cause){mine == first ? st : ERR_COMPILE, text}, r);
  return OK;
}

status
fe_refusal_end(struct fe_refusal *r, status st) {
  if (r->st == OK) return st;
  fe_lost_forget();
  if (st != OK) {
    err_prefix(st, "%s; then: ", r->text.s);
  } else {
    st = err_set(r->st, "%s", r->text.s);
    if (fe.handler) {
      fe_error_told(st);
      st = OK;
    }
  }
  str_clear(&r->text);
  return st;
}
