/* State of the builder of one region; region.c, region_*.c. */
#ifndef LOWER_REGION_EMIT_H
#define LOWER_REGION_EMIT_H

#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"

/* What one instruction asks for ahead of its use, in bytes. */
enum { LOW_LINE = 64 };
/* Bytes that are asked for at a place, at most. */
enum { LOW_ASK_MOST = 1024 };

struct low_emit {
  const struct low_region *r;
  const struct low_target *t;
  LLVMContextRef ctx;
  LLVMModuleRef m;
  LLVMBuilderRef b;
  struct ll_marks marks;
  LLVMValueRef *fns;            /* of instances */
  LLVMValueRef **consts;        /* of instances: variables of bound constants */
  uint32_t width;               /* elements of a block; 0: no blocks */
  uint32_t unroll;              /* components that are moved one by one */
  const struct low_slot *usual; /* the LENGTH slot whose rows have that length
                                   here; NULL: any may come */
  /* the function being built, and its tables */
  LLVMValueRef fn;
  LLVMValueRef *arg;        /* of binds */
  LLVMValueRef *home;       /* of slots: their private memory; NULL if none */
  LLVMValueRef *now;        /* of slots: where they are for this element */
  LLVMValueRef *lanes;      /* of slots: [dim][width], in a block; NULL: none */
  LLVMValueRef *acc;        /* of SUM slots: running values, [dim][lanes] */
  LLVMValueRef *kept_lanes; /* of slots, where a block has rows: of the element
                               [dim][width], of OWN where its path leads */
  LLVMValueRef *run_target; /* of slots that stay while their target does: it,
                               and */
  LLVMValueRef *run_sum;    /* what it has, [dim] */
  LLVMValueRef *none;       /* of slots: no lanes */
  LLVMValueRef *before; /* of slots that others slide from: lanes of the block
                           before, [dim][width], where there was none only the
                           last; NULL: nobody does */
  uint32_t *step;       /* of calls: the lane loop in which they run; NULL: all
                           in one. low_blocks_begin makes it */
  uint32_t steps;       /* how many lane loops there are in front of the last */
  LLVMValueRef *begins; /* of slots that go by stretches, within one: target of
                           element 0, were it in it; of still ones of all */
  bool *guarded;        /* of slots: WHOLE ones that are copied all the same */
  bool follows;         /* a block before it has something left to add */
  bool one_by_one;      /* elements of blocks run so: there are no lanes */
  LLVMValueRef e;       /* element; of a block: its first */
  LLVMValueRef i;       /* lane */
  LLVMValueRef inner;   /* element of the row that the call goes over */
  LLVMValueRef entry;   /* element that a slot with `row` is at; NULL: none */
  LLVMValueRef *inners; /* of lanes: the same; NULL: not in a block */
  LLVMValueRef layer;   /* of these in their columns; NULL: nobody asks */
  LLVMValueRef on;      /* elements of the panel before the block; NULL: 0 */
  LLVMValueRef last;    /* first element of the last block; NULL: nobody asks */
  LLVMDIBuilderRef lines; /* debug locations are made; NULL: none */
  LLVMMetadataRef scope;  /* of the function being built */
  /* on a device (device.h); NULL on the host */
  const struct low_device_kind *kind;
  const struct low_device_form *form;
  LLVMValueRef item, scalars;   /* its number, small values */
  LLVMValueRef sums, room, row; /* of groups; of this one's items, its own */
  LLVMValueRef *kept; /* of slots that claim: values before the element, and */
  LLVMValueRef *made_by; /* the elements that made those; NULL: others */
  LLVMValueRef *local;   /* of slots that are read from local memory: where */
  /* *p = *p (+, min, max) x while others do the same; NULL: none does, or walks
     keep them apart */
  void (*atomic)(struct low_emit *em, struct type t, enum access acc,
                 LLVMValueRef p, LLVMValueRef x);
};

/* Table of the variables of bound constants, filled by low_link_kernels. */
LLVMValueRef **low_consts_new(const struct low_region *r);
void low_consts_free(const struct low_region *r, LLVMValueRef **v);

/* ---- region_guard.c ------------------------------------------------------ */

/* Fill em->guarded. */
void low_guards_find(struct low_emit *em);
/* What the slot's copy is called. */
enum { LOW_GUARD_NAME = 96 };
void low_guard_name(const struct low_emit *em, uint32_t slot, char *out,
                    size_t size);
/* Once the copies are there; before the function returns. */
void low_guard_begin(struct low_emit *em);
void low_guard_end(struct low_emit *em);

/* ---- region_lines.c ------------------------------------------------------ */

/* Debug locations, if r->lines: of the module; of the function that em->b is
 * about to fill; of what is emitted from here on for a call; no more comes. */
void low_lines_begin(struct low_emit *em);
void low_lines_function(struct low_emit *em, LLVMValueRef fn);
void low_lines_call(struct low_emit *em, uint32_t call);
void low_lines_end(struct low_emit *em);

/* ---- region_block.c, region_stretch.c ------------------------------------ */

/* All elements of [lo, hi): blocks number lo and on to hi; by stretches. */
void low_emit_blocks(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi);
void low_emit_stretches(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi);
/* Blocks of one function: what they share, once; a block that begins with this
 * element; what all of them came to. */
/* Does what blocks add wait for the next one's loads (hold late)? Then a
 * block's code stands there twice. */
bool low_region_has_late(const struct low_region *r);
void low_blocks_begin(struct low_emit *em);
void low_emit_block(struct low_emit *em, LLVMValueRef e);
void low_blocks_end(struct low_emit *em);

/* ---- region_slots.c ------------------------------------------------------ */

/* One element's components somewhere: contiguous at `base` if bind is NULL
 * (`step` apart if that is set), else element e of a bound buffer. */
struct low_at {
  LLVMValueRef base, e;
  const struct low_bind *bind;
  LLVMValueRef stride;
  LLVMValueRef step;
};

struct low_at low_at_home(LLVMValueRef base);
/* Element e of a bound buffer. */
struct low_at low_at_bind(struct low_emit *em, int32_t bind, LLVMValueRef e);
/* Element of slot s in bind `bind` (its load or store), through its map; in a
 * block the first lane's. */
struct low_at low_at_dat(struct low_emit *em, const struct low_slot *s,
                         int32_t bind);
/* The same for lane `lane` of the block at em->e. */
struct low_at low_at_dat_lane(struct low_emit *em, const struct low_slot *s,
                              int32_t bind, uint32_t lane);
/* Slot k in its lanes, at lane em->i. */
struct low_at low_at_lanes(struct low_emit *em, uint32_t k);
/* Ask for n elements, `on` behind element e, which is there; they need not be.
 * Not for more streams than a processor follows. */
void low_ask_for(struct low_emit *em, const struct low_slot *s, int32_t bind,
                 LLVMValueRef e, LLVMValueRef on, uint32_t n);
LLVMValueRef low_at_address(struct low_emit *em, struct low_at at,
                            struct type type, LLVMValueRef c);
/* table[at] of 32 bits, as i64: one hop of a path. */
LLVMValueRef low_entry(struct low_emit *em, LLVMValueRef table,
                       LLVMValueRef at);
/* What entries of row e are found by, which begins at `begin` of the table in
 * bind `row`: that, or, where they step, the first of them. And entry i. */
LLVMValueRef low_row_head(struct low_emit *em, int32_t row, LLVMValueRef begin,
                          LLVMValueRef e);
LLVMValueRef low_row_entry(struct low_emit *em, int32_t row, LLVMValueRef head,
                           LLVMValueRef i);
/* Entry j of rows is at hand, of the call; j NULL: none is. */
void low_row_layer(struct low_emit *em, const struct low_call *c,
                   LLVMValueRef j);
/* Where row e of a table begins; `start` -1: of rows of one length. */
LLVMValueRef low_row_begin(struct low_emit *em, int32_t table, int32_t start,
                           LLVMValueRef e);
/* Index of the element that slot s stands for: where its path leads from e. */
LLVMValueRef low_slot_index(struct low_emit *em, const struct low_slot *s,
                            LLVMValueRef e);

/* dst[c] = src[c], dst[c] = identity, for all components. */
void low_emit_copy(struct low_emit *em, const struct low_slot *s,
                   struct low_at dst, struct low_at src);
void low_emit_fill(struct low_emit *em, const struct low_slot *s,
                   struct low_at dst, enum access acc);
/* dst[c] = dst[c] (+, min, max) src[c] by the slot's access. */
void low_emit_combine(struct low_emit *em, const struct low_slot *s,
                      struct low_at dst, struct low_at src);
/* The element's part of SUM slot k, at `home`, is added: of a float sum to
 * running value number (element mod lanes), in blocks and outside; of others to
 * any. */
void low_emit_sum(struct low_emit *em, uint32_t k, struct low_at home);
/* low_emit_combine where other elements may do so at once, if the region's code
 * is such (em->atomic). */
void low_emit_meet(struct low_emit *em, const struct low_slot *s,
                   struct low_at dst, struct low_at src);
/* i1: is v better than old? NaNs never are, ties keep the old one. */
LLVMValueRef low_better(struct low_emit *em, struct type t, enum access acc,
                        LLVMValueRef old, LLVMValueRef v);
/* The better one; of two zeros -0 is the smaller one, so that the order does
 * not matter. */
LLVMValueRef low_extreme(struct low_emit *em, struct type t, enum access acc,
                         LLVMValueRef old, LLVMValueRef v);
/* The two by the slot's access; of vectors, too. */
LLVMValueRef low_combined(struct low_emit *em, const struct low_slot *s,
                          LLVMValueRef old, LLVMValueRef v);
LLVMValueRef low_sum(struct low_emit *em, struct type t, LLVMValueRef x,
                     LLVMValueRef y);

/* ---- region_stream.c ----------------------------------------------------- */

/* A vector of a slot that is stored past the caches, at the beginning of a
 * line: component c of a block's elements. */
void low_stream_store(struct low_emit *em, struct low_at at,
                      const struct low_slot *s, uint32_t c, LLVMValueRef v);
/* The first element of [e, end) at which a line of what is stored so begins;
 * end: none does; e: nothing is stored so. */
LLVMValueRef low_stream_begin(struct low_emit *em, LLVMValueRef e,
                              LLVMValueRef end);
/* What the function has stored so, before what comes after it. */
void low_stream_end(struct low_emit *em);

/* ---- region_element.c ---------------------------------------------------- */

/* Load, call, store one element: element em->e, or lane em->i of the block. */
void low_emit_element(struct low_emit *em);
/* All elements of [lo, hi), one after another. */
void low_emit_plain(struct low_emit *em, LLVMValueRef lo, LLVMValueRef hi);
/* Element e of these. */
void low_emit_single(struct low_emit *em, LLVMValueRef e);
/* Parts of an element: fill slots; one call with what is around it; store. */
void low_emit_enter(struct low_emit *em);
void low_emit_around(struct low_emit *em, uint32_t call);
void low_emit_leave(struct low_emit *em);
/* Fill INDEX slot k. */
void low_emit_index(struct low_emit *em, uint32_t k);
/* The element where it lies, as a pointer that kernels take. */
LLVMValueRef low_emit_place(struct low_emit *em, const struct low_slot *s);
/* Combine an INC slot's copy with what it stands for. */
void low_emit_far(struct low_emit *em, const struct low_slot *s,
                  struct low_at home);
/* Where staged slot k, or an entry of it, that stands for element `own` is for
 * this call: `at`, or where a slot before it is that stands for the same. */
LLVMValueRef low_slot_peer(struct low_emit *em, uint32_t k, LLVMValueRef own,
                           LLVMValueRef at);

/* ---- region_entries.c ---------------------------------------------------- */

/* Of slot k, which has `row`: arrays; what is done around its call. */
void low_entries_alloc(struct low_emit *em, uint32_t k);
void low_entries_before(struct low_emit *em, uint32_t k);
void low_entries_after(struct low_emit *em, uint32_t k);
/* The pointer of its entry that names element `own`; none does: `at`. */
LLVMValueRef low_entries_peer(struct low_emit *em, uint32_t k, LLVMValueRef own,
                              LLVMValueRef at);

/* ---- region_lanes.c ------------------------------------------------------ */

/* Ask for elements' own components further on. */
void low_components_ahead(struct low_emit *em);
/* Fill lanes of slot k from memory, put them back. */
void low_lanes_load(struct low_emit *em, uint32_t k);
void low_lanes_store(struct low_emit *em, uint32_t k);
/* Add the lanes of INC slots to memory, of those that are late or of the
 * others, element by element, so that sums are those of the loop over
 * elements. */
void low_lanes_add(struct low_emit *em, bool late);
/* dst = src: an element of the slot's dat, as it lies there, and a copy. */
void low_chunks_copy(struct low_emit *em, const struct low_slot *s,
                     struct low_at dst, struct low_at src);
/* A loop over the lanes of a block, em->i, of independent turns. */
struct ll_loop low_lanes_begin(struct low_emit *em);
void low_lanes_end(struct low_emit *em, struct ll_loop *l);
/* Memory for lanes of slot k. */
LLVMValueRef low_lanes_new(struct low_emit *em, uint32_t k, const char *name);
/* Slot k gets the lanes of slot `from`, moved by one, behind the last of the
 * block before. */
void low_lanes_slide(struct low_emit *em, uint32_t k, uint32_t from);
/* The lanes of slot k are those of the block before, from here on. */
void low_lanes_keep(struct low_emit *em, uint32_t k);
/* The last of these is what slot `value` has, for one element. */
void low_lanes_start(struct low_emit *em, uint32_t k, uint32_t value);

/* ---- region_slide.c ------------------------------------------------------ */

/* In front of the first block: em->step, if something slides. */
void low_slides_begin(struct low_emit *em);
/* A block that begins with this element follows no other one. */
void low_slide_start(struct low_emit *em, LLVMValueRef e);
/* A block whose lanes are filled, step by step. */
void low_emit_slide_block(struct low_emit *em);

/* ---- region_runs.c ------------------------------------------------------- */

/* The slot by which sums of a bind stay in a register; -1: there is none. */
int32_t low_run_slot(const struct low_region *r, int32_t bind);
/* Are there reads among what stays? Then blocks run one element after another.
 */
bool low_region_keeps(const struct low_region *r);
/* What slot k has of the target at hand. */
struct low_at low_run_at(struct low_emit *em, uint32_t k);
/* All that stay, to the targets of element em->e. */
void low_runs_turn(struct low_emit *em);
/* In front of the first block, of elements from em->e on, of which there are
 * some; behind the last one. */
void low_runs_begin(struct low_emit *em);
void low_runs_end(struct low_emit *em);
/* Makes what the lane names through slot k the target at hand. */
void low_run_turn(struct low_emit *em, uint32_t k, uint32_t lane);

/* ---- region_rows.c ------------------------------------------------------- */

void low_rows_alloc(struct low_emit *em);
/* A block whose lanes are filled: its calls, some of which go over rows. */
void low_emit_rows_block(struct low_emit *em);
/* Blocks [from, to), whose rows go on together, entry by entry. */
void low_emit_rows_panel(struct low_emit *em, LLVMValueRef from,
                         LLVMValueRef to);
/* Where OWN slot k leads to, in lane em->i. */
LLVMValueRef low_own_leads(struct low_emit *em, uint32_t k);

/* ---- region_block.c ------------------------------------------------------ */

/* for k in [lo, hi): the block of elements [k*width, (k+1)*width). */

#endif
