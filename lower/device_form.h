/* Regions on devices: what lower/llvm/ needs to know beyond the region. */
#ifndef LOWER_DEVICE_FORM_H
#define LOWER_DEVICE_FORM_H

#include "lower/region.h"
#include "rt/device/device.h"

#include <assert.h>
#include <stdlib.h>

#define LOW_NOWHERE UINT32_MAX

/* Numbers of a work item. */
enum low_item {
  LOW_ITEM_GLOBAL,
  LOW_ITEM_LOCAL,
  LOW_ITEM_GROUP,
  LOW_ITEM_SIZE,  /* of a group */
  LOW_ITEM_GROUPS /* how many */
};

#define LOW_COLOUR "op2_colour"
#define LOW_STAGE "op2_stage"
#define LOW_COMBINE "op2_combine"

/* With the bytes of a word behind. */
#define LOW_PACK "op2_pack"
#define LOW_UNPACK "op2_unpack"

/* The code that a region wants: format, and where its small values lie.
 *
 * Captured values (PARAM) lie at bind_at[k] of a block of scalar_bytes, which
 * is nwords arguments or, if that is 0, memory; accumulators (ACC) at room +
 * number in the group * row + sum_at[reduction], where the room is the group's
 * local memory or, if it would be too large, memory behind the sums; what a
 * group comes to, at sums + group * row. Behind the accumulators, at
 * claim_at[reduction], are the numbers of the elements that made extremes with
 * payloads (rt/walk/reduce.c), where they are claimed. */
struct low_device_form {
  enum rt_code_kind kind;
  const char *arch;
  enum rt_form form;
  bool atomic;        /* conflicting writes are atomic */
  bool ordered;       /* elements are visited in the program's order */
  uint32_t *bind_at;  /* of binds; LOW_NOWHERE */
  uint32_t *sum_at;   /* of reductions */
  uint32_t *claim_at; /* of reductions; LOW_NOWHERE */
  uint32_t row, scalar_bytes, nwords;
  bool rows_local;
  /* RT_FORM_STAGE: of INC and local slots their strip and place among its use's
     entries; of strips the dat's bind, and whether they are read */
  uint32_t *strip_of, *entry_of;
  int32_t *strip_bind;
  bool *strip_read;
  uint32_t *strip_dim;
  struct type *strip_type;
  enum access *strip_access;
  const struct rt_strip *strips;
  const struct rt_stage_use *uses;
  uint32_t nstrips, nuses;
};

/* Has the kernel room in local memory? */
static inline bool
low_form_has_room(const struct low_device_form *f) {
  return f->form == RT_FORM_STAGE || (f->row && f->rows_local);
}

/* Is it an argument of the kernels? Accumulators are none, but a payload starts
 * from its global. */
static inline bool
low_device_passes(const struct low_region *r, const struct low_bind *b) {
  switch (b->kind) {
  case RT_BIND_SLOT:
  case RT_BIND_STRIDE:
  case RT_BIND_OFFSET:
  case RT_BIND_MAP:
  case RT_BIND_START:
  case RT_BIND_HEAD:
  case RT_BIND_NAMED:
  case RT_BIND_ROWS:
  case RT_BIND_NUMBERS:
  case RT_BIND_GLOBAL: return true;
  case RT_BIND_ACC: return r->reductions[b->index].payload >= 0;
  case RT_BIND_PARAM:
  case RT_BIND_FIRST:
  case RT_BIND_BEGIN:
  case RT_BIND_COUNT:
  case RT_BIND_SCRATCH:
  case RT_BIND_ADDRESS: break;
  }
  return false;
}

/* The argument that bind k is; -1: none. k = nbinds: how many they are. */
static inline int32_t
low_device_argument(const struct low_region *r, uint32_t k) {
  int32_t n = 0;
  assert(k <= r->nbinds);
  if (k < r->nbinds && !low_device_passes(r, &r->binds[k])) return -1;
  for (uint32_t i = 0; i < k; i++) n += low_device_passes(r, &r->binds[i]);
  return n;
}

/* The name of the kernel that goes over the elements. */
static inline const char *
low_form_entry(enum rt_form form) {
  return form == RT_FORM_COLOUR  ? LOW_COLOUR
         : form == RT_FORM_STAGE ? LOW_STAGE
                                 : LOW_ENTRY;
}

/* Where NVIDIA's bitcode of mathematical functions may lie, place k: what PTX
 * is linked with, and what PTX on disk depends on. */
enum { LOW_LIBDEVICE_PLACES = 3 };
static inline void
low_libdevice_path(int k, struct str *out) {
  const char *home = getenv("CUDA_HOME");
  const char *const folders[LOW_LIBDEVICE_PLACES] = {
      home ? home : "/usr/local/cuda", "/usr/local/cuda", "/usr/lib/cuda"};
  str_printf(out, "%s/nvvm/libdevice/libdevice.10.bc", folders[k]);
}

#endif
