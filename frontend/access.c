/* The one door to data: every accessor goes through fe_access_begin, which runs
 * exactly what the dat needs and brings its mirror up to date. */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

#include <stdlib.h>
#include <string.h>

status
fe_access_begin(const char *api, op_dat dat, bool rw, struct fe_dat **out) {
  if (!fe_handle_is(dat, FE_DAT) && (rw || !fe_handle_is(dat, FE_COPY)))
    FAIL(ERR_ARG, "%s: expected a declared dat, found %s", api,
         fe_handle_found(dat));
  struct fe_dat *d = (struct fe_dat *)dat;
  if (fe_all.nvoid) TRY(fe_void_check(api, d));
  if (fe.nviews) fe_views_close();
  for (bool met = false; !met && fe.saving;) TRY(fe_agree_meet(api, &met));
  fe_checkpoint_look(d);
  *out = d;
  return fe_look_at(api, d, rw);
}

/* Of what the program may write. */
static size_t
bytes_of(const struct fe_dat *d) {
  return (size_t)d->pub.set->size * (size_t)d->pub.size;
}

/* A copy of what the mirror holds. */
static status
values_keep(const char *api, const struct fe_dat *d, char **out) {
  *out = mem_try(bytes_of(d) + 1, 1);
  if (!*out)
    FAIL(ERR_MEMORY, "%s: dat \"%s\": no memory for a copy of %zu bytes", api,
         d->pub.name, bytes_of(d));
  memcpy(*out, d->rt.mirror, bytes_of(d));
  return OK;
}

/* Loops recorded before see the old values, and may write the dat: what the
 * program put into the mirror is kept meanwhile. */
status
fe_upload(const char *api, op_dat dat) {
  if (!fe_handle_is(dat, FE_DAT))
    FAIL(ERR_ARG, "%s: expected a declared dat, found %s", api,
         fe_handle_found(dat));
  struct fe_dat *d = (struct fe_dat *)dat;
  if (fe.opt.bare) return fe_bare_refuse(api);
  SCOPED char *kept = NULL;
  TRY(fe_agree_turn(api));
  fe_agree_step(api, d->pub.name, d->born);
  if (d->void_since) TRY(fe_void_check(api, d));
  if ((fe_waits(d->written_in) || d->undecided) && !d->rt.foreign)
    TRY(values_keep(api, d, &kept));
  fe_checkpoint_look(d);
  TRY(fe_look(d, true));
  if (d->rt.foreign && d->rt.buf->stale) {
    TRY(values_keep(api, d, &kept)); /* others lie there, too */
    TRY(fe_dat_sync(d));
  }
  if (kept) memcpy(d->rt.mirror, kept, bytes_of(d));
  d->rt.mirror_current = true;
  if (d->lost) fe_void_clear(d);
  fe_dat_host_wrote(d);
  return OK;
}
