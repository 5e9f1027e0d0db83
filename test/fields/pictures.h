/* What test/fields/pictures.c writes, and those who read it expect: every value
 * is a function of its element, component and step. pictures.py says the same. */
#ifndef PICTURES_H
#define PICTURES_H

enum {
  NX = 7,
  NY = 5,
  QUADS = NX * NY,
  NODES = (NX + 1) * (NY + 1),
  STEPS = 4
};
enum {
  TETS = 6,
  CORNERS = 8,
  MOVED = 2
}; /* from step MOVED on nodes lie off */

static inline long long
value_of(long long e, int k, int step) {
  return (e * 3 + k * 7 + step * 11) % 101;
}

static inline int
quad_node(int e, int i) {
  int x = e % NX + (i == 1 || i == 2), y = e / NX + (i > 1);
  return y * (NX + 1) + x;
}

static inline double
quad_x(int node, int k, int step) {
  int at[2] = {node % (NX + 1), node / (NX + 1)};
  return at[k] * 0.5 + (step >= MOVED ? 0.125 * at[0] : 0);
}

static inline double
time_of(int step) {
  return 0.1 * step * step + 1;
}

/* A cube about the diagonal from corner 0 to corner 7; corner: bits x y z */
static const int tet_node[TETS][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                      {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

#endif
