/* Loops that the program writes by hand, between OP2's calls for halos:
 *
 *   op_arg args[] = {op_arg_dat(q, 0, edge_cell, 4, "double", OP_READ),
 *                    op_arg_dat(res, 1, edge_cell, 4, "double", OP_INC)};
 *   int n = op_mpi_halo_exchanges(edges, 2, args);
 *   for (int e = 0; e < n; e++) {
 *     if (e == edges->core_size) op_mpi_wait_all(2, args);
 *     ... args[0].data, args[0].map_data ...
 *   }
 *   op_mpi_set_dirtybit(2, args);
 *   op_mpi_reduce(&sum, &value);
 *
 * Problem. Such a loop touches memory of which nothing else is told.
 *
 * Idea. The exchange is a look at each argument's dat: what it needs runs, its
 * mirror is current, and on several ranks the mirror's halo, too, where a loop
 * could read it. The dirty bit is the edit's end: the mirrors of what arguments
 * write are the new values.
 *
 * Elements to loop over, as in OP2: this rank's own; with a written argument
 * behind a map also the halo that is executed on both sides, so that each rank
 * adds all that belongs to its own elements.
 *
 * Exchanges are over when they return, so there is nothing to wait for. Where
 * each rank sees everything (OP2_DECLARE=whole) it loops over everything and
 * has the whole sum.
 *
 * cost: a copy of each dat, unless it is current; one exchange for each that is
 * read behind a map. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "rt/ranks/comm.h"

#define OP_MPI_CORE_NOMPI 1
#include "op_lib_core.h"
#include "op_mpi_core.h"

#include <stdlib.h>
#include <string.h>

/* ---- arguments ----------------------------------------------------------- */

static bool
is_dat(const op_arg *a) {
  return a->opt && a->argtype == OP_ARG_DAT;
}

static bool
writes(const op_arg *a) {
  return is_dat(a) && a->acc != OP_READ;
}

/* Behind a map; OP_ID with any index is the element itself. */
static bool
is_far(const op_arg *a) {
  return is_dat(a) && a->map != OP_ID;
}

static status
check_arg(const char *api, op_set set, const op_arg *a, int i) {
  if (!is_dat(a)) return OK;
  if (!fe_handle_is(a->dat, FE_DAT))
    FAIL(ERR_ARG, "%s: argument %d: expected a declared dat, found %s", api, i,
         fe_handle_found(a->dat));
  if (!a->map) return OK;
  if (!fe_handle_is(a->map, FE_MAP))
    FAIL(ERR_ARG, "%s: argument %d: expected a declared map, found %s", api, i,
         fe_handle_found(a->map));
  if (set && a->map->from != set)
    FAIL(ERR_ARG,
         "%s: argument %d: wrong map: expected one from the loop's set \"%s\", "
         "found \"%s\" from \"%s\"",
         api, i, set->name, a->map->name, a->map->from->name);
  if (((struct fe_map *)a->map)->start)
    FAIL(ERR_ARG,
         "%s: argument %d: expected a map whose rows have one length, as loops "
         "by hand go through them, found \"%s\" of op2_decl_map_csr",
         api, i, a->map->name);
  return OK;
}

static status
check_args(const char *api, op_set set, int nargs, const op_arg *args) {
  if (nargs < 0 || (nargs && !args))
    FAIL(ERR_ARG, "%s: expected arguments, found %d at %p", api, nargs,
         (const void *)args);
  for (int i = 0; i < nargs; i++) TRY(check_arg(api, set, &args[i], i));
  return OK;
}

/* ---- the look ------------------------------------------------------------ */

/* The argument shows its dat's memory, as it is for this loop. */
static void
arg_show(op_arg *a) {
  a->data = a->dat->data;
  a->size = a->dat->size;
  a->map_data = a->map ? a->map->map : NULL;
  a->sent = 0;
}

/* Sets that have no halos as yet get them, so that numbers and places stay. */
static status
settle(void) {
  if (!fe_ranked()) return OK;
  for (bool met = false; !met && fe.unsettled;)
    TRY(fe_agree_meet("sets over the ranks", &met));
  return fe.unsettled ? fe_ranks_settle() : OK;
}

/* executed: halo elements are, too. */
static status
look(const char *api, int nargs, op_arg *args, bool halos, bool executed) {
  for (int i = 0; i < nargs; i++) {
    op_arg *a = &args[i];
    struct fe_dat *d;
    if (!is_dat(a)) continue;
    TRY(fe_access_begin(api, a->dat, writes(a), &d));
    bool reads = a->acc == OP_READ || a->acc == OP_RW;
    if (halos && reads && (executed || is_far(a))) TRY(fe_dat_halo(d));
  }
  for (int i = 0; i < nargs; i++)
    if (is_dat(&args[i])) arg_show(&args[i]);
  return OK;
}

static status
exchange(op_set set, int nargs, op_arg *args, int *n_out) {
  const char *api = "op_mpi_halo_exchanges";
  bool far = false, executed = false;
  *n_out = 0;
  if (!fe_handle_is(set, FE_SET))
    FAIL(ERR_ARG, "%s: expected a declared set, found %s", api,
         fe_handle_found(set));
  TRY(check_args(api, set, nargs, args));
  TRY(settle());
  for (int i = 0; i < nargs; i++) {
    far |= is_far(&args[i]);
    executed |= is_far(&args[i]) && writes(&args[i]);
  }
  TRY(look(api, nargs, args, far, executed));
  *n_out = set->size + (executed ? set->exec_size : 0);
  return OK;
}

int
op_mpi_halo_exchanges(op_set set, int nargs, op_arg *args) {
  int n = 0;
  if (fe_enter("op_mpi_halo_exchanges"))
    fe_leave(exchange(set, nargs, args, &n));
  return n;
}

int
op_mpi_halo_exchanges_grouped(op_set set, int nargs, op_arg *args, int device) {
  (void)device; /* mirrors are on the host */
  return op_mpi_halo_exchanges(set, nargs, args);
}

int
op_mpi_halo_exchanges_cuda(op_set set, int nargs, op_arg *args) {
  return op_mpi_halo_exchanges(set, nargs, args);
}

/* ---- waiting: nothing is under way --------------------------------------- */

#define NOTHING(function)                                                      \
  void function(int nargs, op_arg *args) {                                     \
    (void)nargs, (void)args;                                                   \
  }
NOTHING(op_mpi_wait_all)
NOTHING(op_mpi_wait_all_cuda)
NOTHING(op_mpi_test_all)
NOTHING(op_mpi_test_all_grouped)
NOTHING(op_mpi_reset_halos)

void
op_mpi_wait_all_grouped(int nargs, op_arg *args, int device) {
  (void)nargs, (void)args, (void)device;
}

/* ---- the edit ------------------------------------------------------------ */

static status
edit(int nargs, const op_arg *args) {
  const char *api = "op_mpi_set_dirtybit";
  TRY(check_args(api, NULL, nargs, args));
  for (int i = 0; i < nargs; i++) {
    if (!writes(&args[i])) continue;
    const struct fe_dat *d = (struct fe_dat *)args[i].dat;
    if (!rt_dat_mirror_current(&d->rt))
      FAIL(ERR_STATE,
           "%s: argument %d: dat \"%s\": expected op_mpi_halo_exchanges and no "
           "loop that writes it since",
           api, i, d->pub.name);
    TRY(fe_upload(api, args[i].dat));
  }
  return OK;
}

void
op_mpi_set_dirtybit(int nargs, op_arg *args) {
  if (fe_enter("op_mpi_set_dirtybit")) fe_leave(edit(nargs, args));
}

void
op_mpi_set_dirtybit_cuda(int nargs, op_arg *args) {
  op_mpi_set_dirtybit(nargs, args);
}

/* ---- sums over ranks ----------------------------------------------------- */

/* As OP2: of what ranks wrote counts what is not zero, of the last one. */
static status
reduce_written(void *data, size_t n, size_t size) {
  static const char zero[16];
  size_t ranks = (size_t)fe_ranks.size, bytes = n * size;
  SCOPED char *all = mem_alloc(ranks + 1, bytes + 1);
  status st = rt_allgather(fe_ranks.comm, data, bytes, all);
  for (size_t r = 1; st == OK && r < ranks; r++)
    for (size_t i = 0; i < n; i++)
      if (size > sizeof zero || memcmp(all + r * bytes + i * size, zero, size))
        memcpy(all + i * size, all + r * bytes + i * size, size);
  if (st == OK) memcpy(data, all, bytes);
  return st;
}

/* Does a sum over ranks belong to it? */
static bool
reduces(const op_arg *a) {
  return a->opt && a->argtype == OP_ARG_GBL && a->data && a->dim > 0 &&
         a->acc != OP_READ && a->acc != OP_RW && a->acc != OP_WORK;
}

static status
reduce(const op_arg *a) {
  struct type t;
  size_t elem = a->dim > 0 ? (size_t)a->size / (size_t)a->dim : 0;
  status st = OK;
  if (!fe_in_parts() || OP_disable_mpi_reductions || !reduces(a)) return OK;
  if (!a->type || !type_from_name(a->type, elem, &t, NULL))
    st = err_set(ERR_ARG, "op_mpi_reduce: expected a type name, found \"%s\"",
                 a->type ? a->type : "NULL");
  else if (t.kind == TYPE_BYTES && a->acc != OP_WRITE)
    st = err_set(ERR_ARG,
                 "op_mpi_reduce: expected a type with arithmetic, found \"%s\"",
                 a->type);
  uint64_t what = (uint64_t)a->acc << 32 | (uint32_t)a->dim;
  TRY(fe_agree("op_mpi_reduce", what, st));
  if (a->acc == OP_WRITE)
    return reduce_written(a->data, (size_t)a->dim, t.size);
  return rt_allreduce(fe_ranks.comm, a->data, (size_t)a->dim, t,
                      (enum access)a->acc);
}

void
op_mpi_reduce_combined(op_arg *args, int nargs) {
  if (!fe_enter("op_mpi_reduce_combined")) return;
  status st = OK;
  for (int i = 0; st == OK && i < nargs; i++) st = reduce(&args[i]);
  fe_leave(st);
}

void
op2_mpi_reduce(op_arg *arg, const void *data) {
  (void)data; /* OP2 takes its type only */
  op_mpi_reduce_combined(arg, 1);
}

#define REDUCE(type)                                                           \
  void op_mpi_reduce_##type(op_arg *arg, type *data) {                         \
    op2_mpi_reduce(arg, data);                                                 \
  }
REDUCE(float)
REDUCE(double)
REDUCE(int)
REDUCE(bool)

/* ---- halos and ranks ----------------------------------------------------- */

void
op_mpi_barrier(void) {
  if (fe_enter("op_mpi_barrier")) fe_leave(fe_agree("op_mpi_barrier", 0, OK));
}

/* Halos come with the first loop; here they come now. */
void
op_halo_create(void) {
  if (fe_enter("op_halo_create")) fe_leave(settle());
}

void
op_halo_permap_create(void) {
  op_halo_create();
}

/* The library's own; they go with op_exit. */
void
op_halo_destroy(void) {
}

void
op_mpi_exit(void) {
  op_exit();
}
