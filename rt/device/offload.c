/* Launches on a device.
 *
 * Problem. A region on the host is given a table of addresses and a range; a
 * device is given memory handles and numbers, has its own copies of maps and
 * walks, thousands of work items instead of a few threads, and no cheap way to
 * let them combine a sum.
 *
 * Idea. Captured values of a launch are arguments of its kernel or, where they
 * are many, in a block of memory that is written when they have changed (struct
 * rt_scalar). Globals have cells on the device (rt/store/cell.c), which stay
 * there until the host looks. Work item w visits
 *
 *   e = lo + w * mul, + step, ...   while e < min(lo + w * mul + span, hi)
 *
 * of elements [lo, hi), n in number:
 *
 *             mul    span   step    items
 *   plain     1      n      items   n, rounded up: one element each
 *   sums      1      n      items   at most device->rows, alike many turns each
 *   payload   chunk  chunk  1       the same; chunks in element order, so that
 *                                   ties keep the earliest
 *   serial    0      n      1       1
 *
 * Over ranks elements of others come in a launch of their own, whose sums
 * nobody joins; walks are for all of them.
 *
 * Sums: each group leaves what its items come to, `combine` joins that of all
 * groups, in order; no order depends on which was first
 * (lower/llvm/device_sums.c).
 *
 * Where the order of elements can be told (serial launches, payloads) and the
 * library numbers them otherwise than the program, e counts the program's
 * elements and goes through a table.
 *
 * Conflicting writes run by a walk of colours, colour by colour, one group of
 * work items a block; or atomically, in one launch; or staged, in one launch: a
 * group adds into its local memory, element colour by element colour, and
 * carries the sums of its block's targets over atomically (rt/walk/stage.c
 * numbers them); it may also read from there what it has copied before. The
 * block is the device's group, or halved until its targets fit in local memory,
 * and the private copies of all its items in what a stack holds.
 *
 *   groups g of a staged launch run blocks g, g + groups, ...; as many groups
 *   as blocks, or, where there are sums, as rows allow
 *
 * Cost  nothing is written or read, and nobody waits, unless a value has
 * changed or is looked at.
 */
#include "rt/device/offload.h"

#include "base/arena.h"
#include "base/counters.h"
#include "rt/device/code.h"
#include "rt/device/globals.h"
#include "rt/mesh/step.h"
#include "rt/ranks/dist.h"
#include "rt/walk/reduce.h"
#include "rt/store/residency.h"
#include "rt/walk/stage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct rt_device *
rt_launch_device(const struct rt_launch *l) {
  assert(l->offload);
  return l->offload->code->device;
}

/* WAITING_BYTES: private memory of a group whose items wait for each other; a
 * driver may keep that of all of them on one stack. */
enum { WAITING_BYTES = 1 << 20 };
enum { SUM_BYTES_MAX = 32 << 20 };

/* ---- arguments ----------------------------------------------------------- */

static struct rt_dev_arg
mem_arg(void *mem) {
  return (struct rt_dev_arg){.mem = mem};
}

static struct rt_dev_arg
word_arg(int64_t word) {
  return (struct rt_dev_arg){.word = word};
}

/* The device's copy of a table that never changes. */
static status
table_arg(struct rt_device *d, const void *data, size_t bytes,
          struct rt_dev_arg *out) {
  void *mem;
  TRY(rt_dev_table_get(d, data, bytes, 0, &mem));
  *out = mem_arg(mem);
  return OK;
}

/* ---- prepare ------------------------------------------------------------- */

/* Bytes of local memory for the accumulators of a group's items. */
static size_t
rows_room(const struct rt_offload *o, uint32_t group) {
  return o->rows_local ? o->row * group : 0;
}

static uint32_t
sum_items(const struct rt_launch *l, const struct rt_device *d) {
  size_t fits = SUM_BYTES_MAX / (l->offload->row + 1);
  uint32_t items = fits < d->rows ? (uint32_t)fits : d->rows;
  return items ? items : 1;
}

uint32_t
rt_offload_group(const struct rt_offload *o, uint32_t group, size_t local) {
  while (group > 1 && o->item_bytes * group > WAITING_BYTES) group /= 2;
  while (group > 1 && rows_room(o, group) > local) group /= 2;
  return group;
}

/* Work items of a group that wait for each other. */
static uint32_t
waiting_group(const struct rt_offload *o) {
  const struct rt_device *d = o->code->device;
  return rt_offload_group(o, d->group, d->local);
}

/* Work items of a plain launch over n elements, and in a group. */
struct items {
  uint32_t all, group;
};

static struct items
choose_items(const struct rt_launch *l, uint32_t n) {
  const struct rt_device *d = l->offload->code->device;
  struct items x = {1, 1};
  if (l->mode == RT_RUN_SERIAL || !n) return x;
  uint32_t group = l->nreductions ? waiting_group(l->offload) : d->group;
  x.group = n < group ? n : group;
  uint32_t groups = (n + x.group - 1) / x.group;
  uint32_t most = l->nreductions ? sum_items(l, d) / x.group : groups;
  uint32_t turns = most ? (groups + most - 1) / most : groups;
  assert(turns > 0);
  groups = (groups + turns - 1) / turns; /* each has as many as the others */
  x.all = groups * x.group;
  return x;
}

/* Blocks of a step, at most. */
static uint32_t
widest_step(const struct rt_walk *w) {
  idx_l widest = 1;
  for (idx_l s = 0; s < w->nsteps; s++)
    if (w->step[s + 1] - w->step[s] > widest)
      widest = w->step[s + 1] - w->step[s];
  return (uint32_t)widest;
}

/* Arguments that are tables of the walk and the stages: when a launch is
 * prepared, so that the device has them, and when it is given. */
static status
table_args(const struct rt_launch *l, const struct rt_offload_run *r,
           struct rt_dev_arg *a) {
  const struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  const struct rt_walk *w = r->walk;
  bool staged = o->form == RT_FORM_STAGE;
  size_t word = sizeof(idx_l), blocks = (size_t)w->ntasks;
  struct rt_dev_arg *inner =
      a + (staged ? RT_STAGE_COLOURS : RT_COLOUR_COLOURS);
  assert(w->block && w->colour && w->ncolours && w->n == r->end);
  if (!staged) TRY(table_arg(d, w->block, word * blocks, &a[RT_COLOUR_ORDER]));
  TRY(table_arg(d, w->colour, word * (size_t)w->n, &inner[0]));
  TRY(table_arg(d, w->ncolours, word * blocks, &inner[1]));
  a += RT_STAGE_ARGS;
  for (uint32_t u = 0; staged && u < o->nuses; u++, a += RT_STAGE_TABLES) {
    const struct rt_stage *s = o->stages[u];
    assert(s->nblocks == w->ntasks && s->block == w->length);
    TRY(table_arg(d, s->first, word * (blocks + 1), &a[RT_STAGE_FIRST]));
    TRY(table_arg(d, s->targets, word * (size_t)s->first[blocks],
                  &a[RT_STAGE_TARGETS]));
    TRY(table_arg(d, s->local, sizeof *s->local * (size_t)s->n * s->nentries,
                  &a[RT_STAGE_LOCAL]));
  }
  return OK;
}

/* Colours with blocks of this length, and the device's copies of tables. */
static status
prepare_walk(struct rt_launch *l, uint32_t block,
             const struct rt_entries *conflicts, struct rt_offload_run *r) {
  struct rt_walk_want want = {.kind = RT_WALK_COLOURS,
                              .n = r->end,
                              .block = (idx_l)block,
                              .c = conflicts,
                              .nc = l->nconflicts,
                              .elements = true};
  TRY(rt_walk_get(&want, &r->walk));
  r->group = block;
  return table_args(l, r, l->offload->args);
}

/* ---- staging ------------------------------------------------------------- */

/* Numbers for blocks of this length; bytes of local memory that they need. */
static status
stages_get(const struct rt_program *p, const struct rt_launch *l,
           const struct rt_offload_run *r, uint32_t block, size_t *bytes_out) {
  struct rt_offload *o = l->offload;
  struct rt_entries c[RT_STAGE_ENTRIES];
  *bytes_out = 0;
  for (uint32_t u = 0; u < o->nuses; u++) {
    const struct rt_stage_use *use = &o->uses[u];
    for (uint32_t j = 0; j < use->nentries; j++)
      c[j] = (struct rt_entries){p->maps[use->map], use->entries[j], 1};
    TRY(rt_stage_get(r->end, (idx_l)block, c, use->nentries, &o->stages[u]));
  }
  for (uint32_t k = 0; k < o->nstrips; k++) {
    size_t bytes =
        (size_t)o->strips[k].bytes * o->stages[o->strips[k].use]->most;
    *bytes_out += round_up(bytes, RT_STRIP_ALIGN);
  }
  return OK;
}

static status
prepare_stage(const struct rt_program *p, struct rt_launch *l,
              const struct rt_entries *conflicts, struct rt_offload_run *r) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  uint32_t block = waiting_group(o);
  TRY(stages_get(p, l, r, block, &r->local));
  while (r->local > d->local && block > 1) {
    block /= 2;
    TRY(stages_get(p, l, r, block, &r->local));
  }
  if (rows_room(o, block) > r->local) r->local = rows_room(o, block);
  if (r->local > d->local)
    FAIL(ERR_DEVICE,
         "%s: loop %s: an element's increments and reads take %zu bytes of "
         "local memory, it has %zu",
         d->name, l->name, r->local, d->local);
  return prepare_walk(l, block, conflicts, r);
}

static uint32_t
stage_groups(const struct rt_launch *l, const struct rt_offload_run *r) {
  assert(r->walk && r->group > 0);
  uint32_t groups = (uint32_t)r->walk->ntasks;
  uint32_t most = sum_items(l, l->offload->code->device) / r->group;
  return l->nreductions && groups > most ? (most ? most : 1) : groups;
}

/* ---- tables -------------------------------------------------------------- */

/* The device's copy of a map, or of an order's numbers. */
static status
bound_table(const struct rt_program *p, const struct rt_launch *l,
            const struct rt_bind *b, void **out) {
  struct rt_device *d = l->offload->code->device;
  if (b->kind == RT_BIND_ROWS) {
    const struct rt_order *o = p->sets[b->index]->order;
    return rt_dev_table_get(d, o->row, sizeof(idx_l) * (size_t)o->n, o->version,
                            out);
  }
  if (b->kind == RT_BIND_NUMBERS) {
    const struct rt_set *s = p->sets[b->index];
    return rt_dev_table_get(d, s->part->global, sizeof(idx_g) * (size_t)s->n,
                            s->order->version, out);
  }
  const struct rt_relation *m = p->maps[b->index];
  if (b->kind == RT_BIND_START)
    return rt_dev_table_get(d, m->start,
                            ((size_t)m->from->n + 1) * sizeof *m->start,
                            m->version, out);
  if (b->kind == RT_BIND_HEAD)
    return rt_dev_table_get(d, m->steps->first,
                            (size_t)m->from->n * sizeof *m->steps->first,
                            m->version, out);
  bool named = b->kind == RT_BIND_NAMED && m->named;
  return rt_dev_table_get(d, named ? m->named : m->table, rt_relation_bytes(m),
                          m->version, out);
}

static bool
is_table(const struct rt_bind *b) {
  return b->kind == RT_BIND_MAP || b->kind == RT_BIND_START ||
         b->kind == RT_BIND_HEAD || b->kind == RT_BIND_NAMED ||
         b->kind == RT_BIND_ROWS || b->kind == RT_BIND_NUMBERS;
}

/* Where the program's elements are, for launches that visit them in order;
 * *out NULL: as they are. */
static status
order_table(const struct rt_program *p, const struct rt_launch *l, void **out) {
  const struct rt_order *o = p->sets[l->set]->order;
  const struct rt_part *part = p->sets[l->set]->part;
  bool ordered = l->mode == RT_RUN_SERIAL || rt_reduce_ordered(l);
  *out = NULL;
  if (!o || !ordered) return OK;
  return rt_dev_table_get(l->offload->code->device, part ? part->sorted : o->at,
                          sizeof(idx_l) * (size_t)o->owned, o->version, out);
}

/* Work items of the widest launch. */
static struct items
most_items(const struct rt_launch *l, const struct rt_offload_run *r) {
  struct items n = choose_items(l, (uint32_t)r->n);
  struct items more = choose_items(l, (uint32_t)(r->end - r->n));
  switch (l->offload->form) {
  case RT_FORM_COLOUR:
    return (struct items){widest_step(r->walk) * r->group, r->group};
  case RT_FORM_STAGE:
    return (struct items){stage_groups(l, r) * r->group, r->group};
  case RT_FORM_PLAIN: break;
  }
  return n.all > more.all ? n : more;
}

/* Of device memory, for the sums of groups and, where local memory has no room,
 * the rows of their items and of the group that joins them. */
static size_t
sum_bytes(const struct rt_launch *l, const struct rt_offload_run *r) {
  const struct rt_offload *o = l->offload;
  struct items x = most_items(l, r);
  assert(x.group > 0);
  size_t rows = x.all / x.group;
  if (!o->rows_local) rows += x.all + waiting_group(o);
  return l->nreductions ? rows * o->row : 0;
}

/* Arguments behind the values. */
static size_t
form_args(const struct rt_offload *o) {
  switch (o->form) {
  case RT_FORM_PLAIN: return RT_PLAIN_ARGS;
  case RT_FORM_COLOUR: return RT_COLOUR_ARGS;
  case RT_FORM_STAGE: break;
  }
  return RT_STAGE_ARGS + RT_STAGE_WORDS +
         (RT_STAGE_TABLES + 1) * (size_t)o->nuses;
}

/* Room for the arguments of each of its kernels, and for captured values. */
static status
make_room(struct rt_launch *l) {
  struct rt_offload *o = l->offload;
  if (o->args) return OK;
  bool block = o->scalar_bytes && !o->nwords;
  if (block)
    TRY(rt_dev_mem_new(o->code->device, o->scalar_bytes, &o->scalar_mem));
  size_t run = l->nbinds + 1 + o->nwords + block + form_args(o) + 1;
  size_t combine = RT_COMBINE_CELLS + 2 * l->nreductions + RT_COMBINE_WORDS + 1;
  o->args = mem_alloc(run > combine ? run : combine, sizeof *o->args);
  o->staging = mem_alloc(o->scalar_bytes + 1, 1);
  return OK;
}

status
rt_offload_prepare(const struct rt_program *p, struct rt_launch *l, idx_l n,
                   idx_l end, const struct rt_entries *conflicts,
                   struct rt_offload_run *out) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  struct rt_offload_run r = {.n = n, .end = end};
  void *mem;
  *out = r;
  if (!r.end) return OK;
  TRY(make_room(l));
  if (o->form == RT_FORM_COLOUR)
    TRY(prepare_walk(l, waiting_group(o), conflicts, &r));
  if (o->form == RT_FORM_STAGE) TRY(prepare_stage(p, l, conflicts, &r));
  for (uint32_t i = 0; i < l->nbinds; i++)
    if (is_table(&l->binds[i])) TRY(bound_table(p, l, &l->binds[i], &mem));
  TRY(order_table(p, l, &mem));
  TRY(rt_globals_room(p, l, d));
  TRY(rt_dev_scratch(d, &d->sums, &d->sum_bytes, sum_bytes(l, &r) + 16));
  *out = r;
  return OK;
}

/* ---- captured values ----------------------------------------------------- */

/* In staging; is anything other than it was? */
static bool
scalars_changed(const struct rt_program *p, struct rt_offload *o) {
  bool changed = false;
  for (uint32_t i = 0; i < o->nscalars; i++) {
    const struct rt_scalar *s = &o->scalars[i];
    char *to = o->staging + s->offset;
    if (!memcmp(to, p->params[s->param], s->bytes)) continue;
    memcpy(to, p->params[s->param], s->bytes);
    changed = true;
  }
  return changed;
}

/* Words of the kernel, or the memory that has them; the number of arguments. */
static status
scalar_args(const struct rt_program *p, const struct rt_launch *l,
            struct rt_dev_arg *a, uint32_t *n_out) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  o->sent &= !scalars_changed(p, o);
  *n_out = o->nwords;
  for (uint32_t k = 0; k < o->nwords; k++) {
    a[k] = word_arg(0);
    memcpy(&a[k].word, o->staging + (size_t)k * RT_SCALARS_WORD,
           RT_SCALARS_WORD);
  }
  if (o->nwords || !o->scalar_bytes) return OK;
  *n_out = 1;
  a[0] = mem_arg(o->scalar_mem->mem);
  if (o->sent) return OK;
  TRY(d->driver->write(d, o->scalar_mem->mem, o->staging, o->scalar_bytes));
  counters[CNT_upload_other_bytes] += (long long)o->scalar_bytes;
  o->sent = true;
  return OK;
}

/* ---- launch -------------------------------------------------------------- */

static struct rt_dev_arg
cell_arg(const struct rt_program *p, uint32_t g) {
  assert(p->cells[g]->mem);
  return mem_arg(p->cells[g]->mem->mem);
}

/* What all kernels begin with; the number of arguments. */
static status
first_args(const struct rt_program *p, const struct rt_launch *l,
           struct rt_buf **bufs, uint32_t *n_out) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  uint32_t n = 0, values;
  void *mem;
  for (uint32_t i = 0; i < l->nbinds; i++) {
    const struct rt_bind *b = &l->binds[i];
    switch ((enum rt_bind_kind)b->kind) {
    case RT_BIND_SLOT:
      TRY(rt_buf_device(bufs[b->index], d));
      o->args[n++] = mem_arg(bufs[b->index]->dev->mem);
      break;
    case RT_BIND_STRIDE:
      o->args[n++] = word_arg((int64_t)rt_dev_stride(bufs[b->index]->shape));
      break;
    case RT_BIND_OFFSET:
      o->args[n++] = word_arg((int64_t)rt_dev_offset(bufs[b->index]));
      break;
    case RT_BIND_MAP:
    case RT_BIND_START:
    case RT_BIND_HEAD:
    case RT_BIND_NAMED:
    case RT_BIND_ROWS:
    case RT_BIND_NUMBERS:
      TRY(bound_table(p, l, b, &mem));
      o->args[n++] = mem_arg(mem);
      break;
    case RT_BIND_GLOBAL: o->args[n++] = cell_arg(p, b->index); break;
    case RT_BIND_ACC: /* in the rows */
      if (l->reductions[b->index].payload >= 0)
        o->args[n++] = cell_arg(p, l->reductions[b->index].global);
      break;
    case RT_BIND_PARAM: break; /* with the values */
    case RT_BIND_FIRST:
    case RT_BIND_BEGIN:
    case RT_BIND_COUNT:
    case RT_BIND_SCRATCH:
    case RT_BIND_ADDRESS: assert(!"of hosts alone");
    }
  }
  o->args[n++] = mem_arg(d->sums);
  TRY(scalar_args(p, l, &o->args[n], &values));
  *n_out = n + values;
  return OK;
}

/* Elements [lo, hi) of a launch that is about to be given: its arguments are
 * there; it has so many groups, each of which leaves its sums. */
struct part {
  idx_l lo, hi;
  uint32_t nargs, form; /* those of the form begin at `form` */
  uint32_t group, groups;
  bool join;      /* sums go into the cells, */
  uint64_t fresh; /* some of which start from words */
};

/* Room of that many bytes, if any, is the last argument. */
static void
room_arg(const struct rt_launch *l, size_t bytes, uint32_t *nargs) {
  if (bytes) l->offload->args[(*nargs)++] = (struct rt_dev_arg){.local = bytes};
}

static status
plain_args(const struct rt_program *p, const struct rt_launch *l,
           const struct rt_offload_run *r, struct part *x) {
  struct rt_offload *o = l->offload;
  int64_t count = x->hi - x->lo;
  struct items items = choose_items(l, (uint32_t)count);
  int64_t mul = 1, span = count, step = items.all;
  if (l->mode == RT_RUN_SERIAL) {
    mul = 0;
    step = 1;
  } else if (rt_reduce_ordered(l)) {
    mul = span = (count + items.all - 1) / items.all;
    step = 1;
  }
  void *at = NULL;
  if (x->lo < r->n) TRY(order_table(p, l, &at));
  struct rt_dev_arg *a = o->args + x->nargs;
  a[RT_PLAIN_AT] = mem_arg(at ? at : o->code->device->sums);
  a[RT_PLAIN_LO] = word_arg(x->lo);
  a[RT_PLAIN_HI] = word_arg(x->hi);
  a[RT_PLAIN_MUL] = word_arg(mul);
  a[RT_PLAIN_SPAN] = word_arg(span);
  a[RT_PLAIN_STEP] = word_arg(step);
  a[RT_PLAIN_MAPPED] = word_arg(at != NULL);
  x->nargs += RT_PLAIN_ARGS;
  assert(items.group > 0 && items.all % items.group == 0);
  x->group = items.group;
  x->groups = items.all / items.group;
  room_arg(l, rows_room(o, x->group), &x->nargs);
  return OK;
}

static status
coloured_args(const struct rt_launch *l, const struct rt_offload_run *r,
              struct part *x) {
  struct rt_offload *o = l->offload;
  struct rt_dev_arg *a = o->args + x->nargs;
  TRY(table_args(l, r, a));
  a[RT_COLOUR_LO] = word_arg(x->lo);
  a[RT_COLOUR_HI] = word_arg(x->hi);
  x->nargs += RT_COLOUR_ARGS;
  x->group = r->group;
  x->groups = widest_step(r->walk);
  room_arg(l, rows_room(o, x->group), &x->nargs);
  return OK;
}

static status
staged_args(const struct rt_launch *l, const struct rt_offload_run *r,
            struct part *x) {
  struct rt_offload *o = l->offload;
  uint32_t groups = stage_groups(l, r);
  struct rt_dev_arg *use = o->args + x->nargs;
  TRY(table_args(l, r, use));
  use += RT_STAGE_ARGS + RT_STAGE_TABLES * (size_t)o->nuses;
  use[RT_STAGE_LO] = word_arg(x->lo);
  use[RT_STAGE_HI] = word_arg(x->hi);
  use[RT_STAGE_BLOCKS] = word_arg(r->walk->ntasks);
  use[RT_STAGE_GROUPS] = word_arg(groups);
  use += RT_STAGE_WORDS;
  for (uint32_t u = 0; u < o->nuses; u++) *use++ = word_arg(o->stages[u]->most);
  x->nargs = (uint32_t)(use - o->args);
  x->group = r->group;
  x->groups = groups;
  room_arg(l, r->local, &x->nargs);
  return OK;
}

/* By colours a launch for each step of the walk, a group for each of its tasks;
 * else one of all groups. */
static status
launch_steps(const struct rt_launch *l, const struct rt_offload_run *r,
             const struct part *x) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  const struct rt_walk *w = o->form == RT_FORM_COLOUR ? r->walk : NULL;
  uint32_t begun = 0;
  for (idx_l s = 0; s < (w ? w->nsteps : 1); s++) {
    uint32_t groups = x->groups;
    if (w) {
      struct rt_dev_arg *a = o->args + x->form;
      groups = (uint32_t)(w->step[s + 1] - w->step[s]);
      a[RT_COLOUR_FIRST] = word_arg(w->step[s]);
      a[RT_COLOUR_FRESH] = word_arg(begun);
      if (groups > begun) begun = groups;
    }
    TRY(d->driver->launch(d, o->code->run, o->args, x->nargs,
                          (size_t)groups * x->group, x->group));
  }
  return OK;
}

/* Words that reductions start from, for those of `fresh`. */
static void
start_args(const struct rt_program *p, const struct rt_launch *l,
           uint64_t fresh, struct rt_dev_arg *a) {
  for (uint32_t k = 0; k < l->nreductions; k++) {
    uint32_t g = l->reductions[k].global;
    a[k] = word_arg(0);
    if (k < 64 && fresh >> k & 1)
      memcpy(&a[k].word, p->globals[g], p->cells[g]->bytes);
  }
}

/* Join the groups' sums on the device, and that with the cells, if wanted. */
static status
combine_sums(const struct rt_program *p, const struct rt_launch *l,
             const struct part *x) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  uint32_t n = l->nreductions;
  uint32_t nargs = RT_COMBINE_CELLS + 2 * n + RT_COMBINE_WORDS;
  struct rt_dev_arg *a = o->args, *words = a + RT_COMBINE_CELLS + n;
  uint32_t group = waiting_group(o);
  if (!n) return OK;
  a[RT_COMBINE_SUMS] = mem_arg(d->sums);
  for (uint32_t k = 0; k < n; k++)
    a[RT_COMBINE_CELLS + k] = cell_arg(p, l->reductions[k].global);
  words[RT_COMBINE_ROWS] = word_arg(x->groups);
  words[RT_COMBINE_JOIN] = word_arg(x->join);
  words[RT_COMBINE_FRESH] = word_arg((int64_t)x->fresh);
  start_args(p, l, x->fresh, words + RT_COMBINE_WORDS);
  room_arg(l, rows_room(o, group), &nargs);
  return d->driver->launch(d, o->code->combine, a, nargs, group, group);
}

/* Fetch what it came to. */
static status
read_row(const struct rt_launch *l, char *row) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  TRY(d->driver->read(d, row, d->sums, o->row));
  counters[CNT_download_other_bytes] += (long long)o->row;
  return OK;
}

static status
launch_kernels(const struct rt_program *p, const struct rt_launch *l,
               const struct rt_offload_run *r, struct part *x) {
  x->form = x->nargs;
  switch (l->offload->form) {
  case RT_FORM_PLAIN: TRY(plain_args(p, l, r, x)); break;
  case RT_FORM_COLOUR: TRY(coloured_args(l, r, x)); break;
  case RT_FORM_STAGE: TRY(staged_args(l, r, x)); break;
  }
  TRY(launch_steps(l, r, x));
  return x->lo < r->n ? combine_sums(p, l, x) : OK;
}

status
rt_offload_launch(const struct rt_program *p, const struct rt_launch *l,
                  const struct rt_offload_run *r, struct rt_buf **bufs,
                  idx_l lo, idx_l hi, char *row) {
  struct rt_device *d = l->offload->code->device;
  struct part x = {.lo = lo, .hi = hi, .join = !row};
  bool count = lo < r->n;
  assert(lo < hi && (hi <= r->n || (lo >= r->n && hi <= r->end)));
  TRY(rt_globals_upload(p, l, d, !count, &x.fresh));
  TRY(first_args(p, l, bufs, &x.nargs));
  TRY(rt_dev_span_begin(d, l->timer));
  status st = launch_kernels(p, l, r, &x);
  status end = rt_dev_span_end(d, l->timer);
  TRY(st == OK ? end : st);
  rt_globals_used(p, l, count && !row, !count);
  return count && row && l->nreductions ? read_row(l, row) : OK;
}
