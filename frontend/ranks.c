/* Sets, maps and dats over ranks.
 *
 * Each rank declares its part of every set, as in OP2; or, with
 * OP2_DECLARE=whole, the whole of everything, of which the library keeps a
 * part: then a program written for one rank runs on many, unchanged.
 *
 * Before the first loop (or after op_partition) sets are *spread*: their
 * elements go to their owners and get halos (rt/ranks/dist.h). From then on
 *
 *   buffers  have this rank's elements and its halo, in the order of levels
 *   mirrors  parts: owned elements by global number, then L_1, then L_2
 *            whole: all elements, as declared
 *   maps     go by local numbers; map->map shows the mirror's
 *
 * so that rt_order, by which the store already tells the program's order from
 * its own, carries all of it. A map that is declared later gets its table, if
 * halos as they are will do (rt/ranks/dist_fit.c). A set, another map, or a
 * loop that needs deeper halos spreads everything anew: values go home to the
 * declared parts and out again; mirrors keep their values and, in parts that
 * did not move, their address may change. */
#include "frontend/decl.h"
#include "frontend/ranks.h"

#include "base/numbers.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_LEVEL = 2 }; /* what a loop at a time needs */

/* ---- up and down -------------------------------------------------------- */

/* What ranks tell each other of where they are. */
struct place {
  char host[256];
  cpu_set_t processors; /* that it may use: launchers bind ranks to some */
};

/* Do the ranks of this machine, with their threads, outnumber its processors?
 * */
static bool
is_crowded(const struct place *all) {
  const char *here = all[fe.comm.rank].host;
  cpu_set_t processors;
  int threads = 0;
  CPU_ZERO(&processors);
  for (int r = 0; r < fe.comm.size; r++) {
    if (strcmp(all[r].host, here)) continue;
    if (r < fe.comm.rank) fe.local++;
    threads += fe.nthreads;
    CPU_OR(&processors, &processors, &all[r].processors);
  }
  return threads > CPU_COUNT(&processors);
}

/* Where this rank is on its machine, and how ranks wait: all in one way, since
 * their collectives differ. */
static status
find_place(void) {
  struct place *all = mem_alloc((size_t)fe.comm.size + 1, sizeof *all);
  struct place *mine = &all[fe.comm.size];
  if (gethostname(mine->host, sizeof mine->host - 1)) mine->host[0] = 0;
  if (sched_getaffinity(0, sizeof mine->processors, &mine->processors))
    CPU_SET(0, &mine->processors);
  status st = rt_allgather(&fe.comm, mine, sizeof *mine, all);
  fe.local = 0;
  bool crowded = st == OK && is_crowded(all);
  free(all);
  if (st != OK) return st;
  int64_t naps =
      fe.opt.wait == OPT_wait_auto ? crowded : fe.opt.wait == OPT_wait_nap;
  TRY(rt_allreduce(&fe.comm, &naps, 1, (struct type){TYPE_I64, 8}, ACC_MAX));
  fe.comm.naps = naps;
  return OK;
}

/* A rank that leaves without op_exit would be waited for. */
static void
left(void) {
  if (!fe.up || !fe_ranked()) return;
  fprintf(stderr, "op2lazy: error: rank %d ends without op_exit\n",
          fe.comm.rank);
  rt_comm_abort(&fe.comm, 1);
}

/* Numbers of the text; more than three: something follows. */
static int
costs_read(const char *text, double c[3]) {
  char end;
  locale_t former = numbers_begin();
  int n = sscanf(text, "%lf,%lf,%lf%c", &c[0], &c[1], &c[2], &end);
  numbers_end(former);
  return n;
}

/* What an exchange costs: given, or measured; one rank's word for all. */
static status
halo_costs(double *latency_us, double *mb_s, double *element_ns) {
  const char *given = fe.opt.halo_costs;
  double c[3] = {0, 1, 5};
  int n = 0;
  if (*given) n = costs_read(given, c);
  if (!*given && fe_ranked()) {
    TRY(rt_comm_measure(&fe.comm, &c[0], &c[1]));
    c[0] *= 1e6;
    c[1] *= 1e-6;
  } else if (*given && (n != 3 || !(c[0] >= 0 && c[0] <= 1e9) || !(c[1] >= 1) ||
                        !(c[1] <= 1e9) || !(c[2] >= 0 && c[2] <= 1e6))) {
    FAIL(ERR_ARG,
         "OP2_HALO_COSTS=%s: expected microseconds,MB/s,nanoseconds, as "
         "2.5,8000,5",
         given);
  }
  TRY(rt_allreduce(&fe.comm, c, 3, (struct type){TYPE_F64, 8}, ACC_MAX));
  *latency_us = c[0];
  *mb_s = c[1];
  *element_ns = c[2];
  return OK;
}

/* What pass halo is told. */
static status
depth_choose(void) {
  const char *text = fe.opt.halo_limit;
  size_t size = sizeof fe.halo_with;
  double us, mb, ns;
  char *end;
  long limit = strtol(text, &end, 10);
  if (strcmp(text, "auto")) {
    if (!*text || *end || limit < 0 || limit > REACH_MAX - 2)
      FAIL(ERR_ARG, "OP2_HALO_LIMIT=%s: expected 0 to %d, or auto", text,
           REACH_MAX - 2);
    snprintf(fe.halo_with, size, "halo{limit=%ld}", limit);
    return OK;
  }
  TRY(halo_costs(&us, &mb, &ns));
  snprintf(fe.halo_with, size,
           "halo{most=%d,latency=%.0f,bandwidth=%.0f,element=%.0f}",
           REACH_MAX - 2, us * 1e3, mb, ns * 1e3);
  LOG_INFO("an exchange costs %.3g us, its bytes go with %.4g MB/s; an element "
           "costs %.3g ns",
           us, mb, ns);
  return OK;
}

status
fe_ranks_connect(const char *mpi, const void *communicator) {
  return mpi ? rt_comm_open_mpi(mpi, communicator, &fe.comm)
             : rt_comm_open(&fe.comm);
}

/* A folder of dumps for each rank. */
static void
trace_dir_choose(void) {
  if (!fe.opt.trace) return;
  if (mkdir(fe.opt.trace_dir, 0777) && errno != EEXIST)
    LOG_WARN("cannot make folder %s: %s", fe.opt.trace_dir, strerror(errno));
  fe.opt.trace_dir =
      arena_printf(&fe.arena, "%s/rank-%d", fe.opt.trace_dir, fe.comm.rank);
}

status
fe_ranks_open(void) {
  static bool watching;
  TRY(fe_agree_options());
  fe.whole = fe.opt.declare == OPT_declare_whole;
  fe.level = FIRST_LEVEL;
  TRY(depth_choose());
  if (!fe_ranked()) return OK;
  LOG_DEBUG("rank %d of %d (%s)", fe.comm.rank, fe.comm.size,
            fe.comm.ops->name);
  trace_dir_choose();
  fe.halo = rt_halo_new(&fe.comm);
  TRY(find_place());
  if (!watching) atexit(left);
  watching = true;
  return OK;
}

void
fe_ranks_end(void) {
  if (!fe_ranked()) return;
  fprintf(stderr,
          "op2lazy: error: rank %d: %s; others wait for it, so all ranks end\n",
          fe.comm.rank, err_last());
  fflush(stderr);
  rt_comm_abort(&fe.comm, 1);
}

void
fe_ranks_close(void) {
  for (uint32_t i = 0; i < fe.nsets; i++) {
    struct rt_part *p = &fe.sets[i]->part;
    free((void *)p->start);
    rt_part_clear(p);
  }
  ids_clear(&fe.reaches);
  rt_halo_free(fe.halo);
  fe.halo = NULL;
  rt_comm_close(&fe.comm);
}

/* ---- declarations ------------------------------------------------------- */

status
fe_ranks_set(struct fe_set *s) {
  struct rt_part *p = &s->part;
  int64_t ranks = fe.comm.size, mine = s->pub.size;
  int64_t *start = mem_alloc((size_t)ranks + 1, sizeof *start);
  p->start = start;
  if (fe.whole) {
    for (int64_t r = 0; r <= ranks; r++) start[r] = mine * r / ranks;
  } else {
    TRY(rt_allgather(&fe.comm, &mine, sizeof mine, start + 1));
    for (int64_t r = 0; r < ranks; r++) start[r + 1] += start[r];
  }
  p->total = start[ranks];
  p->declared = (idx_l)(start[fe.comm.rank + 1] - start[fe.comm.rank]);
  return OK;
}

status
fe_ranks_check_entry(const char *name, op_set to_handle, idx_g row, uint32_t i,
                     idx_g entry, int base) {
  const struct fe_set *to = (struct fe_set *)to_handle;
  if (entry >= 0 && entry < to->part.total) return OK;
  FAIL(ERR_ARG,
       "op_decl_map \"%s\": entry %u of element %lld: expected %d to %lld "
       "(set \"%s\", all ranks), found %lld%s",
       name, i, (long long)row, base, (long long)to->part.total - 1 + base,
       to->pub.name, (long long)entry + base,
       entry == to->part.total && !base ? FE_FROM_ONE : "");
}

status
fe_ranks_map(struct fe_map *m, const int *table32, const long long *table64,
             int base) {
  const struct fe_set *from = (struct fe_set *)m->pub.from;
  size_t arity = (size_t)m->pub.dim;
  idx_g rows = from->part.declared;
  idx_g first = fe.whole ? from->part.start[fe.comm.rank] : 0;
  if (from->rt.part && from->part.moved && !fe.whole)
    FAIL(ERR_STATE,
         "op_decl_map \"%s\": expected maps before op_partition, which moves "
         "rows of set \"%s\"; found it done",
         m->pub.name, m->pub.from->name);
  m->declared = mem_alloc((size_t)rows * arity + 1, sizeof *m->declared);
  for (idx_g e = 0; e < m->pub.from->size; e++)
    for (uint32_t i = 0; i < arity; i++) {
      size_t at = (size_t)e * arity + i;
      idx_g v = (table32 ? table32[at] : table64[at]) - base;
      TRY(fe_ranks_check_entry(m->pub.name, m->pub.to, e, i, v, base));
      if (e >= first && e < first + rows)
        m->declared[(size_t)(e - first) * arity + i] = v;
    }
  fe_whole_note(m);
  return OK;
}

void
fe_ranks_map_clear(struct fe_map *m) {
  free(m->declared);
  m->declared = NULL;
}

idx_l
fe_own_size(const struct fe_set *s) {
  return s->rt.part && !fe.whole ? s->part.owned : s->pub.size;
}

/* ---- spreading ---------------------------------------------------------- */

/* Local elements as rows of mirrors. */
static struct rt_order *
order_make(const struct rt_part *p) {
  idx_l *row = mem_alloc((size_t)p->n + 1, sizeof *row);
  if (fe.whole) {
    for (idx_l e = 0; e < p->n; e++) row[e] = (idx_l)p->global[e];
    return rt_order_spread(p->n, p->owned, (idx_l)p->total, true, row);
  }
  for (idx_l i = 0; i < p->owned; i++) row[p->sorted[i]] = i;
  for (idx_l e = p->owned; e < p->level[2]; e++) row[e] = e;
  return rt_order_spread(p->n, p->owned, p->level[2], false, row);
}

/* The dat's values in declared order, before its set is spread (again); NULL if
 * the mirror keeps them. Collective. */
static status
dat_take_home(struct fe_dat *d, char **out) {
  *out = NULL;
  TRY(fe_dat_sync(d));
  if (fe.whole || d->rt.untouched) return OK;
  *out = mem_alloc((size_t)fe_declared_size(d) + 1, (size_t)d->pub.size);
  return fe_ranks_home(d, *out);
}

/* The dat comes to its set as it lies now, with values `home` (NULL: the
 * mirror's own). Collective. */
static status
dat_place(struct fe_dat *d, const char *home) {
  struct fe_set *s = (struct fe_set *)d->pub.set;
  TRY(rt_dat_spread(&d->rt, s->rt.order, &s->part));
  d->pub.data = d->rt.mirror;
  if (!home) return OK;
  return rt_part_give(&fe.comm, &s->part, home, (size_t)d->pub.size,
                      d->rt.mirror);
}

static bool
dat_is_live(const struct fe_dat *d) {
  return !d->parked;
}

/* A rank without elements may have given no values where others did: those of
 * the dats are zeros on all ranks, or on none. Collective. */
static status
agree_untouched(struct fe_dat **dats, uint32_t n) {
  char *zeros = mem_alloc((size_t)n + 1, 1);
  for (uint32_t i = 0; i < n; i++) zeros[i] = dats[i]->rt.untouched;
  status st =
      rt_allreduce(&fe.comm, zeros, n, (struct type){TYPE_U8, 1}, ACC_MIN);
  for (uint32_t i = 0; st == OK && i < n; i++)
    if (dats[i]->rt.untouched && !zeros[i]) rt_dat_touch(&dats[i]->rt);
  free(zeros);
  return st;
}

status
fe_ranks_dat(struct fe_dat *d) {
  struct fe_set *s = (struct fe_set *)d->pub.set;
  if (!s->rt.part) return OK;
  if (!d->temp) {
    TRY(fe_agree("op_decl_dat", d->index, OK));
    TRY(agree_untouched(&d, 1));
  }
  size_t bytes = (size_t)fe_own_size(s) * (size_t)d->pub.size;
  char *own = NULL;
  if (!fe.whole && !d->rt.untouched) {
    own = mem_alloc(bytes + 1, 1);
    memcpy(own, d->rt.mirror, bytes);
  }
  status st = dat_place(d, NULL);
  if (st == OK && own) memcpy(d->rt.mirror, own, bytes);
  free(own);
  return st;
}

static void
set_describe(struct fe_set *s, const struct rt_part *p,
             struct rt_order *order) {
  rt_order_free((struct rt_order *)s->rt.order);
  struct rt_part old = s->part;
  s->part = *p;
  old.start = NULL;
  old.to = NULL;
  rt_part_clear(&old);
  s->rt.part = &s->part;
  s->rt.order = order;
  s->rt.n = p->n;
  if (fe.whole) return;
  s->pub.size = p->owned;
  s->pub.core_size = p->core;
  s->pub.exec_size = p->level[1] - p->owned;
  s->pub.nonexec_size = p->level[2] - p->level[1];
}

/* map->map of a part: rows of mirrors. */
static status
map_show(struct fe_map *m) {
  const struct rt_part *from = &((struct fe_set *)m->pub.from)->part;
  const struct rt_order *a = m->rt.from->order, *b = m->rt.to->order;
  size_t bytes = (size_t)from->level[1] * m->rt.arity * sizeof(int);
  int *shown = rt_mem_new(bytes);
  if (!shown)
    FAIL(ERR_MEMORY, "no memory for map \"%s\": %zu bytes", m->pub.name, bytes);
  for (idx_l e = 0; e < from->level[1]; e++) {
    struct rt_row row = rt_row(&m->rt, e);
    for (uint32_t i = 0; i < row.n; i++)
      shown[(size_t)a->row[e] * row.n + i] = b->row[row.at[i]];
  }
  rt_mem_free(m->pub.map, m->bytes);
  m->pub.map = shown;
  m->bytes = bytes;
  return OK;
}

static status
map_describe(struct fe_map *m, const struct rt_dist_map *x) {
  m->flags = (x->onto ? IR_MAP_ONTO : 0) |
             (x->injective ? IR_MAP_INJECTIVE : 0) |
             (x->repeats ? IR_MAP_REPEATS : 0);
  TRY(fe_number_map_take(m, x->table));
  return fe.whole ? OK : map_show(m);
}

static struct rt_dist_map
map_declared(const struct fe_map *m) {
  return (struct rt_dist_map){.from = (uint32_t)m->pub.from->index,
                              .to = (uint32_t)m->pub.to->index,
                              .arity = (uint32_t)m->pub.dim,
                              .rows = m->declared};
}

void
fe_dist_describe(struct rt_dist *d, int level) {
  *d = (struct rt_dist){.comm = &fe.comm,
                        .parts = mem_alloc(fe.nsets + 1, sizeof *d->parts),
                        .maps = mem_alloc(fe.nmaps + 1, sizeof *d->maps),
                        .nparts = fe.nsets,
                        .nmaps = fe.nmaps,
                        .depth = level};
  for (uint32_t s = 0; s < fe.nsets; s++) {
    const struct rt_part *p = &fe.sets[s]->part;
    d->parts[s] = (struct rt_part){.total = p->total,
                                   .start = p->start,
                                   .declared = p->declared,
                                   .to = p->to};
  }
  for (uint32_t k = 0; k < fe.nmaps; k++) d->maps[k] = map_declared(fe.maps[k]);
}

/* Sets and maps as the distribution found them. */
static status
dist_adopt(struct rt_dist *d) {
  rt_halo_forget(fe.halo);
  rt_devices_forget();
  for (uint32_t k = 0; k < fe.nmaps; k++) fe_number_map_clear(fe.maps[k]);
  for (uint32_t s = 0; s < fe.nsets; s++)
    set_describe(fe.sets[s], &d->parts[s], order_make(&d->parts[s]));
  status st = OK;
  for (uint32_t k = 0; k < fe.nmaps; k++) {
    if (st == OK) st = map_describe(fe.maps[k], &d->maps[k]);
    free(d->maps[k].table);
  }
  return st;
}

static status
homes_take(char **homes) {
  for (uint32_t i = 0; i < fe.ndats; i++)
    if (dat_is_live(fe.dats[i])) TRY(dat_take_home(fe.dats[i], &homes[i]));
  return OK;
}

static status
homes_give(char **homes) {
  for (uint32_t i = 0; i < fe.ndats; i++)
    if (dat_is_live(fe.dats[i])) TRY(dat_place(fe.dats[i], homes[i]));
  return OK;
}

/* A program that reads dat->data may look at halos once they are there, as in
 * OP2: they hold what their owners declared. */
static status
halos_show(void) {
  bool seen = fe.mirror || fe.lone_looks;
  for (uint32_t i = 0; seen && i < fe.ndats; i++)
    if (dat_is_live(fe.dats[i]) && !fe.dats[i]->lost)
      TRY(fe_dat_halo(fe.dats[i]));
  return OK;
}

status
fe_spread(int level) {
  struct rt_dist d;
  if (level > fe.level) fe.level = (level + 1) & ~1;
  if (fe.level > REACH_MAX)
    FAIL(ERR_STATE, "loops over level %d of the halo: at most %d", fe.level,
         REACH_MAX);
  double begin = timer_wall();
  TRY(fe_agree("spreading sets over the ranks", (uint64_t)fe.level, OK));
  TRY(fe_whole_check());
  char **homes = mem_alloc(fe.ndats + 1, sizeof *homes);
  fe_dist_describe(&d, fe.level);
  status st = agree_untouched(fe.dats, fe.ndats);
  if (st == OK) st = homes_take(homes);
  if (st == OK) st = rt_dist_make(&d);
  if (st == OK) st = fe_number_parts(&d);
  if (st == OK) st = dist_adopt(&d);
  st = fe_agree("sets over the ranks", 0, st);
  if (st == OK) st = homes_give(homes);
  if (st == OK) st = halos_show();
  for (uint32_t i = 0; i < fe.ndats; i++) free(homes[i]);
  free(homes);
  free(d.parts);
  free(d.maps);
  counters[CNT_spreads]++;
  fe.setup_id++;
  fe.unsettled = fe.respread = st != OK;
  if (st == OK) fe.maps_spread = fe.nmaps;
  fe_state_update();
  LOG_INFO("rank %d: sets spread over %d ranks, %d levels: %.3f s",
           fe.comm.rank, fe.comm.size, fe.level, timer_wall() - begin);
  return st;
}

/* Maps declared since, between sets as they are spread. */
static status
maps_fit(bool *fit) {
  while (*fit && fe.maps_spread < fe.nmaps) {
    struct fe_map *m = fe.maps[fe.maps_spread];
    struct rt_dist_map x = map_declared(m);
    TRY(rt_dist_fit(&fe.comm, m->rt.from->part, m->rt.to->part, fe.level, &x,
                    fit));
    status st = *fit ? map_describe(m, &x) : OK;
    free(x.table);
    TRY(fe_agree("a map over the ranks", fe.maps_spread, st));
    fe.maps_spread += *fit;
  }
  return OK;
}

status
fe_ranks_settle(void) {
  bool fit = !fe.respread;
  for (uint32_t s = 0; s < fe.nsets; s++) fit &= fe.sets[s]->rt.part != NULL;
  if (!fit) return fe_spread(0);
  TRY(fe_agree("maps between sets over the ranks", fe.nmaps, OK));
  TRY(fe_whole_check());
  status st = maps_fit(&fit);
  if (st == OK && !fit) return fe_spread(0);
  fe.unsettled = st != OK;
  return st;
}

/* ---- values ------------------------------------------------------------- */

enum { PIECE = 1 << 28 };

/* The mirror's rows of others. */
static status
complete(struct fe_dat *d) {
  const struct rt_order *o = d->rt.order;
  size_t size = (size_t)d->pub.size;
  size_t bytes = (size_t)o->rows * size;
  char *all = mem_alloc(bytes + 1, 1);
  for (idx_l e = 0; e < o->owned; e++)
    memcpy(all + (size_t)o->row[e] * size,
           d->rt.mirror + (size_t)o->row[e] * size, size);
  status st = OK;
  for (size_t at = 0; st == OK && at < bytes; at += PIECE)
    st = rt_allreduce(&fe.comm, all + at,
                      bytes - at < PIECE ? bytes - at : PIECE,
                      (struct type){TYPE_U8, 1}, ACC_MAX);
  if (st == OK) memcpy(d->rt.mirror, all, bytes);
  free(all);
  return st;
}

status
fe_dat_sync(struct fe_dat *d) {
  bool was = rt_dat_mirror_current(&d->rt);
  TRY(rt_dat_sync(&d->rt));
  bool all = d->rt.order && d->rt.order->whole;
  return was || !all ? OK : complete(d);
}

/* Elements of a loop's last level, and all that rows of the one before name:
 * what mirrors have. */
enum { MIRROR_LEVEL = 2 };

status
fe_dat_halo(struct fe_dat *d) {
  struct rt_part *part = d->rt.part;
  struct reach want = {MIRROR_LEVEL, -1};
  struct rt_buf *b;
  if (!part || fe.whole || reach_covers(d->rt.reach, want)) return OK;
  TRY(rt_dat_buffer(&d->rt, &b));
  struct rt_halo_item item = {b, part, want};
  TRY(rt_halo_start(fe.halo, &item, 1));
  TRY(rt_halo_finish(fe.halo));
  rt_layout_copy(d->rt.mirror, 1, b->mem, b->stride, part->owned,
                 part->level[MIRROR_LEVEL], d->rt.shape.dim,
                 d->rt.shape.type.size);
  d->rt.reach = want;
  return OK;
}

idx_l
fe_declared_size(const struct fe_dat *d) {
  const struct fe_set *s = (struct fe_set *)d->pub.set;
  return fe_ranked() && !fe.whole ? s->part.declared : s->pub.size;
}

status
fe_ranks_home(const struct fe_dat *d, void *out) {
  const struct fe_set *s = (struct fe_set *)d->pub.set;
  size_t size = (size_t)d->pub.size;
  if (s->rt.part && !fe.whole)
    return rt_part_return(&fe.comm, &s->part, d->rt.mirror, size, out);
  if (s->pub.size) memcpy(out, d->rt.mirror, (size_t)s->pub.size * size);
  return OK;
}

/* Elements [low, high) of all, to every rank for which `to` says so. */
static status
send_range(const struct fe_dat *d, idx_g low, idx_g high, bool root_only,
           char **out) {
  const struct rt_part *p = &((struct fe_set *)d->pub.set)->part;
  size_t ranks = (size_t)fe.comm.size, size = (size_t)d->pub.size;
  idx_g first = p->start[fe.comm.rank], last = first + p->declared;
  if (low > first) first = low;
  if (high < last) last = high;
  size_t n = last > first ? (size_t)(last - first) : 0;
  size_t *give = mem_alloc(2 * ranks, sizeof *give), *got = give + ranks;
  char *home = mem_alloc((size_t)p->declared + 1, size);
  char *send = mem_alloc((root_only ? 1 : ranks) * n + 1, size);
  status st = fe_ranks_home(d, home);
  for (size_t r = 0; r < (root_only ? 1 : ranks); r++) {
    give[r] = n;
    if (n)
      memcpy(send + r * n * size,
             home + (size_t)(first - p->start[fe.comm.rank]) * size, n * size);
  }
  if (st == OK) st = rt_alltoall(&fe.comm, send, give, size, out, got);
  free(give);
  free(home);
  free(send);
  return st;
}

status
fe_ranks_gather(const struct fe_dat *d, char **out) {
  const struct fe_set *s = (struct fe_set *)d->pub.set;
  *out = NULL;
  if (fe_ranked() && !fe.whole) {
    TRY(send_range(d, 0, s->part.total, true, out));
    if (fe.comm.rank) { /* an empty one came */
      free(*out);
      *out = NULL;
    }
  } else if (!fe.comm.rank) {
    size_t bytes = (size_t)s->pub.size * (size_t)d->pub.size;
    *out = mem_alloc(bytes + 1, 1);
    memcpy(*out, d->rt.mirror, bytes);
  }
  return OK;
}

status
fe_ranks_range(const struct fe_dat *d, idx_g low, idx_g high, void *out) {
  size_t size = (size_t)d->pub.size, n = (size_t)(high - low + 1);
  char *all = NULL;
  if (!fe_ranked() || fe.whole) {
    memcpy(out, d->rt.mirror + (size_t)low * size, n * size);
    return OK;
  }
  TRY(send_range(d, low, high + 1, false, &all));
  memcpy(out, all, n * size);
  free(all);
  return OK;
}

/* ---- how far out values are right --------------------------------------- */

/* Of a dat that a device and the mirror have, a host loop gets the mirror's. */
struct reach
fe_reach_of(const struct fe_dat *d) {
  const struct rt_buf *b = d->rt.buf_current ? d->rt.buf : NULL;
  if (!b || (b->stale && !b->dev_valid)) return d->rt.reach;
  bool mirror = b->stale && rt_dat_mirror_current(&d->rt);
  return mirror ? reach_meet(b->reach, d->rt.reach) : b->reach;
}

uint32_t
fe_reach_id(void) {
  if (!fe_ranked()) return 0;
  struct str key = STR_INIT;
  for (uint32_t i = 0; i < fe.ndats; i++) {
    struct reach r = REACH_FULL;
    if (!fe.dats[i]->parked) r = fe_reach_of(fe.dats[i]);
    str_addn(&key, (const char *)&r, sizeof r);
  }
  uint32_t id = ids_get(&fe.reaches, &fe.last_id, key.s, key.len);
  str_clear(&key);
  return id;
}
