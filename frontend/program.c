/* Programs: a recording that was traced, optimised and lowered once, with the
 * tables that tie it to the handles.
 *
 * A program refers to sets, maps and dats by handles that don't move, so these
 * tables are filled when it is made. What changes from run to run (captured
 * bytes, memory of globals) is described by fe_global_src and fe_param_src and
 * put in by fe_program_run, the steady-state path: no allocation, no look-up.
 */
#include "frontend/ranks.h"

#include "passes/pass.h"
#include "rt/device/device.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what lowering asks ------------------------------------------------- */

static const struct low_kernel *
env_kernel(void *user, uint32_t tag) {
  (void)user;
  return fe.kernels[tag]->low;
}

static const void *
env_constant(void *user, uint32_t tag, uint32_t epoch, uint32_t i) {
  (void)user;
  return fe_const_folded(fe.kernels[tag], epoch, i);
}

static struct rt_device *
env_device(void *user, const char *target) {
  (void)user;
  return fe_target_device(target);
}

/* ---- tables ------------------------------------------------------------- */

static struct fe_param_src
param_src(const struct low_capture *cap) {
  const struct fe_rec *r = &fe.recs[cap->node_tag];
  struct fe_param_src src = {cap->node_tag, 0};
  if (r->kind != FE_REC_LOOP) return src;
  const struct fe_call *c = fe.calls[r->what];
  src.offset =
      cap->kind == LOW_CAPTURE_PARAM
          ? c->args[cap->index].capture
          : c->capture_bytes + fe_const_offset(c->kernel, r->epoch, cap->index);
  return src;
}

/* Tables of numbers that kernels are shown. */
static status
fill_named(struct fe_program *p) {
  const struct rt_program *rt = p->low.program;
  for (uint32_t i = 0; i < rt->nlaunches; i++)
    for (uint32_t k = 0; k < rt->launches[i].nbinds; k++) {
      const struct rt_bind *b = &rt->launches[i].binds[k];
      if (b->kind == RT_BIND_NAMED)
        TRY(fe_number_named(fe.maps[p->low.map_tags[b->index]]));
    }
  return OK;
}

static void
fill_tables(struct fe_program *p, const struct fe_global_src *globals) {
  struct rt_program *rt = p->low.program;
  for (uint32_t i = 0; i < rt->nsets; i++)
    rt->sets[i] = &fe.sets[p->low.set_tags[i]]->rt;
  for (uint32_t i = 0; i < rt->nmaps; i++)
    rt->maps[i] = &fe.maps[p->low.map_tags[i]]->rt;
  for (uint32_t i = 0; i < rt->ndats; i++)
    rt->dats[i] = &fe.dats[p->low.dat_tags[i]]->rt;
  for (uint32_t i = 0; i < rt->naddresses; i++) {
    void (*f)(void) = fe.kernels[p->low.address_tags[i]]->low->address;
    memcpy(&rt->addresses[i], &f, sizeof f);
  }
  if (fe_ranked()) {
    rt->comm = &fe.comm;
    rt->halo = fe.halo;
  }
  p->globals = mem_alloc(rt->nglobals + 1, sizeof *p->globals);
  for (uint32_t i = 0; i < rt->nglobals; i++)
    p->globals[i] = globals[p->low.global_tags[i]];
  p->params = mem_alloc(rt->nparams + 1, sizeof *p->params);
  for (uint32_t i = 0; i < rt->nparams; i++)
    p->params[i] = param_src(&p->low.captures[i]);
}

/* Records that the trace leaves pending, how many loops it settles, and of
 * these how many became names or were dropped. */
static void
fill_remaining(struct fe_program *p, const struct ir_trace *t) {
  p->remaining = mem_alloc(fe.nrecs + 1, sizeof *p->remaining);
  uint32_t left = 0, run = 0;
  for (uint32_t n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (ir_deferred(node)) {
      p->remaining[p->nremaining++] = node->tag;
      left += fe.recs[node->tag].kind == FE_REC_LOOP;
    } else {
      run += node->op == IR_LOOP;
      p->renames += node->op == IR_ALIAS;
    }
  }
  p->loops = fe.pending_loops - left;
  p->dead = p->loops - run - p->renames;
}

static char *
text_of(const struct ir_trace *t) {
  struct str s = STR_INIT;
  ir_print(t, &s);
  return s.s == str_empty ? mem_alloc(1, 1) : s.s;
}

/* Where launches run on a device, and what becomes of increments that meet
 * there. */
static void
remark_devices(struct ir_trace *t, const struct rt_program *p) {
  static const char *const how[] = {[RT_FORM_PLAIN] = "atomic",
                                    [RT_FORM_COLOUR] = "coloured",
                                    [RT_FORM_STAGE] =
                                        "staged in local memory, then atomic"};
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    const struct rt_launch *l = &p->launches[i];
    if (!l->offload) continue;
    const struct rt_device *d = l->offload->code->device;
    ir_remark(t, "device: %s runs on %s:%d (%s)%s%s%s", l->name,
              target_info[d->target.kind].name, d->target.number, d->name,
              l->nconflicts ? ", writes through maps " : "",
              l->nconflicts ? how[l->offload->form] : "",
              l->mode == RT_RUN_SERIAL ? ", element after element" : "");
  }
}

static char *
remarks_of(const struct ir_trace *t) {
  struct str s = STR_INIT;
  for (uint32_t i = 0; i < t->nremarks; i++)
    str_printf(&s, "%s\n", t->remarks[i]);
  return s.s == str_empty ? mem_alloc(1, 1) : s.s;
}

/* ---- making one --------------------------------------------------------- */

static int
most(int a, int b) {
  return a > b ? a : b;
}

/* The last level that the node needs: elements that it runs over, all that
 * their rows name, and what it exchanges. */
static int
level_of(const struct ir_trace *t, const struct ir_node *node) {
  int level = (int)node->level;
  for (uint32_t k = 0; k < node->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, node)[k];
    struct reach r = {(int8_t)node->level, -1};
    if (node->op == IR_LOOP && !ir_arg_direct(a)) r.via = r.own;
    if (node->op == IR_EXCHANGE) r = a->reach;
    level = most(level, most(r.own, reach_named(r.via)));
  }
  return level;
}

static int
levels_of(const struct ir_trace *t) {
  int level = 0;
  for (ir_ref n = 0; n < t->nnodes; n++)
    level = most(level, level_of(t, &t->nodes[n]));
  return level;
}

/* Does a loop of the trace run on a device whose code is not a processor's? */
static bool
on_gpu(const struct ir_trace *t) {
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const char *target = t->nodes[n].op == IR_LOOP ? t->nodes[n].target : NULL;
    if (target_is_device(target) &&
        fe_target_device(target)->code_kind != RT_CODE_SPIR)
      return true;
  }
  return false;
}

static status
run_passes(struct ir_trace **t, struct fe_program *p) {
  struct str disable = STR_INIT, with = STR_INIT;
  bool colours =
      fe.opt.reproducible || fe.opt.threading == OPT_threading_colours;
  str_printf(&disable, "%s%s", fe.opt.disable, fe.apart ? ",fuse" : "");
  str_printf(&with,
             "colour{colours=%d,increments=%d,gpu=%d},hold{exact=%d}%s%s",
             colours, fe.opt.increments - OPT_increments_auto, on_gpu(*t),
             fe.opt.reproducible != 0, *fe.halo_with ? "," : "", fe.halo_with);
  struct pass_options o = {.disable = disable.s,
                           .with = with.s,
                           .verify = fe.opt.check,
                           .stress = fe.opt.stress,
                           .after = fe.opt.trace > 1 ? fe_dump_pass : NULL,
                           .user = p};
  status st = pass_run(t, &o);
  str_clear(&disable);
  str_clear(&with);
  return st;
}

static status
make_from(struct ir_trace **t, struct fe_program *p,
          const struct fe_global_src *globals, bool *deeper) {
  struct low_env env = {.kernel = env_kernel,
                        .constant = env_constant,
                        .vector_math = fe.opt.vector_math != 0,
                        .sanitize = fe.sanitize,
                        .device = env_device,
                        .ranks = fe_ranked()};
  TRY(run_passes(t, p));
  if (levels_of(*t) > fe.level) {
    *deeper = true; /* and all that was known of values is history */
    return fe_spread(levels_of(*t));
  }
  status st = low_lower(*t, &env, &p->low);
  if (st != OK) fe.failed = p->low.failed;
  TRY(st);
  remark_devices(*t, p->low.program);
  TRY(fill_named(p));
  fill_tables(p, globals);
  fill_remaining(p, *t);
  fe_trial_find(p, *t);
  return OK;
}

/* *deeper: it needs deeper halos, which are there now: try again. */
static status
make_once(struct fe_request rq, const bool *apart, struct fe_program **out,
          bool *deeper) {
  struct fe_global_src *globals;
  struct ir_trace *t = fe_trace_build(rq, apart, &globals);
  struct ir_trace *before = fe.opt.trace ? ir_trace_clone(t) : NULL;
  struct fe_program *p = mem_alloc(1, sizeof *p);
  p->number = fe.programs_made;
  p->before = text_of(t);
  *deeper = false;
  status st = make_from(&t, p, globals, deeper);
  if (st == OK && !*deeper) {
    counters[CNT_programs]++;
    fe.programs_made++;
    p->after = text_of(t);
    p->explain = remarks_of(t);
    if (fe.opt.trace) fe_dump_flush(p, before, t);
    *out = p;
  } else {
    fe_program_free(p);
  }
  if (before) ir_trace_free(before);
  ir_trace_free(t);
  free(globals);
  return st;
}

status
fe_program_make(struct fe_request rq, struct fe_program **out) {
  bool deeper;
  do TRY(make_once(rq, NULL, out, &deeper));
  while (deeper);
  return OK;
}

status
fe_program_variant(struct fe_request rq, const bool *apart,
                   struct fe_program **out) {
  bool deeper;
  TRY(make_once(rq, apart, out, &deeper));
  assert(!deeper && "loops apart need no more than together");
  return OK;
}

void
fe_program_free(struct fe_program *p) {
  low_program_clear(&p->low);
  free(p->words);
  free(p->globals);
  free(p->params);
  free(p->remaining);
  free(p->launch_of);
  fe_trial_drop(p);
  free(p->before);
  free(p->after);
  free(p->explain);
  free(p);
}

/* ---- running one -------------------------------------------------------- */

static char *
raw_bytes(const struct fe_global_src *g) {
  const struct fe_rec *r = &fe.recs[g->rec];
  return fe.captured + r->capture + fe.calls[r->what]->args[g->arg].capture;
}

/* Raw globals reach the program's memory, in program order. */
static void
deliver_raws(const struct fe_program *p) {
  for (uint32_t i = 0; i < p->low.program->nglobals; i++) {
    const struct fe_global_src *g = &p->globals[i];
    if (!g->raw) continue;
    const struct fe_rec *r = &fe.recs[g->rec];
    const struct fe_call *c = fe.calls[r->what];
    uint32_t nth = 0;
    for (uint32_t a = 0; a < g->arg; a++) nth += c->args[a].raw;
    memcpy(r->raw[nth], raw_bytes(g), g->bytes);
  }
}

status
fe_program_run(struct fe_program *p) {
  struct rt_program *rt = p->low.program;
  for (uint32_t i = 0; i < rt->nglobals; i++)
    rt->globals[i] = p->globals[i].raw ? raw_bytes(&p->globals[i])
                                       : fe.gbls[p->globals[i].gbl]->data;
  for (uint32_t i = 0; i < rt->nparams; i++)
    rt->params[i] =
        fe.captured + fe.recs[p->params[i].rec].capture + p->params[i].offset;
  TRY(rt_exec_run(rt));
  deliver_raws(p);
  if (rt->nouts) fe_state_update();
  counters[CNT_loops_run] += p->loops;
  counters[CNT_renames] += p->renames;
  counters[CNT_dead_loops] += p->dead;
  return OK;
}
