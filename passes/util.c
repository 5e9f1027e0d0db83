/* What several passes need: names for remarks, and reordering with operands
 * kept right. */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *
pass_value_text(struct ir_trace *t, ir_ref v) {
  const struct ir_value *x = &t->values[v];
  return arena_printf(&t->arena, "%%%s.%u", t->dats[x->dat].name, x->version);
}

const char *
pass_node_text(struct ir_trace *t, ir_ref n) {
  const struct ir_node *x = &t->nodes[n];
  const char *name =
      x->op == IR_LOOP ? t->kernels[x->kernel].name : ir_op_info[x->op].text;
  if (!x->file) return name;
  const char *slash = strrchr(x->file, '/');
  return arena_printf(&t->arena, "%s (%s:%d)", name,
                      slash ? slash + 1 : x->file, x->line);
}

void
pass_insert(struct ir_trace *t, ir_ref at, enum ir_op op, const char *target,
            const struct ir_arg *args, uint32_t n) {
  struct ir_node node = {.op = (uint8_t)op,
                         .kernel = IR_NONE,
                         .set = IR_NONE,
                         .nargs = n,
                         .region = IR_NONE,
                         .target = target,
                         .tag = UINT32_MAX};
  ir_insert_node(t, at, node, args);
}

/* Versions that each root has before the first node. */
static ir_ref *
pass_initial_values(const struct ir_trace *t) {
  ir_ref *current = mem_alloc(t->ndats + 1, sizeof *current);
  for (ir_ref d = 0; d < t->ndats; d++) current[d] = IR_NONE;
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (t->values[v].def == IR_NONE) current[t->values[v].dat] = v;
  return current;
}

/* Make the operands of node n current, then let its results become so. Of a
 * chain of increments an ALIAS may now name another link than before. */
static void
pass_rewire_node(struct ir_trace *t, const struct ir_node *n, ir_ref *current) {
  struct ir_arg *args = ir_args(t, n);
  for (uint32_t i = 0; i < n->nargs; i++)
    if (ir_arg_has_value(&args[i]) && args[i].in != IR_NONE) {
      args[i].in = current[ir_root(t, args[i].dat)];
      assert(args[i].in != IR_NONE);
    }
  if (n->op == IR_ALIAS) t->values[args[1].out].same = ir_same(t, args[0].in);
  for (uint32_t i = 0; i < n->nargs; i++)
    if (ir_arg_has_value(&args[i]) && args[i].out != IR_NONE)
      current[ir_root(t, args[i].dat)] = args[i].out;
}

bool
pass_on_gpu(const struct pass_ctx *c, const char *target) {
  return pass_arg(c, "gpu", 0) ||
         target_same(target, target_info[TARGET_cuda].name);
}

void
pass_check_order(const struct ir_trace *t, const ir_ref *perm) {
  for (ir_ref b = 0; b < t->nnodes; b++)
    for (ir_ref a = 0; a < b; a++)
      if (perm[a] != IR_NONE && perm[b] < perm[a] && t->nodes[b].op != IR_LIVE)
        assert(!ir_dep(t, a, b, NULL));
}

void
pass_reorder(struct ir_trace *t, const ir_ref *perm, uint32_t n_keep) {
  ir_ref *current = pass_initial_values(t);
  ir_ref *order = mem_alloc(t->nnodes + 1, sizeof *order);
  for (ir_ref n = 0; n < t->nnodes; n++)
    if (perm[n] != IR_NONE) order[perm[n]] = n;
  for (uint32_t i = 0; i < n_keep; i++)
    pass_rewire_node(t, &t->nodes[order[i]], current);
  free(order);
  free(current);
  ir_reorder(t, perm, n_keep);
}
