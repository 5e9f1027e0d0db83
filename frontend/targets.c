/* Targets: where loops that are recorded from now on will run.
 *
 * Each target that a program names is entered once, with its device, which is
 * opened then. The one on top of the stack is noted in each record, so that it
 * counts when a loop is recorded, whatever is pushed until it runs. Over ranks
 * each has a device of its own, where there are several. */
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "base/log.h"
#include "base/str.h"
#include "base/table.h"
#include "lower/lower.h"
#include "rt/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fe_target {
  struct target target;
  const char *name;         /* as traces have it */
  struct rt_device *device; /* NULL: the host */
};
static struct fe_target *targets; /* [0]: all threads of the host */
static uint32_t ntargets, captargets;
static struct table names; /* as the program says them -> 1 + target */
static uint32_t *stack, nstack, capstack;

/* Its device, and over ranks what packs halos there. */
static status
device_open(struct target t, struct rt_device **out) {
  TRY(rt_device_get(t, out));
  if (!fe_ranked()) return OK;
  LOG_INFO("rank %d: target %s is device %d, %s", fe_ranks.rank,
           target_info[t.kind].name, t.number, (*out)->name);
  return low_device_moves(*out);
}

/* Number of the target in targets, entered and opened if it is new. */
static status
target_enter(struct target t, uint32_t *out) {
  for (uint32_t k = 0; k < ntargets; k++)
    if (targets[k].target.kind == t.kind &&
        targets[k].target.number == t.number) {
      *out = k;
      return OK;
    }
  struct fe_target x = {.target = t, .name = target_info[t.kind].name};
  if (ntargets == FE_TARGETS_MAX)
    FAIL(ERR_TARGET, "expected at most %d different targets", FE_TARGETS_MAX);
  if (t.number)
    x.name =
        arena_printf(&fe.arena, "%s:%d", target_info[t.kind].name, t.number);
  if (target_info[t.kind].device && !fe.opt.bare)
    TRY(device_open(t, &x.device));
  VEC_PUSH(targets, ntargets, captargets, x);
  *out = ntargets - 1;
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
  if (n) out->number = fe_ranks.local % n;
  return OK;
}

/* What is new on one rank is so on all: a device that one does not find is none
 * for any. */
static status
target_find(const char *text, uint32_t *out) {
  struct target t = {TARGET_openmp, 0};
  const char *key = text ? text : "";
  uintptr_t known = table_get(&names, key, strlen(key), 0);
  if (known) {
    *out = (uint32_t)known - 1;
    return OK;
  }
  status st = target_choose(text, &t);
  if (st == OK) st = target_enter(t, out);
  char what[64];
  snprintf(what, sizeof what, "target %s", target_info[t.kind].name);
  TRY(fe_agree(what, 0, st));
  *table_slot(&names, key, strlen(key)) = *out + 1;
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
  for (uint32_t k = 0; k < ntargets; k++)
    if (target_same(targets[k].name, name)) return targets[k].device;
  return NULL;
}

bool
fe_target_gpu(const char *name) {
  return fe_target_device(name)->code_kind != RT_CODE_SPIR;
}

static status
push(const char *text) {
  uint32_t k;
  TRY(target_find(text, &k));
  VEC_PUSH(stack, nstack, capstack, fe.target);
  fe.target = k;
  fe_agree_step("op2_target_push", NULL, targets[k].target.kind);
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
  if (!nstack)
    return result("op2_target_pop",
                  err_set(ERR_STATE, "nothing was pushed before"));
  fe.target = stack[--nstack];
  fe_agree_step("op2_target_pop", NULL, 0);
  return result("op2_target_pop", OK);
}

/* ---- what others ask ----------------------------------------------------- */

const char *
fe_target_name(uint32_t target) {
  return targets[target].name;
}

bool
fe_target_is_device(uint32_t target) {
  return targets[target].device != NULL;
}

const char *
fe_target_of(const struct rt_dev_mem *m) {
  for (uint32_t k = 0; k < ntargets; k++)
    if (targets[k].device == m->device) return targets[k].name;
  return NULL;
}

bool
fe_devices_any(void) {
  return rt_device_any();
}

void
fe_targets_sweep(void) {
  rt_devices_sweep();
}

void
fe_targets_clear(void) {
  free(targets);
  free(stack);
  targets = NULL;
  stack = NULL;
  ntargets = captargets = nstack = capstack = 0;
  table_clear(&names);
}

void
fe_targets_forget(void) {
  rt_devices_forget();
}

void
fe_device_text(const struct rt_device *d, struct str *out) {
  str_printf(out, "%s:%d (%s)", target_info[d->target.kind].name,
             d->target.number, d->name);
}
