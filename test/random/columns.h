/* Sets of columns by their formulas, see struct pmade. Lengths and first layers are
 * those of column b % COLUMN_PERIOD, so that numbers need no tables. */
#ifndef RANDOM_COLUMNS_H
#define RANDOM_COLUMNS_H

#include "program.h"

/* Elements first, first + 1, ... n of them, in layers bottom, bottom + 1, ... */
struct column {
  int first, bottom, n;
};

/* Is it a set of columns? */
bool set_has_columns(const struct program *p, int s);
/* Column b of such a set; the column of element e, whose number is returned. */
struct column column_at(const struct program *p, int s, int b);
int column_of(const struct program *p, int s, int e, struct column *out);
/* Elements of all columns; of a region of them, and element e of it in the columns. */
int columns_size(const struct program *p, int s);
int region_size(const struct program *p, int s);
int region_index(const struct program *p, int s, int e);
/* Have all elements of a set of columns, or of a subset of one, a layer dl above? */
bool layer_exists(const struct program *p, int s, int dl);

/* A map of columns: layers that entry j is above its element; is its set the one to
 * which the base leads, where layers meet? Dims and all targets exist; entry j of
 * row e. */
int column_offset(const struct pmap *m, int j);
bool column_map_meets(const struct program *p, const struct pmap *m);
bool column_map_settle(const struct program *p, struct pmap *m);
int column_map_entry(const struct program *p, const struct pmap *m, int e,
                     int j);

/* Sets of columns, their regions and maps, for some programs. */
void columns_draw(struct program *p, struct rnd *r);

#endif
