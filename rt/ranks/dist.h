/* Sets over ranks: who owns which element, what lies around it, and how values
 * reach those who need them. doc/mpi.md has the picture.
 *
 *   L_0      elements that this rank owns
 *   L_2j+1   L_2j and all elements that name one of L_2j in a row of some map
 *   L_2j+2   L_2j+1 and all elements that rows of L_2j+1 name
 *
 * (ir/extent.c has the algebra of these levels). Here an element has a local
 * number, in this order:
 *
 *   core | rest of L_0 | L_1 \ L_0 | L_2 \ L_1 | ... up to an even level
 *
 * so that what a loop executes is a prefix. Core elements name owned ones only:
 * they can run while values of others are on their way. Inside each of these
 * the order is that of global numbers, or one that walks through the mesh
 * (part_order.c); in L_0 the deepest come first (part_depth.c), so that what is
 * so deep inside that several loops can run there before any values come is a
 * prefix, too.
 *
 * A set's elements have global numbers, those of the declaration: the ranks'
 * declared parts one after another. */
#ifndef RT_DIST_H
#define RT_DIST_H

#include "base/err.h"
#include "base/types.h"
#include "base/reach.h"
#include "rt/mesh/order.h"

struct rt_comm;

enum { RT_FAR = 255 };

/* Elements that one rank has from another: where they lie, their level there,
 * and the least level that has an element which names them (RT_FAR: none). Both
 * sides list them in the same order. */
struct rt_link {
  int peer;
  idx_l n;
  idx_l *at;
  uint8_t *level, *via;
};

/* One set over the ranks. */
struct rt_part {
  idx_g total;        /* elements of all ranks */
  const idx_g *start; /* [ranks + 1]: declared parts */
  idx_l declared;     /* elements of this rank's */
  int *to;            /* [declared]: who shall own each; NULL: this rank */
  bool stays;         /* partitions leave `to` as it is */
  /* what rt_dist_make finds */
  bool moved; /* some rank owns others than it declared */
  idx_l core, owned, n;
  idx_l deep[DEPTH_MAX + 1]; /* [k], k > 0: those of depth k at least, the first
                                 ones; for k > deepest: 0 */
  int deepest;               /* no depth is larger; at least 1 */
  idx_l *place; /* [owned]: an element's place where they do not lie by depth;
                   NULL: the same */
  idx_l level[REACH_MAX + 1]; /* elements of L_k */
  idx_g most[REACH_MAX + 1];  /* of that rank that has most */
  idx_g *global;              /* [n] */
  idx_l *sorted;              /* [owned]: local numbers by global ones */
  struct rt_link *in, *out;
  uint32_t nin, nout;
  /* between declared and owned elements, if some moved: by_owner lists the
   * declared by their owner; they arrive in the order of global numbers */
  idx_l *by_owner;
  size_t *given, *got;    /* [ranks] */
  struct rt_lists *lists; /* halo.c */
  uint32_t nlists, caplists;
};

/* Each declared row's entries are global numbers. Rows of any length are
 * written with -1 behind the shorter ones, also while they travel. */
struct rt_dist_map {
  uint32_t from, to; /* numbers of parts */
  uint32_t arity;    /* of the longest row, over all ranks */
  bool own;          /* rows have their own lengths */
  const idx_g *rows; /* [declared of from, arity] */
  int turn; /* parts follow others (partition.h) by maps of turn 0 as far as
               these lead, then by one of turn 1, and so on, up to 2 */
  /* what rt_dist_make finds */
  idx_l *table;         /* GIVE [n of from, arity]: local numbers; rows of the
                   last level name the last target (of rt_dist_fit: 0), of a map
                   to the same set themselves, so that who numbers anew by rows
                   moves few others */
  int64_t *table_start; /* GIVE; `own`: where rows begin in the table, which has
                           no more than their entries, none in the last level */
  bool onto, injective, repeats; /* over all ranks */
};

/* Rows of global numbers lie one behind the other; these alone know how. */
struct rt_dist_row {
  const idx_g *at;
  uint32_t n;
};
static inline struct rt_dist_row
rt_dist_row(const struct rt_dist_map *m, const idx_g *rows, size_t e) {
  struct rt_dist_row row = {rows + e * m->arity, m->arity};
  while (m->own && row.n && row.at[row.n - 1] < 0) row.n--;
  return row;
}
/* Places of n rows: entries, of rows of any length at most. */
static inline size_t
rt_dist_places(const struct rt_dist_map *m, size_t n) {
  return n * m->arity;
}
/* dist_rows.c: room for the table of a part of n elements, zeros. Rows whose
 * entries are known: those of elements at[0 .. nat), and `more`, of elements
 * from nat on. */
void rt_dist_table_new(struct rt_dist_map *m, idx_l n, const idx_g *rows,
                       idx_l nat, const idx_l *at, const idx_g *more,
                       idx_l nmore);
void rt_dist_table_free(struct rt_dist_map *m);
static inline idx_l *
rt_dist_table_row(const struct rt_dist_map *m, idx_l e) {
  return m->table + (m->own ? (size_t)m->table_start[e] : (size_t)e * m->arity);
}

/* dist_rows.c: rows made from declared ones, in memory of the caller. The n
 * rows of m with entry perm[i] in place i; local. */
void rt_dist_permuted(const struct rt_dist_map *m, idx_l n, const int *perm,
                      idx_g *out);
/* out[n, a->arity * b->arity]: of each of a's n rows the rows of b that it
 * names, one after another, -1 behind the last if one of them has rows of any
 * length; `through`: the part that b begins at. `here`: those
 * are this rank's own, and nobody is asked; else collective. ERR_MPI */
status rt_dist_composed(struct rt_comm *c, const struct rt_part *through,
                        const struct rt_dist_map *a, idx_l n,
                        const struct rt_dist_map *b, bool here, idx_g *out);

struct rt_dist {
  struct rt_comm *comm;
  struct rt_part *parts;
  struct rt_dist_map *maps;
  uint32_t nparts, nmaps;
  int depth; /* the last level, even */
};

/* Fill in what is to be found; collective. cost some ten messages to each
 * neighbour, and memory for each entry of the maps while it runs. ERR_MPI */
status rt_dist_make(struct rt_dist *d);
void rt_part_clear(struct rt_part *p);

/* dist_fit.c: one more map, between parts that rt_dist_make spread to `depth`.
 * *fits: all that loops through it need is there, on all ranks, and m has what
 * rt_dist_make finds of maps; otherwise nothing has changed. m->from, m->to are
 * not looked at. Collective. cost a few messages to each neighbour. ERR_MPI */
status rt_dist_fit(struct rt_comm *c, const struct rt_part *from,
                   const struct rt_part *to, int depth, struct rt_dist_map *m,
                   bool *fits);

/* part_order.c: after rt_dist_make, what each map's entries cost (rt_locality),
 * and 1 + how far its rows drift where both ends are in the core (0: not
 * known); new numbers inside each level. bytes[s]: of an element of part s,
 * which keeps its numbers if settled[s]. Local. ERR_MEMORY, and nothing has
 * changed */
struct rt_dist_ordered {
  uint32_t sets; /* that got new numbers */
  double after;  /* rt_locality */
};
void rt_dist_measure(const struct rt_dist *d, double *locality,
                     uint32_t *drift);
status rt_dist_order(struct rt_dist *d, enum rt_renumber_by by,
                     const uint64_t *bytes, const bool *settled,
                     struct rt_dist_ordered *out);

/* part_numbers.c: the element of part s that row[s][i] was gets number i; NULL:
 * numbers stay. Local. */
void rt_dist_renumber(struct rt_dist *d, idx_l *const *row);

/* part_depth.c: after that, numbers by depth in L_0 of the parts of which
 * by_depth[s], to the depth that most elements have, or any has. Local. cost a
 * few passes over all tables */
void rt_dist_deepen(struct rt_dist *d, const bool *by_depth, bool any);

/* Values of the declared part, `bytes` each, to the owners, in the order of
 * p->sorted; and back. Collective. */
status rt_part_give(struct rt_comm *c, const struct rt_part *p,
                    const void *declared, size_t bytes, void *owned);
status rt_part_return(struct rt_comm *c, const struct rt_part *p,
                      const void *owned, size_t bytes, void *declared);

/* Who declared global element g. */
int rt_part_home(const struct rt_part *p, int ranks, idx_g g);
/* Who shall own each of them, as p->to says there. Collective. */
status rt_part_owners(struct rt_comm *c, const struct rt_part *p, size_t n,
                      const idx_g *g, int *out);

/* ---- ask.c: questions between ranks ------------------------------------- */

/* Question i goes to rank to[i]; `answer` fills in `bytes` for it there; the
 * answers come back in order. Collective. */
typedef void rt_answer(void *user, idx_g question, void *out);
status rt_ask(struct rt_comm *c, size_t n, const int *to, const idx_g *question,
              rt_answer *answer, void *user, size_t bytes, void *out);

/* Items of `bytes` go to the ranks to[i]; what arrives is GIVE, counts by rank
 * in `counts` [ranks]; *n_out in all. Items for one rank stay in order. */
status rt_send_items(struct rt_comm *c, size_t n, const int *to,
                     const void *items, size_t bytes, void *recv_out,
                     size_t *counts, size_t *n_out);

/* n items of this rank, the same to each of the first `to` ranks. What arrives
 * is GIVE, by rank; *n_out in all. */
status rt_tell(struct rt_comm *c, int to, const void *items, size_t n,
               size_t bytes, void *recv_out, size_t *n_out);

/* ---- blocks.c: rows that lie anywhere, as one block on each rank --------- */

/* Of n rows rank r's block is [rt_block_begin(n, ranks, r), ... r + 1); whose
 * block a row is in. */
idx_g rt_block_begin(idx_g n, int ranks, int rank);
int rt_block_of(idx_g n, int ranks, idx_g row);
/* Element e of this rank's m has row[e], 0 <= row[e] < n. Collective. ERR_MPI
 */
struct rt_blocks;
status rt_blocks_new(struct rt_comm *c, idx_g n, size_t m, const idx_g *row,
                     struct rt_blocks **out);
void rt_blocks_free(struct rt_blocks *b); /* NULL is allowed */
/* row[e] of this rank's elements again. Local. */
void rt_blocks_rows(const struct rt_blocks *b, idx_g *out);
/* Values of the elements, `bytes` each, to the blocks; rows that no element has
 * stay as they are. And back. Collective. ERR_MPI */
status rt_blocks_collect(const struct rt_blocks *b, const void *values,
                         size_t bytes, void *block);
status rt_blocks_spread(const struct rt_blocks *b, const void *block,
                        size_t bytes, void *values);
/* Those of rows [lo, hi) to all ranks; each has a row at most once. */
status rt_blocks_range(const struct rt_blocks *b, idx_g lo, idx_g hi,
                       const void *values, size_t bytes, void *out);

/* ---- halo.c: values to those who have copies ---------------------------- */

struct rt_buf;
/* Make the buffer's values right as far as `want`. */
struct rt_halo_item {
  struct rt_buf *buf;
  struct rt_part *part;
  struct reach want;
};
/* One message to and from each neighbour for all items; what is right already
 * does not go. start gives the values away, finish puts those that came where
 * they belong: in between the buffers' owned elements may be read only. */
struct rt_halo;
struct rt_halo *rt_halo_new(struct rt_comm *c);
void rt_halo_free(struct rt_halo *h);
/* Before parts change: what is kept of repeated exchanges goes. NULL is
 * allowed. */
void rt_halo_forget(struct rt_halo *h);
/* Between runs: of exchanges that did not come since the last sweep. NULL is
 * allowed. */
void rt_halo_sweep(struct rt_halo *h);
status rt_halo_start(struct rt_halo *h, const struct rt_halo_item *items,
                     uint32_t n);
status rt_halo_finish(struct rt_halo *h);
void rt_lists_clear(struct rt_part *p);

#endif
