/* The interpreter: runs each operation where it stands, over plain arrays of cells.
 * It also decides whether an operation is one that a program may make.
 */
#ifndef RANDOM_INTERP_H
#define RANDOM_INTERP_H

#include "boxes.h"

/* Values of a dat or global. err: how far a floating sum may be off; 0 if the
 * value is exact, infinity for scratch. */
struct store {
  int n;
  union cell *v;
  double *err;
  bool alive;       /* temporaries: between declaration and free */
  bool due;         /* raw global: delivered at the next flush */
  struct area made; /* temporaries with a halo: how far around the domain */
};

/* What the program sees at an operation: values in a fixed order. */
struct seen {
  int n;
  union cell *v;
  double *err;
  char *type;
};

/* Where an axis has its splitters, if anywhere, and between which levels loops ran. */
struct placed {
  bool some, *used;
  int formula;
};

struct world {
  const struct program *p;
  struct store *dats, *gbls;
  bool **
      masks; /* of matrices, by dat: is a nonzero's value kept; NULL: of none */
  struct placed *axes;
  bool defer;
  const char *why; /* the last refusal */
};

struct world *world_new(const struct program *p);
void world_free(struct world *w);
/* Run one operation; false: a program may not do this here, nothing changed.
 * seen_out (empty before) gets what it shows. */
bool world_run(struct world *w, const struct op *o, struct seen *seen_out);
/* Does a loop keep the rules? Its values may still refuse it. */
bool world_allows(struct world *w, const struct op *o);
void seen_clear(struct seen *s);
/* One more value that is shown. */
void see_number(struct seen *s, char type, int64_t n);
/* The values behind an argument; NULL: it has none. */
struct store *arg_store(struct world *w, const struct op *o, int a);

/* The whole program: what each operation shows, and behind these the last values
 * of all dats that are no temporaries, [nops + 1]; NULL if an operation is not
 * allowed. */
struct seen *interp_program(const struct program *p, const char **why_out);
void interp_free(const struct program *p, struct seen *seen);

#endif
