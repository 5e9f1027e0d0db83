/* The pass driver.
 *
 * Problem   Each pass wants the same care around it: the analyses it needs, a
 *           check that it left the trace legal, a way to switch it off, a look
 *           at what it did. Written into each pass, one of them would lack it.
 *
 * Idea      A pass is a row of passes.def and one function. A pipeline text is
 *           turned into steps (a row and its options) before anything runs, so
 *           that a spelling mistake costs nothing; then one loop does for each
 *           step: facts, pass, verify, round trip, report. A fact is made when
 *           a pass needs it and stays until one does not keep it. Debug builds
 *           make each kept fact anew and compare, and compare the text of a
 *           trace that a pass says it left alone: what a row says is proven.
 *
 * Example   pass_run(&t, &(struct pass_options){.pipeline = "dce,fuse{max=8}"})
 *
 * Cost      a walk for a fact that is not there; per step one for the verifier,
 *           the kept facts and two texts in debug builds, a print and a parse
 *           in stress mode.
 *
 * Source    the driver of Mesa's NIR (validate, clone and serialise after every
 *           pass); the pipeline text as in LLVM's opt.
 *
 * Limits    options of passes are whole numbers.
 */
#include "passes/pass.h"

#include "ir/hold.h"

#include "base/opt.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct pass_info {
  const char *name;
  unsigned needs, keeps; /* enum pass_fact */
  const char *options, *off, *what;
  bool (*run)(struct ir_trace *t, const struct pass_ctx *c);
};

static const struct pass_info pass_infos[] = {
#define PASS(name, needs, keeps, options, off, what)                           \
  {#name, needs, keeps, options, off, what, pass_##name},
#include "passes/passes.def"
#undef PASS
};
enum { PASS_COUNT = sizeof pass_infos / sizeof *pass_infos };

struct pass_step {
  const struct pass_info *pass;
  const char *args; /* in the pipeline's arena */
};

struct pass_pipeline {
  struct arena arena;
  struct pass_step *steps;
  uint32_t nsteps, capsteps;
};

void
pass_list(struct str *out) {
  for (int i = 0; i < PASS_COUNT; i++)
    str_printf(out, "%-10s %s%s%s%s\n", pass_infos[i].name, pass_infos[i].what,
               *pass_infos[i].options ? " {" : "", pass_infos[i].options,
               *pass_infos[i].options ? "}" : "");
}

static const struct pass_info *
pass_find(const char *name, size_t len) {
  for (int i = 0; i < PASS_COUNT; i++)
    if (strlen(pass_infos[i].name) == len &&
        !memcmp(pass_infos[i].name, name, len))
      return &pass_infos[i];
  return NULL;
}

static status
pass_unknown(const char *name, size_t len) {
  struct str known = STR_INIT;
  for (int i = 0; i < PASS_COUNT; i++)
    str_printf(&known, "%s%s", i ? ", " : "", pass_infos[i].name);
  status st = err_set(ERR_ARG, "unknown pass '%.*s'; known passes: %s",
                      (int)len, name, known.s);
  str_clear(&known);
  return st;
}

/* One "key=number" of a pass's options. Returns what follows it, NULL if `p`
 * does not start with one. `key_out` lies in `p`. */
static const char *
pass_option(const char *p, size_t *key_out, long *value_out) {
  size_t key = strcspn(p, "=,");
  if (!key || p[key] != '=' || !isdigit((unsigned char)p[key + 1])) return NULL;
  char *end;
  *value_out = strtol(p + key + 1, &end, 10);
  *key_out = key;
  if (*end && *end != ',') return NULL;
  return *end ? end + 1 : end;
}

long
pass_arg(const struct pass_ctx *c, const char *key, long def) {
  size_t len;
  long value;
  for (const char *p = c->args, *next; *p; p = next) {
    next = pass_option(p, &len, &value);
    assert(next); /* pass_check_options has seen it */
    if (strlen(key) == len && !memcmp(p, key, len)) return value;
  }
  return def;
}

static status
pass_check_options(const struct pass_info *pass, const char *args) {
  size_t len;
  long value;
  char key[32];
  for (const char *p = args, *next; *p; p = next) {
    next = pass_option(p, &len, &value);
    if (!next)
      FAIL(ERR_ARG, "pass %s: expected key=number, found '%s'", pass->name, p);
    if (len < sizeof key) memcpy(key, p, len), key[len] = 0;
    if (len >= sizeof key || !opt_listed(pass->options, key))
      FAIL(ERR_ARG, "pass %s: unknown option '%.*s'; known: %s", pass->name,
           (int)len, p, *pass->options ? pass->options : "none");
  }
  return OK;
}

static void
pass_push(struct pass_pipeline *p, const struct pass_info *pass,
          const char *args) {
  struct pass_step step = {pass, args};
  VEC_PUSH(p->steps, p->nsteps, p->capsteps, step);
}

/* Parse "name", "name{options}" at *text and step over it. */
static status
pass_parse_step(struct pass_pipeline *p, const char **text) {
  const char *name = *text;
  size_t len = strcspn(name, ",{ \t");
  const struct pass_info *pass = pass_find(name, len);
  if (!pass) return pass_unknown(name, len);
  const char *end = name + len, *args = "";
  if (*end == '{') {
    size_t n = strcspn(end + 1, "}");
    if (!end[1 + n])
      FAIL(ERR_ARG, "pass %s: expected '}' after '%s'", pass->name, end);
    args = arena_printf(&p->arena, "%.*s", (int)n, end + 1);
    end += n + 2;
  }
  TRY(pass_check_options(pass, args));
  pass_push(p, pass, args);
  *text = end;
  return OK;
}

static status
pass_parse(struct pass_pipeline *p, const char *text) {
  for (;;) {
    text += strspn(text, " \t");
    TRY(pass_parse_step(p, &text));
    text += strspn(text, " \t");
    if (!*text) return OK;
    if (*text != ',') FAIL(ERR_ARG, "pipeline: expected ',', found '%s'", text);
    text++;
  }
}

status
pass_check_names(const char *names) {
  for (const char *d = names; *d;) {
    size_t len = strcspn(d, ",");
    if (len && !pass_find(d, len)) return pass_unknown(d, len);
    d += len + (d[len] == ',');
  }
  return OK;
}

/* Take out, or turn down, what the user switched off. */
static status
pass_disable(struct pass_pipeline *p, const char *disable) {
  TRY(pass_check_names(disable));
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->nsteps; i++) {
    struct pass_step s = p->steps[i];
    bool off = opt_listed(disable, s.pass->name);
    if (off && !s.pass->off) continue;
    if (off) s.args = s.pass->off;
    p->steps[n++] = s;
  }
  p->nsteps = n;
  return OK;
}

/* All passes in order, some with options. */
static status
pass_default(struct pass_pipeline *p, const char *with) {
  for (int i = 0; i < PASS_COUNT; i++) pass_push(p, &pass_infos[i], "");
  if (with) TRY(pass_parse(p, with));
  for (uint32_t k = PASS_COUNT; k < p->nsteps; k++)
    for (uint32_t i = 0; i < PASS_COUNT; i++)
      if (p->steps[i].pass == p->steps[k].pass)
        p->steps[i].args = p->steps[k].args;
  p->nsteps = PASS_COUNT;
  return OK;
}

static status
pass_make_pipeline(struct pass_pipeline *p, const struct pass_options *o) {
  if (o->pipeline && *o->pipeline) TRY(pass_parse(p, o->pipeline));
  if (!o->pipeline) TRY(pass_default(p, o->with));
  return pass_disable(p, o->disable ? o->disable : "");
}

static status
pass_verify(const struct ir_trace *t, const char *pass) {
  struct str why = STR_INIT;
  status st = OK;
  if (ir_verify(t, &why))
    st = err_set(ERR_STATE, "pass %s broke the trace:\n%s", pass, why.s);
  str_clear(&why);
  return st;
}

/* What text does not carry: the owner's numbers and the remarks. */
static void
pass_carry_over(const struct ir_trace *from, struct ir_trace *to) {
  assert(to && from->nsets == to->nsets && from->nmaps == to->nmaps);
  assert(from->ndats == to->ndats && from->nkernels == to->nkernels);
  assert(from->nnodes == to->nnodes);
#define PASS_TAGS(array)                                                       \
  for (uint32_t i = 0; i < from->n##array; i++)                                \
  to->array[i].tag = from->array[i].tag
  PASS_TAGS(sets);
  PASS_TAGS(maps);
  PASS_TAGS(dats);
  PASS_TAGS(kernels);
  PASS_TAGS(nodes);
#undef PASS_TAGS
  to->nremarks = 0;
  to->placed = from->placed;
  for (uint32_t i = 0; i < from->nremarks; i++)
    ir_remark(to, "%s", from->remarks[i]);
}

/* The trace as text and back, and a clone of that. */
static status
pass_copy(const char *text, const char *pass, struct ir_trace **out) {
  struct ir_trace *parsed;
  TRY(ir_parse(text, pass, &parsed));
  *out = ir_trace_clone(parsed);
  ir_trace_free(parsed);
  return OK;
}

/* Print, parse, clone, print again; the texts must agree and the copy goes on.
 * */
static status
pass_stress(struct ir_trace **t, const char *pass) {
  struct str before = STR_INIT, after = STR_INIT;
  struct ir_trace *copy = NULL;
  ir_print(*t, &before);
  status st = pass_copy(before.s, pass, &copy);
  if (st != OK) {
    st = err_set(ERR_STATE, "text after pass %s does not parse: %s", pass,
                 err_last());
  } else {
    ir_print(copy, &after);
    if (strcmp(before.s, after.s))
      st = err_set(ERR_STATE,
                   "text after pass %s changes when parsed:\n%s\nnow:\n%s",
                   pass, before.s, after.s);
  }
  if (st == OK) {
    pass_carry_over(*t, copy);
    struct ir_trace *old = *t;
    *t = copy;
    copy = old;
  }
  if (copy) ir_trace_free(copy);
  str_clear(&before);
  str_clear(&after);
  return st;
}

static bool
pass_debug_build(void) {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

/* ---- facts -------------------------------------------------------------- */

/* Those that the driver makes; NULL: not there. */
struct pass_facts {
  bool *overlaps;
  int32_t *unit_of, nunits;
  struct ir_live live;
};

static void
facts_make(struct pass_facts *f, const struct ir_trace *t, unsigned needs) {
  if (needs & PASS_OVERLAPS && !f->overlaps) f->overlaps = ir_overlaps_build(t);
  if (needs & PASS_UNITS && !f->unit_of)
    f->unit_of = ir_units_build(t, &f->nunits);
  if (needs & PASS_LIVE && !f->live.last) f->live = ir_live_build(t);
}

static void
facts_drop(struct pass_facts *f, unsigned which) {
  if (which & PASS_OVERLAPS) {
    free(f->overlaps);
    f->overlaps = NULL;
  }
  if (which & PASS_UNITS) {
    free(f->unit_of);
    f->unit_of = NULL;
  }
  if (which & PASS_LIVE) ir_live_free(&f->live);
}

/* Those that are no longer what they are said to be. */
static unsigned
facts_wrong(const struct pass_facts *f, const struct ir_trace *t) {
  struct pass_facts now = {0};
  unsigned wrong = 0;
  facts_make(&now, t, PASS_OVERLAPS | PASS_UNITS | PASS_LIVE);
  if (f->overlaps &&
      memcmp(f->overlaps, now.overlaps, t->ndats * sizeof *now.overlaps))
    wrong |= PASS_OVERLAPS;
  if (f->unit_of &&
      (f->nunits != now.nunits ||
       memcmp(f->unit_of, now.unit_of, t->nnodes * sizeof *now.unit_of)))
    wrong |= PASS_UNITS;
  if (f->live.last && (memcmp(f->live.last, now.live.last,
                              t->nvalues * sizeof *now.live.last) ||
                       memcmp(f->live.stays, now.live.stays,
                              t->nvalues * sizeof *now.live.stays)))
    wrong |= PASS_LIVE;
  facts_drop(&now, ~0U);
  return wrong;
}

/* Take out what halo and sums put in, if anything; regions keep their loops. */
static bool
forget_nodes(struct ir_trace *t, unsigned which) {
  ir_ref *perm = mem_alloc(t->nnodes + 1, sizeof *perm), at = 0;
  uint32_t nregions = t->nregions, n_all = t->nnodes;
  for (ir_ref n = 0; n < t->nnodes; n++) {
    uint8_t op = t->nodes[n].op;
    bool goes = op == IR_EXCHANGE
                    ? which & PASS_LEVELS
                    : (op == IR_BEGIN || op == IR_REDUCE) && which & PASS_SUMS;
    perm[n] = goes ? IR_NONE : at++;
  }
  for (uint32_t r = 0; r < nregions; r++)
    t->regions[r].first = perm[t->regions[r].first];
  t->nregions = 0; /* out of sight of the reordering, which keeps them whole */
  if (at < t->nnodes) ir_reorder(t, perm, at);
  t->nregions = nregions;
  free(perm);
  return at < n_all;
}

static void
forget_chains(struct ir_trace *t) {
  t->nchains = 0;
  for (ir_ref r = 0; r < t->nregions; r++) {
    t->regions[r].chain = t->regions[r].deep = 0;
    t->regions[r].span = (struct ir_spans){0};
  }
}

static void
forget_holds(struct ir_trace *t) {
  t->nholds = 0;
  for (ir_ref r = 0; r < t->nregions; r++)
    t->regions[r].hold0 = t->regions[r].nholds = 0;
}

/* What is held as `how` is held as before again. */
static void
forget_hold(struct ir_trace *t, enum ir_hold how) {
  for (uint32_t k = 0; k < t->nholds; k++)
    if (t->holds[k].how == how) t->holds[k].how = ir_hold_before(how);
}

/* Drop what earlier passes wrote and this one would make wrong. True: there are
 * other units now. */
static bool
pass_forget(struct ir_trace *t, unsigned which) {
  bool units = which & PASS_REGIONS && t->nregions;
  if (which & PASS_PLACES) t->placed = false;
  if (which & PASS_REGIONS) t->nregions = 0;
  if (which & PASS_BUFFERS) t->nbuffers = 0;
  for (ir_ref r = 0; which & PASS_WALKS && r < t->nregions; r++)
    t->regions[r].walk = IR_WALK_NONE;
  for (ir_ref r = 0; which & PASS_WIDTHS && r < t->nregions; r++)
    t->regions[r].width = t->regions[r].panel = t->regions[r].twice = 0;
  for (ir_ref r = 0; which & PASS_STRETCHES && r < t->nregions; r++)
    t->regions[r].stretches = t->regions[r].steps = t->regions[r].lengths =
        t->regions[r].twice = 0;
  for (ir_ref r = 0; which & PASS_ASKS && r < t->nregions; r++)
    t->regions[r].ahead = t->regions[r].prefetch = t->regions[r].targets =
        t->regions[r].target_rows = 0;
  for (ir_ref r = 0; which & PASS_TEAMS && r < t->nregions; r++)
    t->regions[r].team = IR_TEAM_NONE;
  for (ir_ref r = 0; which & PASS_CORES && r < t->nregions; r++)
    t->regions[r].core_first = false;
  if (which & PASS_CHAINS) forget_chains(t);
  if (which & PASS_STREAMS) forget_hold(t, IR_HOLD_STREAM);
  if (which & PASS_STREAMS) forget_hold(t, IR_HOLD_THROUGH);
  if (which & PASS_RUNS) forget_hold(t, IR_HOLD_RUN);
  if (which & PASS_RUNS) forget_hold(t, IR_HOLD_KEPT);
  if (which & PASS_LATE) forget_hold(t, IR_HOLD_LATE);
  if (which & (PASS_WIDTHS | PASS_STRETCHES)) forget_hold(t, IR_HOLD_SLIDE);
  if (which & PASS_HOLDS) forget_holds(t);
  for (ir_ref v = 0; which & PASS_BUFFERS && v < t->nvalues; v++)
    t->values[v].buffer = IR_NONE;
  for (ir_ref n = 0; n < t->nnodes; n++) {
    if (which & PASS_REGIONS) t->nodes[n].region = IR_NONE;
    if (which & PASS_LEVELS) t->nodes[n].level = 0;
  }
  if (which & (PASS_LEVELS | PASS_SUMS)) units |= forget_nodes(t, which);
  return units;
}

/* ---- one step ----------------------------------------------------------- */

/* Is the trace, and what is known of it, as the pass says? */
static status
pass_honest(const struct pass_facts *f, const struct ir_trace *t,
            const struct pass_info *pass, bool changed,
            const struct str *before) {
  struct str now = STR_INIT;
  unsigned wrong = facts_wrong(f, t);
  if (!changed) ir_print(t, &now);
  bool same = changed || str_same(before, &now);
  str_clear(&now);
  if (!same)
    FAIL(ERR_STATE, "pass %s changed the trace and says it did not",
         pass->name);
  if (wrong)
    FAIL(ERR_STATE, "pass %s says that it keeps facts %u, and spoiled %u",
         pass->name, pass->keeps, wrong);
  return OK;
}

/* What pass inline has put into a region is nowhere without it. */
static status
pass_may_forget(const struct ir_trace *t, const struct pass_info *pass) {
  for (ir_ref d = 0; !(pass->keeps & PASS_REGIONS) && d < t->ndats; d++)
    if (t->dats[d].kind == IR_INLINE)
      FAIL(ERR_STATE,
           "pass %s: the trace has inline %%%s, and its regions would go",
           pass->name, t->dats[d].name);
  return OK;
}

/* Facts that it needs, the pass, facts that it keeps. */
static status
pass_apply(struct ir_trace *t, const struct pass_step *s,
           struct pass_facts *f) {
  const struct pass_info *pass = s->pass;
  struct str before = STR_INIT;
  TRY(pass_may_forget(t, pass));
  if (pass_forget(t, ~pass->keeps)) facts_drop(f, PASS_UNITS | PASS_LIVE);
  facts_make(f, t, pass->needs);
  struct pass_ctx c = {.overlaps =
                           pass->needs & PASS_OVERLAPS ? f->overlaps : NULL,
                       .unit_of = pass->needs & PASS_UNITS ? f->unit_of : NULL,
                       .nunits = f->nunits,
                       .live = pass->needs & PASS_LIVE ? &f->live : NULL,
                       .args = s->args};
  if (pass_debug_build()) ir_print(t, &before);
  bool changed = pass->run(t, &c);
  if (changed) facts_drop(f, ~pass->keeps);
  status st = OK;
  if (pass_debug_build()) st = pass_honest(f, t, pass, changed, &before);
  str_clear(&before);
  return st;
}

static status
pass_one(struct ir_trace **t, const struct pass_step *s, struct pass_facts *f,
         const struct pass_options *o) {
  TRY(pass_apply(*t, s, f));
  if (o->verify || pass_debug_build()) TRY(pass_verify(*t, s->pass->name));
  if (o->stress) TRY(pass_stress(t, s->pass->name));
  if (o->after) o->after(o->user, s->pass->name, *t);
  return OK;
}

status
pass_run(struct ir_trace **t, const struct pass_options *o) {
  struct pass_pipeline p = {0};
  struct pass_facts f = {0};
  status st = pass_make_pipeline(&p, o);
  for (uint32_t i = 0; st == OK && i < p.nsteps; i++)
    st = pass_one(t, &p.steps[i], &f, o);
  facts_drop(&f, ~0U);
  free(p.steps);
  arena_clear(&p.arena);
  return st;
}
