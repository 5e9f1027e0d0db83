/* Chains: what the runtime is told of them. */
#include "ir/chain.h"
#include "ir/walk.h"
#include "lower/maker.h"

#include <assert.h>

bool
low_slot_is_own(const struct low_maker *m, const struct ir_region *g,
                uint32_t slot) {
  return ir_is_private(m->t, g, m->slot_buffer[slot]);
}

static struct rt_layers
layers_of(const struct ir_trace *t, const struct ir_chain *c, uint32_t side,
          ir_ref set, struct ir_span span) {
  struct ir_layers l = ir_layers_of(t, set, c->box, c->side[side].along);
  return (struct rt_layers){l.each, l.n, l.before, span.below, span.above};
}

/* As far around a tile, on its first side, as some region makes what lies
 * there. */
static struct ir_span
made_in(const struct ir_trace *t, ir_ref first, uint32_t count, ir_ref buffer) {
  struct ir_span s = {0};
  for (const struct ir_region *g = &t->regions[first]; count--; g++)
    for (ir_ref n = g->first; n < g->first + g->count; n++)
      for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
        const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
        if (!ir_arg_on_dat(t, a) || ir_buffer_of(t, a->out) != buffer) continue;
        const struct ir_span *run = &g->span.at[0];
        if (run->below > s.below) s.below = run->below;
        if (run->above > s.above) s.above = run->above;
      }
  return s;
}

static struct rt_own_slot
own_slot(const struct low_maker *m, const struct ir_chain *c, ir_ref first,
         uint32_t count, uint32_t slot) {
  const struct ir_trace *t = m->t;
  ir_ref buffer = m->slot_buffer[slot];
  const struct ir_dat *d = &t->dats[t->buffers[buffer].dat];
  struct ir_span made = made_in(t, first, count, buffer);
  return (struct rt_own_slot){.layers = layers_of(t, c, 0, d->set, made),
                              .slot = slot,
                              .size = d->type.size,
                              .dim = d->dim,
                              .block = d->block};
}

/* "laplacian>flux_x>diffuse", for the timing table. */
static uint32_t
chain_timer(const struct rt_program *p, const struct rt_chain *c) {
  SCOPED_STR name = STR_INIT;
  for (uint32_t i = c->first; i < c->first + c->count; i++)
    str_printf(&name, "%s%s", i > c->first ? ">" : "", p->launches[i].name);
  return rt_timer_get(name.s);
}

void
low_chain_make(struct low_maker *m, ir_ref k, ir_ref first, uint32_t count) {
  const struct ir_trace *t = m->t;
  struct rt_program *p = m->p;
  const struct ir_chain *c = &t->chains[k];
  struct rt_chain x = {
      .first = p->nlaunches - count, .count = count, .nsides = c->nsides};
  _Static_assert((int)RT_SIDES == IR_DIMS, "a side a dimension");
  assert(count && p->nlaunches >= count);
  x.layers = mem_alloc(count, sizeof *x.layers);
  for (uint32_t k = 0; k < c->nsides; k++) {
    struct ir_layers box = ir_layers_of(t, c->box, c->box, c->side[k].along);
    x.side[k] = (struct rt_side){box.n, c->side[k].rows};
    if (!k) x.times = box.times;
    for (uint32_t i = 0; i < count; i++) {
      const struct ir_region *g = &t->regions[first + i];
      x.layers[i][k] = layers_of(t, c, k, g->set, g->span.at[k]);
    }
  }
  uint32_t cap = 0;
  for (uint32_t slot = 0; slot < p->nslots; slot++)
    if (low_slot_is_own(m, &t->regions[first], slot)) {
      struct rt_own_slot o = own_slot(m, c, first, count, slot);
      VEC_PUSH(x.own, x.nown, cap, o);
    }
  x.timer = chain_timer(p, &x);
  VEC_PUSH(p->chains, p->nchains, m->capchains, x);
}

/* ---- of pieces ----------------------------------------------------------- */

static bool
goes_to(const struct ir_trace *t, const struct ir_region *g, ir_ref buffer,
        ir_ref map) {
  IR_EACH_ARG(t, g, n, a) {
    if (map != IR_NONE && a->map == map) return true;
    if (buffer == IR_NONE || !ir_arg_on_dat(t, a)) continue;
    ir_ref v = a->out == IR_NONE ? a->in : a->out;
    if (ir_buffer_of(t, v) == buffer) return true;
  }
  return false;
}

bool
low_bind_is_near(const struct low_maker *m, ir_ref region,
                 const struct low_bind *b) {
  const struct ir_trace *t = m->t;
  const struct ir_region *g = &t->regions[region];
  bool slot = b->kind == RT_BIND_SLOT;
  if (slot && low_slot_is_own(m, g, b->index)) return true;
  if (!g->chain || !t->chains[g->chain - 1].piece) return false;
  ir_ref buffer = slot ? m->slot_buffer[b->index] : IR_NONE;
  ir_ref map = b->kind == RT_BIND_MAP ? b->index : IR_NONE;
  for (ir_ref r = region; r-- > 0 && t->regions[r].chain == g->chain;)
    if (goes_to(t, &t->regions[r], buffer, map)) return true;
  return false;
}

/* Each way to a buffer once, reads and writes apart. */
static void
touch_add(struct rt_chain *x, uint32_t *cap, struct rt_touch touch) {
  for (uint32_t k = x->ntouches; k-- > 0;) {
    const struct rt_touch *y = &x->touches[k];
    if (y->launch != touch.launch) break;
    if (y->memory == touch.memory && y->map == touch.map &&
        y->writes == touch.writes)
      return;
  }
  VEC_PUSH(x->touches, x->ntouches, *cap, touch);
}

static void
touches_of(const struct ir_trace *t, const struct ir_region *g, uint32_t launch,
           struct rt_chain *x, uint32_t *cap) {
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_on_dat(t, a)) continue;
    ir_ref in = a->in == IR_NONE ? IR_NONE : ir_buffer_of(t, a->in);
    ir_ref out = ir_arg_writes(a) ? ir_buffer_of(t, a->out) : IR_NONE;
    uint32_t map = a->map == IR_NONE ? RT_DIRECT : a->map;
    if (in != IR_NONE)
      touch_add(x, cap, (struct rt_touch){launch, in, map, false});
    if (out != IR_NONE)
      touch_add(x, cap, (struct rt_touch){launch, out, map, true});
  }
}

void
low_front_make(struct low_maker *m, ir_ref k, ir_ref first, uint32_t count) {
  const struct ir_trace *t = m->t;
  struct rt_program *p = m->p;
  uint32_t cap = 0;
  struct rt_chain x = {.first = p->nlaunches - 1,
                       .count = count,
                       .piece = (idx_l)t->chains[k].piece};
  SCOPED_STR name = STR_INIT;
  assert(count && p->nlaunches && x.piece > 0);
  for (uint32_t i = 0; i < count; i++)
    touches_of(t, &t->regions[first + i], i, &x, &cap);
  str_printf(&name, "%s>...", p->launches[x.first].name);
  x.timer = rt_timer_get(name.s);
  VEC_PUSH(p->chains, p->nchains, m->capchains, x);
}
