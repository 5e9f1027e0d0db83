/* Ranks, partitions and numbering. On one rank there is nothing to do, after
 * the same checks as everywhere. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "rt/ranks/dist.h"

#include "op_lib_core.h"

#include <string.h>

int
op_is_root(void) {
  return fe_ranks.rank == 0;
}

void
op_rank(int *rank) {
  if (rank) *rank = fe_ranks.rank;
}

/* ---- communicators ------------------------------------------------------- */

enum { COMM_ROOM = 16 }; /* an MPI_Comm is a pointer or a number */

static struct {
  char world[COMM_ROOM], global[COMM_ROOM];
  size_t bytes; /* 0: none are kept */
} kept;

void
op2_mpi_keep(const void *world, const void *global, size_t bytes) {
  if (bytes > COMM_ROOM) return;
  memcpy(kept.world, world, bytes);
  memcpy(kept.global, global, bytes);
  kept.bytes = bytes;
}

void
fe_mpi_forget(void) {
  kept.bytes = 0;
}

int
op2_mpi_kept(int global, void *out, size_t bytes) {
  if (!fe.up || bytes != kept.bytes) return 0;
  memcpy(out, global ? kept.global : kept.world, bytes);
  return 1;
}

/* ---- partitions ---------------------------------------------------------- */

void
op_disable_device_execution(bool disable) {
  if (fe.up && !fe_enter("op_disable_device_execution")) return;
  fe.host_only = disable;
  if (fe.up)
    fe_agree_step("op_disable_device_execution", NULL, (uint64_t)disable);
  fe.file = NULL;
}

/* ---- this rank's part ---------------------------------------------------- */

/* A copy's set and part lie in one block: the program frees the set alone. */
struct copy_set {
  struct fe_set set;
  struct rt_part part;
};

/* Copies of dats, as the program declared them: structs on memory that the
 * program may free, in no list, and no dats for loops. Behind pub lies what
 * lets it be looked at like one. */
static status
copy_of(const char *api, op_dat dat, struct fe_dat **out) {
  struct fe_dat *d;
  TRY(fe_access_begin(api, dat, false, &d));
  TRY(fe_rows_know((struct fe_set *)dat->set));
  idx_l n = fe_declared_size(d);
  size_t bytes = (size_t)n * (size_t)dat->size;
  char *values = mem_try(bytes + 1, 1);
  if (!values)
    FAIL(ERR_MEMORY, "%s: dat \"%s\": no memory for a copy of %zu bytes", api,
         dat->name, bytes);
  struct fe_dat *c = mem_alloc(1, sizeof *c);
  struct copy_set *block = mem_alloc(1, sizeof *block);
  struct fe_set *s = &block->set;
  const struct fe_set *from = (struct fe_set *)dat->set;
  c->pub = d->pub;
  c->pub.set = &s->pub;
  c->pub.data = values;
  s->pub = (struct op_set_core){.index = from->pub.index,
                                .size = n,
                                .core_size = n,
                                .name = from->pub.name};
  s->part = &block->part;
  block->part = (struct rt_part){.total = from->part->total,
                                 .start = from->part->start,
                                 .declared = from->part->declared};
  s->rt = (struct rt_set){.n = n, .name = from->pub.name};
  s->box = from->box; /* the order of its rows */
  s->halo = from->halo;
  s->whole = from->whole;
  s->columns = from->columns;
  s->sparsity = from->sparsity;
  s->blocks = from->blocks;
  c->type = d->type;
  c->index = d->index;
  c->root = UINT32_MAX;
  c->block = 1;
  c->rt = (struct rt_dat){
      .shape = {.n = n, .dim = (uint32_t)dat->dim, .type = d->type, .block = 1},
      .mirror = c->pub.data,
      .rows = n,
      .reach = REACH_FULL,
      .mirror_current = true};
  status st = fe_ranks_home(d, c->pub.data);
  fe_handle_add(c, FE_COPY);
  *out = c;
  return st;
}

static op_dat
get_data(const char *api, op_dat dat) {
  struct fe_dat *c = NULL;
  if (fe_enter(api)) fe_leave(copy_of(api, dat, &c));
  return (op_dat)c;
}

op_dat
op_fetch_data_file_char(op_dat dat) {
  return get_data("op_fetch_data_file_char", dat);
}

op_dat
op_mpi_get_data(op_dat dat) {
  return get_data("op_mpi_get_data", dat);
}

/* Values in the order of the declaration, to where their elements are. */
static status
put_values(struct fe_dat *d, const char *values) {
  const struct fe_set *s = (struct fe_set *)d->pub.set;
  size_t size = (size_t)d->pub.size;
  status st = OK;
  if (s->rt.part && !fe_ranks.whole)
    st = rt_part_give(fe_ranks.comm, s->part, values, size, d->rt.mirror);
  else if (s->pub.size)
    memcpy(d->rt.mirror, values, (size_t)s->pub.size * size);
  if (st == OK) fe_dat_host_wrote(d);
  return st;
}

static status
put_data(op_dat dat) {
  struct fe_dat *d;
  if (fe_handle_is(dat, FE_DAT)) return fe_upload("op_mpi_put_data", dat);
  if (!fe_handle_is(dat, FE_COPY))
    FAIL(ERR_ARG,
         "op_mpi_put_data: expected a copy that op_mpi_get_data made, found %s",
         fe_handle_found(dat));
  op_dat of = (op_dat)fe_all.dats[dat->index];
  TRY(fe_access_begin("op_mpi_put_data", of, true, &d));
  return put_values(d, dat->data);
}

void
op_mpi_put_data(op_dat dat) {
  if (fe_enter("op_mpi_put_data")) fe_leave(put_data(dat));
}
