/* Airfoil's time step by hand: what all forms of airfoil_limit share.
 *
 * A step has two halves. The first reads version 0 of q and writes version 1,
 * the second reads version 1 and writes version 0, whose own value of a cell is
 * qold until then: no copy is needed. adt of a half belongs to the q that the
 * half reads, so that it has two versions, too. */
#ifndef BENCH_LIMIT_LIMIT_H
#define BENCH_LIMIT_LIMIT_H

#include <stdbool.h>

#include "../airfoil/mesh.h"

enum { LIMIT_THREADS = 256, LIMIT_PAD = 8, LIMIT_SIDES = 4 };

enum limit_form { LIMIT_INCREMENTS, LIMIT_GATHER, LIMIT_TILED };

/* Where a cell's side has its neighbour from: a table of neighbours, or the
 * list of the cell's edges and then the edges' cells. */
enum limit_next { LIMIT_TABLE, LIMIT_EDGES };

/* Where dx and dy of a side come from: nodes of edges; nodes of the cell, as
 * adt's; numbers that were stored once, with the length of the side. */
enum limit_geometry { LIMIT_PAIRS, LIMIT_CORNERS, LIMIT_STORED };

/* What runs. Each is an int, as options have it. */
struct limit_how {
  int form;         /* enum limit_form */
  int width;        /* doubles in a vector: 4 or 8 */
  int next;         /* enum limit_next */
  int geometry;     /* enum limit_geometry */
  int kept;         /* p, q1/q0, q2/q0 kept beside adt, not once a side */
  int apart_adt;    /* adt in a loop of its own */
  int apart_update; /* res to memory, update in a loop of its own */
  int flux;         /* fluxes of edges stored, cells sum them */
  int steps;        /* tiled: time steps in a chain */
  int tile;         /* tiled: cells that a half advances by */
};

/* Tables are by blocks of W elements, [block][row][W]. */
struct limit {
  const struct mesh *m; /* KEEP */
  struct limit_how how;
  int threads;
  int ncell, nblock; /* padded to whole blocks; blocks */
  double *q[2];      /* [ncell, 4], or rows of 8: q, adt, p, u, v */
  double *adt[2];    /* [ncell], or inside q's rows */
  double *res;       /* [ncell, 4] */
  int *corner;       /* [block][4][W] nodes of cells */
  int *next;        /* [block][4][W] neighbours; own cell where there is none */
  int *pair;        /* [block][4][2][W] nodes of sides, seen as slot 0 */
  double *geometry; /* [block][4][3][W] dx, dy, length */
  int *side;        /* [block][4][W] edges, in the program's order */
  int *side_cell;   /* [edges and made-up ones, 2] */
  int *side_node;   /* [edges and made-up ones, 2] */
  char *plain;      /* [block] sides stand in the order of corners */
  int *bound, *bound_row;     /* boundary edges of block b: bound[b], [b+1] */
  int *reach_lo, *reach_hi;   /* [block] see limit.c */
  int nedge;                  /* padded to whole blocks */
  int *edge_part;             /* [threads + 2] first blocks of parts */
  int *edge_cell, *edge_node; /* [block][2][W], part by part */
  double *edge_geometry;      /* [block][2][W] */
  double *flux;               /* [edges and made-up ones, 4] */
  double *rms;                /* [threads, LIMIT_PAD] */
};

/* Start from the free stream; limit_reset does so again. The caller clears it
 * and keeps the mesh until then. */
void limit_start(struct limit *l, const struct mesh *m, struct limit_how how,
                 int threads);
void limit_reset(struct limit *l);
void limit_stop(struct limit *l);

#endif
