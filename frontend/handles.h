/* What stands behind OP2's handles: sets, maps, dats, globals. */
#ifndef FRONTEND_HANDLES_H
#define FRONTEND_HANDLES_H

#include "base/arena.h"
#include "rt/mesh/relation.h"
#include "rt/store/store.h"

#define OP2_NO_MACROS 1
#include "op2.h"

struct fe_call;
struct fe_columns;
struct fe_sparsity;
struct rt_blocks;

/* Widths on both sides of each dimension: [2 * d] below, [2 * d + 1] above. */
enum { FE_BOX_DIMS = 4, FE_BOX_SIDES = 2 * FE_BOX_DIMS };
struct fe_halo {
  int at[FE_BOX_SIDES];
};

/* Hidden, of a set of columns or a subset of it: each element to its column's
 * element so many layers higher. */
struct fe_shift {
  struct fe_map *map;
  int layers;
  bool scan; /* elements without such a layer name themselves */
};

/* Rows of a scan of a set (scan.c): in this order, those of its elements that
 * have layers `low` to `high` around them. */
struct fe_scan {
  struct fe_map *rows;
  int order, low, high;
};

/* The public struct comes first, so a handle converts by a cast once
 * fe_handle_is has said that it is one of ours. */

struct fe_set {
  struct op_set_core pub;
  struct rt_set rt;  /* rt.order is ours */
  bool fixed;        /* holds memory of the program, or loops go over its
                        points: keeps its numbers */
  bool hidden;       /* the library's: programs and files know nothing of it */
  bool settled;      /* number.c has decided */
  uint32_t numbered; /* IR_SET_RCM, IR_SET_BISECT, IR_SET_SPACED, as traces
                        say; 0 */
  struct rt_part *part; /* over ranks; rt.part once it is spread */
  uint32_t tag;         /* in traces: place in fe_all.set_tags */
  bool freed, gone;     /* no handle; and not in fe_all.sets: graves.c */
  uint64_t called;      /* at this marking (graves.c) calls knew it last */
  bool waits;           /* loops that wait do */
  /* of a subset (api_subsets.c) */
  struct fe_set *whole; /* set that its indices count in, no subset; NULL */
  struct fe_map *into;  /* hidden: to that set, row e is element list[e] */
  idx_l *list;          /* of the declared part; ascending, each once */
  struct fe_columns *columns;   /* of a set of columns (columns.h); NULL */
  VEC(struct fe_shift, shifts); /* of these and of subsets of them */
  VEC(struct fe_scan, scans);   /* likewise */
  /* of the points of a box, or grid (box.h) */
  const struct fe_box *box; /* NULL: it is none */
  struct fe_halo halo;      /* that they have around the domain */
  idx_l lowest,
      highest; /* of a subset: layers of all its points; none: 0, -1 */
  bool padded; /* over ranks, with points of others around them */
  struct fe_ghosts *ghosts; /* which of them are, one block of memory; NULL */
  const struct fe_sparsity *sparsity; /* whose nonzeros they are; NULL */
  struct rt_blocks *blocks; /* rows of files (row_order.c), once one was asked
                               for; NULL */
};

/* Where an entry leads from the elements that rows name, if equally far from
 * all (rt_rows_shift); by versions of both relations. */
struct fe_along {
  uint64_t rows, own;
  uint32_t entry;
  int32_t shift;
};

struct fe_map {
  struct op_map_core pub; /* pub.map: the program's numbers */
  uint32_t tag;           /* in traces: place in fe_all.map_tags */
  bool freed, gone;       /* as a set's */
  uint64_t called;        /* as a set's */
  bool waits;
  bool made;   /* by the library, from others' rows; over ranks it may come when
                  sets have moved */
  bool hidden; /* no program has its handle; pub.index is -1 */
  VEC(struct fe_map *, through); /* hidden ones: rows of .then of its targets */
  struct fe_map *first, *then;   /* of a hidden one that is made of two */
  struct rt_relation rt;         /* rt.table is that, or, renumbered, our own */
  int64_t *start;                /* of rows of any length: where they begin in
                                    pub.map; rt.start so or renumbered; NULL */
  idx_l shortest;                /* of these; the longest is pub.dim */
  uint64_t stretched;            /* the version of rt that stretches, steps and
                                    runs were looked for in; 0 */
  struct rt_column_layers layers; /* that rows go along; height 0: none */
  struct rt_runs runs;            /* none where nobody asks */
  uint32_t usual;   /* the length that most of its rows have; 0: none */
  uint32_t drift;   /* 1 + the largest of its margins, 0: not known; */
  uint64_t drifted; /* of this version of rt */
  uint64_t starts;  /* csr rows of `from` that have the same number begin at the
                      same places; 0: not csr */
  VEC(struct fe_along, along); /* of rows that it was followed from */
  struct rt_relation rows;     /* its inverse, once a program needs it, and */
  uint32_t rows_at;            /* in fe_all.inverted, of those that have rows */
  bool rows_kept;              /* in a sweep: one still does */
  bool onto, injective, repeats;
  bool column;               /* stays in a column: IR_MAP_COLUMN */
  bool foreign;              /* the table is the user's own memory */
  size_t bytes;              /* of pub.map */
  idx_g *declared;           /* over ranks: this rank's rows, global numbers,
                                pub.dim each; -1 behind shorter ones */
  uint64_t rows_said;        /* a hash of them */
  const void *declared_from; /* the program's pointer at the declaration */
  struct fe_rule
      *rule; /* of a handle of a rule (box.h), which has no table, tag
                           or place in fe_all; NULL */
  const struct fe_rule *by; /* whose table it is, hidden; NULL */
  bool lines; /* its stretches are those of the rule, not of the table */
};

struct fe_dat {
  struct op_dat_core pub;
  struct rt_dat rt;
  struct type type;
  uint32_t index;   /* in fe_all.dats; the tag in traces */
  uint32_t root;    /* storage that it shares: index of a dat; itself */
  bool pinned;      /* in the user's memory, an overlay, or mirror mode */
  bool temp, freed; /* freed: handle is void, pending loops may still use it */
  bool inner;       /* the library's: others may have its name */
  struct fe_dat *base; /* of an overlay: whose memory it lies on; NULL */
  uint32_t overlays;   /* on this one's memory, not parked */
  uint64_t born;       /* in the order of declarations */
  bool auto_layout;    /* pass layout chooses `block` */
  uint32_t block;      /* rt.shape.block, kept while parked */
  bool called;         /* calls or programs may know the slot by this shape */
  bool by_rows;        /* a call used it an element at a time (layout.c) */
  bool parked;      /* all loops ran: the slot waits for a like declaration */
  bool written;     /* since its declaration, also by pending loops */
  bool undecided;   /* ... and in fe.checkpoint */
  char *void_since; /* checkpoint that it has had no values since; NULL */
  char *lost;       /* why it has no values: what a run failed of; NULL */
  status lost_by;   /* ... as a status */
  bool filled;      /* ghosts in the mirror are what their owners have there */
  bool viewed;      /* op2_dat_data_rw gave its mirror out, to be written */
  bool held;        /* the program keeps a pointer to its mirror: mirror.c */
  uint64_t used_in, written_in; /* recordings whose loops were the last to: see
                                   fe_waits */
  const void *declared_from;    /* the program's pointer at the declaration */
  /* of a temporary of a box (box_loops.c) */
  bool spreads;        /* loops that write it run over its halo, too */
  struct fe_halo made; /* how far around the domain it has its values */
  char *short_of;      /* why no further; NULL */
};

struct fe_gbl { /* op2_gbl */
  char *name;
  struct type type;
  uint32_t dim, index;
  void *data; /* value after all that ran, but for what a device has */
  size_t bytes;
  struct rt_cell cell;
  bool freed, parked;
  bool called; /* as a dat's */
  char *lost;  /* as a dat's */
  status lost_by;
  uint64_t used_in; /* as a dat's */
  uint64_t born;    /* as a dat's */
};

/* All of them, and how many dats and globals have no values (void.c). */
extern struct fe_all {
  VEC(struct fe_set *, sets);
  VEC(struct fe_map *, maps);
  VEC(struct fe_set *, set_tags); /* by tag, with those that only calls know; */
  VEC(struct fe_map *, map_tags); /* NULL: the tag is free */
  VEC(uint32_t, free_set_tags);
  VEC(uint32_t, free_map_tags);
  VEC(struct fe_map *, ended); /* maps that the next ones lie in: op_arg_dat
                                  looks at map->map before anybody checks */
  uint64_t marking; /* of what calls know: how often that was begun */
  VEC(struct fe_map *, gone_maps); /* not in these lists, but calls know them */
  VEC(struct fe_set *, gone_sets);
  uint32_t dying; /* sets and maps that were freed, and are in these lists */
  VEC(struct fe_map *, inverted); /* a sweep goes over these, not all maps */
  VEC(struct fe_dat *, dats);
  VEC(struct fe_gbl *, gbls);
  /* the same in the order of their declarations, which is one for all ranks:
     their places above are not, where slots of freed ones are ready sooner on
     some (slots.c). What takes all ranks goes by these */
  VEC(struct fe_dat *, aged);
  VEC(struct fe_gbl *, aged_gbls);
  uint64_t born; /* declarations so far, op_exit or not */
  uint32_t nvoid;
} fe_all;

/* ---- void.c: dats and globals without values ---------------------------- */

/* May this loop be recorded? It must write the void dats it uses, in full; then
 * they are no longer void. */
status fe_void_check_loop(const struct fe_call *c);
status fe_void_check(const char *api, const struct fe_dat *d);
void fe_void_clear(struct fe_dat *d);
/* It has none since this checkpoint. */
void fe_void_since(struct fe_dat *d, const char *path);

/* Number the way dats share buffers now; into fe.state_id. */
void fe_state_update(void);
/* layout.c: may the library choose layouts? */
bool fe_layout_free(void);

/* ---- slots.c ------------------------------------------------------------ */

/* The next number of a declaration, for `born`. */
uint64_t fe_born_next(void);
/* x, one of the pointers all[0, n), becomes their last. */
void fe_aged_last(void *all, uint32_t n, const void *x);
/* What calls and programs know of a dat: slots alike in it may be exchanged. */
struct fe_like {
  op_set set;
  int dim;
  struct type type;
  const char *type_name;
  bool temp;
  struct fe_dat *base; /* an overlay's; NULL */
};
/* A parked slot that calls know; NULL: none. */
struct fe_dat *fe_slot_like(const struct fe_like *l);
/* `made` (storage, layout, pinned) becomes a dat, in this slot (NULL: one that
 * nobody knows). It
 * shares no root yet, and its handle is not valid yet. */
struct fe_dat *fe_slot_take(struct fe_dat *slot, const struct fe_like *l,
                            const char *name, const struct fe_dat *made);
/* A pinned dat shares the roots of all that it overlaps. ERR_DEVICE */
status fe_slot_join(struct fe_dat *d);
/* A freed dat that no pending loop uses: its memory goes, unless overlays hold
 * it, and the slot waits. */
void fe_slot_park(struct fe_dat *d);
/* The layout of a dat of these components. */
uint32_t fe_slot_block(int dim, bool soa);
/* At op_exit. */
void fe_slot_clear(struct fe_dat *d);

/* ---- graves.c: sets and maps come and go --------------------------------- */

/* It is listed, and gets a tag. */
void fe_set_list(struct fe_set *s);
void fe_map_list(struct fe_map *m);
/* Freed sets and maps that no waiting loop uses leave the lists, and memory. */
void fe_graves_dig(void);
/* Hidden maps that are made of, or begin at, what was freed are freed, too. */
void fe_graves_follow(void);
/* Memory of a map that ended, or new; zeros. */
struct fe_map *fe_map_room(void);
/* Calls know its sets and maps. */
void fe_graves_note(const struct fe_call *c);
/* In a sweep: before calls note what they know; what is known no more goes. */
void fe_graves_unmark(void);
void fe_graves_sweep(void);

/* ---- handles.c ---------------------------------------------------------- */

/* All of a box temporary holds what the program put there. */
void fe_box_whole(struct fe_dat *d);

/* ---- boxes.c ------------------------------------------------------------ */

/* The map by which a loop over `set`, of points or a subset of a box, reaches
 * `to` through m (NULL: none): NULL where it is the element itself. `to` NULL:
 * the domain that a rule leads to. ERR_MEMORY */
status fe_box_path(struct fe_set *set, struct fe_map *m, struct fe_set *to,
                   struct fe_map **out);
/* box_layers.c: the map from points `from`, or a subset of a domain, to points
 * `to` of the box that lie `by` layers higher, by not 0. ERR_MEMORY, ERR_ARG */
status fe_box_shift(struct fe_set *from, int by, struct fe_set *to,
                    struct fe_map **out);
/* box_layers.c: which layers a subset of a box has, over all ranks; collective.
 */
status fe_box_subset_layers(struct fe_set *s);
/* Where entries [first, first + n), one at least, lie as seen from points of
 * any colour: from -at[2 d] to at[2 d + 1] in dimension d. In periodic ones
 * they stay in the domain. */
struct fe_halo fe_rule_span(const struct fe_rule *r, int first, int n);
/* How far they lie outside of a box, on each side: that, and 0 at least. */
struct fe_halo fe_rule_reach(const struct fe_rule *r, int first, int n);
/* Has it offsets in periodic dimensions? */
bool fe_rule_turns(const struct fe_rule *r);
/* A set of points, a table of a rule is at its end: so may be what they are
 * of. */
void fe_points_ended(struct fe_set *s);
/* A rule without a handle, of a relation to be: what rows of the second name,
 * of all that a row of the first names. */
const struct fe_rule *fe_rule_composed(const struct fe_rule *first,
                                       const struct fe_rule *then);
/* A relation of the rule ended, or came to nothing. */
void fe_rule_left(const struct fe_rule *r);
bool fe_rule_freed(const struct fe_rule *r);
/* The program freed the rule; the box that is the set's: its sets of points. */
void fe_rule_end(struct fe_rule *r);
void fe_box_end(struct fe_set *s);
/* A rule of the program's from or to the box; NULL: there is none. */
const char *fe_box_ruled(const struct fe_set *s);
/* Of points of a box: their dimensions, and the domain that they lie in or
 * around; 0, NULL: they are no points. */
int fe_points_of(const struct fe_set *s, struct fe_set **domain_out);
/* Are they one set, or points of one box with the same halo? Over ranks there
 * are two of these, with points of others around a part and without. */
bool fe_points_like(const op_set_core *a, const op_set_core *b);
/* How many there are with the halo, each once; row[e]: the place of element e
 * of this rank's declared part among them, in the order of one rank. */
idx_g fe_points_total(const struct fe_set *s);
void fe_points_rows(const struct fe_set *s, idx_g *row);
/* The number, over all ranks, that its owner has for the point of that row. */
idx_g fe_points_of_row(const struct fe_set *s, idx_g row);

/* ---- ghosts.c ----------------------------------------------------------- */

/* The dat's ghosts get their owners' values; its set is padded, its mirror
 * current. Collective. ERR_MPI */
status fe_ghosts_fill(struct fe_dat *d);

/* ---- columns.c ---------------------------------------------------------- */

/* What the set is columns of; NULL: it is none of columns. */
const struct fe_set *fe_columns_base(const struct fe_set *s);
/* Of a set of columns: elements of column b of the declared part. */
idx_l fe_column_length(const struct fe_set *s, idx_l b);
/* Do the set's elements lie over ranks by this map, as its columns do? */
bool fe_columns_lie_by(const struct fe_set *s, const struct fe_map *m);
/* How columns of the set lie, of a box as well, if all are alike; height 0:
 * they are not. */
struct rt_column_layers fe_columns_alike(const struct fe_set *s);

/* ---- tables.c ----------------------------------------------------------- */

/* A table, and where its rows begin if they have any length. */
struct fe_table {
  idx_l *at;
  int64_t *start;
};
void fe_table_free(const struct fe_map *m, struct fe_table *t);
/* The map's, in the orders that its sets have now; named: with the program's
 * numbers. ERR_MEMORY */
status fe_map_table(const struct fe_map *m, bool named, struct fe_table *out);
/* With numbers that sets have; none where these are the program's, or where the
 * map has no table yet. ERR_MEMORY */
status fe_map_table_at_need(const struct fe_map *m, struct fe_table *out);
/* TAKE t; nothing in it: the program's own. */
void fe_map_table_set(struct fe_map *m, struct fe_table t);
/* The table of a map just declared, in the orders that its sets have. */
status fe_number_map(struct fe_map *m);
/* Look for stretches and steps in its rows as they are now: m->rt has them. How
 * long stretches are on average, 0: there are none; bits of entries that are
 * still; by how much rows step, 0: they do not; along which layers. */
struct fe_rules {
  uint32_t stretch, still, usual;
  uint32_t run, run_entry; /* elements that name one target there; 0: none */
  int32_t step;
  bool beside, counts;
  uint64_t starts;                /* as a map's */
  struct rt_column_layers layers; /* height 0: none */
};
struct fe_rules fe_number_rules(struct fe_map *m);
/* Those of the relation of a rule, however short: a program that goes by them
 * was made before it. ERR_MEMORY */
status fe_number_stretches(struct fe_map *m);
/* 1 + the largest drift (rt/mesh/margins.h) of its rows as they are now; 0: not
 * known. cost a pass over them, once */
uint32_t fe_number_drift(struct fe_map *m);
/* Runs of its rows as they are now; none where nobody asks. cost a pass over
 * them for each entry, each time */
struct rt_runs fe_number_runs(const struct fe_map *m);
/* How far from each element that rows name its entry in m leads; 0: it is not
 * the same for all. */
int32_t fe_number_shift(struct fe_map *m, const struct fe_map *rows,
                        uint32_t entry);
/* A map's rows as they are, with the program's numbers; made at need. */
status fe_number_named(struct fe_map *m);
/* The rows of its inverse, in the order of the program's elements (m->rows);
 * they go where its table does. ERR_MEMORY */
status fe_number_rows(struct fe_map *m);
/* Has it no table yet? Relations of rules, on one rank (rule_rows.c). */
static inline bool
fe_hollow(const struct fe_map *m) {
  return m->by && !m->pub.map && !m->declared && m->pub.from->size;
}
/* Write its table down, if it has none. ERR_MEMORY */
status fe_map_need(struct fe_map *m);
/* Rows that no program needs any more, in a sweep. */
void fe_number_rows_sweep(void);
/* A copy of `table`, and `start` of rows of any length, become what loops go
 * by. */
status fe_number_map_take(struct fe_map *m, const idx_l *table,
                          const int64_t *start);
/* Free the tables that are the library's own. */
void fe_number_map_clear(struct fe_map *m);
/* Give back the map's tables and rows; free what is left, too. */
void fe_map_drop(struct fe_map *m);
void fe_map_free(struct fe_map *m);
/* ---- number.c ----------------------------------------------------------- */

/* Before a call is recorded: number what is not settled, if it is time (moves:
 * it would gain). On failure nothing has changed. */
status fe_number(bool moves);
/* The set will hold memory of the program, or loops will go over its points:
 * back to the program's numbers. */
status fe_number_fix(struct fe_set *set);
/* Loops will go over the set, or maps lead from it: if it is points around a
 * domain their lines do not lie apart from now on. */
status fe_points_keep(struct fe_set *set);
/* May its numbers change still? Of points: may lines of them come to lie apart?
 */
static inline bool
fe_set_open(const struct op_set_core *handle) {
  const struct fe_set *s = (const struct fe_set *)handle;
  return !s->settled && !s->fixed;
}

/* numbering.c: the numbers that pass `number`, with this option `by`, gives
 * each set, as its word in traces (0: none); *how: an enum rt_renumber_by, < 0:
 * none gets any. locality[k]: of map k, < 0: not measured. sizes: those of the
 * sets' parts, each of which is numbered; NULL: the sets that are open.
 * lines[s]: of a set that is said to be spaced. */
status fe_numbering(const idx_g *sizes, const double *locality,
                    const uint32_t *drift, int by, uint32_t *said,
                    struct rt_spacing *lines, int *how);

#endif
