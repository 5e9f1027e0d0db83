/* Inside of lower/: a region as plain data, between trace and LLVM. No trace is
 * known here; in maker.h one becomes regions.
 *
 *   trace --args.c--> struct low_region --cache.c--> known? its function
 *                                        else module.c -> llvm/region.c, jit.c
 *
 * A region lists what its function is given (binds), the private copies that
 * its kernels work on (slots) and the kernels' calls. It holds no set sizes and
 * no addresses, so that its text (low_region_key) says exactly which code it
 * needs.
 */
#ifndef LOWER_REGION_H
#define LOWER_REGION_H

#include "base/arena.h"
#include "base/str.h"
#include "lower/kernel.h"
#include "lower/sanitize.h"
#include "rt/plan.h"

struct low_code;

/* The name of a region's function in its object file. */
#define LOW_ENTRY "op2_region"

/* One word that the region's function is given. `index` is the program's number
 * of it (struct rt_bind) and not part of the key. */
struct low_bind {
  enum rt_bind_kind kind;
  uint32_t index;
  struct type type; /* SLOT PARAM GLOBAL ACC */
  uint32_t dim;
  uint32_t block; /* SLOT: 1 AoS, 0 SoA, b AoSoA */
  int32_t stride; /* SLOT with block 0: its STRIDE bind; on a device, of dats
                     that overlap: its OFFSET bind. FIRST: its BEGIN bind, whose
                     is its COUNT bind */
  uint32_t arity; /* MAP FIRST */
  int32_t step; /* HEAD, or START in its place: from entry to entry of a row */
  bool alike;   /* of rows: they have one length, not 0, */
  bool beside;  /* and those of elements that follow each other lie so, */
  idx_l ahead;  /* or so many elements on, a stretch of memory; 0 */
  uint32_t set; /* SLOT: its set, for the traffic; not in the key */
  bool alone;   /* no other bind reaches this memory */
  bool written;
  bool far;     /* written through a map; not in the key */
  bool near;    /* it stays in a tile, or its front's cache; not in the key */
  uint32_t old; /* as an rt_bind's; not in the key */
  /* SCRATCH: 1 + the dat, as its root, whose columns these are: layer l of the
     k-th at hand is element l * pitch + k. In the key only whether it is one,
     and not how many layers it has */
  uint32_t column;
  idx_l layers;
};

/* Elements of a block at most. */
enum { LOW_WIDTH_MAX = 16 };
/* What is added to a dat through maps goes so many components at a time, of all
 * slots; sums that stay in registers (`run`) are no more than that. */
enum { LOW_SPAN = 16 };
/* Slots above LOW_UNROLL components are moved by a loop in the code. */
enum { LOW_UNROLL = 32 };
/* What a region may cost to compile, in components of its slots that are moved
 * one by one, a loop as LOW_UNROLL_LEAN: above LOW_SPELT_COMPONENTS those of
 * slots with more than LOW_UNROLL_LEAN are moved by loops and the kernels are
 * called (3 s for 2048). Counts, not times, so that all runs and ranks agree.
 * 64 loops over 256 components took 0.7 s; rows of 16 to 31 entries of 33 to
 * 256 components run 1.5 to 5 times as fast as with their kernels called. */
enum { LOW_SPELT_COMPONENTS = 512, LOW_UNROLL_LEAN = 4 };
/* Bytes of a region's private copies that lie on the stack; what is more lies
 * in memory that each thread is given. */
enum { LOW_COPIES = 64 << 10 };
/* Bytes of a vector that is stored past the caches, a line. */
enum { LOW_STREAM_BYTES = 64 };
/* Bytes behind each of these that nobody may touch, if the code is checked. */
enum { LOW_GUARD = 64 };

/* What a kernel's pointer points to.
 *   DAT    private copy of an element: loaded, worked on, stored
 *   INC    contribution through a map: the identity, added to (or lowered,
 *          raised), then combined with what is there (staged: around the call);
 *          without a map: then stored, in the element's place
 *   PLACE  the element itself, where it lies (AoS)
 *   CONST  a value that is the same for all elements, loaded once
 *   SUM    contribution to a global: identity, then combined, per element
 *   WHOLE  the bound memory itself: accumulators, large values, globals
 *   INDEX  the element's number or a map entry, as the slot's type
 *   LENGTH how many entries the element's row of `map` has, 32-bit
 *   OWN    contribution to the element's own: identity before the call, then
 *          combined with slot `into` if its path leads back to the element
 * A DAT slot is loaded at the element's start and stored at its end; a staged
 * one (`call` >= 0) right before and after that call, because what happens
 * between matters. */
enum low_slot_kind {
  LOW_SLOT_DAT,
  LOW_SLOT_INC,
  LOW_SLOT_PLACE,
  LOW_SLOT_CONST,
  LOW_SLOT_SUM,
  LOW_SLOT_WHOLE,
  LOW_SLOT_INDEX,
  LOW_SLOT_LENGTH,
  LOW_SLOT_OWN
};
struct low_slot {
  enum low_slot_kind kind;
  struct type type;
  uint32_t dim;
  int32_t load, store; /* binds; -1: none */
  /* DAT, stored to columns of the thread: the bind of memory to which it goes,
     too, past the caches; -1: none */
  int32_t through;
  /* its path: from the element, or from that of the row that its call goes
     over, to an entry of a map */
  bool inner;
  int32_t shift;  /* of `inner`: how far from there, */
  int32_t layer;  /* and how many layers, of binds with `column` */
  bool local;     /* DAT: read from a copy of the block's, in local memory */
  bool stream;    /* DAT: stored past the caches */
  uint32_t ahead; /* DAT: bytes behind it at which a block asks for memory; 0:
                     none */
  uint32_t soon;  /* elements on whose row, through its map, is asked for; in
                     blocks that of the last target that a block there names */
  bool run;       /* INC DAT: in a register while the target stays the same;
                     with DAT blocks run one element after another */
  bool late;      /* INC: a block adds behind the loads of the next one */
  int32_t map;    /* bind of the map, or FIRST, if the region goes by its
                     stretches, HEAD or START, if by its steps; -1: no
                     further */
  bool still;     /* its entry is the same one along a stretch */
  int32_t start;  /* bind: where its rows begin; -1: they have one length */
  uint32_t entry; /* of its row */
  uint32_t usual; /* LENGTH: code for this length stands by itself; 0: no */
  uint32_t lanes; /* SUM: running values of each component; 0: one */
  uint32_t row;   /* all entries of it, at most so many: as many elements, and
                     pointers to them; staged around its call. 0: one */
  int32_t call;   /* staged around this call; -1: not */
  int32_t into;   /* OWN: the slot of its element; -1 */
  int64_t room;   /* offset in the region's scratch memory; -1: on the stack;
                          follows from the slots, not in the key */
  enum access access; /* INC, SUM, OWN */
};

/* An argument of a call: no slot is a null pointer; vector: an array of
 * pointers to the slots, but a slot with `row` has its own. */
struct low_use {
  uint32_t nslots;
  int32_t *slots;
  bool vector;
};

/* A kernel with its constants: folded[i] are the bytes of constant i, or it is
 * bound as parameter binds[i]. */
struct low_instance {
  const struct low_kernel *kernel;
  uint32_t tag, epoch;
  const void **folded;
  int32_t *binds;
  int32_t address; /* opaque: the ADDRESS bind; -1 */
};

/* With `row` it runs for each entry of a relation's row, one after another. */
struct low_call {
  uint32_t instance;
  int32_t row, start; /* binds: entries, or HEAD or START; where rows begin,
                         -1: one length */
  int32_t layer;      /* of the row's first entry; -1: no slot asks */
  bool down;          /* the next entry is a layer below */
  int32_t makes;      /* the slot that is all it is good for, in registers; -1:
                         it does more */
  int32_t from; /* in blocks of a stretch that slot is what this call made of
                   the element before; -1: it is not */
  uint32_t nargs;
  struct low_use *args;
  const char *name, *file; /* for messages; not in the key */
  int line;
};

/* Entries [first, first + count) of a map, through which the region writes. */
struct low_conflict {
  uint32_t map, first, count;
};

struct low_region {
  struct arena arena;
  struct low_bind *binds;
  struct low_slot *slots;
  struct low_call *calls;
  struct low_instance *instances;
  uint32_t nbinds, capbinds, nslots, capslots, ncalls, capcalls, ninstances,
      capinstances;
  uint32_t width;       /* elements of a block; 0: it does not run in blocks */
  uint32_t panel;       /* elements whose rows it goes along at once; 0 */
  uint32_t prefetch;    /* elements further on whose rows blocks ask for; 0 */
  uint32_t target_rows; /* targets whose rows they ask for (soon) */
  bool stretches;       /* it goes by those of maps with a FIRST bind */
  bool twice;           /* the last block of one begins where it has to */
  bool vector_math;     /* low_env's */
  int32_t scratch;      /* the bind of memory for slots with `room`; -1: none */
  size_t scratch_bytes; /* of one thread */
  enum low_sanitize sanitize;
  bool quick;  /* made at once, and not optimised */
  bool lines;  /* debug locations, for debuggers; then the key has calls' */
  bool claims; /* over ranks: extremes with payloads name their elements */
  /* for the launch, not in the key */
  enum rt_run_mode mode;
  enum rt_form form; /* on a device */
  bool atomic;       /* conflicting writes are */
  struct rt_reduction *reductions;
  struct low_conflict *conflicts;
  uint32_t nreductions, capreductions, nconflicts, capconflicts;
  /* an element's: ideal traffic; of this what is written unread, and what stays
     in tiles; of the rest those of elements that maps name */
  uint64_t bytes, unread, inside, named;
  const char *name;
  uint32_t tag; /* of its first node */
};

/* What a private copy of the slot's value is aligned to: as its type may ask,
 * whose size is a multiple of that; arrays of the program lie at multiples of
 * 64. */
static inline uint32_t
low_slot_align(const struct low_slot *s) {
  enum { LEAST = 16, LINE = 64 };
  size_t most = s->type.kind == TYPE_BYTES ? RT_PAGE : LINE;
  size_t bytes = (size_t)s->dim * s->type.size, low = bytes & (~bytes + 1);
  if (low > most) low = most;
  return low < LEAST ? LEAST : (uint32_t)low;
}

/* Bytes of pointers, and of private copies behind them, of a slot. */
static inline size_t
low_slot_pointers(const struct low_slot *s) {
  enum { LINE = 64 };
  return round_up(s->row * sizeof(void *), LINE);
}
static inline size_t
low_slot_copies(const struct low_slot *s) {
  size_t bytes = (size_t)s->dim * s->type.size;
  return s->row ? bytes * s->row : bytes;
}

/* Does its path go by stretches? */
static inline bool
low_slot_stretches(const struct low_region *r, const struct low_slot *s) {
  return s->map >= 0 && r->binds[s->map].kind == RT_BIND_FIRST;
}

/* Has this bind, of entries, the first ones of rows, the others by steps? */
static inline bool
low_bind_has_heads(const struct low_region *r, int32_t bind) {
  return bind >= 0 && r->binds[bind].kind == RT_BIND_HEAD;
}
/* ... or are they where rows begin in the table? */
static inline bool
low_bind_steps(const struct low_region *r, int32_t bind) {
  return low_bind_has_heads(r, bind) ||
         (bind >= 0 && r->binds[bind].kind == RT_BIND_START);
}

/* The bind of the thread's columns that the slot works on. */
static inline bool
low_bind_is_column(const struct low_region *r, int32_t bind) {
  return bind >= 0 && r->binds[bind].column;
}
/* How many columns lie beside each other in these. */
static inline uint32_t
low_pitch(const struct low_region *r) {
  return r->panel ? r->panel : r->width ? r->width : 1;
}

/* Do the rows lie beside each other that the slot's call goes over? */
static inline bool
low_slot_beside(const struct low_region *r, const struct low_slot *s) {
  return s->inner && s->call >= 0 && r->binds[r->calls[s->call].row].beside;
}

/* Does a call go over rows? */
static inline bool
low_region_has_rows(const struct low_region *r) {
  for (uint32_t k = 0; k < r->ncalls; k++)
    if (r->calls[k].row >= 0) return true;
  return false;
}

/* Does the call read what call `from` makes in registers? */
static inline bool
low_call_reads(const struct low_region *r, uint32_t call, uint32_t from) {
  const struct low_call *c = &r->calls[call];
  int32_t slot = r->calls[from].makes;
  if (slot < 0 || call == from) return false;
  for (uint32_t a = 0; a < c->nargs; a++)
    for (uint32_t k = 0; k < c->args[a].nslots; k++)
      if (c->args[a].slots[k] == slot) return true;
  return false;
}

/* Does the slot stand for another element than that of the loop? */
static inline bool
low_slot_far(const struct low_slot *s) {
  return s->inner || s->map >= 0;
}

static inline uint64_t
low_region_spelt(const struct low_region *r) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < r->nslots; k++)
    sum += r->slots[k].dim > LOW_UNROLL ? LOW_UNROLL_LEAN : r->slots[k].dim;
  return sum;
}

/* Components of a slot up to which they are moved one by one. */
static inline uint32_t
low_unroll(const struct low_region *r) {
  bool lean = low_region_spelt(r) > LOW_SPELT_COMPONENTS;
  return lean ? LOW_UNROLL_LEAN : LOW_UNROLL;
}

void low_region_clear(struct low_region *r);

/* ---- region_key.c, cache.c ----------------------------------------------- */

void low_region_key(const struct low_region *r, struct str *key);
/* Have code for all these regions: what neither this process nor the disk has
 * is compiled; quick: to code that is not optimised, for now. ERR_COMPILE names
 * the loop and its call; *failed_out: its tag. */
status low_cache_need(const struct low_region *regions, uint32_t n, bool quick,
                      uint32_t *failed_out);
/* The code of a region that was needed before; valid until the next sweep, or
 * better code. If it is quick for now, TAKE r, of which so many threads make
 * better code. */
const struct low_code *low_cache_get(struct low_region *r, uint32_t beside);
/* The name, kept until low_clear. */
const char *low_cache_name(const char *name);

#endif
