/* Partitions: who is to own which element.
 *
 * Problem. As declared, parts are runs of numbers, and say nothing of the mesh.
 * Every copy at a rank's rim is a value to send and an element to run twice.
 *
 * Idea. One set is cut, all others follow it through maps. Where the elements
 * of that set stay is known to the ranks that declared them, which is where
 * everybody asks (rt/ranks/dist.h).
 *
 *   inertial  the elements in each group of ranks are projected on the longest
 *             axis of their inertia, and cut where the share of one half of the
 *             ranks ends; the halves are groups again. All groups of one round
 *             are worked on together, so that a round is a few reductions.
 *   graph     PT-Scotch, over the graph of a map's rows
 *
 * Where to cut is found by bisection of values, 64 steps of counting, since no
 * rank can sort all of them. Equal projections are told apart by the element's
 * number.
 *
 * Cost: inertial, log2(ranks) rounds of 65 reductions of a number per group.
 * Source: recursive inertial bisection, Nour-Omid, Raefsky, Lyzenga 1987; Simon
 * 1991. Sets that follow: OP2 (Mudalige et al. 2013).
 * Limits: weights of elements are one. */
#include "rt/ranks/partition.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "rt/ranks/comm.h"
#include "rt/mesh/relation.h"

#include <assert.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct type i64 = {TYPE_I64, 8}, f64 = {TYPE_F64, 8};

static void
part_start(struct rt_part *p) {
  free(p->to);
  p->to = mem_alloc((size_t)p->declared + 1, sizeof *p->to);
}

status
rt_partition_random(struct rt_comm *c, struct rt_part *p) {
  part_start(p);
  for (idx_l e = 0; e < p->declared; e++) {
    uint64_t h = (uint64_t)(p->start[c->rank] + e) * HASH_FACTOR;
    p->to[e] = (int)((h >> 32) % (uint64_t)c->size);
  }
  return OK;
}

status
rt_partition_given(struct rt_comm *c, struct rt_part *p, const int *owner) {
  for (idx_l e = 0; e < p->declared; e++)
    if (owner[e] < 0 || owner[e] >= c->size)
      FAIL(ERR_ARG,
           "op_partition: EXTERNAL: element %d: expected a rank from 0 to %d, "
           "found %d",
           e, c->size - 1, owner[e]);
  part_start(p);
  if (p->declared) memcpy(p->to, owner, (size_t)p->declared * sizeof *owner);
  return OK;
}

/* ---- inertial ----------------------------------------------------------- */

/* Ranks [lo, hi) share the elements of this group. */
struct group {
  int lo, hi;
  double axis[3], least, most; /* where keys lie */
  double cut;                  /* keys below go to the lower ranks */
};

struct rib {
  struct rt_comm *c;
  const struct rt_part *p;
  const double *at;
  int dim;
  int *group; /* of each element */
  double *key;
  struct group *groups;
  int ngroups;
};

enum { MOMENTS = 10 }; /* number, sums, sums of products */

/* Number, sums of coordinates and of their products, by group, over all ranks.
 * */
static status
moments(struct rib *r, double *m) {
  memset(m, 0, (size_t)r->ngroups * MOMENTS * sizeof *m);
  for (idx_l e = 0; e < r->p->declared; e++) {
    double *g = m + (size_t)r->group[e] * MOMENTS, x[3] = {0, 0, 0};
    for (int i = 0; i < r->dim; i++) x[i] = r->at[(int64_t)e * r->dim + i];
    int at = 0;
    g[at++]++;
    for (int i = 0; i < 3; i++) g[at++] += x[i];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j <= i; j++) g[at++] += x[i] * x[j];
  }
  return rt_allreduce(r->c, m, (size_t)r->ngroups * MOMENTS, f64, ACC_INC);
}

/* The direction of most inertia: powers of the covariance, from the longest
 * column. */
static void
longest_axis(const double *m, double *axis) {
  double n = m[0] > 0 ? m[0] : 1, a[3][3];
  int at = 4, best = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, at++)
      a[i][j] = a[j][i] = m[at] / n - m[1 + i] / n * (m[1 + j] / n);
  for (int i = 1; i < 3; i++)
    if (a[i][i] > a[best][best]) best = i;
  for (int i = 0; i < 3; i++) axis[i] = a[i][best];
  for (int step = 0; step < 100; step++) {
    double next[3], length = 0;
    for (int i = 0; i < 3; i++) {
      next[i] = a[i][0] * axis[0] + a[i][1] * axis[1] + a[i][2] * axis[2];
      length += next[i] * next[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++)
      axis[i] = length > 0 ? next[i] / length : i == 0;
  }
}

/* Keys: projections, told apart by numbers; the range that each group's have.
 * */
static status
make_keys(struct rib *r) {
  double *range = mem_alloc(2 * (size_t)r->ngroups, sizeof *range);
  for (int g = 0; g < 2 * r->ngroups; g++) range[g] = HUGE_VAL;
  for (int pass = 0; pass < 2; pass++) {
    for (idx_l e = 0; e < r->p->declared; e++) {
      struct group *g = &r->groups[r->group[e]];
      double key = 0, *least = &range[2 * r->group[e]];
      for (int i = 0; i < r->dim; i++)
        key += g->axis[i] * r->at[(int64_t)e * r->dim + i];
      idx_g number = r->p->start[r->c->rank] + e;
      if (pass)
        key +=
            (g->most - g->least) * 1e-9 * (double)number / (double)r->p->total;
      r->key[e] = key;
      if (key < least[0]) least[0] = key;
      if (-key < least[1]) least[1] = -key;
    }
    status st = rt_allreduce(r->c, range, 2 * (size_t)r->ngroups, f64, ACC_MIN);
    for (int g = 0; g < r->ngroups; g++) {
      r->groups[g].least = range[2 * g];
      r->groups[g].most = -range[2 * g + 1];
    }
    if (st != OK || pass) {
      free(range);
      return st;
    }
  }
  return OK;
}

/* The cut of each group below which its lower ranks' share lies. */
static status
find_cuts(struct rib *r, const double *m) {
  size_t n = (size_t)r->ngroups;
  SCOPED int64_t *below = mem_alloc(n, sizeof *below);
  double *lo = mem_alloc(2 * n, sizeof *lo), *hi = lo + n;
  status st = OK;
  for (size_t g = 0; g < n; g++) {
    lo[g] = r->groups[g].least;
    hi[g] = nextafter(r->groups[g].most, HUGE_VAL);
  }
  for (int step = 0; st == OK && step < 64; step++) {
    memset(below, 0, n * sizeof *below);
    for (size_t g = 0; g < n; g++) r->groups[g].cut = lo[g] / 2 + hi[g] / 2;
    for (idx_l e = 0; e < r->p->declared; e++)
      below[r->group[e]] += r->key[e] < r->groups[r->group[e]].cut;
    st = rt_allreduce(r->c, below, n, i64, ACC_INC);
    for (size_t g = 0; g < n; g++) {
      const struct group *x = &r->groups[g];
      int ranks = x->hi - x->lo, lower = ranks / 2;
      if ((double)below[g] < m[g * MOMENTS] * lower / ranks)
        lo[g] = x->cut;
      else
        hi[g] = x->cut;
    }
  }
  for (size_t g = 0; g < n; g++) r->groups[g].cut = hi[g];
  free(lo);
  return st;
}

/* Groups of one rank stay, others become two: 2g and 2g + 1. */
static void
split_groups(struct rib *r) {
  struct group *next = mem_alloc(2 * (size_t)r->ngroups, sizeof *next);
  for (int g = 0; g < r->ngroups; g++) {
    const struct group *x = &r->groups[g];
    assert(x->lo <= x->hi);
    int mid = x->lo + (x->hi - x->lo) / 2;
    next[2 * g] = (struct group){.lo = x->lo, .hi = mid};
    next[2 * g + 1] = (struct group){.lo = mid, .hi = x->hi};
  }
  for (idx_l e = 0; e < r->p->declared; e++) {
    const struct group *x = &r->groups[r->group[e]];
    bool upper = x->hi - x->lo < 2 || r->key[e] >= x->cut;
    r->group[e] = 2 * r->group[e] + upper;
  }
  free(r->groups);
  r->groups = next;
  r->ngroups *= 2;
}

static status
rib_round(struct rib *r) {
  SCOPED double *m = mem_alloc((size_t)r->ngroups * MOMENTS, sizeof *m);
  status st = moments(r, m);
  for (int g = 0; st == OK && g < r->ngroups; g++)
    longest_axis(m + (size_t)g * MOMENTS, r->groups[g].axis);
  if (st == OK) st = make_keys(r);
  if (st == OK) st = find_cuts(r, m);
  if (st == OK) split_groups(r);
  return st;
}

status
rt_partition_inertial(struct rt_comm *c, struct rt_part *p, const double *at,
                      int dim) {
  size_t n = (size_t)p->declared + 1;
  struct rib r = {.c = c,
                  .p = p,
                  .at = at,
                  .dim = dim,
                  .group = mem_alloc(n, sizeof *r.group),
                  .key = mem_alloc(n, sizeof *r.key),
                  .groups = mem_alloc(1, sizeof *r.groups),
                  .ngroups = 1};
  r.groups[0] = (struct group){.lo = 0, .hi = c->size};
  status st = OK;
  for (int ranks = 1; st == OK && ranks < c->size; ranks *= 2)
    st = rib_round(&r);
  part_start(p);
  for (idx_l e = 0; st == OK && e < p->declared; e++) {
    const struct group *g = &r.groups[r.group[e]];
    assert(g->hi - g->lo == 1);
    p->to[e] = g->lo;
  }
  free(r.group);
  free(r.key);
  free(r.groups);
  return st;
}

/* ---- graph -------------------------------------------------------------- */

struct pair {
  idx_g a, b;
};

static int
pair_order(const void *x, const void *y) {
  const struct pair *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return p->b < q->b ? -1 : p->b > q->b;
}

/* Links of elements declared here, each once, sorted; GIVE. */
static status
collect_links(struct rt_dist *d, uint32_t k, struct pair **out, size_t *n_out) {
  const struct rt_dist_map *m = &d->maps[k];
  const struct rt_part *to = &d->parts[m->to];
  size_t rows = (size_t)d->parts[m->from].declared, n = 0, all, most = 0;
  for (size_t e = 0; e < rows; e++) {
    size_t entries = rt_dist_row(m, m->rows, e).n;
    most += entries * entries;
  }
  SCOPED struct pair *pairs = mem_alloc(most + 1, sizeof *pairs);
  SCOPED int *home = mem_alloc(most + 1, sizeof *home);
  SCOPED size_t *counts = mem_alloc((size_t)d->comm->size, sizeof *counts);
  for (size_t e = 0; e < rows; e++) {
    struct rt_dist_row row = rt_dist_row(m, m->rows, e);
    for (uint32_t i = 0; i < row.n; i++)
      for (uint32_t j = 0; j < row.n; j++) {
        if (row.at[i] == row.at[j]) continue;
        home[n] = rt_part_home(to, d->comm->size, row.at[i]);
        pairs[n++] = (struct pair){row.at[i], row.at[j]};
      }
  }
  assert(n <= most);
  status st =
      rt_send_items(d->comm, n, home, pairs, sizeof *pairs, out, counts, &all);
  if (st == OK) {
    qsort(*out, all, sizeof **out, pair_order);
    *n_out = 0;
    for (size_t i = 0; i < all; i++)
      if (!i || pair_order(&(*out)[i], &(*out)[i - 1]))
        (*out)[(*n_out)++] = (*out)[i];
  }
  return st;
}

static status
ptscotch_open(rt_ptscotch **out) {
  static rt_ptscotch *known;
  if (!known) {
    struct str path = STR_INIT;
    rt_module_path("ptscotch", &path);
    void *handle = dlopen(path.s, RTLD_NOW | RTLD_GLOBAL);
    if (handle) *(void **)&known = dlsym(handle, "op2_ptscotch");
    str_clear(&path);
    if (!known)
      FAIL(ERR_MPI,
           "op_partition: PTSCOTCH: expected the module for PT-Scotch, found: "
           "%s",
           dlerror());
  }
  *out = known;
  return OK;
}

status
rt_partition_graph(struct rt_dist *d, uint32_t k) {
  struct rt_part *p = &d->parts[d->maps[k].to];
  rt_ptscotch *cut;
  if (strcmp(d->comm->ops->name, "openmpi"))
    FAIL(ERR_MPI,
         "op_partition: PTSCOTCH: its module goes with Open MPI, the program "
         "runs under %s",
         d->comm->ops->name);
  struct pair *links = NULL;
  size_t n = 0;
  TRY(ptscotch_open(&cut));
  TRY(collect_links(d, k, &links, &n));
  SCOPED int64_t *start = mem_alloc((size_t)p->declared + 2, sizeof *start);
  SCOPED int64_t *list = mem_alloc(n + 1, sizeof *list);
  for (size_t i = 0; i < n; i++) {
    assert(links[i].a >= p->start[d->comm->rank]);
    start[links[i].a - p->start[d->comm->rank] + 1]++;
    list[i] = links[i].b;
  }
  for (idx_l e = 0; e < p->declared; e++) start[e + 1] += start[e];
  part_start(p);
  const char *why = cut(d->comm->ops->handle(d->comm), d->comm->size,
                        p->declared, start, list, p->to);
  free(links);
  if (why) FAIL(ERR_MPI, "op_partition: PTSCOTCH: %s", why);
  return OK;
}

/* ---- sets that follow --------------------------------------------------- */

/* The one that most of `n` are; of equals that which comes first. */
static int
most_of(const int *to, uint32_t n) {
  uint32_t best = 0, most = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t same = 0;
    for (uint32_t j = 0; j < n; j++) same += to[j] == to[i];
    if (same > most) {
      most = same;
      best = i;
    }
  }
  return to[best];
}

/* Elements whose rows name none stay. */
static status
follow_targets(struct rt_dist *d, uint32_t k) {
  const struct rt_dist_map *m = &d->maps[k];
  struct rt_part *from = &d->parts[m->from];
  size_t places = rt_dist_places(m, (size_t)from->declared), n = 0, first = 0;
  SCOPED idx_g *target = mem_alloc(places + 1, sizeof *target);
  SCOPED int *to = mem_alloc(places + 1, sizeof *to);
  for (size_t i = 0; i < places; i++)
    if (m->rows[i] >= 0) target[n++] = m->rows[i];
  status st = rt_part_owners(d->comm, &d->parts[m->to], n, target, to);
  part_start(from);
  for (idx_l e = 0; st == OK && e < from->declared; e++) {
    uint32_t entries = rt_dist_row(m, m->rows, (size_t)e).n;
    from->to[e] = entries ? most_of(to + first, entries) : d->comm->rank;
    first += entries;
  }
  assert(st != OK || first == n);
  return st;
}

struct claim {
  idx_g target, by;
  int64_t to;
};

/* Elements go where the first row goes that names them. */
static status
follow_rows(struct rt_dist *d, uint32_t k) {
  const struct rt_dist_map *m = &d->maps[k];
  const struct rt_part *from = &d->parts[m->from];
  struct rt_part *p = &d->parts[m->to];
  size_t n = rt_dist_places(m, (size_t)from->declared), all = 0, made = 0;
  SCOPED struct claim *claims = mem_alloc(n + 1, sizeof *claims), *got = NULL;
  SCOPED int *home = mem_alloc(n + 1, sizeof *home);
  SCOPED size_t *counts = mem_alloc((size_t)d->comm->size, sizeof *counts);
  for (idx_l e = 0; e < from->declared; e++) {
    struct rt_dist_row row = rt_dist_row(m, m->rows, (size_t)e);
    for (uint32_t i = 0; i < row.n; i++) {
      home[made] = rt_part_home(p, d->comm->size, row.at[i]);
      claims[made++] = (struct claim){row.at[i], from->start[d->comm->rank] + e,
                                      from->to ? from->to[e] : d->comm->rank};
    }
  }
  assert(made <= n);
  status st = rt_send_items(d->comm, made, home, claims, sizeof *claims, &got,
                            counts, &all);
  SCOPED idx_g *first = mem_alloc((size_t)p->declared + 1, sizeof *first);
  part_start(p);
  for (idx_l e = 0; e < p->declared; e++) {
    first[e] = INT64_MAX;
    p->to[e] = d->comm->rank;
  }
  for (size_t i = 0; st == OK && i < all; i++) {
    idx_l e = (idx_l)(got[i].target - p->start[d->comm->rank]);
    assert(e >= 0 && e < p->declared);
    if (got[i].by >= first[e]) continue;
    first[e] = got[i].by;
    p->to[e] = (int)got[i].to;
  }
  return st;
}

/* By each map of this turn that leads on from what is done. *more: some did. */
static status
follow_turn(struct rt_dist *d, int turn, bool *done, bool *more) {
  status st = OK;
  for (uint32_t k = 0; st == OK && k < d->nmaps; k++) {
    uint32_t from = d->maps[k].from, to = d->maps[k].to;
    if (d->maps[k].turn != turn || done[from] == done[to]) continue;
    st = done[to] ? follow_targets(d, k) : follow_rows(d, k);
    done[from] = done[to] = *more = true;
  }
  return st;
}

status
rt_partition_follow(struct rt_dist *d, uint32_t prime) {
  SCOPED bool *done = mem_alloc(d->nparts + 1, sizeof *done);
  for (uint32_t s = 0; s < d->nparts; s++) done[s] = d->parts[s].stays;
  done[prime] = true;
  for (int turn = 0; turn <= 2;) {
    bool more = false;
    TRY(follow_turn(d, turn, done, &more));
    turn = more ? 0 : turn + 1;
  }
  return OK;
}
