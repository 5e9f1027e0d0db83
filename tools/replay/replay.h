/* Replay: a recorded trace runs again, on a mesh and data made up from it.
 *
 *   trace --replay_mesh_make--> tables of its maps   (mesh.c)
 *         --replay_kernels_make--> C text per kernel (kernels.c)
 *         --replay_run--> the calls of the API       (run.c)
 *
 * A trace has shapes, accesses and attributes, but no data and no kernels. Both
 * are made up so that the library sees what it saw: maps have the printed
 * attributes, kernels the printed accesses, proven from their IR. Values are small
 * whole numbers, so that sums are exact in any order and two ways of running the
 * trace must give the same bits.
 *
 * What a trace does not say and a replay therefore does not have: degrees beyond
 * the attributes, constants, the arithmetic of the kernels. Kernels that were opaque or had side effects are replayed with IR, and
 * run at their call.
 */
#ifndef TOOLS_REPLAY_REPLAY_H
#define TOOLS_REPLAY_REPLAY_H

#include "ir/ir.h"

/* ---- mesh.c -------------------------------------------------------------- */

struct replay_mesh {
  idx_l *n;        /* [nsets] elements, scaled */
  idx_l **tables;  /* [nmaps], element-major */
  uint32_t *width; /* of each map: entries of a row */
};

/* Sizes of sets times `scale` (what had elements keeps one), and a table for each
 * map with the attributes that the trace prints. ERR_ARG if there is none at this
 * size. */
status replay_mesh_make(const struct ir_trace *t, double scale,
                        struct replay_mesh *out);
void replay_mesh_clear(const struct ir_trace *t, struct replay_mesh *m);

/* ---- kernels.c ----------------------------------------------------------- */

/* Kernels are by name: loops that differ in what they do with their arguments get
 * one each. */
struct replay_kernels {
  struct arena arena;
  const char **of_node;  /* [nnodes] name; loops, copies, aliases, else NULL */
  const char **of_value; /* [nvalues] copies to a second name of another one */
  VEC(const char *, sources); /* C text that defines kernel k */
  VEC(const char *, ids);     /* its name */
};

/* ERR_ARG: the trace has something that no call of the API gives. */
status replay_kernels_make(const struct ir_trace *t,
                           struct replay_kernels *out);
void replay_kernels_clear(struct replay_kernels *k);

/* The name of a type as the API takes it, NULL: none. Valid until the next call. */
const char *replay_type_name(struct type t);

/* ---- run.c --------------------------------------------------------------- */

struct replay {
  const struct ir_trace *t;
  struct replay_mesh mesh;
  struct replay_kernels kernels;
  long repeat; /* how often the nodes of the trace are called */
};

/* What dats and globals held in the end: [ndats] of the trace, NULL where it is
 * not defined or not observable. */
struct replay_values {
  void **bytes;
  size_t *size;
};

/* From op_init to op_exit; options as the environment has them. `report`: print
 * counters and the time of each region. */
status replay_run(const struct replay *r, bool report,
                  struct replay_values *out);
void replay_values_clear(const struct ir_trace *t, struct replay_values *v);
/* First difference of two runs; ERR_STATE names dat, element and component. */
status replay_compare(const struct replay *r, const struct replay_values *a,
                      const struct replay_values *b);

#endif
