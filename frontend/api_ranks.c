/* Ranks, partitions and numbering. On one rank there is nothing to do, after the
 * same checks as everywhere. */
#include "frontend/ranks.h"
#include "frontend/vars.h"

#include "op_lib_core.h"
#include "rt/partition.h"

#include <stdlib.h>
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

/* Values of the dat in the order of its declared part; GIVE. */
static status
declared_values(op_dat dat, const char *lib, enum type_kind kind, char **out) {
  struct fe_dat *d;
  *out = NULL;
  if (!dat) FAIL(ERR_ARG, "op_partition: %s: expected a dat, found NULL", lib);
  TRY(fe_access_begin("op_partition", dat, false, &d));
  if (d->type.kind != kind)
    FAIL(ERR_ARG, "op_partition: %s: dat \"%s\": expected %s, found \"%s\"",
         lib, dat->name, kind == TYPE_F64 ? "\"double\"" : "\"int\"",
         dat->type);
  idx_l n = ((struct fe_set *)dat->set)->part.declared;
  char *all = mem_alloc((size_t)fe_declared_size(d) + 1, (size_t)dat->size);
  status st = fe_ranks_home(d, all);
  if (fe.whole && st == OK)
    memmove(all,
            all +
                (size_t)((struct fe_set *)dat->set)->part.start[fe.comm.rank] *
                    (size_t)dat->size,
            (size_t)n * (size_t)dat->size);
  *out = all;
  return st;
}

struct request {
  const char *lib;
  op_set set;
  op_map map;
  op_dat dat;
};

/* Each fills in the new owners of one part of d; which one. */
static status
by_random(const struct request *r, struct rt_dist *d, uint32_t *prime) {
  op_set set = r->set ? r->set : r->map ? r->map->to : NULL;
  if (!set)
    FAIL(ERR_ARG, "op_partition: %s: expected a prime set, found NULL", r->lib);
  *prime = (uint32_t)set->index;
  return rt_partition_random(&fe.comm, &d->parts[*prime]);
}

static status
by_inertia(const struct request *r, struct rt_dist *d, uint32_t *prime) {
  char *at;
  TRY(declared_values(r->dat, r->lib, TYPE_F64, &at));
  status st = OK;
  *prime = (uint32_t)r->dat->set->index;
  if (r->dat->dim > 3)
    st = err_set(ERR_ARG,
                 "op_partition: %s: dat \"%s\": expected 1 to 3 coordinates, "
                 "found %d",
                 r->lib, r->dat->name, r->dat->dim);
  if (st == OK)
    st = rt_partition_inertial(&fe.comm, &d->parts[*prime], (double *)at,
                               r->dat->dim);
  free(at);
  return st;
}

static status
by_vector(const struct request *r, struct rt_dist *d, uint32_t *prime) {
  char *owner;
  TRY(declared_values(r->dat, r->lib, TYPE_I32, &owner));
  *prime = (uint32_t)r->dat->set->index;
  status st =
      fe_agree("op_partition", *prime,
               rt_partition_given(&fe.comm, &d->parts[*prime], (int *)owner));
  free(owner);
  return st;
}

static status
by_graph(const struct request *r, struct rt_dist *d, uint32_t *prime) {
  if (!r->map)
    FAIL(ERR_ARG, "op_partition: %s: expected a prime map, found NULL", r->lib);
  if (strcmp(r->lib, "PTSCOTCH"))
    LOG_WARN("op_partition: %s: PT-Scotch does it", r->lib);
  *prime = (uint32_t)r->map->to->index;
  return rt_partition_graph(d, (uint32_t)r->map->index);
}

static const struct method {
  const char *lib;
  status (*cut)(const struct request *, struct rt_dist *, uint32_t *);
} methods[] = {{"RANDOM", by_random},   {"INERTIAL", by_inertia},
               {"EXTERNAL", by_vector}, {"PTSCOTCH", by_graph},
               {"PARMETIS", by_graph},  {"KAHIP", by_graph}};

/* New owners for all sets, then everything goes to them. */
static status
repartition(const struct method *m, const struct request *r) {
  struct rt_dist d;
  uint32_t prime;
  fe_dist_describe(&d, fe.level);
  for (uint32_t s = 0; s < d.nparts; s++) d.parts[s].to = NULL;
  status st = m->cut(r, &d, &prime);
  if (st == OK) st = rt_partition_follow(&d, prime);
  for (uint32_t s = 0; st == OK && s < d.nparts; s++) {
    free(fe.sets[s]->part.to);
    fe.sets[s]->part.to = d.parts[s].to;
  }
  free(d.parts);
  free(d.maps);
  return st == OK ? fe_spread(0) : st;
}

static status
partition(const struct request *r) {
  TRY(check_handle("op_partition", "prime set", r->set));
  TRY(check_handle("op_partition", "prime map", r->map));
  TRY(check_handle("op_partition", "coordinates", r->dat));
  OP_is_partitioned = 1;
  if (!fe_ranked()) return OK;
  TRY(fe_run((struct fe_request){FE_WANT_ALL, 0}));
  if (!r->lib || !*r->lib) return fe_spread(0);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (!strcmp(methods[i].lib, r->lib)) return repartition(&methods[i], r);
  FAIL(ERR_ARG,
       "op_partition: expected PTSCOTCH, PARMETIS, KAHIP, INERTIAL, EXTERNAL, "
       "RANDOM or nothing, found \"%s\"",
       r->lib);
}

void
op_partition(const char *lib_name, const char *lib_routine, op_set prime_set,
             op_map prime_map, op_dat coords) {
  struct request r = {lib_name, prime_set, prime_map, coords};
  (void)lib_routine;
  if (!fe_enter("op_partition")) return;
  status st = partition(&r);
  if (st != OK) fe_error(st);
  fe.file = NULL;
}

void
op_partition_ptr(const char *lib_name, const char *lib_routine,
                 op_set prime_set, int *prime_map, double *coords) {
  op_map map = NULL;
  op_dat dat = NULL;
  for (uint32_t k = 0; prime_map && k < fe.nmaps; k++)
    if (fe.maps[k]->declared_from == prime_map) map = (op_map)fe.maps[k];
  for (uint32_t i = 0; coords && i < fe.ndats; i++)
    if (fe.dats[i]->declared_from == coords && !fe.dats[i]->freed)
      dat = (op_dat)fe.dats[i];
  op_partition(lib_name, lib_routine, prime_set, map, dat);
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
