/* The context behind OP2's handle-free API: options, what the library is doing,
 * and where the call under way stands in the program. Each part has its own
 * state in its own header.
 *
 * The way of a loop, file by file:
 *   record.c   op_par_loop matches the call against the calls seen before and
 *              appends a few words to the recording; due.c: what must run then
 *   call.c     the first time: all checks (check.c), and what the kernel's IR
 *              proves (prove.c)
 *   recording.c
 *              what was recorded and waits
 *   flush.c    decides what has to run, and runs the program that lookup.c
 *              finds for it
 *   trace.c    no such program yet: the recording becomes a trace (ir/ir.h)
 *   program.c  ... which is lowered, and its tables filled from the handles
 *   refuse.c   what cannot be compiled goes; lost.c: what else goes with it
 *   sweep.c    what is kept of programs, calls and the rest, and what goes
 *   consts.c   constants: folded while they keep their value
 *   slots.c    dats: declared, overlaid, freed, used again
 *   graves.c   sets and maps: listed, freed
 *   number.c   numbers sets anew where the program's order is bad; numbering.c
 *              asks a pass
 *   checkpoint.c, restart.c
 *              what a run needs to go on, in a file
 *   generate.c, api_generate.c
 *              code of what is pending, written and not run
 *   api_vtk.c, vtk_file.c, xdmf.c
 *              series of pictures
 *   bare.c     a program without data (OP2_STATIC), whose loops never run
 *   ranks.c, spread.c
 *              sets, maps and dats over several ranks; agree.c: all at one
 *              point; whole.c: a program for one rank among several
 *   maps.c     maps as declared, and made from others; tables.c: as loops go
 *              by them
 *   boxes.c    sets of points, and maps by rule; box_loops.c: how far a loop
 *              reaches; axis.c: axes; levels.c: loops over levels
 *   values.c   values in mirrors; access.c: the door to them; void.c: none
 *   nan.c      OP2_CHECK=nan: which loop makes a value that is not finite;
 *              nan_find.c: by which element
 *   clock.c, report.c, report_text.c, report_json.c, report_words.c
 *              OP2_REPORT: where time went, and what held regions up
 *   state.c    facts of state in the keys of programs
 *   error.c    errors of calls, handles
 *   algebra.c  loops of the library's own, on whole dats; solve.c: solvers
 *   api_*.c    the C API itself
 */
#ifndef FRONTEND_CONTEXT_H
#define FRONTEND_CONTEXT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"

#define OP2_NO_MACROS 1
#include "op2.h"

#include <pthread.h>

struct fe {
  struct options opt;
  enum { FE_DOWN, FE_UP, FE_RUNNING } up; /* running: kernels are under way */
  bool no_realloc, auto_soa, defer_globals, told_opaque;
  bool arrays_apart;   /* OP_NO_REALLOC was asked for, and there are ranks */
  bool mirror;         /* all mirrors are kept current: mirror.c */
  bool mirror_written; /* ... and the program may write there */
  bool lone_looks; /* there are ranks, of which one may look alone: mirror.c */
  bool lone_dats;  /* ... at dat->data */
  bool owed_off;   /* raw globals are delivered at the call: owed.c */
  bool looks;      /* op2_look_at does what its place needs */
  bool holds;      /* some dat is held */
  bool host_only;  /* op_disable_device_execution */
  bool renumber;   /* op_renumber: sets anew, however good they are */
  bool apart;      /* each loop is a region of its own: refuse.c */
  bool saving;     /* a checkpoint is open: checkpoint.c */
  bool report;     /* OP2_REPORT is set */
  bool unsettled;  /* sets or maps were declared since they were numbered */
  bool unsettled_seen;  /* some of them by the program */
  bool unsettled_waits; /* some of them are met by loops that wait */
  int base_index;       /* OP_MAPS_BASE_INDEX */
  int nthreads;
  int processors; /* of the machine, for each of its ranks */
  uint32_t share; /* of its last cache, for each processor */
  void (*handler)(int, const char *, void *);
  void *handler_user;
  const char *api;  /* the last API call */
  const char *file; /* of the API call under way, from op2_here */
  int line;
  uint32_t masked; /* matrices that have a mask in force: mat_arg.c */
  bool boxed;      /* boxes or grids were declared: box_loops.c */
  unsigned long thread;
  uint32_t fp_home,
      fp_mode;  /* rounding (base/fp.h) at op_init, of what waits */
  bool fp_away; /* loops run at their calls, see record.c */
  struct arena arena;
  uint64_t source_version; /* of kernels from text */
  uint32_t target;         /* of loops recorded now: targets.c */
  uint32_t state_id;       /* which dats share buffers: state.c */
  uint32_t setup_id; /* changes with layouts, overlays and disabled passes */
  uint32_t nviews;   /* dats whose mirror op2_dat_data_rw gave out */
  op_set one;        /* of one element: algebra.c; NULL */
  uint64_t pins;     /* dats that came to lie in the program's memory */
  double started;
};
extern struct fe fe;

/* Sets or maps were declared: by the program, or by the library for it. */
static inline void
fe_unsettle(bool seen) {
  fe.unsettled = true;
  fe.unsettled_seen |= seen;
}

/* Is what loops make looked at (nan.c)? */
static inline bool
fe_watches(void) {
  return fe.opt.check == OPT_check_nan && !fe.opt.bare;
}

/* ---- errors ------------------------------------------------------------- */

/* End of an API call that failed: the last message, with the call's place
 * before it, goes to the handler, or is printed and the program ends. Returns
 * `st`. */
status fe_error(status st);
/* The same, but the program goes on: rank 0 prints it. */
void fe_error_told(status st);
/* Without printing: for calls that return the status when no handler is set. */
status fe_error_returned(status st);
/* ---- clock.c: where time goes, for OP2_REPORT and the timeline ---------- */

enum fe_clock {
  FE_CLOCK_INSIDE,    /* calls of the library */
  FE_CLOCK_RECORDING, /* op_par_loop, without what it runs */
  FE_CLOCK_FLUSH,     /* running what was recorded */
  FE_CLOCK_PROGRAMS,  /* finding and making programs, compilers included */
  FE_CLOCK_MESH,      /* numbering sets, spreading them over ranks */
  FE_CLOCK_COUNT
};
void fe_clock_start(void); /* all to zero; op_init is under way */
void fe_clock_enter(void); /* a call begins, and ends */
void fe_clock_leave(void);
/* For fe_clock_end; 0: nobody wants a report. */
double fe_clock_begin(void);
/* Flushes, programs and meshes as events of base/event.h (name: why); words:
 * as there, NULL where it begins. */
void fe_told(enum fe_clock section, const char *name, const char *words,
             bool begins);
/* The text for as long as anybody listens; NULL: nobody does. */
const char *fe_told_name(const char *name);
void fe_clock_end(enum fe_clock clock, double begin);
double fe_clock_seconds(enum fe_clock clock);
/* After a flush: a look how slow the machine is beside the loops. */
void fe_clock_pace(void);

/* report.c. Is a report wanted? Then clocks run from now on, and
 * rt/pace.c begins. */
void fe_report_start(void);
void fe_report_stop(void);
/* It, at op_exit. Collective. ERR_IO, ERR_MEMORY */
status fe_report_write(void);

/* Library up, no kernel under way, and this the thread of op_init? Else an
 * error (fe_enter_refused tells it); 0 then. */
bool fe_enter_refused(const char *what);
static inline bool
fe_enter(const char *what) {
  bool may = fe.up == FE_UP && fe.thread == (unsigned long)pthread_self();
  fe.api = what;
  if (fe.report) fe_clock_enter();
  return may || fe_enter_refused(what);
}

/* End of an API call: what went wrong is told; its place in the program is no
 * longer known. The second returns the status instead, if no handler is set. */
void fe_leave(status st);
int fe_leave_returned(status st);

/* OP2_STATIC is set: `what` would run loops or look at values. ERR_STATE */
status fe_bare_refuse(const char *what);

/* A copy for the caller to free. */
char *fe_text_copy(const char *s);

/* Matrices and sparsities, at op_exit. */
void fe_mats_release(void); /* from PETSc, which ends; before handles go */
void fe_mats_clear(void);
void fe_sparsities_clear(void);

/* ---- handles ------------------------------------------------------------ */

enum fe_handle {
  FE_HANDLE_NONE,
  FE_SET,
  FE_MAP,
  FE_DAT,
  FE_GBL,
  FE_SPARSITY,
  FE_MAT,
  FE_COPY,   /* of a dat; none to loops */
  FE_RULE,   /* a map without a table: box.h */
  FE_POINTS, /* the set that dats with a halo lie on: box.h */
  FE_AXIS    /* of a box: axis.h */
};
/* Is it a live handle of this kind? Only its address is looked at. */
bool fe_handle_is(const void *handle, enum fe_handle kind);
/* What it is instead, behind "found": NULL, dat "x", a freed dat, no handle.
 * Until the next call. */
const char *fe_handle_found(const void *handle);
void fe_handle_add(const void *handle, enum fe_handle kind);
void fe_handle_free(const void *handle);   /* known as one that was freed */
void fe_handle_forget(const void *handle); /* its address is any again */
extern uint64_t fe_handles_freed;          /* how many, ever */
void fe_handles_forget(void);

/* ---- what is waiting ---------------------------------------------------- */

/* Views for writing end here: their dats were written by the host. */
void fe_views_close(void);

/* Has any file of the program brought kernels with IR? */
bool fe_kernels_any(void);

/* ---- targets.c ---------------------------------------------------------- */

void fe_targets_forget(void);              /* copies of tables on devices */
bool fe_target_is_device(uint32_t target); /* by number */

/* ---- the life of the parts, for init.c ---------------------------------- */

/* Run all that was recorded, for an API call that needs it (recording.h). */
status fe_run_for_call(void);

status fe_options_read(int argc, char **argv);
/* Is this a value of OP2_TRIAL? Then it counts. */
bool fe_trial_option(const char *text);
/* What lies below. shared: the cache, by ranks. */
void fe_parts_start(bool shared);
void fe_parts_stop(void);
void fe_rounding_start(void);
status fe_bare_start(void); /* OP2_STATIC. ERR_STATE: there are ranks */
void fe_bare_end(void);     /* what is pending goes */
status fe_mirror_start(void);
void fe_mirror_stop(void);
void fe_vtk_clear(void); /* series of op2_write_vtk begin anew */
status fe_targets_init(void);
void fe_targets_clear(void);
void fe_handles_clear(void);
void fe_recording_clear(void);
void fe_calls_clear(void);
void fe_kernels_clear(void);
void fe_programs_clear(void);
void fe_states_clear(void);

#endif
