/* Several ranks: what the frontend does with sets, maps and dats that lie over
 * them. On one rank none of it does anything. doc/mpi.md tells the whole. */
#ifndef FRONTEND_RANKS_H
#define FRONTEND_RANKS_H

#include "base/err.h"
#include "base/types.h"

#define OP2_NO_MACROS 1
#include "op2.h"

struct fe_call;
struct fe_dat;
struct fe_map;
struct fe_map_args;
struct fe_set;
struct rt_comm;
struct rt_dist;
struct rt_halo;
struct reach;

extern struct fe_ranks {
  struct rt_comm *comm;
  int rank, size; /* size 1: alone */
  int local;      /* ranks before this one on the same machine */
  bool whole;     /* each rank declares everything, and sees it */
  bool respread;  /* all anew, even if maps fit: a spread failed, op_renumber */
  int level;      /* of halos: the last, even */
  uint32_t maps_spread;   /* of maps: those with tables over the ranks */
  uint32_t maps_compared; /* whole.c; UINT32_MAX: no more need */
  struct rt_halo *halo;
  char halo_with[96]; /* options of pass halo */
  double connecting;  /* seconds: starting MPI, or finding that there is none */
} fe_ranks;

static inline bool
fe_ranked(void) {
  return fe_ranks.size > 1;
}
/* Several, of which each declares and sees its part. */
static inline bool
fe_in_parts(void) {
  return fe_ranked() && !fe_ranks.whole;
}

/* op_init and op_exit. `communicator`: of the MPI library `mpi`, as op_mpi_init
 * hands it over; NULL: as the launcher says. connect comes before options are
 * read, since what is wrong with those of one rank is told on all; open behind.
 * */
status fe_ranks_connect(const char *mpi, const void *communicator);
status fe_ranks_open(void);
void fe_ranks_close(void);
/* Between runs: exchanges that did not come since the last sweep go. */
void fe_ranks_sweep(void);
/* What op_mpi_init kept for OP_MPI_WORLD counts no more. */
void fe_mpi_forget(void);
/* This rank cannot go on with what it has begun, and others wait for it: all
 * end, with the last error. Nothing on one rank. */
void fe_ranks_end(void);

/* ---- declarations ------------------------------------------------------- */

/* The part of a set just declared. Collective. */
status fe_ranks_set(struct fe_set *s);
/* Give back the set's part, order and list; free what is left, too. */
void fe_set_drop(struct fe_set *s);
void fe_set_free(struct fe_set *s);
/* Rows of maps from this set that this rank declares. */
idx_l fe_map_rows(const struct op_set_core *from);
/* Rows of a map just declared, checked against the whole set. */
status fe_ranks_map(struct fe_map *m, const struct fe_map_args *a);
void fe_ranks_map_clear(struct fe_map *m);
/* Is this entry, less the base, of the set? ERR_ARG names call and map. */
status fe_ranks_check_entry(const char *api, const char *name, op_set to,
                            idx_g row, uint32_t i, idx_g entry, int base);
/* A dat just declared; its set may lie over the ranks already. */
status fe_ranks_dat(struct fe_dat *d);

/* whole.c: a map has its rows; before sets are spread: do the ranks seem to
 * declare the whole mesh each, without OP2_DECLARE=whole? ERR_ARG. Collective.
 * */
void fe_whole_note(struct fe_map *m);
status fe_whole_check(void);

/* ---- spreading: sets get their halos ------------------------------------ */

/* All sets, to this level or deeper, with all maps and dats as declared by now.
 * Collective. */
status fe_spread(int level);
/* What was declared since: maps alone may fit sets as they are spread; else all
 * is spread. Before a loop is recorded if the program sees something of it,
 * else before loops run. Collective. */
status fe_ranks_settle(void);
/* From now on a rank may look alone (fe.lone_looks). So sets that wait to be
 * spread are spread now, while all have declared the same. Collective. */
status fe_lone_looks_begin(void);
/* number.c: numbers inside each part, just made. Local. ERR_MEMORY */
status fe_number_parts(struct rt_dist *d);
/* Sets and maps for rt_dist_make; the owner frees d->parts and d->maps. */
void fe_dist_describe(struct rt_dist *d, int level);

/* ---- state.c, parts.c --------------------------------------------------- */

/* How far out the dat's values are right; a number for those of all dats. */
struct reach fe_reach_of(const struct fe_dat *d);
uint32_t fe_reach_id(void);
/* Elements of all ranks; of L_0, L_1, ... of that rank that has most. */
idx_g fe_set_total(const struct fe_set *s);
/* The number that the program knows the element by whose row in mirrors this
 * is; over ranks it counts all of them. cost none on one rank */
idx_g fe_set_number(const struct fe_set *s, idx_l row);
const idx_g *fe_set_most(const struct fe_set *s);
/* Of its part: no element is deeper (rt/ranks/part_depth.c). */
uint32_t fe_set_deepest(const struct fe_set *s);
/* row_order.c: of all ranks; points that several of them have count once. */
idx_g fe_rows_total(const struct fe_set *s);
/* s->blocks, where rows of files have an order of their own. Collective. */
status fe_rows_know(struct fe_set *s);
/* Its rows cannot be declared any more: sets have moved. ERR_STATE */
status fe_ranks_unmoved(op_set from, const char *name);

/* ---- agree.c: no rank waits for one that does something else ------------ */

/* All ranks must be at the same point of the program: in `what`, with the same
 * loops before, and none with an error. Else all get one: `st` is this rank's
 * own. */
status fe_agree(const char *what, uint64_t detail, status st);
/* The same, but a rank may ask by *mend that all do something about its error
 * first. *mend, behind it: some rank asked, and all are at this point; each has
 * its own status then. On one rank *mend stays. */
status fe_agree_or_mend(const char *what, uint64_t detail, status st,
                        bool *mend);
/* Where a rank may wait in a look that others don't come by (fe.lone_looks),
 * before something that changes what a catch-up goes over (what was declared),
 * or that ranks do together. Behind it all are here. */
status fe_agree_turn(const char *what);
/* One such agreement, where it depends on what waits whether there is something
 * to do. *met: all ranks came. Else those that look were caught up with: if
 * there is still something to do, call it again. */
status fe_agree_meet(const char *what, bool *met);
/* What a rank looks at, perhaps alone; the later is the graver. */
enum fe_looked { FE_LOOKED_NOT, FE_LOOKED_GBL, FE_LOOKED_DAT };
/* When some rank is in a look and others are elsewhere, farther on, f is called
 * on the others. */
void fe_agree_on_look(status (*f)(const char *what));
/* As fe_agree, for a look; *alone: not all came. Then what f does is due here.
 * */
status fe_agree_look(const char *what, enum fe_looked mine, uint64_t detail,
                     bool *alone);
/* look.c: what f does, called on a rank that looks itself. *mine: this one is
 * to tell of it. Collective. */
status fe_look_alone(enum fe_looked looked, const char *what, bool *mine);
/* Behind that: the rank that is farthest back; an error on all if it does not
 * look, or others said something else until then. Collective. */
struct fe_lone {
  uint64_t step, said; /* steps it has said, and their hash */
  enum fe_looked look;
  bool mine; /* this is the first of the ranks that look so there */
};
status fe_agree_first(enum fe_looked mine, const char *what,
                      struct fe_lone *out);
/* How many this rank has said, and their hash; go back or on to these. */
uint64_t fe_agree_steps(void);
uint64_t fe_agree_said(void);
void fe_agree_rewind(uint64_t step, uint64_t said);
/* Some rank has an error: on those that have none it becomes one that says
 * whose. Collective. */
status fe_agree_tell(status st);
/* The text of the first rank that has one (NULL: none) is the error of all.
 * Collective. */
status fe_agree_text(status st, const char *text);
/* x[i] of all ranks joined into each one's, by MIN or MAX. Nothing on one rank.
 * Collective. */
status fe_join(void *x, size_t n, enum type_kind type, enum access op);
/* A loop was recorded. */
void fe_agree_loop(struct fe_call *c);
/* All ranks are at this call. Collective. */
status fe_agree_call(const char *what, const struct fe_call *c);
/* Something else was done that all ranks must do: `what`, a text that stays, of
 * `name` (NULL: none), with what else must be equal. Costs no message. */
void fe_agree_step(const char *what, const char *name, uint64_t detail);
/* Options that all ranks must share are the same; else an error on all.
 * Collective. */
status fe_agree_options(void);

#endif
