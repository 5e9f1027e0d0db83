/* The form of a region's code for a device: where small values lie, and those
 * that are staged (its walk says whether: pass colour). */
#include "ir/cost.h"
#include "lower/device.h"

#include "base/arena.h"
#include "rt/walk/reduce.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SCALAR_ALIGN = 16, ROW_ALIGN = 16 };
/* Larger rows leave few items of a group in the local memory of any device. */
enum { LOCAL_ROW = 1024 };
_Static_assert((int)IR_STAGE_ENTRIES == (int)RT_STAGE_ENTRIES,
               "room for a map's entries");
_Static_assert((int)IR_STAGE_ALIGN == (int)RT_STRIP_ALIGN,
               "where strips begin");

/* ---- small values -------------------------------------------------------- */

static uint32_t
low_bind_bytes(const struct low_region *r, uint32_t bind) {
  assert(bind < r->nbinds);
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
  bool word = s.bytes <= RT_SCALARS_WORD;
  assert(s.bytes > 0 && o->scalar_bytes % RT_SCALARS_WORD == 0);
  s.offset = (uint32_t)round_up(o->scalar_bytes,
                                word ? RT_SCALARS_WORD : SCALAR_ALIGN);
  o->scalar_bytes = s.offset + round_up(s.bytes, RT_SCALARS_WORD);
  VEC_PUSH(o->scalars, o->nscalars, *cap, s);
  return s.offset;
}

/* Places of captured values in the block. */
static void
low_form_values(const struct low_region *r, struct arena *a,
                struct low_device_form *f, struct rt_offload *o) {
  uint32_t cap = 0;
  f->bind_at = ARENA_ARRAY(a, uint32_t, r->nbinds + 1);
  for (uint32_t k = 0; k < r->nbinds; k++) {
    struct rt_scalar s = {.param = r->binds[k].index};
    f->bind_at[k] = LOW_NOWHERE;
    if (r->binds[k].kind != RT_BIND_PARAM) continue;
    s.bytes = low_bind_bytes(r, k);
    f->bind_at[k] = low_scalar_add(o, &cap, s);
  }
  if (o->scalar_bytes <= (size_t)RT_SCALARS_WORDS * RT_SCALARS_WORD)
    o->nwords = (uint32_t)(o->scalar_bytes / RT_SCALARS_WORD);
  f->scalar_bytes = (uint32_t)o->scalar_bytes;
  f->nwords = o->nwords;
}

/* Places of sums in the row. */
static void
low_form_sums(const struct low_region *r, struct arena *a,
              struct low_device_form *f, struct rt_offload *o) {
  struct rt_launch l = {.reductions = r->reductions,
                        .nreductions = r->nreductions};
  f->sum_at = ARENA_ARRAY(a, uint32_t, r->nreductions + 1);
  f->claim_at = ARENA_ARRAY(a, uint32_t, r->nreductions + 1);
  size_t row =
      r->claims ? rt_reduce_claim(&l) : rt_reduce_offset(&l, r->nreductions);
  o->row = round_up(row, ROW_ALIGN);
  f->row = (uint32_t)o->row;
  o->rows_local = f->rows_local = row <= LOCAL_ROW;
  for (uint32_t k = 0; k < r->nreductions; k++) {
    f->sum_at[k] = (uint32_t)rt_reduce_offset(&l, k);
    f->claim_at[k] = LOW_NOWHERE;
    if (r->claims && rt_reduce_claim_offset(&l, k))
      f->claim_at[k] = (uint32_t)rt_reduce_claim_offset(&l, k);
  }
}

/* ---- staging ------------------------------------------------------------- */

/* The use of the map that slot s goes through; nuses: there is none yet. */
static uint32_t
low_use_of(const struct low_region *r, const struct low_slot *s, bool reads,
           const struct rt_offload *o) {
  assert(s->map >= 0 && r->binds[s->map].kind == RT_BIND_MAP);
  uint32_t map = r->binds[s->map].index, u = 0;
  while (u < o->nuses && (o->uses[u].map != map || o->uses[u].reads != reads))
    u++;
  return u;
}

/* The place of its entry there; nentries: it has none. */
static uint32_t
low_entry_of(const struct rt_stage_use *use, const struct low_slot *s) {
  uint32_t j = 0;
  while (j < use->nentries && use->entries[j] != s->entry) j++;
  return j;
}

/* Is all that is read through the map of slot s among what is added to? Else
 * identities would be combined with what is only read. */
static bool
low_use_serves(const struct low_region *r, const struct low_slot *s,
               const struct rt_offload *o) {
  uint32_t u = low_use_of(r, s, false, o);
  if (u == o->nuses) return false;
  for (uint32_t k = 0; k < r->nslots; k++) {
    const struct low_slot *x = &r->slots[k];
    if (x->local && x->map == s->map &&
        low_entry_of(&o->uses[u], x) == o->uses[u].nentries)
      return false;
  }
  return true;
}

/* The use for slot s, made at need, and the place of its entry there. */
static void
low_use_get(const struct low_region *r, const struct low_slot *s,
            struct rt_offload *o, uint32_t *use_out, uint32_t *entry_out) {
  bool reads = s->local && !low_use_serves(r, s, o);
  uint32_t u = low_use_of(r, s, reads, o);
  struct rt_stage_use *use = &o->uses[u];
  if (u == o->nuses) {
    use->map = r->binds[s->map].index;
    use->reads = reads;
    o->nuses++;
  }
  uint32_t j = low_entry_of(use, s);
  assert(j < RT_STAGE_ENTRIES);
  if (j == use->nentries) use->entries[use->nentries++] = s->entry;
  *use_out = u;
  *entry_out = j;
}

static uint32_t
low_strip_find(const struct low_slot *s, uint32_t use, struct rt_offload *o,
               struct low_device_form *f) {
  int32_t bind = s->local ? s->load : s->store;
  assert(use < o->nuses && bind >= 0);
  uint32_t k = 0;
  while (k < o->nstrips &&
         (o->strips[k].use != use || f->strip_bind[k] != bind))
    k++;
  assert(k == o->nstrips ||
         f->strip_access[k] == (s->local ? ACC_READ : s->access));
  if (k < o->nstrips) return k;
  o->strips[k] = (struct rt_strip){use, s->dim * s->type.size};
  f->strip_bind[k] = bind;
  f->strip_read[k] = s->local;
  f->strip_dim[k] = s->dim;
  f->strip_type[k] = s->type;
  f->strip_access[k] = s->local ? ACC_READ : s->access;
  return o->nstrips++;
}

/* Places of increments and of what is read in local memory. */
static void
low_form_stage(const struct low_region *r, struct arena *a,
               struct low_device_form *f, struct rt_offload *o) {
  uint32_t n = r->nslots + 1;
  o->uses = mem_alloc(n, sizeof *o->uses);
  o->strips = mem_alloc(n, sizeof *o->strips);
  f->strip_of = ARENA_ARRAY(a, uint32_t, n);
  f->entry_of = ARENA_ARRAY(a, uint32_t, n);
  f->strip_bind = ARENA_ARRAY(a, int32_t, n);
  f->strip_read = ARENA_ARRAY(a, bool, n);
  f->strip_dim = ARENA_ARRAY(a, uint32_t, n);
  f->strip_type = ARENA_ARRAY(a, struct type, n);
  f->strip_access = ARENA_ARRAY(a, enum access, n);
  for (uint32_t k = 0; k < 2 * r->nslots; k++) { /* all that adds comes first */
    uint32_t i = k % r->nslots, use;
    const struct low_slot *s = &r->slots[i];
    if (k < r->nslots ? s->kind != LOW_SLOT_INC : !s->local) continue;
    low_use_get(r, s, o, &use, &f->entry_of[i]);
    f->strip_of[i] = low_strip_find(s, use, o, f);
  }
  o->stages = mem_alloc(o->nuses + 1, sizeof *o->stages);
  f->strips = o->strips;
  f->uses = o->uses;
  f->nstrips = o->nstrips;
  f->nuses = o->nuses;
  assert(o->nuses > 0);
}

/* ---- the form ------------------------------------------------------------ */

/* Of the private copies of an element. */
static size_t
low_item_bytes(const struct low_region *r) {
  size_t sum = 0;
  for (uint32_t k = 0; k < r->nslots; k++)
    sum += low_slot_pointers(&r->slots[k]) + low_slot_copies(&r->slots[k]);
  return sum;
}

void
low_form_make(const struct low_region *r, struct arena *a,
              struct low_device_form *f, struct rt_offload *o) {
  f->form = r->form;
  f->atomic = r->atomic;
  if (r->form == RT_FORM_STAGE) low_form_stage(r, a, f, o);
  f->ordered = r->mode == RT_RUN_SERIAL;
  for (uint32_t k = 0; k < r->nreductions; k++)
    f->ordered |= r->reductions[k].payload >= 0;
  o->form = f->form;
  o->item_bytes = low_item_bytes(r);
  low_form_values(r, a, f, o);
  low_form_sums(r, a, f, o);
}
