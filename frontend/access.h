/* The one door to data, used by every accessor. */
#ifndef FRONTEND_ACCESS_H
#define FRONTEND_ACCESS_H

#include "frontend/fe.h"

/* Check the handle, run what the dat needs (rw: its pending readers, too) and
 * make its mirror current. */
status fe_access_begin(const char *api, op_dat dat, bool rw,
                       struct fe_dat **out);
/* The host wrote the mirror; a dat that shared its buffer has one of its own
 * next time, which the keys of programs must see. */
void fe_dat_host_wrote(struct fe_dat *d);
/* The mirror, as the program has left it, becomes the dat's values; ordered
 * like a write. */
status fe_upload(const char *api, op_dat dat);
/* Views for writing end here: their dats were written by the host. */
void fe_views_close(void);

#endif
