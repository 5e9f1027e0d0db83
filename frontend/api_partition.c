/* Partitions and numbering. On one rank there is nothing to do, after the same
 * checks as everywhere. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "base/log.h"
#include "rt/ranks/partition.h"

#include "op_lib_core.h"

#include <stdlib.h>
#include <string.h>

/* ---- partitions ---------------------------------------------------------- */

static status
check_handle(const char *api, const char *what, const void *handle,
             enum fe_handle kind) {
  if (handle && !fe_handle_is(handle, kind))
    FAIL(ERR_ARG, "%s: %s: expected NULL or a declared one, found %s", api,
         what, fe_handle_found(handle));
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
  idx_l n = ((struct fe_set *)dat->set)->part->declared;
  char *all = mem_alloc((size_t)fe_declared_size(d) + 1, (size_t)dat->size);
  status st = fe_ranks_home(d, all);
  if (fe_ranks.whole && st == OK)
    memmove(
        all,
        all + (size_t)((struct fe_set *)dat->set)->part->start[fe_ranks.rank] *
                  (size_t)dat->size,
        (size_t)n * (size_t)dat->size);
  *out = all;
  return st;
}

struct request {
  const char *lib, *routine;
  op_set set;
  op_map map;
  op_dat dat;
};

/* OP2's way where what a partitioner needs is not there: blocks, as declared.
 * */
static bool
gives_way(const struct request *r, bool there, const char *needed) {
  if (!there && op_is_root())
    LOG_WARN(
        "op_partition: %s: expected %s, found none: parts stay as they were "
        "declared",
        r->lib, needed);
  return !there;
}

/* Each fills in the new owners of one part of d; which one: NO_PART where they
 * stay as they are. */
enum { NO_PART = UINT32_MAX };

static status
by_random(const struct request *r, struct rt_dist *d, uint32_t *prime) {
  op_set set = r->set ? r->set : r->map ? r->map->to : NULL;
  if (gives_way(r, set != NULL, "a prime set")) return OK;
  *prime = (uint32_t)set->index;
  return rt_partition_random(fe_ranks.comm, &d->parts[*prime]);
}

static status
by_inertia(const struct request *r, struct rt_dist *d, uint32_t *prime) {
  SCOPED char *at = NULL;
  if (gives_way(r, r->dat && r->dat->dim <= 3, "a dat of 1 to 3 coordinates"))
    return OK;
  TRY(declared_values(r->dat, r->lib, TYPE_F64, &at));
  *prime = (uint32_t)r->dat->set->index;
  return rt_partition_inertial(fe_ranks.comm, &d->parts[*prime], (double *)at,
                               r->dat->dim);
}

static status
by_vector(const struct request *r, struct rt_dist *d, uint32_t *prime) {
  SCOPED char *owner = NULL;
  if (gives_way(r, r->dat && r->dat->dim == 1,
                "a dat with one owner an element"))
    return OK;
  TRY(declared_values(r->dat, r->lib, TYPE_I32, &owner));
  *prime = (uint32_t)r->dat->set->index;
  return fe_agree("op_partition", *prime,
                  rt_partition_given(fe_ranks.comm, &d->parts[*prime],
                                     (int *)owner));
}

static bool
routine_is(const struct request *r, const char *name) {
  return r->routine && !strcmp(r->routine, name);
}

static status
by_graph(const struct request *r, struct rt_dist *d, uint32_t *prime) {
  bool any = !r->routine || !*r->routine;
  bool geom = !strcmp(r->lib, "PARMETIS") && routine_is(r, "GEOM");
  bool known = any || geom || routine_is(r, "KWAY") ||
               (!strcmp(r->lib, "PARMETIS") && routine_is(r, "GEOMKWAY"));
  if (gives_way(r, known, "routine KWAY")) return OK;
  if (geom) {
    if (op_is_root())
      LOG_WARN("op_partition: %s GEOM: by inertia instead", r->lib);
    return by_inertia(r, d, prime);
  }
  if (gives_way(r, r->map != NULL, "a prime map")) return OK;
  if (strcmp(r->lib, "PTSCOTCH") && op_is_root())
    LOG_WARN("op_partition: %s: PT-Scotch does it", r->lib);
  *prime = (uint32_t)r->map->to->index;
  uint32_t k = 0;
  while (&fe_all.maps[k]->pub != r->map) k++;
  return rt_partition_graph(d, k);
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
  uint32_t prime = NO_PART;
  fe_dist_describe(&d, fe_ranks.level);
  for (uint32_t s = 0; s < d.nparts; s++)
    if (!d.parts[s].stays) d.parts[s].to = NULL;
  status st = m->cut(r, &d, &prime);
  bool cut = prime != NO_PART;
  if (st == OK && cut) st = rt_partition_follow(&d, prime);
  for (uint32_t s = 0; st == OK && cut && s < d.nparts; s++) {
    if (d.parts[s].stays) continue;
    free(fe_all.sets[s]->part->to);
    fe_all.sets[s]->part->to = d.parts[s].to;
  }
  free(d.parts);
  free(d.maps);
  return st == OK ? fe_spread(0) : st;
}

/* Columns follow their base, and stay whole; points stay where they are. */
static status
check_prime(const char *what, const op_set_core *set) {
  const struct fe_set *s = (const struct fe_set *)set;
  if (s && s->whole) s = s->whole;
  if (s && s->box && fe_ranked())
    FAIL(ERR_ARG,
         "op_partition: %s: expected no box or grid, whose parts are what "
         "op2_box_local says, found \"%s\"",
         what, set->name);
  if (!s || !s->columns) return OK;
  FAIL(ERR_ARG,
       "op_partition: %s: expected one of the base \"%s\", whose parts columns "
       "follow, found set \"%s\"",
       what, fe_columns_base(s)->pub.name, set->name);
}

static status
check_request(const struct request *r) {
  TRY(check_handle("op_partition", "prime set", r->set, FE_SET));
  TRY(check_handle("op_partition", "prime map", r->map, FE_MAP));
  TRY(check_handle("op_partition", "coordinates", r->dat, FE_DAT));
  TRY(check_prime("prime set", r->set));
  TRY(check_prime("prime map", r->map ? r->map->to : NULL));
  return check_prime("coordinates", r->dat ? r->dat->set : NULL);
}

static status
partition(const struct request *r) {
  TRY(check_request(r));
  OP_is_partitioned = 1;
  if (!fe_ranked()) return OK;
  TRY(fe_agree_turn("op_partition"));
  TRY(fe_agree("op_partition", 0, OK)); /* of the same sets and maps? */
  TRY(fe_run_for_call());
  if (!r->lib || !*r->lib) return fe_spread(0);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (!strcmp(methods[i].lib, r->lib)) return repartition(&methods[i], r);
  (void)gives_way(r, false,
                  "PTSCOTCH, PARMETIS, KAHIP, INERTIAL, EXTERNAL or "
                  "RANDOM");
  return fe_spread(0);
}

/* The map that was declared from this table, or shows it; NULL. */
static op_map
map_of(const int *table) {
  for (uint32_t k = 0; table && k < fe_all.nmaps; k++) {
    struct fe_map *m = fe_all.maps[k];
    if (!m->hidden && (m->declared_from == table || m->pub.map == table))
      return (op_map)m;
  }
  return NULL;
}

void
op_partition(const char *lib_name, const char *lib_routine, op_set prime_set,
             op_map prime_map, op_dat coords) {
  struct request r = {lib_name, lib_routine, prime_set, prime_map, coords};
  if (fe_enter("op_partition")) fe_leave(partition(&r));
}

void
op_partition_ptr(const char *lib_name, const char *lib_routine,
                 op_set prime_set, int *prime_map, double *coords) {
  op_map map = map_of(prime_map);
  op_dat dat = NULL;
  for (uint32_t i = 0; coords && i < fe_all.ndats; i++)
    if (fe_all.dats[i]->declared_from == coords && !fe_all.dats[i]->freed)
      dat = (op_dat)fe_all.dats[i];
  op_partition(lib_name, lib_routine, prime_set, map, dat);
}

/* ---- hints --------------------------------------------------------------- */

/* A hint about a map; none where a program passes NULL, as a data set that was
 * not in its file gives. */
static bool
hint(const char *api, op_map map) {
  bool valid = fe_handle_is(map, FE_MAP);
  if (!fe_enter(api)) return false;
  if (map && !valid)
    fe_error(err_set(ERR_ARG, "%s: expected a declared map, found %s", api,
                     fe_handle_found(map)));
  if (!map && op_is_root()) LOG_WARN("%s: found no map, ignored", api);
  fe.file = NULL;
  return valid;
}

void
op_renumber(op_map base) {
  if (!hint("op_renumber", base)) return;
  status st = fe_agree_turn("op_renumber");
  if (st != OK) {
    fe_error(st);
    return;
  }
  fe_agree_step("op_renumber", base->name, (uint64_t)base->index);
  fe.renumber = fe_ranks.respread = true;
  fe_unsettle(true);
}

void
op_renumber_ptr(int *table) {
  op_renumber(map_of(table));
}

void
op_force_part(int *table) {
  op_map map = map_of(table);
  if (hint("op_force_part", map)) map->force_part = true;
}
