/* Agreement: ranks make the same calls, or all learn that they don't.
 *
 * Problem. A rank that records one loop more, takes another branch or stops
 * with an error leaves the others in a message that nobody sends. They would
 * wait for ever.
 *
 * Idea. Before anything that takes all ranks there is one reduction of seven
 * words: what it is, all loops recorded so far (a hash of hashes), the worst
 * status, whether all are to mend what caused it (refuse.c), whether a rank
 * looks at dat->data or at a raw global, perhaps alone (mirror.c), and which
 * loops' raw globals it has written over unread. A minimum of h and of ~h tells
 * whether all have the same. So ranks that come apart meet in that reduction,
 * whatever they came for. Then they have time: they look for the first loop in
 * which they differ, in a ring of the last ones, and each reports its own and
 * another rank's.
 *
 * What else decides what ranks do together is in that hash, too (*steps*: a dat
 * declared or uploaded, a global set, a target pushed), or compared once:
 * options, by op_init. What ranks may have of their own (bytes of constants
 * that changed) decides nothing.
 *
 * What the program does with a raw global on one rank alone changes no result,
 * but what may be left out: results count as unread where all ranks have
 * written over them.
 *
 * Cost: one reduction of 56 bytes for each flush, fetch or print, on several
 * ranks; a multiplication for each loop.
 * Limits: a rank that makes no call at all any more (an endless loop of the
 * program) is waited for. A hash may agree by chance, once in 2^64. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "base/hash.h"
#include "base/str.h"
#include "rt/ranks/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 2048, TEXT = 240, TOLD_RANKS = 8 };

/* Of the program: a loop, or a step that is none. */
struct said {
  const struct fe_call *call; /* NULL: a step */
  const char *what, *file;
  int line;
};

static struct {
  uint64_t said;     /* hash of all loops and steps */
  uint64_t n, loops; /* steps; of these, loops */
  uint64_t top;      /* steps ever: n may go back */
  uint64_t ring[RING];
  struct said last[RING];
} agree;

status
fe_join(void *x, size_t n, enum type_kind type, enum access op) {
  struct type t = {type, type == TYPE_U8 ? 1 : 8};
  return fe_ranked() ? rt_allreduce(fe_ranks.comm, x, n, t, op) : OK;
}

static void
say(uint64_t h, struct said s) {
  agree.said = hash_word(agree.said, h);
  agree.ring[agree.n % RING] = agree.said;
  agree.last[agree.n % RING] = s;
  agree.top = ++agree.n;
}

/* What ranks compare of a call, with the dats and globals that are in the slots
 * which it knows. */
static uint64_t
said_of(const struct fe_call *c) {
  uint64_t h = c->said;
  for (uint32_t a = 0; a < c->nargs; a++) {
    const struct fe_arg *x = &c->args[a];
    if (x->dat) h = hash_word(h, x->dat->born);
    if (x->gbl) h = hash_word(h, x->gbl->born);
  }
  return h;
}

/* While nothing is declared the same dats and globals are in its slots. */
void
fe_agree_loop(struct fe_call *c) {
  if (!fe_ranked()) return;
  if (!c->named || c->born != fe_all.born) {
    c->named = said_of(c);
    c->born = fe_all.born;
  }
  say(c->named, (struct said){.call = c});
  agree.loops++;
}

void
fe_agree_step(const char *what, const char *name, uint64_t detail) {
  if (!fe_ranked()) return;
  uint64_t h = hash_word(hash_text(hash_text(2, what), name), detail);
  say(h, (struct said){.what = what, .file = fe.file, .line = fe.line});
}

/* ---- telling why -------------------------------------------------------- */

/* Loop or step number i as text; what comes instead if there is none. */
static void
describe(uint64_t i, const char *what, char *out) {
  if (i >= agree.n) {
    snprintf(out, TEXT, "%s%s%s after %llu loops", what, fe.file ? " at " : "",
             fe.file ? fe.file : "", (unsigned long long)agree.loops);
  } else if (agree.n - i > RING) {
    snprintf(out, TEXT, "a call more than %d calls ago", RING);
  } else {
    const struct said *s = &agree.last[i % RING];
    const char *file = s->call ? s->call->file : s->file;
    int line = s->call ? s->call->line : s->line;
    snprintf(out, TEXT, "%s%s%s at %s:%d", s->call ? "op_par_loop \"" : s->what,
             s->call ? s->call->name : "", s->call ? "\"" : "",
             file ? file : "?", line);
  }
}

struct past {
  uint64_t n, ring[RING];
};

/* The first call in which some rank differs from rank 0. */
static uint64_t
first_difference(const struct past *all) {
  uint64_t first = UINT64_MAX;
  for (int r = 1; r < fe_ranks.size; r++) {
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
  const char *mine = texts + (size_t)fe_ranks.rank * TEXT;
  for (int r = 0; r < fe_ranks.size; r++) {
    const char *text = texts + (size_t)r * TEXT;
    if (strncmp(text, mine, TEXT))
      FAIL(ERR_STATE, "%s: rank %d: %s; rank %d: %s", head, fe_ranks.rank, mine,
           r, text);
  }
  FAIL(ERR_STATE, "%s: rank %d: %s", head, fe_ranks.rank, mine);
}

static status
tell_difference(const char *what) {
  SCOPED struct past *mine = mem_alloc(1, sizeof *mine);
  SCOPED struct past *all = mem_alloc((size_t)fe_ranks.size, sizeof *all);
  SCOPED char *texts = mem_alloc((size_t)fe_ranks.size + 1, TEXT);
  char *text = texts + (size_t)fe_ranks.size * TEXT;
  mine->n = agree.n;
  memcpy(mine->ring, agree.ring, sizeof agree.ring);
  status st = rt_allgather(fe_ranks.comm, mine, sizeof *mine, all);
  if (st == OK) {
    describe(first_difference(all), what, text);
    st = rt_allgather(fe_ranks.comm, text, TEXT, texts);
  }
  if (st == OK) st = report(texts, "ranks do not make the same calls");
  return st;
}

/* Some rank has an error; whose has none says whose and which. */
static status
tell_error(status st) {
  SCOPED char *texts = mem_alloc((size_t)fe_ranks.size + 1, TEXT);
  char *text = texts + (size_t)fe_ranks.size * TEXT;
  if (st != OK) snprintf(text, TEXT, "%s", err_last());
  status sent = rt_allgather(fe_ranks.comm, text, TEXT, texts);
  for (int r = 0; sent == OK && st == OK && r < fe_ranks.size; r++)
    if (texts[(size_t)r * TEXT])
      st = err_set(ERR_STATE, "rank %d: %s", r, texts + (size_t)r * TEXT);
  return st == OK ? sent : st;
}

/* What this rank brings to an agreement. */
struct brought {
  const char *what;
  uint64_t detail;
  status st;
  bool mend;           /* afterwards: all are to mend */
  enum fe_looked look; /* perhaps alone; afterwards: some rank does, and not all
                          are here */
};

static status
agree_once(struct brought *b) {
  uint64_t h = hash_word(hash_text(agree.said, b->what), b->detail);
  uint64_t unread = fe_recs_unread();
  uint64_t words[] = {
      h,      ~h,     ~(uint64_t)b->st, ~(uint64_t)b->mend, ~(uint64_t)b->look,
      unread, ~unread};
  TRY(fe_join(words, sizeof words / sizeof *words, TYPE_U64, ACC_MIN));
  bool same = words[0] == ~words[1];
  b->mend = ~words[3] && same;
  b->look = same || ~words[2] ? FE_LOOKED_NOT : (enum fe_looked) ~words[4];
  if (words[5] != ~words[6]) fe_recs_unread_forget();
  if (b->mend || b->look) return b->st;
  if (~words[2]) return tell_error(b->st);
  return same ? OK : tell_difference(b->what);
}

static status (*catch_up)(const char *what);

void
fe_agree_on_look(status (*f)(const char *what)) {
  catch_up = f;
}

status
fe_agree_or_mend(const char *what, uint64_t detail, status st, bool *mend) {
  if (!fe_ranked()) return st;
  for (;;) {
    struct brought b = {what, detail, st, *mend, FE_LOOKED_NOT};
    status all = agree_once(&b);
    if (!b.look) {
      *mend = b.mend;
      return all;
    }
    TRY(catch_up(what));
  }
}

status
fe_agree(const char *what, uint64_t detail, status st) {
  bool mend = false;
  return fe_agree_or_mend(what, detail, st, &mend);
}

status
fe_agree_call(const char *what, const struct fe_call *c) {
  return fe_agree(what, fe_ranked() ? said_of(c) : 0, OK);
}

status
fe_agree_meet(const char *what, bool *met) {
  *met = true;
  if (!fe.lone_looks) return OK;
  struct brought b = {what, 0, OK, false, FE_LOOKED_NOT};
  status all = agree_once(&b);
  *met = !b.look;
  return b.look ? catch_up(what) : all;
}

status
fe_agree_turn(const char *what) {
  for (bool met = false; !met;) TRY(fe_agree_meet(what, &met));
  return OK;
}

status
fe_agree_look(const char *what, enum fe_looked mine, uint64_t detail,
              bool *alone) {
  struct brought b = {what, detail, OK, false, mine};
  status all = agree_once(&b);
  *alone = b.look != FE_LOOKED_NOT;
  return all;
}

/* What this rank had said after `step` steps; is it known still? */
static bool
said_after(uint64_t step, uint64_t *said) {
  if (step && agree.top - step >= RING) return false;
  *said = step ? agree.ring[(step - 1) % RING] : 0;
  return true;
}

/* A look and who does, the graver and then the lower first, as a minimum
 * finds them. */
static uint64_t
looker(enum fe_looked look) {
  if (!look) return UINT64_MAX;
  return ~((uint64_t)look << 32 | (UINT32_MAX - (uint32_t)fe_ranks.rank));
}

/* Who is there or knows what it had said there says so. */
status
fe_agree_first(enum fe_looked mine, const char *what, struct fe_lone *out) {
  uint64_t first = agree.n, h = agree.said;
  TRY(fe_join(&first, 1, TYPE_U64, ACC_MIN));
  bool here = first == agree.n, known = here || said_after(first, &h);
  uint64_t none = UINT64_MAX;
  uint64_t words[] = {known ? h : none, known ? ~h : none,
                      looker(here ? mine : FE_LOOKED_NOT)};
  TRY(fe_join(words, 3, TYPE_U64, ACC_MIN));
  enum fe_looked look = (enum fe_looked)(~words[2] >> 32);
  *out = (struct fe_lone){first, words[0], look, words[2] == looker(mine)};
  out->mine = look && here && out->mine;
  return words[0] == ~words[1] && look ? OK : tell_difference(what);
}

uint64_t
fe_agree_steps(void) {
  return agree.n;
}

uint64_t
fe_agree_said(void) {
  return agree.said;
}

void
fe_agree_rewind(uint64_t step, uint64_t said) {
  agree.n = step;
  agree.said = said;
}

status
fe_agree_tell(status st) {
  return fe_ranked() ? tell_error(st) : st;
}

enum { LONG_TEXT = 2000 };

status
fe_agree_text(status st, const char *text) {
  if (!fe_ranked()) return err_set(st, "%s", text);
  size_t ranks = (size_t)fe_ranks.size;
  SCOPED char *texts = mem_alloc(ranks + 1, LONG_TEXT);
  char *mine = texts + ranks * LONG_TEXT;
  if (text) snprintf(mine, LONG_TEXT, "%s", text);
  TRY(rt_allgather(fe_ranks.comm, mine, LONG_TEXT, texts));
  for (size_t r = 0; r < ranks; r++)
    if (texts[r * LONG_TEXT]) return err_set(st, "%s", texts + r * LONG_TEXT);
  return OK;
}

/* ---- options ------------------------------------------------------------ */

/* Text i of `all`, texts one after another. */
static const char *
text_at(const char *all, size_t bytes, uint32_t i) {
  const char *end = all + bytes;
  while (i-- && all < end) all += strlen(all) + 1;
  return all < end ? all : "";
}

/* "NAME: 0 on rank 0, 1 on ranks 1 2"; nothing if all have the same. */
static void
describe_option(const char *texts, size_t bytes, uint32_t i, struct str *out) {
  const char *first = text_at(texts, bytes, i);
  size_t name = strcspn(first, "=");
  bool differ = false;
  for (int r = 1; r < fe_ranks.size; r++)
    differ |= strcmp(first, text_at(texts + (size_t)r * bytes, bytes, i)) != 0;
  if (!differ) return;
  str_printf(out, "%s%.*s:", out->len ? "; " : "", (int)name, first);
  for (int r = 0; r < fe_ranks.size; r++) {
    const char *mine = text_at(texts + (size_t)r * bytes, bytes, i);
    int like = 0, before = 0;
    for (int q = 0; q < fe_ranks.size; q++) {
      if (strcmp(mine, text_at(texts + (size_t)q * bytes, bytes, i))) continue;
      before += q < r;
      if (before) break;
      if (!like)
        str_printf(out, "%s \"%s\" on rank", r ? "," : "",
                   *mine ? mine + name + 1 : "");
      if (like++ < TOLD_RANKS) str_printf(out, " %d", q);
    }
    if (!before && like > TOLD_RANKS)
      str_printf(out, " and %d others", like - TOLD_RANKS);
  }
}

/* `most`: bytes of the rank that has most. */
static status
tell_options(const struct str *mine, size_t most) {
  SCOPED char *texts = mem_alloc((size_t)fe_ranks.size + 1, most + 1);
  char *own = texts + (size_t)fe_ranks.size * (most + 1);
  SCOPED_STR said = STR_INIT;
  memcpy(own, mine->s, mine->len);
  status st = rt_allgather(fe_ranks.comm, own, most + 1, texts);
  for (uint32_t i = 0; st == OK && *text_at(texts, most + 1, i); i++)
    describe_option(texts, most + 1, i, &said);
  if (st == OK)
    st = err_set(ERR_ARG,
                 "op_init: options that have to be the same on all ranks "
                 "differ: %s",
                 said.s);
  return st;
}

status
fe_agree_options(void) {
  SCOPED_STR mine = STR_INIT;
  uint64_t h = 3;
  if (!fe_ranked()) return OK;
  opt_shared(&fe.opt, &mine);
  str_printf(&mine, "OP2_TARGET=%.*s", (int)strcspn(fe.opt.target, ":"),
             fe.opt.target);
  str_addn(&mine, "", 1);
  str_printf(&mine, "OP_MAPS_BASE_INDEX=%d", fe.base_index);
  str_addn(&mine, "", 1);
  for (size_t i = 0; i < mine.len; i++)
    h = hash_word(h, (unsigned char)mine.s[i]);
  uint64_t words[] = {h, ~h, ~(uint64_t)mine.len};
  status st = fe_join(words, 3, TYPE_U64, ACC_MIN);
  if (st == OK && words[0] != ~words[1])
    st = tell_options(&mine, (size_t)~words[2]);
  return st;
}
