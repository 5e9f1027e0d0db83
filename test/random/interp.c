/* See interp.h. How a loop is run:
 *
 * 1. the call is checked against the rules that a program keeps: targets of RW and
 *    WRITE, and of arguments that do different things with one dat, belong to one
 *    element alone, unless the kernel doesn't mind the order; deferred globals are
 *    not touched again before a flush; inexact sums are not computed with
 * 2. what it writes is saved
 * 3. element by element, family by family (ref.c), on pointers into the arrays
 * 4. a value beyond what its type holds exactly in any order of sums takes the loop
 *    back: the program may not contain it
 */
#include "interp.h"

#include "areas.h"
#include "levels.h"
#include "matrices.h"
#include "scans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool
refuse(struct world *w, const char *why) {
  w->why = why;
  return false;
}

/* ---- the world ----------------------------------------------------------- */

static struct store
store_new(int n, char type, int fill) {
  struct store s = {.n = n};
  s.v = get_memory((size_t)n, sizeof *s.v);
  s.err = get_memory((size_t)n, sizeof *s.err);
  for (int i = 0; i < n; i++) s.v[i] = value_of(type, fill, i);
  return s;
}

/* Raw globals may lie in the memory of others: these are made first. */
static void
world_gbl(struct world *w, int g) {
  const struct program *p = w->p;
  const struct pgbl *b = &p->gbls[g];
  if (b->over < 0) {
    w->gbls[g] = store_new(gbl_room(p, g), b->type, 0);
    w->gbls[g].n = b->dim;
  } else {
    const struct store *root = &w->gbls[b->over];
    w->gbls[g] = (struct store){
        .n = b->dim, .v = root->v + b->at, .err = root->err + b->at};
  }
  for (int i = 0; i < b->dim; i++)
    w->gbls[g].v[i] = value_of(b->type, b->fill, i);
}

static int
dat_cells(const struct program *p, int dat) {
  return p->sets[p->dats[dat].set] * p->dats[dat].dim;
}

struct world *
world_new(const struct program *p) {
  struct world *w = get_memory(1, sizeof *w);
  w->p = p;
  w->dats = get_memory((size_t)p->ndats, sizeof *w->dats);
  w->gbls = get_memory((size_t)p->ngbls, sizeof *w->gbls);
  for (int d = 0; d < p->ndats; d++) {
    w->dats[d] = store_new(dat_cells(p, d), p->dats[d].type,
                           p->dats[d].temp ? 0 : p->dats[d].fill);
    w->dats[d].alive = !p->dats[d].temp;
  }
  for (int g = 0; g < p->ngbls; g++) world_gbl(w, g);
  w->masks = get_memory((size_t)p->ndats, sizeof *w->masks);
  axes_begin(w);
  ref_globals = (struct ref_globals){.k_int = 5, .k_real = 1.25};
  for (int i = 0; i < 3; i++) ref_globals.k_vec[i] = i;
  for (int i = 0; i < 16; i++) ref_globals.k_table[i] = i * i;
  return w;
}

static void
store_clear(struct store *s) {
  free(s->v);
  free(s->err);
}

void
world_free(struct world *w) {
  for (int d = 0; d < w->p->ndats; d++) {
    store_clear(&w->dats[d]);
    free(w->masks[d]);
  }
  free(w->masks);
  axes_end(w);
  for (int g = 0; g < w->p->ngbls; g++)
    if (w->p->gbls[g].over < 0) store_clear(&w->gbls[g]);
  free(w->dats);
  free(w->gbls);
  free(w);
}

/* ---- what is seen -------------------------------------------------------- */

static void
see(struct seen *s, char type, const struct store *st, int from, int to) {
  int n = to - from;
  if (n <= 0) return;
  size_t all = (size_t)(s->n + n);
  s->v = realloc(s->v, all * sizeof *s->v);
  s->err = realloc(s->err, all * sizeof *s->err);
  s->type = realloc(s->type, all);
  memcpy(s->v + s->n, st->v + from, (size_t)n * sizeof *s->v);
  memcpy(s->err + s->n, st->err + from, (size_t)n * sizeof *s->err);
  memset(s->type + s->n, type, (size_t)n);
  s->n += n;
}

void
see_number(struct seen *s, char type, int64_t n) {
  union cell v = {.i = n};
  see(s, type, &(struct store){.n = 1, .v = &v, .err = &(double){0}}, 0, 1);
}

void
seen_clear(struct seen *s) {
  free(s->v);
  free(s->err);
  free(s->type);
  *s = (struct seen){0};
}

/* ---- rules of a loop ------------------------------------------------------ */

struct store *
arg_store(struct world *w, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  if (o->args[a].off || o->args[a].obj < 0) return NULL;
  return m->kind == P_GBL || m->kind == P_INFO
             ? &w->gbls[o->args[a].obj]
             : &w->dats[dat_root(w->p, o->args[a].obj)];
}

static bool
is_dat(const struct param *m) {
  return m->kind == P_DAT || m->kind == P_VECTOR;
}

/* Does what the argument reads by a rule lie there, and what it writes, or what is
 * shown its number, in the box? */
static bool
rule_fits(const struct program *p, const struct param *m,
          const struct parg *g) {
  const struct pmap *map = &p->maps[g->map];
  int first = m->kind == P_VECTOR ? 0 : g->idx;
  int end = m->kind == P_VECTOR ? m->count : g->idx + 1;
  if (map->kind == MAP_TABLE) first = 0, end = map->arity; /* its set has all */
  bool reads = m->access == 'R' && m->declared == 'R';
  return is_dat(m) && reads
             ? rule_reaches(p, map, first, end, p->dats[g->obj].set)
             : rule_stays(p, map, first, end);
}

/* Does the argument fit its object? */
static bool
arg_fits(struct world *w, const struct op *o, int a) {
  const struct program *p = w->p;
  const struct param *m = &o->row->params[a];
  const struct parg *g = &o->args[a];
  int s = loop_set(p, o);
  if (g->off) return m->optional;
  if (g->map >= 0) {
    const struct pmap *map = &p->maps[g->map];
    int last = m->kind == P_VECTOR ? m->count : g->idx + 1;
    if (!set_reaches(p, s, map->from) || last > map->arity) return false;
    if (!map_serves(map, m)) return false;
    if (map_is_rule(map) && !rule_fits(p, m, g)) return false;
    if (is_dat(m) && !set_reaches(p, map->to, p->dats[g->obj].set))
      return false;
  } else if (is_dat(m) && !set_reaches(p, s, p->dats[g->obj].set)) {
    return false;
  }
  if (g->layered && !layer_fits(p, o, m, g)) return false;
  if (m->kind == P_INDEX || m->kind == P_ENTRY)
    return (m->kind == P_ENTRY) == (g->map >= 0);
  char type = is_dat(m) ? p->dats[g->obj].type : p->gbls[g->obj].type;
  int dim = is_dat(m) ? p->dats[g->obj].dim : p->gbls[g->obj].dim;
  if (m->kind == P_INFO && p->gbls[g->obj].handle) return false;
  if (m->kind == P_GBL && m->access == 'K' && p->gbls[g->obj].handle)
    return false;
  return type == m->type && dim == m->dim;
}

/* Values of a global may be in two arguments, if neither is scratch or a payload. */
static bool
args_agree(const struct program *p, const struct op *o, int a, int b) {
  const struct param *x = &o->row->params[a], *y = &o->row->params[b];
  bool plain = x->kind == P_GBL && y->kind == P_GBL && x->access != 'K' &&
               y->access != 'K';
  int g = o->args[a].obj, h = o->args[b].obj;
  if (plain || g < 0 || h < 0 || is_dat(x) || is_dat(y)) return true;
  return o->args[a].off || o->args[b].off || !gbls_meet(p, g, h);
}

/* Element e of set s, of an area around it, or of a subset of it, as one of set
 * `to`; -1: of its whole set. */
static int
seen_from(const struct program *p, int s, const struct area *x, int e, int to) {
  if (s == to) return e;
  e = set_element(p, s, e);
  return to >= 0 && p->made[to].points ? point_place(p, to, x, e) : e;
}

/* Target of entry k of an argument for element e, of what the loop goes over. */
static int
arg_target(const struct program *p, const struct op *o, const struct area *x,
           int a, int e, int k) {
  const struct parg *g = &o->args[a];
  const struct param *m = &o->row->params[a];
  int to = is_dat(m) ? p->dats[g->obj].set : -1, s = loop_set(p, o);
  if (g->layered) return layer_target(p, s, x, e, g);
  if (g->map < 0) return seen_from(p, s, x, e, to);
  const struct pmap *map = &p->maps[g->map];
  int j = m->kind == P_VECTOR ? k : g->idx;
  e = seen_from(p, s, x, e, map->from);
  if (map_is_rule(map) && is_dat(m)) return rule_target(p, map, x, e, j, to);
  int t = map_entry(p, g->map, e, j);
  return is_dat(m) ? seen_from(p, map->to, NULL, t, to) : t;
}

/* Is every target of the writes to argument a's dat there, and written by one
 * element? A temporary of an empty box has layers of which a write at an offset
 * would leave it. */
static bool
targets_private(const struct program *p, const struct op *o,
                const struct over *v, int a) {
  int dat = dat_root(p, o->args[a].obj);
  int n = p->sets[p->dats[dat].set];
  int *owner = get_memory((size_t)n + 1, sizeof *owner);
  bool ok = true;
  for (int i = 0; ok && i < v->n; i++)
    for (int b = 0, e = over_element(v, i); b < o->nargs; b++) {
      const struct param *m = &o->row->params[b];
      if (!is_dat(m) || o->args[b].off || dat_root(p, o->args[b].obj) != dat)
        continue;
      for (int k = 0; k < m->count; k++) {
        int t = arg_target(p, o, &v->x, b, e, k);
        ok &= t >= 0 && t < n && (!owner[t] || owner[t] == e + 1);
        if (t >= 0 && t < n) owner[t] = e + 1;
      }
    }
  free(owner);
  return ok;
}

/* Is the memory of argument a written, and accessed otherwise by another one? */
static bool
access_mixed(const struct program *p, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  for (int b = 0; b < o->nargs; b++) {
    const struct param *n = &o->row->params[b];
    if (is_dat(n) && !o->args[b].off && n->access != m->access &&
        dat_root(p, o->args[b].obj) == dat_root(p, o->args[a].obj))
      return true;
  }
  return false;
}

static bool
needs_private(const struct program *p, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  if (!is_dat(m) || o->args[a].off) return false;
  if (o->order) return false; /* scan_fits has other rules */
  if (access_mixed(p, o, a)) return true;
  if (m->commutes) return false;
  return m->access == 'W' || m->access == 'U' || m->looked;
}

/* Do two sums of real numbers meet in one element? How much each adds could not be
 * told from what both change. */
static bool
sums_meet(const struct program *p, const struct op *o, const struct over *v,
          int a, int b) {
  const struct param *m = &o->row->params[a], *n = &o->row->params[b];
  if (!is_dat(m) || !is_dat(n) || m->access != 'I' || n->access != 'I' ||
      !type_row(m->type)->real || o->args[a].off || o->args[b].off ||
      dat_root(p, o->args[a].obj) != dat_root(p, o->args[b].obj))
    return false;
  for (int i = 0; i < v->n; i++)
    for (int k = 0; k < m->count; k++)
      for (int j = 0; j < n->count; j++) {
        int e = over_element(v, i);
        if ((a != b || j != k) && arg_target(p, o, &v->x, a, e, k) ==
                                      arg_target(p, o, &v->x, b, e, j))
          return true;
      }
  return false;
}

static bool
store_exact(const struct store *s) {
  for (int i = 0; i < s->n; i++)
    if (s->err[i] != 0) return false;
  return true;
}

/* A sum of open order is only added to and looked at. */
static bool
sums_kept(struct world *w, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  const struct store *s = arg_store(w, o, a);
  if (!s || store_exact(s)) return true;
  return (m->access == 'I' && !m->looked) || m->access == 'K';
}

/* Does a global with values of this one wait for a flush? */
static bool
gbl_waits(const struct world *w, int gbl) {
  for (int g = 0; g < w->p->ngbls; g++)
    if (w->gbls[g].due && gbls_meet(w->p, g, gbl)) return true;
  return false;
}

/* ... another one than itself? */
static bool
other_waits(const struct world *w, int gbl) {
  for (int g = 0; g < w->p->ngbls; g++)
    if (g != gbl && w->gbls[g].due && gbls_meet(w->p, g, gbl)) return true;
  return false;
}

/* May the argument take a global that waits for a flush? Only to write it again:
 * the last loop's value is delivered. */
static bool
overwrites(const struct world *w, const struct op *o, const struct over *v,
           int a) {
  const struct param *m = &o->row->params[a];
  return w->defer && m->access == 'W' && !m->partial && v->n > 0 &&
         !other_waits(w, o->args[a].obj);
}

/* Is what a block copies stored to through another argument, or the other way
 * round? What the reference does to entries in turn is another thing then. */
static bool
block_meets(const struct program *p, const struct op *o, int a) {
  return o->row->params[a].packed && access_mixed(p, o, a);
}

/* The rules of single arguments, and of pairs. */
static bool
args_allowed(struct world *w, const struct op *o, const struct over *v) {
  for (int a = 0; a < o->nargs; a++) {
    if (block_meets(w->p, o, a))
      return refuse(w, "a block meets another access of its dat");
    const struct param *m = &o->row->params[a];
    const struct store *s;
    s = arg_store(w, o, a);
    if (s && is_dat(m) && !s->alive) return refuse(w, "a dat is not alive");
    if (s && !is_dat(m) && gbl_waits(w, o->args[a].obj) &&
        !overwrites(w, o, v, a))
      return refuse(w, "a global waits for a flush");
    if (!sums_kept(w, o, a)) return refuse(w, "computes with an inexact sum");
    if (m->kind == P_INFO && o->args[m->ref].off)
      return refuse(w, "a payload of nothing");
    for (int b = 0; b < a; b++)
      if (!args_agree(w->p, o, a, b)) return refuse(w, "a payload twice");
    for (int b = 0; b <= a; b++)
      if (sums_meet(w->p, o, v, a, b)) return refuse(w, "sums that cancel");
    if (needs_private(w->p, o, a) && !targets_private(w->p, o, v, a))
      return refuse(w, "elements share a target");
  }
  return true;
}

static bool
loop_allowed(struct world *w, const struct op *o) {
  const struct pmade *u = &w->p->made[o->what];
  if (u->nonzeros || u->points) return refuse(w, "a set that has no handle");
  if (!scan_fits(w->p, o)) return refuse(w, "no scan takes this");
  for (int a = 0; a < o->nargs; a++)
    if (!arg_fits(w, o, a)) return refuse(w, "an argument does not fit");
  struct over v = loop_over(w, o);
  bool ok = loop_reaches(w, o, &v.x) ? args_allowed(w, o, &v)
                                     : refuse(w, "it was not made so far out");
  over_clear(&v);
  return ok;
}

bool
world_allows(struct world *w, const struct op *o) {
  return loop_allowed(w, o);
}

/* ---- running a loop ------------------------------------------------------- */

/* Sums of one argument: the largest magnitude that any order may reach. */
struct sums {
  double *added;      /* by cell: sum of magnitudes; real types */
  double all;         /* of all cells; whole numbers */
  union cell *before; /* one element's, before the kernel */
};

struct run {
  struct world *w;
  const struct op *o;
  struct over v;
  union cell **p, ***entries;
  union cell **old; /* by argument: values before the loop */
  struct sums *sums;
  union cell **spare; /* by argument: what a mask drops */
  union cell index[64];
};

/* A copy of entry k, if what the kernel leaves there is dropped. */
static union cell *
run_target(struct run *r, int a, int e, int k) {
  const struct param *m = &r->o->row->params[a];
  struct store *s = arg_store(r->w, r->o, a);
  int t = arg_target(r->w->p, r->o, &r->v.x, a, e, k), dat = r->o->args[a].obj;
  if (!dat_is_matrix(r->w->p, dat) || !matrix_drops(r->w, dat, t))
    return s->v + t * m->dim;
  union cell *copy = r->spare[a] + k * m->dim;
  memcpy(copy, s->v + t * m->dim, (size_t)m->dim * sizeof *copy);
  return copy;
}

static void
run_point(struct run *r, int e) {
  const struct op *o = r->o;
  for (int a = 0; a < o->nargs; a++) {
    const struct param *m = &o->row->params[a];
    struct store *s = arg_store(r->w, o, a);
    r->p[a] = NULL;
    if (o->args[a].off) continue;
    if (m->kind == P_INDEX || m->kind == P_ENTRY) {
      r->index[a].i = arg_target(r->w->p, o, &r->v.x, a, e, 0);
      r->p[a] = &r->index[a];
    } else if (m->kind == P_VECTOR) {
      for (int k = 0; k < m->count; k++)
        r->entries[a][k] = run_target(r, a, e, k);
    } else {
      bool dat = is_dat(m);
      int at = dat ? arg_target(r->w->p, o, &r->v.x, a, e, 0) * m->dim : 0;
      r->p[a] = s->v + at;
    }
  }
}

static double
cell_size(char type, union cell v) {
  return fabs(type_row(type)->real ? v.r : (double)v.i);
}

static union cell *
run_entry(const struct run *r, int a, int k) {
  return r->o->row->params[a].kind == P_VECTOR ? r->entries[a][k] : r->p[a];
}

/* Before and after one element: how much did it add? */
static void
run_sums(struct run *r, int a, bool after) {
  const struct param *m = &r->o->row->params[a];
  struct sums *s = &r->sums[a];
  if (m->access != 'I' || r->o->args[a].off) return;
  const struct store *st = arg_store(r->w, r->o, a);
  for (int k = 0; k < m->count; k++)
    for (int c = 0; c < m->dim; c++) {
      union cell *at = run_entry(r, a, k) + c;
      if (at - c == r->spare[a] + k * m->dim) continue;
      if (!after) {
        s->before[k * m->dim + c] = *at;
        continue;
      }
      double x =
          type_row(m->type)->real
              ? fabs(at->r - s->before[k * m->dim + c].r)
              : fabs((double)at->i - (double)s->before[k * m->dim + c].i);
      s->all += x;
      s->added[at - st->v] += x;
    }
}

static bool
value_fits(char type, union cell v) {
  const struct type_row *t = type_row(type);
  double x = cell_size(type, v);
  if (t->real) return isfinite(v.r) && x < 1e6 && (x == 0 || x > 1e-6);
  return !t->limit || x <= (double)t->limit;
}

static bool
run_values_fit(const struct run *r) {
  for (int a = 0; a < r->o->nargs; a++) {
    const struct param *m = &r->o->row->params[a];
    if (!param_writes(m) || r->o->args[a].off) continue;
    for (int k = 0; k < m->count; k++)
      for (int c = 0; c < m->dim; c++)
        if (!value_fits(type_lane(m->type, c), run_entry(r, a, k)[c]))
          return false;
  }
  return true;
}

static bool
run_elements(struct run *r) {
  for (int i = 0; i < r->v.n; i++) {
    run_point(r, over_element(&r->v, i));
    for (int a = 0; a < r->o->nargs; a++) run_sums(r, a, false);
    r->o->row->ref(r->o->row, r->p, (union cell *const *const *)r->entries);
    for (int a = 0; a < r->o->nargs; a++) run_sums(r, a, true);
    if (!run_values_fit(r)) return false;
  }
  return true;
}

/* After the loop: do sums stay exact in any order (whole numbers); how far may they
 * be off (real numbers): n additions of at most eps times the magnitudes' sum,
 * twice for what the start and the differences taken here lose. */
static bool
run_sums_end(struct run *r, int a) {
  const struct param *m = &r->o->row->params[a];
  const struct type_row *t = type_row(m->type);
  struct store *s = arg_store(r->w, r->o, a);
  if (m->access != 'I' || !s) return true;
  if (!t->real) {
    double base = 0;
    for (int i = 0; i < s->n; i++)
      base = fmax(base, fabs((double)r->old[a][i].i));
    int64_t limit = type_limit(m->type);
    return !limit || base + r->sums[a].all <= (double)limit;
  }
  double eps = m->type == 'r' ? 0x1p-52 : 0x1p-23;
  double n = (double)r->v.n * m->count + 2.0;
  for (int i = 0; i < s->n; i++) {
    double added = r->sums[a].added[i];
    if (added == 0) continue;
    s->err[i] += 2 * n * eps * (added + fabs(r->old[a][i].r) + s->err[i]);
  }
  return true;
}

static void
run_save(struct run *r) {
  for (int a = 0; a < r->o->nargs; a++) {
    const struct param *m = &r->o->row->params[a];
    const struct store *s = arg_store(r->w, r->o, a);
    r->entries[a] = get_memory((size_t)m->count, sizeof **r->entries);
    if (!s) continue;
    r->old[a] = get_memory((size_t)s->n, sizeof **r->old);
    memcpy(r->old[a], s->v, (size_t)s->n * sizeof **r->old);
    r->sums[a].added = get_memory((size_t)s->n, sizeof(double));
    r->spare[a] =
        get_memory((size_t)m->count * (size_t)m->dim, sizeof **r->spare);
    r->sums[a].before =
        get_memory((size_t)m->count * (size_t)m->dim, sizeof(union cell));
  }
}

static void
run_undo(struct run *r) {
  for (int a = 0; a < r->o->nargs; a++) {
    struct store *s = arg_store(r->w, r->o, a);
    if (s) memcpy(s->v, r->old[a], (size_t)s->n * sizeof **r->old);
  }
}

static void
run_clear(struct run *r) {
  for (int a = 0; a < r->o->nargs; a++) {
    free(r->entries[a]);
    free(r->old[a]);
    free(r->spare[a]);
    free(r->sums[a].added);
    free(r->sums[a].before);
  }
  over_clear(&r->v);
  free(r->p);
  free(r->entries);
  free(r->old);
  free(r->spare);
  free(r->sums);
}

static void
loop_end(struct world *w, const struct op *o, struct seen *seen) {
  for (int a = 0; a < o->nargs; a++) {
    if (!arg_is_raw(w->p, o, a)) continue;
    struct store *s = arg_store(w, o, a);
    s->due = w->defer;
    if (!w->defer) see(seen, o->row->params[a].type, s, 0, s->n);
  }
  if (o->row->effect) see_number(seen, 'u', ref_globals.k_trail);
}

/* Scratch holds anything afterwards. */
static void
loop_scratch(struct run *r) {
  for (int a = 0; a < r->o->nargs; a++) {
    struct store *s = arg_store(r->w, r->o, a);
    if (!s || r->o->row->params[a].access != 'K') continue;
    for (int i = 0; i < s->n; i++) s->err[i] = INFINITY;
  }
}

static bool
loop_run(struct world *w, const struct op *o, struct seen *seen) {
  if (!loop_allowed(w, o)) return false;
  size_t n = (size_t)o->nargs;
  struct run r = {.w = w,
                  .o = o,
                  .v = loop_over(w, o),
                  .p = get_memory(n, sizeof *r.p),
                  .entries = get_memory(n, sizeof *r.entries),
                  .old = get_memory(n, sizeof *r.old),
                  .spare = get_memory(n, sizeof *r.spare),
                  .sums = get_memory(n, sizeof *r.sums)};
  struct ref_globals constants = ref_globals;
  run_save(&r);
  bool ok = run_elements(&r);
  for (int a = 0; ok && a < o->nargs; a++) ok = run_sums_end(&r, a);
  if (ok) {
    loop_scratch(&r);
    loop_made(w, o, &r.v.x);
    loop_end(w, o, seen);
  } else {
    run_undo(&r);
    ref_globals = constants;
    refuse(w, "a value leaves its type's limit");
  }
  run_clear(&r);
  return ok;
}

/* ---- the other operations -------------------------------------------------- */

static bool
flush_run(struct world *w, const struct op *o, struct seen *seen) {
  (void)o;
  for (int g = 0; g < w->p->ngbls; g++) {
    w->gbls[g].due = false;
    if (!w->p->gbls[g].handle)
      see(seen, w->p->gbls[g].type, &w->gbls[g], 0, w->gbls[g].n);
  }
  return true;
}

static bool
look_run(struct world *w, const struct op *o, struct seen *seen) {
  const struct pdat *d = &w->p->dats[o->what];
  struct store *s = &w->dats[dat_root(w->p, o->what)];
  int n = w->p->sets[d->set], from = 0, to = n;
  if (!s->alive) return refuse(w, "a dat is not alive");
  if (o->kind == DO_FETCH_IDX) {
    fetch_bounds(o, n, &from, &to);
    if (!n) return refuse(w, "an empty range");
  }
  see(seen, d->type, s, from * d->dim, to * d->dim);
  return true;
}

/* Does a dat share its memory? Then what the program writes there is seen by
 * loops that still wait. */
static bool
dat_shared(const struct program *p, int dat) {
  for (int d = 0; d < p->ndats; d++)
    if (d != dat && dat_root(p, d) == dat_root(p, dat)) return true;
  return false;
}

static bool
write_run(struct world *w, const struct op *o, struct seen *seen) {
  const struct pdat *d = &w->p->dats[o->what];
  struct store *s = &w->dats[dat_root(w->p, o->what)];
  int n = dat_cells(w->p, o->what);
  if (!s->alive) return refuse(w, "a dat is not alive");
  if (dat_is_matrix(w->p, o->what)) return refuse(w, "writes to a matrix");
  if (o->kind == DO_UPLOAD && dat_shared(w->p, o->what))
    return refuse(w, "writes under pending loops");
  if (!write_is_blind(o)) see(seen, d->type, s, 0, n);
  store_made(w->p, o->what, s);
  int stride = o->kind == DO_PUT ? 1 : o->y;
  for (int i = 0; i < n; i += stride) {
    s->v[i] = value_of(d->type, o->x, i);
    s->err[i] = 0;
  }
  return true;
}

static bool
temp_run(struct world *w, const struct op *o, struct seen *seen) {
  (void)seen;
  struct store *s = &w->dats[o->what];
  bool begins = o->kind == DO_TEMP;
  if (!w->p->dats[o->what].temp || s->alive == begins)
    return refuse(w, "declared twice or not at all");
  s->alive = begins;
  store_made(w->p, o->what, s);
  memset(s->err, 0, (size_t)s->n * sizeof *s->err);
  for (int i = 0; i < s->n; i++)
    s->v[i] = value_of(w->p->dats[o->what].type, 0, i);
  return true;
}

static bool
gbl_run(struct world *w, const struct op *o, struct seen *seen) {
  struct store *s = &w->gbls[o->what];
  char type = w->p->gbls[o->what].type;
  if (gbl_waits(w, o->what)) return refuse(w, "a global waits for a flush");
  if (o->kind == DO_RENEW && !w->p->gbls[o->what].handle)
    return refuse(w, "frees a raw global");
  if (o->kind == DO_GET) {
    see(seen, type, s, 0, s->n);
    return true;
  }
  for (int i = 0; i < s->n; i++) s->v[i] = value_of(type, o->x, i);
  memset(s->err, 0, (size_t)s->n * sizeof *s->err);
  return true;
}

static bool
const_run(struct world *w, const struct op *o, struct seen *seen) {
  (void)w, (void)seen;
  if (o->what == 0) ref_globals.k_int = o->x;
  if (o->what == 1) ref_globals.k_vec[1] = o->x;
  if (o->what == 2) ref_globals.k_table[o->x & 15] = o->x;
  if (o->what == 3) ref_globals.k_real = o->x / 8.0;
  if (o->what == 4) ref_globals.k_gain = o->x;
  if (o->what == 5) ref_globals.k_own = o->x;
  return true;
}

static bool
defer_run(struct world *w, const struct op *o, struct seen *seen) {
  (void)seen;
  w->defer = o->what;
  return true;
}

/* A call that is refused changes nothing; all but one thing in it is right. */
static bool
wrong_run(struct world *w, const struct op *o, struct seen *seen) {
  (void)seen;
  bool dat = false;
  for (int a = 0; a < o->nargs; a++)
    dat |= is_dat(&o->row->params[a]) && !o->args[a].off &&
           !o->row->params[a].packed;
  return loop_allowed(w, o) && (dat || refuse(w, "nothing to do wrong"));
}

static bool
ask_run(struct world *w, const struct op *o, struct seen *seen) {
  (void)w, (void)o, (void)seen;
  return true;
}

bool
world_run(struct world *w, const struct op *o, struct seen *seen_out) {
  static bool (*const runs[DO_KINDS])(struct world *, const struct op *,
                                      struct seen *) = {
      [DO_LOOP] = loop_run,
      [DO_FLUSH] = flush_run,
      [DO_FETCH] = look_run,
      [DO_FETCH_IDX] = look_run,
      [DO_VIEW] = look_run,
      [DO_SYNC] = look_run,
      [DO_GET_DATA] = look_run,
      [DO_PRINT] = look_run,
      [DO_EDIT] = write_run,
      [DO_UPLOAD] = write_run,
      [DO_PUT] = write_run,
      [DO_TEMP] = temp_run,
      [DO_FREE] = temp_run,
      [DO_POKE] = gbl_run,
      [DO_GET] = gbl_run,
      [DO_RENEW] = gbl_run,
      [DO_CONST] = const_run,
      [DO_DEFER] = defer_run,
      [DO_WRONG] = wrong_run,
      [DO_ASK] = ask_run,
      [DO_PLACE] = place_run,
      [DO_LEVELS] = levels_run,
      [DO_MULT] = matrix_run,
      [DO_MULT_TURNED] = matrix_run,
      [DO_ZERO] = matrix_run,
      [DO_ZERO_ROWS] = matrix_run,
      [DO_SET_DIAGONAL] = matrix_run,
      [DO_MASK] = matrix_run,
  };
  return runs[o->kind](w, o, seen_out);
}

/* ---- the whole program ------------------------------------------------------ */

void
interp_free(const struct program *p, struct seen *seen) {
  for (int k = 0; seen && k <= p->nops; k++) seen_clear(&seen[k]);
  free(seen);
}

static bool
overlaps_fit(const struct program *p) {
  for (int d = 0; d < p->ndats; d++)
    if (dat_cells(p, d) > dat_cells(p, dat_root(p, d))) return false;
  for (int g = 0; g < p->ngbls; g++) {
    const struct pgbl *b = &p->gbls[g], *root = &p->gbls[gbl_root(p, g)];
    if (b->type != root->type || b->at > root->dim) return false;
    if (b->over >= 0 && (b->handle || root->handle)) return false;
  }
  return true;
}

struct seen *
interp_program(const struct program *p, const char **why_out) {
  if (!overlaps_fit(p)) return NULL;
  struct world *w = world_new(p);
  struct seen *seen = get_memory((size_t)p->nops + 1, sizeof *seen);
  bool ok = true;
  for (int k = 0; ok && k < p->nops; k++)
    ok = world_run(w, &p->ops[k], &seen[k]);
  for (int d = 0; ok && d < p->ndats; d++)
    if (!p->dats[d].temp)
      see(&seen[p->nops], p->dats[d].type, &w->dats[dat_root(p, d)], 0,
          dat_cells(p, d));
  if (why_out) *why_out = w->why;
  world_free(w);
  if (ok) return seen;
  interp_free(p, seen);
  return NULL;
}
