/* One program on its way to C: emit.c prints it, emit_sets.c the sets and maps. */
#ifndef RANDOM_EMITTER_H
#define RANDOM_EMITTER_H

#include "emit.h"

struct emitter {
  FILE *f;
  const struct program *p;
  const struct result *r;          /* NULL: none */
  int nops;                        /* operations that are printed */
  unsigned flags;                  /* PLAY_*, of the mode */
  bool *sets, *maps, *dats, *gbls; /* used */
};

#define OUT(...) fprintf(y->f, __VA_ARGS__)
/* Arrays up to this length are written out, others by their formula. */
enum { LITERAL = 16 };

void emit_set(const struct emitter *y, int k);
void emit_map(const struct emitter *y, int k);
/* m%d = op_decl_map(...): a new handle of map k. */
void emit_map_handle(const struct emitter *y, int k);
void emit_sparsity(const struct emitter *y, int k);

#endif
