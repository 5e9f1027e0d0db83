/* Structured sets: boxes and grids of points, dats with a halo around them, and
 * rules, which are maps without a table. boxes.c has the geometry and the
 * relations, box_layers.c those along the last dimension, box_loops.c what a
 * loop reaches and how far it runs, api_boxes.c and api_rules.c the
 * declarations, grids.c the icosahedral connectivities; box_parts.c and
 * ghosts.c have what lies over ranks. */
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
  int cut[FE_BOX_DIMS];          /* over ranks: pieces of each dimension; 1 */
  struct fe_rule *here;          /* each point itself */
  VEC(struct fe_rule *, shifts); /* hidden: by so many layers, not 0 */
  struct fe_set *plane; /* hidden: the points of a layer; NULL: not made */
  VEC(struct fe_set *, around); /* hidden: with each halo that a dat has */
  uint32_t users;               /* of these sets, and rules at both ends */
  struct fe_box *next;          /* in fe_boxes */
};

/* A place in a box, its own domain's first at 0, and those from lo to below hi.
 */
struct fe_spot {
  int64_t at[FE_BOX_DIMS];
  int colour;
};
struct fe_area {
  int64_t lo[FE_BOX_DIMS], hi[FE_BOX_DIMS];
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
/* The set of the box's points with this halo; no halo: its domain. Padded where
 * ranks have parts and dats of the program shall lie on it (box_parts.c). Made
 * once. ERR_ARG: too many points */
status fe_box_around(const char *api, const struct fe_box *box,
                     const struct fe_halo *halo, bool padded,
                     struct fe_set **out);
/* A new set of the library's, of the box's points, where this rank comes with
 * `st` of its own: listed, or, if that fails, freed. ERR_MPI */
status fe_points_list(const char *api, struct fe_set *s, const struct fe_box *b,
                      status st);
/* A rule of these entries; hop: [from->colours * count], TAKE. */
struct fe_rule *fe_rule_new(struct fe_box *from, struct fe_box *to, int count,
                            struct fe_hop *hop, const char *name);
/* The rule's table from all points of `from` to those of `to`. An entry that
 * lies in none of these names another: it is not to be used. ERR_MEMORY */
status fe_rule_table(struct fe_rule *r, struct fe_set *from, struct fe_set *to,
                     struct fe_map **out);
/* rule_rows.c: its rows, [points of `from`, count]. ERR_MEMORY */
struct fe_rows {
  idx_l *own; /* of rt_mem_new; NULL where ranks have parts: */
  idx_g *all;
};
status fe_rule_rows(const struct fe_rule *r, const struct fe_set *from,
                    const struct fe_set *to, struct fe_rows *out);

/* Its stretches, if they have `least` points on average; else NULL. GIVE.
 * ERR_MEMORY */
struct rt_stretches;
status fe_rule_stretches(const struct fe_rule *r, const struct fe_set *from,
                         const struct fe_set *to, uint32_t least,
                         struct rt_stretches **out);
/* What holds of its rows in boxes of any size; of some more may hold. */
struct rt_facts fe_rule_facts(const struct fe_rule *r,
                              const struct fe_set *from,
                              const struct fe_set *to);

/* A width that is wanted, as large as any is if there is none so large. */
static inline int
fe_halo_width(int64_t n) {
  return n > INT32_MAX ? INT32_MAX : n < -INT32_MAX ? -INT32_MAX : (int)n;
}

/* ---- box_parts.c: over ranks --------------------------------------------- */

/* Cut it between the ranks: b->cut. */
void fe_box_cut(struct fe_box *b);
/* What this rank has of the domain; all of it on one rank, or where each rank
 * declares everything. */
struct fe_area fe_box_part(const struct fe_box *b);
/* The places of elements of this rank's part of a set of points; of `rank`'s
 * part of points with this halo. */
struct fe_area fe_points_area(const struct fe_set *s);
struct fe_area fe_box_area(const struct fe_box *b, const struct fe_halo *h,
                           bool padded, int rank);
/* Place of element `number` of an area. */
struct fe_spot fe_spot_in(const struct fe_box *b, const struct fe_area *a,
                          int64_t number);
/* The number of the point at a spot, over all ranks; outside of the set, of the
 * nearest there is. *run: of how many from it on in the first dimension numbers
 * follow one another. */
idx_g fe_points_number(const struct fe_set *s, const struct fe_spot *p,
                       int64_t *run);
/* How many this rank has. ERR_ARG: too many */
status fe_points_count(const char *api, const char *name,
                       const struct fe_box *b, const struct fe_halo *h,
                       bool padded, idx_l *out);
/* fe_set_part of the box's points, or of its plane: they stay where the grid of
 * ranks has them. Collective. */
status fe_points_part(const char *api, struct fe_set *s, const struct fe_box *b,
                      status st);
/* The rank that has the point of which element `number` of this rank's part is
 * one; *there: its element. */
int fe_point_owner(const struct fe_set *s, int64_t number, idx_g *there);

/* ---- box_layers.c -------------------------------------------------------- */

/* The domain's points by their place in the last dimension: layers, of all
 * ranks. */
static inline idx_l
fe_box_layers(const struct fe_box *b) {
  return b->n[b->ndim - 1];
}
/* Points of a layer in this rank's part, whose first layer is fe_box_part's:
 * number of (p, l) = p + l * fe_box_plane_size; 0: there are no layers. */
static inline idx_l
fe_box_plane_size(const struct fe_box *b) {
  struct fe_area a = fe_box_part(b);
  int64_t n = fe_box_layers(b) ? b->colours : 0;
  for (int d = 0; d < b->ndim - 1; d++) n *= a.hi[d] - a.lo[d];
  return (idx_l)n;
}
/* A hidden set of so many elements, the columns of the box; made once. */
status fe_box_plane(const char *api, const struct fe_box *box,
                    struct fe_set **out);
/* Does it lead from each point to itself? */
bool fe_map_is_here(const struct fe_map *m);
/* What the loop's layer argument on box b needs beyond the domain in its last
 * dimension: in the halo, where the element's own layer is in the domain. Less
 * than none on a side that it leads away from. */
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
