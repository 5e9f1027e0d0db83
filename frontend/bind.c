/* A program's tables: what ties it to the handles, and its runs.
 *
 * A program refers to sets, maps and dats by handles that don't move, so these
 * tables are filled when it is made. What changes from run to run (captured
 * bytes, memory of globals) is described by fe_global_src and fe_param_src and
 * put in by fe_program_run, the steady-state path: no allocation, no look-up.
 */
#include "frontend/calls.h"
#include "frontend/decl.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "lower/lower.h"
#include "rt/plan.h"

#include <string.h>

static struct fe_param_src
param_src(const struct low_capture *cap) {
  const struct fe_rec *r = &fe_recs.all[cap->node_tag];
  struct fe_param_src src = {cap->node_tag, 0};
  if (r->kind != FE_REC_LOOP) return src;
  const struct fe_call *c = fe_calls.all[r->what];
  src.offset =
      cap->kind == LOW_CAPTURE_PARAM
          ? c->args[cap->index].capture
          : c->capture_bytes + fe_const_offset(c->kernel, r->epoch, cap->index);
  return src;
}

/* The map that stands for each relation; the one whose inverse it is, with the
 * rows that loops go over. */
static status
find_maps(const struct low_program *low, struct fe_map **out) {
  for (uint32_t i = 0; i < low->program->nmaps; i++) {
    const struct low_map *m = &low->maps[i];
    if (m->how == LOW_MAP_COMPOSED) {
      TRY(fe_map_through(out[m->first], out[m->then], &out[i]));
      TRY(fe_number_stretches(out[i]));
    } else {
      out[i] = fe_all.map_tags[m->tag];
    }
    if (m->how == LOW_MAP_INVERSE) TRY(fe_number_rows(out[i]));
  }
  return OK;
}

/* What the launch reads of maps, besides what they always have: tables, and
 * those of numbers that kernels are shown. */
static status
fill_maps(struct fe_map *const *maps, const struct rt_launch *l) {
  for (uint32_t k = 0; k < l->nbinds; k++) {
    const struct rt_bind *b = &l->binds[k];
    if (b->kind == RT_BIND_MAP) TRY(fe_map_need(maps[b->index]));
    if (b->kind == RT_BIND_NAMED) TRY(fe_number_named(maps[b->index]));
  }
  for (uint32_t k = 0; k < l->nconflicts; k++)
    TRY(fe_map_need(maps[l->conflicts[k].map]));
  for (uint32_t k = 0; k < l->nwrites; k++)
    if (l->writes[k].map != RT_DIRECT) TRY(fe_map_need(maps[l->writes[k].map]));
  return OK;
}

static void
fill_tables(struct fe_program *p, struct fe_map *const *maps,
            const struct fe_global_src *globals) {
  struct rt_program *rt = p->low->program;
  for (uint32_t i = 0; i < rt->nsets; i++)
    rt->sets[i] = &fe_all.set_tags[p->low->set_tags[i]]->rt;
  for (uint32_t i = 0; i < rt->nmaps; i++) {
    bool rows = p->low->maps[i].how == LOW_MAP_INVERSE;
    rt->maps[i] = rows ? &maps[i]->rows : &maps[i]->rt;
  }
  for (uint32_t i = 0; i < rt->ndats; i++)
    rt->dats[i] = &fe_all.dats[p->low->dat_tags[i]]->rt;
  for (uint32_t i = 0; i < rt->naddresses; i++) {
    void (*f)(void) = fe_kernel_address(p->low->address_tags[i]);
    memcpy(&rt->addresses[i], &f, sizeof f);
  }
  if (fe_ranked()) {
    rt->comm = fe_ranks.comm;
    rt->halo = fe_ranks.halo;
  }
  p->globals = mem_alloc(rt->nglobals + 1, sizeof *p->globals);
  for (uint32_t i = 0; i < rt->nglobals; i++) {
    p->globals[i] = globals[p->low->global_tags[i]];
    if (!p->globals[i].raw)
      rt->cells[i] = &fe_all.gbls[p->globals[i].gbl]->cell;
  }
  p->params = mem_alloc(rt->nparams + 1, sizeof *p->params);
  for (uint32_t i = 0; i < rt->nparams; i++)
    p->params[i] = param_src(&p->low->captures[i]);
}

status
fe_program_bind(struct fe_program *p, const struct fe_global_src *globals) {
  const struct rt_program *rt = p->low->program;
  SCOPED struct fe_map **maps = mem_alloc(rt->nmaps + 1, sizeof *maps);
  TRY(find_maps(p->low, maps));
  for (uint32_t i = 0; i < rt->nlaunches; i++)
    TRY(fill_maps(maps, &rt->launches[i]));
  fill_tables(p, maps, globals);
  return OK;
}

/* ---- the state it was made for ------------------------------------------- */

struct fe_stand {
  const char *at;
  bool both;
  struct reach reach;
};

static struct fe_stand
stand_of(const struct fe_dat *d) {
  struct fe_stand s = {.reach = fe_reach_of(d)};
  s.at = fe_dat_at(d, &s.both);
  return s;
}

/* Without devices and ranks there is nothing to tell. */
static bool
stands_count(void) {
  return fe_devices_any() || fe_ranked();
}

void
fe_program_stand(struct fe_program *p) {
  uint32_t n = p->low->program->ndats;
  if (!stands_count()) return;
  p->stands = mem_alloc(n + 1, sizeof *p->stands);
  for (uint32_t i = 0; i < n; i++)
    p->stands[i] = stand_of(fe_all.dats[p->low->dat_tags[i]]);
}

bool
fe_program_stands(const struct fe_program *p) {
  if (!p->stands) return !stands_count(); /* a device may have come since */
  for (uint32_t i = 0; i < p->low->program->ndats; i++) {
    struct fe_stand was = p->stands[i];
    struct fe_stand is = stand_of(fe_all.dats[p->low->dat_tags[i]]);
    if (was.at != is.at || was.both != is.both ||
        was.reach.own != is.reach.own || was.reach.via != is.reach.via)
      return false;
  }
  return true;
}

/* ---- running one --------------------------------------------------------- */

static char *
raw_bytes(const struct fe_global_src *g) {
  const struct fe_rec *r = &fe_recs.all[g->rec];
  return fe_recs.captured + r->capture +
         fe_calls.all[r->what]->args[g->arg].capture;
}

static void
deliver_raw(const struct fe_global_src *g) {
  const struct fe_rec *r = &fe_recs.all[g->rec];
  const struct fe_call *c = fe_calls.all[r->what];
  uint32_t nth = 0;
  for (uint32_t a = 0; a < g->arg; a++) nth += c->args[a].raw;
  struct fe_raw *raw = &r->raw[nth];
  if (raw->to) memcpy(raw->to, raw_bytes(g), g->bytes);
  if (raw->owed) fe_owed_came(raw);
}

/* Raw globals of loops that ran reach the program's memory, or what is owed to
 * it, in program order. */
static void
deliver_raws(const struct fe_program *p) {
  uint32_t left = 0; /* the next record that stays */
  for (uint32_t i = 0; i < p->low->program->nglobals; i++) {
    const struct fe_global_src *g = &p->globals[i];
    if (!g->raw) continue;
    while (left < p->nremaining && p->remaining[left] < g->rec) left++;
    if (left == p->nremaining || p->remaining[left] != g->rec) deliver_raw(g);
  }
}

status
fe_program_prepare(struct fe_program *p, int nthreads) {
  if (p->low->better != low_better_number) low_better_renew(p->low);
  return rt_exec_prepare(p->low->program, nthreads);
}

void
fe_program_cancel(struct fe_program *p) {
  rt_exec_cancel(p->low->program);
}

bool
fe_program_broken(const struct fe_program *p) {
  return p->low->program->broken;
}

bool
fe_program_fronts(const struct fe_program *p) {
  const struct rt_program *rt = p->low->program;
  for (uint32_t k = 0; k < rt->nchains; k++)
    if (rt->chains[k].piece) return true;
  return false;
}

bool
fe_program_same_cut(const struct fe_program *p, uint32_t i,
                    const struct fe_program *q, uint32_t k) {
  const struct rt_launch *l = &q->low->program->launches[k];
  bool sums = false;
  for (uint32_t r = 0; r < l->nreductions; r++)
    sums |= l->reductions[r].access == ACC_INC && !l->reductions[r].exact;
  return !sums || l->core_first == p->low->program->launches[i].core_first;
}

double *
fe_program_seconds(const struct fe_program *p, uint32_t i) {
  return &p->low->program->launches[i].seconds;
}

status
fe_program_run(struct fe_program *p) {
  struct rt_program *rt = p->low->program;
  for (uint32_t i = 0; i < rt->nglobals; i++)
    rt->globals[i] = p->globals[i].raw ? raw_bytes(&p->globals[i])
                                       : fe_all.gbls[p->globals[i].gbl]->data;
  for (uint32_t i = 0; i < rt->nparams; i++)
    rt->params[i] = fe_recs.captured + fe_recs.all[p->params[i].rec].capture +
                    p->params[i].offset;
  TRY(rt_exec_run(rt));
  deliver_raws(p);
  if (rt->nouts) fe_state_update();
  return OK;
}

/* ---- between runs -------------------------------------------------------- */

size_t
fe_program_bytes(const struct fe_program *p) {
  const struct rt_program *rt = p->low->program;
  size_t bytes = sizeof *p + p->nwords * sizeof *p->words + strlen(p->before) +
                 strlen(p->after) + strlen(p->explain);
  if (p->stands) bytes += rt->ndats * sizeof *p->stands;
  for (uint32_t i = 0; i < rt->nlaunches; i++)
    bytes += sizeof *rt->launches +
             rt->launches[i].nbinds * sizeof *rt->launches[i].binds;
  return bytes + rt->ncmds * sizeof *rt->cmds + rt->nslots * sizeof *rt->slots;
}

void
fe_program_keep(const struct fe_program *p) {
  for (uint32_t i = 0; i < p->low->program->ndats; i++)
    fe_all.dats[p->low->dat_tags[i]]->called = true;
  for (uint32_t i = 0; i < p->low->program->nglobals; i++)
    if (!p->globals[i].raw) fe_all.gbls[p->globals[i].gbl]->called = true;
  for (uint32_t i = 0; i < p->low->program->nmaps; i++)
    if (p->low->maps[i].how == LOW_MAP_INVERSE)
      fe_all.map_tags[p->low->maps[i].tag]->rows_kept = true;
  low_sweep_keep(p->low);
}

/* ---- op2_explain --------------------------------------------------------- */

static struct str explained = STR_INIT; /* the last answer of op2_explain */

/* What was decided when the program was made, and how it was run last. */
const char *
op2_explain(void) {
  if (!fe_programs.last) return "nothing was run yet\n";
  str_reset(&explained);
  fe_reason_explain(&explained);
  str_add(&explained, fe_programs.last->explain);
  rt_exec_explain(fe_programs.last->low->program, &explained);
  if (low_quick_regions)
    str_printf(&explained,
               "code: of all programs %u regions run by code that is not "
               "optimised yet, as OP2_TIERS allows\n",
               low_quick_regions);
  return explained.s;
}

void
fe_explain_clear(void) {
  str_clear(&explained);
}

void
fe_plans_sweep(void) {
  low_sweep_end();
  rt_team_sweep();
  rt_walk_cache_sweep();
}
