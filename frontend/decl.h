/* Declarations, as op_decl_* and those from files make them: with all checks,
 * and registered. On failure nothing has changed. */
#ifndef FRONTEND_DECL_H
#define FRONTEND_DECL_H

#include "base/err.h"
#include "base/types.h"

#define OP2_NO_MACROS 1
#include "op2.h"

struct fe_dat;
struct fe_map;
struct fe_set;

status fe_decl_set(idx_l n, const char *name, struct fe_set **out);
/* In steps, for subsets: a set that nobody knows; its part over ranks, where
 * this rank comes with `st` of its own (collective); its handle. */
struct fe_set *fe_set_new(idx_l n, const char *name);
status fe_set_part(const char *api, struct fe_set *s, status st);
void fe_set_publish(struct fe_set *s);
/* A subset of the first n of `list` (TAKE), numbers of `whole`, ascending, with
 * its handle; each rank comes with `st` of its own. Collective. */
status fe_subset_make(const char *api, struct fe_set *whole, idx_l n,
                      idx_l *list, const char *name, status st,
                      struct fe_set **out);
/* Over ranks: numbers of the declared part of `set` are what counts, so nothing
 * may have moved before `what` are declared. */
status fe_check_unmoved(const char *api, const char *what,
                        const struct fe_set *set, const char *name);

/* Rows of maps are at most so long: kernels get a pointer for each entry. */
enum { FE_ARITY_MAX = 1 << 16 };
struct fe_map_args;
/* What an entry one too large means most often. */
#define FE_FROM_ONE "; does the table count from 1 (OP_MAPS_BASE_INDEX=1)?"
/* All but the table. */
status fe_check_map_args(const char *api, op_set from, op_set to,
                         const char *name);
status fe_check_arity(const char *api, const char *name, int dim);
/* Sets have not moved; fe_map_add, its handle, and what other ranks shall do,
 * too. */
status fe_map_declare(const struct fe_map_args *a, struct fe_map **out);
/* One of the tables; 64-bit ones are always copied. */
status fe_decl_map(op_set from, op_set to, int dim, const int *table32,
                   const long long *table64, const char *name,
                   struct fe_map **out);

void fe_map_publish(struct fe_map *m); /* its handle */

/* ---- maps.c: maps that nobody knows yet ---------------------------------- */

/* Set handles and dim are right. Rows are those of the program: fe_map_rows of
 * them, of numbers (over ranks global ones) less `base`. */
struct fe_map_args {
  const char *api; /* for messages */
  op_set from, to;
  int dim;              /* of the longest row, over all ranks */
  bool own;             /* rows have their own lengths: */
  const int64_t *start; /* where each begins, [rows + 1]; OP2_STATIC: or NULL */
  idx_l shortest;       /* over all ranks */
  const int *table32;   /* one of them; none: OP2_STATIC */
  const long long *table64;
  idx_l *table; /* TAKE, by fe_map_add: of rt_mem_new; one rank; of the made */
  const void
      *given; /* the program's pointer, by which it may ask for the map */
  const struct fe_rule *by; /* a rule's, which needs no table: KEEP; NULL */
  idx_g *rows; /* TAKE: over ranks, from 0 and in range; of the made. Rows of
                  any length with -1 behind them, dim entries each */
  int base;
  const char *name;
  bool made, hidden; /* as in struct fe_map */
  bool keeps;        /* table32 stays where it is, KEEP */
  bool column;       /* as in struct fe_map */
  bool included; /* rows of one entry, in range, of which no two are alike */
};
status fe_map_add(const struct fe_map_args *a, struct fe_map **out);
/* From rows of one length, of fe_map_rows, in range; TAKE, NULL: OP2_STATIC. */
status fe_map_of_rows(idx_g *rows, struct fe_map_args *a, struct fe_map **out);
/* e -> then[first[e][i]][j], where `first` leads to the set of `then`. Over
 * ranks collective, unless `first` is a subset's `into`. ERR_MEMORY */
status fe_map_compose(struct fe_map *first, struct fe_map *then,
                      const char *name, bool hidden, struct fe_map **out);
status fe_map_permute(struct fe_map *m, const int *perm, const char *name,
                      struct fe_map **out);
/* The first as a hidden map, made once; `first` may lead to a subset of that
 * set, too. */
status fe_map_through(struct fe_map *first, struct fe_map *then,
                      struct fe_map **out);

/* shifts.c: the hidden map from elements of `from`, columns or a subset of
 * them, to those `layers` higher in their columns; made once, and then
 * collective.
 * ERR_ARG: there is none of some element. */
status fe_map_shift(struct fe_set *from, int layers, struct fe_map **out);
/* The same from all elements of columns: those that have none name themselves.
 */
status fe_map_shift_within(struct fe_set *from, int layers,
                           struct fe_map **out);
/* scan.c: the rows of *s of columns, or a subset of them; likewise. */
struct fe_scan;
status fe_scan_rows(struct fe_set *set, struct fe_scan *s);

/* dim components of this type, in bytes, as OP2's int has them. */
status fe_check_bytes(const char *api, const char *name, int dim,
                      struct type type);

struct fe_dat_args {
  const char *api;
  op_set set;
  int dim;
  const char *type;
  size_t elem_size;  /* of one component by the program's C type; 0: unknown */
  const char *ctype; /* name of that type; NULL: unknown */
  void *data;        /* NULL: zeros */
  const char *name;
  bool temp;
  bool copy;    /* data are no memory of the program's, OP_NO_REALLOC or not */
  bool points;  /* the set may be one of a box's points with a halo */
  bool spreads; /* as a dat's */
  bool inner;   /* as a dat's */
};
/* All but type and data. */
status fe_check_dat_args(const struct fe_dat_args *a);
/* No live temporary of the program has the name. */
status fe_check_temp_name(const char *api, const char *name);
status fe_decl_dat(const struct fe_dat_args *a, struct fe_dat **out);

/* api_free.c: end a set or a map that may be ended. */
status fe_end_handle(void *handle);

/* ---- api_vars.c: OP2's public variables, lists of what is declared ------ */

/* Called by the declarations; handles are KEEP. */
void fe_vars_add_set(op_set set);
void fe_vars_add_map(op_map map); /* its index is its place there */
void fe_vars_add_dat(op_dat dat, const void *declared_from);
void fe_vars_remove_dat(op_dat dat);
void fe_vars_remove_set(op_set set);
void fe_vars_remove_map(op_map map);
/* OP_kernels from the timing table. */
void fe_vars_kernels_update(void);
/* All lists empty, options at their defaults (op_exit). */
void fe_vars_clear(void);

#endif
