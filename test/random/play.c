/* See play.h. Handles stay declared for the whole session, as the API has it, so
 * that several programs share one; their memory is freed after op_exit.
 */
#define _GNU_SOURCE 1 /* memfd_create */
#include "player.h"

#include "boxes.h"
#include "levels.h"
#include "matrices.h"
#include "modes.h"

#include "../programs/rank_options.h"
#include "../programs/ranks.h"
#include "kernels.h"

#include "peeks.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory that must live until op_exit; an error that the library reported. */
static struct {
  void **blocks;
  int n, nplays;
  char error[400];
  struct player *ended; /* OP_NO_REALLOC: to be compared after op_exit */
  int nended;
} session;

void *
player_memory(size_t bytes) {
  size_t size = (bytes + 127) / 64 * 64; /* for any type's alignment */
  void *p = aligned_alloc(64, size);
  if (!p) abort();
  memset(p, 0, size);
  ADD(session.blocks, session.n, p);
  return p;
}

__attribute__((format(printf, 2, 3))) static void
fail(struct player *y, const char *fmt, ...) {
  if (y->out->failed) return;
  y->out->failed = true;
  y->out->op = y->op;
  y->out->cell = -1;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(y->out->text, sizeof y->out->text, fmt, ap);
  va_end(ap);
}

/* ---- comparing ------------------------------------------------------------ */

static bool
agree(char type, union cell found, union cell expected, double err) {
  if (isinf(err)) return true; /* scratch */
  if (!type_row(type)->real) return found.i == expected.i;
  return err > 0 ? fabs(found.r - expected.r) <= err : found.r == expected.r;
}

static void
differ(struct player *y, int cell, char type, union cell found,
       union cell expected) {
  char a[64], b[64];
  fail(y, "value %d is %s, expected %s", cell,
       type_literal(type, found, a, sizeof a),
       type_literal(type, expected, b, sizeof b));
  y->out->cell = cell;
  y->out->type = type;
  y->out->found = found;
  y->out->expected = expected;
}

/* Value number k, which is number j of what is seen, into a hash if it is not exact. */
static void
note_sum(const struct player *y, const void *memory, char type, int k, int j,
         uint64_t *sums) {
  const struct seen *s = &y->seen[y->op];
  union cell found = type_load(type_lane(type, k), type_at(type, memory, k));
  if (j < s->n && s->err[j] > 0 && !isinf(s->err[j]))
    *sums = (*sums ^ (uint64_t)found.i) * 0x100000001b3u;
}

/* Compare a value with number j of what is seen; k: its place. */
static void
compare_value(struct player *y, const void *memory, char type, int k, int j) {
  const struct seen *s = &y->seen[y->op];
  char lane = type_lane(type, k);
  union cell found = type_load(lane, type_at(type, memory, k));
  note_sum(y, memory, type, k, j, &y->out->sums);
  if (j >= s->n)
    fail(y, "shows more than expected");
  else if (!agree(lane, found, s->v[j], s->err[j]))
    differ(y, j, lane, found, s->v[j]);
}

/* `n` values at `memory` with what is seen from *at on. */
static void
compare(struct player *y, const void *memory, char type, int n, int *at) {
  for (int i = 0; i < n && !y->out->failed; i++) {
    compare_value(y, memory, type, i, *at + i);
    note_sum(y, memory, type, i, *at + i, &y->out->global_sums);
  }
  *at += n;
}

/* Elements of a dat that lie one after another: `n` that the program calls e[0], e[1],
 * ...; NULL: `from`, from + 1. What is seen are from to below `to`. */
static void
compare_elements(struct player *y, int dat, const void *memory, const int *e,
                 int n, int from, int to, int *at) {
  const struct pdat *d = &y->p->dats[dat];
  if (!memory && n) fail(y, "no data");
  for (int i = 0; i < n * d->dim && !y->out->failed; i++) {
    int k = e ? e[i / d->dim] : from + i / d->dim;
    if (k >= from && k < to)
      compare_value(y, memory, d->type, i,
                    *at + (k - from) * d->dim + i % d->dim);
  }
  *at += (to - from) * d->dim;
}

/* This rank's part. */
static void
compare_dat(struct player *y, int dat, const void *memory, int from, int to,
            int *at) {
  const struct part *part = &y->parts[y->p->dats[dat].set];
  compare_elements(y, dat, memory, part_elements(part), part_count(part), from,
                   to, at);
}

/* ---- operations --------------------------------------------------------------- */

static op_access
access_of(char letter) {
  static const char letters[] = "RWUImMK";
  static const op_access codes[] = {OP_READ, OP_WRITE, OP_RW,  OP_INC,
                                    OP_MIN,  OP_MAX,   OP_WORK};
  return codes[strchr(letters, letter) - letters];
}

static op_arg
make_gbl_arg(struct player *y, const struct param *m, const struct parg *g) {
  const char *type = type_row(m->type)->op2;
  int dim = type_dim(m->type, m->dim), size = player_type_size(m->type);
  op_access access = access_of(m->declared);
  if (g->off) return op_opt_arg_gbl_char(0, NULL, dim, type, size, access);
  if (y->p->gbls[g->obj].handle)
    return op2_arg_gbl(y->handles[g->obj], dim, type, access);
  return op_arg_gbl_char(y->gbls[g->obj], dim, type, size, access);
}

static op_arg
make_local(struct player *y, const struct param *m, const struct parg *g) {
  const struct psparsity *s = sparsity_of(y->p, y->p->maps[g->map].to);
  return op2_arg_mat(y->mats[g->obj], y->pairs[g->map][0], y->pairs[g->map][1],
                     s->rdim, m->dim, type_row(m->type)->op2,
                     access_of(m->declared));
}

static op_arg
make_arg(struct player *y, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  const struct parg *g = &o->args[a];
  const char *type = type_row(m->type)->op2;
  op_map map = g->map >= 0 ? y->maps[g->map] : OP_ID;
  int idx = g->map < 0 ? -1 : m->kind == P_VECTOR ? -m->count : g->idx;
  if (idx < -1 && y->p->maps[g->map].csr)
    idx = -map_longest(&y->p->maps[g->map]);
  switch (m->kind) {
  case P_INDEX:
  case P_ENTRY:
    return m->type == 'l' ? op2_arg_idx_long(idx, map) : op_arg_idx(idx, map);
  case P_INFO:
    return op_arg_info_char(y->gbls[g->obj], type_dim(m->type, m->dim), type,
                            player_type_size(m->type), m->ref);
  case P_GBL: return make_gbl_arg(y, m, g);
  default:
    if (g->map >= 0 && y->p->maps[g->map].kind == MAP_LOCAL)
      return make_local(y, m, g);
    if (m->packed)
      return op2_arg_dat_packed(y->dats[g->obj], m->count, map,
                                type_dim(m->type, m->dim), type,
                                access_of(m->declared));
    if (g->layered && !g->off)
      return op2_arg_dat_layer(y->dats[g->obj], g->layer,
                               type_dim(m->type, m->dim), type,
                               access_of(m->declared));
    return op_opt_arg_dat(!g->off, g->off ? NULL : y->dats[g->obj], idx, map,
                          type_dim(m->type, m->dim), type,
                          access_of(m->declared));
  }
}

static bool
arg_is_dat(const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  return (m->kind == P_DAT || m->kind == P_VECTOR) && !o->args[a].off;
}

static void
call_loop(const struct op *o, op_set set, const op_arg *args) {
  const struct kernel_entry *k = kernel_find(o->row->name);
  k->loop(k, "random.c", o->site, set, (int)o->order, o->nargs, args);
}
_Static_assert((int)ORDER_FORWARD == OP2_FORWARD, "orders are those of op2.h");
_Static_assert((int)ORDER_BACKWARD == OP2_BACKWARD, "likewise");

/* Globals of the program's that a loop wrote; it may have run nowhere. */
static void
compare_loop(struct player *y, const struct op *o) {
  const struct seen *s = &y->seen[y->op];
  int at = 0;
  for (int a = 0; a < o->nargs && s->n; a++) {
    const struct param *m = &o->row->params[a];
    if (arg_is_raw(y->p, o, a) && at < s->n - o->row->effect)
      compare(y, y->gbls[o->args[a].obj], m->type, m->dim, &at);
  }
  if (o->row->effect && s->n) compare(y, &k_trail, 'u', 1, &at);
}

static void
play_loop(struct player *y, const struct op *o) {
  op_arg args[64];
  for (int a = 0; a < o->nargs; a++) args[a] = make_arg(y, o, a);
  call_loop(o, y->sets[o->what], args);
  compare_loop(y, o);
}

static void
play_levels(struct player *y, const struct op *o) {
  op_arg args[64];
  struct op2_level *items = get_memory((size_t)o->nlevels, sizeof *items);
  for (int k = 0; k < o->nlevels; k++) {
    const struct plevel *v = &o->levels[k];
    items[k].kernel = kernel_find(v->row->name)->function;
    items[k].on =
        (struct op2_interval){v->from[0], v->from[1], v->to[0], v->to[1]};
  }
  for (int a = 0; a < o->nargs; a++) args[a] = make_arg(y, o, a);
  op2_par_loop_levels_at(
      "random.c", o->site, o->row->name, y->sets[o->what], y->axes[o->x],
      (o->order ? (int)o->order : OP2_PARALLEL) | (o->y ? OP2_GAPS : 0),
      (op2_levels){items, (size_t)o->nlevels}, o->nargs, args);
  free(items);
  compare_loop(y, o);
}

static void
play_place(struct player *y, const struct op *o) {
  int n = y->p->axes[o->what].nsplitters, where = 0;
  bool new = y->flags & PLAY_NEW_MAPS; /* it knows of no loops before */
  if (new && y->seen[y->op].v[0].i) return;
  if (new) player_declare_axis(y, o->what);
  idx_l_t *at = get_memory((size_t)n, sizeof *at);
  for (int k = 0; k < n; k++) at[k] = axis_position(y->p, o->what, o->x, k);
  int refused = op2_axis_place(y->axes[o->what], at) != 0;
  compare(y, &refused, 'i', 1, &where);
  if (refused) session.error[0] = 0;
  free(at);
}

int
play_apart_at(const struct program *p) {
  int n = 0, from = (int)(p->seed % 11);
  for (int times = 0; times < 2; times++)
    for (int k = 0; k < p->nops; k++)
      if (p->ops[k].kind == DO_LOOP && n++ >= from)
        for (int a = 0; a < p->ops[k].nargs; a++)
          if (arg_is_dat(&p->ops[k], a)) return k;
  return p->nops;
}

/* On one rank an argument is switched off that is on elsewhere: all are told, also by
 * the call itself, where a scan has other layers and asks the others for these. */
static void
play_apart(struct player *y, const struct op *o) {
  op_arg args[64];
  int bad = (int)(y->p->seed % (uint64_t)o->nargs), me = 0;
  op_rank(&me);
  for (int a = 0; a < o->nargs; a++) args[a] = make_arg(y, o, a);
  while (!arg_is_dat(o, bad)) bad = (bad + 1) % o->nargs;
  if (me == (int)(y->p->seed / 3 % (uint64_t)check_ranks()))
    args[bad] = op_opt_arg_dat(0, NULL, -1, OP_ID, args[bad].dim,
                               args[bad].type, args[bad].acc);
  call_loop(o, y->sets[o->what], args);
  if (!session.error[0]) op2_flush();
  if (!session.error[0])
    fail(y, "a rank whose flags differ was not told");
  else if (!strstr(session.error, "op_par_loop"))
    fail(y, "ranks that differ: %s", session.error);
  session.error[0] = 0;
}

/* One thing is wrong: the call is reported and has no effect. */
static void
play_wrong(struct player *y, const struct op *o) {
  op_arg args[64];
  int bad = 0;
  for (int a = 0; a < o->nargs; a++) args[a] = make_arg(y, o, a);
  while (!arg_is_dat(o, bad) || o->row->params[bad].packed) bad++;
  if (o->x % 4 == 0) args[bad].dim++;
  bool csr = o->args[bad].map >= 0 && y->p->maps[o->args[bad].map].csr;
  bool layered = o->args[bad].layered;
  if (o->x % 4 == 1 && !layered) args[bad].idx = csr ? 77 : -77;
  if (o->x % 4 == 2 || (o->x % 4 == 1 && layered)) args[bad].type = "nonsense";
  call_loop(o, o->x % 4 == 3 ? NULL : y->sets[o->what], args);
  if (!session.error[0]) fail(y, "a wrong call was not refused");
  session.error[0] = 0;
}

static void
play_ask(struct player *y, const struct op *o) {
  double cpu, wall;
  if (o->what == 0 && !op2_explain()) fail(y, "op2_explain gives NULL");
  if (o->what == 1 && op2_counter("loops") < (long long)op2_pending())
    fail(y, "more loops are pending than were recorded");
  if (o->what == 2) op_timing_output_2_file("/dev/null");
  if (o->what == 3) op_timers(&cpu, &wall);
}

static void
play_flush(struct player *y, const struct op *o) {
  (void)o;
  int at = 0;
  op2_flush();
  for (int g = 0; g < y->p->ngbls; g++)
    if (!y->p->gbls[g].handle)
      compare(y, y->gbls[g], y->p->gbls[g].type, y->p->gbls[g].dim, &at);
}

/* The file that op_print_dat_to_binfile writes, less its two numbers. */
static void
read_printed(struct player *y, int dat, char *memory) {
  char path[512];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%.480s/print-XXXXXX", folder ? folder : "/tmp");
  int made = mkstemp(path), head[2] = {0, 0};
  const struct pdat *d = &y->p->dats[dat];
  int n = y->p->sets[d->set];
  size_t bytes = type_bytes(d->type, n * d->dim);
  op_print_dat_to_binfile(y->dats[dat], path);
  int fd = open(path, O_RDONLY | O_CLOEXEC); /* another file may be there now */
  bool ok = pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
            pread(fd, memory, bytes + 1, sizeof head) == (ssize_t)bytes;
  if (op_is_root() &&
      (!ok || head[0] != n || head[1] != type_dim(d->type, d->dim)))
    fail(y, "op_print_dat_to_binfile wrote %d x %d", head[0], head[1]);
  close(made);
  close(fd);
  unlink(path);
}

static void
free_copy(op_dat copy) {
  if (!copy) return;
  free(copy->data);
  free(copy->set);
  free(copy);
}

/* Is it this rank that looks? */
static bool
is_my_turn(const struct op *o) {
  int rank;
  op_rank(&rank);
  return rank == (o->what + o->x) % check_ranks();
}

/* Where nonzeros are, and their values. */
static void
look_matrix(struct player *y, const struct op *o) {
  const struct pdat *d = &y->p->dats[o->what];
  const struct psparsity *s = sparsity_of(y->p, d->set);
  int columns = y->p->sets[sparsity_columns(y->p, s)];
  int rows = y->p->sets[sparsity_rows(y->p, s)], n = y->p->sets[d->set];
  int from = 0, to = n, at = 0;
  struct op2_csr c = op2_mat_csr(y->mats[o->what]);
  if (c.rows != rows || (rows && c.row_ptr[rows] != s->nkeys)) {
    fail(y, "%d rows of a matrix, expected %d", c.rows, rows);
    return;
  }
  for (int e = 0; e < rows; e++)
    for (idx_g_t k = c.row_ptr[e]; k < c.row_ptr[e + 1]; k++)
      if (s->keys[k] != (int64_t)e * columns + c.column[k])
        fail(y, "row %d has column %lld", e, (long long)c.column[k]);
  if (o->kind == DO_FETCH_IDX) fetch_bounds(o, n, &from, &to);
  const char *values = c.values;
  if (values) values += type_bytes(d->type, from * d->dim);
  compare_elements(y, o->what, values, NULL, to - from, from, to, &at);
}

/* Has dat->data other elements than this rank declared? Boxes stay. */
static bool
is_moved(const struct player *y, int dat) {
  const struct program *p = y->p;
  int s = set_whole(p, p->dats[dat].set);
  return y->moved && !p->made[s].points && !set_is_box(p, s);
}

/* As few as hold all that is seen. */
static void
look_range(struct player *y, const struct op *o, void *memory) {
  const struct pdat *d = &y->p->dats[o->what];
  const struct part *part = &y->parts[d->set];
  int from, to, low = INT_MAX, high = -1, at = 0;
  fetch_bounds(o, y->p->sets[d->set], &from, &to);
  for (int k = from; k < to; k++) {
    int row = part_row(part, k);
    if (row < low) low = row;
    if (row > high) high = row;
  }
  op_fetch_data_idx(y->dats[o->what], memory, low, high);
  compare_elements(y, o->what, memory, part->rows + low, high - low + 1, from,
                   to, &at);
}

/* In a file that rank 0 has. */
static void
look_printed(struct player *y, const struct op *o, char *memory) {
  const struct part *part = &y->parts[y->p->dats[o->what].set];
  int all = y->p->sets[y->p->dats[o->what].set];
  int at = 0, n = op_is_root() ? all : 0;
  read_printed(y, o->what, memory);
  compare_elements(y, o->what, memory, part->rows, n, 0, all, &at);
}

/* This rank's part, in one of the ways to see it; NULL: not by this rank. */
static const void *
look_view(struct player *y, const struct op *o, enum op_kind kind, op_dat *copy,
          void *memory) {
  op_dat d = y->dats[o->what];
  bool peeks = y->flags & PLAY_PEEK;
  if (kind == DO_VIEW) return peeks ? peek_keep(d) : op2_dat_data(d);
  if (kind == DO_SYNC && peeks) {
    peek_read(d, memory, player_bytes(y, o->what));
    return memory;
  }
  if (kind == DO_SYNC) {
    op2_sync(d);
    return d->data;
  }
  if (kind == DO_GET_DATA) {
    *copy = op_mpi_get_data(d);
    return *copy ? (*copy)->data : NULL;
  }
  op_fetch_data(d, memory);
  return memory;
}

static void
play_look(struct player *y, const struct op *o) {
  if (dat_is_matrix(y->p, o->what)) {
    look_matrix(y, o);
    return;
  }
  op_dat copy = NULL;
  int at = 0, n = y->p->sets[y->p->dats[o->what].set];
  enum op_kind kind = o->kind;
  bool alone = y->flags & PLAY_ALONE;
  if (is_moved(y, o->what) && (kind == DO_SYNC || kind == DO_VIEW))
    kind = DO_FETCH;
  if (alone && kind == DO_SYNC && !is_my_turn(o)) return;
  if (alone && kind == DO_VIEW) kind = DO_SYNC;
  void *memory = get_memory(player_all_bytes(y, o->what) + 64, 1);
  if (kind == DO_FETCH_IDX)
    look_range(y, o, memory);
  else if (kind == DO_PRINT)
    look_printed(y, o, memory);
  else
    compare_dat(y, o->what, look_view(y, o, kind, &copy, memory), 0, n, &at);
  free_copy(copy);
  free(memory);
}

/* Of this rank's part, in a copy of the dat. */
static void
put_values(op_dat d, const void *values, int n) {
  op_dat copy = op_mpi_get_data(d);
  if (!copy) return;
  if (n) memcpy(copy->data, values, (size_t)n * (size_t)copy->size);
  op_mpi_put_data(copy);
  free_copy(copy);
}

/* Through dat->data, with no call before. */
static void
write_peeking(struct player *y, const struct op *o, void *memory, int n) {
  int at = 0;
  peek_read(y->dats[o->what], memory, player_bytes(y, o->what));
  if (!write_is_blind(o)) compare_dat(y, o->what, memory, 0, n, &at);
  player_fill(y, o->what, memory, o->x, o->y);
  peek_write(y->dats[o->what], memory, player_bytes(y, o->what));
}

/* As what this rank declared, wherever that lies. */
static void
write_part(struct player *y, const struct op *o, void *memory, int n) {
  op_dat d = y->dats[o->what];
  int at = 0;
  bool put = o->kind == DO_PUT;
  if (!put) op_fetch_data(d, memory);
  if (!write_is_blind(o)) compare_dat(y, o->what, memory, 0, n, &at);
  player_fill(y, o->what, memory, o->x, put ? 1 : o->y);
  put_values(d, memory, part_count(&y->parts[y->p->dats[o->what].set]));
}

static void
play_write(struct player *y, const struct op *o) {
  op_dat d = y->dats[o->what];
  int at = 0, n = y->p->sets[y->p->dats[o->what].set];
  bool peeks = o->kind == DO_UPLOAD && y->flags & PLAY_PEEK;
  if (o->kind == DO_PUT || peeks || is_moved(y, o->what)) {
    char *memory = get_memory(player_bytes(y, o->what) + 64, 1);
    (peeks ? write_peeking : write_part)(y, o, memory, n);
    free(memory);
    return;
  }
  if (o->kind == DO_UPLOAD && !write_is_blind(o)) op2_sync(d);
  char *memory = o->kind == DO_UPLOAD ? d->data : op2_dat_data_rw(d);
  if (!write_is_blind(o)) compare_dat(y, o->what, memory, 0, n, &at);
  if (memory) player_fill(y, o->what, memory, o->x, o->y);
  if (o->kind == DO_UPLOAD) op_upload_dat(d);
}

static void
play_temp(struct player *y, const struct op *o) {
  const struct pdat *d = &y->p->dats[o->what];
  char name[48]; /* live temporaries of a session have different names */
  snprintf(name, sizeof name, "t%d_%d", session.nplays, o->what);
  const struct pmade *u = &y->p->made[d->set];
  if (o->kind == DO_TEMP && u->points)
    y->dats[o->what] = op2_decl_dat_box_temp(y->sets[u->box], u->halo,
                                             type_dim(d->type, d->dim),
                                             type_row(d->type)->op2, name);
  else if (o->kind == DO_TEMP)
    y->dats[o->what] =
        op_decl_dat_temp_char(y->sets[d->set], type_dim(d->type, d->dim),
                              player_type_text(d), player_type_size(d->type),
                              name);
  else if (op_free_dat_temp(y->dats[o->what]))
    fail(y, "op_free_dat_temp: %s", op2_last_error());
}

static void
play_gbl(struct player *y, const struct op *o) {
  const struct pgbl *g = &y->p->gbls[o->what];
  char *memory = y->gbls[o->what];
  int at = 0;
  if (o->kind == DO_GET) {
    if (g->handle) op2_gbl_get(y->handles[o->what], memory);
    compare(y, memory, g->type, g->dim, &at);
    return;
  }
  player_fill_gbl(g, memory, o->x);
  if (o->kind == DO_RENEW) {
    op2_free_gbl(y->handles[o->what]);
    char name[32];
    snprintf(name, sizeof name, "g%d", o->what);
    y->handles[o->what] = player_handle(g, memory, name);
  } else if (g->handle) {
    op2_gbl_set(y->handles[o->what], memory);
  }
}

static void
play_const(struct player *y, const struct op *o) {
  (void)y;
  if (o->what == 0) k_int = o->x;
  if (o->what == 1) k_vec[1] = o->x;
  if (o->what == 2) k_table[o->x & 15] = o->x;
  if (o->what == 3) k_real = o->x / 8.0;
  if (o->what == 4) k_gain = o->x;
  if (o->what != 5) return;
  k_own[0] = o->x; /* the others are each rank's own, and change on one */
  if (o->x % check_ranks() == check_rank()) k_own[1 + o->x % 63] += o->x;
}

static void
play_matrix(struct player *y, const struct op *o) {
  op2_mat m = y->mats[o->what];
  switch (o->kind) {
  case DO_MULT: op2_mat_mult(m, y->dats[o->x], y->dats[o->y]); break;
  case DO_MULT_TURNED:
    op2_mat_mult_transpose(m, y->dats[o->x], y->dats[o->y]);
    break;
  case DO_ZERO: op2_mat_zero(m); break;
  case DO_ZERO_ROWS:
    op2_mat_zero_rows(m, o->y ? y->sets[o->y - 1] : NULL, o->x);
    break;
  case DO_SET_DIAGONAL:
    op2_mat_set_diagonal(m, o->y ? y->sets[o->y - 1] : NULL, o->x);
    break;
  default:
    op2_mat_mask(m, o->x ? y->sets[o->x - 1] : NULL,
                 o->y ? y->sets[o->y - 1] : NULL);
  }
}

static void
play_defer(struct player *y, const struct op *o) {
  (void)y;
  op2_defer_globals(o->what);
}

static void (*const plays[DO_KINDS])(struct player *, const struct op *) = {
    [DO_LOOP] = play_loop,
    [DO_FLUSH] = play_flush,
    [DO_FETCH] = play_look,
    [DO_FETCH_IDX] = play_look,
    [DO_VIEW] = play_look,
    [DO_SYNC] = play_look,
    [DO_GET_DATA] = play_look,
    [DO_PRINT] = play_look,
    [DO_EDIT] = play_write,
    [DO_UPLOAD] = play_write,
    [DO_PUT] = play_write,
    [DO_TEMP] = play_temp,
    [DO_FREE] = play_temp,
    [DO_POKE] = play_gbl,
    [DO_GET] = play_gbl,
    [DO_RENEW] = play_gbl,
    [DO_CONST] = play_const,
    [DO_DEFER] = play_defer,
    [DO_WRONG] = play_wrong,
    [DO_ASK] = play_ask,
    [DO_PLACE] = play_place,
    [DO_LEVELS] = play_levels,
    [DO_MULT] = play_matrix,
    [DO_MULT_TURNED] = play_matrix,
    [DO_ZERO] = play_matrix,
    [DO_ZERO_ROWS] = play_matrix,
    [DO_SET_DIAGONAL] = play_matrix,
    [DO_MASK] = play_matrix,
};

/* A flush more changes nothing. */
static void
flush_maybe(struct player *y) {
  if (y->flags & PLAY_FLUSH ||
      (y->flags & PLAY_FLUSH_SOME && rnd_chance(&y->rnd, 30)))
    op2_flush();
}

bool
play_map_again(const struct program *p, int op, int *k) {
  uint64_t draw = (p->seed + (uint64_t)op * 7) * 0x9e3779b97f4a7c15u >> 40;
  if (!p->nmaps || draw % 3) return false;
  *k = (int)(draw / 3 % (uint64_t)p->nmaps);
  return true;
}

/* ---- the whole -------------------------------------------------------------------- */

void
play(const struct program *p, const struct seen *seen, unsigned flags,
     struct failure *out) {
  struct player y = {.p = p, .seen = seen, .flags = flags, .out = out};
  y.rnd.state = p->seed;
  session.nplays++;
  *out = (struct failure){0};
  session.error[0] = 0;
  player_declare(&y);
  op2_defer_globals(0);
  int apart = flags & PLAY_APART ? play_apart_at(p) : p->nops;
  for (y.op = 0; y.op < p->nops && !out->failed; y.op++) {
    if (y.op == apart) {
      play_apart(&y, &p->ops[y.op]);
      player_parts_clear(&y);
      return;
    }
    int map;
    if (flags & PLAY_NEW_MAPS && play_map_again(p, y.op, &map))
      player_declare_map(&y, map);
    bool aimed = flags & PLAY_TARGETS && p->ops[y.op].row;
    if (aimed && op2_target_push(mode_target(p->seed, y.op)))
      aimed = false; /* the error handler has been told */
    plays[p->ops[y.op].kind](&y, &p->ops[y.op]);
    if (aimed) op2_target_pop();
    if (session.error[0]) fail(&y, "error: %s", session.error);
    flush_maybe(&y);
  }
  op2_defer_globals(0);
  if (flags & PLAY_NO_REALLOC && !out->failed)
    ADD(session.ended, session.nended, y);
  else
    player_parts_clear(&y);
}

/* op_exit leaves the last values in the program's own memory. */
static void
compare_ended(struct player *y, struct failure *out) {
  int at = 0;
  y->out = out;
  y->op = y->p->nops;
  for (int k = 0; k < y->p->ndats; k++) {
    const struct pdat *d = &y->p->dats[k];
    int n = y->p->sets[d->set];
    if (d->temp) continue;
    if (d->over >= 0 || !d->fill)
      at += n * d->dim;
    else
      compare_dat(y, k, y->memory[k], 0, n, &at);
  }
  if (out->failed)
    snprintf(out->text, sizeof out->text, "seed %llu: memory after op_exit",
             (unsigned long long)y->p->seed);
}

static void
on_error(int status, const char *message, void *user) {
  (void)status, (void)user;
  if (!session.error[0])
    snprintf(session.error, sizeof session.error, "%s", message);
}

void
play_refused(uint64_t number, struct failure *out) {
  const char *const *option = shared_values[number % NSHARED];
  bool me = (int)(number / 5 % (uint64_t)check_ranks()) == check_rank();
  char *argv[] = {"random", NULL}, kept[64] = "";
  const char *before = getenv(option[0]);
  snprintf(kept, sizeof kept, "%s", before ? before : "");
  bool second = before && !strcmp(before, option[1]);
  if (me) setenv(option[0], option[1 + second], 1);
  session.error[0] = 0;
  op2_set_error_handler(on_error, NULL);
  op_init(1, argv, 0);
  if (before)
    setenv(option[0], kept, 1);
  else
    unsetenv(option[0]);
  *out = (struct failure){.cell = -1};
  out->failed = check_ranks() > 1 && !strstr(session.error, option[0]);
  snprintf(out->text, sizeof out->text, "%s differs: \"%s\"", option[0],
           session.error);
  if (check_ranks() == 1) op_exit();
}

void
play_begin(unsigned flags) {
  char *argv[] = {"random",
                  flags & PLAY_BASE_ONE ? "OP_MAPS_BASE_INDEX=1"
                                        : "OP_MAPS_BASE_INDEX=0",
                  flags & PLAY_NO_REALLOC ? "OP_NO_REALLOC" : "x", NULL};
  op2_set_error_handler(on_error, NULL);
  op_init_soa(3, argv, 0, (flags & PLAY_AUTO_SOA) != 0);
  op_decl_const2("k_int", 1, "int", &k_int);
  op_decl_const2("k_vec", 3, "int", k_vec);
  op_decl_const2("k_table", 16, "int", k_table);
  op_decl_const2("k_real", 1, "double", &k_real);
  op_decl_const2("k_gain", 1, "int", &k_gain);
  if (check_ranks() == 1) op_decl_const2("k_own", 64, "int", k_own);
}

void
play_end(struct failure *out) {
  session.error[0] = 0;
  op_exit();
  parts_forget();
  *out = (struct failure){0};
  if (session.error[0]) {
    out->failed = true;
    out->op = INT_MAX;
    out->cell = -1;
    snprintf(out->text, sizeof out->text, "op_exit: %s", session.error);
  }
  for (int i = 0; i < session.nended && !out->failed; i++)
    compare_ended(&session.ended[i], out);
  for (int i = 0; i < session.nended; i++)
    player_parts_clear(&session.ended[i]);
  free(session.ended);
  session.ended = NULL;
  session.nended = 0;
  for (int i = 0; i < session.n; i++) free(session.blocks[i]);
  free(session.blocks);
  session.blocks = NULL;
  session.n = 0;
}
