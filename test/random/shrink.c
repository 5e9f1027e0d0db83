/* Shrinking: change, see whether the interpreter still allows the program and the
 * library still fails, keep the change if so; until nothing can be changed.
 *
 * Changes, coarse ones first: the mode becomes a simpler one; everything behind the
 * failing operation goes; runs of operations go (half of them, a quarter, ... one:
 * Zeller and Hildebrandt's ddmin); optional arguments are switched off; sets
 * become smaller or one; maps, types, dims, dats and formulas become simple; handles
 * become raw globals; kernels become simpler ones of the same arguments. Each try is
 * a child process, since programs crash.
 *
 * Limits: kernels come from the table; a failure that needs several programs in one
 * session is not shrunk.
 */
#define _GNU_SOURCE 1
#include "shrink.h"

#include "levels.h"
#include "scans.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct shrinker {
  struct program *best;
  struct result result;
  size_t mode;
  double until;
};

double
seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool
map_used(const struct program *p, int m) {
  for (int k = 0; k < p->nops; k++)
    for (int a = 0; a < p->ops[k].nargs; a++)
      if (!p->ops[k].args[a].off && p->ops[k].args[a].map == m) return true;
  return false;
}

static bool
set_used(const struct program *p, int set) {
  for (int k = 0; k < p->nops; k++) {
    const struct op *o = &p->ops[k];
    if (o->row && o->what == set) return true;
    for (int a = 0; a < o->nargs; a++)
      if (!o->args[a].off && o->args[a].map >= 0 &&
          p->maps[o->args[a].map].to == set)
        return true;
    if (o->kind >= DO_FETCH && o->kind <= DO_FREE && !o->row &&
        p->dats[o->what].set == set)
      return true;
  }
  return false;
}

/* TAKE p. Is it valid, and does it fail? Then it is the best one. */
static bool
better(struct shrinker *s, struct program *p, size_t mode) {
  struct result r;
  struct seen *seen = NULL;
  bool ok = seconds_now() < s->until && program_settle(p) &&
            (seen = interp_program(p, NULL)) && run_fails(p, mode, &r);
  interp_free(p, seen);
  if (!ok) {
    program_free(p);
    return false;
  }
  program_free(s->best);
  s->best = p;
  s->mode = mode;
  s->result = r;
  return true;
}

static void
shrink_mode(struct shrinker *s) {
  static const char *const simple[] = {
      "one-thread", "eager",       "default",  "aos",
      "only-slice", "only-rename", "only-dce", "only-fuse"};
  for (size_t k = 0; k < sizeof simple / sizeof *simple; k++)
    if (s->mode != mode_find(simple[k]) &&
        better(s, program_clone(s->best), mode_find(simple[k])))
      return;
}

/* What the mode does besides the program's operations becomes operations. */
static struct program *
bake(const struct program *from, unsigned flags) {
  struct program *p =
      flags & PLAY_PERMUTE ? program_permute(from) : program_clone(from);
  for (int k = p->nops; flags & (PLAY_FLUSH | PLAY_FLUSH_SOME) && k > 0; k--) {
    struct op none = {.kind = DO_FLUSH};
    ADD(p->ops, p->nops, none);
    memmove(&p->ops[k + 1], &p->ops[k],
            (size_t)(p->nops - 1 - k) * sizeof *p->ops);
    p->ops[k] = none;
  }
  return p;
}

static void
shrink_bake(struct shrinker *s) {
  unsigned flags = modes[s->mode].flags;
  if (flags & (PLAY_PERMUTE | PLAY_FLUSH | PLAY_FLUSH_SOME))
    better(s, bake(s->best, flags), MODE_DEFAULT);
}

static void
drop_range(struct program *p, int from, int n) {
  for (int k = 0; k < n; k++) program_drop(p, from);
}

static void
shrink_tail(struct shrinker *s) {
  if (s->result.crashed) return;
  int last = s->result.failure.op + 1;
  struct program *p = program_clone(s->best);
  if (last < p->nops) drop_range(p, last, p->nops - last);
  better(s, p, s->mode);
}

static bool
shrink_ops(struct shrinker *s) {
  bool any = false;
  for (int n = s->best->nops / 2; n >= 1; n /= 2)
    for (int from = s->best->nops - n; from >= 0; from -= n) {
      if (from + n > s->best->nops) continue;
      struct program *p = program_clone(s->best);
      drop_range(p, from, n);
      any |= better(s, p, s->mode);
    }
  return any;
}

static bool
shrink_args(struct shrinker *s) {
  bool any = false;
  for (int k = 0; k < s->best->nops; k++)
    for (int a = 0; a < s->best->ops[k].nargs; a++) {
      const struct op *o = &s->best->ops[k];
      if (!o->row->params[a].optional || o->args[a].off) continue;
      struct program *p = program_clone(s->best);
      p->ops[k].args[a].off = true;
      any |= better(s, p, s->mode);
    }
  return any;
}

static bool
shrink_sets(struct shrinker *s) {
  static const int sizes[] = {1, 2, 3, 5, 8, 20, 60, 200};
  bool any = false;
  for (int k = 0; k < s->best->nsets; k++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      if (sizes[i] >= s->best->sets[k] || set_is_made(s->best, k)) break;
      struct program *p = program_clone(s->best);
      p->sets[k] = sizes[i];
      if (better(s, p, s->mode)) {
        any = true;
        break;
      }
    }
  return any;
}

/* Columns of one length, of few layers. */
static bool
shrink_columns(struct shrinker *s) {
  bool any = false;
  for (int k = 0; k < s->best->nsets; k++)
    for (int what = 0; what < 2; what++) {
      struct pmade simple = s->best->made[k];
      if (simple.over < 0) break;
      if (what == 0) simple.vary = 0;
      if (what == 1 && simple.layers > 1) simple.layers--;
      if (!memcmp(&simple, &s->best->made[k], sizeof simple)) continue;
      struct program *p = program_clone(s->best);
      p->made[k] = simple;
      any |= better(s, p, s->mode);
    }
  return any;
}

/* Boxes of fewer points, not periodic; narrow halos. */
static struct program *
with_smaller_box(const struct program *old, int s, int d, int what) {
  struct program *p = program_clone(old);
  struct pmade *u = &p->made[s];
  if (what == 0 && u->ndim && !u->like) u->n[d] = (u->n[d] + 1) / 2;
  if (what == 1 && !u->like) u->turns[d] = false;
  if (what == 2 && u->halo[2 * d]) u->halo[2 * d]--;
  if (what == 3 && u->halo[2 * d + 1]) u->halo[2 * d + 1]--;
  if (memcmp(u, &old->made[s], sizeof *u)) return p;
  program_free(p);
  return NULL;
}

static bool
shrink_boxes(struct shrinker *s) {
  bool any = false;
  for (int k = 0; k < s->best->nsets; k++)
    for (int what = 0; what < 4 * BOX_DIMS; what++) {
      struct program *p = with_smaller_box(s->best, k, what / 4, what % 4);
      if (p) any |= better(s, p, s->mode);
    }
  return any;
}

/* Directly instead of through a map; rows no longer than needed; the first object
 * that will do. */
static bool
shrink_arg(struct shrinker *s, int k, int a) {
  bool any = false;
  struct program *p = program_clone(s->best);
  struct parg *g = &p->ops[k].args[a];
  if ((g->map >= 0 || g->layered) && p->ops[k].row->params[a].kind == P_DAT) {
    g->map = -1;
    g->layered = false;
    g->layer = 0;
    any |= better(s, p, s->mode);
  } else {
    program_free(p);
  }
  for (int obj = 0; obj < s->best->ops[k].args[a].obj; obj++) {
    p = program_clone(s->best);
    p->ops[k].args[a].obj = obj;
    if (better(s, p, s->mode)) return true;
  }
  return any;
}

static bool
shrink_objects(struct shrinker *s) {
  bool any = false;
  for (int k = 0; k < s->best->nops; k++)
    for (int a = 0; a < s->best->ops[k].nargs; a++) any |= shrink_arg(s, k, a);
  for (int k = 0; k < s->best->nops; k++) {
    if (s->best->ops[k].kind < DO_FETCH || s->best->ops[k].kind > DO_FREE)
      continue;
    for (int d = 0; d < s->best->ops[k].what; d++) {
      struct program *p = program_clone(s->best);
      p->ops[k].what = d;
      if (better(s, p, s->mode)) {
        any = true;
        break;
      }
    }
  }
  for (int m = 0; m < s->best->nmaps; m++) {
    const struct pmap *old = &s->best->maps[m];
    if (old->arity == 1 || old->kind >= MAP_KINDS) continue;
    struct program *p = program_clone(s->best);
    p->maps[m].arity--;
    any |= better(s, p, s->mode);
  }
  return any;
}

/* Everything of set `from` on set `to`. */
static struct program *
with_set(const struct program *old, int from, int to) {
  struct program *p = program_clone(old);
  for (int k = 0; k < p->nmaps; k++) {
    if (p->maps[k].from == from) p->maps[k].from = to;
    if (p->maps[k].to == from) p->maps[k].to = to;
  }
  for (int k = 0; k < p->ndats; k++)
    if (p->dats[k].set == from) p->dats[k].set = to;
  for (int k = 0; k < p->naxes; k++)
    if (p->axes[k].set == from) p->axes[k].set = to;
  for (int k = 0; k < p->nops; k++)
    if (p->ops[k].row && p->ops[k].what == from) p->ops[k].what = to;
  return p;
}

/* Loops in place of scans, upwards, to the next layer; one kernel for levels. */
static bool
shrink_scans(struct shrinker *s) {
  bool any = false;
  for (int k = 0; k < s->best->nops; k++) {
    for (int what = 0; what < SCAN_WAYS; what++) {
      struct program *p = scan_simpler(s->best, k, what);
      if (p) any |= better(s, p, s->mode);
    }
    for (int i = s->best->ops[k].nlevels - 1; i >= 0; i--) {
      struct program *p = program_clone(s->best);
      levels_drop(&p->ops[k], i);
      any |= better(s, p, s->mode);
    }
  }
  return any;
}

static bool
shrink_set_number(struct shrinker *s) {
  bool any = false;
  for (int from = 1; from < s->best->nsets; from++)
    for (int to = 0; to < from; to++)
      if (set_used(s->best, from))
        any |= better(s, with_set(s->best, from, to), s->mode);
  return any;
}

static bool
shrink_maps(struct shrinker *s) {
  bool any = false;
  for (int m = 0; m < s->best->nmaps; m++)
    for (int what = 0; what < 3; what++) {
      struct pmap simple = s->best->maps[m];
      if (!map_used(s->best, m)) break;
      if (what == 0) simple.kind = MAP_SHIFT;
      if (what == 0) simple.first = simple.then = 0;
      if (what == 1) simple.a = 1; /* 0 is the same element */
      if (what == 2) simple.csr = false;
      if (!memcmp(&simple, &s->best->maps[m], sizeof simple)) continue;
      struct program *p = program_clone(s->best);
      p->maps[m] = simple;
      any |= better(s, p, s->mode);
    }
  return any;
}

/* The row whose name has another type and dim behind it; NULL: none. */
static const struct row *
row_of_shape(const struct row *old, const char *shape) {
  size_t n;
  const struct row *rows = rows_all(&n);
  const char *end = strrchr(old->name, '_');
  int stem = (int)(end - old->name) + 1;
  for (size_t k = 0; k < n && end; k++)
    if (!strncmp(rows[k].name, old->name, (size_t)stem) &&
        !strcmp(rows[k].name + stem, shape))
      return &rows[k];
  return NULL;
}

static bool
levels_of_shape(struct op *o, const char *shape) {
  for (int k = 0; k < o->nlevels; k++) {
    o->levels[k].row = row_of_shape(o->levels[k].row, shape);
    if (!o->levels[k].row) return false;
  }
  return true;
}

/* All kernels of shape `old` ("i3") with another one, and what they work on. */
static struct program *
with_shape(const struct program *from, const char *old, const char *new) {
  struct program *p = program_clone(from);
  int dim = atoi(old + 1), to = atoi(new + 1);
  for (int k = 0; k < p->ndats; k++)
    if (p->dats[k].type == *old && p->dats[k].dim == dim)
      p->dats[k].type = *new, p->dats[k].dim = to;
  for (int k = 0; k < p->ngbls; k++)
    if (p->gbls[k].type == *old && p->gbls[k].dim == dim)
      p->gbls[k].type = *new, p->gbls[k].dim = to;
  for (int k = 0; k < p->nops; k++) {
    struct op *o = &p->ops[k];
    const char *end = o->row ? strrchr(o->row->name, '_') : NULL;
    if (!end || strcmp(end + 1, old)) continue;
    const struct row *row = row_of_shape(o->row, new);
    if (!row || row->nparams != o->nargs || !levels_of_shape(o, new)) {
      program_free(p);
      return NULL;
    }
    o->row = row;
  }
  return p;
}

/* Plain whole numbers, and one of them, where that fails as well. */
static bool
shrink_shapes(struct shrinker *s) {
  static const char *const simple[] = {"i1", "d1", "i2", "i3"};
  bool any = false;
  for (int k = 0; k < s->best->nops; k++)
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
      const struct row *r = s->best->ops[k].row;
      const char *end = r ? strrchr(r->name, '_') : NULL;
      if (!end || !strcmp(end + 1, simple[i])) break;
      struct program *p = with_shape(s->best, end + 1, simple[i]);
      if (p && better(s, p, s->mode)) {
        any = true;
        break;
      }
    }
  return any;
}

static bool
params_alike(const struct param *x, const struct param *y) {
  return x->kind == y->kind && x->access == y->access && x->type == y->type &&
         x->dim == y->dim && x->count == y->count && x->packed == y->packed;
}

/* Operation k with another kernel, on a part of its arguments. */
static struct program *
with_row(const struct program *from, int k, const struct row *row) {
  struct program *p = program_clone(from);
  struct op *o = &p->ops[k];
  bool used[64] = {false};
  for (int a = 0; a < row->nparams; a++) {
    int b = 0;
    while (b < o->nargs &&
           (used[b] || !params_alike(&row->params[a], &o->row->params[b])))
      b++;
    if (b == o->nargs) {
      program_free(p);
      return NULL;
    }
    used[b] = true;
    o->args[a] = from->ops[k].args[b];
  }
  o->row = row;
  o->nargs = row->nparams;
  return p;
}

/* A kernel with fewer parameters, or as many of an earlier (simpler) family. */
static bool
shrink_rows(struct shrinker *s) {
  size_t n;
  bool any = false;
  const struct row *rows = rows_all(&n);
  for (int k = 0; k < s->best->nops; k++)
    for (size_t r = 0; r < n && s->best->ops[k].kind == DO_LOOP; r++) {
      const struct op *o = &s->best->ops[k];
      if (rows[r].nparams > o->nargs ||
          (rows[r].nparams == o->nargs && &rows[r] >= o->row))
        continue;
      struct program *p = with_row(s->best, k, &rows[r]);
      if (p) any |= better(s, p, s->mode);
    }
  return any;
}

/* Dats in their own memory, in the usual layout, declared once. */
static bool
shrink_dats(struct shrinker *s) {
  bool any = false;
  for (int k = 0; k < s->best->ndats; k++)
    for (int what = 0; what < 3; what++) {
      struct program *p = program_clone(s->best);
      struct pdat *d = &p->dats[k];
      bool changes = what == 0 ? d->over >= 0 : what == 1 ? d->soa : d->temp;
      if (what == 0) d->over = -1;
      if (what == 1) d->soa = false;
      if (what == 2) d->temp = false, d->fill = 0;
      for (int o = p->nops - 1; what == 2 && o >= 0; o--)
        if ((p->ops[o].kind == DO_TEMP || p->ops[o].kind == DO_FREE) &&
            p->ops[o].what == k)
          program_drop(p, o);
      if (changes)
        any |= better(s, p, s->mode);
      else
        program_free(p);
    }
  return any;
}

/* Zeros at first; handles become raw globals. */
static bool
shrink_values(struct shrinker *s) {
  bool any = false;
  for (int k = 0; k < s->best->ndats; k++) {
    if (!s->best->dats[k].fill || s->best->dats[k].temp) continue;
    struct program *p = program_clone(s->best);
    p->dats[k].fill = 0;
    any |= better(s, p, s->mode);
  }
  for (int k = 0; k < s->best->ngbls; k++) {
    if (s->best->gbls[k].fill) {
      struct program *p = program_clone(s->best);
      p->gbls[k].fill = 0;
      any |= better(s, p, s->mode);
    }
    if (s->best->gbls[k].over >= 0) {
      struct program *p = program_clone(s->best);
      p->gbls[k].over = -1;
      p->gbls[k].at = 0;
      any |= better(s, p, s->mode);
    }
    if (!s->best->gbls[k].handle) continue;
    struct program *p = program_clone(s->best);
    p->gbls[k].handle = false;
    any |= better(s, p, s->mode);
  }
  return any;
}

struct program *
shrink(const struct program *p, size_t mode, double seconds,
       struct result *out) {
  struct shrinker s = {.mode = mode, .until = seconds_now() + seconds};
  s.best = program_clone(p);
  if (run_fails(p, mode, &s.result)) {
    shrink_bake(&s);
    shrink_mode(&s);
    shrink_tail(&s);
    bool again = true;
    while (again && seconds_now() < s.until) {
      again = shrink_ops(&s);
      again |= shrink_rows(&s);
      again |= shrink_args(&s);
      again |= shrink_objects(&s);
      again |= shrink_sets(&s);
      again |= shrink_columns(&s);
      again |= shrink_scans(&s);
      again |= shrink_boxes(&s);
      again |= shrink_set_number(&s);
      again |= shrink_maps(&s);
      again |= shrink_shapes(&s);
      again |= shrink_dats(&s);
      again |= shrink_values(&s);
    }
    shrink_mode(&s);
  }
  *out = s.result;
  return s.best;
}
