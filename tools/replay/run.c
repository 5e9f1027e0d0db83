/* The calls of a replay, from op_init to op_exit, and what came of them. */
#include "tools/replay/replay.h"

#include "frontend/handles.h"
#include "op2_blob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Handles of one run; index as in the trace. */
struct player {
  const struct replay *r;
  const struct ir_trace *t;
  op_set *sets;
  op_map *maps;
  op_dat *dats; /* NULL: freed, or no dat */
  op2_gbl *gbls;
  void **memory; /* of raw globals and params */
  bool *dies;    /* freed by the trace, declared anew in each repetition */
};

/* ---- data ---------------------------------------------------------------- */

static size_t
dat_elements(const struct player *p, ir_ref d) {
  const struct ir_dat *dat = &p->t->dats[d];
  return dat->kind == IR_DAT ? (size_t)p->r->mesh.n[dat->set] : 1;
}

static size_t
dat_bytes(const struct player *p, ir_ref d) {
  const struct ir_dat *dat = &p->t->dats[d];
  return dat_elements(p, d) * dat->dim * dat->type.size;
}

static void
number_put(struct type t, int value, char *to) {
  switch (t.kind) {
#define TYPE(name, text, bytes, ctype, kind)                                   \
  case TYPE_##name: {                                                          \
    ctype x = (ctype)value;                                                    \
    memcpy(to, &x, sizeof x);                                                  \
    return;                                                                    \
  }
#include "base/types.def"
#undef TYPE
  default: memset(to, value, t.size);
  }
}

/* Small whole numbers that differ from element to element and dat to dat. */
static void
dat_fill(const struct player *p, ir_ref d, char *to) {
  const struct ir_dat *dat = &p->t->dats[d];
  size_t n = dat_elements(p, d) * dat->dim;
  int mod = dat->type.kind == TYPE_BOOL ? 2 : 61;
  for (size_t i = 0; i < n; i++)
    number_put(dat->type, (int)((i * 7 + i / 61 + d * 13) % (size_t)mod),
               to + i * dat->type.size);
}

static status
memory_make(const struct player *p, ir_ref d, void **out) {
  size_t bytes = dat_bytes(p, d);
  *out = malloc(bytes + 1);
  if (!*out)
    FAIL(ERR_MEMORY, "%%%s: no memory for %zu bytes", p->t->dats[d].name,
         bytes);
  dat_fill(p, d, *out);
  return OK;
}

/* ---- declarations -------------------------------------------------------- */

/* What was not declared: the library has printed why, or runs its handler. */
#define DECLARED(handle, name)                                                 \
  do {                                                                         \
    if (!(handle)) FAIL(ERR_ARG, "%%%s was not declared", name);               \
  } while (0)

static bool
has_view(const struct ir_trace *t, ir_ref root) {
  for (ir_ref d = 0; d < t->ndats; d++)
    if (d != root && t->dats[d].root == root) return true;
  return false;
}

static status
declare_view(struct player *p, ir_ref d) {
  const struct ir_dat *dat = &p->t->dats[d], *root = &p->t->dats[dat->root];
  if (!type_same(dat->type, root->type) || dat->dim != root->dim)
    FAIL(ERR_ARG,
         "dat %%%s: storage of another shape than %%%s; only overlays "
         "can be replayed",
         dat->name, root->name);
  p->dats[d] = op_decl_dat_overlay(p->sets[dat->set], p->dats[dat->root]);
  DECLARED(p->dats[d], dat->name);
  return OK;
}

/* The layout that the trace prints, unless OP2_LAYOUT says another: for good
 * where it is not `auto`. */
static status
keep_layout(struct player *p, ir_ref d) {
  struct fe_dat *f = (struct fe_dat *)p->dats[d];
  const struct ir_dat *said = &p->t->dats[d];
  if (!f->auto_layout) return OK;
  f->auto_layout = said->flags & IR_DAT_AUTO;
  f->by_rows = said->flags & IR_DAT_ROWS;
  f->block = said->block;
  return rt_dat_relayout(&f->rt, said->block, said->device);
}

static status
declare_dat(struct player *p, ir_ref d) {
  const struct ir_dat *dat = &p->t->dats[d];
  const char *type = replay_type_name(dat->type);
  int dim = (int)dat->dim;
  if (dat->root != d) return declare_view(p, d);
  if (dat->flags & IR_DAT_TEMP) {
    p->dats[d] = op2_decl_dat_temp_at(p->sets[dat->set], dim, type,
                                      dat->type.size, NULL, NULL, dat->name);
    DECLARED(p->dats[d], dat->name);
    return keep_layout(p, d);
  }
  void *data;
  TRY(memory_make(p, d, &data));
  p->dats[d] = op2_decl_dat_at(p->sets[dat->set], dim, type, dat->type.size,
                               NULL, data, dat->name);
  free(data);
  DECLARED(p->dats[d], dat->name);
  if (dat->flags & IR_DAT_PINNED && !has_view(p->t, d))
    op_decl_dat_overlay(p->sets[dat->set], p->dats[d]); /* pins it */
  return keep_layout(p, d);
}

static status
declare_gbl(struct player *p, ir_ref d) {
  const struct ir_dat *dat = &p->t->dats[d];
  void *data;
  TRY(memory_make(p, d, &data));
  if (dat->kind == IR_PARAM || dat->flags & IR_DAT_RAW) {
    p->memory[d] = data;
    return OK;
  }
  p->gbls[d] =
      op2_decl_gbl((int)dat->dim, replay_type_name(dat->type), data, dat->name);
  free(data);
  DECLARED(p->gbls[d], dat->name);
  return OK;
}

static status
declare(struct player *p, ir_ref d) {
  return p->t->dats[d].kind == IR_DAT ? declare_dat(p, d) : declare_gbl(p, d);
}

/* Rows of any length, all of one. */
static op_map
declare_csr(const struct player *p, ir_ref map) {
  const struct ir_map *m = &p->t->maps[map];
  size_t n = (size_t)p->r->mesh.n[m->from];
  SCOPED idx_g_t *start = mem_alloc(n + 1, sizeof *start);
  for (size_t e = 0; e <= n; e++)
    start[e] = (idx_g_t)(e * p->r->mesh.width[map]);
  return op2_decl_map_csr(p->sets[m->from], p->sets[m->to], start,
                          p->r->mesh.tables[map], m->name);
}

static status
declare_mesh(struct player *p) {
  const struct ir_trace *t = p->t;
  for (ir_ref s = 0; s < t->nsets; s++) {
    p->sets[s] = op_decl_set(p->r->mesh.n[s], t->sets[s].name);
    DECLARED(p->sets[s], t->sets[s].name);
  }
  for (ir_ref i = 0; i < t->nmaps; i++) {
    const struct ir_map *m = &t->maps[i];
    p->maps[i] =
        m->rows ? declare_csr(p, i)
                : op_decl_map(p->sets[m->from], p->sets[m->to], (int)m->arity,
                              p->r->mesh.tables[i], m->name);
    DECLARED(p->maps[i], m->name);
  }
  return OK;
}

/* ---- nodes --------------------------------------------------------------- */

/* A raw global's result waits until it is fetched, as in a program whose
 * compiler has seen all that becomes of it. */
static op_arg
raw_arg(const struct player *p, const struct ir_arg *a, const char *type) {
  const struct ir_dat *d = &p->t->dats[a->dat];
  void *at = p->memory[a->dat];
  op2_gbl_site(at, NULL);
  if (a->kind == IR_ARG_INFO)
    return op2_arg_info_at(at, (int)d->dim, type, d->type.size, NULL,
                           a->info_of);
  return op2_arg_gbl_at(1, at, (int)d->dim, type, d->type.size, NULL,
                        a->access);
}

static op_arg
loop_arg(const struct player *p, const struct ir_arg *a) {
  const struct ir_dat *d = a->dat == IR_NONE ? NULL : &p->t->dats[a->dat];
  const char *type = d ? replay_type_name(d->type) : NULL;
  int dim = d ? (int)d->dim : 1;
  op_map map = a->map == IR_NONE ? OP_ID : p->maps[a->map];
  int idx = !map ? -1 : a->vector ? -(int)a->vector : (int)a->entry;
  if (idx == -1 && map) idx = -2; /* the longest row has one entry */
  switch (a->kind) {
  case IR_ARG_OFF: return op_opt_arg_dat(0, NULL, -1, OP_ID, 1, "double", 0);
  case IR_ARG_IDX: return op_arg_idx(idx, map);
  case IR_ARG_NUMBER: return op2_arg_idx_long(idx, map);
  case IR_ARG_LENGTH: return op2_arg_row_length(map);
  case IR_ARG_DAT:
    return op_arg_dat(p->dats[a->dat], idx, map, dim, type, a->access);
  default: break;
  }
  return p->gbls[a->dat] ? op2_arg_gbl(p->gbls[a->dat], dim, type, a->access)
                         : raw_arg(p, a, type);
}

static void
play_loop(struct player *p, ir_ref i) {
  const struct ir_node *n = &p->t->nodes[i];
  const struct ir_kernel *k = &p->t->kernels[n->kernel];
  op_arg args[OP2_ARGS_MAX];
  for (uint32_t a = 0; a < n->nargs; a++)
    args[a] = loop_arg(p, &ir_args(p->t, n)[a]);
  op2_par_loop_at(n->file, n->line, NULL, p->r->kernels.of_node[i],
                  p->sets[n->set], (int)n->nargs, args);
  for (uint32_t a = 0; a < n->nargs; a++) {
    ir_ref d = ir_args(p->t, n)[a].dat;
    if (d != IR_NONE && p->t->dats[d].flags & IR_DAT_UNREAD)
      op2_gbl_store(p->memory[d], dat_bytes(p, d));
  }
  if (k->flags & (IR_KERNEL_OPAQUE | IR_KERNEL_EFFECTS)) op2_flush();
}

static void
copy_dat(struct player *p, const char *kernel, ir_ref from, ir_ref to) {
  const struct ir_dat *d = &p->t->dats[to];
  const char *type = replay_type_name(d->type);
  op_arg args[2] = {
      op_arg_dat(p->dats[from], -1, OP_ID, (int)d->dim, type, OP_READ),
      op_arg_dat(p->dats[to], -1, OP_ID, (int)d->dim, type, OP_WRITE)};
  op2_par_loop_at(NULL, 0, NULL, kernel, p->sets[d->set], 2, args);
}

static void
play_fetch(struct player *p, ir_ref d) {
  if (p->dats[d]) op2_dat_data(p->dats[d]);
  if (p->memory[d]) op2_gbl_look(p->memory[d], dat_bytes(p, d));
  if (!p->gbls[d]) return;
  void *out = mem_alloc(dat_bytes(p, d), 1);
  op2_gbl_get(p->gbls[d], out);
  free(out);
}

static void
play_free(struct player *p, ir_ref d) {
  if (p->dats[d]) op_free_dat_temp(p->dats[d]);
  if (p->gbls[d]) op2_free_gbl(p->gbls[d]);
  p->dats[d] = NULL;
  p->gbls[d] = NULL;
}

static void
play_node(struct player *p, ir_ref i) {
  const struct ir_node *n = &p->t->nodes[i];
  const struct ir_arg *a = ir_args(p->t, n);
  switch ((enum ir_op)n->op) {
  case IR_LOOP: play_loop(p, i); break;
  case IR_COPY:
  case IR_ALIAS:
    copy_dat(p, p->r->kernels.of_node[i], a[0].dat, a[1].dat);
    break;
  case IR_SET: op2_gbl_set(p->gbls[a[1].dat], p->memory[a[0].dat]); break;
  case IR_FETCH: play_fetch(p, a[0].dat); break;
  case IR_FREE: play_free(p, a[0].dat); break;
  default: break;
  }
}

/* A trace without a look is what one flush ran. */
static bool
trace_looks(const struct ir_trace *t) {
  for (ir_ref i = 0; i < t->nnodes; i++)
    if (t->nodes[i].op == IR_FETCH) return true;
  return false;
}

static status
play_trace(struct player *p) {
  for (ir_ref d = 0; d < p->t->ndats; d++)
    if (p->dies[d]) TRY(declare(p, d));
  for (ir_ref i = 0; i < p->t->nnodes; i++) play_node(p, i);
  if (!trace_looks(p->t)) op2_flush();
  return OK;
}

/* ---- a run --------------------------------------------------------------- */

static void
player_open(struct player *p, const struct replay *r) {
  const struct ir_trace *t = r->t;
  *p = (struct player){.r = r, .t = t};
  p->sets = mem_alloc(t->nsets + 1, sizeof(op_set));
  p->maps = mem_alloc(t->nmaps + 1, sizeof(op_map));
  p->dats = mem_alloc(t->ndats + 1, sizeof(op_dat));
  p->gbls = mem_alloc(t->ndats + 1, sizeof(op2_gbl));
  p->memory = mem_alloc(t->ndats + 1, sizeof(void *));
  p->dies = mem_alloc(t->ndats + 1, sizeof(bool));
  for (ir_ref i = 0; i < t->nnodes; i++)
    if (t->nodes[i].op == IR_FREE)
      p->dies[ir_args(t, &t->nodes[i])->dat] = true;
}

static void
player_close(struct player *p) {
  for (ir_ref d = 0; d < p->t->ndats; d++) free(p->memory[d]);
  free(p->sets);
  free(p->maps);
  free(p->dats);
  free(p->gbls);
  free(p->memory);
  free(p->dies);
}

/* Dats that lie in one buffer when the trace begins: a copy, made a name. */
static void
play_same(struct player *p) {
  const struct ir_trace *t = p->t;
  for (ir_ref v = 0; v < t->nvalues; v++) {
    ir_ref same = ir_same(t, v);
    if (same != v && t->values[v].def == IR_NONE)
      copy_dat(p, p->r->kernels.of_value[v], t->values[same].dat,
               t->values[v].dat);
  }
  op2_flush();
}

static void
values_take(struct player *p, struct replay_values *out) {
  const struct ir_trace *t = p->t;
  out->bytes = mem_alloc(t->ndats + 1, sizeof *out->bytes);
  out->size = mem_alloc(t->ndats + 1, sizeof *out->size);
  for (ir_ref d = 0; d < t->ndats; d++) {
    const void *from = p->memory[d];
    if (t->dats[d].kind == IR_PARAM) continue;
    if (p->dats[d]) from = op2_dat_data(p->dats[d]);
    if (from && !p->dats[d]) op2_gbl_look(from, dat_bytes(p, d));
    if (!from && !p->gbls[d]) continue;
    out->size[d] = dat_bytes(p, d);
    out->bytes[d] = mem_alloc(out->size[d] + 1, 1);
    if (p->gbls[d])
      op2_gbl_get(p->gbls[d], out->bytes[d]);
    else
      memcpy(out->bytes[d], from, out->size[d]);
  }
}

static void
print_counters(const struct replay *r) {
  static const char *const names[] = {"loops",      "flushes", "regions",
                                      "renames",    "copies",  "dead_loops",
                                      "cache_hits", "compiles"};
  printf("%s, %ld times:", r->t->name, r->repeat);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    printf(" %s %lld%s", names[i], op2_counter(names[i]),
           i + 1 < sizeof names / sizeof *names ? "," : "\n");
  op_timing_output();
}

static status
play(struct player *p) {
  const struct replay_kernels *k = &p->r->kernels;
  for (uint32_t i = 0; i < k->nids; i++)
    if (op2_kernel_source(k->ids[i], k->sources[i])) return ERR_COMPILE;
  TRY(declare_mesh(p));
  for (ir_ref d = 0; d < p->t->ndats; d++)
    if (!p->dies[d]) TRY(declare(p, d));
  play_same(p);
  op2_counters_reset();
  for (long i = 0; i < p->r->repeat; i++) TRY(play_trace(p));
  op2_flush();
  return OK;
}

status
replay_run(const struct replay *r, bool report, struct replay_values *out) {
  struct player p;
  op_init(0, NULL, 0);
  player_open(&p, r);
  status st = play(&p);
  if (st == OK && report) print_counters(r);
  if (st == OK) values_take(&p, out);
  player_close(&p);
  op_exit();
  return st;
}

void
replay_values_clear(const struct ir_trace *t, struct replay_values *v) {
  for (ir_ref d = 0; v->bytes && d < t->ndats; d++) free(v->bytes[d]);
  free(v->bytes);
  free(v->size);
  *v = (struct replay_values){0};
}

status
replay_compare(const struct replay *r, const struct replay_values *a,
               const struct replay_values *b) {
  for (ir_ref d = 0; d < r->t->ndats; d++) {
    const struct ir_dat *dat = &r->t->dats[d];
    size_t n = a->bytes[d] ? a->size[d] / dat->type.size : 0;
    if (dat->flags & IR_DAT_UNREAD) continue;
    for (size_t i = 0; i < n; i++) {
      size_t at = i * dat->type.size;
      if (memcmp((char *)a->bytes[d] + at, (char *)b->bytes[d] + at,
                 dat->type.size))
        FAIL(ERR_STATE,
             "%%%s differs, eager and deferred, first at element %zu, "
             "component %zu",
             dat->name, i / dat->dim, i % dat->dim);
    }
  }
  return OK;
}
