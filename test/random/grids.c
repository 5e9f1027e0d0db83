#include "grids.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- neighbours ------------------------------------------------------------------- */

/* Colours of the three kinds. */
enum { VERTICES = 1, CELLS = 2, EDGES = 3 };
enum { ENTRIES_MAX = 6 };

/* What include/op2_boxes.h says at op2_decl_map_grid, in its words: (i, colour, j),
 * behind the colour of the element if there are several. */
static const struct {
  int from, to, arity;
  const char *text;
} published[] = {
    {CELLS, CELLS, 3,
     "0: (0,1,0) (1,1,0) (0,1,-1)     1: (-1,0,0) (0,0,1) (0,0,0)"},
    {CELLS, EDGES, 3,
     "0: (0,2,0) (1,1,0) (0,0,0)      1: (0,1,0) (0,0,1) (0,2,0)"},
    {CELLS, VERTICES, 3,
     "0: (1,0,0) (0,0,0) (1,0,1)      1: (1,0,1) (0,0,0) (0,0,1)"},
    {EDGES, CELLS, 2,
     "0: (0,0,0) (0,1,-1)   1: (-1,0,0) (0,1,0)   2: (0,0,0) (0,1,0)"},
    {EDGES, EDGES, 4,
     "0: (0,2,0) (1,1,0) (0,1,-1) (0,2,-1) "
     "1: (-1,2,0) (-1,0,0) (0,0,1) (0,2,0) "
     "2: (1,1,0) (0,0,0) (0,1,0) (0,0,1)"},
    {EDGES, VERTICES, 2,
     "0: (0,0,0) (1,0,0)    1: (0,0,0) (0,0,1)    2: (0,0,0) (1,0,1)"},
    {VERTICES, CELLS, 6,
     "(0,0,0) (0,1,0) (-1,0,0) (-1,1,-1) (-1,0,-1) (0,1,-1)"},
    {VERTICES, EDGES, 6, "(0,0,0) (0,2,0) (0,1,0) (-1,0,0) (-1,2,-1) (0,1,-1)"},
    {VERTICES, VERTICES, 6,
     "(1,0,0) (1,0,1) (0,0,1) (-1,0,0) (-1,0,-1) (0,0,-1)"},
};
enum { PAIRS = sizeof published / sizeof *published };

/* The texts as numbers, [pair][colour * arity + entry]; read once. */
static const struct hop *
hops_of(int pair) {
  static struct hop hops[PAIRS][EDGES * ENTRIES_MAX];
  static bool have[PAIRS];
  const char *at = published[pair].text;
  int n = published[pair].from * published[pair].arity;
  if (have[pair]) return hops[pair];
  for (int k = 0; k < n; k++) {
    struct hop *h = &hops[pair][k];
    at = strchr(at, '(');
    assert(at);
    int read = sscanf(at++, "(%d,%d,%d)", &h->by[0], &h->colour, &h->by[1]);
    assert(read == 3 && h->colour < published[pair].to);
    (void)read;
  }
  assert(!strchr(at, '('));
  have[pair] = true;
  return hops[pair];
}

static int
pair_of(const struct program *p, int from, int to) {
  for (int k = 0; k < PAIRS; k++)
    if (p->made[from].colours == published[k].from &&
        p->made[to].colours == published[k].to)
      return k;
  return -1;
}

struct hop
grid_hop(const struct program *p, const struct pmap *m, int colour, int j) {
  return hops_of(pair_of(p, m->from, m->to))[colour * m->arity + j];
}

bool
grid_map_fits(const struct program *p, struct pmap *m) {
  int pair = pair_of(p, m->from, m->to);
  if (pair < 0 || !boxes_alike(p, m->from, m->to)) return false;
  m->arity = published[pair].arity;
  return true;
}

/* ---- drawing ---------------------------------------------------------------------- */

enum { SETS_MAX = 5 };

/* One more set of the lattice, of which `first` is the first one; -1: this is. */
static int
draw_grid(struct program *p, struct rnd *r, int most, int first, int colours) {
  struct pmade b = {.of = -1, .over = -1, .ndim = 2, .colours = colours};
  b.like = first + 1;
  for (int d = 0; d < 2 && first < 0; d++) {
    int n = !d && rnd_chance(r, 30) ? 80 : 20; /* lines of several stretches */
    b.n[d] = 1 + rnd_below(r, most < n ? most : n);
    b.turns[d] = rnd_chance(r, 35);
  }
  if (first < 0) box_draw_empty(p, &b);
  return box_add(p, b);
}

/* Two or three of the kinds, in any order; now and then others. */
static int
draw_sets(struct program *p, struct rnd *r, int most, int *sets) {
  int turn = rnd_below(r, 3), n = 2 + rnd_chance(r, 60);
  for (int k = 0; k < n; k++)
    sets[k] = draw_grid(p, r, most, k ? sets[0] : -1, 1 + (turn + k) % 3);
  if (rnd_chance(r, 25))
    sets[n++] = draw_grid(p, r, most, sets[0], 1 + rnd_below(r, 6));
  if (rnd_chance(r, 25)) sets[n++] = draw_grid(p, r, most, sets[0], 0);
  return n;
}

/* Of neighbours, or of any other kind where there are none. */
static void
draw_map(struct program *p, struct rnd *r, int from, int to) {
  struct pmap m = {.from = from,
                   .to = to,
                   .arity = 1 + rnd_below(r, 4),
                   .kind = MAP_RULE,
                   .a = rnd_below(r, 60)};
  if (pair_of(p, from, to) >= 0 && rnd_chance(r, 75)) {
    m.kind = MAP_GRID;
    grid_map_fits(p, &m);
  }
  box_draw_rule(p, r, m);
}

void
grids_draw(struct program *p, struct rnd *r, int most) {
  int sets[SETS_MAX], n = draw_sets(p, r, most, sets);
  int maps = 3 + rnd_below(r, 5);
  for (int k = 0; k < maps; k++)
    draw_map(p, r, sets[rnd_below(r, n)], sets[rnd_below(r, n)]);
  box_draw_beside(p, r, sets[rnd_below(r, n)]);
  for (int k = 0; k < n; k++)
    for (int i = rnd_below(r, 3); i >= 0; i--) box_draw_points(p, r, sets[k]);
}
