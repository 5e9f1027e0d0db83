/* The loops of loops.h for one W; included by loops.c for 4 and for 8. */
#include "vec.h"

#include "scheme_w.h"

/* How a loop is built; constant wherever it is used. */
struct V(choice) {
  enum limit_geometry geometry;
  bool edges; /* neighbours through lists of edges */
  bool kept;  /* p, u, v are kept beside adt */
  bool join;  /* adt of what update writes in the same loop */
  bool flux;  /* sums of stored fluxes */
  bool store; /* res to memory, update apart */
};

#define LANES VEC_GLUE(lane, W)
#define ROWS(b) ((size_t)W * (size_t)(b))

/* ---- cells: shape, own values -------------------------------------------- */

/* Sides from the corners of block b; their lengths only if they are wanted. */
INLINE void
V(shape_of)(struct V(shape) * s, const struct limit *l, int b, bool length) {
  const int *n = l->corner + 4 * ROWS(b);
  vd x[4][2];
  for (int k = 0; k < 4; k++) V(gather2)(x[k], l->m->x, n + W * k);
  for (int k = 0; k < 4; k++) {
    s->dx[k] = x[(k + 1) % 4][0] - x[k][0];
    s->dy[k] = x[(k + 1) % 4][1] - x[k][1];
    if (length)
      s->length[k] = V(root)(s->dx[k] * s->dx[k] + s->dy[k] * s->dy[k]);
  }
}

/* The same from what was stored. */
INLINE void
V(shape_load)(struct V(shape) * s, const struct limit *l, int b) {
  const double *g = l->geometry + 12 * ROWS(b);
  for (int k = 0; k < 4; k++) {
    s->dx[k] = V(load)(g + (3 * k + 0) * W);
    s->dy[k] = V(load)(g + (3 * k + 1) * W);
    s->length[k] = V(load)(g + (3 * k + 2) * W);
  }
}

/* Write adt of block b and version v, and p, u, v if they are kept. */
INLINE void
V(put_derived)(const struct limit *l, int v, int b, const vd q[4],
               struct V(choice) o) {
  struct V(shape) s;
  vd d[4];
  if (o.geometry == LIMIT_STORED && l->plain[b])
    V(shape_load)(&s, l, b);
  else
    V(shape_of)(&s, l, b, true);
  V(derive)(d, q, &s, o.kept);
  if (o.kept)
    V(scatter4)(l->adt[v] + 8 * ROWS(b), 8, LANES, d);
  else
    V(store)(l->adt[v] + ROWS(b), d[0]);
}

INLINE int
V(dim)(struct V(choice) o) {
  return o.kept ? 8 : 4;
}

INLINE void
V(adt_loop)(const struct limit *l, int from, int lo, int hi,
            struct V(choice) o) {
  for (int b = lo; b < hi; b++) {
    vd q[4];
    V(gather4)(q, l->q[from] + V(dim)(o) * ROWS(b), V(dim)(o), LANES);
    V(put_derived)(l, from, b, q, o);
  }
}

/* update of block b with its res, and adt if they are joined. */
INLINE vd
V(finish)(const struct limit *l, int from, int b, const vd res[4],
          struct V(choice) o) {
  size_t at = V(dim)(o) * ROWS(b);
  vd q[4], d[4], sum;
  if (o.kept)
    V(gather4)(d, l->adt[from] + at, 8, LANES);
  else
    d[0] = V(load)(l->adt[from] + ROWS(b));
  V(gather4)(q, l->q[0] + at, V(dim)(o), LANES); /* qold */
  sum = V(advance)(q, res, d[0]);
  V(scatter4)(l->q[!from] + at, V(dim)(o), LANES, q);
  if (o.join) V(put_derived)(l, !from, b, q, o);
  return sum;
}

INLINE double
V(total)(vd v) {
  double sum = 0.0;
  for (int i = 0; i < W; i++) sum += v[i];
  return sum;
}

/* finish() of blocks whose res is in memory, which it zeroes */
INLINE double
V(update_loop)(const struct limit *l, int from, int lo, int hi,
               struct V(choice) o) {
  const vd zero[4] = {{0}, {0}, {0}, {0}};
  vd rms = {0};
  for (int b = lo; b < hi; b++) {
    vd res[4];
    V(gather4)(res, l->res + 4 * ROWS(b), 4, LANES);
    V(scatter4)(l->res + 4 * ROWS(b), 4, LANES, zero);
    rms += V(finish)(l, from, b, res, o);
  }
  return V(total)(rms);
}

/* ---- edges, W at a time -------------------------------------------------- */

/* d = x[n[i]] - x[n[W + i]] */
INLINE void
V(span)(vd d[2], const struct limit *l, const int *n) {
  vd x1[2], x2[2];
  V(gather2)(x1, l->m->x, n);
  V(gather2)(x2, l->m->x, n + W);
  d[0] = x1[0] - x2[0];
  d[1] = x1[1] - x2[1];
}

INLINE void
V(edge_flux)(const struct limit *l, int from, int b, struct V(choice) o,
             vd f[4]) {
  const int *c = l->edge_cell + 2 * ROWS(b);
  const double *g = l->edge_geometry + 2 * ROWS(b);
  struct V(state) one, two;
  vd d[2];
  if (o.geometry == LIMIT_STORED)
    d[0] = V(load)(g), d[1] = V(load)(g + W);
  else
    V(span)(d, l, l->edge_node + 2 * ROWS(b));
  V(state_at)(&one, l, from, c, o.kept);
  V(state_at)(&two, l, from, c + W, o.kept);
  for (int k = 0; k < 4; k++) f[k] = (vd){0};
  V(side)(&one, &two, d, o.kept, f);
}

/* res_calc as it stands: both cells get their increments */
INLINE void
V(res_loop)(const struct limit *l, int from, int lo, int hi,
            struct V(choice) o) {
  for (int b = lo; b < hi; b++) {
    const int *c = l->edge_cell + 2 * ROWS(b);
    vd f[4];
    V(edge_flux)(l, from, b, o, f);
    V(add4)(l->res, c, f);
    for (int k = 0; k < 4; k++) f[k] = -f[k];
    V(add4)(l->res, c + W, f);
  }
}

/* fluxes to memory */
INLINE void
V(flux_loop)(const struct limit *l, int from, int lo, int hi,
             struct V(choice) o) {
  for (int b = lo; b < hi; b++) {
    vd f[4];
    V(edge_flux)(l, from, b, o, f);
    V(scatter4)(l->flux + 4 * ROWS(b), 4, LANES, f);
  }
}

/* ---- gather: cells, W at a time ------------------------------------------ */

/* Rows of the block's boundary edges, one by one. */
static __attribute__((noinline)) void
V(bound_rows)(const struct limit *l, int from, int b, double *res) {
  for (int i = l->bound[b]; i < l->bound[b + 1]; i++) {
    int e = l->bound_row[i], c = l->m->bedge_cell[e];
    double r[4] = {0, 0, 0, 0};
    loops_bound_row(l, from, e, r);
    for (int k = 0; k < 4; k++) res[W * k + c % W] += r[k];
  }
}

/* A side's neighbours and its dx, dy through the list of the cell's edges. */
INLINE void
V(through_edges)(const struct limit *l, int b, int k, int next[W], vd d[2]) {
  const int *e = l->side + 4 * ROWS(b) + W * k;
  int n[2 * W];
  for (int i = 0; i < W; i++) {
    const int *c = l->side_cell + 2 * (size_t)e[i];
    const int *pair = l->side_node + 2 * (size_t)e[i];
    int slot = c[0] != W * b + i;
    next[i] = c[!slot];
    n[i] = pair[slot];
    n[W + i] = pair[!slot];
  }
  V(span)(d, l, n);
}

/* Sum of the block's sides. */
INLINE void
V(sides)(const struct limit *l, int from, int b, struct V(choice) o,
         vd res[4]) {
  const int *table = l->next + 4 * ROWS(b), *pair = l->pair + 8 * ROWS(b);
  int own_cells[W], through[W];
  struct V(state) own, far;
  struct V(shape) s;
  for (int i = 0; i < W; i++) own_cells[i] = W * b + i;
  V(state_at)(&own, l, from, own_cells, o.kept);
  if (o.geometry == LIMIT_CORNERS) V(shape_of)(&s, l, b, false);
  if (o.geometry == LIMIT_STORED) V(shape_load)(&s, l, b);
  for (int k = 0; k < 4; k++) {
    vd d[2];
    if (o.edges)
      V(through_edges)(l, b, k, through, d);
    else if (o.geometry == LIMIT_PAIRS)
      V(span)(d, l, pair + 2 * W * k);
    else
      d[0] = s.dx[k], d[1] = s.dy[k];
    V(state_at)(&far, l, from, o.edges ? through : table + W * k, o.kept);
    V(side)(&own, &far, d, o.kept, res);
  }
}

/* Sum of the fluxes of the block's edges. */
INLINE void
V(sum_fluxes)(const struct limit *l, int b, vd res[4]) {
  for (int k = 0; k < 4; k++) {
    const int *e = l->side + 4 * ROWS(b) + W * k;
    vd f[4], sign = {0};
    for (int i = 0; i < W; i++)
      sign[i] = l->side_cell[2 * (size_t)e[i]] == W * b + i ? 1.0 : -1.0;
    V(gather4)(f, l->flux, 4, e);
    for (int c = 0; c < 4; c++) res[c] += sign * f[c];
  }
}

INLINE vd
V(gather_block)(const struct limit *l, const struct limit *self, int from,
                int b, struct V(choice) o) {
  struct V(choice) by_pairs = o;
  vd res[4] = {{0}, {0}, {0}, {0}};
  by_pairs.geometry = LIMIT_PAIRS;
  if (o.flux)
    V(sum_fluxes)(l, b, res);
  else if (o.geometry == LIMIT_CORNERS && !l->plain[b])
    V(sides)(l, from, b, by_pairs, res);
  else
    V(sides)(l, from, b, o, res);
  if (l->bound[b] < l->bound[b + 1]) {
    double rows[4 * W];
    for (int k = 0; k < 4; k++) V(store)(rows + W * k, res[k]);
    V(bound_rows)(self, from, b, rows);
    for (int k = 0; k < 4; k++) res[k] = V(load)(rows + W * k);
  }
  if (!o.store) return V(finish)(l, from, b, res, o);
  V(scatter4)(l->res + 4 * ROWS(b), 4, LANES, res);
  return (vd){0};
}

INLINE double
V(gather_loop)(const struct limit *l, const struct limit *self, int from,
               int lo, int hi, struct V(choice) o) {
  vd rms = {0};
  for (int b = lo; b < hi; b++) rms += V(gather_block)(l, self, from, b, o);
  return V(total)(rms);
}

/* ---- one function for each choice ---------------------------------------- */

/* Each works on a copy of the struct that nothing else can name, so that stores
 * through its pointers leave them as they are. */
#define CHOICE(kind, name, call, ...)                                          \
  LOOP kind V(name)(const struct limit *self, int from, int lo, int hi) {      \
    const struct limit copy = *self, *l = &copy;                               \
    const struct V(choice) o = {__VA_ARGS__};                                  \
    call;                                                                      \
  }
#define ADT(name, ...)                                                         \
  CHOICE(void, name, V(adt_loop)(l, from, lo, hi, o), __VA_ARGS__)
#define RES(name, ...)                                                         \
  CHOICE(void, name, V(res_loop)(l, from, lo, hi, o), __VA_ARGS__)
#define UPDATE(name, ...)                                                      \
  CHOICE(double, name, return V(update_loop)(l, from, lo, hi, o), __VA_ARGS__)
#define GATHER(name, ...)                                                      \
  CHOICE(double, name, return V(gather_loop)(l, self, from, lo, hi, o),        \
         __VA_ARGS__)
LOOP_ADT(ADT)
LOOP_RES(RES)
LOOP_UPDATE(UPDATE)
LOOP_GATHER(GATHER)
CHOICE(void, flux_range, V(flux_loop)(l, from, lo, hi, o),
       .geometry = LIMIT_PAIRS)
#undef CHOICE

static bool
V(same)(struct V(choice) a, struct V(choice) b) {
  return a.geometry == b.geometry && a.edges == b.edges && a.kept == b.kept &&
         a.join == b.join && a.flux == b.flux && a.store == b.store;
}

/* The loop of a list that was built with o, or NULL. */
#define FIND(list, found)                                                      \
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)                    \
    if (V(same)(list[i].choice, o)) found = list[i].loop;
#define ROW(name, ...) {{__VA_ARGS__}, V(name)},

static struct loops
V(loops_make)(const struct limit_how *h) {
  static const struct {
    struct V(choice) choice;
    loop_plain *loop;
  } adt[] = {LOOP_ADT(ROW)}, res[] = {LOOP_RES(ROW)};
  static const struct {
    struct V(choice) choice;
    loop_sum *loop;
  } update[] = {LOOP_UPDATE(ROW)}, gather[] = {LOOP_GATHER(ROW)};
  struct loops s = {.flux = V(flux_range)};
  struct V(choice) o = {.geometry = h->geometry, .kept = h->kept};
  FIND(adt, s.adt)
  FIND(res, s.res)
  o.join = !h->apart_adt;
  FIND(update, s.update)
  o.edges = h->next == LIMIT_EDGES;
  o.flux = h->flux;
  o.store = h->apart_update;
  o.join = !h->apart_adt && !h->apart_update;
  FIND(gather, s.gather)
  return s;
}

#undef FIND
#undef ROW
#undef ADT
#undef RES
#undef UPDATE
#undef GATHER
#undef LANES
#undef ROWS
#undef vd
#undef V
#undef VEC_GLUE
#undef VEC_GLUE2
#undef VEC_LO
#undef VEC_HI
#undef VEC_EVEN
#undef VEC_ODD
#undef INLINE
