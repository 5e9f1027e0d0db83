/* What the files of the verifier share. */
#ifndef IR_CHECK_H
#define IR_CHECK_H

#include "ir/hold.h"
#include "ir/inner.h"

struct ir_check {
  const struct ir_trace *t;
  struct str *why; /* one line for each failure */
  int failures;
};

/* Note a failure: of the trace, of node n, of its argument k. */
void ir_bad(struct ir_check *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void ir_bad_node(struct ir_check *c, ir_ref n, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ir_bad_arg(struct ir_check *c, ir_ref n, uint32_t k, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* "%q.1", "%cells", valid until the next call but three. */
const char *ir_value_text(const struct ir_trace *t, ir_ref v);

/* Every reference and enumeration is in range; the others rely on it. */
void ir_check_refs(struct ir_check *c);
/* Arguments against declarations and operations. */
void ir_check_args(struct ir_check *c);
/* Versions, second names, frees, the place of deferred nodes. */
void ir_check_versions(struct ir_check *c);
void ir_check_regions(struct ir_check *c);
void ir_check_buffers(struct ir_check *c);
/* Of all regions; touch: room, zero. */
void ir_check_walks(struct ir_check *c, const struct ir_hold_facts *f);
void ir_check_holds(struct ir_check *c, const struct ir_hold_facts *f);
/* Parts of inlines. */
void ir_check_inlines(struct ir_check *c);
/* Regions that run tile by tile. */
void ir_check_chains(struct ir_check *c, const struct ir_live *live);
/* Sums over ranks. */
void ir_check_sums(struct ir_check *c);
/* Versions are read where they are valid. */
void ir_check_places(struct ir_check *c);

static inline bool
ir_same_shape(const struct ir_dat *a, const struct ir_dat *b) {
  return a->kind == b->kind && a->set == b->set && a->dim == b->dim &&
         a->block == b->block && a->device == b->device &&
         type_same(a->type, b->type);
}

#endif
