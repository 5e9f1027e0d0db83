/* What the files of ir/ share with each other and with nobody else. */
#ifndef IR_INNER_H
#define IR_INNER_H

#include "ir/ir.h"

/* Append node and arguments as they are; only arg0, region and the copy of the
 * file name are filled in. */
ir_ref ir_push_node(struct ir_trace *t, struct ir_node n,
                    const struct ir_arg *args);
/* Fixed values for the fields that mean nothing for this kind of argument. */
void ir_arg_normalise(const struct ir_trace *t, struct ir_arg *a);
/* Does an argument of args[0..n) prove a write of the whole of `root`? */
bool ir_covers(const struct ir_trace *t, const struct ir_arg *args, uint32_t n,
               ir_ref root);
/* Give each writing argument of node n its new version, one for each root. */
void ir_link_out(struct ir_trace *t, ir_ref n);

/* Is it a versioned argument on this storage? */
static inline bool
ir_arg_on(const struct ir_trace *t, const struct ir_arg *a, ir_ref root) {
  return ir_arg_has_value(a) && ir_root(t, a->dat) == root;
}

/* Does a loop of the region go over rows? */
static inline bool
ir_goes_by_rows(const struct ir_trace *t, const struct ir_region *g) {
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    if (t->nodes[n].each) return true;
  return false;
}

static inline bool
ir_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool
ir_name_char(char c) {
  return ir_name_start(c) || (c >= '0' && c <= '9') || c == '\'' || c == '$';
}

/* Arguments that only read: their access goes without saying. */
static inline bool
ir_bare(const struct ir_node *n) {
  return n->op != IR_LOOP && n->op < IR_OP_COUNT &&
         ir_op_info[n->op].max_args != 2;
}

/* Does what has this kind lie on a set? */
static inline bool
ir_kind_on_set(uint32_t kind) {
  return kind == IR_DAT || kind == IR_INLINE;
}

static inline bool
ir_in_parts(const struct ir_trace *t, const struct ir_dat *d) {
  return d->kind == IR_DAT && d->set < t->nsets &&
         t->sets[d->set].flags & IR_SET_PARTS;
}

/* Dimensions of the points that a map by rule leads to. */
static inline uint32_t
ir_rule_ndim(const struct ir_trace *t, const struct ir_map *m) {
  return m->rule && m->to < t->nsets ? t->sets[m->to].ndim : 0;
}

/* INC, MIN, MAX: old values flow into nothing but the combination */
static inline bool
ir_combines(uint8_t access) {
  return access_info[access].commutes && access_info[access].writes;
}

#endif
