/* Calls: op_par_loop statements seen before, and the kernels and constants that
 * they name. */
#ifndef FRONTEND_CALLS_H
#define FRONTEND_CALLS_H

#include "frontend/handles.h"
#include "frontend/recording.h"

struct low_kernel;

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
  bool opaque, promised; /* low's, for who needs no more of it */
  uint32_t nconsts;
  struct fe_const *consts;
  uint32_t epoch;         /* how many constants have become parameters */
  uint32_t index;         /* in fe_calls.kernels; the tag in traces */
  char *name;             /* the loop's name */
  uint64_t pins_seen;     /* fe.pins when names_dats was found */
  bool names_dats;        /* a constant lies in a dat's memory (overlap.c) */
  struct fe_kernel *base; /* low knows values of integers, this one's does not;
                             NULL: it is that one */
  bool varies;            /* no calls with such a kernel again */
  uint32_t ngiven;        /* such kernels, made of this one */
  uint64_t told; /* arguments whose proven access was said to differ, as bits */
  bool kept;     /* in the sweep under way */
};

/* ---- calls: op_par_loop statements seen before -------------------------- */

/* Those of traces. */
enum fe_arg_kind {
#define ARG(name, word, of, map, number, meaning) FE_ARG_##name,
#include "ir/args.def"
#undef ARG
};

/* arg_kinds.c: the type of the number that such an argument is; size 0: it is
 * none. */
struct type fe_arg_number(enum fe_arg_kind kind);

/* What one argument is, after all checks. */
struct fe_arg {
  uint8_t kind;           /* enum fe_arg_kind */
  uint8_t access;         /* enum access: what is proven */
  uint8_t declared;       /* ... that the program said */
  bool partial;           /* a WRITE that does not prove to cover all */
  uint16_t info_of;       /* of a payload: the number of its argument */
  uint32_t entry, vector; /* of the map's row, as in struct ir_arg */
  uint32_t cols, cdim;    /* of a block, as in struct low_pack; 0: it is none */
  uint32_t masks;         /* 1 + the argument whose mask it is; 0: it is none */
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
  int nhidden;         /* arguments at the end that are masks of others */
  int order;           /* OP2_FORWARD, OP2_BACKWARD: a scan; 0: it is none */
  struct fe_map *each; /* of a scan, once it is placed: scan_loop.c */
  op_set asked;        /* the program's; NULL: what the loop goes over follows
                          from more than its words */
};

/* An interned call: the words that the program passed (the key), and all that
 * was derived from them. Calls live while programs or records name them. */
struct fe_call {
  uint32_t id;
  /* the key */
  void (*function)(void);
  const char *name;
  op_set set_handle;
  struct fe_map *each; /* a scan over columns: the rows that it goes over */
  op_set asked; /* of loops that become this call, as theirs; and their order */
  int order;
  uint32_t nargs;
  op_arg *key; /* data pointers of raw globals are not part of the key */
  const char *file;
  int line;
  uint64_t source_version; /* op2_kernel_source replaced kernels since */
  char *texts;             /* memory of those of the key */
  /* derived */
  struct fe_kernel *kernel;
  struct fe_arg *args;
  struct fe_use {
    struct fe_dat *dat;
    bool reads, writes; /* reads: the old value, also in part */
  } *uses;              /* each dat once */
  uint32_t nuses, nraw, nhandles, ncaptured; /* captured: globals by pointer */
  size_t capture_bytes; /* of globals; constants that vary follow */
  size_t most_bytes;    /* with all constants: equal on all ranks */
  size_t capture_align; /* of their start; 0: FE_ALIGN */
  bool on_host;         /* no device takes it: refuse.c */
  bool immediate; /* side effects or opaque: runs before the call returns */
  bool serial;
  bool moves;     /* goes through a map, in any order: number.c */
  bool overlaps;  /* of overlapping globals: made by overlap.c */
  uint64_t said;  /* what ranks compare, but for which dats and globals; with */
  uint64_t named; /* these, 0: not yet known, */
  uint64_t born;  /* as of so many declarations */
  bool kept;      /* in the sweep under way */
  uint64_t alive; /* handles freed by when all of its own were valid */
  /* of one recorded in place of another, whose globals overlap (overlap.c) */
  struct fe_call *base;
  char *words; /* its key in fe.overlaps */
  size_t words_bytes;
  struct fe_call *next; /* predicted successor */
};

/* All of them. */
extern struct fe_calls {
  struct fe_call **all; /* by id; NULL: the id is free */
  uint32_t n, cap;
  VEC(struct fe_kernel *, kernels);
  uint64_t made;
  struct fe_call *last, *predicted; /* recorded last, and what may come next */
  const struct fe_call *window;     /* the first behind a checkpoint; NULL */
} fe_calls;

/* ---- call.c ------------------------------------------------------------- */

/* The interned call for these words, all checks done. On failure the message
 * says what is wrong and nothing was recorded. */
status fe_call_get(const struct fe_loop *l, struct fe_call **out);
/* Do a C++ kernel's parameter types fit the arguments? */
status fe_call_check_types(const struct fe_loop *l);
/* "OP_READ", ... */
const char *fe_access_text(int acc);
/* The arguments of a call that was never seen, checked, and its kernel. */
enum { FE_MAX_ARGS = 64 };
status fe_call_check(const struct fe_loop *l, struct fe_arg *out,
                     struct fe_kernel **kernel_out);
/* Is this the call as it was passed? Compares every word of the key. */
bool fe_call_matches(struct fe_call *c, const struct fe_loop *l);

/* Does the loop use memory that the program may hold a pointer to? */
bool fe_call_pinned(const struct fe_call *c);
/* The same loop, of a kernel that knows values of constants (struct fe_kernel,
 * base), with the one that is right for all. ERR_STATE: globals overlap */
status fe_call_of_all_values(const struct fe_call *c, struct fe_call **out);
/* Forget the call; its id will be another's. */
void fe_call_drop(struct fe_call *c);
/* Where the id + 1 of a call stands that is recorded in place of another. */
uintptr_t *fe_call_shared(const void *words, size_t bytes);
/* An id that no call has; copies of the words and texts of a key. */
uint32_t fe_call_id_take(struct fe_call *c);
void fe_call_keep_key(struct fe_call *c, const char *file, const char *name,
                      const op_arg *args);

/* record.c: within an API call that does more than record one loop. What it
 * says is op_par_loop's, or a scan's. */
status fe_loop_record(const struct fe_loop *l);

/* ---- scan_loop.c --------------------------------------------------------- */

/* Before a scan is looked up: l->set becomes all of its columns, l->each the
 * rows that it goes over. Collective where these are new. ERR_ARG */
status fe_scan_place(struct fe_loop *l);
/* Its arguments, checked as those of a loop over the columns. ERR_ARG */
status fe_scan_check(const struct fe_loop *l, const struct fe_arg *args,
                     const struct low_kernel *k);

/* ---- box_loops.c --------------------------------------------------------- */

/* How far a loop runs around its box, for these temporaries that it writes. */
struct fe_placed {
  uint32_t n;
  struct fe_halo made;
  struct fe_dat *dat[FE_MAX_ARGS];
  char why[160]; /* it does not run further; "": it may */
  bool always;   /* nothing of this changes: it names no such temporary */
};
/* Before a call is looked up: what it reads of dats of boxes is there, and
 * l->set becomes the points that it runs over. ERR_ARG */
status fe_box_place(struct fe_loop *l, struct fe_placed *out);
/* Of a scan over a box: the layers that arguments name, around the element's
 * own, less those that their dats have beyond the domain. ERR_ARG */
status fe_box_layers_find(const struct fe_loop *l, struct fe_scan *s);
/* The loop is recorded: what it wrote is made so far. */
void fe_box_recorded(const char *loop, const struct fe_placed *p);

/* ---- consts.c ----------------------------------------------------------- */

/* Bytes of an element that the call copies, if it does no more; 0: no copy. */
size_t fe_kernel_copies(const struct fe_call *c, int *from_out, int *to_out);
/* 1 + what a call computes, in additions: divisions, roots and functions count
 * as more, what is in a loop as so often as a dat has components, 8 times at
 * least; 0: nobody counted. */
uint32_t fe_kernel_work(const struct fe_call *c);
struct fe_kernel *fe_kernel_get(void (*function)(void), const char *name);
/* api_matrix.c: the block that argument a, a matrix, stands for. ERR_ARG */
status fe_mat_arg(const char *loop, int arg, const op_arg *a, op_arg *out,
                  uint32_t *cols, uint32_t *cdim);
/* The loop with the masks of its matrices behind its arguments, which are in
 * `args` then. */
struct fe_loop fe_mat_masked(const struct fe_loop *l,
                             op_arg args[2 * FE_MAX_ARGS]);
struct fe_kernel *fe_kernel_of(const struct low_kernel *low, const char *name);
/* The same around kernel k for arguments of which some are blocks, and the last
 * are hidden. ERR_COMPILE */
status fe_kernel_packed(struct fe_kernel *k, const struct fe_arg *args,
                        uint32_t nargs, uint32_t nhidden,
                        struct fe_kernel **out);
/* Of the kernel's constants, as if all varied. */
size_t fe_consts_bytes(const struct fe_kernel *k);
void fe_kernel_free(struct fe_kernel *k);
/* The address of a kernel; between runs: those not marked as kept go. */
void (*fe_kernel_address(uint32_t index))(void);
void fe_kernels_sweep(void);

/* See whether constants changed; capture those that vary. Returns the epoch. */
uint32_t fe_consts_capture(struct fe_kernel *k);
/* Offset of captured constant i behind the call's globals. */
size_t fe_const_offset(const struct fe_kernel *k, uint32_t epoch, uint32_t i);

/* ---- given.c ------------------------------------------------------------- */

/* The kernel that calls take for this one: with what is proven for the values
 * that its integers have now, where that is more. */
struct fe_kernel *fe_kernel_given(struct fe_kernel *k);
/* No calls with one of these again; those there are, are looked for anew. */
void fe_kernel_vary(struct fe_kernel *k);
/* Does it know values that have changed since? Then calls with it are to be
 * looked for again. Most know none. */
bool fe_kernel_changed(struct fe_kernel *k);
static inline bool
fe_kernel_outdated(struct fe_kernel *k) {
  return k->base && fe_kernel_changed(k);
}

/* ---- prove.c, overlap.c ------------------------------------------------- */

/* The next captured value of the call is argument fa's. */
void fe_capture_place(struct fe_call *c, struct fe_arg *fa, size_t bytes);
/* Turn the declared accesses of a checked call into proven ones, and derive
 * from them what is captured, what is raw, and whether order matters. Tells,
 * once for each kernel and argument, what differs from the declaration. */
void fe_prove(struct fe_call *c);

/* The call to record in place of `c`, which has several captured arguments: `c`
 * itself, or one whose overlapping globals share their memory. */
struct fe_call *fe_overlap_call(struct fe_call *c, const op_arg *args);
/* Memory of dats that the loop reaches by pointer or by name is made current;
 * what it writes by both ways is refused. For programs whose memory dats lie
 * in. */
status fe_overlap_dats(const struct fe_call *c, const op_arg *args);

/* OP2_STATIC (bare.c): a loop that would have to run at its call. ERR_STATE */
status fe_bare_check(const struct fe_call *c);

/* OP2_STRICT_BLOCKS (strict.c): what waits and this loop would be wrong in
 * blocks. ERR_STATE */
status fe_strict_check(const struct fe_call *c);

/* ---- nan.c: OP2_CHECK=nan ------------------------------------------------ */

struct nan_loop;
/* Before the loop is recorded: what its arguments hold is kept. Collective. */
status fe_nan_before(const struct fe_call *c, const op_arg *args,
                     struct nan_loop **out);
/* Behind its run, which ended with `st`: ERR_STATE if it made a value that is
 * not finite, naming the element; else `st`. TAKE n. Collective. */
status fe_nan_after(struct nan_loop *n, status st);

/* ---- offload.c ---------------------------------------------------------- */

/* Why the loop cannot run on a device, with the name it is about (until the
 * next call); NULL: it can. */
const char *fe_device_why_not(const struct fe_call *c, const char **what_out);
/* Where this loop will run: the target in force, or the host. ERR_TARGET. */
status fe_target_choose(const struct fe_call *c, uint32_t *out);

/* A loop waits (fe_waits). On the path of each op_par_loop. */
static inline void
fe_rec_mark(const struct fe_call *c) {
  const struct fe_use *end = c->uses + c->nuses;
  uint64_t now = fe_recs.number + 1;
  for (const struct fe_use *u = c->uses; u < end; u++) {
    u->dat->used_in = now;
    if (u->writes) u->dat->written_in = now;
    if (u->writes) u->dat->written = true;
  }
  for (uint32_t a = 0; c->nhandles && a < c->nargs; a++)
    if (c->args[a].gbl) c->args[a].gbl->used_in = now;
  fe_recs.loops++;
  fe_recs.opaque += c->kernel->opaque;
}

/* ---- results that wait: owed.c, owed_look.c ------------------------------ */

/* Where a record delivers a raw global: memory of the program, or of what is
 * owed; NULL: nowhere, it was overwritten since. */
struct fe_raw {
  void *to;
  struct fe_owed *owed;
};

/* What is owed to memory of the program. */
struct fe_owed {
  char *to;
  size_t bytes;
  struct fe_raw *raw; /* of the record that will make it; NULL: it is here */
  char value[];
};

/* ---- owed.c -------------------------------------------------------------- */

/* May all results of this loop wait? */
bool fe_owed_may(const struct fe_call *c, const op_arg *args);
/* They are owed to raw->to from here on. */
void fe_owed_add(struct fe_raw *raw, size_t bytes);
/* The value was delivered; its record goes without. */
void fe_owed_came(struct fe_raw *raw);
void fe_owed_gone(struct fe_raw *raw);
/* The first that overlaps this memory; that lies in it; that has a record: NULL
 * if none. */
struct fe_owed *fe_owed_find(const char *at, size_t bytes);
struct fe_owed *fe_owed_inside(const char *at, size_t bytes);
struct fe_owed *fe_owed_waiting(void);
void fe_owed_remove(struct fe_owed *o);
/* OP2_LOG=2: which results wait, and why others don't. */
void fe_owed_tell(const struct fe_call *c, const op_arg *args);

/* ---- owed_look.c --------------------------------------------------------- */

/* Run what brings the raw globals of a record. Over ranks it takes all. */
status fe_owed_run(uint32_t rec, enum fe_reason reason);
/* As fe_owed_add, with what a fork needs. */
void fe_owed_wait(struct fe_raw *raw, size_t bytes);
/* What is owed to memory that a loop takes now reaches it. */
status fe_owed_args(const struct fe_call *c, const op_arg *args);

#endif
