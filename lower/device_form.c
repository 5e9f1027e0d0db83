/* The form of a region's code for a device: where small values lie, and how
 * increments that may meet are made safe.
 *
 * Problem. Work items of a region add to the same elements through maps. Three
 * ways keep them apart, and none is the best everywhere:
 *
 *   atomic   each component that is added is an atomic operation on the
 *            device's memory; one launch, nothing to prepare
 *   colour   a two-level plan: a launch for each colour of blocks, element
 *            colours inside, no atomic operation, the same sums in each run;
 *            neighbours in the mesh, which share cache lines, run in different
 *            launches
 *   staged   a group adds in local memory, by element colours, then each
 *            distinct target of its block is added to the device's memory
 *            atomically; one launch, tables of two bytes an entry, a barrier
 *            for each colour
 *
 * Idea. Count, for an element, what the first and the last cost, in units of
 * one word moved to or from memory. With w words added an element, of which g
 * meet in a target on average (increments of a target: entries times elements
 * by targets), and a block that holds the share LOCALITY of a target's
 * increments:
 *
 *   atomic   A w
 *   staged   L w + A w / (1 + LOCALITY (g - 1)) + S
 *
 * A is an atomic operation's cost, L that of an update in local memory, S what
 * the tables and barriers come to. Colours are taken for what cannot be atomic
 * (other writes than increments, types of one or two bytes), for
 * OP2_REPRODUCIBLE, and when asked for. OP2_INCREMENTS forces a form wherever
 * it is possible.
 *
 * Example  Airfoil's fluxes on a device with atomic sums of doubles: w = 8, g =
 *          4: atomic 4*8 = 32, staged 8 + 32/3.1 + 6 = 24: staged.
 *
 * Cost  none at run time. Source  the plans of OP2 (Mudalige et al. 2012).
 *
 * Limits  the weights of GPUs are guesses that no card has confirmed yet. Those
 *         of
 * SPIR keep PoCL from staging, since local memory is ordinary memory there:
 * Airfoil with 180 000 cells took 37 ms an iteration on 2 threads with atomic
 * sums and with colours, 59 staged. Meshes in bad order have a smaller
 * LOCALITY; the library renumbers those. */
#include "lower/device.h"

#include "base/arena.h"
#include "base/log.h"
#include "rt/walk/reduce.h"

#include <stdlib.h>
#include <string.h>

enum {
  SCALAR_ALIGN = 16,
  ROW_ALIGN = 128,
  ATOMIC_SIZES = 4 | 8,
  STAGE_BYTES_MAX = 1024
};

/* Weights of the model above. */
static const struct {
  double atomic, local, fixed;
} weights[] = {
    [RT_CODE_PTX] = {4, 1, 6},
    [RT_CODE_SPIR] = {4, 4, 20},
    [RT_CODE_SPIRV] = {4, 1, 6},
};
static const double locality = 0.7;

static const char *const names[] = {[LOW_INCREMENTS_AUTO] = "auto",
                                    [LOW_INCREMENTS_ATOMIC] = "atomic",
                                    [LOW_INCREMENTS_COLOUR] = "colour",
                                    [LOW_INCREMENTS_STAGED] = "staged"};

status
low_increments_find(const char *name, enum low_increments *out) {
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (!strcmp(names[k], name)) {
      *out = (enum low_increments)k;
      return OK;
    }
  FAIL(ERR_ARG, "expected auto, atomic, colour or staged, found %s", name);
}

/* ---- small values -------------------------------------------------------- */

static uint32_t
low_bind_bytes(const struct low_region *r, uint32_t bind) {
  const struct low_bind *b = &r->binds[bind];
  for (uint32_t k = 0; k < r->ninstances; k++) {
    const struct low_instance *in = &r->instances[k];
    for (uint32_t c = 0; in->binds && c < in->kernel->nconsts; c++)
      if (in->binds[c] == (int32_t)bind)
        return (uint32_t)in->kernel->consts[c].size;
  }
  return b->dim * b->type.size;
}

static uint32_t
low_scalar_add(struct rt_offload *o, uint32_t *cap, struct rt_scalar s) {
  s.offset = (uint32_t)o->scalar_bytes;
  o->scalar_bytes += round_up(s.bytes, SCALAR_ALIGN);
  VEC_PUSH(o->scalars, o->nscalars, *cap, s);
  return s.offset;
}

/* Places of binds and payloads in the block, of sums in the row. */
static void
low_form_places(const struct low_region *r, struct arena *a,
                struct low_device_form *f, struct rt_offload *o) {
  struct rt_launch l = {.reductions = r->reductions,
                        .nreductions = r->nreductions};
  uint32_t cap = 0;
  f->bind_at = ARENA_ARRAY(a, uint32_t, r->nbinds + 1);
  f->payload_at = ARENA_ARRAY(a, uint32_t, r->nreductions + 1);
  f->sum_at = ARENA_ARRAY(a, uint32_t, r->nreductions + 1);
  f->claim_at = ARENA_ARRAY(a, uint32_t, r->nreductions + 1);
  size_t row = r->claims ? rt_reduce_claim(&l) : rt_reduce_row(&l);
  o->row = round_up(row, ROW_ALIGN);
  f->row = (uint32_t)o->row;
  for (uint32_t k = 0; k < r->nbinds; k++) {
    const struct low_bind *b = &r->binds[k];
    bool param = b->kind == RT_BIND_PARAM;
    f->bind_at[k] = LOW_NOWHERE;
    if (param || b->kind == RT_BIND_GLOBAL)
      f->bind_at[k] =
          low_scalar_add(o, &cap,
                         (struct rt_scalar){b->index, low_bind_bytes(r, k), 0,
                                            param, b->written});
  }
  for (uint32_t k = 0; k < r->nreductions; k++) {
    const struct rt_reduction *x = &r->reductions[k];
    f->sum_at[k] = (uint32_t)rt_reduce_offset(&l, k);
    f->claim_at[k] = LOW_NOWHERE;
    if (r->claims && rt_reduce_claim_offset(&l, k))
      f->claim_at[k] = (uint32_t)rt_reduce_claim_offset(&l, k);
    f->payload_at[k] = LOW_NOWHERE;
    if (x->payload >= 0)
      f->payload_at[k] =
          low_scalar_add(o, &cap,
                         (struct rt_scalar){x->global, x->dim * x->type.size, 0,
                                            false, false});
  }
}

/* ---- staging ------------------------------------------------------------- */

/* The use of the map that slot s goes through, made at need; false: too many
 * entries. */
static bool
low_use_find(const struct low_region *r, const struct low_slot *s,
             struct rt_offload *o, uint32_t *use_out, uint32_t *entry_out) {
  uint32_t map = r->binds[s->map].index, u = 0, j = 0;
  while (u < o->nuses && o->uses[u].map != map) u++;
  struct rt_stage_use *use = &o->uses[u];
  if (u == o->nuses) use->map = map, o->nuses++;
  while (j < use->nentries && use->entries[j] != s->entry) j++;
  if (j == RT_STAGE_ENTRIES) return false;
  if (j == use->nentries) use->entries[use->nentries++] = s->entry;
  *use_out = u;
  *entry_out = j;
  return true;
}

static uint32_t
low_strip_find(const struct low_slot *s, uint32_t use, struct rt_offload *o,
               struct low_device_form *f) {
  uint32_t k = 0;
  while (k < o->nstrips &&
         (o->strips[k].use != use || f->strip_store[k] != s->store))
    k++;
  if (k < o->nstrips) return k;
  o->strips[k] = (struct rt_strip){use, s->dim * s->type.size};
  f->strip_store[k] = s->store;
  f->strip_dim[k] = s->dim;
  f->strip_type[k] = s->type;
  return o->nstrips++;
}

/* Places of the increments in local memory; false: they don't fit. */
static bool
low_form_stage(const struct low_region *r, struct arena *a,
               struct low_device_form *f, struct rt_offload *o) {
  uint32_t n = r->nslots + 1;
  size_t bytes = 0;
  o->uses = mem_alloc(n, sizeof *o->uses);
  o->strips = mem_alloc(n, sizeof *o->strips);
  f->strip_of = ARENA_ARRAY(a, uint32_t, n);
  f->entry_of = ARENA_ARRAY(a, uint32_t, n);
  f->strip_store = ARENA_ARRAY(a, int32_t, n);
  f->strip_dim = ARENA_ARRAY(a, uint32_t, n);
  f->strip_type = ARENA_ARRAY(a, struct type, n);
  for (uint32_t k = 0; k < r->nslots; k++) {
    const struct low_slot *s = &r->slots[k];
    uint32_t use;
    if (s->kind != LOW_SLOT_INC) continue;
    if (!low_use_find(r, s, o, &use, &f->entry_of[k])) return false;
    f->strip_of[k] = low_strip_find(s, use, o, f);
    bytes += s->dim * s->type.size + RT_STRIP_ALIGN;
  }
  o->stages = mem_alloc(o->nuses + 1, sizeof *o->stages);
  f->strips = o->strips;
  f->uses = o->uses;
  f->nstrips = o->nstrips;
  f->nuses = o->nuses;
  return o->nuses && bytes <= STAGE_BYTES_MAX;
}

/* ---- the form ------------------------------------------------------------ */

/* Can all conflicting writes be atomic? Increments of words only. */
static bool
low_atomic(const struct low_region *r) {
  if (!r->parallel) return false;
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].kind == LOW_SLOT_INC &&
        (!(r->slots[k].type.size & ATOMIC_SIZES) ||
         r->slots[k].type.kind >= TYPE_BOOL))
      return false;
  return true;
}

static bool
low_staging_pays(const struct low_region *r, enum rt_code_kind kind) {
  double words = 0, more = r->per_target > 1 ? r->per_target - 1 : 0;
  for (uint32_t k = 0; k < r->nslots; k++)
    if (r->slots[k].kind == LOW_SLOT_INC) words += r->slots[k].dim;
  double atomic = weights[kind].atomic * words;
  double staged = weights[kind].local * words + atomic / (1 + locality * more) +
                  weights[kind].fixed;
  return staged < atomic;
}

/* Of the private copies of an element. */
static size_t
low_item_bytes(const struct low_region *r) {
  size_t sum = 0;
  for (uint32_t k = 0; k < r->nslots; k++)
    sum += (size_t)r->slots[k].dim * r->slots[k].type.size;
  return sum;
}

void
low_form_make(const struct low_region *r, enum low_increments want,
              struct arena *a, struct low_device_form *f,
              struct rt_offload *o) {
  bool conflicts = r->mode == RT_RUN_COLOURED || r->mode == RT_RUN_PARTS;
  bool atomic = conflicts && low_atomic(r);
  bool stage = want == LOW_INCREMENTS_STAGED ||
               (want == LOW_INCREMENTS_AUTO && low_staging_pays(r, f->kind));
  f->form = RT_FORM_PLAIN;
  if (atomic && stage && low_form_stage(r, a, f, o))
    f->form = RT_FORM_STAGE;
  else if (conflicts && (!atomic || want == LOW_INCREMENTS_COLOUR ||
                         r->mode == RT_RUN_COLOURED))
    f->form = RT_FORM_COLOUR;
  f->atomic = conflicts && f->form == RT_FORM_PLAIN;
  if (conflicts && want == LOW_INCREMENTS_STAGED && f->form != RT_FORM_STAGE)
    LOG_INFO("loop %s: its writes cannot be staged; they are %s", r->name,
             f->atomic ? "atomic" : "coloured");
  f->ordered = r->mode == RT_RUN_SERIAL;
  for (uint32_t k = 0; k < r->nreductions; k++)
    f->ordered |= r->reductions[k].payload >= 0;
  o->form = f->form;
  o->item_bytes = low_item_bytes(r);
  low_form_places(r, a, f, o);
}
