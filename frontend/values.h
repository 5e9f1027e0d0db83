/* Values of dats: the door to them, and mirrors, which the program sees. */
#ifndef FRONTEND_VALUES_H
#define FRONTEND_VALUES_H

#include "base/err.h"
#include "base/types.h"

#define OP2_NO_MACROS 1
#include "op2.h"

struct fe_dat;
struct fe_gbl;
struct fe_set;

/* ---- access.c: the one door to data, used by every accessor ------------- */

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

/* ---- want.c, look.c: below that door ------------------------------------ */

/* Before an accessor: run what this dat needs; rw: its readers, too. */
status fe_look(struct fe_dat *d, bool rw);
/* The same for `api`, on all ranks; then its mirror is current. Collective. */
status fe_look_at(const char *api, struct fe_dat *d, bool rw);
/* Run what the global's value needs; the host has it then. */
status fe_look_gbl(struct fe_gbl *g);
/* Run all; from now on the dat lies in the memory that the program sees. One
 * rank. */
status fe_dat_pin(struct fe_dat *d);

/* From now on mirrors are kept current: dats declared before are brought there.
 */
status fe_mirror_turn_on(void);
/* Some rank is in a look, and others are elsewhere, farther on: from then on
 * mirrors are kept current, or raw globals delivered at the call, by what the
 * first such rank looks at. All run what that one has recorded; what others
 * have recorded behind it they go through loop by loop, as it will at its
 * calls. Collective. */
status fe_look_catch_up(const char *what);

/* ---- values.c: mirrors -------------------------------------------------- */

/* Elements that the program sees as its own. */
idx_l fe_own_size(const struct fe_set *s);
/* Make the mirror current: this rank's rows, and where each rank sees all,
 * those of others. Collective. */
status fe_dat_sync(struct fe_dat *d);
/* recording.c: does a loop that waits to run on the host read the dat? cost
 * O(loops) */
bool fe_dat_host_reads(const struct fe_dat *d);
/* The halo of a current mirror, from its owners: all that loops over this
 * rank's elements and the executed halo name. Collective. */
status fe_dat_halo(struct fe_dat *d);
/* The values of the part that this rank declared, in its order, from a current
 * mirror; `out` has room for fe_declared_size elements. Collective. */
status fe_ranks_home(const struct fe_dat *d, void *out);
idx_l fe_declared_size(const struct fe_dat *d);
/* rows.c: all values in the order of files, of a current mirror: on rank 0
 * (GIVE by free; NULL elsewhere); of rows low to high on every rank.
 * Collective. */
status fe_rows_gather(const struct fe_dat *d, char **out);
status fe_rows_range(const struct fe_dat *d, idx_g low, idx_g high, void *out);
/* homes.c: values of a dat while its set is spread (again), in declared order.
 */
struct fe_home {
  char *values; /* NULL: the mirror keeps them */
  char *seen;   /* what the mirror holds, where loops that wait use the buffer's
                   values; NULL: the same */
};
void fe_home_clear(struct fe_home *h);
/* Has this rank values for loops that wait besides what the mirror holds? */
bool fe_home_apart(const struct fe_dat *d);
/* Before (`apart`: some rank has); and behind, when the set lies as it will.
 * Collective. */
status fe_home_take(struct fe_dat *d, bool apart, struct fe_home *out);
status fe_home_place(struct fe_dat *d, const struct fe_home *home);
/* Make pinned memory current; written: the program may write there now. */
status fe_targets_sync(bool written);
/* After each run where fe.mirror or fe.holds. Collective. */
status fe_mirror_keep(void);

#endif
