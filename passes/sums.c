/* Sums: where ranks join what they add to globals.
 *
 * Problem   A global that loops add to must be what all ranks together added,
 *           but a message behind each loop would wait for the slowest rank each
 *           time.
 *
 * Idea      Ranks have *parts* of a sum (of an extreme) from the first loop
 *           that adds to it, in front of which it begins: what it starts from
 *           counts on one rank alone. More loops may add in the same way. It
 *           becomes whole before anything else uses it, or at the end, and with
 *           it all others that are in parts, in one message for those alike.
 *           Exact sums and extremes with payloads are whole behind each loop by
 *           themselves.
 *
 * Example   region over %cells { %rms.1 = loop @update (..., inc %rms.0) }
 *           fetch %rms.1
 *           of a set in parts becomes
 *             begin %rms.0
 *             region over %cells { %rms.1 = ... }
 *             reduce %rms.1
 *             fetch %rms.1
 *           `sums{each=1}`: whole behind each region.
 *
 * Cost      O(arguments squared) a region, O(trace) for each node put in.
 * Limits    a sum that is ready early waits for the first that is needed. */
#include "ir/hold.h"
#include "passes/pass.h"

#include <stdlib.h>

struct put {
  ir_ref at, root;
  enum ir_op op;
};

struct sums {
  struct ir_trace *t;
  uint8_t *is; /* of a root: how its parts are combined; READ: it is whole */
  struct put *puts;
  uint32_t nputs, capputs;
};

/* All that is in parts becomes whole before node `at`. */
static void
sums_join(struct sums *s, ir_ref at) {
  for (ir_ref d = 0; d < s->t->ndats; d++) {
    if (s->is[d] == ACC_READ) continue;
    struct put x = {at, d, IR_REDUCE};
    VEC_PUSH(s->puts, s->nputs, s->capputs, x);
    s->is[d] = ACC_READ;
    ir_remark(s->t, "sums: ranks join %%%s before %s", s->t->dats[d].name,
              at < s->t->nnodes ? pass_node_text(s->t, at) : "the end");
  }
}

/* How the unit uses the global of its argument k of node n; WORK: not at all,
 * or there is none. */
static uint8_t
use_of(const struct sums *s, ir_ref first, ir_ref end, ir_ref n, uint32_t k,
       ir_ref *root_out) {
  const struct ir_arg *a = &ir_args(s->t, &s->t->nodes[n])[k];
  if (a->kind != IR_ARG_GBL && a->kind != IR_ARG_INFO) return ACC_WORK;
  *root_out = ir_root(s->t, a->dat);
  return ir_sum_use(s->t, first, end, *root_out);
}

/* Does the unit need a sum otherwise than in the parts that there are? */
static bool
sums_clash(const struct sums *s, ir_ref first, ir_ref end) {
  ir_ref root = IR_NONE;
  for (ir_ref n = first; n < end; n++)
    for (uint32_t k = 0; k < s->t->nodes[n].nargs; k++) {
      uint8_t use = use_of(s, first, end, n, k, &root);
      if (use != ACC_WORK && s->is[root] != ACC_READ && s->is[root] != use)
        return true;
    }
  return false;
}

static void
sums_begin(struct sums *s, ir_ref first, ir_ref end) {
  ir_ref root = IR_NONE;
  for (ir_ref n = first; n < end; n++)
    for (uint32_t k = 0; k < s->t->nodes[n].nargs; k++) {
      uint8_t use = use_of(s, first, end, n, k, &root);
      if (use == ACC_WORK || use == s->is[root]) continue;
      struct put x = {first, root, IR_BEGIN};
      VEC_PUSH(s->puts, s->nputs, s->capputs, x);
      s->is[root] = use;
    }
}

/* From the last to the first, so that places stay what they are. */
static void
sums_insert(struct sums *s) {
  for (uint32_t end = s->nputs, i; end > 0; end = i) {
    const struct put *x = &s->puts[end - 1];
    struct ir_arg *args = mem_alloc(end, sizeof *args);
    for (i = end;
         i > 0 && s->puts[i - 1].at == x->at && s->puts[i - 1].op == x->op;)
      i--;
    for (uint32_t k = i; k < end; k++)
      args[k - i] = (struct ir_arg){.kind = IR_ARG_GBL,
                                    .access = ACC_READ,
                                    .dat = s->puts[k].root,
                                    .map = IR_NONE,
                                    .in = IR_NONE,
                                    .out = IR_NONE};
    pass_insert(s->t, x->at, x->op, NULL, args, end - i);
    free(args);
  }
}

bool
pass_sums(struct ir_trace *t, const struct pass_ctx *c) {
  struct sums s = {.t = t, .is = mem_alloc(t->ndats + 1, 1)};
  ir_ref end = 0;
  for (ir_ref d = 0; d < t->ndats; d++) s.is[d] = ACC_READ;
  for (ir_ref n = 0; n < t->nnodes && !ir_deferred(&t->nodes[n]); n = end) {
    end = ir_unit_end(t, n);
    ir_ref dropped = ir_dropped(t, n);
    if (dropped != IR_NONE) { /* what was added is gone */
      s.is[dropped] = ACC_READ;
      continue;
    }
    if (sums_clash(&s, n, end)) sums_join(&s, n);
    sums_begin(&s, n, end);
    if (pass_arg(c, "each", 0)) sums_join(&s, end);
  }
  sums_join(&s, end);
  sums_insert(&s);
  free(s.puts);
  free(s.is);
  return s.nputs > 0;
}
