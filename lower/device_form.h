/* Regions on devices: what lower/llvm/ needs to know beyond the region. */
#ifndef LOWER_DEVICE_FORM_H
#define LOWER_DEVICE_FORM_H

#include "lower/region.h"
#include "rt/device/device.h"

#include <stdlib.h>

#define LOW_NOWHERE UINT32_MAX

/* Numbers of a work item. */
enum low_item {
  LOW_ITEM_GLOBAL,
  LOW_ITEM_LOCAL,
  LOW_ITEM_GROUP,
  LOW_ITEM_SIZE /* of a group */
};

#define LOW_COLOUR "op2_colour"
#define LOW_STAGE "op2_stage"
#define LOW_COMBINE "op2_combine"

/* With the bytes of a word behind. */
#define LOW_PACK "op2_pack"
#define LOW_UNPACK "op2_unpack"

/* The code that a region wants: format, and where its small values lie.
 *
 * Binds of kind PARAM, GLOBAL and ACC are no arguments (rt/device/device.h):
 * they lie at scalars + bind_at[k], and at sums + item * row +
 * sum_at[reduction]. Behind the sums, at claim_at[reduction], are the numbers
 * of the elements that made extremes with payloads (rt/walk/reduce.c), where
 * they are claimed. */
struct low_device_form {
  enum rt_code_kind kind;
  const char *arch;
  enum rt_form form;
  bool atomic;          /* conflicting writes are atomic */
  bool ordered;         /* elements are visited in the program's order */
  uint32_t *bind_at;    /* of binds; LOW_NOWHERE */
  uint32_t *payload_at; /* of reductions: start of a payload; LOW_NOWHERE */
  uint32_t *sum_at;     /* of reductions */
  uint32_t *claim_at;   /* of reductions; LOW_NOWHERE */
  uint32_t row;
  /* RT_FORM_STAGE: of INC slots their strip and place among its use's entries;
   * of
     strips where they go */
  uint32_t *strip_of, *entry_of;
  int32_t *strip_store;
  uint32_t *strip_dim;
  struct type *strip_type;
  const struct rt_strip *strips;
  const struct rt_stage_use *uses;
  uint32_t nstrips, nuses;
};

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
