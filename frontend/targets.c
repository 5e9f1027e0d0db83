/* Targets: where loops that are recorded from now on will run.
 *
 * Each target that a program names is entered once, with its device, which is
 * opened then. The one on top of the stack is noted in each record, so that it
 * counts when a loop is recorded, whatever is pushed until it runs. Over ranks
 * each has a device of its own, where there are several. A loop that
 * cannot run on a device is an error at its call, unless
 * OP2_OFFLOAD_FALLBACK=host lets it run on the host, with a line in the log. */
#include "base/fp.h"
#include "frontend/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its device, and over ranks what packs halos there. */
static status
device_open(struct target t, struct rt_device **out) {
  TRY(rt_device_get(t, out));
  if (!fe_ranked()) return OK;
  LOG_INFO("rank %d: target %s is device %d, %s", fe.comm.rank,
           target_info[t.kind].name, t.number, (*out)->name);
  return low_device_moves(*out);
}

/* Number of the target in fe.targets, entered and opened if it is new. */
static status
target_enter(struct target t, uint32_t *out) {
  for (uint32_t k = 0; k < fe.ntargets; k++)
    if (fe.targets[k].target.kind == t.kind &&
        fe.targets[k].target.number == t.number) {
      *out = k;
      return OK;
    }
  struct fe_target x = {.target = t, .name = target_info[t.kind].name};
  if (fe.ntargets == FE_TARGETS_MAX)
    FAIL(ERR_TARGET, "expected at most %d different targets", FE_TARGETS_MAX);
  if (t.number)
    x.name =
        arena_printf(&fe.arena, "%s:%d", target_info[t.kind].name, t.number);
  if (target_info[t.kind].device) TRY(device_open(t, &x.device));
  VEC_PUSH(fe.targets, fe.ntargets, fe.captargets, x);
  *out = fe.ntargets - 1;
  return OK;
}

/* Ranks of one machine share its devices in turn, unless the program says
 * which. */
static status
target_choose(const char *text, struct target *out) {
  int n = 0;
  TRY(target_parse(text, out));
  if (!fe_ranked() || !target_info[out->kind].device || strchr(text, ':'))
    return OK;
  TRY(rt_device_count(out->kind, &n));
  if (n) out->number = fe.local % n;
  return OK;
}

/* What is new on one rank is so on all: a device that one does not find is none
 * for any. */
static status
target_find(const char *text, uint32_t *out) {
  struct target t = {TARGET_openmp, 0};
  const char *key = text ? text : "";
  uintptr_t known = table_get(&fe.target_names, key, strlen(key), 0);
  if (known) {
    *out = (uint32_t)known - 1;
    return OK;
  }
  status st = target_choose(text, &t);
  if (st == OK) st = target_enter(t, out);
  char what[64];
  snprintf(what, sizeof what, "target %s", target_info[t.kind].name);
  TRY(fe_agree(what, 0, st));
  *table_slot(&fe.target_names, key, strlen(key)) = *out + 1;
  return OK;
}

status
fe_targets_init(void) {
  uint32_t host;
  fe.target = 0;
  TRY(target_enter((struct target){TARGET_openmp, 0}, &host));
  status st = target_find(fe.opt.target, &fe.target);
  return st == OK ? OK : err_prefix(st, "OP2_TARGET: ");
}

struct rt_device *
fe_target_device(const char *name) {
  for (uint32_t k = 0; k < fe.ntargets; k++)
    if (target_same(fe.targets[k].name, name)) return fe.targets[k].device;
  return NULL;
}

static status
push(const char *text) {
  uint32_t k;
  TRY(target_find(text, &k));
  VEC_PUSH(fe.target_stack, fe.ntarget_stack, fe.captarget_stack, fe.target);
  fe.target = k;
  fe_agree_step("op2_target_push", NULL, fe.targets[k].target.kind);
  return OK;
}

static int
result(const char *api, status st) {
  if (st != OK) fe_error_returned(err_prefix(st, "%s: ", api));
  fe.file = NULL;
  return (int)st;
}

int
op2_target_push(const char *target) {
  if (!fe_enter("op2_target_push")) return OP2_ERR_STATE;
  return result("op2_target_push", push(target));
}

int
op2_target_pop(void) {
  if (!fe_enter("op2_target_pop")) return OP2_ERR_STATE;
  if (!fe.ntarget_stack)
    return result("op2_target_pop",
                  err_set(ERR_STATE, "nothing was pushed before"));
  fe.target = fe.target_stack[--fe.ntarget_stack];
  fe_agree_step("op2_target_pop", NULL, 0);
  return result("op2_target_pop", OK);
}

/* ---- loops that cannot go there ------------------------------------------ */

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
    const struct ir_arg *x = &c->args[a].ir;
    bool copied = x->kind == IR_ARG_DAT || x->access != ACC_READ;
    if (copied)
      sum += (uint64_t)ir_arg_count(x) * c->args[a].dim * c->args[a].type.size;
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

/* Why the loop cannot run on a device, with the name it is about; NULL. */
static const char *
why_not(const struct fe_call *c, const char **what_out) {
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
  if (!fe.targets[fe.target].device) return OK;
  if (fe.host_only || c->on_host) *out = 0;
  if (!*out) return OK;
  why = why_not(c, &what);
  if (!why) return OK;
  const char *name = fe.targets[fe.target].name;
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
