/* Launches on a device.
 *
 * Problem. A region on the host is given a table of addresses and a range; a
 * device is given memory handles and numbers, has its own copies of maps and
 * walks, thousands of work items instead of a few threads, and no cheap way to
 * let them combine a sum.
 *
 * Idea. Small values travel together: captured values and globals of a launch
 * are packed into one block (struct rt_scalar) that is written before and, if
 * the region writes a global, read after it. Work item w visits
 *
 *   e = lo + w * mul, + step, ...   while e < min(lo + w * mul + span, hi)
 *
 * of elements [lo, hi), n in number:
 *
 *             mul    span   step    items
 *   plain     1      n      items   n, rounded up: one element each
 *   sums      1      n      items   at most device->rows
 *   payload   chunk  chunk  1       the same; chunks in element order, so that
 *                                   ties keep the earliest
 *   serial    0      n      1       1
 *
 * Over ranks elements of others come in a launch of their own, whose sums
 * nobody fetches; walks are for all of them.
 *
 * Sums: each work item has a row of accumulators in device memory, `combine`
 * joins FAN neighbouring rows at a time, in row order, until one is left, which
 * comes back: no order depends on which item was first, and no barrier is
 * needed.
 *
 *   rows  0 1 2 ... 31 | 32 ... 63 | ...    combine(step 1)
 *         0            | 32        | ...    combine(step 32) ...
 *
 * Where the order of elements can be told (serial launches, payloads) and the
 * library numbers them otherwise than the program, e counts the program's
 * elements and goes through a table.
 *
 * Conflicting writes run by a walk of colours, colour by colour, one group of
 * work items a block; or atomically, in one launch; or staged, in one launch: a
 * group adds into its local memory, element colour by element colour, and
 * carries the sums of its block's targets over atomically (rt/walk/stage.c
 * numbers them). The block is the device's group, or halved until its targets
 * fit in local memory, and the private copies of all its items in what a stack
 * holds.
 *
 *   groups g of a staged launch run blocks g, g + groups, ...; as many groups
 *   as blocks, or, where there are sums, as rows allow
 *
 * Cost  one write and one or two reads of a few bytes a launch that needs them.
 */
#include "rt/device/offload.h"

#include "base/arena.h"
#include "base/counters.h"
#include "rt/device/code.h"
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
enum { FAN = 32, SUM_BYTES_MAX = 32 << 20 };

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

static uint32_t
sum_items(const struct rt_launch *l, const struct rt_device *d) {
  size_t fits = SUM_BYTES_MAX / (l->offload->row + 1);
  uint32_t items = fits < d->rows ? (uint32_t)fits : d->rows;
  return items ? items : 1;
}

/* Work items of a plain launch over n elements, and in a group. */
struct items {
  uint32_t all, group;
};

static struct items
choose_items(const struct rt_launch *l, uint32_t n) {
  const struct rt_device *d = l->offload->code->device;
  uint32_t most = n;
  struct items x = {1, 1};
  if (l->mode == RT_RUN_SERIAL || !n) return x;
  if (l->nreductions && sum_items(l, d) < n) most = sum_items(l, d);
  x.group = most < d->group ? most : d->group;
  x.all = l->nreductions ? most / x.group * x.group
                         : (uint32_t)round_up(n, x.group);
  return x;
}

/* Work items of a group that wait for each other. */
static uint32_t
waiting_group(const struct rt_offload *o) {
  uint32_t group = o->code->device->group;
  while (group > 1 && o->item_bytes * group > WAITING_BYTES) group /= 2;
  return group;
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
  if (r->local > d->local)
    FAIL(ERR_DEVICE,
         "%s: loop %s: an element's increments take %zu bytes of local memory, "
         "it has %zu",
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
  const struct rt_relation *m = p->maps[b->index];
  if (b->kind == RT_BIND_START)
    return rt_dev_table_get(d, m->start,
                            ((size_t)m->from->n + 1) * sizeof *m->start,
                            m->version, out);
  bool named = b->kind == RT_BIND_NAMED && m->named;
  return rt_dev_table_get(d, named ? m->named : m->table, rt_relation_bytes(m),
                          m->version, out);
}

static bool
is_table(const struct rt_bind *b) {
  return b->kind == RT_BIND_MAP || b->kind == RT_BIND_START ||
         b->kind == RT_BIND_NAMED || b->kind == RT_BIND_ROWS;
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
static uint32_t
most_items(const struct rt_launch *l, const struct rt_offload_run *r) {
  uint32_t n = choose_items(l, (uint32_t)r->n).all;
  uint32_t more = choose_items(l, (uint32_t)(r->end - r->n)).all;
  switch (l->offload->form) {
  case RT_FORM_COLOUR: return widest_step(r->walk) * r->group;
  case RT_FORM_STAGE: return stage_groups(l, r) * r->group;
  case RT_FORM_PLAIN: break;
  }
  return n > more ? n : more;
}

/* Arguments behind the binds. */
static size_t
most_args(const struct rt_offload *o) {
  switch (o->form) {
  case RT_FORM_PLAIN: return RT_ARGS_SHARED + RT_PLAIN_ARGS;
  case RT_FORM_COLOUR: return RT_ARGS_SHARED + RT_COLOUR_ARGS;
  case RT_FORM_STAGE: break;
  }
  return RT_ARGS_SHARED + RT_STAGE_ARGS + RT_STAGE_WORDS + 1 +
         (RT_STAGE_TABLES + 1) * (size_t)o->nuses;
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
  if (!o->args) {
    o->args = mem_alloc(l->nbinds + most_args(o), sizeof *o->args);
    o->staging = mem_alloc(o->scalar_bytes + 1, 1);
  }
  if (o->form == RT_FORM_COLOUR)
    TRY(prepare_walk(l, waiting_group(o), conflicts, &r));
  if (o->form == RT_FORM_STAGE) TRY(prepare_stage(p, l, conflicts, &r));
  for (uint32_t i = 0; i < l->nbinds; i++)
    if (is_table(&l->binds[i])) TRY(bound_table(p, l, &l->binds[i], &mem));
  TRY(order_table(p, l, &mem));
  TRY(rt_dev_scratch(d, &d->scalars, &d->scalar_bytes, o->scalar_bytes + 16));
  TRY(rt_dev_scratch(d, &d->sums, &d->sum_bytes,
                     (size_t)most_items(l, &r) * o->row + 16));
  *out = r;
  return OK;
}

/* ---- scalars ------------------------------------------------------------- */

static char *
scalar_source(const struct rt_program *p, const struct rt_scalar *s) {
  return s->param ? (char *)(uintptr_t)p->params[s->index]
                  : p->globals[s->index];
}

static status
write_scalars(const struct rt_program *p, const struct rt_launch *l) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  if (!o->nscalars) return OK;
  for (uint32_t i = 0; i < o->nscalars; i++)
    memcpy(o->staging + o->scalars[i].offset, scalar_source(p, &o->scalars[i]),
           o->scalars[i].bytes);
  counters[CNT_upload_other_bytes] += (long long)o->scalar_bytes;
  return d->driver->write(d, d->scalars, o->staging, o->scalar_bytes);
}

/* Globals that the region wrote come back. */
static status
read_scalars(const struct rt_program *p, const struct rt_launch *l) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  bool written = false;
  for (uint32_t i = 0; i < o->nscalars; i++) written |= o->scalars[i].written;
  if (!written) return OK;
  TRY(d->driver->read(d, o->staging, d->scalars, o->scalar_bytes));
  counters[CNT_download_other_bytes] += (long long)o->scalar_bytes;
  for (uint32_t i = 0; i < o->nscalars; i++)
    if (o->scalars[i].written)
      memcpy(scalar_source(p, &o->scalars[i]),
             o->staging + o->scalars[i].offset, o->scalars[i].bytes);
  return OK;
}

/* ---- launch -------------------------------------------------------------- */

/* What all kernels begin with; the number of arguments. */
static status
first_args(const struct rt_program *p, const struct rt_launch *l,
           struct rt_buf **bufs, uint32_t *n_out) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  uint32_t n = 0;
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
    case RT_BIND_NAMED:
    case RT_BIND_ROWS:
      TRY(bound_table(p, l, b, &mem));
      o->args[n++] = mem_arg(mem);
      break;
    case RT_BIND_PARAM:
    case RT_BIND_GLOBAL:
    case RT_BIND_ACC: break; /* in the scalars and the rows */
    case RT_BIND_SCRATCH:
    case RT_BIND_ADDRESS: assert(!"an opaque kernel on a device");
    }
  }
  o->args[n + RT_ARG_SCALARS] = mem_arg(d->scalars);
  o->args[n + RT_ARG_SUMS] = mem_arg(d->sums);
  *n_out = n + RT_ARGS_SHARED;
  return OK;
}

/* Elements [lo, hi) of a launch that is about to be given: its arguments are
 * there; it leaves so many rows. */
struct part {
  idx_l lo, hi;
  uint32_t nargs, group, rows;
};

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
  a[RT_PLAIN_AT] = mem_arg(at ? at : o->code->device->scalars);
  a[RT_PLAIN_LO] = word_arg(x->lo);
  a[RT_PLAIN_HI] = word_arg(x->hi);
  a[RT_PLAIN_MUL] = word_arg(mul);
  a[RT_PLAIN_SPAN] = word_arg(span);
  a[RT_PLAIN_STEP] = word_arg(step);
  a[RT_PLAIN_MAPPED] = word_arg(at != NULL);
  x->nargs += RT_PLAIN_ARGS;
  assert(items.group > 0 && items.all % items.group == 0);
  x->group = items.group;
  x->rows = items.all;
  return OK;
}

static status
coloured_args(const struct rt_launch *l, const struct rt_offload_run *r,
              struct part *x) {
  struct rt_dev_arg *a = l->offload->args + x->nargs;
  TRY(table_args(l, r, a));
  a[RT_COLOUR_LO] = word_arg(x->lo);
  a[RT_COLOUR_HI] = word_arg(x->hi);
  x->nargs += RT_COLOUR_ARGS;
  x->group = r->group;
  x->rows = widest_step(r->walk) * r->group;
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
  *use++ = (struct rt_dev_arg){.local = r->local};
  x->nargs = (uint32_t)(use - o->args);
  x->group = r->group;
  x->rows = groups * r->group;
  return OK;
}

/* By colours a launch for each step of the walk, a group for each of its tasks;
 * else one of all rows. */
static status
launch_steps(const struct rt_launch *l, const struct rt_offload_run *r,
             const struct part *x) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  const struct rt_walk *w = o->form == RT_FORM_COLOUR ? r->walk : NULL;
  for (idx_l s = 0, begun = 0; s < (w ? w->nsteps : 1); s++) {
    size_t items = x->rows;
    if (w) {
      struct rt_dev_arg *a = o->args + x->nargs - RT_COLOUR_ARGS;
      idx_l groups = w->step[s + 1] - w->step[s];
      a[RT_COLOUR_FIRST] = word_arg(w->step[s]);
      a[RT_COLOUR_FRESH] = word_arg(begun);
      if (groups > begun) begun = groups;
      items = (size_t)groups * x->group;
    }
    TRY(d->driver->launch(d, o->code->run, o->args, x->nargs, items, x->group));
  }
  return OK;
}

/* Combine the rows on the device. */
static status
combine_sums(const struct rt_launch *l, uint32_t rows) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  if (!l->nreductions) return OK;
  for (int64_t step = 1; step < rows; step *= FAN) {
    struct rt_dev_arg args[RT_COMBINE_ARGS] = {
        [RT_COMBINE_SUMS] = mem_arg(d->sums),
        [RT_COMBINE_ROWS] = word_arg(rows),
        [RT_COMBINE_STEP] = word_arg(step),
        [RT_COMBINE_FAN] = word_arg(FAN)};
    size_t items = (size_t)((rows + step * FAN - 1) / (step * FAN));
    TRY(d->driver->launch(d, o->code->combine, args, RT_COMBINE_ARGS, items,
                          1));
  }
  return OK;
}

/* Fetch the last row. */
static status
read_sums(const struct rt_launch *l, char *row) {
  struct rt_offload *o = l->offload;
  struct rt_device *d = o->code->device;
  if (!l->nreductions) return OK;
  TRY(d->driver->read(d, row, d->sums, o->row));
  counters[CNT_download_other_bytes] += (long long)o->row;
  return OK;
}

static status
launch_kernels(const struct rt_program *p, const struct rt_launch *l,
               const struct rt_offload_run *r, struct part *x) {
  switch (l->offload->form) {
  case RT_FORM_PLAIN: TRY(plain_args(p, l, r, x)); break;
  case RT_FORM_COLOUR: TRY(coloured_args(l, r, x)); break;
  case RT_FORM_STAGE: TRY(staged_args(l, r, x)); break;
  }
  TRY(launch_steps(l, r, x));
  return x->lo < r->n ? combine_sums(l, x->rows) : OK;
}

status
rt_offload_launch(const struct rt_program *p, const struct rt_launch *l,
                  const struct rt_offload_run *r, struct rt_buf **bufs,
                  idx_l lo, idx_l hi, char *row) {
  struct rt_device *d = l->offload->code->device;
  struct part x = {.lo = lo, .hi = hi};
  assert(lo < hi && (hi <= r->n || (lo >= r->n && hi <= r->end)));
  TRY(write_scalars(p, l));
  TRY(first_args(p, l, bufs, &x.nargs));
  TRY(rt_dev_span_begin(d));
  status st = launch_kernels(p, l, r, &x);
  status end = rt_dev_span_end(d, l->timer);
  TRY(st == OK ? end : st);
  if (lo >= r->n) return OK;
  TRY(read_sums(l, row));
  return read_scalars(p, l);
}
