/* Loops that cannot go where the program wants them: an error at their call, or
 * the host, if OP2_OFFLOAD_FALLBACK=host says so. */
#include "frontend/calls.h"
#include "frontend/context.h"

#include "base/fp.h"
#include "base/log.h"
#include "lower/kernel.h"

#include <stdio.h>

/* What a work item may take of private memory: drivers keep it on their stacks.
 * */
enum { ITEM_BYTES = 64 << 10 };

/* Private memory of a work item: arguments that kernels get copies of, and what
 * the kernel has itself. Values that are only read stay in the device's memory.
 * */
static uint64_t
item_bytes(const struct fe_call *c) {
  uint64_t sum = c->kernel->low->local_bytes;
  for (uint32_t a = 0; a < c->nargs; a++) {
    const struct fe_arg *x = &c->args[a];
    bool copied = x->kind == FE_ARG_DAT || x->access != ACC_READ;
    if (copied)
      sum += (uint64_t)(x->vector ? x->vector : 1) * x->dim * x->type.size;
  }
  return sum;
}

/* Which globals of an overlapping call meet first. */
static void
overlap_text(const struct fe_call *c, char *text, size_t size) {
  for (uint32_t b = 0; b < c->nargs; b++) {
    uint32_t a = c->args[b].share ? c->args[b].share - 1 : b;
    if (a == b) continue;
    snprintf(text, size,
             "arguments %u and %u: the kernel could not see through one what "
             "it stores through the other",
             a < b ? a : b, a < b ? b : a);
    return;
  }
}

const char *
fe_device_why_not(const struct fe_call *c, const char **what_out) {
  static char text[120];
  const struct low_kernel *k = c->kernel->low;
  *what_out = *k->why ? k->why : "it has no IR";
  if (k->opaque) return "its kernel cannot be compiled for it";
  if (c->overlaps) {
    overlap_text(c, text, sizeof text);
    *what_out = text;
    return "globals that it writes overlap in memory";
  }
  if (k->effects) return "its kernel has side effects";
  if (k->local_bytes == LOW_LOCAL_OPEN) {
    *what_out = "an array of variable length";
    return "its kernel has what a device has not";
  }
  if (item_bytes(c) > ITEM_BYTES) {
    snprintf(text, sizeof text, "%llu bytes, at most %d",
             (unsigned long long)item_bytes(c), ITEM_BYTES);
    *what_out = text;
    return "its elements and arrays are too large for private memory";
  }
  *what_out = "the program's mode is another one";
  return fp_mode_nearest(fe.fp_mode) ? NULL : "it rounds to nearest";
}

status
fe_target_choose(const struct fe_call *c, uint32_t *out) {
  const char *what, *why;
  *out = fe.target;
  if (!fe_target_is_device(fe.target)) return OK;
  bool native = fe.opt.debug == OPT_debug_kernels;
  if (fe.host_only || native || c->on_host) *out = 0;
  if (!*out) return OK;
  why = fe_device_why_not(c, &what);
  if (!why) return OK;
  const char *name = fe_target_name(fe.target);
  if (fe.opt.fallback != OPT_fallback_host)
    FAIL(ERR_TARGET,
         "op_par_loop \"%s\": target %s: %s: %s; OP2_OFFLOAD_FALLBACK=host "
         "runs such loops on the host",
         c->name, name, why, what);
  LOG_INFO("loop %s runs on the host, not on %s: %s: %s", c->name, name, why,
           what);
  *out = 0;
  return OK;
}
