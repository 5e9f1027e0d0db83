/* As slice.h, for programs with boxes and grids: what a rank declares of a dat is its
 * part of the box with the halo around it, what lies outside of the part and not of
 * the box is not what the program gave, but nonsense: the library has to bring it
 * from its owner. A fetch is one of all points, as one rank has them, after a look at
 * whether what this rank has of its part is the same. */
#ifndef TEST_MPI_SLICE_BOX_H
#define TEST_MPI_SLICE_BOX_H

#include "slice.h"

#define BOX_PARTS 1
#define SCAN_DIMS 3

enum { SLICE_BOXES = 256, SLICE_DIMS = 4, SLICE_RANKS = 8 };

/* Of an op_set: its box, and where each rank's part lies in it. */
struct slice_box {
  op_set set;
  int ndim, colours;
  long n[SLICE_DIMS];
  int lo[SLICE_RANKS][SLICE_DIMS], hi[SLICE_RANKS][SLICE_DIMS];
};
static struct slice_box slice_boxes[SLICE_BOXES];
static int slice_nboxes;

/* Of an op_dat: box and halo. */
static struct slice_field {
  op_dat dat;
  op_set on;
  struct slice_box *box;
  int halo[2 * SLICE_DIMS];
} slice_fields[4 * SLICE_BOXES];
static int slice_nfields;

static inline void
slice_fail(const char *what, const char *name) {
  printf("%s: %s\n", name, what);
  exit(1);
}

/* What each rank says of its part comes by a set of one element a rank. */
static inline void
slice_places(struct slice_box *b) {
  idx_g_t lo[SLICE_DIMS] = {0}, hi[SLICE_DIMS] = {0};
  int mine[2 * SLICE_DIMS], all[SLICE_RANKS][2 * SLICE_DIMS];
  int ranks = check_ranks();
  if (op2_box_local(b->set, lo, hi)) slice_fail("no part", b->set->name);
  for (int d = 0; d < SLICE_DIMS; d++) {
    mine[d] = (int)lo[d];
    mine[SLICE_DIMS + d] = (int)hi[d];
  }
  static op_set one;
  if (!one) one = (op_decl_set)(1, "slice_ranks");
  op_dat d = op2_decl_dat_at(one, 2 * SLICE_DIMS, "int", sizeof(int), "int",
                             mine, "slice_part");
  op2_fetch_idx_at(d, all, sizeof(int), "int", 0, ranks - 1);
  for (int r = 0; r < ranks; r++) {
    memcpy(b->lo[r], all[r], sizeof b->lo[r]);
    memcpy(b->hi[r], all[r] + SLICE_DIMS, sizeof b->hi[r]);
  }
}

static inline op_set
slice_box_set(op_set set, int ndim, int colours, const idx_g_t *n) {
  if (!set) return set;
  if (slice_nboxes == SLICE_BOXES || check_ranks() > SLICE_RANKS)
    slice_fail("too many boxes or ranks", set->name);
  struct slice_box *b = &slice_boxes[slice_nboxes++];
  *b = (struct slice_box){.set = set, .ndim = ndim, .colours = colours};
  for (int d = 0; d < SLICE_DIMS; d++) b->n[d] = d < ndim ? (long)n[d] : 1;
  slice_places(b);
  for (int r = 0; r < check_ranks(); r++)
    for (int d = ndim; d < SLICE_DIMS; d++) b->hi[r][d] = 1;
  return set;
}

static inline op_set
slice_decl_box(int ndim, const idx_g_t *n, const int *boundary,
               const char *name) {
  op_set s = (op2_decl_box)(ndim, n, boundary, name);
  return slice_box_set(s, ndim, 1, n);
}

static inline op_set
slice_decl_grid(const idx_g_t *n, int colours, const int *boundary,
                const char *name) {
  op_set s = (op2_decl_grid)(n, colours, boundary, name);
  return slice_box_set(s, 2, colours, n);
}

static inline struct slice_box *
slice_box_of(op_set set) {
  for (int i = slice_nboxes; i-- > 0;)
    if (slice_boxes[i].set == set) return &slice_boxes[i];
  return NULL;
}

/* Calls f for each point of rank r's part, halo included: place in the part, place in
 * all, and whether it is the rank's own. */
struct slice_walk {
  const struct slice_box *b;
  const int *halo;
  size_t row;
  char *part, *all;
};

static inline int
slice_is_own(const struct slice_walk *w, int r, const long *at) {
  for (int d = 0; d < SLICE_DIMS; d++) {
    const struct slice_box *b = w->b;
    int first = !b->lo[r][d], last = b->hi[r][d] == b->n[d];
    if (at[d] < b->lo[r][d] && !first) return 0;
    if (at[d] >= b->hi[r][d] && !last) return 0;
  }
  return 1;
}

typedef void slice_point(const struct slice_walk *w, size_t part, size_t all,
                         int own);

static inline size_t
slice_each(const struct slice_walk *w, int r, slice_point *f) {
  const struct slice_box *b = w->b;
  long lo[SLICE_DIMS], n[SLICE_DIMS], full[SLICE_DIMS], k[SLICE_DIMS];
  size_t points = (size_t)b->colours;
  for (int d = 0; d < SLICE_DIMS; d++) {
    if (b->lo[r][d] == b->hi[r][d]) return 0;
    lo[d] = b->lo[r][d] - w->halo[2 * d];
    n[d] = b->hi[r][d] + w->halo[2 * d + 1] - lo[d];
    full[d] = b->n[d] + w->halo[2 * d] + w->halo[2 * d + 1];
    points *= (size_t)n[d];
  }
  for (size_t e = 0; f && e < points; e++) {
    size_t rest = e, all = 0;
    long colour = 0;
    for (int d = 0; d < SLICE_DIMS; d++) {
      k[d] = lo[d] + (long)(rest % (size_t)n[d]);
      rest /= (size_t)n[d];
      if (d) continue;
      colour = (long)(rest % (size_t)b->colours);
      rest /= (size_t)b->colours;
    }
    for (int d = SLICE_DIMS; d-- > 0;) {
      if (!d) all = all * (size_t)b->colours + (size_t)colour;
      all = all * (size_t)full[d] + (size_t)(k[d] + w->halo[2 * d]);
    }
    f(w, e, all, slice_is_own(w, r, k));
  }
  return points;
}

static inline void
slice_take(const struct slice_walk *w, size_t part, size_t all, int own) {
  if (own)
    memcpy(w->part + part * w->row, w->all + all * w->row, w->row);
  else
    memset(w->part + part * w->row, 0x55, w->row);
}

static inline void
slice_same(const struct slice_walk *w, size_t part, size_t all, int own) {
  (void)own;
  if (memcmp(w->all + all * w->row, w->part + part * w->row, w->row))
    slice_fail("op_fetch_data gives other values than op_fetch_data_idx",
               w->b->set->name);
}

static inline size_t
slice_total(const struct slice_walk *w) {
  size_t n = (size_t)w->b->colours;
  for (int d = 0; d < SLICE_DIMS; d++)
    n *= (size_t)(w->b->n[d] + w->halo[2 * d] + w->halo[2 * d + 1]);
  return n;
}

static inline struct slice_field *
slice_field_new(struct slice_box *b, const int *halo) {
  if (slice_nfields == (int)(sizeof slice_fields / sizeof *slice_fields))
    slice_fail("too many dats", b->set->name);
  struct slice_field *f = &slice_fields[slice_nfields++];
  *f = (struct slice_field){.box = b};
  if (halo) memcpy(f->halo, halo, 2 * (size_t)b->ndim * sizeof *halo);
  return f;
}

/* On a box's domain too, which slice.h would not cut. */
static inline op_dat
slice_box_dat(op_set set, const int *halo, int dim, const char *type,
              size_t size, const char *ctype, void *data, const char *name) {
  struct slice_box *b = slice_box_of(set);
  if (!b && !halo) return slice_dat(set, dim, type, size, data, name);
  if (!b || slice_nfields == (int)(sizeof slice_fields / sizeof *slice_fields))
    return op2_decl_dat_box_at(set, halo, dim, type, size, ctype, data, name);
  int rank;
  op_rank(&rank);
  struct slice_field *f = slice_field_new(b, halo);
  struct slice_walk w = {b, f->halo, (size_t)dim * size, NULL, data};
  size_t n = slice_each(&w, rank, NULL);
  w.part = (char *)malloc(n * w.row + 1);
  if (data) slice_each(&w, rank, slice_take);
  void *mine = data ? w.part : NULL;
  f->dat = halo ? op2_decl_dat_box_at(set, f->halo, dim, type, size, ctype,
                                      mine, name)
                : op2_decl_dat_at(set, dim, type, size, ctype, mine, name);
  free(w.part);
  f->on = f->dat->set;
  return f->dat;
}

static inline op_dat
slice_temp(op_set set, const int *halo, int dim, const char *type,
           const char *name) {
  op_dat d = (op2_decl_dat_box_temp)(set, halo, dim, type, name);
  if (!d || !slice_box_of(set)) return d;
  struct slice_field *f = slice_field_new(slice_box_of(set), halo);
  f->dat = d;
  f->on = d->set;
  return d;
}

/* What was declared last with this handle; other dats on a domain, too. */
static inline struct slice_field *
slice_field_of(op_dat d) {
  for (int i = slice_nfields; i-- > 0;)
    if (slice_fields[i].dat == d && slice_fields[i].on == d->set)
      return &slice_fields[i];
  struct slice_box *b = slice_box_of(d->set);
  struct slice_field *f = b ? slice_field_new(b, NULL) : NULL;
  if (f) f->dat = d;
  if (f) f->on = d->set;
  return f;
}

static inline void
slice_box_fetch(op_dat d, void *out, size_t size, const char *ctype) {
  struct slice_field *f = slice_field_of(d);
  int rank;
  if (!f) {
    slice_fetch(d, out, size, ctype);
    return;
  }
  op_rank(&rank);
  struct slice_walk w = {f->box, f->halo, (size_t)d->size, NULL, (char *)out};
  size_t all = slice_total(&w), own = slice_each(&w, rank, NULL);
  if (all) op2_fetch_idx_at(d, out, size, ctype, 0, (int)all - 1);
  w.part = (char *)malloc(own * w.row + 1);
  op2_fetch_at(d, w.part, size, ctype);
  slice_each(&w, rank, slice_same);
  free(w.part);
  slice_note(out, all * w.row);
}

/* The rank that has a point, by its number among all, and its number there. */
static inline int
slice_home(const struct slice_box *b, int number, int *there) {
  for (int r = 0; r < check_ranks(); r++) {
    long rest = number, e = 0, step = 1;
    int here = 1;
    for (int d = 0; d < SLICE_DIMS; d++) {
      long p = rest % b->n[d], along = b->hi[r][d] - b->lo[r][d];
      rest /= b->n[d];
      here &= p >= b->lo[r][d] && p < b->hi[r][d];
      e += (p - b->lo[r][d]) * step;
      step *= along;
      if (d) continue;
      e += rest % b->colours * step;
      step *= b->colours;
      rest /= b->colours;
    }
    *there = (int)e;
    if (here) return r;
  }
  slice_fail("no rank has a point", b->set->name);
  return -1;
}

/* A subset by numbers of all points: those of this rank's part. */
static inline op_set
slice_box_subset(op_set set, int n, const int *at, const char *name) {
  struct slice_box *b = slice_box_of(set);
  if (!b) return slice_subset(set, n, at, name);
  int rank, k = 0, there;
  op_rank(&rank);
  int *mine = (int *)malloc(((size_t)n + 1) * sizeof *mine);
  for (int i = 0; i < n; i++)
    if (slice_home(b, at[i], &there) == rank) mine[k++] = there;
  op_set s = (op2_decl_subset)(set, k, mine, name);
  free(mine);
  return s;
}

/* Of a map from a box: rows of this rank's part, in its order. */
static inline op_map
slice_box_map(op_set from, op_set to, int dim, int *table, const char *name) {
  struct slice_box *b = slice_box_of(from);
  if (slice_box_of(to)) slice_fail("a map to a box is not cut", name);
  if (!b) return slice_map(from, to, dim, table, name);
  int rank, there;
  op_rank(&rank);
  size_t row = (size_t)dim * sizeof *table, n = (size_t)b->colours;
  for (int d = 0; d < SLICE_DIMS; d++) n *= (size_t)b->n[d];
  int *mine = (int *)malloc((n + 1) * row);
  for (size_t e = 0; e < n; e++)
    if (slice_home(b, (int)e, &there) == rank)
      memcpy(mine + there * dim, table + e * (size_t)dim, row);
  op_map m = (op_decl_map)(from, to, dim, mine, name);
  free(mine);
  return m;
}

#undef op_decl_map
#define op_decl_map(from, to, dim, table, name)                                \
  slice_box_map(from, to, dim, table, name)
#undef op2_decl_box
#define op2_decl_box(...) slice_decl_box(__VA_ARGS__)
#undef op2_decl_grid
#define op2_decl_grid(...) slice_decl_grid(__VA_ARGS__)
#undef op2_decl_subset
#define op2_decl_subset(set, n, at, name) slice_box_subset(set, n, at, name)
#undef op_decl_dat
#define op_decl_dat(set, dim, type, data, name)                                \
  slice_box_dat(set, NULL, dim, type, OP2_CSIZE(data), OP2_CTYPE(data),        \
                (void *)(data), name)
#undef op2_decl_dat_box
#define op2_decl_dat_box(set, lo_hi, dim, type, data, name)                    \
  slice_box_dat(set, lo_hi, dim, type, OP2_CSIZE(data), OP2_CTYPE(data),       \
                (void *)(data), name)
#undef op2_decl_dat_box_temp
#define op2_decl_dat_box_temp(...) slice_temp(__VA_ARGS__)
#undef op_fetch_data
#define op_fetch_data(dat, out)                                                \
  slice_box_fetch(dat, (void *)(out), OP2_CSIZE(out), OP2_CTYPE(out))

#endif
