/* Lowering: a trace with regions and buffers becomes a command list.
 *
 * Everything in the trace gets a number of the program. Sets and maps keep
 * their reference; dats and globals, which share one array in the IR, are
 * counted apart; buffers become slots when something first binds them, so that
 * the memory of a version that lives in registers only is never asked for. Dats
 * that overlap have a slot each, since each has an address of its own.
 *
 * The commands follow the nodes:
 *
 *   region of loops   LAUNCH        copy          COPY
 *   set               SET_GLOBAL    alias         nothing: `outs` name it
 *   exchange          EXCHANGE_START, LAUNCH_CORE where the region behind it
 *                     says so, EXCHANGE_FINISH
 *   begin, reduce     BEGIN of each, REDUCE
 *   fetch live free   nothing       deferred      nothing
 *
 * All regions are compiled before the program is handed out, so that a kernel
 * that does not compile leaves everything pending. */
#include "ir/cost.h"
#include "ir/hold.h"
#include "ir/walk.h"
#include "lower/device.h"
#include "lower/maker.h"
#include "lower/module.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- slots and devices --------------------------------------------------- */

/* Something works on the slot: on the host (NULL), or on a device; a region, if
 * g says which, whose chain may have memory of its own there. */
static void
low_slot_touch(struct low_maker *m, const struct ir_region *g, uint32_t slot,
               struct rt_device *d) {
  assert(slot < m->p->nslots);
  struct rt_slot *s = &m->p->slots[slot];
  bool own = g && low_slot_is_own(m, g, slot);
  bool host = m->slot_host[slot] || !(d || own);
  if (d) s->device = d;
  m->slot_host[slot] = host;
  s->no_host = !host;
}

static struct rt_device *
low_device_of(const struct low_maker *m, const struct ir_node *n) {
  if (!target_is_device(n->target)) return NULL;
  assert(m->env->device);
  return m->env->device(m->env->user, n->target);
}

/* ---- what dats are in the end -------------------------------------------- */

static void
low_out_add(struct low_maker *m, ir_ref dat, ir_ref v, uint32_t *cap) {
  assert(dat < m->t->ndats && v < m->t->nvalues);
  const struct ir_trace *t = m->t;
  bool view = t->dats[dat].root != dat;
  struct rt_out o = {m->dat_no[dat], low_number_slot(m, ir_buffer_of(t, v),
                                                     view ? dat : IR_NONE)};
  VEC_PUSH(m->p->outs, m->p->nouts, *cap, o);
}

/* Which buffer each dat has in the end: all that were written or renamed. */
static void
low_outs_make(struct low_maker *m, const ir_ref *final) {
  const struct ir_trace *t = m->t;
  uint32_t cap = 0;
  for (ir_ref d = 0; d < t->ndats; d++) {
    ir_ref v = t->dats[d].kind == IR_DAT ? final[t->dats[d].root] : IR_NONE;
    if (v == IR_NONE) continue;
    if (t->values[v].version > 0 || ir_same(t, v) != v)
      low_out_add(m, d, v, &cap);
  }
}

/* ---- commands ------------------------------------------------------------ */

/* Globals that the launch works on in place. */
static void
low_tokens_fill(const struct low_region *r, struct rt_launch *l) {
  uint32_t cap = 0;
  for (uint32_t k = 0; k < r->nbinds; k++) {
    const struct low_bind *b = &r->binds[k];
    struct rt_token t = {b->index, b->dim * b->type.size};
    if (b->kind == RT_BIND_GLOBAL && b->written)
      VEC_PUSH(l->tokens, l->ntokens, cap, t);
  }
}

/* What argument a writes, in each slot of its buffer. */
static void
low_write_add(const struct low_maker *m, const struct ir_arg *a,
              struct rt_launch *l, uint32_t *cap) {
  const struct ir_trace *t = m->t;
  ir_ref map = ir_arg_direct(a) ? IR_NONE : ir_arg_through(a);
  struct rt_write w = {.map = RT_DIRECT};
  if (map != IR_NONE) {
    uint32_t arity = t->maps[map].arity;
    w.map = map;
    w.first = a->each ? 0 : a->entry;
    w.count = !a->each ? ir_arg_count(a) : arity ? arity : UINT32_MAX;
  }
  for (uint32_t k = 0; k < l->nbinds; k++) {
    const struct rt_bind *b = &l->binds[k];
    if (b->kind != RT_BIND_SLOT || !b->written) continue;
    if (m->slot_buffer[b->index] != ir_buffer_of(t, a->out)) continue;
    w.slot = b->index;
    VEC_PUSH(l->writes, l->nwrites, *cap, w);
  }
}

/* Does the argument keep a launch in order to one thread? Columns are not rows;
 * and what is read where elements meet may be there late, after it has been
 * read and gone on with. */
static bool
low_write_closes(const struct ir_trace *t, ir_ref region,
                 const struct ir_arg *a) {
  if (!ir_arg_on_dat(t, a) || !ir_arg_writes(a)) return false;
  if (ir_arg_in_column(t, a)) return true;
  return a->access == ACC_RW && !ir_arg_direct(a) &&
         !ir_arg_of_element(t, region, a);
}

/* In order: all that elements write; nothing, and one thread runs. */
static void
low_writes_fill(const struct low_maker *m, const struct ir_region *g,
                struct rt_launch *l) {
  uint32_t cap = 0;
  IR_EACH_ARG(m->t, g, n, a)
  if (low_write_closes(m->t, m->t->nodes[n].region, a)) return;
  IR_EACH_ARG(m->t, g, n, a)
  if (ir_arg_on_dat(m->t, a) && ir_arg_writes(a)) low_write_add(m, a, l, &cap);
}

static void
low_launch_fill(const struct low_maker *m, const struct ir_region *g,
                struct low_region *r, struct rt_launch *l) {
  assert((r->scratch >= 0) == (r->scratch_bytes > 0));
  assert(!l->binds && r->scratch_bytes % RT_PAGE == 0);
  l->binds = mem_alloc(r->nbinds + 1, sizeof *l->binds);
  l->nbinds = r->nbinds;
  for (uint32_t k = 0; k < r->nbinds; k++) {
    const struct low_bind *b = &r->binds[k];
    bool slot = b->kind == RT_BIND_SLOT || b->kind == RT_BIND_STRIDE;
    bool own = slot && low_slot_is_own(m, g, b->index);
    l->binds[k] =
        (struct rt_bind){b->kind, b->index, b->written, b->far, own, b->old};
  }
  l->reductions = r->reductions;
  l->nreductions = r->nreductions;
  r->reductions = NULL;
  l->nconflicts = r->nconflicts;
  l->conflicts = mem_alloc(r->nconflicts + 1, sizeof *l->conflicts);
  for (uint32_t k = 0; k < r->nconflicts; k++) {
    l->conflicts[k].map = r->conflicts[k].map;
    l->conflicts[k].first = r->conflicts[k].first;
    l->conflicts[k].count = r->conflicts[k].count;
  }
  low_tokens_fill(r, l);
  l->mode = r->mode;
  if (l->mode == RT_RUN_IN_ORDER) low_writes_fill(m, g, l);
  l->rows = low_region_has_rows(r);
  for (ir_ref n = g->first; n < g->first + g->count; n++)
    l->numbered |= ir_shows_own_numbers(m->t, &m->t->nodes[n]);
  l->scratch = r->scratch_bytes;
  l->bytes_per_element = r->bytes;
  l->timer = rt_timer_get(r->name);
  l->name = low_cache_name(r->name);
}

/* Devices have a compiler of their own behind them: one region at a time. */
static status
low_launch_offload(const struct ir_node *n, const struct low_region *r,
                   struct rt_device *d, struct rt_launch *l) {
  status s = low_offload_make(r, d, &l->offload);
  return s == OK ? OK
                 : err_prefix(s, "%s:%d: loop %s: ", n->file ? n->file : "?",
                              n->line, r->name);
}

_Static_assert((int)IR_TEAM_LEAST == (int)RT_TEAM_LEAST, "one fact");
static const enum rt_team_way team_of[IR_TEAM_COUNT] = {
    [IR_TEAM_NONE] = RT_TEAM_ALL,          [IR_TEAM_ONE] = RT_TEAM_ONE,
    [IR_TEAM_ALL] = RT_TEAM_ALL,           [IR_TEAM_BUSY] = RT_TEAM_BUSY,
    [IR_TEAM_MEASURED] = RT_TEAM_MEASURED,
};

/* About how many elements of the set this rank has. */
static double
low_elements(const struct low_maker *m, ir_ref set) {
  const struct ir_set *s = &m->t->sets[set];
  bool parts = s->flags & IR_SET_PARTS && m->env->ranks > 1;
  return (double)s->n / (parts ? m->env->ranks : 1);
}

/* The launch, but for its function; the region is kept until all are known. */
static status
low_launch_make(struct low_maker *m, ir_ref first, uint32_t count,
                struct rt_launch *l) {
  assert(count && first + count <= m->t->nnodes);
  struct low_region r = {0};
  const struct ir_node *n = &m->t->nodes[first];
  struct rt_device *d = low_device_of(m, n);
  status s = low_region_make(m, first, count, &r);
  const struct ir_region *g = &m->t->regions[n->region];
  for (uint32_t k = 0; s == OK && k < r.nbinds; k++)
    if (r.binds[k].kind == RT_BIND_SLOT)
      low_slot_touch(m, g, r.binds[k].index, d);
  if (s == OK && d) s = low_launch_offload(n, &r, d, l);
  if (s != OK) {
    m->out->failed = n->tag;
    low_region_clear(&r);
    return s;
  }
  l->set = n->set;
  l->level = n->level;
  l->core_first = g->core_first;
  l->deep = (int)g->deep;
  l->team = team_of[g->team];
  l->alone = target_same(n->target, target_info[TARGET_seq].name);
  l->effort = low_effort(m->t, &r);
  if (!d) m->quick += low_elements(m, n->set) * low_effort_quick(m->t, &r);
  low_launch_fill(m, g, &r, l);
  if (d)
    low_region_clear(&r);
  else
    VEC_PUSH(m->regions, m->nregions, m->capregions, r);
  return OK;
}

/* Functions of the launches on the host. */
static status
low_launches_link(struct low_maker *m) {
  uint32_t k = 0, beside = m->env->beside;
  if (m->quick > m->env->quick_most) beside = 0;
  TRY(low_cache_need(m->regions, m->nregions, beside > 0, &m->out->failed));
  for (uint32_t i = 0; i < m->p->nlaunches; i++) {
    struct rt_launch *l = &m->p->launches[i];
    if (l->offload) continue;
    const struct low_code *code = low_cache_get(&m->regions[k++], beside);
    l->fn = code->fn;
    l->lanes = code->lanes;
  }
  m->out->better = low_better_number;
  m->out->beside = beside;
  m->out->quick = m->quick;
  assert(k == m->nregions);
  return OK;
}

/* What an exchange under way has nothing to do with. */
static bool
low_cmd_apart(const struct low_maker *m, const struct rt_cmd *c) {
  const struct rt_program *p = m->p;
  bool front = c->op == RT_CHAIN && p->chains[c->a].piece &&
               p->launches[p->chains[c->a].first].core_first;
  return c->op == RT_SET_GLOBAL || c->op == RT_BEGIN || c->op == RT_REDUCE ||
         c->op == RT_LAUNCH_CORE || front;
}

/* An exchange is under way until something else comes than globals and the core
 * of the launch behind it, or that of a front's. */
static void
low_cmd_add(struct low_maker *m, struct rt_cmd c) {
  struct rt_cmd finish = {.op = RT_EXCHANGE_FINISH};
  if (m->exchanging && !low_cmd_apart(m, &c)) {
    VEC_PUSH(m->p->cmds, m->p->ncmds, m->capcmds, finish);
    m->exchanging = false;
  }
  VEC_PUSH(m->p->cmds, m->p->ncmds, m->capcmds, c);
  if (c.op == RT_EXCHANGE_START) m->exchanging = true;
}

static void
low_cmd_launch(struct low_maker *m, const struct rt_launch *l, uint32_t no) {
  assert(no < m->p->nlaunches && (m->exchanging || !l->core_first));
  if (l->core_first)
    low_cmd_add(m, (struct rt_cmd){.op = RT_LAUNCH_CORE, .a = no});
  low_cmd_add(m, (struct rt_cmd){.op = RT_LAUNCH, .a = no});
}

/* ---- other commands ------------------------------------------------------ */

static uint32_t
low_arg_buffer_slot(struct low_maker *m, const struct ir_arg *a, ir_ref v) {
  ir_ref root = ir_root(m->t, a->dat);
  return low_number_slot(m, ir_buffer_of(m->t, v),
                         a->dat == root ? IR_NONE : a->dat);
}

static struct rt_cmd
low_copy_cmd(struct low_maker *m, const struct ir_node *n) {
  assert(n->op == IR_COPY && n->nargs == 2);
  const struct ir_arg *a = ir_args(m->t, n);
  struct rt_cmd c = {.op = RT_COPY,
                     .a = low_arg_buffer_slot(m, &a[0], a[0].in),
                     .b = low_arg_buffer_slot(m, &a[1], a[1].out),
                     .device = low_device_of(m, n)};
  low_slot_touch(m, NULL, c.a, c.device);
  low_slot_touch(m, NULL, c.b, c.device);
  return c;
}

static struct rt_cmd
low_move_cmd(struct low_maker *m, const struct ir_node *n) {
  assert((n->op == IR_UPLOAD || n->op == IR_DOWNLOAD) && n->nargs == 1);
  const struct ir_arg *a = ir_args(m->t, n);
  bool up = n->op == IR_UPLOAD;
  struct rt_cmd c = {.op = up ? RT_UPLOAD : RT_DOWNLOAD,
                     .a = low_arg_buffer_slot(m, a, a->in),
                     .device = low_device_of(m, n)};
  low_slot_touch(m, NULL, c.a, up ? c.device : NULL);
  return c;
}

static struct rt_cmd
low_exchange_cmd(struct low_maker *m, const struct ir_node *n) {
  assert(n->op == IR_EXCHANGE && n->nargs > 0);
  struct rt_program *p = m->p;
  struct rt_cmd c = {.op = RT_EXCHANGE_START, .a = p->nwants, .b = n->nargs};
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(m->t, n)[k];
    struct rt_want w = {low_arg_buffer_slot(m, a, a->in), a->reach};
    VEC_PUSH(p->wants, p->nwants, m->capwants, w);
  }
  return c;
}

static struct rt_cmd
low_set_cmd(struct low_maker *m, const struct ir_node *n) {
  assert(n->op == IR_SET && n->nargs == 2);
  const struct ir_arg *a = ir_args(m->t, n);
  const struct ir_dat *param = &m->t->dats[a[0].dat];
  struct low_capture c = {n->tag, LOW_CAPTURE_PARAM, param->tag};
  return (struct rt_cmd){.op = RT_SET_GLOBAL,
                         .a = m->gbl_no[ir_root(m->t, a[1].dat)],
                         .b = low_number_param(m, c),
                         .bytes = param->dim * param->type.size};
}

/* BEGIN: a command for each; REDUCE: one for all. */
static void
low_sums_add(struct low_maker *m, ir_ref n) {
  const struct ir_node *node = &m->t->nodes[n];
  struct rt_program *p = m->p;
  struct rt_cmd c = {.op = RT_REDUCE, .a = p->nsums, .b = node->nargs};
  for (uint32_t k = 0; k < node->nargs; k++) {
    const struct ir_arg *a = &ir_args(m->t, node)[k];
    const struct ir_dat *d = &m->t->dats[a->dat];
    struct rt_sum s = {m->gbl_no[ir_root(m->t, a->dat)], d->type, d->dim,
                       (enum access)ir_sum_access(m->t, n, a)};
    assert(s.access != ACC_READ && "the verifier comes first");
    VEC_PUSH(p->sums, p->nsums, m->capsums, s);
    struct rt_cmd begin = {.op = RT_BEGIN, .a = p->nsums - 1};
    if (node->op == IR_BEGIN) low_cmd_add(m, begin);
  }
  if (node->op == IR_REDUCE) low_cmd_add(m, c);
}

/* The command of launches that run in tiles is that of the last one; of those
 * that run in pieces one comes in front of theirs. */
static void
low_chain_cmds(struct low_maker *m, ir_ref r, const struct rt_launch *l) {
  const struct ir_trace *t = m->t;
  uint32_t chain = t->regions[r].chain;
  bool pieces = chain && t->chains[chain - 1].piece;
  ir_ref first = r, end = r + 1;
  assert(r < t->nregions && chain <= t->nchains);
  while (chain && first && t->regions[first - 1].chain == chain) first--;
  while (chain && end < t->nregions && t->regions[end].chain == chain) end++;
  if (pieces && r == first) low_front_make(m, chain - 1, first, end - first);
  if (chain && !pieces && r + 1 == end)
    low_chain_make(m, chain - 1, first, end - first);
  if (chain && (pieces ? r == first : r + 1 == end))
    low_cmd_add(m, (struct rt_cmd){.op = RT_CHAIN, .a = m->p->nchains - 1});
  if (!chain || pieces) low_cmd_launch(m, l, m->p->nlaunches - 1);
}

/* The region of loops that begins at node n: a launch, and a command. */
static status
low_region_launch(struct low_maker *m, ir_ref n, uint32_t count) {
  const struct ir_trace *t = m->t;
  struct rt_program *p = m->p;
  struct rt_launch l = {0};
  TRY(low_launch_make(m, n, count, &l));
  struct low_span span = {n, count};
  uint32_t nspans = p->nlaunches;
  VEC_PUSH(m->out->spans, nspans, m->capspans, span);
  VEC_PUSH(p->launches, p->nlaunches, m->caplaunches, l);
  low_chain_cmds(m, t->nodes[n].region, &l);
  return OK;
}

static status
low_cmds_make(struct low_maker *m) {
  const struct ir_trace *t = m->t;
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (ir_deferred(node)) continue;
    if (node->op == IR_COPY) low_cmd_add(m, low_copy_cmd(m, node));
    if (node->op == IR_UPLOAD || node->op == IR_DOWNLOAD)
      low_cmd_add(m, low_move_cmd(m, node));
    if (node->op == IR_EXCHANGE) low_cmd_add(m, low_exchange_cmd(m, node));
    if (node->op == IR_BEGIN || node->op == IR_REDUCE) low_sums_add(m, n);
    if (node->op == IR_SET) low_cmd_add(m, low_set_cmd(m, node));
    if (node->op != IR_LOOP) continue;
    uint32_t count = ir_unit_end(t, n) - n;
    TRY(low_region_launch(m, n, count));
    n += count - 1;
  }
  assert(!m->exchanging && "an exchange stands before a loop");
  return OK;
}

/* Places of globals on devices. */
static void
low_cells_make(const struct low_maker *m) {
  const struct ir_trace *t = m->t;
  struct rt_program *p = m->p;
  p->own_cells = mem_alloc(p->nglobals + 1, sizeof *p->own_cells);
  p->cells = mem_alloc(p->nglobals + 1, sizeof(struct rt_cell *));
  for (ir_ref k = 0; k < t->ndats; k++) {
    const struct ir_dat *d = &t->dats[k];
    if (d->kind != IR_GBL) continue;
    struct rt_cell *c = &p->own_cells[m->gbl_no[k]];
    c->bytes = (size_t)d->dim * d->type.size;
    p->cells[m->gbl_no[k]] = c;
  }
}

/* Tables that the owner of the program fills. */
static void
low_tables_make(struct rt_program *p) {
  p->sets = mem_alloc(p->nsets + 1, sizeof *p->sets);
  p->maps = mem_alloc(p->nmaps + 1, sizeof *p->maps);
  p->dats = mem_alloc(p->ndats + 1, sizeof *p->dats);
  p->globals = mem_alloc(p->nglobals + 1, sizeof *p->globals);
  p->params = mem_alloc(p->nparams + 1, sizeof *p->params);
  p->addresses = mem_alloc(p->naddresses + 1, sizeof *p->addresses);
}

static void
low_maker_init(struct low_maker *m) {
  const struct ir_trace *t = m->t;
  m->dat_no = mem_alloc(t->ndats + 1, sizeof *m->dat_no);
  m->gbl_no = mem_alloc(t->ndats + 1, sizeof *m->gbl_no);
  m->shared = ir_overlaps_build(t);
  m->hold = mem_alloc(t->nvalues + 1, sizeof *m->hold);
  m->held = mem_alloc(t->nvalues + 1, sizeof *m->held);
  for (ir_ref v = 0; v < t->nvalues; v++) m->held[v] = -1;
  low_number_decls(m);
}

static void
low_maker_clear(struct low_maker *m) {
  free(m->dat_no);
  free(m->gbl_no);
  free(m->shared);
  free(m->hold);
  free(m->held);
  free(m->slot_buffer);
  for (uint32_t k = 0; k < m->nregions; k++) low_region_clear(&m->regions[k]);
  free(m->regions);
  free(m->slot_host);
}

static status
low_make(struct low_maker *m) {
  const struct ir_trace *t = m->t;
  ir_ref *final = ir_final_versions(t);
  status s = low_cmds_make(m);
  if (s == OK) s = low_launches_link(m);
  if (s == OK) {
    low_outs_make(m, final);
    low_tables_make(m->p);
    low_cells_make(m);
  }
  free(final);
  return s;
}

status
low_regions_each(const struct ir_trace *t, const struct low_env *env,
                 low_region_fn *fn, void *user) {
  struct low_program lp = {.program = mem_alloc(1, sizeof *lp.program)};
  struct low_maker m = {.t = t, .env = env, .p = lp.program, .out = &lp};
  status s = OK;
  low_maker_init(&m);
  for (ir_ref n = 0; s == OK && n < t->nnodes; n++) {
    struct low_region r = {0};
    struct low_span nodes = {n, ir_unit_end(t, n) - n};
    if (t->nodes[n].op != IR_LOOP || ir_deferred(&t->nodes[n])) continue;
    s = low_region_make(&m, n, nodes.count, &r);
    if (s == OK) s = fn(user, &m, nodes, &r);
    low_region_clear(&r);
    n += nodes.count - 1;
  }
  low_maker_clear(&m);
  low_program_clear(&lp);
  return s;
}

status
low_lower(const struct ir_trace *t, const struct low_env *env,
          struct low_program *out) {
  *out = (struct low_program){.program = mem_alloc(1, sizeof *out->program),
                              .failed = IR_NONE};
  struct low_maker m = {.t = t, .env = env, .p = out->program, .out = out};
  low_maker_init(&m);
  status s = low_make(&m);
  low_maker_clear(&m);
  uint32_t failed = out->failed;
  if (s != OK) low_program_clear(out);
  out->failed = failed;
  return s;
}

void
low_program_clear(struct low_program *p) {
  if (p->program) rt_program_free(p->program);
  free(p->spans);
  free(p->set_tags);
  free(p->maps);
  free(p->dat_tags);
  free(p->global_tags);
  free(p->address_tags);
  free(p->captures);
  *p = (struct low_program){0};
}
