/* A random program as data: declarations, and a list of operations. Tables and
 * initial values are formulas, so that a program is small, prints as C, and its
 * sets can be made smaller.
 */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include "rows.h"

/* table[e][j], n elements from, m to (MAP_...):
 *   SHIFT  (e + a + j) % m            injective in each entry if n <= m
 *   SPREAD (e * arity + j + a) % m    no target shared if n * arity <= m
 *   PARTS  (e / (a % 7 + 2) + j) % m  many to one, neighbours
 *   HASH   scattered, many to one
 *   ROWS   (e + a) % m                each row names one target only
 * Rows of any length have j of 0 to arity - 1, and up to two more, which kernels
 * are handed and leave alone. */
enum map_kind {
  MAP_SHIFT,
  MAP_SPREAD,
  MAP_PARTS,
  MAP_HASH,
  MAP_ROWS,
  MAP_KINDS,
  /* made of maps before it: `first`, then `then`; `first` with its entries turned
   * by a */
  MAP_COMPOSED = MAP_KINDS,
  MAP_PERMUTED,
  /* from columns, or a subset of them, after the map `first` between their bases
   * (-1: none); `to` are columns or, where layers meet, a base: columns.h */
  MAP_COLUMNS,
  /* local matrices after the maps `first` of rows and `then` of columns, to a set
   * of nonzeros: matrices.h */
  MAP_LOCAL,
  /* offsets in a box; the table of the rule `first`: boxes.h; neighbours in an
   * icosahedral grid: grids.h */
  MAP_RULE,
  MAP_TABLE,
  MAP_GRID
};

struct pmap {
  int from, to, arity; /* sets */
  enum map_kind kind;
  int a;
  int first, then;
  bool csr; /* rows have their own lengths: map_length */
};
enum { BOX_DIMS = 4 };
enum { REGION_BOTTOM = 1, REGION_TOP, REGION_INTERIOR };
/* How a set is made. It is a subset if `of` >= 0: of each `step` elements of that set
 * (before it) the first `width`, or, counted from the back, the last; or with
 * `region` that one of the columns `of`. It has columns if `over` >= 0, their base:
 * all of `layers`, or, with `vary`, of 0 to so many. */
struct pmade {
  int of, step, width;
  bool back;
  int region;
  int over, layers, vary;
  bool nonzeros; /* of a sparsity */
  /* a box of `ndim` dimensions; or all points of `box` with this halo, below and above
   * in each, which only dats lie on */
  int ndim, n[BOX_DIMS];
  bool turns[BOX_DIMS]; /* periodic */
  int colours; /* of a grid: elements at each point; 0: it is no grid */
  int like;    /* n and turns are those of set like - 1; 0: its own */
  bool points;
  int box, halo[2 * BOX_DIMS];
};
/* Nonzeros are those of pairs of maps, each a MAP_LOCAL. */
struct psparsity {
  int set, rdim;
  int pairs[2], npairs;
  int64_t *keys; /* by program_settle: row * columns + column, ascending */
  int nkeys;
};
struct pdat {
  int set, dim;
  char type;
  int fill;  /* of value_of; 0: declared with NULL, zeros */
  bool temp; /* declared and freed by operations */
  bool soa;  /* declared as "type:soa" */
  int over;  /* lies in the memory of this dat (op_decl_dat_overlay); -1 */
};
/* Of a box's last dimension: levels.h */
struct paxis {
  int set, nsplitters, limit;
};
struct pgbl {
  int dim, fill;
  char type;
  bool handle;
  int over; /* raw: lies in the memory of this one; -1 */
  int at;   /* ... from this value on, which may be its end */
};

/* fields of struct op that an operation uses, besides `what` */
enum op_kind {
  DO_LOOP,      /* row, what = set, args, order: a scan's */
  DO_FLUSH,     /* */
  DO_FETCH,     /* what = dat */
  DO_FETCH_IDX, /* dat, x = low, y = high; cut to the set */
  DO_VIEW,      /* dat */
  DO_SYNC,      /* dat: and dat->data read */
  DO_GET_DATA,  /* dat: op_mpi_get_data */
  DO_PRINT,     /* dat: op_print_dat_to_binfile, read back */
  DO_EDIT,      /* dat, x = fill, y = stride: through op2_dat_data_rw */
  DO_UPLOAD,    /* dat, x = fill, y = stride: dat->data, upload; sync before it
                   if y > 1, all of it is written if not */
  DO_PUT,       /* dat, x = fill: op_mpi_put_data */
  DO_TEMP,      /* dat: declared */
  DO_FREE,      /* dat: freed */
  DO_POKE,      /* gbl, x = fill: the program's own write, or op2_gbl_set */
  DO_GET,       /* gbl */
  DO_RENEW,     /* gbl, x = fill: op2_free_gbl, and declared again */
  DO_CONST,     /* what = which constant, x = value */
  DO_DEFER,     /* what = on or off: op2_defer_globals */
  DO_WRONG,     /* row, what, args: a call that is refused; x = how wrong */
  DO_ASK,       /* what = a question that changes nothing */
  DO_PLACE,     /* what = axis, x = formula of axis_position */
  DO_LEVELS,    /* levels, row of the first, what = box, x = axis, y = may there
                   be gaps, order, args */
  DO_MULT,      /* what = matrix, x, y = dats */
  DO_MULT_TURNED,  /* the same with the transpose */
  DO_ZERO,         /* matrix */
  DO_ZERO_ROWS,    /* matrix, x = diagonal, y = set of rows + 1, or 0 */
  DO_SET_DIAGONAL, /* the same */
  DO_MASK,         /* matrix, x, y = sets of rows, of columns + 1, or 0 */
  DO_KINDS
};

struct parg {
  bool off;
  int obj; /* dat or gbl; -1 */
  int map; /* -1: none */
  int idx; /* entry of the map */
  bool layered;
  int layer; /* ... the element's in another layer of its column */
};
enum scan_order { ORDER_NONE, ORDER_FORWARD, ORDER_BACKWARD };
/* A kernel and the interval in which it holds, both ends included: splitters and
 * offsets. */
struct plevel {
  const struct row *row;
  int from[2], to[2];
};
struct op {
  enum op_kind kind;
  int what, x, y;
  int site; /* the same statement of the source: its line number */
  const struct row *row;
  struct parg *args;
  int nargs;
  enum scan_order order;
  struct plevel *levels;
  int nlevels;
  bool layered; /* a loop of a DO_LEVELS: over layers lo to hi */
  int lo, hi;
};

struct program {
  uint64_t seed;
  int *sets; /* sizes */
  struct pmade *made;
  struct pmap *maps;
  struct psparsity *sparsities;
  struct pdat *dats;
  struct pgbl *gbls;
  struct paxis *axes;
  struct op *ops;
  int nsets, nmade, nmaps, nsparsities, ndats, ngbls, naxes, nops;
};

struct program *program_new(void);
struct program *program_clone(const struct program *p);
void program_free(struct program *p);
/* Without operation k. */
void program_drop(struct program *p, int k);
void op_copy(struct op *to, const struct op *from);
void op_clear(struct op *o);
/* Kernel k of a loop, or of one over levels; NULL: it has no more. */
const struct row *op_row(const struct op *o, int k);

/* The same with independent neighbouring loops in another order. */
struct program *program_permute(const struct program *p);

/* Sizes of subsets, sets and arities of made maps from what they are made of.
 * False: some fit no longer together. */
bool program_settle(struct program *p);
/* The set itself, or of a subset its whole set; may a loop over set `s`, or a map
 * to it, reach data on set `to`? */
int set_whole(const struct program *p, int s);
bool set_is_made(const struct program *p, int s); /* of others */
bool set_reaches(const struct program *p, int s, int to);
/* Element e of a subset, in the set that it is of; in its whole set. */
int subset_index(const struct program *p, int s, int e);
int set_element(const struct program *p, int s, int e);

/* Entry of a row that is entry i of a MAP_PERMUTED. */
int permuted_entry(const struct pmap *m, int i);
int map_entry(const struct program *p, int map, int e, int j);
/* May an argument of this parameter go by the map? */
bool map_serves(const struct pmap *map, const struct param *m);
/* Entries of row e of a map with `csr`; at most. */
int map_length(const struct pmap *m, int e);
int map_longest(const struct pmap *m);
/* Value number i of a formula: initial data, host writes. */
union cell value_of(char type, int fill, int i);

/* The elements of an DO_FETCH_IDX on a set of n >= 1: from included, to not. */
void fetch_bounds(const struct op *o, int n, int *from_out, int *to_out);

/* The dat in whose memory this one lies: itself, unless it is an overlay. */
int dat_root(const struct program *p, int dat);

/* The global in whose memory this one lies; values that this memory holds. */
int gbl_root(const struct program *p, int gbl);
int gbl_room(const struct program *p, int gbl);
/* Do two of them share values? */
bool gbls_meet(const struct program *p, int x, int y);

/* A host write that doesn't look first. */
bool write_is_blind(const struct op *o);

/* Do two arguments of the loop share values of a global, and one writes there? */
bool op_shares_global(const struct program *p, const struct op *o);

/* Does the library deliver this argument to the program's memory? */
bool arg_is_raw(const struct program *p, const struct op *o, int a);

#endif
