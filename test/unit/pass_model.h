/* A model of running a trace: tiny sets, one 64-bit word an element, kernels that
 * mix what they read. It stands in for lowering and runtime in tests of passes:
 * a wrong order, buffer, slice or region gives other words.
 *
 *   model_run_plain   node after node on one array per dat: what the program means
 *   model_run         regions element by element, on buffers, as passes left them
 */
#ifndef TEST_PASS_MODEL_H
#define TEST_PASS_MODEL_H

#include "ir/ir.h"

enum { MODEL_N = 7, MODEL_ARITY = 2, MODEL_DATS = 64 };

struct model {
  uint32_t size[2]; /* elements of each set of the trace */
  uint32_t map[4][MODEL_N][MODEL_ARITY];
  uint64_t dat[MODEL_DATS][MODEL_N]; /* by ir_dat; a global is element 0 */
  uint64_t log; /* what kernels with side effects have seen, in order */
};

uint64_t model_mix(uint64_t a, uint64_t b);
/* Run nodes [first, nnodes) of the trace in order, on m->dat. */
void model_run_plain(struct model *m, const struct ir_trace *t, ir_ref first);
/* Run what is not deferred, on buffers; then m->dat holds what each dat has. Returns
 * the first node that did not run. */
ir_ref model_run(struct model *m, const struct ir_trace *t);

#endif
