/* Lowering: a trace with regions and buffers becomes an rt_program.
 *
 * Tags of the trace's declarations come back in struct low_program, so that the
 * owner can fill the program's tables. Regions are compiled by MCJIT and cached
 * by their whole key, in the process and on disk: a region of the same shape is
 * compiled once.
 */
#ifndef LOWER_LOWER_H
#define LOWER_LOWER_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct ir_trace;
struct low_kernel;
struct rt_device;
struct rt_program;

/* What lowering needs to know beyond the trace. */
struct low_env {
  /* kernel with ir_kernel.tag */
  const struct low_kernel *(*kernel)(void *user, uint32_t tag);
  /* Is constant i of the kernel folded at this epoch, and to which bytes? NULL:
   * it is a parameter, captured with the loop. */
  const void *(*constant)(void *user, uint32_t tag, uint32_t epoch, uint32_t i);
  /* The open device of this target. */
  struct rt_device *(*device)(void *user, const char *target);
  void *user;
  bool vector_math;  /* exp, log, pow, sin by libmvec, to 4 ulp */
  uint32_t sanitize; /* enum low_sanitize: instrument the code */
  bool lines;        /* of the host's code: debuggers find lines in it */
  bool quick;        /* the host's code is not optimised: a tenth of the time */
  uint32_t beside;   /* likewise at first, if so many threads beside the program
                        may optimise it (tiers.c); 0: it is at once, */
  double quick_most; /* and so it is where that code would take more seconds */
  int ranks;         /* over which sets lie */
};

/* Where a captured value comes from: bytes [offset, ...) of the record of the
 * node with this tag. */
struct low_capture {
  uint32_t node_tag;
  enum { LOW_CAPTURE_PARAM, LOW_CAPTURE_CONST } kind;
  uint32_t index; /* ir_dat.tag of the param, or number of the constant */
};

/* Nodes [first, first + count) of the trace: what one launch runs. */
struct low_span {
  uint32_t first;
  uint32_t count;
};

/* A map of the program, or what is made of such: the inverse of the one that
 * has its tag; what two others, earlier numbers, lead to one after the other.
 */
struct low_map {
  enum { LOW_MAP_GIVEN, LOW_MAP_INVERSE, LOW_MAP_COMPOSED } how;
  uint32_t tag;
  uint32_t first, then; /* COMPOSED */
};

struct low_program {
  struct rt_program *program;
  struct low_span *spans; /* one per launch */
  uint32_t *set_tags, *dat_tags, *global_tags, *address_tags;
  struct low_map *maps;
  struct low_capture *captures; /* one per program param */
  uint32_t better;              /* low_better_number when it was renewed */
  uint32_t beside; /* so many threads optimise what was made; 0: it is so */
  double quick;    /* about how many seconds a run takes if it is not */
  uint32_t
      failed; /* behind an error: tag of the first node of the region that has
                      no code; IR_NONE: it was something else */
};

/* Lower a verified trace (regions and buffers assigned; deferred nodes are left
 * out). ERR_COMPILE names the loop and its call, and sets out->failed. */
status low_lower(const struct ir_trace *t, const struct low_env *env,
                 struct low_program *out);
void low_program_clear(struct low_program *p); /* frees the rt_program, too */
/* Give the device its kernels that move halos (d->moves); needed before any
 * exchange. ERR_COMPILE */
status low_device_moves(struct rt_device *d);
/* Free compiled regions that no program uses: first all programs are named,
 * then the sweep ends. Between runs; before sweeps of teams, too. */
void low_sweep_keep(struct low_program *p);
void low_sweep_end(void);
/* Free kernels of all devices, before these are closed. */
void low_device_clear(void);
/* Free all compiled regions (op_exit). */
void low_clear(void);
/* Seconds that programs waited for code of the host so far. */
extern double low_compile_seconds;

/* ---- quick code first ---------------------------------------------------- */

/* Regions whose code is quick while better one is made. */
extern uint32_t low_quick_regions;
/* Between runs: take what is better by now. A program whose number is not that
 * of the last time something was gets it by _renew. */
void low_better_take(void);
extern uint32_t low_better_number;
void low_better_renew(struct low_program *p);
/* Wait until all of it is made; before kernels go. */
void low_tiers_finish(void);
/* Forget what is not begun, and wait for the rest; before low_clear. */
void low_tiers_end(void);

/* Threads that compile; 0: one for each processor. */
void low_set_threads(int threads);
/* Kernels that have an address count as opaque and not promised from now on:
 * their code is the program's own (kernel.c). */
void low_kernels_native(bool on);

#endif
