/* Numbering of elements: how good it is, and better ones: renumber.c. */
#ifndef RT_ORDER_H
#define RT_ORDER_H

#include "base/err.h"
#include "base/types.h"

struct rt_relation;
struct rt_set;

/* What each entry of these maps costs while the elements of `from` go by in
 * their order: distinct cache lines (of LINE elements) over entries, in windows
 * of consecutive elements; 0 none, 1 each entry a line of its own. Weighted by
 * entries. cost a sample of at most some ten thousand entries a map */
double rt_locality(const struct rt_relation *const *maps, uint32_t nmaps);

enum rt_renumber_by { RT_RENUMBER_RCM, RT_RENUMBER_BISECT };

/* A set of a mesh to be numbered. */
struct rt_mesh_set {
  const struct rt_set *set;
  uint64_t bytes; /* of an element's values: what a bad numbering would move */
  bool settled;   /* keeps its numbers; others go by them */
  idx_l *row;     /* out, GIVE: row[e] is the current number of what becomes e;
                     NULL: as it is */
};

/* Number the sets that are not settled. Maps of other sets are left out. cost
 * some ten passes over the maps' entries, in bad order. ERR_MEMORY */
status rt_renumber(struct rt_mesh_set *sets, uint32_t nsets,
                   const struct rt_relation *const *maps, uint32_t nmaps,
                   enum rt_renumber_by by);

/* The table of `m` for the orders that its sets have now, from the program's:
 *   table[e][i] = at( given[row(e)][i] )
 * with the program's numbers in it if `named`. `out` has room for all entries.
 * Rows of any length begin at start[e] of what is given, and at out_start[e]
 * then, which has room for from->n + 1. */
void rt_relation_translate(const struct rt_relation *m, const idx_l *given,
                           const int64_t *start, bool named, idx_l *out,
                           int64_t *out_start);

/* ---- rt/mesh/graph.c ----------------------------------------------------- */

/* Two elements are linked if a row of a map names both (for a map of a set to
 * itself the row's own element is named, too).
 * list[start[e] .. start[e+1]): elements linked to e, some perhaps twice. */
struct rt_graph {
  idx_l n;
  int64_t links;
  int64_t *start;
  idx_l *list;
};

/* Over the elements of `set`, from those of the maps that link some there
 * (rt_graph_links). */
status rt_graph_make(const struct rt_set *set,
                     const struct rt_relation *const *maps, uint32_t nmaps,
                     struct rt_graph *out);
void rt_graph_clear(struct rt_graph *g);
/* Does this map link elements of `set`? */
bool rt_graph_links(const struct rt_relation *m, const struct rt_set *set);

/* row[0 .. n): the elements in reverse Cuthill-McKee order, component by
 * component. */
status rt_graph_rcm(const struct rt_graph *g, idx_l *row);
/* ... by recursive bisection: halves of a breadth-first order, halved again. */
status rt_graph_bisect(const struct rt_graph *g, idx_l *row);

#endif
