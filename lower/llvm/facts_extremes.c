/* As which types is a parameter only lowered (OP_MIN) or only raised (OP_MAX)?
 *
 * Problem. OP_MIN is executed by letting each element (or thread) start from
 * the largest value of the type and taking the least of what they made. That is
 * right only if the kernel does nothing else with the value than to keep the
 * lesser one. These look at it, so that they need the running value, in order:
 *
 *     if (*x < *m) { *m = *x; *count += 1; }      *y = *x < *m - 1;
 *
 * Idea. As in facts_adds.c, with "the least of (what l held at the start) and
 * (something independent of it)" for the sum. Carriers are loads of l, the
 * least of a carrier and of anything independent (an intrinsic or fmin, or a
 * comparison and a choice between the same two values), and phis of carriers. A
 * comparison of carrier c with independent x may also guard a branch, if what
 * it skips is one block:
 *
 *     c = load l; if (x < c) { l = x; payload = y; }  the least of both, if
 *                                                     nothing wrote l since c
 *
 * Other parameters that are stored to in such blocks are the payloads of
 * op_arg_info: the caller must see that they are (low_param.lowers_with). A
 * payload belongs to the first of the elements with the extreme value, so such
 * a comparison must be strict, whatever improves a component must store the
 * same bytes of the payload, and each component has its own.
 *
 * cost: O(uses). limits: guards of more than one block. A NaN among the values
 * is not kept, whatever the kernel would do with it. */
#include "lower/llvm/facts_carry.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* A comparison: where `v` is `when`, x is better than carrier c (or equal to
 * it, if not strict). */
struct extreme_test {
  LLVMValueRef v, x, c;
  bool when, strict;
};

/* A block that a test guards: runs if x is better; goes on at `join`, where
 * `around` comes in if it is not. */
struct extreme_guard {
  const struct extreme_test *test;
  LLVMBasicBlockRef block, join, around;
};

struct extreme {
  struct carry w;
  bool max;
  char cls; /* of integer comparisons: 'I' or 'U'; 0: none seen */
  struct extreme_test *tests;
  struct extreme_guard *guards;
  uint32_t ntests, captests, nguards, capguards;
  bool strict;      /* all guards are */
  uint64_t payload; /* parameters that are stored to in guarded blocks */
};

/* ---- comparisons --------------------------------------------------------- */

/* Outcomes of a comparison of x with c for which it holds. */
enum { LESS = 1, EQUAL = 2, GREATER = 4 };
static unsigned
extreme_outcomes(LLVMValueRef cmp, char *cls_out) {
  *cls_out = 0;
  if (LLVMGetInstructionOpcode(cmp) == LLVMFCmp)
    switch (LLVMGetFCmpPredicate(cmp)) {
    case LLVMRealOLT:
    case LLVMRealULT: return LESS;
    case LLVMRealOLE:
    case LLVMRealULE: return LESS | EQUAL;
    case LLVMRealOGT:
    case LLVMRealUGT: return GREATER;
    case LLVMRealOGE:
    case LLVMRealUGE: return GREATER | EQUAL;
    default: return 0;
    }
  LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
  *cls_out = p >= LLVMIntSGT ? 'I' : 'U';
  switch (p) {
  case LLVMIntSLT:
  case LLVMIntULT: return LESS;
  case LLVMIntSLE:
  case LLVMIntULE: return LESS | EQUAL;
  case LLVMIntSGT:
  case LLVMIntUGT: return GREATER;
  case LLVMIntSGE:
  case LLVMIntUGE: return GREATER | EQUAL;
  default: return 0;
  }
}

static bool
extreme_class(struct extreme *m, char cls) {
  if (!cls) return true;
  if (!m->cls) m->cls = cls;
  return m->cls == cls;
}

/* Outcomes of (a, b) as those of (b, a). */
static unsigned
extreme_swap(unsigned outcomes) {
  unsigned kept = outcomes & EQUAL;
  if (outcomes & LESS) kept |= GREATER;
  if (outcomes & GREATER) kept |= LESS;
  return kept;
}

/* Carrier c is compared: note it as a test. */
static bool
extreme_compare(struct extreme *m, LLVMValueRef cmp, LLVMValueRef c) {
  LLVMValueRef a = LLVMGetOperand(cmp, 0), b = LLVMGetOperand(cmp, 1);
  char cls;
  unsigned outcomes = extreme_outcomes(cmp, &cls);
  if (!outcomes || a == b || !extreme_class(m, cls)) return false;
  unsigned of_x = c == b ? outcomes : extreme_swap(outcomes);
  unsigned better = m->max ? GREATER : LESS;
  bool when = (of_x & better) != 0;
  struct extreme_test t = {.v = cmp,
                           .x = c == b ? a : b,
                           .c = c,
                           .when = when,
                           .strict = when == !(of_x & EQUAL)};
  VEC_PUSH(m->tests, m->ntests, m->captests, t);
  return true;
}

static bool
extreme_is_test(const struct extreme *m, LLVMValueRef v) {
  for (uint32_t k = 0; k < m->ntests; k++)
    if (m->tests[k].v == v) return true;
  return false;
}

/* `i` holds if test t and another operand, which is none, do. */
static bool
extreme_and(struct extreme *m, LLVMValueRef i, struct extreme_test t) {
  LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
  if (!t.when || extreme_is_test(m, a == t.v ? b : a)) return false;
  t.v = i;
  VEC_PUSH(m->tests, m->ntests, m->captests, t);
  return true;
}

/* The test that `cond` is of carrier c, with x; NULL: none. */
static const struct extreme_test *
extreme_test_of(const struct extreme *m, LLVMValueRef cond, LLVMValueRef x,
                LLVMValueRef c) {
  for (uint32_t k = 0; k < m->ntests; k++) {
    const struct extreme_test *t = &m->tests[k];
    if (t->v == cond && t->x == x && t->c == c) return t;
  }
  return NULL;
}

/* select cond, x, c: the better one of both? */
static bool
extreme_chooses(const struct extreme *m, LLVMValueRef select) {
  assert(LLVMIsASelectInst(select));
  LLVMValueRef cond = LLVMGetOperand(select, 0);
  LLVMValueRef yes = LLVMGetOperand(select, 1), no = LLVMGetOperand(select, 2);
  const struct extreme_test *t = extreme_test_of(m, cond, yes, no);
  if (t) return t->when;
  t = extreme_test_of(m, cond, no, yes);
  return t && !t->when;
}

/* ---- uses of carriers ---------------------------------------------------- */

/* Is it this function, or this family of intrinsics ("llvm.smin.")? */
static bool
extreme_named(const char *name, const char *known) {
  size_t n = strlen(known);
  return strncmp(name, known, known[n - 1] == '.' ? n : n + 1) == 0;
}

/* fmin(x, c) and its kin. */
static bool
extreme_call(struct extreme *m, LLVMValueRef call) {
  static const struct {
    const char *name;
    bool max;
    char cls;
  } known[] = {{"llvm.minnum.", false, 0},  {"llvm.maxnum.", true, 0},
               {"llvm.minimum.", false, 0}, {"llvm.maximum.", true, 0},
               {"llvm.smin.", false, 'I'},  {"llvm.smax.", true, 'I'},
               {"llvm.umin.", false, 'U'},  {"llvm.umax.", true, 'U'},
               {"fmin", false, 0},          {"fmax", true, 0},
               {"fminf", false, 0},         {"fmaxf", true, 0}};
  const char *name = carry_callee(call);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (extreme_named(name, known[k].name))
      return known[k].max == m->max && extreme_class(m, known[k].cls);
  return false;
}

static bool
extreme_use(struct carry *w, LLVMValueRef i, LLVMValueRef v,
            const struct fact_access *loc) {
  struct extreme *m = (struct extreme *)w; /* its first member */
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMStore: return carry_stores(w, i, loc);
  case LLVMICmp:
  case LLVMFCmp: return extreme_compare(m, i, v);
  case LLVMCall: return extreme_call(m, i) && carry_mark(w, i, loc);
  case LLVMPHI: return loc->known && carry_mark(w, i, loc);
  case LLVMSelect: return LLVMGetOperand(i, 0) != v && carry_mark(w, i, loc);
  case LLVMFreeze: return carry_mark(w, i, loc);
  default: return false;
  }
}

/* ---- guarded blocks ------------------------------------------------------ */

static bool
extreme_writes(const struct facts *f, LLVMValueRef inst) {
  for (uint32_t a = 0; a < f->naccesses; a++)
    if (f->accesses[a].inst == inst && f->accesses[a].writes) return true;
  return LLVMIsAStoreInst(inst);
}

static uint32_t
extreme_predecessors(const struct facts *f, LLVMBasicBlockRef block) {
  uint32_t n = 0;
  LL_BLOCKS(b, f->fn) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
    unsigned ns = LLVMGetNumSuccessors(t);
    for (unsigned k = 0; k < ns; k++) n += LLVMGetSuccessor(t, k) == block;
  }
  return n;
}

/* Where a block that only one other leads to goes on; NULL: not such a one. */
static LLVMBasicBlockRef
extreme_after(const struct facts *f, LLVMBasicBlockRef block) {
  LLVMValueRef t = LLVMGetBasicBlockTerminator(block);
  if (LLVMGetNumSuccessors(t) != 1) return NULL;
  return extreme_predecessors(f, block) == 1 ? LLVMGetSuccessor(t, 0) : NULL;
}

/* Is c what memory holds at the end of its block? */
static bool
extreme_fresh(const struct extreme *m, LLVMValueRef c,
              LLVMBasicBlockRef block) {
  if (!LLVMIsALoadInst(c) || LLVMGetInstructionParent(c) != block) return false;
  for (LLVMValueRef i = c; i; i = LLVMGetNextInstruction(i))
    if (extreme_writes(m->w.f, i)) return false;
  return true;
}

/* A store in a guarded block: of x to the place that c was loaded from, or of
 * anything to a payload. */
static bool
extreme_store(struct extreme *m, const struct extreme_test *t,
              const struct fact_access *s, bool fresh) {
  const struct fact_access *loc = carry_location(&m->w, t->c);
  if (carry_mine(&m->w, s))
    return fresh && LLVMIsAStoreInst(s->inst) &&
           LLVMGetOperand(s->inst, 0) == t->x && carry_same(s, loc);
  uint32_t param = m->w.f->objects[s->object].param;
  if (m->w.f->objects[s->object].escaped || param >= 64) return false;
  m->payload |= 1ull << param;
  m->strict &= t->strict;
  return true;
}

static bool
extreme_stores(struct extreme *m, const struct extreme_guard *g, bool fresh) {
  const struct facts *f = m->w.f;
  uint32_t mine = 0;
  LL_INSTS(i, g->block) {
    if (!extreme_writes(f, i)) continue;
    uint32_t a = 0;
    while (a < f->naccesses &&
           !(f->accesses[a].inst == i && f->accesses[a].writes))
      a++;
    if (a == f->naccesses) return false; /* to a local */
    if (!extreme_store(m, g->test, &f->accesses[a], fresh)) return false;
    mine += carry_mine(&m->w, &f->accesses[a]);
  }
  return mine <= 1;
}

static LLVMValueRef
extreme_incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
  assert(LLVMIsAPHINode(phi));
  unsigned n = LLVMCountIncoming(phi);
  for (unsigned k = 0; k < n; k++)
    if (LLVMGetIncomingBlock(phi, k) == from)
      return LLVMGetIncomingValue(phi, k);
  return NULL;
}

/* Phis behind the block see nothing of the outcome but the better value. */
static bool
extreme_phis(const struct extreme_guard *g) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(g->join);
       i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    LLVMValueRef yes = extreme_incoming(i, g->block);
    LLVMValueRef no = extreme_incoming(i, g->around);
    if (yes != no && (yes != g->test->x || no != g->test->c)) return false;
  }
  return true;
}

static bool
extreme_block_writes(const struct facts *f, LLVMBasicBlockRef b) {
  LL_INSTS(i, b)
    if (extreme_writes(f, i)) return true;
  return false;
}

static bool
extreme_branch(struct extreme *m, LLVMValueRef br,
               const struct extreme_test *t) {
  assert(LLVMGetNumSuccessors(br) == 2);
  const struct facts *f = m->w.f;
  LLVMBasicBlockRef from = LLVMGetInstructionParent(br);
  LLVMBasicBlockRef yes = LLVMGetSuccessor(br, t->when ? 0 : 1);
  LLVMBasicBlockRef no = LLVMGetSuccessor(br, t->when ? 1 : 0);
  LLVMBasicBlockRef join = extreme_after(f, yes);
  bool beside = join && join != no;
  if (!join || join == yes) return false;
  if (beside && (extreme_after(f, no) != join || extreme_block_writes(f, no)))
    return false;
  struct extreme_guard g = {t, yes, join, beside ? no : from};
  if (!extreme_stores(m, &g, extreme_fresh(m, t->c, from)) || !extreme_phis(&g))
    return false;
  VEC_PUSH(m->guards, m->nguards, m->capguards, g);
  return true;
}

/* ---- uses of tests ------------------------------------------------------- */

static bool
extreme_is_constant(LLVMValueRef v, unsigned value) {
  return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == value;
}

/* `t` is a copy: the array of tests grows. */
static bool
extreme_test_use(struct extreme *m, LLVMValueRef i, struct extreme_test t) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAnd: return extreme_and(m, i, t);
  case LLVMSelect:
    if (LLVMGetOperand(i, 0) == t.v) {
      if (extreme_is_constant(LLVMGetOperand(i, 2), 0))
        return extreme_and(m, i, t);
      return extreme_chooses(m, i);
    }
    return LLVMGetOperand(i, 1) == t.v &&
           extreme_is_constant(LLVMGetOperand(i, 2), 0) && extreme_and(m, i, t);
  case LLVMBr: return true; /* all tests first: extreme_branches */
  default: return false;
  }
}

static bool
extreme_tests(struct extreme *m) {
  for (uint32_t k = 0; k < m->ntests; k++) {
    struct extreme_test t = m->tests[k];
    if (carry_location(&m->w, t.x)) return false;
    LL_USES(u, t.v)
      if (!extreme_test_use(m, LLVMGetUser(u), t)) return false;
  }
  for (uint32_t k = 0; k < m->ntests; k++)
    LL_USES(u, m->tests[k].v)
      if (LLVMGetInstructionOpcode(LLVMGetUser(u)) == LLVMBr &&
          !extreme_branch(m, LLVMGetUser(u), &m->tests[k]))
        return false;
  return true;
}

/* ---- the proof ----------------------------------------------------------- */

static const struct extreme_guard *
extreme_guard_of(const struct extreme *m, LLVMBasicBlockRef block) {
  for (uint32_t k = 0; k < m->nguards; k++)
    if (m->guards[k].block == block) return &m->guards[k];
  return NULL;
}

/* Does each value that comes in carry the location, or come from a guarded
 * block (extreme_phis has seen which)? */
static bool
extreme_phi(const struct extreme *m, LLVMValueRef phi) {
  assert(LLVMIsAPHINode(phi));
  unsigned n = LLVMCountIncoming(phi);
  for (unsigned k = 0; k < n; k++) {
    const struct extreme_guard *g =
        extreme_guard_of(m, LLVMGetIncomingBlock(phi, k));
    if (!carry_location(&m->w, LLVMGetIncomingValue(phi, k)) &&
        !(g && g->join == LLVMGetInstructionParent(phi)))
      return false;
  }
  return true;
}

static bool
extreme_carrier(const struct extreme *m, LLVMValueRef v) {
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMPHI: return extreme_phi(m, v);
  case LLVMSelect:
    return extreme_chooses(m, v) ||
           (carry_location(&m->w, LLVMGetOperand(v, 1)) &&
            carry_location(&m->w, LLVMGetOperand(v, 2)));
  default: return true;
  }
}

/* What is stored is a carrier, or stands in a guarded block. */
static bool
extreme_stored(const struct extreme *m, const struct fact_access *x) {
  return !carry_mine(&m->w, x) || !x->writes ||
         carry_location(&m->w, LLVMGetOperand(x->inst, 0)) ||
         extreme_guard_of(m, LLVMGetInstructionParent(x->inst));
}

/* ---- payloads ------------------------------------------------------------ */

/* The next access from number `a` on that stores to a payload in the guarded
 * block; naccesses: none. */
static uint32_t
extreme_payload_next(const struct extreme *m, const struct extreme_guard *g,
                     uint32_t a) {
  const struct facts *f = m->w.f;
  for (; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    if (x->writes && !carry_mine(&m->w, x) &&
        LLVMGetInstructionParent(x->inst) == g->block)
      break;
  }
  return a;
}

static const struct fact_access *
extreme_location(const struct extreme *m, const struct extreme_guard *g) {
  return carry_location(&m->w, g->test->c);
}

/* Does guard h store these bytes, too? */
static bool
extreme_stores_too(const struct extreme *m, const struct extreme_guard *h,
                   const struct fact_access *x) {
  const struct facts *f = m->w.f;
  for (uint32_t a = extreme_payload_next(m, h, 0); a < f->naccesses;
       a = extreme_payload_next(m, h, a + 1)) {
    const struct fact_access *y = &f->accesses[a];
    if (y->object == x->object && y->offset == x->offset && y->size == x->size)
      return true;
  }
  return false;
}

/* Do guards g and h of one component store the same payload, those of different
 * ones none in common? */
static bool
extreme_guards_agree(const struct extreme *m, const struct extreme_guard *g,
                     const struct extreme_guard *h) {
  const struct facts *f = m->w.f;
  bool same = carry_same(extreme_location(m, g), extreme_location(m, h));
  for (uint32_t a = extreme_payload_next(m, g, 0); a < f->naccesses;
       a = extreme_payload_next(m, g, a + 1))
    if (extreme_stores_too(m, h, &f->accesses[a]) != same) return false;
  return true;
}

/* Is the payload of component i its own component i? Of one component it may be
 * all. */
static bool
extreme_payload_fits(const struct extreme *m, const struct extreme_guard *g,
                     bool several) {
  const struct facts *f = m->w.f;
  const struct fact_access *loc = extreme_location(m, g);
  uint64_t stored = 0;
  for (uint32_t a = extreme_payload_next(m, g, 0); a < f->naccesses;
       a = extreme_payload_next(m, g, a + 1)) {
    const struct fact_access *x = &f->accesses[a];
    stored |= 1ull << f->objects[x->object].param;
    if (!x->known || !loc->known) return false;
    if (several &&
        (uint64_t)x->offset * loc->size != (uint64_t)loc->offset * x->size)
      return false;
  }
  return stored == m->payload;
}

/* What improves a component, and nothing else, stores its payload. */
static bool
extreme_payloads_hold(const struct extreme *m) {
  const struct facts *f = m->w.f;
  bool several = false;
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    if (carry_mine(&m->w, x) && x->writes &&
        !extreme_guard_of(m, LLVMGetInstructionParent(x->inst)))
      return false;
  }
  for (uint32_t g = 0; g < m->nguards; g++)
    several |= !carry_same(extreme_location(m, &m->guards[0]),
                           extreme_location(m, &m->guards[g]));
  for (uint32_t g = 0; g < m->nguards; g++) {
    if (!extreme_payload_fits(m, &m->guards[g], several)) return false;
    for (uint32_t h = 0; h < m->nguards; h++)
      if (g != h && !extreme_guards_agree(m, &m->guards[g], &m->guards[h]))
        return false;
  }
  return m->strict;
}

static bool
extreme_prove(struct extreme *m) {
  const struct facts *f = m->w.f;
  if (!carry_spread(&m->w, extreme_use) || !extreme_tests(m)) return false;
  for (uint32_t c = 0; c < m->w.ncarriers; c++)
    if (!extreme_carrier(m, m->w.carriers[c])) return false;
  for (uint32_t a = 0; a < f->naccesses; a++)
    if (!extreme_stored(m, &f->accesses[a])) return false;
  return !m->payload || extreme_payloads_hold(m);
}

/* Payloads whose accesses are all stores in guarded blocks. */
static uint64_t
extreme_payloads(const struct extreme *m) {
  const struct facts *f = m->w.f;
  uint64_t whole = m->payload;
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    uint32_t p = f->objects[x->object].param;
    bool fits = x->writes &&
                extreme_guard_of(m, LLVMGetInstructionParent(x->inst)) != NULL;
    if (p < 64 && !fits) whole &= ~(1ull << p);
  }
  return whole;
}

bool
fact_extreme(const struct facts *f, uint32_t param, bool max,
             struct fact_extreme *out) {
  assert(param < LLVMCountParams(f->fn));
  struct extreme m = {
      .w = {.f = f, .param = param}, .max = max, .strict = true};
  *out = (struct fact_extreme){0};
  bool yes = extreme_prove(&m);
  uint64_t whole = yes ? extreme_payloads(&m) : 0;
  if (yes && whole == m.payload) {
    out->types = carry_types(&m.w, m.cls == 'I' ? "FI" : m.cls ? "FU" : "F");
    out->payload = whole;
  }
  carry_clear(&m.w);
  free(m.tests);
  free(m.guards);
  return out->types != 0;
}
