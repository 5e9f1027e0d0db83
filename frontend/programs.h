/* Programs: recordings that were traced, optimised and lowered. */
#ifndef FRONTEND_PROGRAMS_H
#define FRONTEND_PROGRAMS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fe_dat;
struct fe_request;
struct ir_trace;
struct low_env;
struct low_kernel;
struct low_program;
struct rt_dev_mem;
struct rt_device;
struct str;

/* A program global: where its bytes lie when the program runs. */
struct fe_global_src {
  bool raw;
  uint32_t gbl; /* handle */
  uint32_t rec; /* raw: record, and its offset in the captured bytes */
  uint32_t arg; /* argument number */
  size_t bytes;
};
struct fe_param_src {
  uint32_t rec;
  size_t offset;
};

struct fe_program {
  uint32_t *words; /* whole key */
  size_t nwords;
  struct low_program *low;
  struct fe_global_src *globals;
  struct fe_param_src *params;
  uint32_t *remaining; /* records that stay pending */
  uint32_t nremaining;
  uint32_t *launch_of; /* of each of its nrecs records; UINT32_MAX: none */
  uint32_t nrecs;
  struct fe_trial *trial; /* of its regions (trial.c); NULL: none under way */
  uint32_t loops;         /* loop records that it settles */
  uint32_t renames, dead; /* of these: became names, were dropped */
  bool inlines;         /* some loop is computed in several regions, perhaps */
  char *before, *after; /* IR text, for op2_trace_write and op2_explain */
  char *explain;
  struct fe_program *next; /* what ran after it last time */
  struct fe_stand *stands; /* of each dat of its trace; NULL: all on the host */
  uint32_t number;
  uint64_t used; /* fe_programs.runs at its last run */
  size_t bytes;  /* about, of all this */
  bool gone;     /* in the sweep under way */
};

extern struct fe_programs {
  struct fe_program **all;
  uint32_t n, cap, made;
  size_t bytes;
  uint64_t runs;
  struct fe_program *last; /* run last */
  uint32_t failed; /* record whose region had no code in the last try to make a
                      program; UINT32_MAX */
} fe_programs;

/* ---- sweep.c ------------------------------------------------------------ */

/* Before a program is made: room for it, by dropping those not used for
 * longest. */
void fe_sweep(void);
/* Slots that its tables name, and its code, stay; then what no program has kept
 * goes: code, teams, plans. Those behind the first `keep` go. */
void fe_program_keep(const struct fe_program *p);
void fe_plans_sweep(void);
void fe_programs_drop(uint32_t keep);
/* About what it takes, code and plans left out. */
size_t fe_program_bytes(const struct fe_program *p);

/* ---- regions.c, trial.c ------------------------------------------------- */

/* What may be tried of p, just made of t; into p->trial. */
void fe_trial_find(struct fe_program *p, const struct ir_trace *t);
void fe_trial_drop(struct fe_program *p);
/* Is there something to do before a run of p? The same on all ranks. */
bool fe_trial_wants(const struct fe_program *p);
/* That: *now is what runs in its place. Collective. */
status fe_trial_turn(struct fe_request rq, struct fe_program *p,
                     struct fe_program **now);
/* Behind that run. */
void fe_trial_ran(struct fe_program *p);
/* The program with which p takes turns; NULL. */
struct fe_program *fe_trial_other(const struct fe_program *p);

/* ---- tier.c ------------------------------------------------------------- */

/* May a program of t begin with code that is not optimised? Into env. */
void fe_tiers_ask(const struct ir_trace *t, struct low_env *env);
/* Before a flush: code that is optimised by now takes the place of other; is
 * there other code still? Then behind the flush: how long that took. */
bool fe_tiers_turn(void);
void fe_tiers_ran(double seconds);
/* Wait for all of it; before programs are measured, and kernels go. */
void fe_tiers_finish(void);
void fe_tiers_stop(void);

/* The program for the recording, found or made; else fe_programs.failed tells
 * whether it is for one loop. */
status fe_program_find(struct fe_request rq, struct fe_program **out);
/* ---- points.c ----------------------------------------------------------- */

struct fe_halo;
struct fe_set;
struct ir_area fe_area_of(const struct fe_halo *h);
/* What traces say of points but for the domain that they lie around; *out has
 * the number of elements. Nothing for other sets. */
struct ir_set;
void fe_points_describe(struct fe_set *s, struct ir_set *out);

/* ---- trace.c, program.c ------------------------------------------------- */

/* apart[i]: record i is never fused; NULL: any may be. device: one may run it.
 */
struct ir_trace *fe_trace_build(struct fe_request rq, const bool *apart,
                                bool device,
                                struct fe_global_src **globals_out);
/* One of all that is pending, for who looks at it alone. */
struct ir_trace *fe_trace_pending(void);
status fe_program_make(struct fe_request rq, struct fe_program **out);
/* What lowering asks, of recorded loops. */
status fe_env_make(struct low_env *out);
/* One with these records apart, which needs no deeper halos. ERR_COMPILE */
status fe_program_variant(struct fe_request rq, const bool *apart,
                          struct fe_program **out);
void fe_program_free(struct fe_program *p);
/* bind.c: its tables, and a run on so many threads, in two steps: what may fail
 * and changes nothing, and the rest; cancel: instead of that. broken: it failed
 * behind the first write of a value. */
status fe_program_bind(struct fe_program *p,
                       const struct fe_global_src *globals);
status fe_program_prepare(struct fe_program *p, int nthreads);
/* Where the dats of its trace are now, and how far out they are right, is what
 * it was made for; are they so again? Nothing else of their state counts. */
void fe_program_stand(struct fe_program *p);
bool fe_program_stands(const struct fe_program *p);
status fe_program_run(struct fe_program *p);
void fe_program_cancel(struct fe_program *p);
bool fe_program_broken(const struct fe_program *p);
/* If launch k of q has sums, is it cut in two behind an exchange just as launch
 * i of p is? Else threads take other elements of these. */
bool fe_program_same_cut(const struct fe_program *p, uint32_t i,
                         const struct fe_program *q, uint32_t k);
/* What its launch i took on the host, since somebody set it to zero. */
double *fe_program_seconds(const struct fe_program *p, uint32_t i);
/* Do launches run as fronts? Where their pieces end, and so bits of sums,
 * follows from all of these launches. */
bool fe_program_fronts(const struct fe_program *p);
/* Where its launches run, into the remarks of its trace. */
void fe_program_remark(const struct fe_program *p, struct ir_trace *t);

/* ---- state.c, targets.c ------------------------------------------------- */

/* Number for where all data are; 0: on the host. */
uint32_t fe_residency_id(void);
/* Between runs: numbers in words of keys that are kept; the others go. */
void fe_states_keep(const uint32_t *words, size_t n);
void fe_states_sweep(void);
/* The device that has the dat's values, NULL: none; *both: the host, too. */
const char *fe_dat_at(const struct fe_dat *d, bool *both_out);
/* The device of a target's name; the name of the target with this memory. */
struct rt_device *fe_target_device(const char *name);
/* Is code for it other than a processor's? */
bool fe_target_gpu(const char *name);
bool fe_devices_any(void);
/* "opencl:0 (its name)" */
void fe_device_text(const struct rt_device *d, struct str *out);
const char *fe_target_of(const struct rt_dev_mem *m);
void fe_targets_sweep(void);

/* ---- consts.c, what lowering asks --------------------------------------- */

/* A kernel; a constant's bytes at this epoch if folded, NULL if captured. */
const struct low_kernel *fe_env_kernel(void *user, uint32_t tag);
const void *fe_env_constant(void *user, uint32_t tag, uint32_t epoch,
                            uint32_t i);

/* ---- pipeline.c --------------------------------------------------------- */

/* All passes, as the options say; are these names of passes? ERR_ARG */
status fe_passes_run(struct ir_trace **t, struct fe_program *p);
/* The same for code that is not run; gpu: other than a processor's. */
status fe_passes_for(struct ir_trace **t, bool gpu);
status fe_passes_check(const char *names);
/* Pass number alone, over declarations; by: its option, -1: none. */
status fe_passes_number(struct ir_trace **t, int by);

/* ---- layout.c ----------------------------------------------------------- */

/* Bring dats to the layouts that the trace says (*changed: traces and programs
 * made before no longer fit). ERR_MEMORY */
status fe_layout_take(const struct ir_trace *t, bool *changed);

/* ---- dump.c ------------------------------------------------------------- */

/* OP2_TRACE: text and graph of each different flush. */
void fe_dump_flush(struct fe_program *p, const struct ir_trace *before,
                   const struct ir_trace *after);
void fe_dump_pass(void *user, const char *pass, const struct ir_trace *t);
void fe_dump_trace(const char *stem, const struct ir_trace *t);
void fe_explain_clear(void);

/* ---- timeline.c --------------------------------------------------------- */

/* From now on, if OP2_TRACE is set. */
void fe_timeline_start(void);
/* A flush ends, in which p ran, or the making of p: NULL: it failed. */
void fe_told_flush(const struct fe_program *p);
void fe_told_program(const struct fe_program *p);
status fe_timeline_write(const char *path); /* of this rank. ERR_IO */
void fe_timeline_clear(void);

#endif
