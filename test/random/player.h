/* One program on its way through the library: play.c plays it, declare.c declares what
 * it needs. */
#ifndef RANDOM_PLAYER_H
#define RANDOM_PLAYER_H

#include "parts.h"
#include "play.h"

#include "op2.h"

struct player {
  const struct program *p;
  const struct seen *seen;
  unsigned flags;
  op_set *sets;
  struct part *parts; /* of each set */
  bool moved; /* elements lie elsewhere than where ranks declared them */
  op_map *maps;
  op2_axis *axes;
  op_dat *dats;
  op2_sparsity *sparsities;
  op2_mat *mats;      /* by dat: where it is a matrix */
  op_map (*pairs)[2]; /* of a MAP_LOCAL, as its sparsity was declared */
  void **gbls;        /* memory of raw globals */
  op2_gbl *handles;
  void **memory; /* of the dats' initial values */
  int op;
  struct rnd rnd;
  struct failure *out;
};

/* Memory that lives until op_exit, zeroed, for any type's alignment. */
void *player_memory(size_t bytes);
/* Values by their formula: each stride-th of a dat's part, all of a global's. Points of
 * other ranks get others, which count for nothing, but where memory is looked at without
 * a call: it is then as it was left. */
void player_fill(const struct player *y, int dat, void *memory, int formula,
                 int stride);
void player_fill_gbl(const struct pgbl *g, void *memory, int formula);
/* Of this rank's part of a dat; of all. */
size_t player_bytes(const struct player *y, int dat);
size_t player_all_bytes(const struct player *y, int dat);
int player_type_size(char letter);
/* The type as declared. */
const char *player_type_text(const struct pdat *d);
op2_gbl player_handle(const struct pgbl *g, const void *init, const char *name);
/* Sets, maps, dats, globals; constants as they are at first. */
void player_declare(struct player *y);
void player_parts_clear(struct player *y);
/* Axis k, once more: its splitters are nowhere. */
void player_declare_axis(struct player *y, int k);
/* Map k, once more: loops from here on go through the new one. */
void player_declare_map(struct player *y, int k);

#endif
