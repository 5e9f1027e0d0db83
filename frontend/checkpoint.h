/* Checkpoints, as the rest of the frontend sees them: see checkpoint.c. */
#ifndef FRONTEND_CHECKPOINT_H
#define FRONTEND_CHECKPOINT_H

#include "base/err.h"

#define OP2_NO_MACROS 1
#include "op2.h"

struct fe_call;
struct fe_dat;
struct fe_gbl;
struct fe_program;
struct fe_rec;
struct str;

/* ---- checkpoint.c: while one is open (fe.saving) --------------- */

/* A loop is about to be recorded: what it reads is saved, what it writes in
 * full is left out. Failures end the checkpoint and are reported; the loop is
 * not concerned. */
void fe_checkpoint_loop(const struct fe_call *c);
/* The host is about to see or to change this dat, not only by a loop. */
void fe_checkpoint_look(struct fe_dat *d);
/* Nobody will see this dat's values. */
void fe_checkpoint_drop(struct fe_dat *d);
/* Save all that is undecided and put the file in its place; if there is one. */
status fe_checkpoint_finish(void);

/* ---- void.c: dats and globals without values ---------------------------- */

struct fe_cause {
  status st;
  const char *text;
};
void fe_lose_dat(struct fe_dat *d, struct fe_cause cause);
void fe_lose_gbl(struct fe_gbl *g, struct fe_cause cause);
/* The cause, if the loop wants something that is lost; its text is NULL if not.
 */
struct fe_cause fe_lost_wanted(const struct fe_call *c);
/* The loop runs later: what it writes in full has values then. */
void fe_lost_found(const struct fe_call *c);
/* What the memory of this dat held is lost to the others that lie there. */
void fe_lost_root(const struct fe_dat *d, struct fe_cause cause);
status fe_gbl_check(const char *api, const struct fe_gbl *g);
void fe_gbl_found(struct fe_gbl *g);

/* ---- lost.c: what failed runs and refused loops lose -------------------- */

/* The program failed in the middle, for this cause: mark what it writes. */
void fe_lost_mark(const struct fe_program *p, struct fe_cause cause);
/* Drop the records of the loop `refused`, for this cause (NULL: none), and
 * those that want what is lost; what they would have written is. */
void fe_lost_drop(const struct fe_rec *refused, struct fe_cause why);
/* Free what lost dats held, where no loop waits for it. */
void fe_lost_forget(void);

/* ---- the file ---------------------------------------------------------------
 * Its attributes "op2lazy checkpoint" (the version) and a data set for each
 * dat and each global, dats/KEY and globals/KEY, with those of struct
 * fe_saved. A dat that was not saved has no rows. */

enum { FE_CHECKPOINT_VERSION = 1 };
#define FE_CHECKPOINT_MARK "op2lazy checkpoint"

/* What a checkpoint has of a dat. */
#define FE_SAVED "saved"
#define FE_AS_DECLARED "as declared"
#define FE_LEFT_OUT "left out"

struct rt_file;
/* A dat's values; that it has none in the file, and why (state); a global's. */
status fe_saved_dat(struct rt_file *f, struct fe_dat *d, const char *key);
status fe_saved_note(struct rt_file *f, const struct fe_dat *d, const char *key,
                     const char *state);
status fe_saved_gbl(struct rt_file *f, struct fe_gbl *g);
/* It is whole. */
status fe_saved_close(struct rt_file *f);
/* Values from the file, or that there are none. */
status fe_saved_restore(struct rt_file *f, struct fe_dat *d);
status fe_saved_restore_gbl(struct rt_file *f, struct fe_gbl *g);

/* The name in the file of a dat or global: "dats/p_q", the second of its name
 * "dats/p_q#2"; '/' and '#' in names become %2F and %23. */
void fe_dat_key(const struct fe_dat *d, struct str *out);
void fe_gbl_key(const struct fe_gbl *g, struct str *out);

#endif
