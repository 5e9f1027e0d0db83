/* Looking at data: every accessor goes through access_begin, which runs exactly
 * what the dat needs and brings its host mirror up to date. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

/* Type of the memory that the program gave against the dat's. */
static status
check_memory(const char *api, const struct fe_dat *d, const void *memory,
             size_t elem_size, const char *ctype) {
  if (!memory && d->pub.set->size)
    FAIL(ERR_ARG, "%s: dat \"%s\": expected an address, found NULL", api,
         d->pub.name);
  struct type t;
  bool known = ctype && type_from_name(ctype, elem_size, &t, NULL);
  if (known && elem_size > 1 && t.size != d->type.size)
    FAIL(ERR_ARG,
         "%s: dat \"%s\": wrong type: expected memory of \"%s\", "
         "found \"%s\"",
         api, d->pub.name, d->pub.type, ctype);
  return OK;
}

static status
fetch(op_dat dat, void *out, size_t elem_size, const char *ctype) {
  struct fe_dat *d;
  TRY(fe_access_begin("op_fetch_data", dat, false, &d));
  TRY(check_memory("op_fetch_data", d, out, elem_size, ctype));
  return fe_ranks_home(d, out);
}

void
op2_fetch_at(op_dat dat, void *out, size_t elem_size, const char *ctype) {
  if (fe_enter("op_fetch_data")) fe_leave(fetch(dat, out, elem_size, ctype));
}

static status
fetch_idx(op_dat dat, void *out, size_t elem_size, const char *ctype, int low,
          int high) {
  struct fe_dat *d;
  TRY(fe_access_begin("op_fetch_data_idx", dat, false, &d));
  TRY(check_memory("op_fetch_data_idx", d, out, elem_size, ctype));
  idx_g n = fe_rows_total((struct fe_set *)d->pub.set);
  if (low < 0 || high >= n || low > high)
    FAIL(ERR_ARG,
         "op_fetch_data_idx: dat \"%s\": expected 0 <= low <= high <= %lld "
         "(inclusive), found %d and %d",
         d->pub.name, (long long)n - 1, low, high);
  return fe_rows_range(d, low, high, out);
}

void
op2_fetch_idx_at(op_dat dat, void *out, size_t elem_size, const char *ctype,
                 int low, int high) {
  if (fe_enter("op_fetch_data_idx"))
    fe_leave(fetch_idx(dat, out, elem_size, ctype, low, high));
}

void
op_fetch_data_char(op_dat dat, char *out) {
  op2_fetch_at(dat, out, 0, NULL);
}

void
op_fetch_data_idx_char(op_dat dat, char *out, int low, int high) {
  op2_fetch_idx_at(dat, out, 0, NULL, low, high);
}

void
op2_sync(op_dat dat) {
  struct fe_dat *d;
  if (fe_enter("op2_sync"))
    fe_leave(fe_access_begin("op2_sync", dat, false, &d));
}

const void *
op2_dat_data(op_dat dat) {
  struct fe_dat *d = NULL;
  if (!fe_enter("op2_dat_data")) return NULL;
  status st = fe_access_begin("op2_dat_data", dat, false, &d);
  fe_leave(st);
  return st == OK ? d->rt.mirror : NULL;
}

void *
op2_dat_data_rw(op_dat dat) {
  struct fe_dat *d = NULL;
  if (!fe_enter("op2_dat_data_rw")) return NULL;
  status st = fe_access_begin("op2_dat_data_rw", dat, true, &d);
  fe_leave(st);
  if (st != OK) return NULL;
  d->viewed = true;
  fe.nviews++;
  return d->rt.mirror;
}

/* OP2's upload: the host's dat->data was written and counts from now on. */
void
op_upload_dat(op_dat dat) {
  if (fe_enter("op_upload_dat")) fe_leave(fe_upload("op_upload_dat", dat));
}

/* A dat whose mirror is stale, or that a pending loop writes, keeps what loops
 * made of it: the program cannot have meant the old bytes there. */
void
op_upload_all(void) {
  if (!fe_enter("op_upload_all")) return;
  status st = OK;
  for (uint32_t i = 0; st == OK && i < fe_all.naged; i++) {
    struct fe_dat *d = fe_all.aged[i];
    if (!d->freed && rt_dat_mirror_current(&d->rt) && !fe_waits(d->written_in))
      st = fe_upload("op_upload_all", (op_dat)d);
  }
  fe_leave(st);
}

void
op_download_dat(op_dat dat) {
  struct fe_dat *d;
  if (fe_enter("op_download_dat"))
    fe_leave(fe_access_begin("op_download_dat", dat, false, &d));
}

/* OP2's calls for Fortran: addresses as numbers. The program may write through
 * them until the next call. */
unsigned long
op_get_data_ptr(op_dat dat) {
  return (unsigned long)op2_dat_data_rw(dat);
}

/* The dat that was declared from this pointer, by its number or its mirror. */
unsigned long
op_reset_data_ptr(char *data, int mode) {
  if (!fe_enter("op_reset_data_ptr")) return 0;
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    const struct fe_dat *d = fe_all.dats[i];
    if (!d->freed && data && (d->declared_from == data || d->pub.data == data))
      return mode == 1 ? (unsigned long)d->pub.index
                       : (unsigned long)d->pub.data;
  }
  fe_error(err_set(ERR_ARG,
                   "op_reset_data_ptr: expected memory that a dat was declared "
                   "from, found %p",
                   (void *)data));
  return 0;
}

unsigned long
op_get_map_ptr(op_map map) {
  if (!fe_enter("op_get_map_ptr")) return 0;
  if (fe_handle_is(map, FE_MAP)) return (unsigned long)map->map;
  fe_error(err_set(ERR_ARG, "op_get_map_ptr: expected a declared map, found %s",
                   fe_handle_found(map)));
  return 0;
}

unsigned long
op_reset_map_ptr(int *table) {
  if (!fe_enter("op_reset_map_ptr")) return 0;
  for (uint32_t i = 0; i < fe_all.nmaps; i++) {
    const struct fe_map *m = fe_all.maps[i];
    if (table && !m->hidden &&
        (m->declared_from == table || m->pub.map == table))
      return (unsigned long)m->pub.map;
  }
  fe_error(err_set(ERR_ARG,
                   "op_reset_map_ptr: expected memory that a map was declared "
                   "from, found %p",
                   (void *)table));
  return 0;
}
