/* op2_restart: going on from a checkpoint (checkpoint.c).
 *
 * First everything is compared: each dat and global of the program must be in
 * the file, alike, and the other way round. Only then values are read.
 *
 * A dat that was left out is *void*: it has no values until a loop writes all
 * of it, which is what the run that wrote the checkpoint did first. Any other
 * use is an error at the call. A void dat that a second checkpoint meets is
 * left out again. */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/log.h"
#include "base/str.h"
#include "base/table.h"
#include "rt/io/io.h"

#include <string.h>

/* ---- comparing ----------------------------------------------------------- */

/* What the file has under one key. */
struct entry {
  struct str state, set, kind;
  long long elements, dim;
  bool found;
};

static void
entry_clear(struct entry *e) {
  str_clear(&e->state);
  str_clear(&e->set);
  str_clear(&e->kind);
}

static status
entry_read(struct rt_file *f, const char *key, struct entry *e) {
  bool has[5];
  *e = (struct entry){STR_INIT, STR_INIT, STR_INIT, 0, 0, false};
  TRY(rt_io_get_text(f, key, "state", &e->state, &has[0]));
  TRY(rt_io_get_text(f, key, "set", &e->set, &has[1]));
  TRY(rt_io_get_text(f, key, "kind", &e->kind, &has[2]));
  TRY(rt_io_get_int(f, key, "elements", &e->elements, &has[3]));
  TRY(rt_io_get_int(f, key, "dim", &e->dim, &has[4]));
  e->found = has[0] && has[1] && has[2] && has[3] && has[4];
  return OK;
}

static status
check_alike(struct rt_file *f, const struct fe_dat *d, const struct entry *e) {
  const char *kind = type_text(d->type);
  const struct fe_set *on = (struct fe_set *)d->pub.set;
  long long n = fe_rows_total(on);
  if (!e->found)
    FAIL(ERR_IO, "\"%s\": expected dat \"%s\", found none", rt_io_path(f),
         d->pub.name);
  if (!strcmp(kind, e->kind.s) && e->dim == d->pub.dim && e->elements == n &&
      !strcmp(e->set.s, on->pub.name))
    return OK;
  FAIL(ERR_IO,
       "\"%s\": dat \"%s\": expected %s x %d on %lld elements of set \"%s\", "
       "found %s x %lld on %lld of \"%s\"",
       rt_io_path(f), d->pub.name, kind, d->pub.dim, n, on->pub.name, e->kind.s,
       e->dim, e->elements, e->set.s);
}

/* Would the program be in the state of the checkpoint? */
static status
check_state(struct rt_file *f, const struct fe_dat *d, const char *state) {
  if (!strcmp(state, FE_AS_DECLARED) && d->written)
    FAIL(ERR_STATE,
         "\"%s\": dat \"%s\": expected as it was declared, since the "
         "checkpoint has it so, found it written before op2_restart",
         rt_io_path(f), d->pub.name);
  if (!strcmp(state, FE_LEFT_OUT) && (d->pinned || fe.mirror))
    FAIL(ERR_STATE,
         "\"%s\": dat \"%s\" was left out, which expects a dat in the "
         "library's memory, found one in the program's (OP_NO_REALLOC, an "
         "overlay, OP2_MIRROR); write the checkpoint under OP2_CHECKPOINT=all",
         rt_io_path(f), d->pub.name);
  return OK;
}

static status
dat_check(struct rt_file *f, const struct fe_dat *d) {
  SCOPED_STR key = STR_INIT;
  struct entry e;
  fe_dat_key(d, &key);
  status st = entry_read(f, key.s, &e);
  if (st == OK) st = check_alike(f, d, &e);
  if (st == OK) st = check_state(f, d, e.state.s);
  entry_clear(&e);
  return st;
}

static status
gbl_check(struct rt_file *f, const struct fe_gbl *g) {
  SCOPED_STR key = STR_INIT, kind = STR_INIT;
  struct rt_data data = {0};
  bool has = false;
  fe_gbl_key(g, &key);
  status st = rt_io_find(f, key.s, &data);
  if (st == OK) st = rt_io_get_text(f, key.s, "kind", &kind, &has);
  if (st == OK && (!has || strcmp(kind.s, type_text(g->type)) ||
                   data.n * data.dim != (idx_g)g->dim))
    st = err_set(ERR_IO,
                 "\"%s\": global \"%s\": expected %s x %u, found %s x %lld",
                 rt_io_path(f), g->name, type_text(g->type), g->dim,
                 has ? kind.s : "none", (long long)(data.n * data.dim));
  return st;
}

/* Keys in the file that the program has nothing for. */
struct strangers {
  struct table known;
  const char *group;
  struct str first; /* its key; empty: there are none */
};

static void
known_add(struct table *known, struct str *key) {
  *table_slot(known, key->s, key->len) = 1;
  str_clear(key);
}

static void
stranger_note(void *user, const char *name) {
  struct strangers *s = user;
  SCOPED_STR key = STR_INIT;
  str_printf(&key, "%s/%s", s->group, name);
  if (!s->first.len && !table_get(&s->known, key.s, key.len, 0))
    str_add(&s->first, key.s);
}

static status
check_strangers(struct rt_file *f) {
  struct strangers s = {.group = "dats", .first = STR_INIT};
  struct str key = STR_INIT;
  for (uint32_t i = 0; i < fe_all.naged; i++) {
    if (fe_all.aged[i]->freed) continue;
    fe_dat_key(fe_all.aged[i], &key);
    known_add(&s.known, &key);
  }
  for (uint32_t i = 0; i < fe_all.naged_gbls; i++) {
    if (fe_all.aged_gbls[i]->freed) continue;
    fe_gbl_key(fe_all.aged_gbls[i], &key);
    known_add(&s.known, &key);
  }
  status st = rt_io_list(f, "dats", stranger_note, &s);
  s.group = "globals";
  if (st == OK) st = rt_io_list(f, "globals", stranger_note, &s);
  if (st == OK && s.first.len)
    st = err_set(ERR_IO,
                 "\"%s\": expected all of its dats and globals to be declared, "
                 "found no \"%s\"",
                 rt_io_path(f), s.first.s);
  table_clear(&s.known);
  str_clear(&s.first);
  return st;
}

static status
check_all(struct rt_file *f) {
  long long version;
  bool found;
  TRY(rt_io_get_int(f, "/", FE_CHECKPOINT_MARK, &version, &found));
  if (!found)
    FAIL(ERR_IO, "\"%s\": expected a checkpoint, found another HDF5 file",
         rt_io_path(f));
  if (version != FE_CHECKPOINT_VERSION)
    FAIL(ERR_IO, "\"%s\": expected a checkpoint of version %d, found %lld",
         rt_io_path(f), FE_CHECKPOINT_VERSION, version);
  for (uint32_t i = 0; i < fe_all.naged; i++)
    if (!fe_all.aged[i]->freed) TRY(dat_check(f, fe_all.aged[i]));
  for (uint32_t i = 0; i < fe_all.naged_gbls; i++)
    if (!fe_all.aged_gbls[i]->freed) TRY(gbl_check(f, fe_all.aged_gbls[i]));
  return check_strangers(f);
}

/* ---- restoring ----------------------------------------------------------- */

static status
restore_all(struct rt_file *f) {
  TRY(check_all(f));
  TRY(fe_run_for_call());
  for (uint32_t i = 0; i < fe_all.naged; i++)
    if (!fe_all.aged[i]->freed) TRY(fe_saved_restore(f, fe_all.aged[i]));
  for (uint32_t i = 0; i < fe_all.naged_gbls; i++)
    if (!fe_all.aged_gbls[i]->freed)
      TRY(fe_saved_restore_gbl(f, fe_all.aged_gbls[i]));
  return OK;
}

static status
restart(const char *path) {
  if (!path) FAIL(ERR_ARG, "expected a file name, found NULL");
  TRY(fe_checkpoint_finish());
  if (fe.nviews) fe_views_close();
  struct rt_file *f;
  TRY(fe_agree("op2_restart", 0, OK));
  TRY(rt_io_open(path, RT_IO_READ, fe_ranks.comm, &f));
  status st = restore_all(f);
  rt_io_close(f, false);
  return st;
}

int
op2_restart(const char *path) {
  if (!fe_enter("op2_restart")) return ERR_STATE;
  status st = restart(path);
  if (st != OK) fe_error_returned(err_prefix(st, "op2_restart: "));
  if (st != OK && !fe.handler && !fe_ranks.rank) LOG_WARN("%s", err_last());
  fe.file = NULL;
  return (int)st;
}
