/* From a region's nodes to binds and slots.
 *
 * Problem. Loops of one region share elements: what one kernel writes the next
 * one reads, two names may mean one buffer, an old and a new version may lie in
 * different buffers or in the same, and sometimes the order of elements
 * matters. Running the kernels one after another on memory would be right and
 * slow; keeping everything in registers is fast and wrong as soon as one case
 * is forgotten.
 *
 * Idea. Slots hold *versions*. An argument that reads looks for the slot that
 * holds its version; one that writes takes that slot over, or a new one. Since
 * old versions are all loaded before anything is stored, it does not matter in
 * which buffer a version lies.
 *
 *   region { %adt.1 = loop @adt_calc (read %x.0 via %pcell[0], ... read %q.1,
 *                                     write %adt.0)
 *            %b.1 = loop @b (read %q.1, rw %b.0) }
 *
 *   slots  0: x.0 via pcell[0]   loaded through the map
 *          4: q.1                loaded once, for both kernels
 *          5: adt.1              stored at the end
 *          6: b.0 -> b.1         loaded and stored
 *
 * Where that is not right the region says so, operand by operand (pass hold,
 * ir/holds.def): added, staged around each call, or in place.
 *
 * cost  O(arguments * slots of the region) */
#include "lower/args.h"

#include "ir/hold.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct low_slot
low_slot_blank(enum low_slot_kind kind, struct type type, uint32_t dim) {
  assert(dim > 0 && type.size > 0);
  return (struct low_slot){.kind = kind,
                           .type = type,
                           .dim = dim,
                           .load = -1,
                           .store = -1,
                           .through = -1,
                           .map = -1,
                           .start = -1,
                           .call = -1,
                           .into = -1,
                           .room = -1};
}

int32_t
low_slot_add(struct low_region *r, struct low_slot s) {
  VEC_PUSH(r->slots, r->nslots, r->capslots, s);
  return (int32_t)r->nslots - 1;
}

static bool
low_slot_same(const struct low_slot *a, const struct low_slot *b) {
  return a->kind == b->kind && type_same(a->type, b->type) &&
         a->dim == b->dim && a->load == b->load && a->store == b->store &&
         a->through == b->through && a->inner == b->inner &&
         a->shift == b->shift && a->layer == b->layer && a->local == b->local &&
         a->stream == b->stream && a->ahead == b->ahead && a->soon == b->soon &&
         a->run == b->run && a->late == b->late && a->map == b->map &&
         a->start == b->start && a->still == b->still && a->entry == b->entry &&
         a->row == b->row && a->call == b->call && a->into == b->into &&
         a->access == b->access;
}

int32_t
low_slot_get(struct low_region *r, struct low_slot s) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if (low_slot_same(&r->slots[k], &s)) return (int32_t)k;
  return low_slot_add(r, s);
}

static int32_t
low_arg_slot(struct low_args *g, uint32_t a, uint32_t entry) {
  const struct ir_arg *arg = &ir_args(g->m->t, g->node)[a];
  switch (arg->kind) {
  case IR_ARG_DAT: return low_dat_slot(g, arg, entry);
  case IR_ARG_PARAM: return low_param_slot(g, arg);
  case IR_ARG_IDX: return low_index_slot(g, arg);
  case IR_ARG_NUMBER: return low_index_long_slot(g, arg);
  case IR_ARG_LENGTH: return low_length_slot(g, arg);
  default: return low_gbl_slot(g, a);
  }
}

/* The kernel's parameter for argument a. */
static struct low_use
low_use_make(struct low_args *g, uint32_t a) {
  const struct ir_arg *arg = &ir_args(g->m->t, g->node)[a];
  struct low_use u = {0};
  if (arg->kind == IR_ARG_OFF) return u;
  u.vector = arg->vector > 0;
  u.nslots = ir_arg_any_length(g->m->t, arg) ? 1 : ir_arg_count(arg);
  u.slots = ARENA_ARRAY(&g->r->arena, int32_t, u.nslots);
  for (uint32_t k = 0; k < u.nslots; k++)
    u.slots[k] = low_arg_slot(g, a, arg->entry + k);
  return u;
}

static status
low_call_check(const struct low_args *g) {
  const struct low_kernel *k = g->kernel;
  if (k->opaque && !k->address)
    FAIL(ERR_COMPILE, "%s:%d: loop %s: kernel has neither code nor address",
         g->node->file ? g->node->file : "?", g->node->line, k->name);
  if (!k->opaque && k->nparams != g->node->nargs)
    FAIL(ERR_COMPILE,
         "%s:%d: loop %s: kernel takes %u parameters, the loop passes %u",
         g->node->file ? g->node->file : "?", g->node->line, k->name,
         k->nparams, g->node->nargs);
  return OK;
}

/* The number that the call of node n has, or will have. */
static int32_t
low_call_number(const struct low_args *g, ir_ref n) {
  int32_t number = 0;
  assert(n >= g->first && n < g->end);
  for (ir_ref k = g->first; k < n; k++)
    number += !ir_deferred(&g->m->t->nodes[k]);
  return number;
}

/* What a call is good for, if that is one value in registers, and which call
 * makes it for the element before. */
static void
low_call_result(struct low_args *g, struct low_call *c) {
  const struct ir_trace *t = g->m->t;
  const struct ir_arg *args = ir_args(t, g->node), *result = NULL;
  uint32_t results = 0;
  c->makes = c->from = -1;
  for (uint32_t a = 0; a < c->nargs; a++) {
    if (!ir_arg_writes(&args[a])) continue;
    results++;
    if (ir_arg_inline(t, &args[a])) result = &args[a];
  }
  if (!result || results > 1 || ir_arg_count(result) != 1) return;
  c->makes = c->args[result - args].slots[0];
  if (low_hold_of(g, result) != IR_HOLD_SLIDE) return;
  ir_ref from = ir_slides_from(t, g->node->region, result->out);
  if (from != IR_NONE) c->from = low_call_number(g, from);
}

static status
low_call_make(struct low_args *g, ir_ref n) {
  const struct ir_trace *t = g->m->t;
  g->node = &t->nodes[n];
  const struct ir_kernel *ik = &t->kernels[g->node->kernel];
  g->kernel = g->m->env->kernel(g->m->env->user, ik->tag);
  TRY(low_call_check(g));
  struct low_call c = {.nargs = g->node->nargs,
                       .name = arena_str(&g->r->arena, ik->name),
                       .line = g->node->line};
  c.file = arena_str(&g->r->arena, g->node->file ? g->node->file : "?");
  TRY(low_instance_get(g, &c.instance));
  low_bind_rows(g, g->node->each, &c);
  g->call = (int32_t)g->r->ncalls;
  c.args = ARENA_ARRAY(&g->r->arena, struct low_use, c.nargs);
  g->reductions = ARENA_ARRAY(&g->r->arena, int32_t, c.nargs);
  low_reductions_find(g);
  for (uint32_t a = 0; a < c.nargs; a++) c.args[a] = low_use_make(g, a);
  low_bind_layers(g, &c);
  low_call_result(g, &c);
  VEC_PUSH(g->r->calls, g->r->ncalls, g->r->capcalls, c);
  return OK;
}

/* The next call is of the same loop, for another of its readers' points. */
static bool
low_is_again(const struct low_args *g, ir_ref n) {
  const struct ir_trace *t = g->m->t;
  const struct ir_node *x = &t->nodes[n], *y = x + 1;
  if (n + 1 == g->end || x->tag != y->tag || x->kernel != y->kernel)
    return false;
  for (uint32_t k = 0; k < x->nargs; k++)
    if (ir_arg_writes(&ir_args(t, x)[k]))
      return ir_arg_inline(t, &ir_args(t, x)[k]);
  return false;
}

/* "update+adt_calc"; what is computed for several points stands once. */
static const char *
low_region_name(struct low_args *g) {
  SCOPED_STR s = STR_INIT;
  const struct ir_trace *t = g->m->t;
  for (ir_ref n = g->first; n < g->end; n++) {
    if (ir_deferred(&t->nodes[n]) || low_is_again(g, n)) continue;
    str_printf(&s, "%s%s", s.len ? "+" : "",
               t->kernels[t->nodes[n].kernel].name);
  }
  return arena_str(&g->r->arena, s.s);
}

static void
low_mode_set(struct low_args *g) {
  static const enum rt_run_mode mode_of[IR_WALK_COUNT] = {
      [IR_WALK_NONE] = RT_RUN_SERIAL,  [IR_WALK_RANGE] = RT_RUN_RANGE,
      [IR_WALK_PARTS] = RT_RUN_PARTS,  [IR_WALK_IN_ORDER] = RT_RUN_IN_ORDER,
      [IR_WALK_ATOMIC] = RT_RUN_PARTS, [IR_WALK_COLOURS] = RT_RUN_COLOURED,
      [IR_WALK_STAGED] = RT_RUN_PARTS, [IR_WALK_SERIAL] = RT_RUN_SERIAL,
  };
  struct low_region *r = g->r;
  const struct ir_region *in =
      &g->m->t->regions[g->m->t->nodes[g->first].region];
  enum ir_walk walk = in->walk;
  assert(walk != IR_WALK_NONE);
  r->width = in->width;
  r->panel = in->panel;
  r->prefetch = in->width ? in->prefetch : 0;
  r->target_rows = in->target_rows;
  r->stretches = in->stretches;
  r->twice = in->twice;
  if (walk == IR_WALK_RANGE) r->nconflicts = 0;
  r->claims = g->payload && g->m->t->sets[in->set].flags & IR_SET_PARTS;
  r->mode = mode_of[walk];
  r->form = walk == IR_WALK_STAGED    ? RT_FORM_STAGE
            : walk == IR_WALK_COLOURS ? RT_FORM_COLOUR
                                      : RT_FORM_PLAIN;
  r->atomic = walk == IR_WALK_ATOMIC;
}

static status
low_calls_make(struct low_args *g) {
  for (ir_ref n = g->first; n < g->end; n++)
    if (!ir_deferred(&g->m->t->nodes[n])) TRY(low_call_make(g, n));
  return OK;
}

/* Columns of the thread lie in scratch memory, each dat's behind the one
 * before, and not whole pages on: then loads would wait for stores to the same
 * place of another page. */
static void
low_columns_place(struct low_args *g) {
  enum { OFF = 3 * RT_LINE };
  struct low_region *r = g->r;
  for (uint32_t k = 0; k < r->nbinds; k++) {
    struct low_bind *b = &r->binds[k];
    if (!b->column) continue;
    size_t element = (size_t)b->dim * b->type.size;
    size_t at = round_up(r->scratch_bytes, RT_LINE) + OFF;
    b->index = (uint32_t)(at / RT_LINE);
    r->scratch_bytes = at + (size_t)b->layers * low_pitch(r) * element;
  }
}

/* Large private copies lie in scratch memory, one behind the other. */
static void
low_rooms_make(struct low_args *g) {
  struct low_region *r = g->r;
  size_t stack = 0;
  bool twice = g->m->t->regions[g->m->t->nodes[g->first].region].lengths;
  low_columns_place(g);
  for (uint32_t k = 0; k < r->nslots; k++) {
    struct low_slot *s = &r->slots[k];
    size_t bytes = low_slot_pointers(s) + low_slot_copies(s);
    size_t times = s->row && twice ? 2 : 1; /* code for a usual length */
    size_t align = low_slot_align(s);
    if (s->kind == LOW_SLOT_WHOLE || (s->kind == LOW_SLOT_PLACE && !s->row))
      continue;
    if (stack + times * bytes <= LOW_COPIES) {
      stack += times * bytes;
      continue;
    }
    size_t at = round_up(r->scratch_bytes, align);
    s->room = (int64_t)at;
    bool guarded = r->sanitize == LOW_SANITIZE_address;
    r->scratch_bytes = at + bytes + (guarded ? LOW_GUARD : 0);
  }
  r->scratch_bytes = round_up(r->scratch_bytes, RT_PAGE);
  struct low_bind b = {
      .kind = RT_BIND_SCRATCH, .stride = -1, .alone = true, .written = true};
  r->scratch = r->scratch_bytes ? low_bind_get(r, b) : -1;
}

status
low_region_make(struct low_maker *m, ir_ref first, uint32_t count,
                struct low_region *r) {
  assert(count && !r->nslots && !r->ncalls);
  struct low_args g = {.m = m, .r = r, .first = first, .end = first + count};
  r->scratch = -1;
  r->tag = m->t->nodes[first].tag;
  g.device = target_is_device(m->t->nodes[first].target);
  r->sanitize = m->env->sanitize;
  r->lines = m->env->lines && !g.device;
  r->quick = m->env->quick && !g.device;
  low_holds_begin(&g);
  status s = low_calls_make(&g);
  if (s == OK) {
    r->name = low_region_name(&g);
    r->vector_math = m->env->vector_math;
    low_dats_finish(&g);
    low_mode_set(&g);
    if (!g.device) low_rooms_make(&g);
  }
  low_holds_end(&g);
  return s;
}

void
low_region_clear(struct low_region *r) {
  free(r->binds);
  free(r->slots);
  free(r->calls);
  free(r->instances);
  free(r->reductions);
  free(r->conflicts);
  arena_clear(&r->arena);
  *r = (struct low_region){0};
}
