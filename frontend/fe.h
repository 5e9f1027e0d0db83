/* The frontend's own view: what stands behind OP2's handles, the recording, and
 * the programs made from it. One context behind OP2's handle-free API.
 *
 * The way of a loop, file by file:
 *   record.c   op_par_loop matches the call against the calls seen before and
 *              appends a few words to the recording
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
 *   number.c   numbers sets anew where the program's order is bad
 *   checkpoint.c, restart.c
 *              what a run needs to go on, in a file
 *   ranks.c, spread.c
 *              sets, maps and dats over several ranks; agree.c: all at one
 *              point; whole.c: a program for one rank among several
 *   values.c   values in mirrors; access.c: the door to them; void.c: none
 *   state.c    facts of state in the keys of programs
 *   error.c    errors of calls, handles
 *   api_*.c    the C API itself
 */
#ifndef FRONTEND_FE_H
#define FRONTEND_FE_H

#include "base/arena.h"
#include "base/counters.h"
#include "base/err.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/table.h"
#include "base/types.h"
#include "ir/ir.h"
#include "lower/device.h"
#include "lower/lower.h"
#include "rt/ranks/comm.h"
#include "rt/ranks/dist.h"
#include "rt/plan.h"
#include "rt/store/residency.h"

#define OP2_NO_MACROS 1
#include "op2.h"

/* ---- what stands behind the handles ---------------------------------------
 * The public struct comes first, so a handle converts by a cast; fe_*_of check
 * that it is one of ours. */

struct fe_set {
  struct op_set_core pub;
  struct rt_set rt;    /* rt.order is ours */
  bool fixed;          /* holds memory of the program: keeps its numbers */
  bool settled;        /* number.c has decided */
  struct rt_part part; /* over ranks; rt.part once it is spread */
};

struct fe_map {
  struct op_map_core pub;    /* pub.map: the program's numbers */
  struct rt_relation rt;     /* rt.table is that, or, renumbered, our own */
  uint32_t flags;            /* IR_MAP_* */
  bool foreign;              /* the table is the user's own memory */
  size_t bytes;              /* of pub.map */
  idx_g *declared;           /* over ranks: this rank's rows, global numbers */
  uint64_t rows_said;        /* a hash of them */
  const void *declared_from; /* the program's pointer at the declaration */
};

enum fe_dat_kind { FE_DAT_PLAIN, FE_DAT_TEMP };
struct fe_dat {
  struct op_dat_core pub;
  struct rt_dat rt;
  struct type type;
  uint32_t index;   /* in fe.dats; the tag in traces */
  uint32_t root;    /* storage that it shares: index of a dat; itself */
  bool pinned;      /* in the user's memory, an overlay, or mirror mode */
  bool temp, freed; /* freed: handle is void, pending loops may still use it */
  struct fe_dat *base; /* of an overlay: whose memory it lies on; NULL */
  uint32_t overlays;   /* on this one's memory, not parked */
  uint64_t born;       /* in the order of declarations */
  bool auto_layout;    /* the library chooses `block` by use (layout.c) */
  uint32_t block;      /* rt.shape.block, kept while parked */
  bool called;         /* calls or programs may know the slot by this shape */
  bool by_rows;        /* a call used it an element at a time (layout.c) */
  bool parked;      /* all loops ran: the slot waits for a like declaration */
  bool written;     /* since its declaration, also by pending loops */
  bool undecided;   /* ... and in fe.checkpoint */
  char *void_since; /* checkpoint that it has had no values since; NULL */
  char *lost;       /* why it has no values: what a run failed of; NULL */
  status lost_by;   /* ... as a status */
  bool viewed;      /* op2_dat_data_rw gave its mirror out, to be written */
  bool held;        /* the program keeps a pointer to its mirror: mirror.c */
  uint32_t pending_readers, pending_writers; /* recorded loops, not yet run */
  const void *declared_from; /* the program's pointer at the declaration */
};

struct fe_gbl { /* op2_gbl */
  char *name;
  struct type type;
  uint32_t dim, index;
  void *data; /* value after all that ran */
  size_t bytes;
  bool freed, parked;
  bool called; /* as a dat's */
  char *lost;  /* as a dat's */
  status lost_by;
  uint32_t pending;
};

/* ---- kernels and constants ---------------------------------------------- */

/* A mutable global of the program that a kernel mentions. It is folded into the
 * code while it keeps the value of its first use; when a call sees another one,
 * it becomes a parameter from this epoch of its kernel on. */
struct fe_const {
  const void *address;
  size_t size;
  void *folded;         /* the value of the first use */
  uint32_t varies_from; /* epoch; UINT32_MAX: still folded */
};

struct fe_kernel {
  const struct low_kernel *low;
  struct fe_const *consts;
  uint32_t epoch;     /* how many constants have become parameters */
  uint32_t index;     /* in fe.kernels; the tag in traces */
  char *name;         /* the loop's name */
  uint64_t pins_seen; /* fe.pins when names_dats was found */
  bool names_dats;    /* a constant lies in a dat's memory (overlap.c) */
  uint64_t told; /* arguments whose proven access was said to differ, as bits */
  bool kept;     /* in the sweep under way */
};

/* A static constant that deferred opaque kernels may read (consts.c). */
struct fe_watch {
  void *address, *seen;
  size_t size;
};

/* ---- calls: op_par_loop statements seen before -------------------------- */

/* What one argument is, after all checks. */
struct fe_arg {
  struct ir_arg
      ir; /* kind, access, entries, info_of, and in == 0 for a WRITE that
                       does not prove to cover all; dat, map: see below */
  struct fe_dat *dat;
  struct fe_map *map;
  struct fe_gbl *gbl;
  struct type type;
  uint32_t dim;
  size_t bytes;   /* of a captured value */
  size_t capture; /* its offset in the record's captured bytes */
  bool raw;       /* raw-pointer global that the loop writes */
  uint32_t
      share;   /* 1 + argument that captures this one's memory, too; 0: none */
  size_t span; /* bytes of all that share, if it is that argument */
  uint8_t
      declared; /* access that the program said; ir.access is what is proven */
};

/* An op_par_loop, as the program says it. */
struct fe_loop {
  const char *file;
  int line;
  void (*function)(void);
  const char *name;
  op_set set;
  int nargs;
  const op_arg *args;
  const char *const *types; /* C++: what the kernel's parameters point to */
  int ntypes;
};

/* An interned call: the words that the program passed (the key), and all that
 * was derived from them. Calls live while programs or records name them. */
struct fe_call {
  uint32_t id;
  /* the key */
  void (*function)(void);
  const char *name;
  op_set set_handle;
  uint32_t nargs;
  op_arg *key; /* data pointers of raw globals are not part of the key */
  const char *file;
  int line;
  uint64_t source_version; /* op2_kernel_source replaced kernels since */
  char *texts;             /* memory of those of the key */
  /* derived */
  struct fe_kernel *kernel;
  struct fe_arg *args;
  struct fe_dat **uses;         /* each dat once */
  bool *use_reads, *use_writes; /* reads: the old value, also in part */
  uint32_t nuses, nraw, nhandles, ncaptured; /* captured: globals by pointer */
  size_t capture_bytes; /* of globals; constants that vary follow */
  size_t most_bytes;    /* with all constants: equal on all ranks */
  size_t capture_align; /* of their start; 0: FE_ALIGN */
  bool on_host;         /* no device takes it: refuse.c */
  bool immediate; /* side effects or opaque: runs before the call returns */
  bool serial;
  bool overlaps; /* of overlapping globals: made by overlap.c */
  uint64_t said; /* what ranks compare (agree.c) */
  bool kept;     /* in the sweep under way */
  /* of one recorded in place of another, whose globals overlap (overlap.c) */
  struct fe_call *base;
  char *words; /* its key in fe.overlaps */
  size_t words_bytes;
  struct fe_call *next; /* predicted successor */
};

/* ---- the recording ------------------------------------------------------ */

enum fe_rec_kind {
  FE_REC_LOOP,
  FE_REC_SET_GBL,
  FE_REC_FREE_DAT,
  FE_REC_FREE_GBL
};
struct fe_rec {
  uint32_t kind;
  uint32_t what;    /* call id, gbl or dat index */
  uint32_t epoch;   /* of the kernel's constants */
  uint32_t skipped; /* slices that left it out */
  uint32_t target;  /* of a loop: in fe.targets */
  size_t capture;   /* offset of its bytes in fe.captured */
  void **raw;       /* user pointers of the raw globals it writes */
  uint64_t step;    /* steps said when it was recorded, with it: agree.c */
};

/* Are both of one op_par_loop, on one target? */
static inline bool
fe_rec_same_loop(const struct fe_rec *a, const struct fe_rec *b) {
  return a->kind == FE_REC_LOOP && b->kind == FE_REC_LOOP &&
         a->what == b->what && a->target == b->target;
}

/* What a run is for. */
enum fe_want {
  FE_WANT_ALL,
  FE_WANT_DAT,
  FE_WANT_DAT_RW,
  FE_WANT_GBL,
  FE_WANT_RAW
};
struct fe_request {
  enum fe_want want;
  uint32_t index; /* of the dat or gbl; FE_WANT_RAW: of the record */
};

/* ---- targets ------------------------------------------------------------ */

enum { FE_TARGETS_MAX = 16 };
struct fe_target {
  struct target target;
  const char *name;         /* as traces have it */
  struct rt_device *device; /* NULL: the host */
};

/* ---- programs ----------------------------------------------------------- */

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
  struct low_program low;
  struct fe_global_src *globals;
  struct fe_param_src *params;
  uint32_t *remaining; /* records that stay pending */
  uint32_t nremaining;
  uint32_t *launch_of; /* of each of its nrecs records; UINT32_MAX: none */
  uint32_t nrecs;
  struct fe_trial *trial; /* of its regions (trial.c); NULL: none under way */
  uint32_t loops;         /* loop records that it settles */
  uint32_t renames, dead; /* of these: became names, were dropped */
  char *before, *after;   /* IR text, for op2_trace_write and op2_explain */
  char *explain;
  struct fe_program *next; /* what ran after it last time */
  uint32_t number;
  uint64_t used; /* fe.runs at its last run */
  size_t bytes;  /* about, of all this */
  bool gone;     /* in the sweep under way */
};

/* ---- checkpoints (checkpoint.c) ----------------------------------------- */

struct rt_file;
struct fe_undecided;
struct fe_checkpoint {
  struct rt_file *file; /* NULL: none is open */
  const char *at;       /* where the program asked for it */
  int line;
  const struct fe_call *first; /* loop with which its window began */
  uint32_t loops;              /* recorded in the window */
  IR_ARRAY(struct fe_undecided, undecided);
};

/* ---- the context -------------------------------------------------------- */

struct fe {
  struct options opt;
  int diags;
  enum { FE_DOWN, FE_UP, FE_RUNNING } up; /* running: kernels are under way */
  bool no_realloc, auto_soa, defer_globals, told_opaque;
  bool arrays_apart;   /* OP_NO_REALLOC was asked for, and there are ranks */
  bool mirror;         /* all mirrors are kept current: mirror.c */
  bool mirror_written; /* ... and the program may write there */
  bool looks;          /* op2_look_at does what its place needs */
  bool lone_looks; /* ... and there are ranks, of which one may look alone */
  bool holds;      /* some dat is held */
  bool whole;      /* each rank declares everything, and sees it */
  uint32_t maps_compared; /* whole.c; UINT32_MAX: no more need */
  bool host_only;         /* op_disable_device_execution */
  bool renumber;          /* op_renumber: sets anew, however good they are */
  int base_index;         /* OP_MAPS_BASE_INDEX */
  int nthreads;
  enum low_sanitize sanitize;
  void (*handler)(int, const char *, void *);
  void *handler_user;
  const char *file; /* of the API call under way, from op2_here */
  int line;
  unsigned long thread;
  uint32_t fp_home,
      fp_mode;  /* rounding (base/fp.h) at op_init, of what waits */
  bool fp_away; /* loops run at their calls, see record.c */

  struct arena arena;
  struct table
      handles;         /* address -> enum fe_handle, and whether it was freed */
  char found[128];     /* fe_handle_found */
  struct table copies; /* ... of op_mpi_get_data's copies, which are none */
  IR_ARRAY(struct fe_set *, sets);
  IR_ARRAY(struct fe_map *, maps);
  IR_ARRAY(struct fe_dat *, dats);
  IR_ARRAY(struct fe_gbl *, gbls);
  IR_ARRAY(struct fe_kernel *, kernels);
  IR_ARRAY(struct fe_call *, calls); /* by id; NULL: the id is free */
  IR_ARRAY(uint32_t, free_ids);      /* of calls */
  uint64_t calls_made;
  IR_ARRAY(struct fe_program *, programs);
  struct table call_ids;    /* key bytes -> id + 1 */
  struct table overlaps;    /* id and offsets of a call's globals -> id + 1 */
  uint64_t pins;            /* dats that came to lie in the program's memory */
  struct table program_ids; /* words -> struct fe_program */
  size_t program_bytes;
  uint32_t programs_made;
  uint64_t runs;
  uint64_t source_version;

  IR_ARRAY(struct fe_rec, recs);
  IR_ARRAY(uint32_t, words); /* the recording as words, grown with it */
  char *captured;
  size_t captured_bytes, captured_cap;
  size_t bound_bytes; /* that no rank has captured more than; the same on all */
  uint32_t pending_loops;
  struct fe_call *last_call, *predicted;
  struct fe_program *last_program;

  IR_ARRAY(struct fe_target, targets); /* [0]: all threads of the host */
  struct table target_names; /* as the program says them -> 1 + target */
  IR_ARRAY(uint32_t, target_stack);
  uint32_t target; /* of loops recorded now */

  bool apart;      /* each loop is a region of its own (refuse.c) */
  uint32_t failed; /* record whose region had no code in the last try to make a
                        program; IR_NONE */
  uint32_t state_id; /* which dats share buffers, as an interned number */
  uint32_t setup_id; /* changes with layouts, overlays and disabled passes */
  uint32_t last_id;  /* of states and reaches */
  struct ids states;
  struct rt_comm comm; /* size 1: alone */
  struct rt_halo *halo;
  int local;            /* ranks before this one on the same machine */
  int level;            /* of halos: the last, even */
  uint32_t maps_spread; /* of maps: those with tables over the ranks */
  bool respread; /* ... and even if maps fit: a spread failed, op_renumber */
  char halo_with[96];    /* options of pass halo */
  struct ids reaches;    /* how far out dats are right, as an interned number */
  uint64_t layout_calls; /* calls that layouts were chosen by */
  IR_ARRAY(struct fe_watch, watched);
  uint32_t opaque_pending; /* deferred loops without IR */
  bool unsettled; /* sets or maps were declared since number.c looked */
  struct fe_checkpoint checkpoint;
  uint64_t born;   /* dats declared so far */
  uint32_t nvoid;  /* dats and globals without values: op2_restart, lost.c */
  uint32_t nviews; /* dats whose mirror op2_dat_data_rw gave out */
  double started;
};
extern struct fe fe;

/* ---- errors ------------------------------------------------------------- */

/* End of an API call that failed: the last message, with the call's place
 * before it, goes to the handler, or is printed and the program ends. Returns
 * `st`. */
status fe_error(status st);
/* The same, but the program goes on: rank 0 prints it. */
void fe_error_told(status st);
/* Without printing: for calls that return the status when no handler is set. */
status fe_error_returned(status st);
/* Library up, no kernel under way, and this the thread of op_init? Else an
 * error; 0 then. */
bool fe_enter(const char *what);

/* A copy for the caller to free. */
char *fe_text_copy(const char *s);

/* ---- handles ------------------------------------------------------------ */

enum fe_handle { FE_HANDLE_NONE, FE_SET, FE_MAP, FE_DAT, FE_GBL };
/* Is it a live handle of this kind? Only its address is looked at. */
bool fe_handle_is(const void *handle, enum fe_handle kind);
/* What it is instead, behind "found": NULL, dat "x", a freed dat, no handle.
 * Until the next call. */
const char *fe_handle_found(const void *handle);
void fe_handle_add(const void *handle, enum fe_handle kind);
void fe_handle_free(const void *handle); /* known as one that was freed */

/* ---- record.c ----------------------------------------------------------- */

/* The first word of a record in the key of a program, taken apart. */
static inline uint32_t
fe_word_kind(uint32_t word) {
  return word >> 1 & 3;
}
static inline uint32_t
fe_word_what(uint32_t word) {
  return word >> 7;
}

/* Append a record that is no loop, of a step just said to other ranks, whether
 * it has to wait or not (fe_agree_step). `data`: captured bytes, NULL if none.
 * */
void fe_record(enum fe_rec_kind kind, uint32_t what, const void *data,
               size_t bytes);
void fe_rec_push(struct fe_rec r);
/* What captured bytes are aligned to; those of a call with types of the program
 * to as much as they can ask for. */
enum { FE_ALIGN = 16, FE_ALIGN_MOST = 64 };
/* The next captured value of the call is argument fa's. */
void fe_capture_place(struct fe_call *c, struct fe_arg *fa, size_t bytes);
/* The next captured bytes begin at a multiple of `align`. */
void fe_capture_align(size_t align);
/* Room for values that are so large that there may be none. ERR_MEMORY */
status fe_capture_room(const struct fe_call *c);
/* Copy bytes into the recording's capture area; its offset. */
size_t fe_capture(const void *data, size_t bytes);

/* ---- call.c ------------------------------------------------------------- */

/* The interned call for these words, all checks done. On failure the message
 * says what is wrong and nothing was recorded. */
status fe_call_get(const struct fe_loop *l, struct fe_call **out);
/* Do a C++ kernel's parameter types fit the arguments? */
status fe_call_check_types(const struct fe_loop *l);
/* The arguments of a call that was never seen, checked, and its kernel. */
enum { FE_MAX_ARGS = 64 };
status fe_call_check(const struct fe_loop *l, struct fe_arg *out,
                     struct fe_kernel **kernel_out);
/* Is this the call as it was passed? Compares every word of the key. */
bool fe_call_matches(const struct fe_call *c, const struct fe_loop *l);

/* Does the loop use memory that the program may hold a pointer to? */
bool fe_call_pinned(const struct fe_call *c);
/* Forget the call; its id will be another's. */
void fe_call_drop(struct fe_call *c);
void fe_call_free(struct fe_call *c);
/* An id that no call has; copies of the words and texts of a key. */
uint32_t fe_call_id_take(struct fe_call *c);
void fe_call_keep_key(struct fe_call *c, const char *file, const char *name,
                      const op_arg *args);

/* ---- consts.c ----------------------------------------------------------- */

struct fe_kernel *fe_kernel_get(void (*function)(void), const char *name);
/* Of the kernel's constants, as if all varied. */
size_t fe_consts_bytes(const struct fe_kernel *k);
void fe_kernel_free(struct fe_kernel *k);
/* See whether constants changed; capture those that vary. Returns the epoch. */
uint32_t fe_consts_capture(struct fe_kernel *k);
/* Bytes of constant i at this epoch if folded, NULL if captured. */
const void *fe_const_folded(const struct fe_kernel *k, uint32_t epoch,
                            uint32_t i);
/* Offset of captured constant i behind the call's globals. */
size_t fe_const_offset(const struct fe_kernel *k, uint32_t epoch, uint32_t i);

/* Watch a constant for deferred opaque kernels; has one changed; take the
 * values as seen; exchange memory and seen values, around a run. */
void fe_watch_add(const void *address, size_t size);
bool fe_watch_changed(void);
void fe_watch_note(void);
void fe_watch_swap(void);

/* ---- number.c ----------------------------------------------------------- */

/* Before this call is recorded: number what is not settled, if it is time. On
 * failure nothing has changed. */
status fe_number(const struct fe_call *c);
/* The set will hold memory of the program: back to the program's numbers. */
status fe_number_fix(struct fe_set *set);
/* The table of a map just declared, in the orders that its sets have. */
status fe_number_map(struct fe_map *m);
/* A map's rows as they are, with the program's numbers; made at need. */
status fe_number_named(struct fe_map *m);
/* A copy of `table` becomes the one that loops go by. */
status fe_number_map_take(struct fe_map *m, const idx_l *table);
/* Free the tables that are the library's own. */
void fe_number_map_clear(struct fe_map *m);
/* IR_MAP_* of what its rows prove. */
uint32_t fe_map_flags(const struct rt_facts *f);
/* Free a map and its tables. */
void fe_map_free(struct fe_map *m);

/* Over ranks: numbers inside each part, just made. Local. ERR_MEMORY */
status fe_number_parts(struct rt_dist *d);

/* ---- sweep.c ------------------------------------------------------------ */

/* Before a program is made: room for it, by dropping those not used for
 * longest. */
void fe_sweep(void);
/* About what it takes, code and plans left out. */
size_t fe_program_bytes(const struct fe_program *p);

/* ---- trial.c ------------------------------------------------------------ */

/* Is this a value of OP2_TRIAL? Then it counts. */
bool fe_trial_option(const char *text);
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

/* ---- flush.c ------------------------------------------------------------ */

/* Run what the request needs. On failure nothing ran and all stays pending, but
 * for loops that were refused (refuse.c); with a handler these are no failure.
 * */
status fe_run(struct fe_request rq);
/* The program for the recording, found or made; else fe.failed tells whether it
 * is for one loop. */
status fe_program_find(struct fe_request rq, struct fe_program **out);
/* Take away the records behind the step: what they leave is as if they had not
 * come yet. The owner gives each back, in order (fe_tail_next), and frees the
 * rest. */
struct fe_tail {
  struct fe_rec *recs;
  uint32_t n, next;
  char *captured; /* from their places in recs */
  size_t end;
};
void fe_tail_take(uint64_t step, struct fe_tail *out);
void fe_tail_next(struct fe_tail *t);
void fe_tail_free(struct fe_tail *t);
/* A record that is no loop has its effect, everything before it being done. */
void fe_tail_do(struct fe_tail *t);
/* These records, by number, become the recording; the others are done. skipped:
 * a slice has left them out. */
void fe_recs_done(void); /* all are */
void fe_recs_keep(const uint32_t *keep, uint32_t nkeep, bool skipped);
/* Words of a program's key behind those of its records. */
enum { FE_REQUEST_WORDS = 6 };
/* Do loops that wait write its memory; rw: or read it? */
bool fe_dat_pending(const struct fe_dat *d, bool rw);
/* Before an accessor: run what this dat needs; rw: its readers, too. */
status fe_look(struct fe_dat *d, bool rw);
/* The same for `api`, on all ranks; then its mirror is current. Collective. */
status fe_look_at(const char *api, struct fe_dat *d, bool rw);

/* ---- api_target.c ------------------------------------------------------- */

/* Open the target of OP2_TARGET. */
status fe_targets_init(void);
/* The device of a target's name. */
struct rt_device *fe_target_device(const char *name);
/* Where this loop will run: the target in force, or the host. ERR_TARGET. */
status fe_target_choose(const struct fe_call *c, uint32_t *out);
/* Number for where all data are; 0: on the host. */
uint32_t fe_residency_id(void);
/* The device that has the dat's values, NULL: none; *both: the host, too. */
const char *fe_dat_at(const struct fe_dat *d, bool *both_out);
/* Make pinned memory current; written: the program may write there now. */
status fe_targets_sync(bool written);
/* After each run where fe.mirror or fe.holds. Collective. */
status fe_mirror_keep(void);

/* ---- trace.c, program.c ------------------------------------------------- */

/* apart[i]: record i is never fused; NULL: any may be. */
struct ir_trace *fe_trace_build(struct fe_request rq, const bool *apart,
                                struct fe_global_src **globals_out);
status fe_program_make(struct fe_request rq, struct fe_program **out);
/* One with these records apart, which needs no deeper halos. ERR_COMPILE */
status fe_program_variant(struct fe_request rq, const bool *apart,
                          struct fe_program **out);
void fe_program_free(struct fe_program *p);
status fe_program_run(struct fe_program *p);
/* Number the way dats share buffers now; into fe.state_id. */
void fe_state_update(void);
/* layout.c: may the library choose layouts; choose by the calls seen so far
 * (*changed: programs made before no longer fit). ERR_MEMORY */
bool fe_layout_free(void);
status fe_layout_update(bool *changed);

/* ---- dump.c ------------------------------------------------------------- */

/* OP2_TRACE: text and graph of each different flush; the timeline. */
void fe_dump_flush(struct fe_program *p, const struct ir_trace *before,
                   const struct ir_trace *after);
void fe_dump_pass(void *user, const char *pass, const struct ir_trace *t);
void fe_dump_event(const char *name, double begin, double end);
status fe_dump_timeline(const char *path);
void fe_dump_clear(void);

/* A loop waits (by 1) or no longer does (by -1). On the path of each
 * op_par_loop. */
static inline void
fe_rec_count(const struct fe_call *c, uint32_t by) {
  for (uint32_t u = 0; u < c->nuses; u++) {
    struct fe_dat *d = c->uses[u];
    d->pending_readers += by;
    d->pending_writers += c->use_writes[u] * by;
    d->written |= c->use_writes[u];
  }
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl) c->args[a].gbl->pending += by;
  fe.pending_loops += by;
  fe.opaque_pending += c->kernel->low->opaque * by;
}

#endif
