/* Checkpoints in their file: dats and globals are written there, and read. */
#include "frontend/checkpoint.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/rows.h"
#include "frontend/values.h"

#include "base/counters.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---------------------------------------------------------------- */

static void
saved_key(const char *group, const char *name, uint32_t nth, struct str *out) {
  str_printf(out, "%s/", group);
  for (const char *c = *name ? name : "%"; *c; c++)
    if (strchr("/#%.", *c))
      str_printf(out, "%%%02X", (unsigned)*c);
    else
      str_addn(out, c, 1);
  if (nth > 1) str_printf(out, "#%u", nth);
}

void
fe_dat_key(const struct fe_dat *d, struct str *out) {
  uint32_t nth = 1;
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    nth += !fe_all.dats[i]->freed && fe_all.dats[i]->born < d->born &&
           !strcmp(fe_all.dats[i]->pub.name, d->pub.name);
  saved_key("dats", d->pub.name, nth, out);
}

void
fe_gbl_key(const struct fe_gbl *g, struct str *out) {
  uint32_t nth = 1;
  for (uint32_t i = 0; i < fe_all.ngbls; i++)
    nth += !fe_all.gbls[i]->freed && fe_all.gbls[i]->born < g->born &&
           !strcmp(fe_all.gbls[i]->name, g->name);
  saved_key("globals", g->name, nth, out);
}

/* ---- saving -------------------------------------------------------------- */

static status
entry_describe(struct rt_file *f, const char *key, const char *state,
               const struct fe_dat *d) {
  TRY(rt_io_put_text(f, key, "state", state, 0));
  TRY(rt_io_put_text(f, key, "name", d->pub.name, 0));
  TRY(rt_io_put_text(f, key, "set", d->pub.set->name, 0));
  TRY(rt_io_put_int(f, key, "elements", fe_rows_own(d->pub.set, 1, d->type).n));
  TRY(rt_io_put_int(f, key, "size", d->pub.size));
  TRY(rt_io_put_int(f, key, "dim", d->pub.dim));
  TRY(rt_io_put_text(f, key, "kind", type_text(d->type), 0));
  return rt_io_put_text(f, key, "type", d->pub.type, 0);
}

status
fe_saved_note(struct rt_file *f, const struct fe_dat *d, const char *key,
              const char *state) {
  struct rt_rows none = fe_rows_own(d->pub.set, d->pub.dim, d->type);
  none.n = none.lo = none.hi = 0;
  TRY(rt_io_write(f, key, &none, ""));
  return entry_describe(f, key, state, d);
}

status
fe_saved_dat(struct rt_file *f, struct fe_dat *d, const char *key) {
  struct rt_rows r = fe_rows_own(d->pub.set, d->pub.dim, d->type);
  const void *values;
  SCOPED void *kept = NULL;
  TRY(fe_agree_turn("op2_checkpoint"));
  TRY(fe_look_at("op2_checkpoint", d, false));
  TRY(fe_rows_values(d, &values, &kept));
  TRY(rt_io_write(f, key, &r, values));
  counters[CNT_checkpoint_dats]++;
  counters[CNT_checkpoint_bytes] += (r.hi - r.lo) * d->pub.size;
  return entry_describe(f, key, FE_SAVED, d);
}

status
fe_saved_gbl(struct rt_file *f, struct fe_gbl *g) {
  SCOPED_STR key = STR_INIT;
  struct rt_rows r = fe_rows_one(g->dim, g->type, true);
  status st = fe_look_gbl(g);
  if (st == OK) st = fe_gbl_check("op2_checkpoint", g);
  fe_gbl_key(g, &key);
  if (st == OK) st = rt_io_write(f, key.s, &r, g->data);
  if (st == OK) st = rt_io_put_text(f, key.s, "name", g->name, 0);
  if (st == OK) st = rt_io_put_text(f, key.s, "kind", type_text(g->type), 0);
  return st;
}

/* ---- restoring ----------------------------------------------------------- */

static status
dat_fill(struct rt_file *f, const char *key, struct fe_dat *d) {
  struct rt_rows r = fe_rows_seen(d->pub.set, d->pub.dim, d->type);
  void *rows;
  fe_void_clear(d);
  TRY(fe_look_at("op2_restart", d, true));
  TRY(fe_rows_read(f, key, &r, &rows));
  status st = fe_rows_become(d, &r, &rows);
  fe_rows_free(rows, &r);
  return st;
}

status
fe_saved_restore(struct rt_file *f, struct fe_dat *d) {
  SCOPED_STR key = STR_INIT, state = STR_INIT;
  bool found;
  fe_dat_key(d, &key);
  status st = rt_io_get_text(f, key.s, "state", &state, &found);
  if (st == OK && !strcmp(state.s, FE_SAVED)) st = dat_fill(f, key.s, d);
  if (st == OK && !strcmp(state.s, FE_LEFT_OUT))
    fe_void_since(d, rt_io_path(f));
  return st;
}

status
fe_saved_restore_gbl(struct rt_file *f, struct fe_gbl *g) {
  SCOPED_STR key = STR_INIT;
  struct rt_rows r = fe_rows_one(g->dim, g->type, false);
  fe_gbl_key(g, &key);
  rt_cell_written(&g->cell, false);
  return rt_io_read(f, key.s, &r, g->data);
}

status
fe_saved_close(struct rt_file *f) {
  status st = rt_io_close(f, true);
  if (st != OK) return err_prefix(st, "op2_checkpoint: ");
  counters[CNT_checkpoints]++;
  return OK;
}
