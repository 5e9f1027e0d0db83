/* Structured sets: boxes and grids of points, dats with a halo around them, and
 * rules, which are maps without a table. boxes.c has the geometry and the
 * relations, box_layers.c those along the last dimension, box_loops.c what a
 * loop reaches and how far it runs, api_boxes.c and api_rules.c the
 * declarations, grids.c the icosahedral connectivities. */
#ifndef FRONTEND_BOX_H
#define FRONTEND_BOX_H

#include "frontend/handles.h"

struct fe_loop;

/* n[0] * colours * n[1] * n[2] * n[3] points, in this order: i fastest, then
 * the colour. Lives as long as its sets and rules do. */
struct fe_box {
  struct fe_set *domain;
  int ndim, colours;
  bool grid; /* its rules name colours */
  bool periodic[FE_BOX_DIMS];
  idx_l n[FE_BOX_DIMS];
  struct fe_rule *here;          /* each point itself */
  VEC(struct fe_rule *, shifts); /* hidden: by so many layers, not 0 */
  struct fe_set *plane; /* hidden: the points of a layer; NULL: not made */
  VEC(struct fe_set *, around); /* hidden: with each halo that a dat has */
  uint32_t users;               /* of these sets, and rules at both ends */
  struct fe_box *next;          /* in fe_boxes */
};

/* Where an entry lies as seen from a point. */
struct fe_hop {
  int by[FE_BOX_DIMS];
  int colour;
};

/* Row of a point of colour c: hop[c * count .. (c + 1) * count). Lives as long
 * as its handle and its tables do. */
struct fe_rule {
  struct fe_box *from, *to;
  char *name;
  struct fe_map *handle; /* NULL: it has none, or that was freed */
  bool freed;            /* no call takes it any more */
  bool column;           /* of the library: moves along the last dimension */
  uint32_t users;        /* its tables, and itself until it is freed */
  int count;
  struct fe_hop *hop;
  VEC(struct fe_map *, tables); /* hidden, between two sets of points each */
  struct fe_rule *next;         /* in fe_boxes */
};

/* All of them. */
extern struct fe_boxes {
  struct fe_box *boxes;
  struct fe_rule *rules;
} fe_boxes;

/* ---- boxes.c ------------------------------------------------------------- */

void fe_boxes_clear(void); /* at op_exit */

/* A box or grid of these (all but domain is set) with its set, which is not
 * published yet. ERR_ARG: too many points */
status fe_box_make(const char *api, const char *name, const struct fe_box *like,
                   struct fe_set **out);
/* The set of the box's points with this halo; no halo: its domain. Made once.
 * ERR_ARG: too many points */
status fe_box_around(const char *api, const struct fe_box *box,
                     const struct fe_halo *halo, struct fe_set **out);
/* A new set of the library's, of points: listed, or, if that fails, freed.
 * ERR_MPI */
status fe_points_list(const char *api, struct fe_set *s);
/* A rule of these entries; hop: [from->colours * count], TAKE. */
struct fe_rule *fe_rule_new(struct fe_box *from, struct fe_box *to, int count,
                            struct fe_hop *hop, const char *name);
/* The rule's table from all points of `from` to those of `to`. An entry that
 * lies in none of these names another: it is not to be used. ERR_MEMORY */
status fe_rule_table(struct fe_rule *r, struct fe_set *from, struct fe_set *to,
                     struct fe_map **out);
/* Its rows, [points of `from`, count], of rt_mem_new; GIVE. ERR_MEMORY */
status fe_rule_rows(const struct fe_rule *r, const struct fe_set *from,
                    const struct fe_set *to, idx_l **out);

/* A width that is wanted, as large as any is if there is none so large. */
static inline int
fe_halo_width(int64_t n) {
  return n > INT32_MAX ? INT32_MAX : n < -INT32_MAX ? -INT32_MAX : (int)n;
}

/* ---- box_layers.c -------------------------------------------------------- */

/* The domain's points by their place in the last dimension: layers. */
static inline idx_l
fe_box_layers(const struct fe_box *b) {
  return b->n[b->ndim - 1];
}
/* Points of a layer: number of (p, l) = p + l * fe_box_plane_size. */
static inline idx_l
fe_box_plane_size(const struct fe_box *b) {
  idx_l layers = fe_box_layers(b);
  return layers ? b->domain->pub.size / layers : 0;
}
/* A hidden set of so many elements, the columns of the box; made once. */
status fe_box_plane(const char *api, const struct fe_box *box,
                    struct fe_set **out);
/* Does it lead from each point to itself? */
bool fe_map_is_here(const struct fe_map *m);
/* What the loop's layer argument on box b needs beyond the domain in its last
 * dimension: in the halo, where the element's own layer is in the domain. */
struct fe_halo fe_box_layer_reach(const struct fe_set *set,
                                  const struct fe_box *b, int by);

/* The domain that a loop on dats of this set goes over: of points with a halo
 * their box's, else the set itself. */
static inline struct op_set_core *
fe_set_domain(struct op_set_core *set) {
  const struct fe_set *s = (const struct fe_set *)set;
  return s->box ? &s->box->domain->pub : set;
}

#endif
