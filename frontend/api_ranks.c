/* Ranks, partitions and numbering, for one rank: what OP2 programs call to be
 * told that there is nothing to do, with the same checks as everywhere. */
#include "frontend/ranks.h"
#include "frontend/vars.h"

#include "op_lib_core.h"

#include <string.h>

int
op_is_root(void) {
  return fe.comm.rank == 0;
}

void
op_rank(int *rank) {
  if (rank) *rank = fe.comm.rank;
}

/* ---- partitions ---------------------------------------------------------- */

static status
check_handle(const char *api, const char *what, const void *handle) {
  if (handle && !fe_handle_valid(handle))
    FAIL(ERR_ARG, "%s: %s: expected NULL or a declared one, found %p", api,
         what, handle);
  return OK;
}

static status
partition(op_set set, op_map map, op_dat coords) {
  TRY(check_handle("op_partition", "prime set", set));
  TRY(check_handle("op_partition", "prime map", map));
  TRY(check_handle("op_partition", "coordinates", coords));
  OP_is_partitioned = 1;
  return OK;
}

void
op_partition(const char *lib_name, const char *lib_routine, op_set prime_set,
             op_map prime_map, op_dat coords) {
  (void)lib_name;
  (void)lib_routine;
  if (!fe_enter("op_partition")) return;
  status st = partition(prime_set, prime_map, coords);
  if (st != OK) fe_error(st);
  fe.file = NULL;
}

void
op_partition_ptr(const char *lib_name, const char *lib_routine,
                 op_set prime_set, int *prime_map, double *coords) {
  (void)prime_map;
  (void)coords;
  op_partition(lib_name, lib_routine, prime_set, NULL, NULL);
}

static void
hint(const char *api, op_map map) {
  if (!fe_enter(api)) return;
  if (!fe_handle_valid(map))
    fe_error(err_set(ERR_ARG, "%s: expected a declared map, found %p", api,
                     (void *)map));
  fe.file = NULL;
}

void
op_renumber(op_map base) {
  hint("op_renumber", base);
}

void
op_force_part(op_map map) {
  hint("op_force_part", map);
  if (fe_handle_valid(map)) map->force_part = true;
}

void
op_disable_mpi_reductions(bool disable) {
  OP_disable_mpi_reductions = disable;
}

/* All loops run on the host. */
void
op_disable_device_execution(bool disable) {
  (void)disable;
}

/* ---- this rank's part ---------------------------------------------------- */

/* The mirror is in the order of the declaration, so a copy of it is the
 * answer. */
static op_dat
copy_of(const char *api, op_dat dat) {
  struct fe_dat *d;
  if (!fe_enter(api)) return NULL;
  status st = fe_access_begin(api, dat, false, &d);
  if (st != OK) {
    fe_error(st);
    return NULL;
  }
  return op2_decl_dat_at(dat->set, dat->dim, dat->type, d->type.size, NULL,
                         d->rt.mirror, dat->name);
}

op_dat
op_fetch_data_file_char(op_dat dat) {
  return copy_of("op_fetch_data_file_char", dat);
}

op_dat
op_mpi_get_data(op_dat dat) {
  return copy_of("op_mpi_get_data", dat);
}

static status
put_data(op_dat dat, const void *data, size_t local_size) {
  struct fe_dat *d;
  TRY(fe_access_begin("op_mpi_put_data", dat, true, &d));
  size_t n = (size_t)dat->set->size;
  if (local_size != n)
    FAIL(ERR_ARG,
         "op_mpi_put_data: dat \"%s\": expected %zu elements, found %zu",
         dat->name, n, local_size);
  if (!data && n)
    FAIL(ERR_ARG,
         "op_mpi_put_data: dat \"%s\": expected an address, found NULL",
         dat->name);
  if (n) memcpy(d->rt.mirror, data, n * (size_t)dat->size);
  fe_dat_host_wrote(d);
  return OK;
}

void
op_mpi_put_data(op_dat dat, void *data, size_t local_size) {
  if (!fe_enter("op_mpi_put_data")) return;
  status st = put_data(dat, data, local_size);
  if (st != OK) fe_error(st);
  fe.file = NULL;
}
